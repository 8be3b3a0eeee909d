//! The sizes of the table. Sizes are const parameters, so every size is listed here once.

#[cfg(not(feature = "few"))]
macro_rules! channel_counts {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
    };
}

#[cfg(feature = "few")]
macro_rules! channel_counts {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 1 2 3 4 5 6 7 8 10 12 16 20)
    };
}

/// Channels and directions of `TrackingPca`. A size costs 0.6 s of the build, so there are fewer above 16 channels; 1, 2
/// and 4 directions, which `tune` tries, are always there.
#[cfg(not(feature = "few"))]
macro_rules! tracking_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 1 2; 4 => 1 2 3; 5 => 1 2 3 4; 6 => 1 2 3 4; 7 => 1 2 3 4 6; 8 => 1 2 3 4 6; 9 => 1 2 3 4 6 8;
            10 => 1 2 3 4 6 8; 11 => 1 2 3 4 6 8; 12 => 1 2 3 4 6 8; 13 => 1 2 3 4 6 8 12; 14 => 1 2 3 4 6 8 12;
            15 => 1 2 3 4 6 8 12; 16 => 1 2 3 4 6 8 12; 17 => 1 2 4; 18 => 1 2 4; 19 => 1 2 4; 20 => 1 2 4; 21 => 1 2 4;
            22 => 1 2 4; 23 => 1 2 4; 24 => 1 2 4; 25 => 1 2 4; 26 => 1 2 4; 27 => 1 2 4; 28 => 1 2 4; 29 => 1 2 4;
            30 => 1 2 4; 31 => 1 2 4; 32 => 1 2 4; 33 => 1 2 4; 34 => 1 2 4; 35 => 1 2 4; 36 => 1 2 4; 37 => 1 2 4;
            38 => 1 2 4; 39 => 1 2 4; 40 => 1 2 4; 41 => 1 2 4; 42 => 1 2 4; 43 => 1 2 4; 44 => 1 2 4; 45 => 1 2 4;
            46 => 1 2 4; 47 => 1 2 4; 48 => 1 2 4; 49 => 1 2 4; 50 => 1 2 4; 51 => 1 2 4; 52 => 1 2 4; 53 => 1 2 4;
            54 => 1 2 4; 55 => 1 2 4; 56 => 1 2 4; 57 => 1 2 4; 58 => 1 2 4; 59 => 1 2 4; 60 => 1 2 4; 61 => 1 2 4;
            62 => 1 2 4; 63 => 1 2 4; 64 => 1 2 4;)
    };
}

#[cfg(feature = "few")]
macro_rules! tracking_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2; 6 => 2; 8 => 2; 10 => 1 2; 20 => 2;)
    };
}

/// Channels and directions of `CenteredPca` and `Gha`.
#[cfg(not(feature = "few"))]
macro_rules! some_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
            11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4; 17 => 1 2 4; 18 => 1 2 4;
            19 => 1 2 4; 20 => 1 2 4; 21 => 1 2 4; 22 => 1 2 4; 23 => 1 2 4; 24 => 1 2 4; 25 => 1 2 4; 26 => 1 2 4;
            27 => 1 2 4; 28 => 1 2 4; 29 => 1 2 4; 30 => 1 2 4; 31 => 1 2 4; 32 => 1 2 4;)
    };
}

/// Channels and directions of `BatchPca` and `OnlineKernelPca`.
#[cfg(not(feature = "few"))]
macro_rules! small_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
            11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4;)
    };
}

#[cfg(feature = "few")]
macro_rules! some_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 2 => 1; 3 => 1; 4 => 1 2; 6 => 2; 8 => 2; 10 => 2;)
    };
}

#[cfg(feature = "few")]
macro_rules! small_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 2 => 1; 4 => 2; 8 => 2; 10 => 2;)
    };
}

/// Channels and directions of `DensityPca`, only to open images.
#[cfg(not(feature = "few"))]
macro_rules! pair_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)*
            2 => 1; 3 => 2; 4 => 2; 5 => 2; 6 => 2; 7 => 2; 8 => 2; 9 => 2; 10 => 2; 11 => 2; 12 => 2; 13 => 2; 14 => 2;
            15 => 2; 16 => 2;)
    };
}

#[cfg(feature = "few")]
macro_rules! pair_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 2 => 1; 4 => 2;)
    };
}

/// Channels and directions of learners with lags.
#[cfg(not(feature = "few"))]
macro_rules! lagged_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 1 => 1 2; 2 => 1 2 4; 3 => 1 2 4; 4 => 1 2 4; 5 => 1 2 4; 6 => 1 2 4;)
    };
}

#[cfg(feature = "few")]
macro_rules! lagged_sizes {
    ($visit:ident!($($extra:tt)*)) => {
        $visit!($($extra)* 1 => 1; 2 => 2;)
    };
}

pub(crate) use {channel_counts, lagged_sizes, pair_sizes, small_sizes, some_sizes, tracking_sizes};
