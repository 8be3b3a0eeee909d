//! Which channels make a sample unusual, for learners that see it only through a kernel.
//! In: a sample, its loss, what is normal in each channel, and the loss of any other sample. Out: the loss shared out over the
//! channels: entries whose squares sum to it, with the sign of the deviation.
//! Method: replacement. Each channel in turn is set to what is normal, and is charged with what that takes from the loss. Needs
//! no derivative, and works where derivatives vanish: far away from all points.
//! Cost: DIM losses.

use crate::Scalar;

/// Shares `loss` out.
pub(super) fn by_replacement<T: Scalar, const DIM: usize>(
    sample: &[T; DIM],
    normal: &[T; DIM],
    loss: T,
    loss_of: impl Fn(&[T; DIM]) -> T,
) -> [T; DIM] {
    // So that the sum of the largest numbers is one.
    let part = T::ONE / T::from_usize(DIM.max(1));
    let mut charges = [T::ZERO; DIM];
    let mut replaced = *sample;
    for c in 0..DIM {
        replaced[c] = normal[c];
        charges[c] = part * T::ZERO.max(loss - loss_of(&replaced));
        replaced[c] = sample[c];
    }
    // Where no single channel is to blame, each is charged with how far it is off; and if none is, all alike.
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
        // Loss x₀² + x₁², nothing for the third channel.
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
