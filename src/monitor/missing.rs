//! Fills in a channel that has no value.
//! In: a sample, a flag for each channel (true: missing), and a learner. Out: the sample with the missing channels filled in.
//! Method: conjugate gradients with at most eight steps; the loss of the learner is measured at three places along a direction.
//! Derivation: `guide::mathematics`, "Missing channels".
//! Cost: at most 1 + r·(2·m + 3) scores for m missing channels, with r = min(m, 8); the energy of the sample at most nine times.

use crate::codec::stored_choice;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::{Learner, SampleError, Scalar};

/// The largest number of steps; for a linear learner, m steps reach the best values of m missing channels.
const ROUNDS: usize = 8;

/// The meaning of NaN in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Missing {
    /// NaN is an error of the caller, and the sample is refused; the default.
    #[default]
    Refuse,
    /// NaN means no value; a sample without any value is refused.
    ///
    /// While the monitor watches, the learner fills in the missing channels, and the sample is judged but not learned. In training,
    /// after the scale is found, such a sample is counted but not learned; the calibration is extended until it has enough scores,
    /// a quarter of its length but at most 16,384. A channel without spread does not count as missing.
    Impute,
}

stored_choice!([] Missing { 0 = Refuse, 1 = Impute });

/// Sets the channels that are `true` in `missing` to the values of smallest loss, the score of the learner.
///
/// For a linear learner, up to eight missing channels get the best values up to rounding; if more are missing, the values are
/// usually near the best. A channel that has no effect on the loss becomes zero. If the loss is not quadratic in the sample, the
/// values are a guess.
///
/// # Errors
/// [`SampleError`] if the learner refuses the sample; then the missing channels have no useful values.
///
/// ```
/// use eigenstream::{monitor::stages::impute, pca::{TrackingPca, TrackingSettings}};
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
// The function is not inlined, to save stack: most samples do not need its variables.
#[inline(never)]
pub fn impute<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &mut [T; DIM],
    missing: &[bool; DIM],
) -> Result<(), SampleError> {
    for (value, _) in sample.iter_mut().zip(missing).filter(|&(_, &missing)| missing) {
        *value = T::ZERO;
    }
    let channels = missing.iter().filter(|&&missing| missing).count();
    if channels == 0 {
        return Ok(());
    }
    let mut loss = learner.score(sample)?;
    let mut length = length_of(learner, sample, loss)?;
    let mut direction = [T::ZERO; DIM];
    let mut last_fall = T::ZERO;
    for _ in 0..channels.min(ROUNDS) {
        let (steps, fall) = single_steps(learner, sample, missing, loss, length);
        let memory = if last_fall > T::ZERO { fall / last_fall } else { T::ZERO };
        scale(&mut direction, memory);
        add_scaled(&mut direction, T::ONE, &steps);
        last_fall = fall;
        let Some((step, _)) = best_step(learner, sample, &direction, loss, length) else {
            break;
        };
        let place = moved(sample, step, &direction);
        // A step can raise the loss by rounding, or because the loss is not quadratic.
        match learner.score(&place) {
            Ok(lower) if lower <= loss => (*sample, loss) = (place, lower),
            _ => break,
        }
        length = length_of(learner, sample, loss)?;
    }
    Ok(())
}

/// The length of the steps that measure the loss: about that of the sample, so that rounding hides little of the change.
fn length_of<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    loss: T,
) -> Result<T, SampleError> {
    let energy = learner.energy(sample)?.max(loss);
    Ok(if energy >= T::MIN_POSITIVE {
        energy.sqrt()
    } else {
        T::ONE
    })
}

/// The best step of each missing channel alone, and the sum of the amounts by which each such step reduces the loss.
#[inline(never)]
fn single_steps<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    missing: &[bool; DIM],
    loss: T,
    length: T,
) -> ([T; DIM], T) {
    let mut steps = [T::ZERO; DIM];
    let mut sum = T::ZERO;
    for (channel, (step, &missing)) in steps.iter_mut().zip(missing).enumerate() {
        if !missing {
            continue;
        }
        let unit = core::array::from_fn(|other| T::from_usize(usize::from(other == channel)));
        if let Some((best, fall)) = best_step(learner, sample, &unit, loss, length) {
            *step = best;
            sum += fall;
        }
    }
    (steps, sum)
}

/// The best step along a direction, and the amount by which this step reduces the loss; `None` if the direction has hardly any
/// effect on the loss, or if the learner refuses a sample.
#[inline(never)]
fn best_step<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    sample: &[T; DIM],
    direction: &[T; DIM],
    loss: T,
    length: T,
) -> Option<(T, T)> {
    let square = dot(direction, direction);
    let h = length / square.sqrt();
    let loss_at = |step| learner.score(&moved(sample, step, direction)).ok();
    let (ahead, behind) = (loss_at(h)?, loss_at(-h)?);
    let b = (ahead - behind) / (T::TWO * h);
    let a = (T::HALF * (ahead + behind) - loss) / (h * h);
    // A curvature `a` below this limit can be rounding error.
    if a > T::from_f64(16.0) * T::EPSILON * square {
        let step = -T::HALF * b / a;
        Some((step, -T::HALF * b * step))
    } else {
        None
    }
}

fn moved<T: Scalar, const DIM: usize>(sample: &[T; DIM], step: T, direction: &[T; DIM]) -> [T; DIM] {
    let mut moved = *sample;
    add_scaled(&mut moved, step, direction);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A learner of one channel with this loss.
    struct Loss(fn(f32) -> f32);

    impl Learner<f32, 1> for Loss {
        fn score(&self, &[value]: &[f32; 1]) -> Result<f32, SampleError> {
            Ok((self.0)(value))
        }

        fn residual(&self, sample: &[f32; 1]) -> Result<[f32; 1], SampleError> {
            self.score(sample).map(|score| [score.sqrt()])
        }

        fn learn(&mut self, _: &[f32; 1]) -> Result<(), SampleError> {
            Ok(())
        }
    }

    fn filled(loss: fn(f32) -> f32) -> Result<[f32; 1], SampleError> {
        let mut sample = [f32::NAN];
        impute(&Loss(loss), &mut sample, &[true])?;
        Ok(sample)
    }

    #[test]
    fn a_step_that_raises_the_loss_is_not_used() {
        // The parabola through the losses at −1, 0 and 1 is smallest at 1.5.
        let jump = |value: f32| {
            if value > 1.2 {
                5.0
            } else {
                1.0 - 0.15 * value + 0.05 * value * value
            }
        };
        assert_eq!(filled(jump), Ok([0.0]));
        assert!(
            filled(|value| 1.0 - 0.15 * value + 0.05 * value * value).is_ok_and(|[value]| (value - 1.5).abs() < 1e-4)
        );
    }

    #[test]
    fn a_channel_whose_effect_is_only_rounding_becomes_zero() {
        assert_eq!(
            filled(|value| if value > 0.5 { 1.0 + 4.0 * f32::EPSILON } else { 1.0 }),
            Ok([0.0])
        );
    }
}
