//! APEX by its names: how a [`Chain`] is built on weight vectors or on features, and what only vectors can say of themselves.
//! In: settings, or a code. Out: a learner that has seen nothing; its components; the sample that a code stands for.
//! Method: u = w + Σ aⱼuⱼ, from the first component to the last.

use super::vectors::rebuilt;
use super::{ApexSettings, Chain, FeatureVectors, Memory, Vectors};
use crate::learner::energy_of;
use crate::spectrum::vector::add_scaled;
use crate::{SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// `KEEP` components of `DIM` channels, learned one after another.
///
/// ```
/// use eigenstream::hebbian::{Apex, ApexSettings};
/// let mut apex = Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT.with_span(400));
/// for t in 0..1_200 {
///     let (large, small) = ((t % 7) as f32 - 3.0, (t % 5) as f32 - 2.0);
///     apex.learn(&[large, small, 0.0])?;
/// }
/// assert!(apex.components()[(0, 0)].abs() > 0.99 && apex.components()[(1, 1)].abs() > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type Apex<T, const DIM: usize, const KEEP: usize> = Chain<T, Vectors<T, DIM, 1>, DIM, KEEP>;

/// [`Apex`] on features: `KEEP` components, each over at most `POINTS` points of its own.
///
/// ```
/// use eigenstream::hebbian::{ApexSettings, KernelApex, Memory};
/// use eigenstream::kernel::Gaussian;
/// let mut apex = KernelApex::<f32, _, 2, 2, 8>::new(Gaussian::DEFAULT, ApexSettings::DEFAULT, Memory::DEFAULT);
/// apex.learn(&[0.5, 0.5])?;
/// assert!(apex.score(&[0.5, 0.5])? < 1e-6);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type KernelApex<T, K, const DIM: usize, const KEEP: usize, const POINTS: usize> =
    Chain<T, FeatureVectors<T, K, DIM, 1, POINTS>, DIM, KEEP>;

impl<T: Scalar, const DIM: usize, const KEEP: usize> Apex<T, DIM, KEEP> {
    /// A learner that has seen nothing.
    ///
    /// ```
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// static APEX: Apex<f32, 6, 2> = Apex::new(ApexSettings::DEFAULT);
    /// assert_eq!(APEX.samples_seen(), 0);
    /// ```
    ///
    /// Sizes that make no sense do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// let apex = Apex::<f32, 2, 3>::new(ApexSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: ApexSettings<T>) -> Self {
        const {
            assert!(KEEP <= DIM, "there are no more components than channels");
        }
        Self::with_parts(settings, [Vectors::new(); KEEP])
    }

    /// The components u = w + Σ aⱼuⱼ, one a column: their products with a sample are its code. Columns of zeros where none has
    /// started.
    ///
    /// ```
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// let mut apex = Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT);
    /// apex.learn(&[0.0, 0.5, 0.0])?;
    /// assert_eq!(apex.components()[(1, 0)], 1.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        let mut columns = [[T::ZERO; DIM]; KEEP];
        for p in 0..KEEP {
            let [mut column] = self.parts[p].columns().data.0;
            for j in 0..p {
                add_scaled(&mut column, self.feedback[p][j], &columns[j]);
            }
            columns[p] = column;
        }
        SMatrix::from_array_storage(ArrayStorage(columns))
    }

    /// The sample that a code of [`transform`](Self::transform) stands for, Σ codeₚuₚ.
    ///
    /// # Errors
    /// [`SampleError`], with the place in the code as the channel, if the code is not finite or its energy overflows.
    ///
    /// ```
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// let mut apex = Apex::<f32, 3, 1>::new(ApexSettings::DEFAULT);
    /// apex.learn(&[0.0, 0.5, 0.0])?;
    /// assert_eq!(apex.inverse_transform(&[2.0])?, [0.0, 2.0, 0.0]);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        energy_of(code)?;
        rebuilt(&self.parts, &self.mixture(code))
    }
}

impl<T: Scalar, K: Copy, const DIM: usize, const KEEP: usize, const POINTS: usize> KernelApex<T, K, DIM, KEEP, POINTS> {
    /// A learner that has seen nothing, in the feature space of `kernel`.
    ///
    /// ```
    /// use eigenstream::hebbian::{ApexSettings, KernelApex, Memory};
    /// use eigenstream::kernel::Gaussian;
    /// static APEX: KernelApex<f32, Gaussian<f32>, 3, 2, 16> =
    ///     KernelApex::new(Gaussian::DEFAULT, ApexSettings::DEFAULT, Memory::DEFAULT);
    /// assert_eq!(APEX.score(&[1.0; 3])?, 1.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub const fn new(kernel: K, settings: ApexSettings<T>, memory: Memory) -> Self {
        Self::with_parts(settings, [FeatureVectors::new(kernel, memory); KEEP])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 5;
        const KEEP: usize = 2;
        let numbers = 1 // rate
            + 2 // what it is measured against
            + 2 // running energy and its weight
            + DIM * KEEP // weights
            + KEEP * KEEP; // feedback
        let counters = 4 + 4 + size_of::<usize>() + size_of::<u64>(); // span, age, components finished, samples seen
        let bytes = 4 * numbers + 4 + counters; // the schedule, padded
        assert_eq!(
            size_of::<Apex<f32, DIM, KEEP>>(),
            bytes.next_multiple_of(align_of::<u64>())
        );
    }
}
