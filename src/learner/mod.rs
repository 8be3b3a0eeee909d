//! The verbs that every learner has for a sample, and the one check that a sample passes first.
//! In: a sample of `DIM` channels. Out: how unusual it is, where it is unusual, or a learner that has seen it.
//! Cost of the check: one pass over the sample.

pub(crate) mod centering;
pub(crate) mod energy_scale;
pub(crate) mod forgetting;
pub(crate) mod random;
pub(crate) mod trial;

use crate::codec::stored_choice;
use crate::scalar::constant::of_number;
use crate::{SampleError, Scalar, SettingsError, logging};

/// Whether a learner has learned anything yet. A const constructor cannot compute the first state of some learners: the first sample
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) enum Progress {
    /// As constructed.
    Fresh,
    /// At least one sample was learned, or a start was given.
    Learned,
}

stored_choice!([] Progress { 0 = Fresh, 1 = Learned });

/// A learning rate that can be used: positive and finite.
pub(crate) const fn checked_rate<T: Scalar>(learning_rate: T) -> Result<T, SettingsError> {
    if of_number!(learning_rate => learning_rate > 0.0 && learning_rate.is_finite()) {
        Ok(learning_rate)
    } else {
        Err(SettingsError::LearningRate)
    }
}

/// `Default` of settings is their constant `DEFAULT`.
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

/// A learner of what is normal in a stream of samples of `DIM` channels.
///
/// Predict, then learn: [`score`](Learner::score) says how far a sample is from what was learned so far and changes nothing,
/// [`learn`](Learner::learn) takes it in. High is unusual. A refused sample leaves the learner bit for bit as it was.
///
/// ```
/// use eigenstream::{Learner, SampleError, Scalar};
///
/// /// Scores a sample, then learns from it: the order that keeps a score honest.
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
    /// Expected compression loss of a sample, before it is learned.
    ///
    /// # Errors
    /// [`SampleError`].
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError>;

    /// The unexpected part of each channel: the squares of the entries sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError>;

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError>;

    /// The largest loss that a sample can have: its energy about the centre, which a learner that keeps nothing loses.
    ///
    /// # Errors
    /// [`SampleError`].
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        energy_of(sample)
    }

    /// The position of a sample inside the learned subspace, in units of the usual spread there: the squares of the
    /// entries sum to Hotelling's T². `None` from a learner that does not know how far samples usually lie.
    ///
    /// # Errors
    /// [`SampleError`].
    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let _ = sample;
        Ok(None)
    }

    /// The part of each channel in the score: none is negative, and they sum to it. Unless the learner knows better, the
    /// squares of its [`residual`](Learner::residual).
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

    /// Learns from a sample with the weight of one in `memory`: how a monitor goes on learning while it watches. A learner whose
    /// rate is its own ignores `memory`.
    ///
    /// # Errors
    /// [`SampleError`].
    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        let _ = memory;
        self.learn(sample)
    }

    /// How much of the variance of each channel the other channels explain, from 0 to 1. `None` from a learner that does not
    /// know it.
    fn explained(&self) -> Option<[T; DIM]> {
        None
    }

    /// Lets a sample go by without learning from it. Only a learner that looks at several samples in a row has to know.
    ///
    /// # Errors
    /// [`SampleError`].
    fn pass(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let _ = sample;
        Ok(())
    }

    /// Samples are missing between the last one and the next. Only a learner that looks at several in a row has to know.
    fn interrupt(&mut self) {}
}

/// The three verbs every [`Learner`] has to have, of one that has them itself: there they are documented, and callable without
/// the trait.
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
    };
}

pub(crate) use own_verbs;

/// ‖x‖² of a sample, or why it cannot be used.
pub(crate) fn energy_of<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> Result<T, SampleError> {
    let mut energy = T::ZERO;
    for &value in sample {
        energy += value * value;
    }
    // One look at the sum covers every channel; only a refusal searches for the guilty one.
    if energy.is_finite() {
        Ok(energy)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// Why a sample is refused: the first channel that is NaN or infinite, else the loudest one.
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
    }
}
