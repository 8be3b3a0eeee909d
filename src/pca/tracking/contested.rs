//! The contested state, in closed form: k + 1 directions, two or three, compete for k = KEEP places. The last direction was
//! stored before the sample, or is the part of the sample outside the stored directions.
//! In: the evidence s of each direction (the direction is kept with probability 1 − e⁻ˢ), the coordinates c of a sample in the
//! directions, the energy ρ of the part of the sample outside the directions, and the rate η.
//! Out: the new evidence g and the turn of the directions (`spectrum::few::Turn`); `None` if a condition does not hold. This file
//! changes no learner.
//! Method: as in `steady`, the bordered matrix is G + ηxxᵀ in the span of the directions and the sample x, where G is the
//! evidence matrix. Its smallest eigenvalue λ is removed. For a sample inside the directions λ = 0, the evidence of the bulk (all
//! directions that are not stored). The last s can be near λ, so the pole at s is treated exactly: λ(A + a/(s − λ)) = ηρ.
//! Here a = ηc² with the last c, and A = 1 + Σηcᵢ²/(sᵢ − λ) over the other directions, which hardly depends on λ. The remaining
//! k + 1 values have the threshold τ = g − ln(1 + y), where g is the last value and y = Σe^(−(gᵢ − g)) over the other values. λ
//! must be at most τ.
//! Cost: about 400 operations for three directions, one `exp` for each kept direction, one `ln`.

use super::evidence::Update;
use super::learned::{Learned, Outlook, Seen, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// The largest number of evaluations of A. Three evaluations reach full precision if the other sᵢ are far above λ.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample for `count` = k + 1 directions.
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
    // e^(−(gᵢ − g)) of the first k directions, and the sum y; g is `reference`.
    let mut drops = [T::ONE; FEW];
    let mut sum = T::ZERO;
    for (drop, &value) in drops.iter_mut().zip(&pairs.values).take(keep) {
        *drop = (reference - value).exp();
        sum += *drop;
    }
    // ln(1 + y), which is g − τ.
    let offset = ln_of_one_and(sum);
    (reference - root >= offset).then_some(())?;
    let factor = T::ONE / (T::ONE + sum);
    let mut values = pairs.values;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        // g − τ, and e^(−(g − τ)) = e^(−(g − g_last))/(1 + y).
        *value = (*value - reference) + offset;
        *drop *= factor;
    }
    let gain = seen.rate * seen.outside_energy;
    let rank = if offset > update.negligible(values[0], gain) {
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
        // the rise, as in `steady`.
        rise: if rank == count { rise } else { stored },
    })
}

/// Returns λ = 2γs/(A·s + γ + a + r) and tᵢ = λ/ρ·cᵢ/(sᵢ − λ), where γ = ηρ, e = γ + a − A·s and r² = e² + 4A·a·s. The last s − λ
/// is 2as/(e + r) if e > 0, and (r − e)/2A otherwise. So every sum has only positive terms. Returns `None` if s − λ has no
/// correct digit or `EVALUATIONS` were not enough.
#[inline(always)]
fn smallest_root<T: Scalar>(keep: usize, values: &[T; FEW], last: T, seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let gain = seen.rate * seen.outside_energy;
    let own = *seen.inside.get(keep)?;
    let own_square = seen.rate * own * own;
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    let mut root = T::ZERO;
    for _ in 0..EVALUATIONS {
        // A.
        let mut others = T::ONE;
        for (&value, &inside) in values.iter().zip(&seen.inside).take(keep) {
            others += seen.rate * inside * inside / (value - root);
        }
        let scaled = others * last;
        // e and r.
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
            // If s − λ is zero or has no correct digit, the last stored direction leaves: the general solver must learn the
            // sample.
            (difference > T::EPSILON * last && square > T::MIN_POSITIVE).then_some(())?;
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
