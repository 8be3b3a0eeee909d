//! Weights from losses: [WK08] Algorithm 1 in closed form.
//! In: total losses L, η, optionally a prior w⁰. Out: w_i ∝ w⁰_i exp(−ηL_i) with sum one.
//! Cost: no memory; one `exp` per expert, and with a prior one `ln`.

use super::check::{largest_weight, same_length};
use crate::error::WeightsError;
use crate::scalar::Scalar;

/// Writes w_i = w⁰_i exp(−ηL_i) / Σ_j w⁰_j exp(−ηL_j) into `weights`.
///
/// Without a `prior` all experts start equal; a prior need not sum to one. The weight is zero for an expert with prior
/// zero, with an infinite loss, or with a loss more than [`Scalar::MAX`] above the smallest.
///
/// # Errors
/// [`WeightsError::Length`] for slices of different lengths; [`WeightsError::NotANumber`], [`WeightsError::Negative`] for an
/// invalid prior; [`WeightsError::LearningRate`] if η is negative or not finite; [`WeightsError::NotANumber`] for a
/// loss that is NaN or −∞; [`WeightsError::AllZero`] if no expert has a positive prior and a finite loss. After an
/// error `weights` is unchanged.
///
/// ```
/// use eigenstream::weights::softmin;
///
/// let mut weights = [0.0_f64; 3];
/// // The loss difference times η = 2 is ln 2, so the second expert has half the weight of the first.
/// let half = core::f64::consts::LN_2 / 2.0;
/// softmin(&[100.0, 100.0 + half, f64::INFINITY], 2.0, None, &mut weights)?;
/// assert!((weights[0] - 2.0 / 3.0).abs() < 1e-12 && (weights[1] - 1.0 / 3.0).abs() < 1e-12);
/// assert_eq!(weights[2], 0.0);
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
pub fn softmin<T: Scalar>(
    losses: &[T],
    learning_rate: T,
    prior: Option<&[T]>,
    weights: &mut [T],
) -> Result<(), WeightsError> {
    same_length(weights.len(), losses.len())?;
    if let Some(prior) = prior {
        same_length(prior.len(), losses.len())?;
        largest_weight(prior)?;
    }
    if !(learning_rate.is_finite() && learning_rate >= T::ZERO) {
        return Err(WeightsError::LearningRate);
    }
    let least = least_loss(losses, prior)?;

    // Subtracts the smallest loss before the product with η: then no log weight is +∞ or NaN. Adds the prior as a
    // logarithm, because a tiny prior times a tiny exponential would underflow.
    let mut heaviest = -T::INFINITY;
    let mut priors = prior.map(<[T]>::iter);
    for (weight, &loss) in weights.iter_mut().zip(losses) {
        let log_prior = match priors.as_mut().and_then(Iterator::next) {
            Some(&prior) if prior > T::ZERO => prior.ln(),
            Some(_) => -T::INFINITY,
            None => T::ZERO,
        };
        let gap = loss - least;
        let usable = gap.is_finite() && log_prior.is_finite();
        *weight = if usable {
            log_prior - learning_rate * gap
        } else {
            -T::INFINITY
        };
        heaviest = heaviest.max(*weight);
    }

    let mut total = T::ZERO;
    for weight in weights.iter_mut() {
        *weight = (*weight - heaviest).exp();
        total += *weight;
    }
    // The largest log weight contributes exp(0), so the total is at least one.
    for weight in weights.iter_mut() {
        *weight /= total;
    }
    Ok(())
}

/// The smallest loss of an expert with a positive prior; refuses a loss that is NaN or −∞.
fn least_loss<T: Scalar>(losses: &[T], prior: Option<&[T]>) -> Result<T, WeightsError> {
    let mut least = T::INFINITY;
    let mut priors = prior.map(<[T]>::iter);
    for (index, &loss) in losses.iter().enumerate() {
        let excluded = priors
            .as_mut()
            .and_then(Iterator::next)
            .is_some_and(|&prior| prior == T::ZERO);
        if !loss.is_finite() && loss != T::INFINITY {
            return Err(WeightsError::NotANumber { index });
        }
        if !excluded {
            least = least.min(loss);
        }
    }
    if least.is_finite() {
        Ok(least)
    } else {
        Err(WeightsError::AllZero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_far_from_zero_changes_nothing() {
        let (mut near, mut far) = ([0.0_f32; 2], [0.0_f32; 2]);
        assert_eq!(softmin(&[0.0, 1.0], 0.5, None, &mut near), Ok(()));
        assert_eq!(softmin(&[1e6, 1e6 + 1.0], 0.5, None, &mut far), Ok(()));
        assert_eq!(near, far);
    }

    #[test]
    fn losses_whose_product_with_the_rate_overflows_are_still_compared() {
        let mut weights = [0.0_f32; 2];
        assert_eq!(softmin(&[3e38, 3e38], 50.0, None, &mut weights), Ok(()));
        assert_eq!(weights, [0.5, 0.5]);
    }

    #[test]
    fn an_excluded_expert_does_not_set_the_reference() {
        // The expert with the loss 0 has the prior zero, so 1000 is the smallest loss that counts.
        let mut weights = [0.0_f32; 3];
        assert_eq!(
            softmin(&[0.0, 1000.0, 1000.0], 1.0, Some(&[0.0, 3.0, 3.0]), &mut weights),
            Ok(())
        );
        assert_eq!(weights, [0.0, 0.5, 0.5]);
    }

    #[test]
    fn a_tiny_prior_meets_a_huge_loss_without_underflow() {
        let mut weights = [0.0_f32; 2];
        assert_eq!(softmin(&[0.0, 1000.0], 1.0, Some(&[1e-45, 3e38]), &mut weights), Ok(()));
        assert_eq!(weights, [1.0, 0.0]);
    }

    #[test]
    fn what_cannot_be_weighed_is_refused_and_the_output_stays() {
        let mut weights = [7.0_f32; 2];
        let infinite = [f32::INFINITY; 2];
        assert_eq!(softmin(&infinite, 1.0, None, &mut weights), Err(WeightsError::AllZero));
        let unbounded = [0.0, f32::NEG_INFINITY];
        assert_eq!(
            softmin(&unbounded, 1.0, None, &mut weights),
            Err(WeightsError::NotANumber { index: 1 })
        );
        for rate in [f32::NAN, f32::INFINITY, -1.0] {
            let refused = softmin(&[0.0, 1.0], rate, None, &mut weights);
            assert_eq!(refused, Err(WeightsError::LearningRate), "{rate}");
        }
        let negative: &[f32] = &[1.0, -1.0];
        let refused = softmin(&[0.0, 1.0], 1.0, Some(negative), &mut weights);
        assert_eq!(refused, Err(WeightsError::Negative { index: 1 }));
        let short = softmin(&[0.0], 1.0, None, &mut weights);
        assert_eq!(short, Err(WeightsError::Length { given: 2, expected: 1 }));
        assert_eq!(weights, [7.0; 2]);
    }
}
