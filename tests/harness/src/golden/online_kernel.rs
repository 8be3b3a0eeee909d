//! Files 15 and 16: online kernel PCA, on all points and in a window; in a window also in fast mode.

use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::kernel::{Ambient, OnlineKernelPca, OnlineKernelSettings, Refresh};

use super::check::{Check, Refusal};
use super::hedge::trials;
use super::kernels::NamedKernel;
use super::schema::Case;

/// Window for a stream whose points are all stored.
const WHOLE: usize = 64;

/// Largest error of a loss in fast mode, relative to the largest k(x, x); the mean error is far smaller.
const FAST: f64 = 0.02;

/// Calls `$function::<T, DIM, KEEP, WINDOW, RANK>(…)` for the sizes in the files.
/// RANK is for the fast mode: KEEP + 4, or WINDOW if that is smaller.
macro_rules! with_window {
    ($sizes:expr, [$($dim:literal $window:literal $keep:literal $rank:literal),* $(,)?], $function:ident::<$scalar:ty> $arguments:tt) => {
        match $sizes {
            $(($dim, $window, $keep) => $function::<$scalar, $dim, $keep, $window, $rank> $arguments,)*
            (channels, window, kept) => Err(Refusal::Unsupported(format!(
                "{kept} directions of {window} points of {channels} channels are not built in"
            ))),
        }
    };
}

/// Runs a case of both files.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    let dim = rows.first().map_or(0, Vec::len);
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
        (dim, window, case.input.count("r")?),
        [
            2 1 1 1, 2 3 1 3, 2 4 1 4, 2 5 1 5, 2 5 2 5, 2 64 1 5, 2 64 2 6, 2 64 3 7, 3 8 1 5, 3 8 2 6, 3 10 1 5,
            3 20 2 6, 3 64 1 5, 3 64 2 6, 4 16 1 5, 4 16 2 6, 4 32 4 8, 4 64 3 7, 5 16 1 5, 5 16 3 7, 5 64 4 8,
            6 12 2 6, 6 24 3 7, 8 64 5 9,
        ],
        online::<T>(case, &rows, check)
    )
}

fn online<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>(
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
    let mut losses = Vec::new();
    let mut total = T::ZERO;
    for sample in &samples {
        let loss = pca.score(sample).map_err(Refusal::by_crate)?;
        pca.learn(sample).map_err(Refusal::by_crate)?;
        losses.push(loss);
        total += loss;
    }
    let wanted = case.output.vector("expected")?;
    check.vector("expected", &losses, &wanted);
    check.number("total", total, case.output.number("total")?);
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
    } else {
        fast::<T, DIM, KEEP, WINDOW, RANK>(&samples, kernel, settings, &wanted, check)?;
    }
    Ok(())
}

/// Compares the losses of the fast mode, with its larger tolerance.
fn fast<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>(
    samples: &[[T; DIM]],
    kernel: NamedKernel<T>,
    settings: OnlineKernelSettings<T>,
    wanted: &[f64],
    check: &mut Check,
) -> Result<(), Refusal> {
    let settings = settings.with_refresh(Refresh::Fast);
    let mut pca = OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, RANK>::new(kernel, settings);
    let mut largest = 1.0_f64;
    for (trial, (sample, &want)) in samples.iter().zip(wanted).enumerate() {
        let got = pca.score(sample).map_err(Refusal::by_crate)?.to_f64();
        pca.learn(sample).map_err(Refusal::by_crate)?;
        let norms = pca.window().norms();
        largest = norms.iter().fold(largest, |largest, norm| largest.max(norm.to_f64()));
        check.error_within(
            || format!("fast expected[{trial}] is {got:e} where {want:e} was expected"),
            (got - want).abs(),
            FAST * largest,
        );
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
