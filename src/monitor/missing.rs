//! Fills in a channel that has no value.
//! In: a sample, a flag for each channel (true: missing), and a learner. Out: the sample, with the missing channels filled in.
//! Method: the best values have the smallest expected loss ‖r‖², where r is the residual of the learner. For a linear learner r
//! is affine in the sample: if channel j moves by δ, r changes by δ·sⱼ, and the slope sⱼ does not depend on the sample. So for
//! one missing channel j the best step is δ = −(sⱼ·r)/(sⱼ·sⱼ). Several missing channels start at zero and move together, at most
//! eight times, along conjugate directions that are made from the single steps δⱼ (conjugate gradients on the normal equations).
//! For up to eight missing channels this reaches the smallest loss up to rounding. A step that raises the loss is not used.
//! Cost: at most 1 + m·(m + 2) residuals for m ≤ 8 missing channels, and at most 1 + 8·(m + 2) for more.

use super::score::difference;
use crate::codec::stored_choice;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::{Learner, SampleError, Scalar};

/// The largest number of moves. For a linear learner, m moves reach the best values of m missing channels.
const ROUNDS: usize = 8;

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
/// not used. For a linear learner, up to eight missing channels get the best values up to rounding, and more missing channels get
/// values near the best values.
///
/// A missing channel is set to zero if a step of 1 in this channel changes the residual by at most 4√ε (ε: machine epsilon): such
/// a channel counts as without effect on the residual. If the residual is not affine in the sample, the values are only a guess,
/// and a value that raises the loss is not used.
///
/// # Errors
/// [`SampleError`] if a channel that is not missing is NaN or infinite, or if the learner refuses the sample. After an error the
/// missing channels of `sample` have no useful values. If no channel is missing, there is no check and no error.
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
    if channels == 0 {
        return Ok(());
    }
    let mut here = learner.residual(sample)?;
    let mut direction = [T::ZERO; DIM];
    let mut last_fall = T::ZERO;
    for _ in 0..channels.min(ROUNDS) {
        let (steps, fall) = single_steps(learner, sample, missing, &here);
        // Conjugate directions: d ← steps + (fall / last fall)·d. `fall` is the sum of the falls of the single steps, not the fall
        // of the loss in a move.
        let memory = if last_fall > T::ZERO { fall / last_fall } else { T::ZERO };
        scale(&mut direction, memory);
        add_scaled(&mut direction, T::ONE, &steps);
        last_fall = fall;
        let Some((place, residual)) = best_along(learner, sample, &direction, &here) else {
            break;
        };
        (*sample, here) = (place, residual);
    }
    Ok(())
}

/// Returns the best step of each missing channel alone, δⱼ = −(sⱼ·r)/(sⱼ·sⱼ), and the sum Σⱼ (sⱼ·r)²/(sⱼ·sⱼ). Each term of this
/// sum is the fall of the loss if only channel j makes its step.
#[inline(never)]
fn single_steps<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    missing: &[bool; DIM],
    here: &[T; DIM],
) -> ([T; DIM], T) {
    let mut steps = [T::ZERO; DIM];
    let mut fall = T::ZERO;
    for (channel, (step, &missing)) in steps.iter_mut().zip(missing).enumerate() {
        if !missing {
            continue;
        }
        let mut unit = [T::ZERO; DIM];
        if let Some(place) = unit.get_mut(channel) {
            *place = T::ONE;
        }
        if let Some((best, lower)) = best_step(learner, sample, &unit, here) {
            *step = best;
            fall += lower;
        }
    }
    (steps, fall)
}

/// Moves the sample along a direction to the smallest loss. Returns the new sample and its residual. Returns `None` if
/// `best_step` returns `None`, if the learner refuses the new sample, or if the step raises the loss. A step can raise the loss
/// by rounding, or because the residual is not affine.
#[inline(never)]
fn best_along<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    direction: &[T; DIM],
    here: &[T; DIM],
) -> Option<([T; DIM], [T; DIM])> {
    let (step, _) = best_step(learner, sample, direction, here)?;
    let place = moved(sample, step, direction);
    let residual = learner.residual(&place).ok()?;
    (dot(&residual, &residual) <= dot(here, here)).then_some((place, residual))
}

/// Returns the best step δ = −(s·r)/(s·s) along a direction, with the slope s of the residual, and the fall of the loss
/// (s·r)²/(s·s). `None` if the step has no effect on the residual or if the learner refuses a step of 1.
fn best_step<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    direction: &[T; DIM],
    here: &[T; DIM],
) -> Option<(T, T)> {
    let ahead = learner.residual(&moved(sample, T::ONE, direction)).ok()?;
    let slope = difference(&ahead, here);
    let curvature = dot(&slope, &slope);
    // For a direction of length 1, a curvature of at most 16 times the machine epsilon counts as zero: it can be rounding error.
    if curvature > T::from_f64(16.0) * T::EPSILON * dot(direction, direction) {
        let along = dot(&slope, here);
        let step = -along / curvature;
        Some((step, -along * step))
    } else {
        None
    }
}

/// Returns x + δ·d.
fn moved<T: Scalar, const DIM: usize>(sample: &[T; DIM], step: T, direction: &[T; DIM]) -> [T; DIM] {
    let mut moved = *sample;
    add_scaled(&mut moved, step, direction);
    moved
}
