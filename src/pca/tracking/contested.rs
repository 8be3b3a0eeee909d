//! One place in doubt: one direction more than are kept, k + 1 of them, two or three. It was stored before the sample, or it is the
//! sample's own.
//! In: evidence s of the directions, a sample's coordinates c in them, its energy outside ρ. Out: the new evidence, and the turn of
//! the directions; or none, where a condition does not hold. Nothing is changed here.
//! Method: as in `steady`, the smallest eigenvalue λ of the bordered matrix leaves; where the sample lies inside, it is the bulk's, zero.
//! The last s may be near λ: its pole is treated exactly, λ(A + a/(s − λ)) = ηρ with a = ηc², where A = 1 + Σηcᵢ²/(sᵢ − λ) over the others
//! hardly depends on λ. The threshold is that of the k + 1 values that stay, τ = g − ln(1 + y) for the last of them g and
//! y = Σe^(−(gᵢ − g)); λ must be at or below it.
//! Cost: about 400 operations for three directions, one `exp` for each that is kept, one `ln`.

use super::evidence::Update;
use super::learned::{Learned, Outlook, Seen, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// Evaluations of A at most. Three reach rounding where the others are far above λ.
const EVALUATIONS: usize = 8;

/// The evidence after a sample for `count` directions, one more than are kept.
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
    // e^(−(gᵢ − g)) and their sum y.
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
        // Where the last one joins the bulk, all that the others have is above d, as in `steady`.
        rise: if rank == count { rise } else { stored },
    })
}

/// λ = 2γs/(A·s + γ + a + r) and s − λ = 2as/(e + r), or (r − e)/2A, with γ = ηρ, e = γ + a − A·s, r² = e² + 4A·a·s: all sums of
/// positive terms. tᵢ = λ/ρ·cᵢ/(sᵢ − λ).
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
            // A difference of zero, or of no digits: the stored direction itself leaves.
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
