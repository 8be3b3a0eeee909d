//! Fills in a channel that has no value.
//! In: a sample, a flag for each channel (true: missing), and a learner. Out: the sample, with the missing channels filled in.
//! Method: the best values have the smallest expected loss ‖r‖², where r is the residual of the learner. For a linear learner r
//! is affine in the sample: if channel j moves by δ, r changes by δ·sⱼ, and the slope sⱼ does not depend on the sample. So for
//! one missing channel j the best step is δ = −(sⱼ·r)/(sⱼ·sⱼ). Several missing channels are improved in turn from zero, in eight
//! rounds (Gauss–Seidel on the normal equations). The result is near the smallest loss, unless the missing channels are related
//! to each other much more closely than to the other channels: then the values stay too near zero. A step that raises the loss is
//! undone.
//! Cost: at most three residuals for one missing channel; at most 24 residuals per missing channel if there are several.

use crate::codec::stored_choice;
use crate::spectrum::vector::dot;
use crate::{Learner, SampleError, Scalar};

/// The number of rounds over several missing channels. For a linear learner the values approach the best values from round to
/// round. A single missing channel needs one round.
const SWEEPS: usize = 8;

/// The meaning of NaN in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Missing {
    /// NaN is an error of the caller: the sample is refused. The default.
    #[default]
    Refuse,
    /// NaN means no value. A sample without any value is refused. While the warm-up finds level and spread of the channels, only
    /// the channels with a value are used. In the remaining warm-up and in calibration, a sample with a missing channel is
    /// counted but not learned. While the monitor watches, the learner fills in the missing channels. A channel without spread is
    /// ignored: it does not count as missing.
    Impute,
}

stored_choice!([] Missing { 0 = Refuse, 1 = Impute });

/// Sets the channels that are `true` in `missing` to the values of smallest expected loss. The old values of these channels are
/// not used. With several missing channels the values are only near the best values. They stay too near zero if the missing
/// channels are related to each other much more closely than to the other channels.
///
/// A channel that has no effect on the residual is set to zero: a step of 1 in such a channel changes the residual by at most 4√ε
/// (ε: machine epsilon). If the residual is not affine in the sample, the values are only a guess, and a value that raises the
/// loss is not used.
///
/// # Errors
/// [`SampleError`] if another channel is NaN or infinite, or if the learner refuses the sample. Then the missing channels of
/// `sample` have no useful values. If no channel is missing, there is no check and no error.
///
/// ```
/// use eigenstream::{monitor::impute, pca::{TrackingPca, TrackingSettings}};
///
/// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
/// for i in 0..50 {
///     let swing = (i % 7) as f32 - 3.0;
///     pca.learn(&[swing, 2.0 * swing, -swing])?;
/// }
/// let mut sample = [1.0, f32::NAN, -1.0];
/// impute(&pca, &mut sample, &[false, true, false])?;
/// assert!((sample[1] - 2.0).abs() < 1e-2);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
// This function is rarely called. `inline(never)` keeps it out of the code that runs for every sample.
#[cfg_attr(not(optimize_for_size), inline(never))]
pub fn impute<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &mut [T; DIM],
    missing: &[bool; DIM],
) -> Result<(), SampleError> {
    let mut channels = 0_usize;
    for (value, &missing) in sample.iter_mut().zip(missing) {
        if missing {
            *value = T::ZERO;
            channels = channels.wrapping_add(1);
        }
    }
    let sweeps = if channels > 1 { SWEEPS } else { 1 };
    for _ in 0..sweeps {
        for channel in 0..DIM {
            if missing[channel] {
                improve(learner, sample, channel)?;
            }
        }
    }
    Ok(())
}

/// Moves one channel to the value of smallest loss.
#[inline(never)]
fn improve<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &mut [T; DIM],
    channel: usize,
) -> Result<(), SampleError> {
    let before = sample.get(channel).copied().unwrap_or(T::ZERO);
    let here = learner.residual(sample)?;
    put(sample, channel, before + T::ONE);
    let mut slope = learner.residual(sample)?;
    for (slope, &here) in slope.iter_mut().zip(&here) {
        *slope -= here;
    }
    let curvature = dot(&slope, &slope);
    // `curvature` is zero if the value of this channel has no effect on the residual: then the channel is not changed. A
    // curvature of at most 16 times the machine epsilon counts as zero, because it can be rounding error.
    if curvature > T::from_f64(16.0) * T::EPSILON {
        put(sample, channel, before - dot(&slope, &here) / curvature);
        // If the residual is not affine, the step is only a good guess. A step is undone if it raises the loss or if the learner
        // refuses the sample after the step.
        let there = learner.residual(sample);
        if there.is_ok_and(|there| dot(&there, &there) <= dot(&here, &here)) {
            return Ok(());
        }
    }
    put(sample, channel, before);
    Ok(())
}

fn put<T, const DIM: usize>(sample: &mut [T; DIM], channel: usize, value: T) {
    if let Some(place) = sample.get_mut(channel) {
        *place = value;
    }
}
