//! Files 17, 18 and 19: Oja, APEX and GHA, linear and with kernels, with and without a limit of the points.

use eigenstream::Scalar;
use eigenstream::hebbian::{
    Apex, ApexSettings, Eviction, FeatureVectors, Gha, GhaSettings, KernelApex, KernelGha, Norm, PointBudget, Vectors,
};
use eigenstream::nalgebra::SMatrix;

use super::check::{Check, Refusal};
use super::kernels::NamedKernel;
use super::schema::{Case, Fields};
use super::trials::{trials, width};

/// Room for points in a case without a limit.
const UNBOUNDED: usize = 128;

/// Calls `$function::<T, DIM, KEEP>(…)` for the pairs of channels and components in `sizes.json`.
macro_rules! with_components {
    ($channels:expr, $kept:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        with_components!(@pairs $channels, $kept, [3 1, 4 1, 4 2, 5 1, 5 2, 5 3, 6 1, 6 4], $function::<$scalar> $arguments)
    };
    (@pairs $channels:expr, $kept:expr, [$($dim:literal $keep:literal),*], $function:ident::<$scalar:ty> $arguments:tt) => {
        match ($channels, $kept) {
            $(($dim, $keep) => $function::<$scalar, $dim, $keep> $arguments,)*
            (channels, kept) => Err(Refusal::Unsupported(format!("{kept} components of {channels} are not built in"))),
        }
    };
}

/// Calls `$function::<T, DIM, KEEP, POINTS>(…)` for the channels, components and points in `sizes.json`.
macro_rules! with_points {
    ($channels:expr, $kept:expr, $points:expr, $function:ident::<$scalar:ty> $arguments:tt) => {
        with_points!(
            @triples $channels, $kept, $points,
            [2 1 5, 3 1 10, 3 1 128, 4 2 10, 4 1 12, 4 2 12, 4 1 128, 4 2 128, 5 1 10, 5 2 10, 5 3 10, 5 2 12, 5 3 12,
             5 1 128, 5 2 128, 5 3 128, 6 4 10, 6 1 12, 6 4 12, 6 1 128, 6 4 128],
            $function::<$scalar> $arguments
        )
    };
    (@triples $channels:expr, $kept:expr, $points:expr, [$($dim:literal $keep:literal $room:literal),*],
     $function:ident::<$scalar:ty> $arguments:tt) => {
        match ($channels, $kept, $points) {
            $(($dim, $keep, $room) => $function::<$scalar, $dim, $keep, $room> $arguments,)*
            (channels, kept, points) => Err(Refusal::Unsupported(format!(
                "{kept} components of {channels} over {points} points are not built in"
            ))),
        }
    };
}

/// Starts the learner and returns `$part` of the code of each sample. This is a macro, because the learners share no
/// trait for this.
macro_rules! codes {
    ($learner:ident, $case:expr, $part:expr) => {{
        for start in starts($case)? {
            $learner.start_at(&start).map_err(Refusal::by_crate)?;
        }
        let mut outputs = Vec::new();
        for sample in samples(&$case.input, "X")? {
            outputs.push($part($learner.step(&sample).map_err(Refusal::by_crate)?.code));
        }
        outputs
    }};
}

/// Runs a case of file 17, 18 or 19; its operation selects the learner.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let input = &case.input;
    let channels = width(&input.rows("X")?);
    let rows = |key| Ok::<usize, Refusal>(input.rows(key)?.len());
    let points = if input.has("memory") {
        input.count("memory")?
    } else {
        UNBOUNDED
    };
    match case.operation() {
        "oja" => with_components!(channels, 1, gha::<T>(case, check)),
        "gha" => with_components!(channels, rows("init")?, gha::<T>(case, check)),
        "apex" => with_components!(channels, rows("frozen")? + 1, apex::<T>(case, check)),
        "kernel_oja" => with_points!(channels, 1, points, kernel_gha::<T>(case, check)),
        "kernel_gha" => with_points!(channels, rows("init")?, points, kernel_gha::<T>(case, check)),
        "kernel_apex" => with_points!(
            channels,
            rows("frozen_coef")? + 1,
            points,
            kernel_apex::<T>(case, check)
        ),
        other => Err(Refusal::operation(other)),
    }
}

fn gha<T: Scalar, const DIM: usize, const KEEP: usize>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let mut learner = Gha::<T, DIM, KEEP>::new(gha_settings(case)?);
    let outputs = codes!(learner, case, |code: [T; KEEP]| code.to_vec());
    check.matrix("y", &outputs, &matrix(case, "y", Lists::OneEach)?);
    let weights: Vec<Vec<T>> = learner.components().data.0.iter().map(|row| row.to_vec()).collect();
    let key = if case.output.has("W") { "W" } else { "w" };
    check.matrix(key, &weights, &matrix(case, key, Lists::OneInAll)?);
    Ok(())
}

fn kernel_gha<T: Scalar, const DIM: usize, const KEEP: usize, const POINTS: usize>(
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let kernel = NamedKernel::of(&case.input)?;
    let mut learner = KernelGha::<T, _, DIM, KEEP, POINTS>::new(kernel, gha_settings(case)?, memory(case)?);
    let outputs = codes!(learner, case, |code: [T; KEEP]| code.to_vec());
    check.matrix("y", &outputs, &matrix(case, "y", Lists::OneEach)?);
    check_expansion(learner.expansion(), case, check)?;
    if case.output.has("out_test") {
        let mut at_test = Vec::new();
        for sample in samples::<T, DIM>(&case.input, "test")? {
            at_test.push(learner.transform(&sample).map_err(Refusal::by_crate)?.to_vec());
        }
        check.matrix("out_test", &at_test, &matrix(case, "out_test", Lists::OneEach)?);
    }
    Ok(())
}

fn apex<T: Scalar, const DIM: usize, const KEEP: usize>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let mut learner = Apex::<T, DIM, KEEP>::new(apex_settings(case)?);
    for row in samples::<T, DIM>(&case.input, "frozen")? {
        learner.replace(Vectors::from_columns(&SMatrix::from(row)).map_err(Refusal::by_crate)?);
    }
    let outputs = codes!(learner, case, |code: [T; KEEP]| code[KEEP - 1]);
    check.vector("ytilde", &outputs, &case.output.vector("ytilde")?);
    let weights = learner.weights()[KEEP - 1].columns();
    check.vector("w", weights.as_slice(), &case.output.vector("w")?);
    check.vector("a", learner.feedback(KEEP - 1), &case.output.vector("a")?);
    Ok(())
}

fn kernel_apex<T: Scalar, const DIM: usize, const KEEP: usize, const POINTS: usize>(
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let (kernel, memory) = (NamedKernel::of(&case.input)?, memory(case)?);
    let mut learner = KernelApex::<T, _, DIM, KEEP, POINTS>::new(kernel, apex_settings(case)?, memory);
    let points = samples::<T, DIM>(&case.input, "frozen_points")?;
    for coefficients in case.input.rows("frozen_coef")? {
        let mut component = FeatureVectors::new(kernel, memory);
        for (point, &coefficient) in points.iter().zip(&coefficients) {
            component
                .push(point, [T::from_f64(coefficient)])
                .map_err(Refusal::by_crate)?;
        }
        learner.replace(component);
    }
    let outputs = codes!(learner, case, |code: [T; KEEP]| code[KEEP - 1]);
    check.vector("ytilde", &outputs, &case.output.vector("ytilde")?);
    check.vector("a", learner.feedback(KEEP - 1), &case.output.vector("a")?);
    check_expansion(&learner.weights()[KEEP - 1], case, check)
}

/// Compares points, coefficients and norms at the end.
fn check_expansion<T: Scalar, const DIM: usize, const KEEP: usize, const POINTS: usize>(
    expansion: &FeatureVectors<T, NamedKernel<T>, DIM, KEEP, POINTS>,
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    if case.output.has("mem") {
        let points: Vec<Vec<T>> = expansion.points().iter().map(|point| point.to_vec()).collect();
        check.matrix("mem", &points, &case.output.rows("mem")?);
    }
    let coefficients: Vec<Vec<T>> = (0..KEEP).map(|p| expansion.coefficients(p).to_vec()).collect();
    check.matrix("coef", &coefficients, &matrix(case, "coef", Lists::OneInAll)?);
    let norms = match case.output.vector("norm2") {
        Ok(norms) => norms,
        Err(_) => vec![case.output.number("norm2")?],
    };
    check.vector("norm2", &expansion.norms_squared(), &norms);
    Ok(())
}

fn gha_settings<T: Scalar>(case: &Case) -> Result<GhaSettings<T>, Refusal> {
    let settings = GhaSettings::unscaled(T::from_f64(case.input.number("eta")?)).map_err(Refusal::by_crate)?;
    let beta = if case.input.has("beta") {
        case.input.number("beta")?
    } else {
        1.0
    };
    settings
        .with_deflation_factor(T::from_f64(beta))
        .map_err(Refusal::by_crate)
}

fn apex_settings<T: Scalar>(case: &Case) -> Result<ApexSettings<T>, Refusal> {
    ApexSettings::unscaled(T::from_f64(case.input.number("eta")?)).map_err(Refusal::by_crate)
}

fn memory(case: &Case) -> Result<PointBudget, Refusal> {
    if !case.input.has("evict") {
        return Ok(PointBudget::DEFAULT);
    }
    let rule = case.input.text("evict")?;
    let (eviction, norm) = match rule.split_once('+') {
        Some((eviction, "norm")) => (eviction, Norm::Preserved),
        None => (rule, Norm::Reduced),
        Some(_) => return Err(Refusal::Unsupported(format!("eviction `{rule}`"))),
    };
    match eviction {
        "fifo" => Ok(PointBudget::new(Eviction::Fifo, norm)),
        "min_contrib" => Ok(PointBudget::new(Eviction::LeastContribution, norm)),
        other => Err(Refusal::Unsupported(format!("eviction `{other}`"))),
    }
}

/// The samples that start the components: rows `init`, or the single `x0`.
fn starts<T: Scalar, const DIM: usize>(case: &Case) -> Result<Vec<[T; DIM]>, Refusal> {
    if case.input.has("init") {
        samples(&case.input, "init")
    } else {
        trials(&[case.input.vector("x0")?])
    }
}

fn samples<T: Scalar, const DIM: usize>(fields: &Fields<'_>, key: &str) -> Result<Vec<[T; DIM]>, Refusal> {
    trials(&fields.rows(key)?)
}

/// How a file with one component shortens a list of rows: one number for each row, or the numbers of the only row.
enum Lists {
    OneEach,
    OneInAll,
}

fn matrix(case: &Case, key: &str, lists: Lists) -> Result<Vec<Vec<f64>>, Refusal> {
    if let Ok(rows) = case.output.rows(key) {
        return Ok(rows);
    }
    let numbers = case.output.vector(key)?;
    Ok(match lists {
        Lists::OneEach => numbers.into_iter().map(|number| vec![number]).collect(),
        Lists::OneInAll => vec![numbers],
    })
}
