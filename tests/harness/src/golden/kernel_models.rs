//! Files 14 and 27: kernel ridge regression, kernel mean, pre-image and posterior variance, on a window that is not
//! full.

use eigenstream::Scalar;
use eigenstream::kernel::{
    Expansion, Gaussian, GramWindow, KernelMean, KernelRidge, Preimage, PreimageSettings, RidgeSettings,
};
use eigenstream::spectrum::Cholesky;

use super::check::{Check, Refusal};
use super::kernel_batch::filled;
use super::kernels::NamedKernel;
use super::schema::Case;
use super::sizes::{CAPACITY, with_channels, within_capacity};
use super::trials::{trials, width};

/// The largest number of iterations in the search for the fixed point.
const PASSES: usize = 10_000;

/// Runs a case of file 14.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    within_capacity(rows.len())?;
    let dim = width(&rows);
    match case.operation() {
        "krr" => with_channels!(dim, ridge::<T>(case, &rows, check)),
        "kernel_mean" => with_channels!(dim, mean::<T>(case, &rows, check)),
        "preimage" => with_channels!(dim, preimage::<T>(case, &rows, check)),
        other => Err(Refusal::operation(other)),
    }
}

fn ridge<T: Scalar, const DIM: usize>(case: &Case, rows: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let kernel = NamedKernel::of(&case.input)?;
    let window = filled::<T, DIM, CAPACITY>(kernel, rows)?;
    let rho = T::from_f64(case.input.number("rho")?);
    let settings = RidgeSettings::new(rho).map_err(Refusal::by_crate)?;
    let mut ridge = KernelRidge::new(kernel, settings);
    let targets = padded(&case.input.vector("y")?);
    ridge
        .fit(&window, &targets, &mut Cholesky::new())
        .map_err(Refusal::by_crate)?;
    let coefficients = &ridge.coefficients()[..rows.len()];
    check.vector("alpha", coefficients, &case.output.vector("alpha")?);
    let predictions = of_each(case, |sample| ridge.predict(sample))?;
    check.vector("pred", &predictions, &case.output.vector("pred")?);
    Ok(())
}

/// Runs a case of file 27.
pub(super) fn variances<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    within_capacity(rows.len())?;
    with_channels!(width(&rows), variance::<T>(case, &rows, check))
}

fn variance<T: Scalar, const DIM: usize>(case: &Case, rows: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let kernel = NamedKernel::of(&case.input)?;
    let window = filled::<T, DIM, CAPACITY>(kernel, rows)?;
    let settings = RidgeSettings::new(T::from_f64(case.input.number("rho")?)).map_err(Refusal::by_crate)?;
    let (mut ridge, mut factor) = (KernelRidge::new(kernel, settings), Cholesky::new());
    ridge
        .fit(&window, &[T::ZERO; CAPACITY], &mut factor)
        .map_err(Refusal::by_crate)?;
    let variances = of_each(case, |sample| ridge.variance(sample, &factor))?;
    check.vector("variance", &variances, &case.output.vector("variance")?);
    Ok(())
}

fn mean<T: Scalar, const DIM: usize>(case: &Case, rows: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let window = filled::<T, DIM, CAPACITY>(NamedKernel::of(&case.input)?, rows)?;
    let mean = KernelMean::of(&window);
    check.number("norm2", mean.norm_squared(), case.output.number("norm2")?);
    let values = of_each(case, |sample| mean.value(sample))?;
    check.vector("at_test", &values, &case.output.vector("at_test")?);
    let distances = of_each(case, |sample| mean.distance_squared(sample))?;
    check.vector("dist2", &distances, &case.output.vector("dist2")?);
    Ok(())
}

fn preimage<T: Scalar, const DIM: usize>(case: &Case, rows: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let kernel = Gaussian::new(T::from_f64(case.input.number("alpha")?)).map_err(Refusal::by_crate)?;
    let mut window = GramWindow::<T, _, DIM, CAPACITY>::new(kernel);
    for sample in &trials::<T, DIM>(rows)? {
        window.push(sample).map_err(Refusal::by_crate)?;
    }
    let weights = padded(&case.input.vector("weights")?);
    let vector = Expansion::new(&window, &weights).map_err(Refusal::by_crate)?;
    let starts = trials::<T, DIM>(&[case.input.vector("start")?])?;
    let start = starts.first().copied().unwrap_or([T::ZERO; DIM]);
    let search = |passes: usize| -> Result<Preimage<T, DIM>, Refusal> {
        let settings = PreimageSettings::DEFAULT
            .with_iterations(passes)
            .and_then(|settings| settings.with_tolerance(T::EPSILON))
            .map_err(Refusal::by_crate)?;
        vector.preimage_from(&start, settings).map_err(Refusal::by_crate)
    };
    check.vector("iter1", &search(1)?.sample, &case.output.vector("iter1")?);
    check.vector("iter5", &search(5)?.sample, &case.output.vector("iter5")?);
    let found = search(PASSES)?.sample;
    check.vector("fixed_point", &found, &case.output.vector("fixed_point")?);
    let objective = vector.distance_squared(&found).map_err(Refusal::by_crate)?;
    check.number("objective", objective, case.output.number("objective")?);
    Ok(())
}

/// The output of a model for each sample under `test`.
fn of_each<T: Scalar, E: std::fmt::Display, const DIM: usize>(
    case: &Case,
    answer: impl Fn(&[T; DIM]) -> Result<T, E>,
) -> Result<Vec<T>, Refusal> {
    let samples = trials::<T, DIM>(&case.input.rows("test")?)?;
    let answers = samples.iter().map(|sample| answer(sample).map_err(Refusal::by_crate));
    answers.collect()
}

/// The values, followed by zeros up to `CAPACITY`.
fn padded<T: Scalar>(values: &[f64]) -> [T; CAPACITY] {
    let mut slots = [T::ZERO; CAPACITY];
    for (slot, &value) in slots.iter_mut().zip(values) {
        *slot = T::from_f64(value);
    }
    slots
}
