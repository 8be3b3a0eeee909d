//! The contested state, in closed form: k = KEEP of k + 1 directions are kept; k + 1 is two or three. The last direction was
//! stored before the sample, or is the part of the sample outside the stored directions.
//! In: the evidence s of each direction (the direction is kept with probability 1 − e⁻ˢ), the coordinates c of a sample in the
//! directions, the energy ρ of the part of the sample outside the directions, and the rate η.
//! Out: the new evidence and the turn of the directions (`spectrum::few::Turn`); `None` if a condition does not hold. This file
//! changes no learner.
//! Method: G is the evidence matrix. As in `steady`, the bordered matrix is G + ηxxᵀ in the span of the directions and the sample
//! x. The smallest eigenvalue λ of the bordered matrix is removed. For a sample inside the directions λ = 0, the evidence of the
//! bulk (all directions that are not stored). The last s can be near λ, so the pole at s is treated exactly:
//! λ(A + a/(s − λ)) = ηρ. Here a = ηc² with the last c, and A = 1 + Σηcᵢ²/(sᵢ − λ) over the other directions, which hardly
//! depends on λ. The other k + 1 eigenvalues gᵢ have the threshold τ = g − ln(1 + y), where g is the last of them and
//! y = Σe^(−(gᵢ − g)) over the first k. λ must be at most τ.
//! Cost: about 400 operations for three directions, one `exp` for each kept direction, one `ln`.

use super::evidence::Update;
use super::learned::{Learned, Outlook, Seen, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// The largest number of evaluations of A (see [`smallest_root`]). Usually three evaluations reach full precision, if the
/// evidence of all directions but the last is far above λ.
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
    // `drops` = e^(−(gᵢ − g)) of the first k directions, and `sum` = y, the sum of these terms; g = `reference` is the last
    // eigenvalue.
    let mut drops = [T::ONE; FEW];
    let mut sum = T::ZERO;
    for (drop, &value) in drops.iter_mut().zip(&pairs.values).take(keep) {
        *drop = (reference - value).exp();
        sum += *drop;
    }
    // ln(1 + y) = g − τ, with the threshold τ. The smallest eigenvalue λ = `root` must be at most τ: then its direction is not
    // stored.
    let offset = ln_of_one_and(sum);
    (reference - root >= offset).then_some(())?;
    let factor = T::ONE / (T::ONE + sum);
    let mut values = pairs.values;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        // gᵢ − τ = (gᵢ − g) + ln(1 + y), and e^(−(gᵢ − τ)) = e^(−(gᵢ − g))/(1 + y).
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

/// Returns λ = 2γs/(A·s + γ + a + r), the smaller root of λ(A + a/(s − λ)) = γ, and t for the turn of the directions (`Turn`),
/// tᵢ = λ/ρ·cᵢ/(sᵢ − λ). s = `last` and c are the evidence and the coordinate of the last direction, a = ηc² and γ = ηρ with
/// ρ = `seen.outside_energy` and η = `seen.rate`. A = 1 + Σηcᵢ²/(sᵢ − λ) over the other directions. e = γ + a − A·s and
/// r² = e² + 4A·a·s. s − λ is 2as/(e + r) if e > 0, and (r − e)/2A otherwise: both sums have only positive terms. Returns `None`
/// if s − λ has no correct digit, if r² underflows, or if [`EVALUATIONS`] were not enough.
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
            // If s − λ is zero or has no correct digit, the last stored direction is the direction of λ and must be removed: the
            // general solver must learn the sample.
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
