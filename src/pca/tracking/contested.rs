//! The contested state in closed form: KEEP of KEEP + 1 directions are kept; the last is stored, or is the part of the
//! sample outside.
//! In: evidence s, coordinates c, the energy ρ outside, the rate η. Out: the new evidence and the rotation of the
//! directions; `None` if a condition does not hold.
//! Method: `guide::mathematics`, "A sample in closed form". With the sample, the evidence matrix has the smallest
//! eigenvalue λ and larger ones gᵢ; g is the smallest gᵢ, and y = Σe^(−(gᵢ − g)) over the others.
//! Cost: about 400 operations for three directions, KEEP `exp` and one `ln`.

use super::evidence::Update;
use super::glance::Outlook;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// The largest number of iterations; three usually reach full precision.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample for `count` = KEEP + 1 directions.
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
    // `drops` = e^(−(gᵢ − g)) of the first KEEP directions, `sum` = y, `reference` = g.
    let mut drops = [T::ONE; FEW];
    let mut sum = T::ZERO;
    for (drop, &value) in drops.iter_mut().zip(&pairs.values).take(keep) {
        *drop = (reference - value).exp();
        sum += *drop;
    }
    // `offset` = ln(1 + y) = g − τ. λ = `root` must be at most τ, so that the direction of λ is not stored.
    let mut offset = ln_of_one_and(sum);
    let mut factor = T::ONE / (T::ONE + sum);
    if reference - root < offset {
        // If λ is zero, the bulk contributes to τ = −ln(1 + ((1 + y)·e^(−g) − 1)/(DIM − KEEP)). The limit of `sum`
        // makes τ zero to rounding, as in `steady::learn_inside`.
        (root == T::ZERO && sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(())?;
        // Here τ = 0 and g ≤ ln(1 + y), so e^(−g) is 1 − g to rounding.
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
        // If the last direction joins the bulk, Σe⁻ᵍ of the others is the rise, as in `steady`; with τ = 0 this sum is
        // an upper bound of the rise.
        rise: if rank == count { rise } else { stored },
    })
}

/// Returns λ and the vector t of `spectrum::few::Turn`, tᵢ = λ/ρ·cᵢ/(sᵢ − λ); `last` is the smallest evidence s.
#[inline(always)]
fn smallest_root<T: Scalar>(keep: usize, values: &[T; FEW], last: T, seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let gain = seen.rate * seen.outside_energy;
    let own = *seen.inside.get(keep)?;
    let own_square = seen.rate * own * own;
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    let mut root = T::ZERO;
    for _ in 0..EVALUATIONS {
        // `others` becomes A of the guide, at λ = `root`.
        let mut others = T::ONE;
        for (&value, &inside) in values.iter().zip(&seen.inside).take(keep) {
            others += seen.rate * inside * inside / (value - root);
        }
        let scaled = others * last;
        // `excess`, `square` and `radius` are e, r² and r of the guide; `scaled` is A·s.
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
            // Without a correct digit in s − λ, the last direction is that of λ, and the general solver must remove it.
            // A subnormal s − λ has too few digits for the division.
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
