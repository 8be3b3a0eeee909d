//! File 07: variance minimisation.

use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{VarianceMinimizer, VarianceSettings};

use super::centered::rows_of;
use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::with_matrix_size;
use super::trials::check_losses;

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let matrices = case.input.matrices("C")?;
    let size = matrices.first().map_or(0, Vec::len);
    if matrices
        .iter()
        .any(|rows| rows.len() != size || rows.iter().any(|row| row.len() != size))
    {
        return Err(Refusal::Failed(
            "the matrices of `C` are not square, or not all of one size".into(),
        ));
    }
    with_matrix_size!(size, run_sized::<T>(case, &matrices, check))
}

fn run_sized<T: Scalar, const N: usize>(
    case: &Case,
    matrices: &[Vec<Vec<f64>>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let learning_rate = T::from_f64(case.input.number("eta")?);
    let settings = VarianceSettings::new(learning_rate).map_err(Refusal::by_crate)?;
    let mut minimizer = VarianceMinimizer::<T, N>::new(settings);
    let mut expected = Vec::new();
    for rows in matrices {
        let matrix = SMatrix::<T, N, N>::from_fn(|row, column| T::from_f64(rows[row][column]));
        let variance = minimizer.expected_variance(&matrix).map_err(Refusal::by_crate)?;
        minimizer.learn(&matrix).map_err(Refusal::by_crate)?;
        expected.push(variance);
    }
    check_losses("expected", &expected, case, check)?;
    let mut density = SMatrix::from_element(T::ZERO);
    minimizer.density(&mut density);
    check.matrix("W", &rows_of(&density), &case.output.rows("W")?);
    let best = minimizer.best_variance();
    check.number("best", best, case.output.number("best")?);
    let bound = Bounds::new(N, N.saturating_sub(1)).loss(best, learning_rate);
    check.number("bound", bound, case.output.number("bound")?);
    Ok(())
}
