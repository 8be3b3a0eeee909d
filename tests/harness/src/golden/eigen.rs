//! File 21: eigenvalues and eigenvectors of symmetric matrices.
//! Rule of the file: eigenvalues and |A V − V Λ| within n · tolerance · max|λ|, |VᵀV − I| within n · tolerance, and the
//! zero matrix exactly. The residuals are computed in `f64`, so that they measure the solver and not the check.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::Eigen;

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::with_matrix_size;

/// The whole file.
pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let rows = case.input.rows("A")?;
    with_matrix_size!(rows.len(), run_sized::<T>(case, &rows, check))
}

fn run_sized<T: Scalar, const N: usize>(case: &Case, rows: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    if let Some(row) = rows.iter().find(|row| row.len() != N) {
        return Err(Refusal::Failed(format!(
            "a row of the {N} by {N} matrix has {} numbers",
            row.len()
        )));
    }
    let matrix = SMatrix::<T, N, N>::from_fn(|row, column| T::from_f64(rows[row][column]));
    let mut eigen = Box::new(Eigen::<T, N>::new());
    eigen.decompose(&matrix).map_err(Refusal::by_crate)?;

    let values: Vec<f64> = eigen.values().iter().map(|value| value.to_f64()).collect();
    let vectors: Vec<Vec<f64>> = (eigen.vectors().column_iter())
        .map(|column| column.iter().map(|entry| entry.to_f64()).collect())
        .collect();
    let want = case.output.vector("eig")?;
    let relative = N as f64 * check.eigen_tolerance();
    let absolute = relative * want.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    check_values(&values, &want, absolute, check);
    let residual = residual(rows, &values, &vectors);
    check.error_within(|| format!("|A V - V L| is {residual:e}"), residual, absolute);
    let skew = skew(&vectors);
    check.error_within(|| format!("|V'V - I| is {skew:e}"), skew, relative);
    Ok(())
}

fn check_values(values: &[f64], want: &[f64], allowed: f64, check: &mut Check) {
    check.equal("length of eig", &values.len(), &want.len());
    for (index, (value, want)) in values.iter().zip(want).enumerate() {
        let complaint = || format!("eig[{index}] is {value:e} where {want:e} was expected");
        check.error_within(complaint, (value - want).abs(), allowed);
    }
}

/// Largest entry of |A V − V Λ|.
fn residual(rows: &[Vec<f64>], values: &[f64], vectors: &[Vec<f64>]) -> f64 {
    let pairs = values.iter().zip(vectors);
    largest(pairs.flat_map(|(value, vector)| {
        rows.iter()
            .zip(vector)
            .map(move |(row, entry)| dot(row, vector) - value * entry)
    }))
}

/// Largest entry of |VᵀV − I|.
fn skew(vectors: &[Vec<f64>]) -> f64 {
    largest(vectors.iter().enumerate().flat_map(|(one, left)| {
        let others = vectors.iter().enumerate();
        others.map(move |(other, right)| dot(left, right) - f64::from(u8::from(one == other)))
    }))
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The largest by size; not a number if any of them is none.
fn largest(mut entries: impl Iterator<Item = f64>) -> f64 {
    let all = entries.try_fold(0.0_f64, |largest, entry| {
        (!entry.is_nan()).then(|| largest.max(entry.abs()))
    });
    all.unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_of_a_two_by_two_matrix() {
        let matrix = [vec![0.0, 2.0], vec![2.0, 0.0]];
        let vectors = [vec![1.0, 1.0], vec![1.0, -1.0]];
        // (1, ±1) are eigenvectors of ±2, but of squared length 2.
        assert_eq!(residual(&matrix, &[2.0, -2.0], &vectors), 0.0);
        assert_eq!(residual(&matrix, &[2.0, -1.5], &vectors), 0.5);
        assert_eq!(skew(&vectors), 1.0);
        assert!(skew(&[vec![f64::NAN]]).is_nan());
    }
}
