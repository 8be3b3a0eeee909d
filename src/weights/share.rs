//! Share updates, [WK08] section 8: after each trial a little of all weight goes to where it may be needed again.
//! In: the part α and where it goes. Out: a checked choice for the settings of a learner, and the mixture for weights on experts.
//! Method: [WK08] section 8. Uniform: q ← (1−α)q + α·d/N. Past: q ← (1−α)q + α·mean of earlier q, equation (20), in two
//! readings. Here q is a vector; `pca/density/share.rs` has the mean of matrices.
//! Cost: N multiply-adds. Kept for the past: N numbers and a counter.

use crate::codec::{stored, stored_choice, validate};
use crate::scalar::constant::of_number;
use crate::{CodecError, Scalar, SettingsError};

/// Where the shared part α of all weight goes after each sample. α is between zero and one; 10⁻³ makes the choice of the
/// learning rate forgiving.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Share<T> {
    /// Nothing is shared: \[WK08\] Algorithm 5 as it stands. The default.
    #[default]
    Nothing,
    /// To all directions, or experts, alike: the learner recovers from a shift to anywhere.
    Uniform(T),
    /// To the mean of W⁰ … Wᵗ⁻¹, each as it was *after* mixing, \[WK08\] equation (20) to the letter: the learner recovers faster
    /// from a shift to where it has been.
    PastAverage(T),
    /// To the mean of W⁰ and of what each sample left behind *before* mixing.
    PastPosteriors(T),
}

impl<T: Scalar> Share<T> {
    /// This share, if α is between zero and one. [`Nothing`](Self::Nothing) where α is so small that α·e⁻ᵍ would underflow to zero,
    /// for which g is infinite.
    pub(crate) const fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Uniform(part) | Self::PastAverage(part) | Self::PastPosteriors(part) if of_number!(part => part >= 0.0 && part < Real::MIN_POSITIVE / Real::EPSILON) => {
                Ok(Self::Nothing)
            }
            Self::Uniform(part) | Self::PastAverage(part) | Self::PastPosteriors(part) if !of_number!(part => part >= 0.0 && part <= 1.0) => {
                Err(SettingsError::Share)
            }
            share => Ok(share),
        }
    }
}

stored_choice!(
    [T: Scalar] Share<T>: [part: T = T::ZERO] {
        0 = Nothing, 1 = Uniform(part), 2 = PastAverage(part), 3 = PastPosteriors(part)
    }
    if checked
);

/// The mean of the probabilities q = d·w of the experts so far.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct PastWeights<T, const N: usize> {
    mean: [T; N],
    /// Number of vectors in the mean. It stops at its largest value: by then one vector more is below rounding.
    count: u32,
}

impl<T: Scalar, const N: usize> PastWeights<T, N> {
    /// No past.
    pub(super) const fn new() -> Self {
        Self {
            mean: [T::ZERO; N],
            count: 0,
        }
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes q into the mean.
    pub(super) fn update(&mut self, probabilities: &[T; N]) {
        self.count = self.count.saturating_add(1);
        let weight = T::ONE / T::from_f64(f64::from(self.count));
        for (mean, &probability) in self.mean.iter_mut().zip(probabilities) {
            *mean += weight * (probability - *mean);
        }
    }

    /// The mean of the vectors so far.
    pub(super) const fn mean(&self) -> &[T; N] {
        &self.mean
    }
}

/// q ← (1−α)q + α·other.
pub(super) fn mix<T: Scalar, const N: usize>(probabilities: &mut [T; N], other: &[T; N], part: T) {
    for (probability, &other) in probabilities.iter_mut().zip(other) {
        *probability = (T::ONE - part) * *probability + part * other;
    }
}

stored!([T: Scalar, const N: usize] PastWeights<T, N> { mean, count } if validate);

impl<T: Scalar, const N: usize> PastWeights<T, N> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::probabilities(&self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_part_of_the_whole() {
        assert_eq!(Share::PastAverage(0.0_f32).checked(), Ok(Share::Nothing));
        assert!(Share::PastAverage(1.0_f32).checked().is_ok());
        for part in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
            assert_eq!(Share::Uniform(part).checked(), Err(SettingsError::Share));
            assert_eq!(Share::PastAverage(part).checked(), Err(SettingsError::Share));
            assert_eq!(Share::PastPosteriors(part).checked(), Err(SettingsError::Share));
        }
    }

    #[test]
    fn every_vector_counts_the_same_in_the_mean() {
        let mut past = PastWeights::<f64, 2>::new();
        assert!(past.is_empty());
        for first in [0.75, 0.0, 0.375] {
            past.update(&[first, 1.0 - first]);
        }
        // The mean of 0.75, 0 and 0.375 is 0.375; a quarter of it and three quarters of 1 are 0.84375.
        let mut mixed = [1.0, 0.0];
        mix(&mut mixed, past.mean(), 0.25);
        assert!((mixed[0] - 0.84375).abs() < 1e-15 && (mixed[1] - 0.15625).abs() < 1e-15);
    }
}
