//! The threshold θ of [`AdditivePca`](super::AdditivePca).
//! In: the eigenvalues a of a matrix; the bulk, one eigenvalue that many directions share; k, the number of directions to keep.
//! clip(a − θ, 0, 1) is a − θ limited to 0 … 1. Out: θ with Σ clip(a − θ, 0, 1) = k, over all directions. Of all mixtures of
//! projections of rank k, the nearest to the matrix (in the Frobenius norm) has the eigenvectors of the matrix and the
//! eigenvalues clip(a − θ, 0, 1).
//! Method: if θ rises, the sum falls or stays. The sum is piecewise linear in θ; its slope changes at the points a and a − 1. The
//! search finds the largest of these points at which the sum is at least k. From this point to the next the sum is linear, so one
//! linear equation gives θ.
//! Cost: clip is computed at most 2·(r + 1)² times for r eigenvalues and the bulk; no memory.

use crate::Scalar;
use crate::weights::Bulk;

/// Returns the threshold θ with Σ clip(a − θ, 0, 1) = `keep`. The sum has one term for each eigenvalue a in `values`, and
/// `bulk.multiplicity` terms with a = `bulk.value`. clip limits a − θ to 0 … 1.
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
    // At θ = `point` the sum is at least `keep`. `falling` is the number of directions for which clip(a − θ, 0, 1) falls if θ
    // rises above `point`.
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

/// Returns Σ m·clip(a − θ, 0, 1) with θ = `level`. The pairs in `values` are an eigenvalue a and the number m of directions that
/// have it. clip limits a − θ to 0 … 1.
fn kept<T: Scalar>(values: impl Iterator<Item = (T, usize)>, level: T) -> T {
    let mut sum = T::ZERO;
    for (value, multiplicity) in values {
        sum += T::from_usize(multiplicity) * part(value, level);
    }
    sum
}

/// Returns clip(a − θ, 0, 1), which is a − θ limited to 0 … 1, with a = `value` and θ = `level`.
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
