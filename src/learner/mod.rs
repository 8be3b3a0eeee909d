//! The common parts of all learners: the trait, the result of a trial, and the check of a sample.
//!
//! Words: sample = one number per channel (x); energy = ‖x‖², the squared length of a sample, or with a kernel k(x, x);
//! loss = the part of the energy that the kept directions do not represent; score = how far a sample is from those
//! learned so far; direction = unit vector of a PCA; keep probability = the probability that a trial keeps a direction;
//! η = learning rate; ε = machine epsilon.

pub(crate) mod energy_scale;
pub(crate) mod forgetting;
pub(crate) mod random;

use crate::codec::stored_choice;
use crate::error::{SampleError, SettingsError};
use crate::logging;
use crate::scalar::Scalar;
use crate::scalar::constant::of_number;

/// Whether a learner still has to compute the start values that its `const` constructor cannot compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) enum Progress {
    /// No sample was learned and no start values were given.
    Fresh,
    Learned,
}

stored_choice!([] Progress { 0 = Fresh, 1 = Learned });

/// Whether directions are computed about the mean of the samples (in kernel PCA, of their features) or about zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Centering {
    /// The directions are computed about the mean, as is usual in PCA; the default.
    #[default]
    Centered,
    /// The directions are computed about zero, as in \[WK08\] Algorithm 5.
    Uncentered,
}

stored_choice!([] Centering { 0 = Centered, 1 = Uncentered });

/// The result of one trial: the learner predicts, gets the sample, computes the loss, then learns the sample.
///
/// x is the sample, with a kernel its features; a learner with a centre subtracts the centre.
///
/// ```
/// use eigenstream::Trial;
/// let trial = Trial { code: [0.5_f32, 0.0], loss: 0.25, expected_loss: 0.5 };
/// assert!(trial.loss <= trial.expected_loss);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Trial<T, const KEEP: usize> {
    /// The coordinates vᵢ·x in the drawn directions vᵢ, in the learner's order. Unused entries are zero.
    ///
    /// In kernel PCA, directions and centre are those of the last refresh, which computes them from the stored points.
    /// A stored point that `push` replaced since then is missing, so code and losses are inexact until the next
    /// refresh.
    pub code: [T; KEEP],
    /// The part of the energy that the code does not represent, ‖x‖² − Σ codeᵢ².
    pub loss: T,
    /// The expected loss, ‖x‖² − Σ pᵢ(vᵢ·x)² over all directions vᵢ with the keep probabilities pᵢ.
    ///
    /// Without a ceiling (an upper limit of the evidence) it is the mean of `loss` over all draws. With
    /// [`Ambient::Finite`](crate::kernel::Ambient::Finite) the sum also contains directions that are not stored, which
    /// `code` cannot contain.
    pub expected_loss: T,
}

/// Accepts a learning rate only if it is positive and finite.
pub(crate) const fn checked_rate<T: Scalar>(learning_rate: T) -> Result<T, SettingsError> {
    if of_number!(learning_rate => learning_rate > 0.0 && learning_rate.is_finite()) {
        Ok(learning_rate)
    } else {
        Err(SettingsError::LearningRate)
    }
}

/// Implements `Default` for settings with the constant `DEFAULT`.
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
/// Predict, then learn: [`score`](Learner::score) changes nothing, [`learn`](Learner::learn) updates the learner. A
/// refused sample leaves the learner unchanged, bit for bit.
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
    /// How far a sample is from the samples learned so far; learns nothing.
    ///
    /// For most PCAs it is the loss; if a trial draws directions at random, it is the expected loss. `PairedPca`
    /// returns the squared distance from the relation that it learned.
    ///
    /// # Errors
    /// [`SampleError`].
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError>;

    /// The unexpected part of each channel; up to rounding, the squares sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError>;

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError>;

    /// The squared distance of a sample from the centre of the learner, in feature space if it has a kernel.
    ///
    /// For a PCA this is the loss that it would have without any kept direction. The default is the squared distance
    /// from zero.
    ///
    /// # Errors
    /// [`SampleError`].
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        energy_of(sample)
    }

    /// The part of a sample inside the learned subspace, whose squares sum to Hotelling's T².
    ///
    /// The coordinate in each direction is divided by the standard deviation of the direction. A direction whose
    /// variance can be rounding error is left out. The default returns `None`; [`Lagged`](crate::monitor::Lagged) then
    /// uses its wide sample minus the residual of the wide sample.
    ///
    /// # Errors
    /// [`SampleError`]. The default never returns an error.
    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let _ = sample;
        Ok(None)
    }

    /// The part of each channel in the score: none is negative, and up to rounding and underflow their sum is the
    /// score.
    ///
    /// The default is the square of each entry of [`residual`](Learner::residual), at most `MAX`.
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

    /// Learns from a sample with the weight 1/`memory`; all earlier samples together get the rest.
    ///
    /// A monitor that watches with [`Learning::WhileNormal`](crate::monitor::Learning::WhileNormal) calls this instead
    /// of `learn`, for at most one of 8 samples. With `Score::Loss`, `memory` is `u32::MAX` if the median score of the
    /// calibration is below 1/4 and the threshold is not fixed: a learner that changes would then no longer fit the
    /// threshold. The default calls [`learn`](Learner::learn).
    ///
    /// # Errors
    /// [`SampleError`].
    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        let _ = memory;
        self.learn(sample)
    }

    /// The fraction of the variance of each channel that the other channels explain, from 0 to 1, or `None`.
    fn explained(&self) -> Option<[T; DIM]> {
        None
    }

    /// Shows the learner a sample that it must not learn: a learner of several samples in a row needs every sample.
    ///
    /// The default does nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    fn pass(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let _ = sample;
        Ok(())
    }

    /// Whether the learner can judge the next sample.
    ///
    /// A learner that uses several samples in a row is not ready at the start and after [`interrupt`](Self::interrupt).
    /// The default is true.
    fn is_ready(&self) -> bool {
        true
    }

    /// Tells a learner that uses several samples in a row that samples are missing before the next one.
    ///
    /// The default does nothing.
    fn interrupt(&mut self) {}

    /// Forgets all samples and keeps the settings.
    ///
    /// A [`Monitor`](crate::monitor::Monitor) calls this if the scale of the channels was wrong and must be found
    /// again: the learned numbers then have the wrong units. The default does nothing.
    fn forget(&mut self) {}
}

/// Implements the required methods of [`Learner`] and `forget` by the type's own methods, which programs can call
/// without the trait.
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

/// The energy ‖x‖² of a sample, or the reason why it is refused.
// The function is inlined for speed: it runs for each sample.
#[cfg_attr(not(optimize_for_size), inline(always))]
pub(crate) fn energy_of<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> Result<T, SampleError> {
    let mut energy = T::ZERO;
    for &value in sample {
        energy += value * value;
    }
    // The sum is finite only if every channel is finite.
    if energy.is_finite() {
        Ok(energy)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// The error that names the first channel that is NaN or infinite; without such a channel, the channel of largest
/// magnitude.
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
        // Of equally large channels the first is named.
        assert_eq!(
            energy_of(&[0.0_f32, -1e30, 1e30]),
            Err(SampleError::TooLarge { channel: 1 })
        );
    }
}
