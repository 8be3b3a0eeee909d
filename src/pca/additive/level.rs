//! The threshold θ of [`AdditivePca`](super::AdditivePca).
//! In: eigenvalues a of a matrix, the bulk, and `KEEP`. Out: θ with Σ clip(a − θ, 0, 1) = `KEEP` over all directions.
//! Method: the sum falls with θ and is piecewise linear with corners at a and a − 1. The search finds the largest
//! corner at which the sum is at least `KEEP`; a linear equation gives θ. Proof: `guide::mathematics`, "The nearest
//! matrix of keep probabilities".
//! Cost: clip is computed at most 2·(r + 1)² times for r eigenvalues and the bulk.

use crate::Scalar;
use crate::weights::Bulk;

/// Returns θ with Σ clip(a − θ, 0, 1) = `keep`, over `values` and the bulk.
pub(super) fn level<T: Scalar>(values: &[T], bulk: Bulk<T>, keep: usize) -> T {
    let keep = T::from_usize(keep);
    let all = || {
        values
            .iter()
            .map(|&value| (value, 1))
            .chain([(bulk.value, bulk.multiplicity)])
    };
    let mut best = (-T::MAX, keep);
    for (value, multiplicity) in all() {
        if multiplicity == 0 {
            continue;
        }
        for point in [value, value - T::ONE] {
            let sum = kept(all(), point);
            if sum >= keep && point > best.0 {
                best = (point, sum);
            }
        }
    }
    // At θ = `point` the sum is at least `keep`; `falling` directions fall when θ rises above `point`.
    let (point, sum) = best;
    let falling: usize = all()
        .filter(|&(value, _)| value > point && value - T::ONE <= point)
        .map(|(_, multiplicity)| multiplicity)
        .sum();
    if falling == 0 {
        point
    } else {
        point + (sum - keep) / T::from_usize(falling)
    }
}

/// Returns Σ m·clip(a − θ, 0, 1) over the pairs (a, m), θ = `level`.
fn kept<T: Scalar>(values: impl Iterator<Item = (T, usize)>, level: T) -> T {
    let mut sum = T::ZERO;
    for (value, multiplicity) in values {
        sum += T::from_usize(multiplicity) * part(value, level);
    }
    sum
}

/// Returns clip(a − θ, 0, 1).
pub(super) fn part<T: Scalar>(value: T, level: T) -> T {
    (value - level).max(T::ZERO).min(T::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_sum_to_keep() {
        for keep in 1..6 {
            for values in [
                [0.9, 0.5, 0.3, 0.1],
                [7.0, 0.2, 0.2, 0.2],
                [1.5, 1.5, 1.5, 0.0],
                [1e6, 0.5, 0.5, 0.5],
            ] {
                let bulk = Bulk {
                    value: 0.1_f64,
                    multiplicity: 3,
                };
                let level = level(&values, bulk, keep);
                let all = values.iter().map(|&value| (value, 1)).chain([(bulk.value, 3)]);
                assert!((kept(all, level) - keep as f64).abs() < 1e-9, "{values:?} {keep}");
            }
        }
    }

    #[test]
    fn a_level_by_hand() {
        // 1.5 − θ is clipped to 1, and (0.75 − θ) + (0.5 − θ) = 1 gives θ = 1/8.
        let level = level(&[1.5_f32, 0.75, 0.5], Bulk::NONE, 2);
        assert_eq!(level, 0.125);
    }
}
