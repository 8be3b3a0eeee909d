//! Merges two [`BatchPca`] that learned two parts of the data.
//! In: two learners, both centered or both uncentered. Out: one learner that has seen all samples of both.
//! Method: `moments::merge`. The order of merging changes the sums by rounding only.
//! Cost: DIM² multiply-adds.

use super::BatchPca;
use crate::pca::moments::Moments;
use crate::spectrum::PartialEigen;
use crate::{Centering, MergeError, Scalar};

impl<T: Scalar, const DIM: usize, const KEEP: usize> BatchPca<T, DIM, KEEP> {
    /// Adds the samples of another learner. The directions stay those of the last fit: call [`fit`](Self::fit) for
    /// directions of all samples.
    ///
    /// Up to rounding, mean and scatter are those of one pass over all samples, in any order of merging. In `f32`, a learner that
    /// has learned more than 2²¹ samples one by one counts as about 2²¹ samples.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if one learner is centered and the other is not. [`MergeError::Overflow`] if twice the trace of
    /// the scatter of all samples, or the sum of the two weights, overflows in `T`. After an error the learner is unchanged.
    /// `samples_seen` stops at `u64::MAX` without an error.
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

    /// Mean, scatter and count of all samples, also of those after the last fit.
    pub(in crate::pca) const fn moments(&self) -> &Moments<T, DIM> {
        &self.moments
    }

    /// Whether the centre is the mean of the samples, or zero.
    pub(in crate::pca) const fn centering(&self) -> Centering {
        self.centering
    }

    /// The decomposition of the scatter at the last fit; `None` if all components are zero, as before the first fit and after a
    /// reset.
    pub(in crate::pca) fn decomposition(&self) -> Option<&PartialEigen<T, DIM>> {
        self.components
            .iter()
            .any(|&entry| entry != T::ZERO)
            .then_some(&self.eigen)
    }

    /// The number of samples at the last fit, computed from `variance_unit`; in `f32` more than 2²¹ learned samples count as
    /// about 2²¹. Zero if `variance_unit` is zero, as before the first fit, after a fit without samples, and after the fit of a
    /// centered learner that has learned one sample.
    pub(in crate::pca) fn weight_at_fit(&self) -> T {
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
}
