//! Merges two [`BatchPca`], both centered or both uncentered, that learned two parts of the data.
//! Cost: DIM² multiply-adds.

use super::BatchPca;
use crate::pca::moments::Moments;
use crate::spectrum::PartialEigen;
use crate::{Centering, MergeError, Scalar};

impl<T: Scalar, const DIM: usize, const KEEP: usize> BatchPca<T, DIM, KEEP> {
    /// Adds the samples of another learner; the directions stay those of the last fit.
    ///
    /// Up to rounding, mean and scatter are those of one pass, in any order of merging. In `f32` more than 2²¹ samples
    /// count as about 2²¹.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if only one of the two is centered, [`MergeError::Overflow`] if twice the trace of the
    /// merged scatter or the sum of the weights overflows. The learner is then unchanged.
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

    /// Includes the samples after the last fit.
    pub(in crate::pca) const fn moments(&self) -> &Moments<T, DIM> {
        &self.moments
    }

    pub(in crate::pca) const fn centering(&self) -> Centering {
        self.centering
    }

    /// The decomposition of the last fit; `None` if all components are zero.
    pub(in crate::pca) fn decomposition(&self) -> Option<&PartialEigen<T, DIM>> {
        self.components
            .iter()
            .any(|&entry| entry != T::ZERO)
            .then_some(&self.eigen)
    }

    /// The number of samples at the last fit, computed from `variance_unit`; zero if that is zero.
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
