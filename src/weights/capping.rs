//! Caps a weight vector: [WK08] Algorithm 4, [KW07] Algorithm 5.
//! In: weights. Out: the weights in the same order, with the sum one, none above 1/d.
//! Method: the relative-entropy projection of the paper, without its sort. Each round caps the weights at or above a
//! level; late rounds also cap many weights at once, in a leap: `guide::mathematics`, "The leap of the capping".
//! Cost: no memory; three passes, two more for each round, two to four more for each leap. A test requires at most 24
//! rounds, for up to 4,096 weights between 10⁻³⁰⁰ and 1.

use super::check::{largest_weight, nonempty_set_fits};
use crate::error::WeightsError;
use crate::scalar::Scalar;

/// The number that marks a capped weight: no weight is negative.
fn mark<T: Scalar>() -> T {
    -T::ONE
}

/// Scales and caps `weights`: they then sum to one, and none is above 1/`set_size`.
///
/// The weights need not sum to one before. The weights below the cap keep their ratios. If fewer than `set_size` are
/// positive, the first zeros are raised to the cap. Returns the number of weights at the cap.
///
/// # Errors
/// [`WeightsError::SetSize`] unless 1 ≤ `set_size` ≤ n; [`WeightsError::NotANumber`], [`WeightsError::Negative`],
/// [`WeightsError::AllZero`]. After an error the slice is unchanged.
///
/// ```
/// use eigenstream::weights::cap;
///
/// let mut weights = [1.0_f64, 2.0, 4.0]; // 1/7, 2/7 and 4/7 of the sum; 4/7 is above the cap 1/2
/// assert_eq!(cap(&mut weights, 2), Ok(1));
/// assert_eq!(weights[2], 0.5);
/// assert!((weights[0] - 1.0 / 6.0).abs() < 1e-15 && (weights[1] - 1.0 / 3.0).abs() < 1e-15);
/// ```
pub fn cap<T: Scalar>(weights: &mut [T], set_size: usize) -> Result<usize, WeightsError> {
    let available = weights.len();
    nonempty_set_fits(set_size, available)?;
    if largest_weight(weights)? == T::ZERO {
        return Err(WeightsError::AllZero);
    }
    let cap = T::ONE / T::from_usize(set_size);
    if set_size == available {
        weights.fill(cap);
        return Ok(set_size);
    }
    avoid_overflow(weights);

    let (capped, rest, _) = mark_capped(weights, set_size);

    let mass = T::from_usize(set_size.saturating_sub(capped)) * cap;
    let mut at_cap = 0_usize;
    for weight in weights.iter_mut() {
        *weight = if *weight < T::ZERO {
            cap
        } else if mass > T::ZERO {
            // `rest` can be subnormal: then `mass / rest` could overflow.
            (*weight / rest * mass).min(cap)
        } else {
            T::ZERO
        };
        if *weight == cap {
            at_cap = at_cap.saturating_add(1);
        }
    }
    Ok(at_cap)
}

/// The first round that is followed by a leap.
const FIRST_LEAP: usize = 8;

/// Marks the weights to cap and returns their number, the sum of the others, and the number of rounds.
fn mark_capped<T: Scalar>(weights: &mut [T], set_size: usize) -> (usize, T, usize) {
    let (mut capped, mut rest, mut rounds) = (0, T::ZERO, 0);
    let mut low = None;
    // Each round but the last caps at least one weight, and at most `set_size` weights are capped.
    for round in 0..=set_size {
        let before = capped;
        rest = uncapped_sum(weights);
        capped = cap_pass(weights, rest, set_size, before);
        rounds = round.saturating_add(1);
        if capped == before {
            break;
        }
        if rounds >= FIRST_LEAP {
            capped = leap(
                weights,
                set_size,
                capped,
                low.get_or_insert_with(|| T::MIN_POSITIVE.max(smallest(weights))),
            );
        }
    }
    (capped, rest, rounds)
}

/// Marks the weights at or above the middle, on a logarithmic scale, between `low` and the level of the next round; or
/// raises `low` to this middle.
///
/// It marks them only if all of them are certainly capped. Proof: `guide::mathematics`, "The leap of the capping".
fn leap<T: Scalar>(weights: &mut [T], set_size: usize, marked: usize, low: &mut T) -> usize {
    let open = set_size.saturating_sub(marked);
    let rest = uncapped_sum(weights);
    let level = low.sqrt() * (rest / T::from_usize(open)).sqrt();
    let (mut count, mut above, mut least) = (0_usize, T::ZERO, T::MAX);
    for &weight in weights.iter() {
        if weight >= level {
            count = count.saturating_add(1);
            above += weight;
            least = least.min(weight);
        }
    }
    let margin = T::ONE + T::from_usize(4 * weights.len()) * T::EPSILON;
    let certain = count > 0
        && count <= open
        && least * T::from_usize(open.saturating_sub(count).saturating_add(1))
            >= (T::ZERO.max(rest - above) + least) * margin;
    if !certain {
        *low = level.max(*low);
        return marked;
    }
    for weight in weights.iter_mut() {
        if *weight >= level {
            *weight = mark();
        }
    }
    marked.wrapping_add(count)
}

/// The smallest weight that is neither zero nor marked, or `T::MAX`.
fn smallest<T: Scalar>(weights: &[T]) -> T {
    let mut smallest = T::MAX;
    for &weight in weights {
        if weight > T::ZERO {
            smallest = smallest.min(weight);
        }
    }
    smallest
}

/// Marks the weights w with w·(d − `marked_before`) ≥ `rest`, lower index first, and returns the number of all marks.
///
/// The test avoids the rounding error of a division. If `rest` is zero, weights of zero pass the test.
fn cap_pass<T: Scalar>(weights: &mut [T], rest: T, set_size: usize, marked_before: usize) -> usize {
    let open_places = T::from_usize(set_size.saturating_sub(marked_before));
    let mut marked = marked_before;
    for weight in weights.iter_mut() {
        // Too many weights can pass the last test: all zeros if `rest` is zero, or by rounding. So the first test is
        // needed.
        if marked < set_size && *weight >= T::ZERO && *weight * open_places >= rest {
            *weight = mark();
            marked += 1;
        }
    }
    marked
}

fn uncapped_sum<T: Scalar>(weights: &[T]) -> T {
    let mut sum = T::ZERO;
    for &weight in weights {
        if weight >= T::ZERO {
            sum += weight;
        }
    }
    sum
}

/// If the sum is not finite, divides all weights by a power of two above n.
fn avoid_overflow<T: Scalar>(weights: &mut [T]) {
    if uncapped_sum(weights).is_finite() {
        return;
    }
    let scale = T::TWO * T::TWO * T::from_usize(weights.len()).power_of_two();
    for weight in weights.iter_mut() {
        *weight /= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capping_one_weight_can_push_the_next_to_the_cap() {
        // The weight 1/2 is above the cap 1/3. The sum of the others grows from 1/2 to 2/3, so 1/4 becomes exactly 1/3.
        // The last three share 1/3 in the ratios 2:1:1.
        let mut weights = [0.5_f64, 0.25, 0.125, 0.0625, 0.0625];
        assert_eq!(cap(&mut weights, 3), Ok(2));
        let third = 1.0 / 3.0;
        assert_eq!(weights, [third, third, third * 0.5, third * 0.25, third * 0.25]);
    }

    #[test]
    fn zeros_fill_the_set_from_the_lower_index() {
        let mut weights = [0.0_f32, 0.75, 0.0, 0.25, 0.0];
        assert_eq!(cap(&mut weights, 4), Ok(4));
        assert_eq!(weights, [0.25, 0.25, 0.25, 0.25, 0.0]);
    }

    #[test]
    fn a_corner_stays_a_corner() {
        let mut weights = [0.5_f32, 0.0, 0.5, 0.0];
        assert_eq!(cap(&mut weights, 2), Ok(2));
        assert_eq!(weights, [0.5, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn a_subnormal_tail_keeps_its_ratios() {
        let mut weights = [1.0_f32, 1e-44, 1e-44];
        assert_eq!(cap(&mut weights, 2), Ok(1));
        assert_eq!(weights, [0.5, 0.25, 0.25]);
    }

    #[test]
    fn weights_whose_sum_overflows_are_scaled_first() {
        let mut weights = [f32::MAX, f32::MAX, f32::MAX, f32::MAX];
        assert_eq!(cap(&mut weights, 2), Ok(0));
        assert_eq!(weights, [0.25; 4]);
    }

    #[test]
    fn a_set_as_large_as_the_vector_takes_everything() {
        let mut weights = [0.1_f32; 7];
        assert_eq!(cap(&mut weights, 7), Ok(7));
        assert_eq!(weights, [1.0 / 7.0; 7]);
    }

    fn spread(weights: &mut [f64], decades: f64) {
        let count = weights.len();
        for (i, weight) in weights.iter_mut().enumerate() {
            let part = (i * 7_919 % count) as f64 / count as f64;
            *weight = Scalar::exp(-core::f64::consts::LN_10 * decades * part);
        }
    }

    #[test]
    fn the_number_of_rounds_does_not_grow_with_the_number_of_weights() {
        for count in [64, 256, 1_024, 4_096] {
            for decades in [0.5, 3.0, 30.0, 300.0] {
                for set_size in [2, count / 8, count / 2, count - 2] {
                    let mut weights = [0.0; 4_096];
                    let weights = &mut weights[..count];
                    spread(weights, decades);
                    let (_, _, rounds) = mark_capped(weights, set_size);
                    assert!(rounds <= 24, "{count} {decades} {set_size}: {rounds}");
                }
            }
        }
    }

    #[test]
    fn refused_weights_stay_as_they_were() {
        let mut weights = [1.0_f32, 2.0, -3.0];
        assert_eq!(
            cap(&mut weights, 0),
            Err(WeightsError::SetSize {
                requested: 0,
                available: 3
            })
        );
        assert_eq!(
            cap(&mut weights, 4),
            Err(WeightsError::SetSize {
                requested: 4,
                available: 3
            })
        );
        assert_eq!(cap(&mut weights, 2), Err(WeightsError::Negative { index: 2 }));
        assert_eq!(weights, [1.0, 2.0, -3.0]);
        assert_eq!(
            cap(&mut [f32::INFINITY, 0.0], 1),
            Err(WeightsError::NotANumber { index: 0 })
        );
        assert_eq!(cap(&mut [0.0_f32, -0.0], 1), Err(WeightsError::AllZero));
    }

    #[test]
    fn three_weights_whose_sum_overflows_are_scaled_first() {
        let mut weights = [f32::MAX; 3];
        assert_eq!(cap(&mut weights, 2), Ok(0));
        assert!(
            weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-6),
            "{weights:?}"
        );
    }
}
