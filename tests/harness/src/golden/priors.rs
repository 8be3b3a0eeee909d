//! File 24: Hedge and online PCA from a given start.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{DensityPca, DensitySettings, TrackingPca, TrackingSettings};
use eigenstream::spectrum::Eigen;
use eigenstream::weights::Hedge;

use super::check::{Check, Refusal};
use super::hedge::{check_hedge, settings};
use super::online_pca::{ShowsDensity, check_matrix};
use super::schema::Case;
use super::sizes::{with_losses, with_samples};
use super::trials::{check_losses, scored, trials};

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    match case.input.text("op")? {
        "hedge" => with_losses!(case, check, hedge::<T>),
        "pca" => with_samples!(case, check, pca::<T>),
        other => Err(Refusal::operation(other)),
    }
}

fn hedge<T: Scalar, const N: usize>(case: &Case, losses: &[[T; N]], check: &mut Check) -> Result<(), Refusal> {
    let mut hedge = Hedge::<T, N>::new(settings(case, case.input.count("d").unwrap_or(0))?);
    let [start] = rows_of::<T, N, 1>(&[case.input.vector("w0")?])?;
    hedge.start_from(&start).map_err(Refusal::by_crate)?;
    check_hedge(hedge, losses, case, check).map(drop)
}

fn pca<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let rate = T::from_f64(case.input.number("eta")?);
    // The rows in the file are the columns of the crate's matrix.
    let directions = SMatrix::<T, DIM, KEEP>::from(rows_of::<T, DIM, KEEP>(&case.input.rows("directions")?)?);
    let [keep] = rows_of::<T, KEEP, 1>(&[case.input.vector("keep")?])?;
    let settings = TrackingSettings::unscaled(rate).map_err(Refusal::by_crate)?;
    let mut tracking = TrackingPca::<T, DIM, KEEP, DIM>::new(settings.without_ceiling());
    tracking.start_from(&directions, &keep).map_err(Refusal::by_crate)?;
    // `DensityPca` starts from the density matrix of the learner `tracking`.
    let mut density = DensityPca::<T, DIM, KEEP>::new(DensitySettings::new(rate).map_err(Refusal::by_crate)?);
    density
        .start_from(&ShowsDensity::density(&tracking), &mut Eigen::new())
        .map_err(Refusal::by_crate)?;
    follow(tracking, samples, case, check)?;
    follow(density, samples, case, check)
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

fn rows_of<T: Scalar, const N: usize, const COUNT: usize>(rows: &[Vec<f64>]) -> Result<[[T; N]; COUNT], Refusal> {
    let rows = trials::<T, N>(rows)?;
    rows.try_into()
        .map_err(|rows: Vec<_>| Refusal::Failed(format!("{} rows instead of {COUNT}", rows.len())))
}
