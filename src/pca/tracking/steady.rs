//! The steady state of a tracking learner: as many directions are stored before and after a sample as are kept, one or two.
//! In: evidence s of the stored directions, a sample's coordinates c in them, its energy outside ρ. Out: the new evidence and the turn of the
//! directions; or none, where a condition does not hold. Nothing is changed here.
//! Method: G + ηxxᵀ has the eigenvalues of the bordered matrix [[S + ηccᵀ, η√ρ·c], [·, ηρ]] with S = diag(s), and zeros. The
//! smallest one, λ, is the fixed point of a sum of positive terms, and its eigenvector turns the plane (`spectrum::few::Turn`). The
//! threshold of the k + 1 values is τ = λ − ln(1 + y) with y = Σe^(−(gᵢ − λ)): the last one ends at ln(1 + y), and joins the bulk where that
//! is negligible.
//! Evidence is near the ceiling then, so that a short series stands for the exponential.
//! Cost: about 120 operations and five divisions for two directions.

use super::evidence::Update;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::spectrum::few::{FEW, Turn, eigenpairs};

/// Evaluations of the fixed point at most. In the steady state two reach rounding.
const EVALUATIONS: usize = 8;

/// The evidence after a sample outside the plane where it stays with as many directions as are kept, `count`.
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
    // e^(−(gᵢ − λ)) and their sum: y, or above the ceiling more by less than rounding.
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let mut sum = T::ZERO;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        *value -= root;
        *drop = drop_near_ceiling(*value, update)?;
        sum += *drop;
    }
    // The last one joins the bulk, which stays at zero: τ = λ − ln(1 + y) ≥ 0.
    let gain = seen.rate * seen.outside_energy;
    (sum <= update.negligible(values[0], gain) && sum <= root).then_some(())?;
    let mut rise = T::ZERO;
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        // g − τ = (g − λ) + ln(1 + y), and ln(1 + y) is y to rounding; e^(−(g − τ)) = e^(−(g − λ))/(1 + y).
        *value += sum;
        *drop *= T::ONE - sum;
        update.limit(value, drop);
        rise += *drop;
    }
    Some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// A sample inside the plane: S + ηccᵀ, and no direction leaves. Σe⁻ᵍ is d to rounding, so that the threshold is zero.
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
    // τ = −ln(1 + y/d).
    (sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// How far below the ceiling evidence may be: further down e⁻ᵍ is above 4·e^(−ceiling), and never negligible.
const WINDOW: f64 = 1.5;

/// e⁻ᵍ = e^(−ceiling)·(e^(u/4))⁴ with u = ceiling − g; above the ceiling a bound of it. None below the [`WINDOW`].
#[inline(always)]
fn drop_near_ceiling<T: Scalar>(value: T, update: &Update<T>) -> Option<T> {
    let below = update.ceiling - value;
    if below <= T::ZERO {
        // Above the ceiling: e^(−u) ≥ 1 − u + u²/2 for u ≤ 0, so that this is no less than e⁻ᵍ.
        return Some(update.ceiling_drop / (T::ONE - below + T::HALF * below * below));
    }
    (below <= T::from_f64(WINDOW)).then_some(())?;
    if T::EPSILON < T::from_f64(1e-8) {
        // The series is not good enough.
        return Some((-value).exp());
    }
    let quarter = T::from_f64(0.25) * below;
    // Taylor's series, to 10⁻⁸.
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

/// λ = ηρ·D/(D + N) with D = Π dᵢ, N = η Σcᵢ²·D/dᵢ, dᵢ = sᵢ − λ; and tᵢ = η/(D + N)·cᵢ·D/dᵢ, for one or two directions. None unless λ is
/// well below all s.
#[inline(always)]
fn smallest_root<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let last = if count == 1 { values[0] } else { values[1] };
    let mut squares = [T::ZERO; FEW];
    // η‖c‖².
    let mut inside = T::ZERO;
    for (square, &entry) in squares.iter_mut().zip(&seen.inside).take(count) {
        *square = seen.rate * entry * entry;
        inside += *square;
    }
    // The change that rounding makes of the evidence.
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    // A first guess for s near 16, ηρ(1 − a + a²) with a = η‖c‖²/16: it saves one evaluation. Any guess below all s will do.
    let part = T::from_f64(1.0 / 16.0) * inside;
    let guess = seen.rate * seen.outside_energy * (T::ONE - part + part * part);
    let mut root = guess.min(T::HALF * last);
    for _ in 0..EVALUATIONS {
        // D/dᵢ: for one direction 1, for two the difference of the other.
        let others = if count == 1 {
            [T::ONE; FEW]
        } else {
            [values[1] - root, values[0] - root, T::ZERO]
        };
        let product = (values[0] - root) * others[0];
        let mut denominator = product;
        for (&square, &other) in squares.iter().zip(&others).take(count) {
            denominator += square * other;
        }
        let factor = seen.rate / denominator;
        let next = seen.outside_energy * factor * product;
        // Between zero and half of the smallest s the map contracts, and its fixed point is the smallest root.
        (next <= T::HALF * last).then_some(())?;
        let change = (next - root).abs();
        root = next;
        if change <= rounding {
            let mut towards = [T::ZERO; FEW];
            for ((entry, &inside), &other) in towards.iter_mut().zip(&seen.inside).zip(&others).take(count) {
                *entry = factor * inside * other;
            }
            return Some((root, towards));
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
        // Above the ceiling a bound, below the window none.
        for value in [14.01_f32, 15.0, 17.0, 40.0] {
            assert!(drop_near_ceiling(value, &update).is_some_and(|drop| f64::from(drop) >= (-f64::from(value)).exp()));
        }
        assert!(drop_near_ceiling(12.4, &update).is_none());
    }
}
