//! File 09, centered online PCA, and Follow the Leader for PCA in file 06.

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{Center, CenteredPca, CenteredSettings, ReadOut};
use eigenstream::{Centering, Scalar};

use super::batch::fitted;
use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::with_samples;
use super::trials::{check_losses, scored, trials};

/// Runs a case of file 09.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_samples!(case, check, centered::<T>)
}

/// Runs the operation `fl_pca` of file 06.
pub(super) fn follow_the_leader<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_samples!(case, check, leader::<T>)
}

fn centered<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let center = match case.input.number("inv_etat")? {
        f64::INFINITY => Center::Fixed,
        0.0 => Center::Mean,
        inverse_rate => Center::Weighted(T::from_f64(inverse_rate)),
    };
    let settings = CenteredSettings::unscaled(T::from_f64(case.input.number("eta")?))
        .and_then(|settings| settings.with_center(center))
        .map_err(Refusal::by_crate)?;
    let [start] = trials::<T, DIM>(&[case.input.vector("m0")?])?[..] else {
        return Err(Refusal::Failed("`m0` is not one row".into()));
    };
    let mut pca = CenteredPca::<T, DIM, KEEP>::new(settings);
    pca.reset_about(&start).map_err(Refusal::by_crate)?;

    check_losses("expected", &scored(&mut pca, samples)?, case, check)?;
    check.vector("m", pca.mean().as_slice(), &case.output.vector("m")?);
    let mut matrix = SMatrix::from_element(T::ZERO);
    pca.scatter(&mut matrix);
    check.matrix("C", &rows_of(&matrix), &case.output.rows("C")?);
    pca.density(&mut matrix);
    check.matrix("W", &rows_of(&matrix), &case.output.rows("W")?);

    // The best subspace is computed about the mean, or about `m0` if the center is fixed.
    let best = match center {
        Center::Fixed => {
            let shifted: Vec<[T; DIM]> = samples.iter().map(|sample| difference(sample, &start)).collect();
            fitted::<T, DIM, KEEP>(&shifted, Centering::Uncentered)?
        }
        Center::Mean | Center::Weighted(_) => fitted::<T, DIM, KEEP>(samples, Centering::Centered)?,
    };
    check.number("best", best.loss(), case.output.number("best")?);
    Ok(())
}

fn leader<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let settings = CenteredSettings::DEFAULT
        .with_read_out(ReadOut::Leader)
        .with_center(Center::Fixed)
        .map_err(Refusal::by_crate)?;
    let mut pca = CenteredPca::<T, DIM, KEEP>::new(settings);
    check_losses("loss", &scored(&mut pca, samples)?, case, check)?;
    let best = fitted::<T, DIM, KEEP>(samples, Centering::Uncentered)?;
    check.number("best", best.loss(), case.output.number("best")?);
    Ok(())
}

/// The rows of a matrix, as the files store them.
pub(super) fn rows_of<T: Scalar, const DIM: usize>(matrix: &SMatrix<T, DIM, DIM>) -> Vec<Vec<T>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

fn difference<T: Scalar, const DIM: usize>(left: &[T; DIM], right: &[T; DIM]) -> [T; DIM] {
    std::array::from_fn(|i| left[i] - right[i])
}
