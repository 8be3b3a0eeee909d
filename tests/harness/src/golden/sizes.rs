//! Selects the sizes, which are const parameters in the crate and numbers in the golden files.

/// Calls `$function::<T, N>(…)` with the `N` of the list that equals `$size`; other sizes are unsupported.
macro_rules! with_size {
    ($size:expr, [$($built:literal)*], $function:ident::<$scalar:ty> $arguments:tt) => {
        match $size {
            $($built => $function::<$scalar, $built> $arguments,)*
            other => Err($crate::golden::sizes::not_built_in(other)),
        }
    };
}

/// [`with_size`] for numbers of experts: all those of `sizes.json`, and some more.
macro_rules! with_experts {
    ($size:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        $crate::golden::sizes::with_size!(
            $size,
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 24 32 64],
            $function::<$scalar> $arguments
        )
    };
}

/// [`with_size`] for matrix sizes: all those of `sizes.json`, and some more.
macro_rules! with_matrix_size {
    ($size:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        $crate::golden::sizes::with_size!(
            $size,
            [1 2 3 4 5 6 7 8 9 10 12 13 15 16 20 24 30 32 64],
            $function::<$scalar> $arguments
        )
    };
}

/// Calls `$function::<T, DIM, KEEP>(…)` for the pairs under `linear_n_k` in `sizes.json`: channels and directions.
/// Other pairs are unsupported.
macro_rules! with_directions {
    ($channels:expr, $kept:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        $crate::golden::sizes::with_directions!(
            @pairs $channels, $kept,
            [3 1, 4 1, 4 2, 5 1, 5 2, 5 3, 5 4, 6 1, 6 2, 6 3, 6 4, 7 2, 7 3, 7 4, 8 2, 8 3, 8 6, 9 3, 9 5, 9 6, 10 2,
             10 9, 12 1, 12 4, 15 3, 16 3, 20 2],
            $function::<$scalar> $arguments
        )
    };
    (@pairs $channels:expr, $kept:expr, [$($dim:literal $keep:literal),*], $function:ident::<$scalar:ty> $arguments:tt) => {
        match ($channels, $kept) {
            $(($dim, $keep) => $function::<$scalar, $dim, $keep> $arguments,)*
            (channels, kept) => Err($crate::golden::sizes::pair_not_built_in(channels, kept)),
        }
    };
}

/// Calls `$function::<T, DIM, KEEP>(case, samples, check)` with the samples `X` of a case.
macro_rules! with_samples {
    ($case:expr, $check:expr, $function:ident::<$scalar:ty>) => {{
        let rows = $case.input.rows("X")?;
        $crate::golden::sizes::with_directions!(
            $crate::golden::trials::width(&rows),
            $case.input.count("k")?,
            $function::<$scalar>($case, &$crate::golden::trials::trials(&rows)?, $check)
        )
    }};
}

/// Calls `$function::<T, N>(case, losses, check)` with the losses of a case.
macro_rules! with_losses {
    ($case:expr, $check:expr, $function:ident::<$scalar:ty>) => {{
        let rows = $case.input.rows("losses")?;
        $crate::golden::sizes::with_experts!(
            $crate::golden::trials::width(&rows),
            $function::<$scalar>($case, &$crate::golden::trials::trials(&rows)?, $check)
        )
    }};
}

/// [`with_size`] for 1 to 8 channels.
macro_rules! with_channels {
    ($size:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        $crate::golden::sizes::with_size!($size, [1 2 3 4 5 6 7 8], $function::<$scalar> $arguments)
    };
}

/// Calls `$function::<T, DIM, KEEP, WINDOW>(…)` for the triples under `kernel_batch_n_m_r` in `sizes.json`: channels,
/// points and directions. Other triples are unsupported.
macro_rules! with_points {
    ($sizes:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        $crate::golden::sizes::with_points!(
            @triples $sizes,
            [2 6 1, 2 6 2, 2 8 3, 2 15 1, 2 15 3, 3 7 1, 3 8 3, 3 12 2, 3 12 3, 3 16 2, 4 10 3, 4 20 3, 4 20 5, 5 20 4],
            $function::<$scalar> $arguments
        )
    };
    (@triples $sizes:expr, [$($dim:literal $window:literal $keep:literal),*], $function:ident::<$scalar:ty> $arguments:tt) => {
        match $sizes {
            $(($dim, $window, $keep) => $function::<$scalar, $dim, $keep, $window> $arguments,)*
            sizes => Err($crate::golden::sizes::triple_not_built_in(sizes)),
        }
    };
}

use super::check::Refusal;
pub(super) use {
    with_channels, with_directions, with_experts, with_losses, with_matrix_size, with_points, with_samples, with_size,
};

/// Room for the weights or kernel points of a case.
pub(super) const CAPACITY: usize = 64;

/// Refuses a case with more weights or points than [`CAPACITY`].
pub(super) fn within_capacity(length: usize) -> Result<(), Refusal> {
    if length <= CAPACITY {
        Ok(())
    } else {
        Err(not_built_in(length))
    }
}

pub(super) fn not_built_in(size: usize) -> Refusal {
    Refusal::Unsupported(format!("size {size} is not built in"))
}

pub(super) fn pair_not_built_in(channels: usize, kept: usize) -> Refusal {
    Refusal::Unsupported(format!("{kept} directions of {channels} are not built in"))
}

pub(super) fn triple_not_built_in((channels, points, kept): (usize, usize, usize)) -> Refusal {
    Refusal::Unsupported(format!(
        "{kept} directions of {points} points of {channels} channels are not built in"
    ))
}
