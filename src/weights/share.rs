//! Share updates, [WK08] section 8: a part α of all weight is redistributed after each trial.
//! In: α, and which weights receive it. Out: a checked choice, and the mixture for weights on experts.
//! Method: q ← (1−α)q + αr. With `Uniform`, r is d/N. With the other two, r is the mean of earlier q, [WK08] equation
//! (20), after mixing (`PastAverage`) or before (`PastPosteriors`). `pca/density/share.rs` has the mean of matrices.
//! Cost: 2·N multiplications to mix, N multiply-adds for the mean. Kept for the mean: N numbers and a counter.

use crate::codec::{stored, stored_choice, validate};
use crate::error::{CodecError, SettingsError};
use crate::scalar::Scalar;
use crate::scalar::constant::of_number;

/// The weights that receive the part α of all weight, 0 ≤ α ≤ 1, after each sample.
///
/// A small α, for example 10⁻³, lets a direction or expert of little weight recover when the data change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Share<T> {
    /// No share step; this is the default.
    #[default]
    Nothing,
    /// The part goes to all directions or experts equally.
    Uniform(T),
    /// The part goes to the mean of the weights at the start and after each earlier trial, \[WK08\] equation (20).
    ///
    /// The weight returns faster than with `Uniform` to directions or experts that were the best in the past. In `f32`
    /// rounding errors in the mean can grow with the number of trials: for millions of trials use `f64` or a small α.
    PastAverage(T),
    /// As `PastAverage`, but with the weights of each earlier trial *before* mixing.
    PastPosteriors(T),
}

impl<T: Scalar> Share<T> {
    /// Returns an error unless 0 ≤ α ≤ 1, and [`Nothing`](Self::Nothing) for an α below `MIN_POSITIVE`/ε.
    ///
    /// α times a probability could underflow to zero. The evidence, minus the logarithm of this product, would be
    /// infinite.
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

/// The mean of q over the past trials.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct PastWeights<T, const N: usize> {
    mean: [T; N],
    /// The number of vectors in the mean. It stops at `u32::MAX`: then each new vector has the weight 1/`u32::MAX`.
    count: u32,
}

impl<T: Scalar, const N: usize> PastWeights<T, N> {
    pub(super) const fn new() -> Self {
        Self {
            mean: [T::ZERO; N],
            count: 0,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn update(&mut self, probabilities: &[T; N]) {
        self.count = self.count.saturating_add(1);
        let weight = T::ONE / T::from_f64(f64::from(self.count));
        for (mean, &probability) in self.mean.iter_mut().zip(probabilities) {
            *mean += weight * (probability - *mean);
        }
    }

    /// The mean; all zeros if it is empty.
    pub(super) const fn mean(&self) -> &[T; N] {
        &self.mean
    }
}

/// q ← (1−α)q + α·other, with α = `part`.
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
        // The mean of 0.75, 0 and 0.375 is 0.375. 0.25·0.375 + 0.75·1 = 0.84375.
        let mut mixed = [1.0, 0.0];
        mix(&mut mixed, past.mean(), 0.25);
        assert!((mixed[0] - 0.84375).abs() < 1e-15 && (mixed[1] - 0.15625).abs() < 1e-15);
    }

    #[test]
    fn the_count_of_the_past_stops_at_its_largest_number() {
        let mut past = PastWeights::<f64, 2>::new();
        past.update(&[0.25, 0.75]);
        past.count = u32::MAX;
        past.update(&[1.0, 0.0]);
        assert_eq!(past.count, u32::MAX);
        assert!((past.mean()[0] - 0.25).abs() < 1e-9 && past.validate() == Ok(()));
        past.mean[0] = 1.5;
        assert_eq!(past.validate(), Err(CodecError::Probability));
    }
}
