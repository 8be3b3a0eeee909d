//! Files 08, 10, 11 and 25: [WK08] Algorithm 5, its shares, its average over one pass, and the additive family.

use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AdditivePca, AdditiveSettings, AverageDensity, DensityPca, DensitySettings, Share, TrackingPca, TrackingSettings,
};
use eigenstream::spectrum::Eigen;
use eigenstream::{Learner, Scalar};

use super::bounds::check_bound;
use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::{pair_not_built_in, with_directions, with_samples};
use super::trials::{check_losses, scored, trials, width};

/// A learner with a density matrix W: [`DensityPca`] or [`TrackingPca`].
pub(super) trait ShowsDensity<T: Scalar, const DIM: usize>: Learner<T, DIM> {
    /// The density matrix W.
    fn density(&self) -> SMatrix<T, DIM, DIM>;
    fn log_eigenvalues(&self) -> Vec<T>;
}

macro_rules! shows_density {
    ($($learner:ty),+) => { $(
        impl<T: Scalar, const DIM: usize, const KEEP: usize> ShowsDensity<T, DIM> for $learner {
            fn density(&self) -> SMatrix<T, DIM, DIM> {
                let mut density = SMatrix::repeat(T::ZERO);
                self.density(&mut density);
                density
            }

            fn log_eigenvalues(&self) -> Vec<T> {
                log_weights(self.evidence(), KEEP)
            }
        }
    )+ };
}

shows_density!(DensityPca<T, DIM, KEEP>, TrackingPca<T, DIM, KEEP, DIM>);

/// The logarithms of the eigenvalues e⁻ᵍ/(DIM − `keep`) for the evidence g; `evidence` and the result are in descending
/// order.
fn log_weights<T: Scalar, const DIM: usize>(evidence: [T; DIM], keep: usize) -> Vec<T> {
    let dropped = T::from_usize(DIM - keep).ln();
    evidence.iter().rev().map(|&evidence| -evidence - dropped).collect()
}

/// Runs a case of file 08: samples `X`, or symmetric matrices `S`.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    if case.input.has("X") {
        let rows = case.input.rows("X")?;
        with_directions!(
            width(&rows),
            case.input.count("k")?,
            samples::<T>(case, &rows, Share::Nothing, check)
        )
    } else {
        let matrices = case.input.matrices("S")?;
        let size = matrices.first().map_or(0, Vec::len);
        with_directions!(size, case.input.count("k")?, instances::<T>(case, &matrices, check))
    }
}

/// Runs a case of file 10: samples with a share.
pub(super) fn shared<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let part = T::from_f64(case.input.number("alpha")?);
    let share = match case.input.text("share")? {
        "uniform" => Share::Uniform(part),
        "past_average" => Share::PastAverage(part),
        "past_posteriors" => Share::PastPosteriors(part),
        other => return Err(Refusal::operation(other)),
    };
    let rows = case.input.rows("X")?;
    with_directions!(
        width(&rows),
        case.input.count("k")?,
        samples::<T>(case, &rows, share, check)
    )
}

/// Runs a case of file 25: the additive family, with every direction stored.
pub(super) fn additive<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    match (width(&rows), case.input.count("k")?) {
        (4, 1) => add_and_project::<T, 4, 1>(case, &rows, check),
        (5, 1) => add_and_project::<T, 5, 1>(case, &rows, check),
        (5, 3) => add_and_project::<T, 5, 3>(case, &rows, check),
        (6, 2) => add_and_project::<T, 6, 2>(case, &rows, check),
        (7, 3) => add_and_project::<T, 7, 3>(case, &rows, check),
        (8, 2) => add_and_project::<T, 8, 2>(case, &rows, check),
        (channels, kept) => Err(pair_not_built_in(channels, kept)),
    }
}

fn add_and_project<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let rate = T::from_f64(case.input.number("eta")?);
    let mut learner =
        AdditivePca::<T, DIM, KEEP, DIM>::new(AdditiveSettings::unscaled(rate).map_err(Refusal::by_crate)?);
    check_losses(
        "expected",
        &scored(&mut learner, &trials::<T, DIM>(rows)?)?,
        case,
        check,
    )?;
    let mut projection = SMatrix::from_element(T::ZERO);
    learner.projection(&mut projection);
    check_matrix("P", &projection, case, check)
}

/// Runs a case of file 11: the average of the density matrices before each sample of a pass, evaluated on test samples.
pub(super) fn averaged<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_samples!(case, check, average::<T>)
}

fn settings<T: Scalar>(case: &Case, share: Share<T>) -> Result<DensitySettings<T>, Refusal> {
    DensitySettings::new(T::from_f64(case.input.number("eta")?))
        .and_then(|settings| settings.with_share(share))
        .map_err(Refusal::by_crate)
}

/// The settings of [`TrackingPca`]; `None` for a share of the past, which this learner does not support.
fn tracking_settings<T: Scalar>(case: &Case, share: Share<T>) -> Result<Option<TrackingSettings<T>>, Refusal> {
    if !matches!(share, Share::Nothing | Share::Uniform(_)) {
        return Ok(None);
    }
    TrackingSettings::unscaled(T::from_f64(case.input.number("eta")?))
        .and_then(|settings| settings.without_ceiling().with_share(share))
        .map(Some)
        .map_err(Refusal::by_crate)
}

fn samples<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    share: Share<T>,
    check: &mut Check,
) -> Result<(), Refusal> {
    let samples = trials::<T, DIM>(rows)?;
    let learner = DensityPca::<T, DIM, KEEP>::new(settings(case, share)?);
    follow(learner, &samples, case, check)?;
    if let Some(settings) = tracking_settings(case, share)? {
        follow(TrackingPca::<T, DIM, KEEP, DIM>::new(settings), &samples, case, check)?;
    }
    check_best::<DIM, KEEP>(&scatter_of(&samples), case, check)
}

/// The sum of x·xᵀ over all samples x, in `f64`.
pub(super) fn scatter_of<T: Scalar, const DIM: usize>(samples: &[[T; DIM]]) -> SMatrix<f64, DIM, DIM> {
    let mut scatter = SMatrix::zeros();
    for sample in samples {
        scatter += SMatrix::from_fn(|row, column| sample[row].to_f64() * sample[column].to_f64());
    }
    scatter
}

fn instances<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    matrices: &[Vec<Vec<f64>>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let mut learner = DensityPca::<T, DIM, KEEP>::new(settings(case, Share::Nothing)?);
    let mut expected = Vec::new();
    let mut sum = SMatrix::zeros();
    for rows in matrices {
        let rows = trials::<T, DIM>(rows)?;
        let instance = SMatrix::<T, DIM, DIM>::from_fn(|row, column| rows[row][column]);
        expected.push(learner.score_instance(&instance).map_err(Refusal::by_crate)?);
        learner.learn_instance(&instance).map_err(Refusal::by_crate)?;
        sum += instance.map(|entry| entry.to_f64());
    }
    check_trials(&learner, &expected, case, check)?;
    check_best::<DIM, KEEP>(&sum, case, check)
}

/// Runs a learner on the samples; compares every loss, and the density matrix after the last sample.
fn follow<T: Scalar, const DIM: usize>(
    mut learner: impl ShowsDensity<T, DIM>,
    samples: &[[T; DIM]],
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let expected = scored(&mut learner, samples)?;
    check_trials(&learner, &expected, case, check)
}

fn check_trials<T: Scalar, const DIM: usize>(
    learner: &impl ShowsDensity<T, DIM>,
    expected: &[T],
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let total = check_losses("expected", expected, case, check)?;
    check_matrix("W", &learner.density(), case, check)?;
    let logarithms = learner.log_eigenvalues();
    let eigenvalues: Vec<T> = logarithms.iter().map(|&logarithm| logarithm.exp()).collect();
    check.vector("log_eig_W", &logarithms, &case.output.vector("log_eig_W")?);
    check.vector("eig_W", &eigenvalues, &case.output.vector("eig_W")?);
    let bounds = Bounds::new(DIM, case.input.count("k")?);
    check_bound(&bounds, total, case, check)
}

/// Compares the loss of the best fixed subspace: the sum of all but the KEEP largest eigenvalues of `sum`.
///
/// The loss is computed in `f64`, because it is not a result of the learner.
pub(super) fn check_best<const DIM: usize, const KEEP: usize>(
    sum: &SMatrix<f64, DIM, DIM>,
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(sum).map_err(Refusal::by_crate)?;
    check.number(
        "best",
        eigen.values().iter().skip(KEEP).sum::<f64>(),
        case.output.number("best")?,
    );
    Ok(())
}

fn average<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let mut learner = DensityPca::<T, DIM, KEEP>::new(settings(case, Share::Nothing)?);
    let mut average = AverageDensity::<T, DIM, KEEP>::new();
    for sample in samples {
        average
            .add_density(&ShowsDensity::density(&learner))
            .map_err(Refusal::by_crate)?;
        learner.learn(sample).map_err(Refusal::by_crate)?;
    }
    let mut mean = SMatrix::repeat(T::ZERO);
    average.density(&mut mean);
    check_matrix("avgW", &mean, case, check)?;

    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&mean).map_err(Refusal::by_crate)?;
    check.vector("eig", eigen.values().as_slice(), &case.output.vector("eig")?);

    // A learner started from the average has the losses of the average, because no eigenvalue of the average is above
    // 1/(DIM − KEEP).
    let mut batch = DensityPca::<T, DIM, KEEP>::new(DensitySettings::DEFAULT);
    batch.start_from(&mean, &mut eigen).map_err(Refusal::by_crate)?;
    let (mut expected, mut started) = (Vec::new(), Vec::new());
    for sample in trials::<T, DIM>(&case.input.rows("test")?)? {
        expected.push(average.expected_loss(&sample).map_err(Refusal::by_crate)?);
        started.push(batch.score(&sample).map_err(Refusal::by_crate)?);
    }
    check.vector(
        "expected_test, started",
        &started,
        &case.output.vector("expected_test")?,
    );
    check.vector("expected_test", &expected, &case.output.vector("expected_test")?);
    Ok(())
}

pub(super) fn check_matrix<T: Scalar, const DIM: usize>(
    what: &str,
    matrix: &SMatrix<T, DIM, DIM>,
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    let want: Vec<f64> = case.output.rows(what)?.concat();
    // The matrix is symmetric, so its columns are the rows of the file.
    check.vector(what, matrix.as_slice(), &want);
    Ok(())
}
