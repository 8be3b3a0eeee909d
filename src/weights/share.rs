//! Share updates, [WK08] section 8: after each trial a part α of all weight is redistributed, so that a direction or expert with
//! little weight can recover.
//! In: the part α, and to which weights it is given. Out: a checked choice for the settings of a learner, and the mixture for
//! weights on experts.
//! Method: [WK08] section 8. N experts have the weights w. The vector q = d·w contains the probabilities that each expert is in a
//! set of d experts. Uniform: q ← (1−α)q + α·d/N. Past: q ← (1−α)q + α·(mean of earlier q), equation (20). The earlier q are
//! those after mixing (`PastAverage`) or those before mixing (`PastPosteriors`). `pca/density/share.rs` has the mean of matrices.
//! Cost: 2·N multiplications and N additions to mix, N multiply-adds for the mean of earlier q. Kept for this mean: N numbers and
//! a counter.

use crate::codec::{stored, stored_choice, validate};
use crate::scalar::constant::of_number;
use crate::{CodecError, Scalar, SettingsError};

/// To which weights the part α of all weight is given after each sample. α is between zero and one. If the data change, the
/// total loss with a small α, for example 10⁻³, usually depends less on the learning rate than without a share step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Share<T> {
    /// No share step: the algorithm of the learner without change. The default.
    #[default]
    Nothing,
    /// The part α goes equally to all directions or experts. So after a change of the data the learner can find any new best
    /// directions or experts.
    Uniform(T),
    /// In trial t the part α goes to the mean of the weights W⁰ … Wᵗ⁻¹, exactly as in \[WK08\] equation (20). W⁰ are the
    /// weights before the first trial, Wⁱ are the weights at the end of trial i, *after* mixing. If directions or experts that
    /// were the best in earlier trials become the best again, the learner can find them faster than with `Uniform`.
    ///
    /// In `f32` the rounding errors of this mean grow with the number of trials. With four experts that were the best in turn,
    /// the sum of the mean was wrong by 5·10⁻⁴ after 10⁶ trials and by 6 % after 10⁷. From about 2·10⁷ trials on the mean hardly
    /// moves. The share multiplies these errors by α. Use `f64` for a longer stream, or a small α.
    PastAverage(T),
    /// The part α goes to the mean of two kinds of weights: the weights before the first trial, and the weights of each earlier
    /// trial after learning, but *before* mixing. Rounding has the effect that `PastAverage` describes.
    PastPosteriors(T),
}

impl<T: Scalar> Share<T> {
    /// Returns an error unless 0 ≤ α ≤ 1. Returns [`Nothing`](Self::Nothing) if α is below `MIN_POSITIVE`/ε: then α times a
    /// probability could underflow to zero. The evidence of a direction can be minus the logarithm of such a product, and would
    /// be infinite. Otherwise returns `self`.
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

/// The mean of the probabilities q = d·w of the experts over the past trials, with the set size d and the weights w.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct PastWeights<T, const N: usize> {
    mean: [T; N],
    /// The number of vectors in the mean. The count stops at `u32::MAX`: from then on each new vector has the weight
    /// 1/`u32::MAX` in the mean.
    count: u32,
}

impl<T: Scalar, const N: usize> PastWeights<T, N> {
    /// Creates a mean of no vectors.
    pub(super) const fn new() -> Self {
        Self {
            mean: [T::ZERO; N],
            count: 0,
        }
    }

    /// Whether the mean contains no vector.
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds the probabilities of one trial to the mean.
    pub(super) fn update(&mut self, probabilities: &[T; N]) {
        self.count = self.count.saturating_add(1);
        let weight = T::ONE / T::from_f64(f64::from(self.count));
        for (mean, &probability) in self.mean.iter_mut().zip(probabilities) {
            *mean += weight * (probability - *mean);
        }
    }

    /// The mean of the past vectors; all zeros if there is no vector.
    pub(super) const fn mean(&self) -> &[T; N] {
        &self.mean
    }
}

/// q ← (1−α)q + α·other, with q in `probabilities` and α = `part`.
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
