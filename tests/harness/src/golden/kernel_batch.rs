//! File 13: batch kernel PCA, and its Cholesky coordinates.

use eigenstream::kernel::{GramEigen, GramWindow, KernelPca, cholesky_coordinates};
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, Scalar};

use super::check::{Check, Refusal};
use super::kernels::NamedKernel;
use super::schema::Case;
use super::sizes::with_points;
use super::trials::{trials, width};

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("X")?;
    let sizes = (width(&rows), rows.len(), case.input.count("r")?);
    match case.operation() {
        "" => with_points!(sizes, fit::<T>(case, &rows, check)),
        "cholesky" => with_points!(sizes, cholesky::<T>(case, &rows, check)),
        other => Err(Refusal::operation(other)),
    }
}

fn fit<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let kernel = NamedKernel::of(&case.input)?;
    let centering = if case.input.truth("centered")? {
        Centering::Centered
    } else {
        Centering::Uncentered
    };
    let window = filled::<T, DIM, WINDOW>(kernel, rows)?;
    let mut room = GramEigen::new();
    let mut fitted = KernelPca::<T, _, DIM, KEEP, WINDOW>::new(kernel, centering);
    // The result is checked even if the solver reached its limit of iterations.
    let _ = fitted.fit(&window, &mut room);
    // The model is checked after a conversion to plain numbers and back.
    let pca = KernelPca::from_fitted(kernel, fitted.fitted()).map_err(Refusal::by_crate)?;

    check.vector("eig", room.eigenvalues().as_slice(), &case.output.vector("eig")?);
    let coefficients = &pca.fitted().coefficients;
    let inverse: Vec<Vec<T>> = (0..WINDOW)
        .map(|row| (0..WINDOW).map(|column| product(coefficients, row, column)).collect())
        .collect();
    check.matrix("Ptilde", &inverse, &case.output.rows("Ptilde")?);

    let samples = trials::<T, DIM>(&case.input.rows("test")?)?;
    let (mut codes, mut errors, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    for sample in &samples {
        let code = pca.transform(sample).map_err(Refusal::by_crate)?;
        codes.push(code.map(Scalar::abs).to_vec());
        errors.push(pca.score(sample).map_err(Refusal::by_crate)?);
        energies.push(pca.energy(sample).map_err(Refusal::by_crate)?);
    }
    check.matrix("abs_scores", &codes, &case.output.rows("abs_scores")?);
    check.vector("error", &errors, &case.output.vector("error")?);
    check.vector("norm2", &energies, &case.output.vector("norm2")?);
    Ok(())
}

fn cholesky<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
    case: &Case,
    rows: &[Vec<f64>],
    check: &mut Check,
) -> Result<(), Refusal> {
    let window = filled::<T, DIM, WINDOW>(NamedKernel::of(&case.input)?, rows)?;
    let mut factor = Cholesky::new();
    let mut coordinates = SMatrix::<T, KEEP, WINDOW>::repeat(T::ZERO);
    let _ = cholesky_coordinates(&window, &mut factor, &mut GramEigen::new(), &mut coordinates)
        .map_err(Refusal::by_crate)?;
    check.matrix("C", &rows_of(factor.factor()), &case.output.rows("C")?);
    let absolute: Vec<Vec<T>> = rows_of(&coordinates)
        .into_iter()
        .map(|row| row.into_iter().map(Scalar::abs).collect())
        .collect();
    check.matrix("abs_projection", &absolute, &case.output.rows("abs_projection")?);
    let columns: Vec<Vec<T>> = coordinates
        .column_iter()
        .map(|column| column.iter().copied().collect())
        .collect();
    let dot = |left: &[T], right: &[T]| left.iter().zip(right).fold(T::ZERO, |sum, (&l, &r)| sum + l * r);
    let gram: Vec<Vec<T>> = columns
        .iter()
        .map(|left| columns.iter().map(|right| dot(left, right)).collect())
        .collect();
    check.matrix("gram_of_projection", &gram, &case.output.rows("gram_of_projection")?);
    Ok(())
}

/// A window with the points `rows` in it.
pub(super) fn filled<T: Scalar, const DIM: usize, const WINDOW: usize>(
    kernel: NamedKernel<T>,
    rows: &[Vec<f64>],
) -> Result<GramWindow<T, NamedKernel<T>, DIM, WINDOW>, Refusal> {
    let mut window = GramWindow::new(kernel);
    for sample in &trials::<T, DIM>(rows)? {
        window.push(sample).map_err(Refusal::by_crate)?;
    }
    Ok(window)
}

/// One entry of C·Cᵀ, with C the matrix of `columns`.
fn product<T: Scalar, const WINDOW: usize>(columns: &[[T; WINDOW]], row: usize, column: usize) -> T {
    columns
        .iter()
        .fold(T::ZERO, |sum, entries| sum + entries[row] * entries[column])
}

fn rows_of<T: Scalar, const R: usize, const C: usize>(matrix: &SMatrix<T, R, C>) -> Vec<Vec<T>> {
    let rows = matrix.row_iter();
    rows.map(|row| row.iter().copied().collect()).collect()
}
