//! Finds the channels that make a sample unusual, for learners that see the sample only through a kernel.
//! In: a sample, its loss, the normal value of each channel, and a function that returns the loss of any other sample. Out:
//! the loss divided among the channels: entries whose squares sum to the loss, with the sign of the deviation from the
//! normal value.
//! Method: replacement. Each channel in turn is set to its normal value, while the other channels stay. The decrease of the loss
//! is the *charge* of the channel. An increase of the loss counts as the charge zero. The loss is divided in proportion to the
//! charges. If all charges are zero, the distance of a channel from its normal value becomes its charge. If all distances are
//! zero too, all charges are equal. This method needs no derivative, and works also far away from all points, where the
//! derivatives of a Gaussian kernel vanish.
//! Cost: DIM evaluations of the loss.

use crate::Scalar;

/// Divides `loss` among the channels. Returns an entry for each channel; the squares of the entries sum to `loss`.
pub(super) fn by_replacement<T: Scalar, const DIM: usize>(
    sample: &[T; DIM],
    normal: &[T; DIM],
    loss: T,
    loss_of: impl Fn(&[T; DIM]) -> T,
) -> [T; DIM] {
    // Each charge (decrease of the loss) is divided by `DIM`, so that the sum of all charges cannot overflow.
    let part = T::ONE / T::from_usize(DIM.max(1));
    let mut charges = [T::ZERO; DIM];
    let mut replaced = *sample;
    for c in 0..DIM {
        replaced[c] = normal[c];
        charges[c] = part * T::ZERO.max(loss - loss_of(&replaced));
        replaced[c] = sample[c];
    }
    // If no replacement reduces the loss, the charge is the distance of the channel from its normal value. If all distances
    // are zero, all charges are equal.
    if total(&charges) == T::ZERO {
        for c in 0..DIM {
            charges[c] = part * (sample[c] - normal[c]).abs();
        }
    }
    if total(&charges) == T::ZERO {
        charges = [T::ONE; DIM];
    }
    let total = total(&charges);
    let mut residual = [T::ZERO; DIM];
    for c in 0..DIM {
        let size = (loss * (charges[c] / total)).sqrt();
        residual[c] = if sample[c] < normal[c] { -size } else { size };
    }
    residual
}

fn total<T: Scalar>(charges: &[T]) -> T {
    charges.iter().fold(T::ZERO, |sum, &charge| sum + charge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_shared_out_by_blame() {
        // The loss is x₀² + x₁²; the third channel has no effect.
        let loss_of = |x: &[f64; 3]| x[0] * x[0] + x[1] * x[1];
        let residual = by_replacement(&[-2.0, 1.0, 7.0], &[0.0; 3], 5.0, loss_of);
        assert_eq!(residual, [-2.0, 1.0, 0.0]);
    }

    #[test]
    fn a_loss_that_no_single_channel_explains_is_shared_by_distance() {
        let residual = by_replacement(&[3.0_f64, 1.0], &[0.0; 2], 4.0, |_| 4.0);
        assert_eq!(residual, [3.0_f64.sqrt(), 1.0]);
        let residual = by_replacement(&[0.0_f64, 0.0], &[0.0; 2], 4.0, |_| 4.0);
        assert!((residual[0] - residual[1]).abs() < 1e-12 && (residual[0].powi(2) - 2.0).abs() < 1e-12);
    }
}
