//! The methods that every learner has for a sample, and the check that every sample passes first.
//! In: a sample of `DIM` channels. Out: the score or the residual of the sample, or a learner that has learned the sample.
//! Cost of the check: one pass over the sample.

pub(crate) mod centering;
pub(crate) mod energy_scale;
pub(crate) mod forgetting;
pub(crate) mod random;
pub(crate) mod trial;

use crate::codec::stored_choice;
use crate::scalar::constant::of_number;
use crate::{SampleError, Scalar, SettingsError, logging};

/// Whether a learner has learned a sample or was given start values (for example weights). The `const` constructor of some
/// learners does not compute their default start values, for example a quotient of type `T`. While such a learner is `Fresh`, its
/// methods compute these values when they need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) enum Progress {
    /// No sample was learned and no start values were given.
    Fresh,
    /// At least one sample was learned, or start values were given.
    Learned,
}

stored_choice!([] Progress { 0 = Fresh, 1 = Learned });

/// Accepts a learning rate only if it is positive and finite.
pub(crate) const fn checked_rate<T: Scalar>(learning_rate: T) -> Result<T, SettingsError> {
    if of_number!(learning_rate => learning_rate > 0.0 && learning_rate.is_finite()) {
        Ok(learning_rate)
    } else {
        Err(SettingsError::LearningRate)
    }
}

/// Implements `Default` for settings: returns the constant `DEFAULT`.
macro_rules! default_is_constant {
    ($($settings:ident),+) => { $(
        impl<T: $crate::Scalar> Default for $settings<T> {
            fn default() -> Self {
                Self::DEFAULT
            }
        }
    )+ };
}

pub(crate) use default_is_constant;

/// A learner of the normal samples in a stream of `DIM` channels.
///
/// Predict, then learn: [`score`](Learner::score) returns how far a sample is from the samples learned so far and changes
/// nothing; [`learn`](Learner::learn) updates the learner. A high score means an unusual sample. A refused sample leaves the
/// learner unchanged, bit for bit.
///
/// ```
/// use eigenstream::{Learner, SampleError, Scalar};
///
/// /// Scores a sample before the learner learns it.
/// fn observe<T: Scalar, const DIM: usize>(
///     learner: &mut impl Learner<T, DIM>,
///     sample: &[T; DIM],
/// ) -> Result<T, SampleError> {
///     let score = learner.score(sample)?;
///     learner.learn(sample)?;
///     Ok(score)
/// }
/// ```
pub trait Learner<T: Scalar, const DIM: usize> {
    /// How far a sample is from the samples learned so far; learns nothing. For most PCAs: the energy of the part of the sample
    /// that the kept directions do not represent. If a trial of the learner draws directions at random: the mean of this energy
    /// under the keep probabilities (the expected loss). `PairedPca` returns the squared distance from its relation instead.
    ///
    /// # Errors
    /// [`SampleError`].
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError>;

    /// The unexpected part of each channel. Up to rounding, the squares of the entries sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError>;

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError>;

    /// The energy of a sample: its squared distance from the centre of the learner, in feature space if the learner has a kernel.
    /// For a PCA this is the loss if no direction were kept. The default is the squared distance from zero.
    ///
    /// # Errors
    /// [`SampleError`].
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        energy_of(sample)
    }

    /// The part of a sample inside the learned subspace, as a vector with one entry per channel. The coordinate of the sample in
    /// each direction is divided by the standard deviation of this direction. A direction is left out if its variance is so small
    /// that it can be rounding error. The squares of the entries sum to Hotelling's T². The default returns `None`, for a learner
    /// without standard deviations. [`Lagged`](crate::monitor::Lagged) joins the last samples to one wide sample for its inner
    /// learner. If the inner learner returns `None`, `Lagged` uses the wide sample minus the residual of the wide sample.
    ///
    /// # Errors
    /// [`SampleError`]. The default returns no error.
    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let _ = sample;
        Ok(None)
    }

    /// The part of each channel in the score. No part is negative. Up to rounding and underflow, the parts sum to the score. The
    /// default is the square of each entry of [`residual`](Learner::residual), at most `MAX`.
    ///
    /// # Errors
    /// [`SampleError`].
    fn parts(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut parts = self.residual(sample)?;
        for part in &mut parts {
            *part = (*part * *part).min(T::MAX);
        }
        Ok(parts)
    }

    /// Learns from a sample, which gets the weight 1/`memory`; all earlier samples together get the rest. A monitor that watches
    /// with [`Learning::WhileNormal`](crate::monitor::Learning::WhileNormal) calls this method instead of `learn`, for at most
    /// one of 8 samples. `memory` is `u32::MAX` if the median score of the calibration is below 1/4, unless the threshold is
    /// fixed: then the learner should not change, because it would no longer fit the threshold. The default ignores `memory` and
    /// calls [`learn`](Learner::learn), for learners with a rate of their own.
    ///
    /// # Errors
    /// [`SampleError`].
    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        let _ = memory;
        self.learn(sample)
    }

    /// The fraction of the variance of each channel that the other channels explain, from 0 to 1. `None` if the learner does
    /// not compute this fraction.
    fn explained(&self) -> Option<[T; DIM]> {
        None
    }

    /// Shows a sample to the learner, which does not learn from it. Only a learner that uses several samples in a row needs
    /// this call. The default does nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    fn pass(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let _ = sample;
        Ok(())
    }

    /// Whether the learner can judge the next sample. Only a learner that uses several samples in a row can be not ready: it needs
    /// some samples at the start, and again after [`interrupt`](Self::interrupt). The default is true.
    fn is_ready(&self) -> bool {
        true
    }

    /// Tells the learner that samples are missing before the next sample. Only a learner that uses several samples in a row
    /// needs this call. The default does nothing.
    fn interrupt(&mut self) {}

    /// Forgets all samples and keeps the settings. A [`Monitor`](crate::monitor::Monitor) calls this method if it has to find the
    /// scale of the channels again, because then the learned numbers have the wrong units. The default does nothing.
    fn forget(&mut self) {}
}

/// Implements the three required methods of [`Learner`]: each calls the type's own method of this name. The own methods carry the
/// documentation, and a program can call them without importing the trait. `forget` calls the type's own `reset`.
macro_rules! own_verbs {
    () => {
        fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
            self.score(sample)
        }

        fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
            self.residual(sample)
        }

        fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
            self.learn(sample)
        }

        fn forget(&mut self) {
            self.reset();
        }
    };
}

pub(crate) use own_verbs;

/// The energy ‖x‖² of a sample x, or the reason why the sample is refused.
// Without `inline(always)`, a program with two learners of `DIM` channels calls the function: 26 more instructions per sample.
#[cfg_attr(not(optimize_for_size), inline(always))]
pub(crate) fn energy_of<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> Result<T, SampleError> {
    let mut energy = T::ZERO;
    for &value in sample {
        energy += value * value;
    }
    // The sum is finite only if every channel is finite, so one test covers all channels. The search for the channel runs only if
    // the sample is refused.
    if energy.is_finite() {
        Ok(energy)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// The reason for a refusal: the first channel that is NaN or infinite, otherwise the channel of largest magnitude.
#[cold]
pub(crate) fn refusal<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> SampleError {
    let mut largest = T::ZERO;
    let mut loudest = 0;
    for (channel, &value) in sample.iter().enumerate() {
        if !value.is_finite() {
            return SampleError::NotANumber { channel };
        }
        if value.abs() > largest {
            largest = value.abs();
            loudest = channel;
        }
    }
    SampleError::TooLarge { channel: loudest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guilty_channel_is_named() {
        assert_eq!(energy_of(&[3.0_f32, 4.0]), Ok(25.0));
        assert_eq!(
            energy_of(&[0.0, f32::NAN, f32::INFINITY]),
            Err(SampleError::NotANumber { channel: 1 })
        );
        assert_eq!(
            energy_of(&[1e38_f32, f32::NEG_INFINITY]),
            Err(SampleError::NotANumber { channel: 1 })
        );
        assert_eq!(
            energy_of(&[1e10_f32, -1e30, 1e20]),
            Err(SampleError::TooLarge { channel: 1 })
        );
        // Of equal channels the first.
        assert_eq!(
            energy_of(&[0.0_f32, -1e30, 1e30]),
            Err(SampleError::TooLarge { channel: 1 })
        );
    }
}
