//! Files 15 and 16: online kernel PCA, on all points and in a window.

use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::kernel::{Ambient, OnlineKernelPca, OnlineKernelSettings};

use super::check::{Check, Refusal};
use super::kernels::NamedKernel;
use super::schema::Case;
use super::trials::{check_losses, scored, trials, width};

/// Size of the window for a stream whose points are all stored.
const WHOLE: usize = 64;

/// Calls `$function::<T, DIM, KEEP, WINDOW>(…)` for the sizes in `sizes.json`.
macro_rules! with_window {
    ($sizes:expr, [$($dim:literal $window:literal $keep:literal),* $(,)?], $function:ident::<$scalar:ty> $arguments:tt) => {
        match $sizes {
            $(($dim, $window, $keep) => $function::<$scalar, $dim, $keep, $window> $arguments,)*
            (channels, window, kept) => Err(Refusal::Unsupported(format!(
                "{kept} directions of {window} points of {channels} channels are not built in"
            ))),
        }
    };
}

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    let window = if case.input.has("window") {
        case.input.count("window")?
    } else if rows.len() <= WHOLE {
        WHOLE
    } else {
        return Err(Refusal::Unsupported(format!(
            "{} points are more than {WHOLE}",
            rows.len()
        )));
    };
    with_window!(
        (width(&rows), window, case.input.count("r")?),
        [
            2 1 1, 2 3 1, 2 4 1, 2 5 1, 2 5 2, 2 64 1, 2 64 2, 2 64 3, 3 8 1, 3 8 2, 3 10 1, 3 20 2,
            3 64 1, 3 64 2, 4 16 1, 4 16 2, 4 32 4, 4 64 3, 5 16 1, 5 16 3, 5 64 4, 6 12 2, 6 24 3,
            8 64 5,
        ],
        online::<T>(case, &rows, check)
    )
}

fn online<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let samples = trials::<T, DIM>(rows)?;
    let kernel = NamedKernel::of(&case.input)?;
    let rate = case.input.number("eta")?;
    let settings = OnlineKernelSettings::new(T::from_f64(rate))
        .map_err(Refusal::by_crate)?
        .with_ambient(ambient(case)?);
    let mut pca = OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, WINDOW>::new(kernel, settings);
    check_losses("expected", &scored(&mut pca, &samples)?, case, check)?;
    let outside = case.output.number("next_q0")?;
    check.number("next_q0", T::ONE - pca.outside_probability(), outside);

    // The files list only the nonzero eigenvalues.
    let values = pca.spectrum();
    check.vector(
        "next_lambda",
        &values,
        &padded(case.output.vector("next_lambda")?, 0.0, WINDOW),
    );
    let wanted_drops = case.output.vector("next_q")?;
    let drops: Vec<T> = pca.keep_probabilities()[..wanted_drops.len().min(WINDOW)]
        .iter()
        .map(|&probability| T::ONE - probability)
        .collect();
    check.vector("next_q", &drops, &wanted_drops);

    if case.output.has("best") {
        let best = values.iter().skip(KEEP).fold(T::ZERO, |sum, &value| sum + value);
        check.number("best", best, case.output.number("best")?);
        if case.output.has("bound_dimfree") {
            let bound = Bounds::dimension_free(KEEP).loss(best, T::from_f64(rate));
            check.number("bound_dimfree", bound, case.output.number("bound_dimfree")?);
        }
    }
    Ok(())
}

fn ambient(case: &Case) -> Result<Ambient, Refusal> {
    if let Ok(dimensions) = case.input.count("ambient") {
        return Ok(Ambient::Finite(dimensions));
    }
    match case.input.text("ambient")? {
        "inf" => Ok(Ambient::Infinite),
        "literal" => Ok(Ambient::Points),
        "span" => Ok(Ambient::Span),
        other => Err(Refusal::Unsupported(format!("ambient `{other}`"))),
    }
}

fn padded(mut values: Vec<f64>, filler: f64, length: usize) -> Vec<f64> {
    values.resize(length.max(values.len()), filler);
    values
}
