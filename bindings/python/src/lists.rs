//! The sizes of the Python package, as lists that call a macro for each row.
//! In: the table of sizes of `tool/sizes`. Its lists are included here as source, because a dependency would compile every row
//! twice.
//! With the feature `few` the lists contain only the sizes of the tests. `f64` is for comparisons, not for chips, and has fewer
//! sizes.

#[path = "../../../tool/sizes/src/table.rs"]
#[allow(unused_imports, unused_macros, reason = "the table has lists for other programs too")]
mod table_of_sizes;

pub(crate) use table_of_sizes::{channel_counts, many_sizes};
#[cfg(not(feature = "few"))]
pub(crate) use table_of_sizes::{small_sizes, some_sizes};

/// Sizes for the checks of scikit-learn and for the conformance program.
#[cfg(feature = "few")]
macro_rules! checked_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 2 => 1; 3 => 1 2; 4 => 2; 5 => 2; 6 => 2; 10 => 1 2;)
    };
}

#[cfg(feature = "few")]
pub(crate) use {checked_sizes as small_sizes, checked_sizes as some_sizes};

/// Sizes of the kernel learners.
#[cfg(feature = "few")]
macro_rules! kernel_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 2 => 2; 3 => 1 2; 4 => 2; 5 => 2; 6 => 2; 10 => 1 2;)
    };
}

#[cfg(feature = "few")]
pub(crate) use kernel_sizes;
#[cfg(not(feature = "few"))]
pub(crate) use small_sizes as kernel_sizes;

/// Channels of a monitor in `f64`.
#[cfg(feature = "few")]
macro_rules! double_counts {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 6)
    };
}

#[cfg(not(feature = "few"))]
macro_rules! double_counts {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 1 2 3 4 5 6 7 8 10 12 16 20)
    };
}

/// Sizes in `f64`.
#[cfg(feature = "few")]
macro_rules! double_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 6 => 2;)
    };
}

#[cfg(not(feature = "few"))]
macro_rules! double_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2; 6 => 1 2 4; 8 => 1 2 4; 10 => 1 2 4; 12 => 1 2 4; 16 => 1 2 4; 20 => 1 2 4;)
    };
}

/// Calls `$row!(channels)` for each count.
macro_rules! each {
    ($row:ident $($count:literal)+) => { $( $row!($count); )+ };
}

/// Calls `$row!(channels, directions)` for each pair.
macro_rules! each_pair {
    ($row:ident $($dim:literal => $($keep:literal)+;)+) => { $($( $row!($dim, $keep); )+)+ };
}

/// Calls `$row!(channels, points, directions)` for each pair and each number of points.
macro_rules! each_with_points {
    ($row:ident $windows:tt $($dim:literal => $($keep:literal)+;)+) => {
        $($( $crate::lists::each_with_points!(@ $row $dim $keep $windows); )+)+
    };
    (@ $row:ident $dim:literal $keep:literal ($($window:literal)+)) => { $( $row!($dim, $window, $keep); )+ };
}

/// Calls `$row!(left, right, pairs)` for each size of `PairedPca`.
macro_rules! groups {
    ($row:ident) => {
        $row!(6, 5, 2);
        #[cfg(not(feature = "few"))]
        {
            $row!(1, 1, 1);
            $row!(2, 2, 1);
            $row!(3, 3, 1);
            $row!(3, 3, 2);
            $row!(4, 2, 1);
            $row!(4, 4, 2);
            $row!(6, 3, 2);
            $row!(6, 6, 2);
            $row!(8, 4, 2);
            $row!(8, 8, 4);
        }
    };
}

pub(crate) use {double_counts, double_sizes, each, each_pair, each_with_points, groups};
