//! Batch PCA over a stream, [KW07] Algorithm 1: the baseline of the online learners.
//! In: samples, and a call to [`fit`](BatchPca::fit). Out: the `KEEP` directions of largest variance, codes,
//! reconstructions, and the smallest possible loss.
//! Cost: per sample DIM²/2 multiply-adds, in `f32` DIM² after 2²¹ samples. A fit: (5/3)·DIM³ multiply-adds, and
//! 25·(DIM − KEEP)·DIM² operations to correct rounding errors of the directions.

use super::moments::{Center, Deviation, Moments};
use super::projection::{energy_in, leverage, reconstruct, residual};
use crate::codec::{stored, validate};
use crate::learner::own_verbs;
use crate::scalar::sum::CompensatedVector;
use crate::spectrum::vector::dot;
use crate::spectrum::whole::every_position;
use crate::spectrum::{Convergence, PartialEigen, check_orthonormal, refine};
use crate::{Centering, CodecError, Forgetting, Learner, MergeError, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

impl Centering {
    fn center<T>(self) -> Center<T> {
        match self {
            Self::Centered => Center::Mean,
            Self::Uncentered => Center::Fixed,
        }
    }
}

/// Principal components of all samples learned so far, computed on request.
///
/// [`fit`](Self::fit) computes the directions; codes, scores and variances are those of the last fit. Before the first
/// fit all directions are zero. A [`Monitor`](crate::monitor::Monitor) never calls `fit`. In `f32`, from 2²¹ samples
/// on, each new sample slightly reduces the weight of all earlier ones.
///
/// ```
/// use eigenstream::Centering;
/// use eigenstream::pca::BatchPca;
///
/// let mut pca = BatchPca::<f32, 3, 1>::new(Centering::Centered);
/// for i in 0..10 {
///     let along = i as f32;
///     pca.learn(&[1.0 + along, 2.0 * along, 5.0])?;
/// }
/// let _ = pca.fit();
/// // All samples lie on a line through the mean, along (1, 2, 0)/√5.
/// assert!((pca.components()[(1, 0)] - 2.0 / 5.0_f32.sqrt()).abs() < 1e-6);
/// assert!((pca.explained_variance_ratio()[0] - 1.0).abs() < 1e-6);
/// assert!(pca.score(&[1.0, 0.0, 9.0])? > 15.9);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchPca<T, const DIM: usize, const KEEP: usize> {
    pub(super) centering: Centering,
    /// Mean and scatter of all samples, those after the last fit included.
    pub(super) moments: Moments<T, DIM>,
    eigen: PartialEigen<T, DIM>,
    components: SMatrix<T, DIM, KEEP>,
    /// The centre at the last fit.
    mean_at_fit: SVector<T, DIM>,
    /// The factor from scatter to variance at the last fit.
    variance_unit: T,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> BatchPca<T, DIM, KEEP> {
    /// A learner that has seen no sample.
    ///
    /// `KEEP` > `DIM` does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::Centering;
    /// use eigenstream::pca::BatchPca;
    /// let pca = BatchPca::<f32, 2, 3>::new(Centering::Centered);
    /// ```
    #[must_use]
    pub const fn new(centering: Centering) -> Self {
        const {
            assert!(
                0 < KEEP && KEEP <= DIM,
                "batch PCA keeps directions that exist: 0 < KEEP <= DIM"
            )
        };
        Self {
            centering,
            moments: Moments::new(),
            eigen: PartialEigen::new(),
            components: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; KEEP])),
            mean_at_fit: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; 1])),
            variance_unit: T::ZERO,
        }
    }

    /// Adds a sample to the scatter and, if centered, to the mean.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let deviation = self.moments.deviation(sample)?;
        self.moments.check(&deviation)?;
        self.moments
            .learn(&deviation, self.centering.center(), Forgetting::NONE);
        Ok(())
    }

    /// Computes the directions of largest variance of all samples learned.
    pub fn fit(&mut self) -> Convergence {
        // No error is possible: samples, merges and decoded bytes are checked, so the scatter is finite.
        let Ok(values) = self.eigen.decompose(self.moments.scatter()) else {
            return Convergence::BoundHit;
        };
        let vectors = self
            .eigen
            .vectors(&const { every_position::<KEEP>() }, &mut self.components);
        refine(self.moments.scatter(), &self.eigen, &mut self.components);
        self.mean_at_fit.clone_from(self.moments.mean());
        self.variance_unit = self.moments.variance_unit(self.centering.center());
        values.and(vectors)
    }

    /// The code of a sample x: its coordinates vⱼ·(x − m).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let deviation = self.deviation(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (coordinate, direction) in code.iter_mut().zip(&self.components.data.0) {
            *coordinate = dot(direction, &deviation.values);
        }
        Ok(code)
    }

    /// Rebuilds a sample from a code: m + Σ codeⱼ·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&self.mean_at_fit, code, self.components.data.0.iter())
    }

    /// The loss of a sample x: ‖x − m‖² − Σ (vⱼ·(x − m))².
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(energy_in(&self.residual(sample)?))
    }

    /// The sample minus its reconstruction; the squares of the entries sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let deviation = self.deviation(sample)?;
        let directions = self.components.data.0.iter().map(|direction| (T::ONE, direction));
        Ok(residual(&deviation.values, directions))
    }

    /// The directions of the last fit, one per column, by falling variance; zero before the first fit.
    #[must_use]
    pub const fn components(&self) -> SMatrix<T, DIM, KEEP> {
        self.components
    }

    /// The centre at the last fit; zero if uncentered, and before the first fit.
    #[must_use]
    pub fn mean(&self) -> &SVector<T, DIM> {
        &self.mean_at_fit
    }

    /// All eigenvalues of the scatter at the last fit, descending; zero before the first fit.
    ///
    /// Rounding can make a zero eigenvalue slightly negative.
    #[must_use]
    pub fn eigenvalues(&self) -> &SVector<T, DIM> {
        self.eigen.values()
    }

    /// The variance along each direction at the last fit.
    ///
    /// It is the eigenvalue of the scatter divided by t − 1, or by t if uncentered; t is the number of samples, exact up
    /// to 2²¹ in `f32`. It is zero before the first fit, if the divisor is not positive, and if the eigenvalue is
    /// negative.
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        leading(self.eigen.values().as_slice(), self.variance_unit)
    }

    /// The variance along each direction divided by the total variance, at the last fit.
    ///
    /// It is zero if the sum of the eigenvalues is zero or subnormal.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        leading(self.eigen.values().as_slice(), part_unit(self.sum_after(0)))
    }

    /// The total loss L* at the last fit: the sum of the eigenvalues of the dropped directions.
    ///
    /// No subspace of `KEEP` dimensions has a smaller loss on the learned samples, up to rounding. If centered, this
    /// holds for subspaces through any centre, otherwise for those through zero.
    #[must_use]
    pub fn loss(&self) -> T {
        // The sum of decoded eigenvalues can overflow.
        self.sum_after(KEEP).min(T::MAX)
    }

    /// How many samples were learned.
    #[must_use]
    pub fn samples_seen(&self) -> u64 {
        self.moments.samples_seen()
    }

    /// Forgets all samples and the last fit.
    pub fn reset(&mut self) {
        self.moments.reset(&[T::ZERO; DIM]);
        // The eigenvectors of a zero matrix are arbitrary, so the loop below clears them.
        let _ = self.fit();
        for direction in &mut self.components.data.0 {
            *direction = [T::ZERO; DIM];
        }
    }

    /// Adds the samples of another learner; the directions stay those of the last fit.
    ///
    /// Mean and scatter become those of one learner that learned all samples. The order of merging does not matter.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if only one of the two is centered, [`MergeError::Overflow`] if twice the trace of the
    /// merged scatter or the sum of the weights overflows.
    ///
    /// ```
    /// use eigenstream::{Centering, pca::BatchPca};
    ///
    /// // Two machines of one kind, each with its own samples.
    /// let mut first = BatchPca::<f32, 2, 1>::new(Centering::Centered);
    /// let mut second = first.clone();
    /// for i in 0..10 {
    ///     first.learn(&[i as f32, 2.0 * i as f32])?;
    ///     second.learn(&[20.0 + i as f32, 40.0 + 2.0 * i as f32])?;
    /// }
    /// first.merge(&second)?;
    /// let _ = first.fit();
    /// assert_eq!(first.samples_seen(), 20);
    /// assert_eq!(first.mean().as_slice(), [14.5, 29.0]);
    /// assert!(first.score(&[100.0, 200.0])? < 1e-6);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.centering != other.centering {
            return Err(MergeError::Settings);
        }
        self.moments
            .merge(&other.moments, self.centering.center(), &[T::ZERO; DIM])
    }

    /// The decomposition of the last fit; `None` if all components are zero.
    pub(super) fn decomposition(&self) -> Option<&PartialEigen<T, DIM>> {
        self.components
            .iter()
            .any(|&entry| entry != T::ZERO)
            .then_some(&self.eigen)
    }

    /// The weight of the samples at the last fit, computed from `variance_unit`; zero if `variance_unit` is zero.
    pub(super) fn weight_at_fit(&self) -> T {
        if self.variance_unit > T::ZERO {
            let degrees = T::ONE / self.variance_unit;
            match self.centering {
                Centering::Centered => degrees + T::ONE,
                Centering::Uncentered => degrees,
            }
        } else {
            T::ZERO
        }
    }

    /// The sum of the eigenvalues after the first `count`; a negative eigenvalue counts as zero.
    fn sum_after(&self, count: usize) -> T {
        let mut sum = T::ZERO;
        for &value in self.eigen.values().iter().skip(count) {
            sum += T::ZERO.max(value);
        }
        sum
    }

    fn deviation(&self, sample: &[T; DIM]) -> Result<Deviation<T, DIM>, SampleError> {
        let [mean] = self.mean_at_fit.data.0;
        Deviation::of(sample, &CompensatedVector::of(mean))
    }

    fn validate(&self) -> Result<(), CodecError> {
        let fitted = self.decomposition().is_some();
        check_orthonormal(&self.components, if fitted { KEEP } else { 0 })?;
        validate::probabilities(&[self.variance_unit])
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize]
    BatchPca<T, DIM, KEEP>: Batch [DIM, KEEP] of T { centering, moments, eigen, components, mean_at_fit, variance_unit }
    if validate
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Learner<T, DIM> for BatchPca<T, DIM, KEEP> {
    own_verbs!();

    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.deviation(sample)?.energy)
    }

    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let deviation = self.deviation(sample)?;
        let variances = self.explained_variance().into_iter();
        Ok(Some(leverage(
            &deviation.values,
            variances.zip(&self.components.data.0),
        )))
    }
}

/// The first `KEEP` eigenvalues times `unit`, each limited to 0 … `MAX`.
pub(super) fn leading<T: Scalar, const KEEP: usize>(values: &[T], unit: T) -> [T; KEEP] {
    let mut scaled = [T::ZERO; KEEP];
    for (scaled, &value) in scaled.iter_mut().zip(values) {
        // With a decoded `unit` the product can overflow.
        *scaled = (T::ZERO.max(value) * unit).min(T::MAX);
    }
    scaled
}

/// Returns 1/`total`; zero if `total` is zero or subnormal.
pub(super) fn part_unit<T: Scalar>(total: T) -> T {
    if total >= T::MIN_POSITIVE {
        T::ONE / total
    } else {
        T::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 20;
        const KEEP: usize = 3;
        let words = DIM * DIM + 2 * DIM + 1 // scatter, mean and its rounding error, weight
            + DIM * DIM + 4 * DIM + 1 // eigen
            + DIM * KEEP // components
            + DIM // mean at the fit
            + 1; // factor from scatter to variance
        let counts = size_of::<u64>() + size_of::<u64>(); // samples seen; centering with padding
        assert_eq!(size_of::<BatchPca<f64, DIM, KEEP>>(), 8 * words + counts);
    }

    /// Fuzzing found this case.
    #[test]
    fn a_variance_beyond_the_largest_number_is_the_largest_number() {
        assert_eq!(leading(&[f32::MAX, -1.0], 2.0), [f32::MAX, 0.0]);
    }

    /// Fuzzing found this case.
    #[test]
    fn a_loss_beyond_the_largest_number_is_the_largest_number() {
        let mut pca = BatchPca::<f32, 4, 1>::new(Centering::Centered);
        let huge = SMatrix::<f32, 4, 4>::from_diagonal_element(0.5 * f32::MAX);
        assert_eq!(pca.eigen.decompose(&huge), Ok(Convergence::Reached));
        assert_eq!(pca.loss(), f32::MAX);
    }
}
