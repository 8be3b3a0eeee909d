//! File 21: eigenvalues and eigenvectors of symmetric matrices.
//! Tolerances for an n × n matrix A with eigenvalues λ, their diagonal matrix Λ, and eigenvectors V: n · tolerance ·
//! max|λ| for eigenvalues and |A V − V Λ|, n · tolerance for |VᵀV − I|. Residuals are computed in `f64`.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::{Eigen, PartialEigen};

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::with_matrix_size;

struct Problem {
    rows: Vec<Vec<f64>>,
    eigenvalues: Vec<f64>,
}

struct Pairs {
    solver: &'static str,
    positions: Vec<usize>,
    values: Vec<f64>,
    vectors: Vec<Vec<f64>>,
}

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let problem = Problem {
        rows: case.input.rows("A")?,
        eigenvalues: case.output.vector("eig")?,
    };
    let size = problem.rows.len();
    if problem.eigenvalues.len() != size || problem.rows.iter().any(|row| row.len() != size) {
        return Err(Refusal::Failed("`A` is not square, or not as large as `eig`".into()));
    }
    with_matrix_size!(size, run_sized::<T>(&problem, check))
}

fn run_sized<T: Scalar, const N: usize>(problem: &Problem, check: &mut Check) -> Result<(), Refusal> {
    let matrix = SMatrix::<T, N, N>::from_fn(|row, column| T::from_f64(problem.rows[row][column]));
    let mut eigen = Eigen::<T, N>::new();
    // The result is checked even if the solver reached its limit of iterations.
    let _ = eigen.decompose(&matrix).map_err(Refusal::by_crate)?;
    let every = (0..N).collect();
    Pairs::new("Eigen", every, eigen.values().as_slice(), eigen.vectors()).check(problem, check);

    // Only every other vector is computed, because a learner with few directions also needs only some.
    let chosen: Vec<usize> = (0..N).step_by(2).collect();
    let mut partial = PartialEigen::<T, N>::new();
    let mut vectors = SMatrix::<T, N, N>::from_element(T::ZERO);
    let _ = partial.decompose(&matrix).map_err(Refusal::by_crate)?;
    let _ = partial.vectors(&chosen, &mut vectors);
    Pairs::new("PartialEigen", chosen, partial.values().as_slice(), &vectors).check(problem, check);
    Ok(())
}

impl Pairs {
    /// The eigenvalues at `positions`, with the first columns of `vectors`.
    fn new<T: Scalar, const N: usize>(
        solver: &'static str,
        positions: Vec<usize>,
        values: &[T],
        vectors: &SMatrix<T, N, N>,
    ) -> Self {
        let column = |index| vectors.column(index).iter().map(|entry| entry.to_f64()).collect();
        Self {
            solver,
            values: positions.iter().map(|&position| values[position].to_f64()).collect(),
            vectors: (0..positions.len()).map(column).collect(),
            positions,
        }
    }

    fn check(&self, problem: &Problem, check: &mut Check) {
        let solver = self.solver;
        let relative = problem.rows.len() as f64 * check.eigen_tolerance();
        let absolute = relative * largest(problem.eigenvalues.iter().copied());
        for (&position, &value) in self.positions.iter().zip(&self.values) {
            let want = problem.eigenvalues[position];
            let complaint = || format!("{solver}: eig[{position}] is {value:e} where {want:e} was expected");
            check.error_within(complaint, (value - want).abs(), absolute);
        }
        let residual = self.residual(&problem.rows);
        check.error_within(|| format!("{solver}: |A V - V L| is {residual:e}"), residual, absolute);
        let skew = self.skew();
        check.error_within(|| format!("{solver}: |V'V - I| is {skew:e}"), skew, relative);
    }

    /// Largest entry of |A V − V Λ|.
    fn residual(&self, rows: &[Vec<f64>]) -> f64 {
        largest(self.values.iter().zip(&self.vectors).flat_map(|(value, vector)| {
            rows.iter()
                .zip(vector)
                .map(move |(row, entry)| dot(row, vector) - value * entry)
        }))
    }

    /// Largest entry of |VᵀV − I|.
    fn skew(&self) -> f64 {
        largest(self.vectors.iter().enumerate().flat_map(|(one, left)| {
            let others = self.vectors.iter().enumerate();
            others.map(move |(other, right)| dot(left, right) - f64::from(u8::from(one == other)))
        }))
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The largest magnitude; NaN if any entry is NaN.
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
    fn the_residuals_of_a_small_matrix_agree_with_a_count_by_hand() {
        let matrix = [vec![0.0, 2.0], vec![2.0, 0.0]];
        // The vectors (1, ±1) belong to the eigenvalues ±2, but their squared length is 2 instead of 1.
        let mut pairs = Pairs {
            solver: "by hand",
            positions: vec![0, 1],
            values: vec![2.0, -2.0],
            vectors: vec![vec![1.0, 1.0], vec![1.0, -1.0]],
        };
        assert_eq!(pairs.residual(&matrix), 0.0);
        assert_eq!(pairs.skew(), 1.0);
        pairs.values[1] = -1.5;
        assert_eq!(pairs.residual(&matrix), 0.5);
        pairs.vectors[0][0] = f64::NAN;
        assert!(pairs.residual(&matrix).is_nan());
    }
}
