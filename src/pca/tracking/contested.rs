//! The contested state, in closed form: k = KEEP of k + 1 directions are kept; k + 1 is two or three. There are two cases:
//! the last direction was stored before the sample, or it is the part of the sample outside the stored directions.
//! In: the evidence sᵢ of each direction i (kept with probability 1 − e^(−sᵢ)), the coordinates cᵢ of a sample in the directions,
//! the energy ρ of the part of the sample outside the directions, and the rate η. s and c without an index belong to the last
//! direction.
//! Out: the new evidence and the turn of the directions (`spectrum::few::Turn`); `None` if a condition does not hold. This file
//! changes no learner.
//! Method: G is the evidence matrix. As in `steady`, the bordered matrix is G + ηxxᵀ in the span of the directions and the sample
//! x. λ is the smallest eigenvalue of the bordered matrix; its direction is not stored. If the sample is inside the directions, λ
//! is the evidence of the bulk (all directions that are not stored): zero. Otherwise λ(A + a/(s − λ)) = ηρ with a = ηc² and
//! A = 1 + Σηcᵢ²/(sᵢ − λ) over all directions but the last. If these sᵢ are far above λ, A hardly depends on λ. So each step of
//! an iteration computes A from the λ of the step before, then solves the quadratic equation for λ with this A. The bordered
//! matrix has k + 1 larger eigenvalues gᵢ. Let g be the smallest gᵢ, and y = Σe^(−(gᵢ − g)) over the other k. The threshold is
//! τ = g − ln(1 + y). λ must be at most τ. If λ is zero and y is so small that a negative τ is zero to rounding, τ is zero.
//! Cost: about 400 operations for three directions, k times `exp`, and one `ln`.

use super::evidence::Update;
use super::glance::Outlook;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// The largest number of evaluations of A (see [`smallest_root`]). If the evidence of all directions but the last is far above λ,
/// three evaluations usually reach full precision.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample for `count` = k + 1 directions, where k = KEEP. Returns `None` if a condition does not hold.
#[inline(always)]
pub(super) fn learn<T: Scalar>(
    count: usize,
    values: &[T; FEW],
    seen: &Seen<T>,
    outlook: Outlook,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let keep = count.checked_sub(1)?;
    let smallest = *values.get(keep)?;
    let (root, towards) = match outlook {
        Outlook::Outside => smallest_root(keep, values, smallest, seen)?,
        Outlook::Inside => (T::ZERO, [T::ZERO; FEW]),
    };
    let turn = Turn::new(count, towards, seen.outside_energy);
    let pairs = eigenpairs(count, &turned(count, values, seen, &turn), smallest)?;
    let reference = *pairs.values.get(keep)?;
    // `drops` = e^(−(gᵢ − g)) of the first k directions, and `sum` = y, the sum of these terms; g = `reference` is the smallest
    // of the k + 1 eigenvalues gᵢ.
    let mut drops = [T::ONE; FEW];
    let mut sum = T::ZERO;
    for (drop, &value) in drops.iter_mut().zip(&pairs.values).take(keep) {
        *drop = (reference - value).exp();
        sum += *drop;
    }
    // ln(1 + y) = g − τ, with the threshold τ. The smallest eigenvalue λ = `root` must be at most τ: then its direction is not
    // stored.
    let mut offset = ln_of_one_and(sum);
    let mut factor = T::ONE / (T::ONE + sum);
    if reference - root < offset {
        // λ is above the threshold of the k + 1 directions. If λ is zero, the bulk has a part in the true threshold:
        // τ = −ln(1 + ((1 + y)·e^(−g) − 1)/d) with d = DIM − KEEP. The fraction is at most y/d. So this condition makes τ zero to
        // rounding, as in `steady::learn_inside`.
        (root == T::ZERO && sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(())?;
        // With τ = 0, g − τ is g = `offset`. g is at most ln(1 + y), so e^(−g) is 1 − g to rounding. Rounding can make g negative.
        offset = reference.max(T::ZERO);
        factor = T::ONE - offset;
    }
    let mut values = pairs.values;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        // gᵢ − τ = (gᵢ − g) + ln(1 + y), and e^(−(gᵢ − τ)) = e^(−(gᵢ − g))/(1 + y).
        *value = (*value - reference) + offset;
        *drop *= factor;
    }
    let gain = seen.rate * seen.outside_energy;
    let rank = if offset > update.negligible(keep, values[0], gain) {
        count
    } else {
        keep
    };
    let mut rise = T::ZERO;
    let mut stored = T::ZERO;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(rank) {
        rise += update.limit(value, drop);
        stored += *drop;
    }
    Some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank,
        // If the last direction joins the bulk, the bulk alone has Σe⁻ᵍ = d = DIM − KEEP. Then Σe⁻ᵍ of the other directions is
        // the rise, as in `steady`. With τ = 0 it is an upper bound of the rise.
        rise: if rank == count { rise } else { stored },
    })
}

/// Returns the smallest eigenvalue λ of the bordered matrix (see the head of this file), and t for the turn of the directions
/// (`Turn`): tᵢ = λ/ρ·cᵢ/(sᵢ − λ) for all directions.
///
/// Letters: η = `seen.rate`, ρ = `seen.outside_energy`, γ = ηρ. s = `last` and c are the evidence and the coordinate of the last
/// direction, and a = ηc². A = 1 + Σηcᵢ²/(sᵢ − λ) over the other directions. e = γ + a − A·s and r² = e² + 4A·a·s.
///
/// λ is the smaller root of λ(A + a/(s − λ)) = γ, which is 2γs/(A·s + γ + a + r). A is computed again from each new λ. The
/// difference s − λ is 2as/(e + r) if e > 0, and (r − e)/2A otherwise, so that no digits cancel. Returns `None` if s − λ has no
/// correct digit or is subnormal, if r² underflows, or if [`EVALUATIONS`] were not enough.
#[inline(always)]
fn smallest_root<T: Scalar>(keep: usize, values: &[T; FEW], last: T, seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let gain = seen.rate * seen.outside_energy;
    let own = *seen.inside.get(keep)?;
    let own_square = seen.rate * own * own;
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    let mut root = T::ZERO;
    for _ in 0..EVALUATIONS {
        // A, with the present λ = `root`.
        let mut others = T::ONE;
        for (&value, &inside) in values.iter().zip(&seen.inside).take(keep) {
            others += seen.rate * inside * inside / (value - root);
        }
        let scaled = others * last;
        // e, r² and r; `scaled` is A·s.
        let excess = gain + own_square - scaled;
        let square = excess * excess + T::from_f64(4.0) * scaled * own_square;
        let radius = square * square.inverse_sqrt();
        let next = T::TWO * gain * last / (scaled + gain + own_square + radius);
        let change = (next - root).abs();
        root = next;
        if change <= rounding {
            let difference = if excess > T::ZERO {
                T::TWO * own_square * last / (excess + radius)
            } else {
                (radius - excess) / (T::TWO * others)
            };
            // If s − λ is zero or has no correct digit, the last stored direction is, up to rounding, the direction of λ and must
            // be removed: the general solver must learn the sample.
            // A subnormal s − λ has too few digits for the division below.
            (difference > (T::EPSILON * last).max(T::MIN_POSITIVE) && square > T::MIN_POSITIVE).then_some(())?;
            let factor = root / seen.outside_energy;
            let mut towards = [T::ZERO; FEW];
            for ((entry, &value), &inside) in towards.iter_mut().zip(values).zip(&seen.inside).take(keep) {
                *entry = factor * inside / (value - root);
            }
            *towards.get_mut(keep)? = factor * own / difference;
            return Some((root, towards));
        }
    }
    None
}
