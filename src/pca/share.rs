//! How a learner keeps a way back: after each sample a little of all weight goes to where it may be needed again.
//! In: the density matrix that a sample left behind. Out: the same, mixed with the uniform one or with the past.
//! Method: [WK08] section 8. Uniform: W ← (1−α)W + αI/n. Past: W ← (1−α)W + α·mean of earlier W, equation (20), in two readings.
//! Cost: uniform, DIM `exp` and `ln`; past, DIM² multiply-adds and one more eigendecomposition. Kept for the past: DIM²
//! numbers and a counter.

use crate::{Scalar, SettingsError};
use nalgebra::{ArrayStorage, SMatrix};

/// Where the shared part α of all weight goes after each sample. α is between zero and one; 10⁻³ makes the choice of the
/// learning rate forgiving.
///
/// ```
/// use eigenstream::pca::Share;
/// assert_eq!(Share::<f32>::default(), Share::Nothing);
/// assert_ne!(Share::Uniform(1e-3_f32), Share::PastAverage(1e-3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Share<T> {
    /// Nothing is shared: [WK08] Algorithm 5 as it stands.
    #[default]
    Nothing,
    /// To all directions alike: the learner recovers from a shift to anywhere.
    Uniform(T),
    /// To the mean of W⁰ … Wᵗ⁻¹, each as it was *after* mixing, [WK08] equation (20) to the letter: the learner recovers faster
    /// from a shift to where it has been.
    PastAverage(T),
    /// To the mean of W⁰ and of what each sample left behind *before* mixing.
    PastPosteriors(T),
}

impl<T: Scalar> Share<T> {
    /// The same, if α is between zero and one.
    pub(super) fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Uniform(part) | Self::PastAverage(part) | Self::PastPosteriors(part)
                if !(part >= T::ZERO && part <= T::ONE) =>
            {
                Err(SettingsError::Share)
            }
            share => Ok(share),
        }
    }
}

/// The mean of the density matrices so far.
#[derive(Clone, Debug)]
pub(super) struct Past<T, const DIM: usize> {
    /// On the upper triangle, in units of 1/d.
    mean: SMatrix<T, DIM, DIM>,
    /// How many it is the mean of. Where it ends, one matrix more is below rounding.
    count: u32,
}

impl<T: Scalar, const DIM: usize> Past<T, DIM> {
    /// No past.
    pub(super) const fn new() -> Self {
        Self {
            mean: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            count: 0,
        }
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets it.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        for column in &mut self.mean.data.0 {
            column.fill(T::ZERO);
        }
    }

    /// Takes one more matrix into the mean.
    pub(super) fn remember(&mut self, matrix: &SMatrix<T, DIM, DIM>) {
        let weight = self.weight_of_next();
        for (mean, &entry) in self
            .mean
            .data
            .0
            .iter_mut()
            .flatten()
            .zip(matrix.data.0.iter().flatten())
        {
            *mean += weight * (entry - *mean);
        }
    }

    /// W ← (1−α)W + α·mean.
    pub(super) fn mix_into(&self, matrix: &mut SMatrix<T, DIM, DIM>, part: T) {
        let rest = T::ONE - part;
        for (entry, &mean) in matrix
            .data
            .0
            .iter_mut()
            .flatten()
            .zip(self.mean.data.0.iter().flatten())
        {
            *entry = rest * *entry + part * mean;
        }
    }

    /// Both at once: mixes with the mean as it was, and takes the matrix into the mean as it was.
    pub(super) fn mix_and_remember(&mut self, matrix: &mut SMatrix<T, DIM, DIM>, part: T) {
        let rest = T::ONE - part;
        let weight = self.weight_of_next();
        for (entry, mean) in matrix
            .data
            .0
            .iter_mut()
            .flatten()
            .zip(self.mean.data.0.iter_mut().flatten())
        {
            let (before, past) = (*entry, *mean);
            *entry = rest * before + part * past;
            *mean += weight * (before - past);
        }
    }

    /// What one more matrix counts in the mean.
    fn weight_of_next(&mut self) -> T {
        self.count = self.count.saturating_add(1);
        T::ONE / T::from_f64(f64::from(self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_part_of_the_whole() {
        assert!(Share::Uniform(0.0_f32).checked().is_ok());
        assert!(Share::PastAverage(1.0_f32).checked().is_ok());
        for part in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
            assert_eq!(Share::Uniform(part).checked(), Err(SettingsError::Share));
            assert_eq!(Share::PastAverage(part).checked(), Err(SettingsError::Share));
            assert_eq!(Share::PastPosteriors(part).checked(), Err(SettingsError::Share));
        }
    }

    #[test]
    fn every_matrix_counts_the_same_in_the_mean() {
        let mut past = Past::<f64, 2>::new();
        for size in [6.0, 0.0, 3.0] {
            past.remember(&SMatrix::repeat(size));
        }
        // The mean of 6, 0 and 3 is 3; a quarter of it and three quarters of 1 are 1.5.
        let mut matrix = SMatrix::repeat(1.0);
        past.mix_into(&mut matrix, 0.25);
        assert!((matrix - SMatrix::<f64, 2, 2>::repeat(1.5)).abs().max() < 1e-15);

        // Now 8 counts as the fourth, but the mix still sees the mean of the first three.
        let mut newest = SMatrix::repeat(8.0);
        past.mix_and_remember(&mut newest, 0.5);
        assert!((newest - SMatrix::<f64, 2, 2>::repeat(5.5)).abs().max() < 1e-15);
        past.mix_into(&mut matrix, 1.0);
        assert!((matrix - SMatrix::<f64, 2, 2>::repeat(4.25)).abs().max() < 1e-15);

        past.clear();
        past.remember(&SMatrix::repeat(8.0));
        past.mix_into(&mut matrix, 1.0);
        assert_eq!(matrix, SMatrix::<f64, 2, 2>::repeat(8.0));
    }
}
