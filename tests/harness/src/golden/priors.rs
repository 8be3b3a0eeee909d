//! File 24: Hedge and online PCA from a given start.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{DensityPca, DensitySettings, TrackingPca, TrackingSettings};
use eigenstream::spectrum::Eigen;
use eigenstream::weights::{Hedge, HedgeSettings};

use super::check::{Check, Refusal};
use super::online_pca::{ShowsDensity, check_matrix};
use super::schema::Case;
use super::sizes::{with_directions, with_experts};
use super::trials::{check_losses, scored, trials, width};

/// Runs a case of the file.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    match case.input.text("op")? {
        "hedge" => {
            let losses = case.input.rows("losses")?;
            with_experts!(width(&losses), hedge::<T>(case, &losses, check))
        }
        "pca" => {
            let rows = case.input.rows("X")?;
            with_directions!(width(&rows), case.input.count("k")?, pca::<T>(case, &rows, check))
        }
        other => Err(Refusal::operation(other)),
    }
}

fn hedge<T: Scalar, const N: usize>(case: &Case, losses: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let settings = HedgeSettings::new(T::from_f64(case.input.number("eta")?))
        .and_then(|settings| settings.with_set_size(case.input.count("d").unwrap_or(0)))
        .map_err(Refusal::by_crate)?;
    let mut hedge = Hedge::<T, N>::new(settings);
    let [start] = rows_of::<T, N, 1>(&[case.input.vector("w0")?])?;
    hedge.start_from(&start).map_err(Refusal::by_crate)?;
    let mut expected = Vec::new();
    for trial in trials::<T, N>(losses)? {
        expected.push(hedge.step(&trial).map_err(Refusal::by_crate)?);
    }
    check_losses("expected", &expected, case, check)?;
    check.vector("w", &hedge.weights(), &case.output.vector("w")?);
    Ok(())
}

fn pca<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let rate = T::from_f64(case.input.number("eta")?);
    // Rows of the file are columns of the crate.
    let directions = SMatrix::<T, DIM, KEEP>::from(rows_of::<T, DIM, KEEP>(&case.input.rows("directions")?)?);
    let [keep] = rows_of::<T, KEEP, 1>(&[case.input.vector("keep")?])?;
    let settings = TrackingSettings::unscaled(rate).map_err(Refusal::by_crate)?;
    let mut tracking = TrackingPca::<T, DIM, KEEP, DIM>::new(settings.without_ceiling());
    tracking.start_from(&directions, &keep).map_err(Refusal::by_crate)?;
    // The learner on the full matrix starts from the W⁰ of the other one.
    let mut density = DensityPca::<T, DIM, KEEP>::new(DensitySettings::new(rate).map_err(Refusal::by_crate)?);
    density
        .start_from(&ShowsDensity::density(&tracking), &mut Eigen::new())
        .map_err(Refusal::by_crate)?;
    let samples = trials::<T, DIM>(rows)?;
    follow(tracking, &samples, case, check)?;
    follow(density, &samples, case, check)
}

fn follow<T: Scalar, const DIM: usize>(
    mut learner: impl ShowsDensity<T, DIM>,
    samples: &[[T; DIM]],
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    check_losses("expected", &scored(&mut learner, samples)?, case, check)?;
    check_matrix("W", &learner.density(), case, check)
}

/// `COUNT` rows as arrays.
fn rows_of<T: Scalar, const N: usize, const COUNT: usize>(rows: &[Vec<f64>]) -> Result<[[T; N]; COUNT], Refusal> {
    let rows = trials::<T, N>(rows)?;
    rows.try_into()
        .map_err(|rows: Vec<_>| Refusal::Failed(format!("{} rows instead of {COUNT}", rows.len())))
}
