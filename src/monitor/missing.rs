//! Treatment of a channel that has no value.
//! In: a sample in which NaN marks what is missing, and a learner. Out: the sample, filled in as the learner expects it.
//! Method: the missing values are those that make the expected loss smallest. A residual is affine in the sample for every
//! linear learner, r(x + δeⱼ) = r(x) + δsⱼ, so along one channel the best step is δ = −sⱼ·r / sⱼ·sⱼ; several missing channels
//! take turns (Gauss–Seidel on the normal equations), which never raises the loss.
//! Cost: three residuals for one missing channel, 24 a channel for more.

use crate::codec::stored_choice;
use crate::spectrum::vector::dot;
use crate::{Learner, SampleError, Scalar};

/// Rounds over several missing channels. Each takes away a fixed part of what is left to gain; a single channel needs one.
const SWEEPS: usize = 8;

/// The meaning of NaN in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Missing {
    /// A fault of the caller: the sample is refused. The default.
    #[default]
    Refuse,
    /// No value: the learner fills it in. Before the monitor watches, the learner cannot do this yet: the sample counts, and nothing
    /// is learned from it.
    Impute,
}

stored_choice!([] Missing { 0 = Refuse, 1 = Impute });

/// Fills in the marked channels of a sample so that the learner expects it most; what stands there is overwritten.
///
/// A channel that makes no difference to the learner is left at zero.
///
/// # Errors
/// [`SampleError`]: another channel is NaN or infinite, or the learner refuses the sample. `sample` may then be partly filled in.
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
// Seldom needed: apart, it is not written out for each channel on the way of every sample.
#[cfg_attr(not(optimize_for_size), inline(never))]
pub fn impute<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &mut [T; DIM],
    missing: &[bool; DIM],
) -> Result<(), SampleError> {
    let mut channels = 0;
    for (value, &missing) in sample.iter_mut().zip(missing) {
        if missing {
            *value = T::ZERO;
            channels += 1;
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

/// Moves one channel to where the loss is smallest.
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
    // A channel that the learner keeps whatever it is says nothing; anything near rounding is no curvature.
    if curvature > T::from_f64(16.0) * T::EPSILON {
        put(sample, channel, before - dot(&slope, &here) / curvature);
        // Of a learner that is not affine the step is only a good guess, and a step too far is taken back.
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
