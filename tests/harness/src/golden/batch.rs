//! File 12: batch PCA.

use eigenstream::pca::BatchPca;
use eigenstream::{Centering, Scalar};

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::with_samples;

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_samples!(case, check, run_sized::<T>)
}

fn run_sized<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let centering = if case.input.truth("centered")? {
        Centering::Centered
    } else {
        Centering::Uncentered
    };
    let pca = fitted::<T, DIM, KEEP>(samples, centering)?;
    check.vector("mean", pca.mean().as_slice(), &case.output.vector("mean")?);
    check.vector("eig", pca.eigenvalues().as_slice(), &case.output.vector("eig")?);
    check.number("loss", pca.loss(), case.output.number("loss")?);
    // The projection matrix `P` is null if equal eigenvalues leave the subspace undetermined.
    if case.output.has("P") {
        let components = pca.components();
        let projector: Vec<Vec<T>> = (0..DIM)
            .map(|row| (0..DIM).map(|column| overlap(&components, row, column)).collect())
            .collect();
        check.matrix("P", &projector, &case.output.rows("P")?);
    }
    Ok(())
}

pub(super) fn fitted<T: Scalar, const DIM: usize, const KEEP: usize>(
    samples: &[[T; DIM]],
    centering: Centering,
) -> Result<BatchPca<T, DIM, KEEP>, Refusal> {
    let mut pca = BatchPca::new(centering);
    for sample in samples {
        pca.learn(sample).map_err(Refusal::by_crate)?;
    }
    // The result is checked even if the solver reached its limit of iterations.
    let _ = pca.fit();
    Ok(pca)
}

/// One entry of V·Vᵀ, with V the matrix `components`.
fn overlap<T: Scalar, const DIM: usize, const KEEP: usize>(
    components: &eigenstream::nalgebra::SMatrix<T, DIM, KEEP>,
    row: usize,
    column: usize,
) -> T {
    let directions = components.column_iter();
    directions.fold(T::ZERO, |sum, direction| sum + direction[row] * direction[column])
}
