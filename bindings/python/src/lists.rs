//! The sizes of the Python package, as lists that call a macro for each row. They are shorter than those of `tool/sizes`,
//! because a learner has more calls here. With the feature `few` the table has only the sizes of the tests; the lists of a
//! release stay, for the errors. `f64` is for comparisons and has fewer sizes.

/// The sizes of a release.
pub(crate) mod released {
    /// Channels of a monitor.
    macro_rules! channel_counts {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)*
                1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
                33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
        };
    }

    /// Channels and directions of `TrackingPca`.
    macro_rules! many_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)*
                2 => 1; 3 => 1 2; 4 => 1 2 3; 5 => 1 2 3 4; 6 => 1 2 3 4; 7 => 1 2 3 4 6; 8 => 1 2 3 4 6;
                9 => 1 2 3 4 6 8; 10 => 1 2 3 4 6 8; 11 => 1 2 3 4 6 8; 12 => 1 2 3 4 6 8; 13 => 1 2 3 4 6 8;
                14 => 1 2 3 4 6 8; 15 => 1 2 3 4 6 8; 16 => 1 2 3 4 6 8; 17 => 1 2 4 8; 18 => 1 2 4 8; 19 => 1 2 4 8;
                20 => 1 2 4 8; 21 => 1 2 4 8; 22 => 1 2 4 8; 23 => 1 2 4 8; 24 => 1 2 4 8; 25 => 1 2 4 8; 26 => 1 2 4 8;
                27 => 1 2 4 8; 28 => 1 2 4 8; 29 => 1 2 4 8; 30 => 1 2 4 8; 31 => 1 2 4 8; 32 => 1 2 4 8; 40 => 1 2 4 8;
                48 => 1 2 4 8; 64 => 1 2 4 8;)
        };
    }

    /// Channels and directions of `CenteredPca` and `Gha`.
    macro_rules! some_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)*
                2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
                11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4; 20 => 1 2 4; 24 => 1 2 4;
                32 => 1 2 4;)
        };
    }

    /// Channels and directions of `DensityPca` and `BatchPca`.
    macro_rules! small_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)*
                2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
                11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4;)
        };
    }

    /// Points, channels and directions of the kernel learners.
    macro_rules! kernel_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* (16 32 64)
                2 => 1 2; 3 => 1 2; 4 => 1 2 4; 5 => 1 2 4; 6 => 1 2 4; 8 => 1 2 4; 10 => 1 2 4; 12 => 1 2 4; 16 => 1 2 4;)
        };
    }

    /// Channels of a monitor in `f64`.
    macro_rules! double_counts {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 1 2 3 4 5 6 7 8 10 12 16 20)
        };
    }

    /// Channels and directions of all learners in `f64`.
    macro_rules! double_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 2 => 1; 3 => 1 2; 4 => 1 2; 6 => 1 2 4; 8 => 2; 12 => 2; 16 => 2;)
        };
    }

    /// Points, channels and directions of the kernel learners in `f64`.
    macro_rules! double_kernel_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* (16) 2 => 1; 3 => 1 2; 4 => 1 2; 6 => 1 2 4; 8 => 2; 12 => 2; 16 => 2;)
        };
    }

    /// Left channels, right channels and pairs of `PairedPca`.
    macro_rules! groups {
        ($row:ident) => {
            $row!(6, 5, 2);
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
        };
    }

    pub(crate) use {
        channel_counts, double_counts, double_kernel_sizes, double_sizes, groups, kernel_sizes, many_sizes,
        small_sizes, some_sizes,
    };
}

/// The sizes of the tests, among them those of scikit-learn's checks.
#[cfg(feature = "few")]
mod few {
    macro_rules! channel_counts {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 1 2 3 4 5 6 10)
        };
    }

    macro_rules! many_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 2 => 1; 3 => 1 2; 4 => 2; 5 => 2; 6 => 2; 10 => 1 2; 20 => 2;)
        };
    }

    /// `CenteredPca`, `Gha`, `DensityPca` and `BatchPca`.
    macro_rules! some_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 2 => 1; 3 => 1 2; 4 => 2; 5 => 2; 6 => 2; 10 => 1 2;)
        };
    }

    macro_rules! kernel_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* (16) 2 => 2; 3 => 1 2; 4 => 2; 5 => 2; 6 => 2; 10 => 1 2;)
        };
    }

    macro_rules! double_counts {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 6)
        };
    }

    macro_rules! double_sizes {
        ($visit:ident!($($extra:tt)*)) => {
            $visit!($($extra)* 6 => 2;)
        };
    }

    macro_rules! double_kernel_sizes {
        ($visit:ident!($($extra:tt)*)) => {};
    }

    macro_rules! groups {
        ($row:ident) => {
            $row!(6, 5, 2);
        };
    }

    pub(crate) use some_sizes as small_sizes;
    pub(crate) use {
        channel_counts, double_counts, double_kernel_sizes, double_sizes, groups, kernel_sizes, many_sizes, some_sizes,
    };
}

#[cfg(feature = "few")]
pub(crate) use few::*;
#[cfg(not(feature = "few"))]
pub(crate) use released::*;

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

pub(crate) use {each, each_pair, each_with_points};
