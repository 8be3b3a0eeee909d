//! Online to batch, [WK08] section 6.3: one fixed density matrix from one pass of an online learner.
//! In: in every trial, before learning, the prediction: directions with keep probabilities, or a density matrix W. Out:
//! the average W̄ of all predictions.
//! Method: stores the average K̄ of K = Σ pᵢvᵢvᵢᵀ; W̄ = (I − K̄)/(DIM − KEEP), and the expected loss of x is ‖x‖² −
//! xᵀK̄x.
//! Cost: DIM² + 1 numbers; per trial DIM²/2 multiply-adds for each direction (or for W) and DIM²/2 for the average.

mod random_stop;

pub use random_stop::RandomStop;

use super::checks::check_entries;
use super::projection::as_columns;
use crate::codec::{stored, validate};
use crate::learner::energy_of;
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{add_diagonal, approach, clear, mirror, quadratic_form, scale_upper};
use crate::spectrum::vector::{add_scaled, dot};
use crate::spectrum::{Convergence, Eigen};
use crate::weights::{Draw, Subset, Systematic};
use crate::{CodecError, Forgetting, MatrixError, MergeError, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The average prediction of an online learner that keeps `KEEP` of `DIM` directions.
///
/// On independent samples of one distribution, its expected loss on a fresh sample is, in expectation, at most the
/// average expected loss of the learner. In `f32`, from 2²¹ predictions on, each new prediction multiplies the weight
/// of all earlier ones by 1 − 2⁻²¹.
///
/// ```
/// use eigenstream::pca::{AverageDensity, Center, CenteredPca, CenteredSettings};
///
/// let settings = CenteredSettings::unscaled(1.0_f32)?.with_center(Center::Fixed)?;
/// let mut pca = CenteredPca::<f32, 3, 1>::new(settings);
/// let mut average = AverageDensity::<f32, 3, 1>::new();
/// for _ in 0..50 {
///     average.add(0.0, pca.directions())?;
///     pca.learn(&[0.6, 0.8, 0.0])?;
/// }
/// assert!(average.expected_loss(&[0.6, 0.8, 0.0])? < 0.1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AverageDensity<T, const DIM: usize, const KEEP: usize> {
    /// The average K̄; only the upper triangle is used.
    kept: SMatrix<T, DIM, DIM>,
    /// The number of predictions in `kept`; in `f32` it stops at about 2²¹, and only `merge` makes it larger than that.
    trials: T,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> AverageDensity<T, DIM, KEEP> {
    /// An average without predictions: no direction is kept.
    ///
    /// `KEEP` ≥ `DIM` does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::AverageDensity;
    /// let average = AverageDensity::<f32, 3, 3>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self {
            kept: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            trials: T::ZERO,
        }
    }

    /// Adds one prediction: orthonormal `directions` with their keep probabilities, and `bulk`, the keep probability of
    /// all others.
    ///
    /// # Errors
    /// [`MatrixError::Probability`] for a probability outside 0 … 1 (`bulk` has the index after the last direction).
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] for a direction v with
    /// ‖v‖² > 2, [`MatrixError::NotOrthonormal`] for more than `DIM` directions.
    ///
    /// ```
    /// use eigenstream::{MatrixError, pca::AverageDensity};
    /// let mut average = AverageDensity::<f32, 3, 1>::new();
    /// // The first axis has probability one half, each of the other two axes one quarter.
    /// average.add(0.25, [(0.5, &[1.0, 0.0, 0.0])])?;
    /// assert_eq!(average.expected_loss(&[2.0, 0.0, 0.0]), Ok(2.0));
    /// assert_eq!(average.expected_loss(&[0.0, 0.0, 2.0]), Ok(3.0));
    /// let refused = average.add(0.0, [(f32::NAN, &[1.0, 0.0, 0.0])]);
    /// assert_eq!(refused, Err(MatrixError::Probability { index: 0 }));
    /// # Ok::<(), MatrixError>(())
    /// ```
    pub fn add<'a>(
        &mut self,
        bulk: T,
        directions: impl IntoIterator<Item = (T, &'a [T; DIM]), IntoIter: Clone>,
    ) -> Result<(), MatrixError> {
        let directions = directions.into_iter();
        check_prediction(bulk, directions.clone())?;
        // Adds K = b·I + Σ (pᵢ − b)·vᵢvᵢᵀ to the average, with b = `bulk`.
        let weight = self.next_weight();
        approach(&mut self.kept, weight, |place, column| {
            for (probability, direction) in directions.clone() {
                if let Some(&entry) = direction.get(place) {
                    add_scaled(column, (probability - bulk) * entry, direction);
                }
            }
            if let Some(diagonal) = column.last_mut() {
                *diagonal += bulk;
            }
        });
        Ok(())
    }

    /// Adds one prediction in the form of a density matrix; only the upper triangle is read.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] for one of a magnitude
    /// above two.
    pub fn add_density(&mut self, density: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        for (column, entries) in density.data.0.iter().enumerate() {
            check_entries(entries.iter().take(column + 1), column, T::TWO)?;
        }
        // Adds K = I − (DIM − KEEP)·W to the average.
        let dropped = T::from_usize(DIM - KEEP);
        let weight = self.next_weight();
        approach(&mut self.kept, weight, |place, column| {
            if let Some(entries) = density.data.0.get(place) {
                add_scaled(column, -dropped, entries);
            }
            if let Some(diagonal) = column.last_mut() {
                *diagonal += T::ONE;
            }
        });
        Ok(())
    }

    /// Adds the predictions of another average: the result is the mean of all predictions of both.
    ///
    /// The order of merging changes the result by rounding only.
    ///
    /// # Errors
    /// [`MergeError::Overflow`] if the sum of the counts overflows, after more than 100 merges or with decoded counts.
    ///
    /// ```
    /// use eigenstream::pca::AverageDensity;
    /// let mut average = AverageDensity::<f32, 2, 1>::new();
    /// let mut other = average.clone();
    /// average.add(0.0, [(1.0, &[1.0, 0.0])])?;
    /// (0..3).try_for_each(|_| other.add(0.0, [(1.0, &[0.0, 1.0])]))?;
    /// average.merge(&other)?;
    /// assert_eq!(average.expected_loss(&[2.0, 0.0])?, 3.0);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let trials = self.trials + other.trials;
        if !trials.is_finite() {
            return Err(MergeError::Overflow);
        }
        if trials > T::ZERO {
            approach(&mut self.kept, other.trials / trials, |place, column| {
                if let Some(entries) = other.kept.data.0.get(place) {
                    add_scaled(column, T::ONE, entries);
                }
            });
            self.trials = trials;
        }
        Ok(())
    }

    /// The expected loss of a sample x, (DIM − KEEP)·xᵀW̄x.
    ///
    /// In `f32` a change of the average by less than about 3·10⁻⁸ per prediction is lost. After 3,000,000 predictions
    /// in one measurement with eight channels the result was 2.5·10⁻⁴·‖x‖² in place of 1.5·10⁻⁶·‖x‖². Use `f64` for
    /// more than about 10,000 predictions.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn expected_loss(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let energy = energy_of(sample)?;
        // Rounding, or predictions that are not density matrices, can make the difference negative or overflow.
        Ok(T::ZERO.max(energy - quadratic_form(&self.kept, sample)).min(T::MAX))
    }

    /// A bound on the expected loss of a fresh sample, \[WK08\] section 6.3: `total_loss` divided by the number of
    /// predictions.
    ///
    /// `total_loss` is the sum of the expected losses of the learner, each from before the sample was learned. The
    /// bound holds in expectation over independent samples of one distribution. Before the first prediction the result
    /// is [`Scalar::MAX`]. [`Bounds::fresh_loss`](crate::bounds::Bounds::fresh_loss) needs no `total_loss`.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{AverageDensity, TrackingPca, TrackingSettings}};
    ///
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// let (mut average, mut total) = (AverageDensity::<f32, 3, 1>::new(), 0.0);
    /// let mut density = SMatrix::zeros();
    /// for _ in 0..50 {
    ///     let sample = [0.6, 0.8, 0.0];
    ///     pca.density(&mut density);
    ///     average.add_density(&density)?;
    ///     total += pca.score(&sample)?;
    ///     pca.learn(&sample)?;
    /// }
    /// // All samples are equal: the expectation is the mean.
    /// let fresh = average.expected_loss(&[0.6, 0.8, 0.0])?;
    /// assert!((fresh - average.loss_bound(total)).abs() < 1e-4);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn loss_bound(&self, total_loss: T) -> T {
        if self.trials > T::ZERO {
            (total_loss / self.trials).min(T::MAX)
        } else {
            T::MAX
        }
    }

    /// Writes the average density matrix W̄; [`AverageSubspace`] computes its directions and draws from them.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        matrix.clone_from(&self.kept);
        scale_upper(matrix, -T::ONE);
        add_diagonal(matrix, T::ONE);
        scale_upper(matrix, T::ONE / T::from_usize(DIM - KEEP));
        mirror(matrix);
    }

    /// Forgets all predictions.
    pub fn reset(&mut self) {
        clear(&mut self.kept);
        self.trials = T::ZERO;
    }

    /// Counts one more prediction and returns its weight in the average.
    fn next_weight(&mut self) -> T {
        Forgetting::NONE.count(&mut self.trials);
        T::ONE / self.trials
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.trials])?;
        // `add_density` averages 1 − (DIM − KEEP)·w on the diagonal and −(DIM − KEEP)·w elsewhere, for entries |w| ≤ 2
        // of W; `add` averages b·I + Σ (pᵢ − b)·vᵢvᵢᵀ, at most DIM directions of ‖vᵢ‖² ≤ 2. So every entry is within
        // ±(2·DIM + 1).
        validate::within(T::from_usize(2 * DIM + 1), self.kept.iter())
    }
}

fn check_prediction<'a, T: Scalar, const DIM: usize>(
    bulk: T,
    directions: impl Iterator<Item = (T, &'a [T; DIM])>,
) -> Result<(), MatrixError> {
    let possible = |probability| (T::ZERO..=T::ONE).contains(&probability);
    let mut index = 0;
    for (probability, direction) in directions {
        if index == DIM {
            return Err(MatrixError::NotOrthonormal);
        }
        if !possible(probability) {
            return Err(MatrixError::Probability { index });
        }
        check_entries(direction.iter(), index, T::TWO)?;
        if dot(direction, direction) > T::TWO {
            return Err(MatrixError::Overflow);
        }
        index += 1;
    }
    if possible(bulk) {
        Ok(())
    } else {
        Err(MatrixError::Probability { index })
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Default for AverageDensity<T, DIM, KEEP> {
    fn default() -> Self {
        Self::new()
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize]
    AverageDensity<T, DIM, KEEP>: Average [DIM, KEEP] of T { kept, trials }
    if validate
);

/// The directions of an [`AverageDensity`], sorted by falling keep probability.
///
/// ```
/// use eigenstream::pca::{AverageDensity, AverageSubspace};
///
/// let mut average = AverageDensity::<f32, 3, 1>::new();
/// average.add(0.0, [(1.0, &[0.0, 1.0, 0.0])])?;
/// average.add(0.0, [(0.5, &[0.0, 1.0, 0.0]), (0.5, &[1.0, 0.0, 0.0])])?;
/// let mut subspace = AverageSubspace::<f32, 3, 1>::new();
/// let _ = subspace.fit(&average);
/// // The second axis is kept in three of four cases, the first axis in one of four.
/// let [likely, rare, never] = subspace.keep_probabilities();
/// assert!((likely - 0.75).abs() < 1e-6 && (rare - 0.25).abs() < 1e-6 && never < 1e-6);
/// assert!((subspace.components()[(1, 0)] - 1.0).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AverageSubspace<T, const DIM: usize, const KEEP: usize> {
    eigen: Eigen<T, DIM>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> AverageSubspace<T, DIM, KEEP> {
    /// An object before its first fit: every probability and every component is zero.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self { eigen: Eigen::new() }
    }

    /// Computes the directions of an average prediction and their keep probabilities.
    pub fn fit(&mut self, average: &AverageDensity<T, DIM, KEEP>) -> Convergence {
        // No error is possible: an average is finite.
        self.eigen.decompose(&average.kept).unwrap_or(Convergence::BoundHit)
    }

    /// The keep probability of each direction, descending.
    ///
    /// They sum to `KEEP` up to rounding if those of each prediction did.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        let mut probabilities = [T::ZERO; DIM];
        for (probability, &value) in probabilities.iter_mut().zip(self.eigen.values().iter()) {
            // Rounding, or a prediction that is not a density matrix, can move an eigenvalue out of 0 … 1.
            *probability = T::ZERO.max(value).min(T::ONE);
        }
        probabilities
    }

    /// The `KEEP` most likely directions, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.eigen.vectors().data.0.iter())
    }

    /// Draws `KEEP` directions, one per column, each with its keep probability.
    ///
    /// The expected loss of the draw is [`AverageDensity::expected_loss`], up to rounding. If the
    /// [`keep_probabilities`](Self::keep_probabilities) sum to less than `KEEP`, columns can remain zero.
    ///
    /// ```
    /// use eigenstream::{pca::{AverageDensity, AverageSubspace}, rand_core::SeedableRng};
    ///
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut average = AverageDensity::<f64, 2, 1>::new();
    /// average.add(0.2, [(0.8, &[1.0, 0.0])])?;
    /// let mut subspace = AverageSubspace::<f64, 2, 1>::new();
    /// let _ = subspace.fit(&average);
    /// let first_axis = (0..1_000).filter(|_| subspace.draw(&mut rng)[(0, 0)] > 0.5).count();
    /// // The standard deviation of the count is 12.6; the limit is five times as large.
    /// assert!(first_axis.abs_diff(800) < 63);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> SMatrix<T, DIM, KEEP> {
        let kept: Subset<DIM> = Systematic::keep_at_most(&self.keep_probabilities(), KEEP, rng);
        let vectors = &self.eigen.vectors().data.0;
        as_columns(kept.iter().filter_map(|index| vectors.get(index)))
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Default for AverageSubspace<T, DIM, KEEP> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn the_average_is_the_mean_of_its_parts() {
        let mut average = AverageDensity::<f64, 2, 1>::new();
        let first = [1.0, 0.0];
        let diagonal = [0.5_f64.sqrt(), 0.5_f64.sqrt()];
        assert_eq!(average.add(0.0, [(1.0, &first)]), Ok(()));
        assert_eq!(average.add(0.0, [(1.0, &diagonal)]), Ok(()));
        assert_eq!(average.add(0.25, [(0.75, &first)]), Ok(()));
        let mut density = SMatrix::zeros();
        average.density(&mut density);
        // The three predictions have I − K = diag(0, 1), [½ −½; −½ ½] and diag(¼, ¾).
        let wanted = SMatrix::from([[0.75, -0.5], [-0.5, 2.25]]) / 3.0;
        assert!((density - wanted).abs().max() < 1e-15);
    }

    #[test]
    fn a_prediction_that_is_none_is_refused_and_changes_nothing() {
        let mut average = AverageDensity::<f32, 2, 1>::new();
        assert_eq!(average.add(0.0, [(1.0, &[0.6, 0.8])]), Ok(()));
        let (before, trials) = (average.kept, average.trials);
        let axis = [1.0, 0.0];
        let not_a_number = MatrixError::NotANumber { row: 1, column: 1 };
        for (bulk, probability, second, wanted) in [
            (0.0, f32::NAN, axis, MatrixError::Probability { index: 1 }),
            (0.0, -0.5, axis, MatrixError::Probability { index: 1 }),
            (f32::INFINITY, 0.5, axis, MatrixError::Probability { index: 2 }),
            (0.0, 0.5, [0.0, f32::NAN], not_a_number),
            (0.0, 0.5, [0.0, f32::NEG_INFINITY], not_a_number),
            (0.0, 0.5, [1.0, 2.0], MatrixError::Overflow),
            (0.0, 0.5, [0.0, f32::MAX], MatrixError::Overflow),
        ] {
            let refused = average.add(bulk, [(0.5, &axis), (probability, &second)]);
            assert_eq!(refused, Err(wanted));
        }
        for (entry, wanted) in [
            (f32::NAN, MatrixError::NotANumber { row: 0, column: 1 }),
            (3.0, MatrixError::Overflow),
        ] {
            let mut density = SMatrix::zeros();
            density[(0, 1)] = entry;
            assert_eq!(average.add_density(&density), Err(wanted));
        }
        assert_eq!((average.kept, average.trials), (before, trials));
    }

    #[test]
    fn every_density_that_is_accepted_can_be_saved_and_restored() {
        type Average = AverageDensity<f32, 6, 1>;
        let mut average = Average::new();
        let mut density = SMatrix::zeros();
        (density[(0, 0)], density[(0, 1)], density[(5, 5)]) = (2.0, -2.0, -2.0);
        assert_eq!(average.add_density(&density), Ok(()));
        let mut image = [0; Average::ENCODED_LEN];
        assert!(average.encode(&mut image).is_ok());
        assert!(Average::decode(&image).is_ok_and(|read| read.kept == average.kept));
    }

    #[test]
    fn more_directions_than_channels_are_refused() {
        let mut average = AverageDensity::<f32, 2, 1>::new();
        let axis = [1.0, 0.0];
        assert_eq!(average.add(0.0, [(1.0, &axis); 3]), Err(MatrixError::NotOrthonormal));
        // The check ends even if the iterator does not.
        let endless = core::iter::repeat((1.0, &axis));
        assert_eq!(average.add(0.0, endless), Err(MatrixError::NotOrthonormal));
        assert_eq!((average.kept, average.trials), (SMatrix::zeros(), 0.0));
    }

    #[test]
    fn a_long_average_of_one_prediction_is_that_prediction() {
        let mut average = AverageDensity::<f32, 2, 1>::new();
        for _ in 0..300_000 {
            assert_eq!(average.add(0.05, [(0.9, &[0.6, 0.8])]), Ok(()));
        }
        let lost = average.expected_loss(&[0.6, 0.8]);
        assert!(lost.is_ok_and(|lost| (lost - 0.1).abs() < 1e-6), "{lost:?}");
    }
}
