//! The steady state of a tracking learner: before and after a sample, k directions are stored, where k = KEEP is one or two.
//! In: the evidence s of each stored direction (the direction is kept with probability 1 − e⁻ˢ), the coordinates c of a sample x
//! in these directions, the energy ρ of the part of x outside the directions, and the rate η. Out: the new evidence g and the
//! turn of the directions; `None` if a condition does not hold. This file changes no learner.
//! Method: G is the evidence matrix. G + ηxxᵀ has the eigenvalues of the bordered matrix [[S + ηccᵀ, η√ρ·c], [·, ηρ]] with
//! S = diag(s), and zeros. The smallest eigenvalue λ of the bordered matrix is the fixed point of a formula with only positive
//! terms (`smallest_root`). The eigenvector of λ turns the plane, the span of the stored directions (`spectrum::few::Turn`). The
//! threshold of the k + 1 values is τ = λ − ln(1 + y) with y = Σe^(−(gᵢ − λ)) over the k larger values gᵢ. So the last direction
//! keeps the evidence ln(1 + y). The last direction joins the bulk (all directions that are not stored) if ln(1 + y) is
//! negligible (`Update::negligible`). Then all stored evidence is near the ceiling (the upper limit of evidence), and a short
//! series is enough for the exponential.
//! Cost: about 120 operations and five divisions for two directions.

use super::evidence::Update;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::spectrum::few::{FEW, Turn, each, eigenpairs};

/// The largest number of evaluations of the fixed point. In the steady state two evaluations reach full precision.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample with a part outside the plane. Returns `None` unless `count` = k directions remain after the
/// sample.
#[inline(always)]
pub(super) fn learn<T: Scalar>(
    count: usize,
    values: &[T; FEW],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let (root, towards) = smallest_root(count, values, seen)?;
    let turn = Turn::new(count, towards, seen.outside_energy);
    let pairs = eigenpairs(count, &turned(count, values, seen, &turn), root)?;
    // e^(−(gᵢ − λ)) and the sum y of these terms. For values above the ceiling `sum` is larger than y, by less than rounding.
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let mut sum = T::ZERO;
    each!(I => if I < count {
        values[I] -= root;
        drops[I] = drop_near_ceiling(values[I], update)?;
        sum += drops[I];
    });
    // The evidence of the last direction must be negligible: then the direction joins the bulk. The evidence of the bulk must
    // stay zero: τ = λ − ln(1 + y) ≥ 0.
    let gain = seen.rate * seen.outside_energy;
    (sum <= update.negligible(values[0], gain) && sum <= root).then_some(())?;
    let mut rise = T::ZERO;
    each!(I => if I < count {
        // g − τ = (g − λ) + ln(1 + y), where ln(1 + y) = y to rounding. e^(−(g − τ)) = e^(−(g − λ))/(1 + y).
        values[I] += sum;
        drops[I] *= T::ONE - sum;
        update.limit(&mut values[I], &mut drops[I]);
        rise += drops[I];
    });
    Some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// Returns the changes by a sample inside the plane: G becomes S + ηccᵀ, and no direction leaves. Returns `None` unless Σe⁻ᵍ is d
/// to rounding, where d = DIM − KEEP: only then the threshold is zero.
#[inline(always)]
pub(super) fn learn_inside<T: Scalar>(
    count: usize,
    values: &[T; FEW],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let turn = Turn::new(count, [T::ZERO; FEW], T::ZERO);
    let pairs = eigenpairs(count, &turned(count, values, seen, &turn), T::ZERO)?;
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let (mut sum, mut rise) = (T::ZERO, T::ZERO);
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        *drop = (-*value).exp();
        sum += *drop;
        rise += update.limit(value, drop);
    }
    // With y = `sum` the threshold is τ = −ln(1 + y/d). This condition makes τ zero to rounding.
    (sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// How far evidence may be below the ceiling. Below this window e⁻ᵍ is above 4·e^(−ceiling), which is never negligible.
const WINDOW: f64 = 1.5;

/// Returns e⁻ᵍ = e^(−ceiling)·(e^(u/4))⁴ with g = `value` and u = ceiling − g. Above the ceiling returns an upper bound of e⁻ᵍ.
/// Returns `None` below the [`WINDOW`].
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
fn drop_near_ceiling<T: Scalar>(value: T, update: &Update<T>) -> Option<T> {
    let below = update.ceiling - value;
    if below <= T::ZERO {
        // Above the ceiling u = `below` ≤ 0: e^(−u) ≥ 1 − u + u²/2, so the returned value is at least e⁻ᵍ.
        return Some(update.ceiling_drop / (T::ONE - below + T::HALF * below * below));
    }
    (below <= T::from_f64(WINDOW)).then_some(())?;
    if T::EPSILON < T::from_f64(1e-8) {
        // The series below is not exact enough for this type.
        return Some((-value).exp());
    }
    let quarter = T::from_f64(0.25) * below;
    // Taylor series of e^(u/4), with an error of 10⁻⁸.
    let mut root = T::from_f64(1.0 / 5040.0) * quarter + T::from_f64(1.0 / 720.0);
    root = root * quarter + T::from_f64(1.0 / 120.0);
    root = root * quarter + T::from_f64(1.0 / 24.0);
    root = root * quarter + T::from_f64(1.0 / 6.0);
    root = root * quarter + T::HALF;
    root = root * quarter + T::ONE;
    root = root * quarter + T::ONE;
    let square = root * root;
    Some(update.ceiling_drop * (square * square))
}

/// Returns λ = ηρ·D/(D + N) and tᵢ = η/(D + N)·cᵢ·D/dᵢ for one or two directions, where dᵢ = sᵢ − λ, D = Π dᵢ and
/// N = η Σcᵢ²·D/dᵢ. Returns `None` unless λ is at most half of the smallest s.
#[inline(always)]
fn smallest_root<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let last = if count == 1 { values[0] } else { values[1] };
    let squares = each!(I => seen.rate * seen.inside[I] * seen.inside[I]);
    // η‖c‖².
    let mut inside = T::ZERO;
    each!(I => if I < count {
        inside += squares[I];
    });
    // The rounding error of the evidence. The iteration ends if λ changes by at most this number.
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    // The first guess ηρ(1 − a + a²) with a = η‖c‖²/16 is good for s near 16 and saves one evaluation. Any other
    // guess below all s is allowed too.
    let part = T::from_f64(1.0 / 16.0) * inside;
    let guess = seen.rate * seen.outside_energy * (T::ONE - part + part * part);
    let mut root = guess.min(T::HALF * last);
    for _ in 0..EVALUATIONS {
        // D/dᵢ: 1 for one direction; for two directions, dⱼ of the other direction.
        let others = if count == 1 {
            [T::ONE; FEW]
        } else {
            [values[1] - root, values[0] - root, T::ZERO]
        };
        let product = (values[0] - root) * others[0];
        let mut denominator = product;
        each!(I => if I < count {
            denominator += squares[I] * others[I];
        });
        let factor = seen.rate / denominator;
        let next = seen.outside_energy * factor * product;
        // Between zero and half of the smallest s the iteration is a contraction, and the fixed point is the smallest root.
        (next <= T::HALF * last).then_some(())?;
        let change = (next - root).abs();
        root = next;
        if change <= rounding {
            let entries = each!(I => if I < count { factor * seen.inside[I] * others[I] } else { T::ZERO });
            return Some((root, entries));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_near_the_ceiling_are_exponentials() {
        let update = Update {
            rate: 1.0_f32,
            ceiling: 14.0,
            ceiling_drop: (-14.0_f32).exp(),
            share: 0.0,
        };
        for step in 0..=150 {
            let value = 14.0 - 0.01 * step as f32;
            let exact = (-f64::from(value)).exp();
            let drop = drop_near_ceiling(value, &update).map_or(0.0, f64::from);
            assert!((drop / exact - 1.0).abs() < 5e-7, "{value}: {drop}, not {exact}");
        }
        // Above the ceiling the function returns an upper bound, below the window `None`.
        for value in [14.01_f32, 15.0, 17.0, 40.0] {
            assert!(drop_near_ceiling(value, &update).is_some_and(|drop| f64::from(drop) >= (-f64::from(value)).exp()));
        }
        assert!(drop_near_ceiling(12.4, &update).is_none());
    }
}
