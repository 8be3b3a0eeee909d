//! Variance minimisation, [WKs]: finds the direction in which the data vary least.
//! In: in every trial a symmetric matrix C. Out: a drawn direction u, its variance uᵀCu, and the expected variance
//! tr(WC).
//! Method: the algorithm Hedge (`weights::hedge`) for matrices, W ∝ exp(−ηΣC); an eigenvector of ΣC with eigenvalue λ
//! is drawn with probability ∝ e^(−ηλ).
//! Cost: (5/3)·DIM³ multiply-adds to learn a matrix, DIM³/2 for the expected variance.

use super::checks::check_trace;
use crate::codec::{stored, validate};
use crate::learner::{checked_rate, default_is_constant};
use crate::rand_core::Rng;
use crate::scalar::constant::tried;
use crate::spectrum::symmetric::{add_outer, add_upper, clear, mirror, quadratic_form};
use crate::spectrum::{Eigen, check_orthonormal, matrix_log};
use crate::weights::{softmin, systematic};
use crate::{CodecError, MatrixError, Scalar, SettingsError};
use nalgebra::{ArrayStorage, SMatrix};

/// How a [`VarianceMinimizer`](crate::pca::VarianceMinimizer) learns.
///
/// ```
/// use eigenstream::pca::VarianceSettings;
/// assert_eq!(VarianceSettings::<f32>::new(1.0)?, VarianceSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct VarianceSettings<T> {
    /// The learning rate η.
    learning_rate: T,
}

impl<T: Scalar> VarianceSettings<T> {
    /// Learning rate 1, for matrices whose eigenvalues are from 0 to 1.
    pub const DEFAULT: Self = Self { learning_rate: T::ONE };

    /// Settings with the learning rate η.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
        })
    }
}

default_is_constant!(VarianceSettings);

stored!([T: Scalar] VarianceSettings<T> { learning_rate } by new(learning_rate));

/// The result of one trial of a [`VarianceMinimizer`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct VarianceTrial<T, const DIM: usize> {
    /// The drawn unit vector u.
    pub direction: [T; DIM],
    /// The variance uᵀCu; where the exact value is zero, rounding can leave a tiny number of either sign.
    pub variance: T,
    /// The expected variance tr(WC).
    pub expected_variance: T,
}

/// Draws an eigenvector of the sum of all matrices; the smaller its eigenvalue, the larger its probability.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, pca::{VarianceMinimizer, VarianceSettings}, rand_core::SeedableRng};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
/// // All variance is along the first axis.
/// let covariance = SMatrix::from([[1.0, 0.0], [0.0, 0.0]]);
/// assert_eq!(minimizer.step(&covariance, &mut rng)?.expected_variance, 0.5);
/// for _ in 0..10 {
///     minimizer.learn(&covariance)?;
/// }
/// assert!(minimizer.expected_variance(&covariance)? < 1e-4);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VarianceMinimizer<T, const DIM: usize> {
    settings: VarianceSettings<T>,
    /// The sum ΣC of all matrices plus the term of a start; only the upper triangle is used.
    total: SMatrix<T, DIM, DIM>,
    eigen: Eigen<T, DIM>,
    /// The probability of each eigenvector of `total`, ascending; all zero before the first matrix or start.
    weights: [T; DIM],
    matrices_seen: u64,
}

impl<T: Scalar, const DIM: usize> VarianceMinimizer<T, DIM> {
    /// A learner that has seen no matrix: all directions have the same probability.
    ///
    /// `DIM` = 0 does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{VarianceMinimizer, VarianceSettings};
    /// let minimizer = VarianceMinimizer::<f32, 0>::new(VarianceSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: VarianceSettings<T>) -> Self {
        const { assert!(DIM > 0, "variance needs at least one direction: DIM >= 1") };
        Self {
            settings,
            total: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            eigen: Eigen::new(),
            weights: [T::ZERO; DIM],
            matrices_seen: 0,
        }
    }

    /// Draws a direction, computes its variance in the matrix, then learns the matrix.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] if an entry of the upper triangle is not finite. [`MatrixError::Overflow`] if such
    /// an entry, or the sum of all learned entries at its place, is outside ±MAX/(4·DIM).
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{VarianceMinimizer, VarianceSettings}, rand_core::SeedableRng};
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut minimizer = VarianceMinimizer::<f32, 3>::new(VarianceSettings::DEFAULT);
    /// let trial = minimizer.step(&SMatrix::identity(), &mut rng)?;
    /// assert_eq!((trial.variance, trial.expected_variance), (1.0, 1.0));
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(
        &mut self,
        covariance: &SMatrix<T, DIM, DIM>,
        rng: &mut R,
    ) -> Result<VarianceTrial<T, DIM>, MatrixError> {
        self.check(covariance)?;
        let expected_variance = self.expected(covariance);
        let weights = self.weights();
        // No error is possible: the weights are DIM finite numbers, none negative.
        let drawn = systematic::<T, DIM>(&weights, 1, T::uniform(rng)).unwrap_or_default();
        let mut direction = [T::ZERO; DIM];
        for index in drawn.iter() {
            self.copy_direction(index, &mut direction);
        }
        self.update(covariance);
        Ok(VarianceTrial {
            direction,
            variance: quadratic_form(covariance, &direction),
            expected_variance,
        })
    }

    /// The expected variance tr(WC) of a direction drawn with [`weights`](Self::weights), with C = `covariance`.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn expected_variance(&self, covariance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        self.check(covariance)?;
        Ok(self.expected(covariance))
    }

    /// Learns a matrix: adds it to the sum of all matrices.
    ///
    /// In `f32` an entry of the sum that has reached 2²⁴ no longer grows by entries of at most 1: call
    /// [`reset`](Self::reset) before, or use `f64`.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn learn(&mut self, covariance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        self.check(covariance)?;
        self.update(covariance);
        Ok(())
    }

    /// The probability of each eigenvector of the learned sum, ascending.
    ///
    /// Each is 1/`DIM` before the first matrix or start.
    #[must_use]
    pub fn weights(&self) -> [T; DIM] {
        if self.has_begun() {
            self.weights
        } else {
            // A const constructor cannot compute 1/`DIM`: until the first matrix or start the stored weights are zero.
            [T::ONE / T::from_usize(DIM); DIM]
        }
    }

    /// Writes the density matrix W = Σ wᵢ·vᵢvᵢᵀ; direction vᵢ is drawn with probability wᵢ.
    ///
    /// Before the first matrix or start each vᵢ is an axis.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        let mut direction = [T::ZERO; DIM];
        for (index, &weight) in self.weights().iter().enumerate() {
            self.copy_direction(index, &mut direction);
            add_outer(matrix, weight, &direction);
        }
        mirror(matrix);
    }

    /// The total variance L* of the direction that is best for all learned matrices: the smallest eigenvalue of ΣC.
    ///
    /// [`start_from`](Self::start_from) adds a term to ΣC. L* is zero before the first matrix or start.
    #[must_use]
    pub fn best_variance(&self) -> T {
        self.eigen.values().iter().last().copied().unwrap_or(T::ZERO)
    }

    /// How many matrices were learned.
    #[must_use]
    pub fn matrices_seen(&self) -> u64 {
        self.matrices_seen
    }

    /// Forgets all matrices and the start.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// Starts over from the density matrix W⁰ = `density`: each eigenvector v is drawn with probability vᵀW⁰v.
    ///
    /// Only the upper triangle is read; `eigen` is scratch memory. In the bounds, D = ln `DIM` becomes D = −uᵀ(ln W⁰)u
    /// for the direction u that the learner is compared with. [`best_variance`](Self::best_variance) then is the
    /// minimum of uᵀ(ΣC)u + D/η over all u. If all eigenvalues of each C are in \[0, 1\], η/(1 − e^(−η)) times this
    /// minimum bounds the total expected variance.
    ///
    /// # Errors
    /// As [`DensityPca::start_from`](crate::pca::DensityPca::start_from), and [`MatrixError::Overflow`] if 1/η
    /// overflows or an entry of ln(W⁰)/η is outside ±MAX/(4·DIM).
    ///
    /// ```
    /// use eigenstream::nalgebra::{SMatrix, SVector};
    /// use eigenstream::{pca::{VarianceMinimizer, VarianceSettings}, spectrum::Eigen};
    ///
    /// let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
    /// let start = SMatrix::from_diagonal(&SVector::<f32, 2>::new(0.25, 0.75));
    /// minimizer.start_from(&start, &mut Eigen::new())?;
    /// let first_axis = SMatrix::from([[1.0, 0.0], [0.0, 0.0]]);
    /// assert!((minimizer.expected_variance(&first_axis)? - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        let mut total = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM]));
        let _ = matrix_log(density, eigen, &mut total)?;
        let unit = -T::ONE / self.settings.learning_rate;
        for entry in total.data.0.iter_mut().flatten() {
            *entry *= unit;
            if !entry.is_finite() || entry.abs() > Self::largest() {
                return Err(MatrixError::Overflow);
            }
        }
        self.total = total;
        self.matrices_seen = 0;
        self.weigh();
        Ok(())
    }

    /// Refuses entries, and sums with `total`, outside ±MAX/(4·DIM): within this range no eigenvalue and no quadratic
    /// form of a unit vector overflows.
    fn check(&self, covariance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        let largest = Self::largest();
        for (column, (entries, totals)) in covariance.data.0.iter().zip(&self.total.data.0).enumerate() {
            for (row, (&entry, &total)) in entries.iter().zip(totals).enumerate().take(column + 1) {
                if !entry.is_finite() {
                    return Err(MatrixError::NotANumber { row, column });
                }
                if entry.abs().max((total + entry).abs()) > largest {
                    return Err(MatrixError::Overflow);
                }
            }
        }
        Ok(())
    }

    /// The largest allowed magnitude of an entry of a matrix, and of `total`.
    fn largest() -> T {
        T::MAX / T::from_usize(4 * DIM)
    }

    /// Returns tr(WC) = Σ wᵢ·vᵢᵀCvᵢ, with the probability wᵢ of the eigenvector vᵢ.
    fn expected(&self, covariance: &SMatrix<T, DIM, DIM>) -> T {
        let mut expected = T::ZERO;
        let mut direction = [T::ZERO; DIM];
        for (index, &weight) in self.weights().iter().enumerate() {
            if weight > T::ZERO {
                self.copy_direction(index, &mut direction);
                expected += weight * quadratic_form(covariance, &direction);
            }
        }
        expected
    }

    /// Copies the eigenvector at `index`, or the axis `index` before the first matrix or start.
    fn copy_direction(&self, index: usize, direction: &mut [T; DIM]) {
        let column = self.eigen.vectors().data.0.get(index).filter(|_| self.has_begun());
        for (axis, entry) in direction.iter_mut().enumerate() {
            *entry = if axis == index { T::ONE } else { T::ZERO };
        }
        if let Some(column) = column {
            *direction = *column;
        }
    }

    /// Whether the weights were computed; they ascend, so the last weight is then positive.
    fn has_begun(&self) -> bool {
        self.weights.last().is_some_and(|&weight| weight > T::ZERO)
    }

    fn update(&mut self, covariance: &SMatrix<T, DIM, DIM>) {
        add_upper(&mut self.total, covariance);
        self.weigh();
        self.matrices_seen = self.matrices_seen.saturating_add(1);
    }

    /// Computes the weights from `total`.
    fn weigh(&mut self) {
        // No error is possible: matrices, starts and decoded bytes are checked, so `total` is finite.
        let _ = self.eigen.decompose(&self.total);
        let _ = softmin(
            self.eigen.values().as_slice(),
            self.settings.learning_rate,
            None,
            &mut self.weights,
        );
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.matrices_seen == 0 || self.has_begun(), CodecError::Range)?;
        let known = if self.has_begun() { DIM } else { 0 };
        check_orthonormal(self.eigen.vectors(), known)?;
        validate::probabilities(&self.weights)?;
        validate::within(Self::largest(), self.total.iter())
    }
}

stored!(
    [T: Scalar, const DIM: usize]
    VarianceMinimizer<T, DIM>: Variance [DIM] of T { settings, total, eigen, weights, matrices_seen }
    if validate
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn a_refused_matrix_leaves_no_trace() {
        let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
        assert_eq!(minimizer.learn(&SMatrix::from([[1.0, 0.5], [0.5, 2.0]])), Ok(()));
        let (total, weights) = (minimizer.total, minimizer.weights);
        let large = SMatrix::from([[1.0, 0.0], [0.0, f32::MAX]]);
        assert_eq!(minimizer.learn(&large), Err(MatrixError::Overflow));
        let broken = SMatrix::from([[1.0, 0.0], [f32::INFINITY, 0.0]]);
        assert_eq!(
            minimizer.learn(&broken),
            Err(MatrixError::NotANumber { row: 0, column: 1 })
        );
        assert_eq!((minimizer.total, minimizer.weights), (total, weights));
    }

    #[test]
    fn the_image_after_a_reset_is_that_of_a_new_learner() {
        let fresh = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
        let mut used = fresh.clone();
        assert_eq!(used.learn(&SMatrix::from([[1.0, 0.5], [0.5, 2.0]])), Ok(()));
        used.reset();
        let (mut before, mut after) = ([0; 512], [0; 512]);
        assert!(fresh.encode(&mut before).is_ok() && used.encode(&mut after).is_ok());
        assert_eq!(before, after);
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 20;
        let words = 1 // learning rate
            + DIM * DIM // total
            + 2 * DIM * DIM + 4 * DIM + 1 // eigen
            + DIM; // weights
        assert_eq!(size_of::<VarianceMinimizer<f64, DIM>>(), 8 * words + size_of::<u64>());
    }
}
