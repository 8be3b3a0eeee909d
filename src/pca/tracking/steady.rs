//! The steady state in closed form: KEEP directions, one to three, are stored before and after a sample, and the bulk
//! has no evidence.
//! In and out: as in `contested`.
//! Method: `guide::mathematics`, "A sample in closed form". With the sample, the evidence matrix has the smallest
//! eigenvalue λ and larger ones gᵢ; y = Σe^(−(gᵢ − λ)).
//! Cost: about 120 operations and five divisions for two directions, 600 for three.

use super::evidence::Update;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::spectrum::few::{FEW, Turn, close_pairs, each};

/// The largest number of iterations; in `f32` one is usually enough.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample with a part outside the `count` = KEEP stored directions.
#[inline(always)]
pub(super) fn learn<T: Scalar>(
    count: usize,
    values: &[T; FEW],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let (root, towards) = smallest_root(count, values, seen)?;
    let turn = Turn::new(count, towards, seen.outside_energy);
    let pairs = close_pairs(count, &turned(count, values, seen, &turn))?;
    // `values` becomes gᵢ − λ, `drops` becomes e^(−(gᵢ − λ)) (above the ceiling an upper bound), and `sum` becomes y.
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let mut sum = T::ZERO;
    each!(I => if I < count {
        values[I] -= root;
        drops[I] = drop_near_ceiling(values[I], update)?;
        sum += drops[I];
    });
    // Because y ≥ ln(1 + y), the first condition makes the direction of λ negligible. The second makes τ = λ − ln(1 +
    // y) ≥ 0, so that the bulk stays without evidence.
    let gain = seen.rate * seen.outside_energy;
    (sum <= update.negligible(count, values[0], gain) && sum <= root).then_some(())?;
    let mut rise = T::ZERO;
    each!(I => if I < count {
        // g − τ = (g − λ) + ln(1 + y). To rounding, ln(1 + y) = y and 1/(1 + y) = 1 − y.
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

/// Returns the changes by a sample inside the stored directions: the eigenvalues of diag(s) + ηccᵀ.
#[inline(always)]
pub(super) fn learn_inside<T: Scalar>(
    count: usize,
    values: &[T; FEW],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let turn = Turn::new(count, [T::ZERO; FEW], T::ZERO);
    let pairs = close_pairs(count, &turned(count, values, seen, &turn))?;
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let (mut sum, mut rise) = (T::ZERO, T::ZERO);
    for (value, drop) in values.iter_mut().zip(&mut drops).take(count) {
        *drop = (-*value).exp();
        sum += *drop;
        rise += update.limit(value, drop);
    }
    // With `sum` up to this limit, the threshold −ln(1 + `sum`/(DIM − KEEP)) is zero to rounding.
    (sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// How far below the ceiling [`drop_near_ceiling`] computes e⁻ᵍ. Further below, e⁻ᵍ is above 4·e^(−ceiling): for one or
/// two directions always more than `negligible` allows, for three nearly always.
const WINDOW: f64 = 1.5;

/// Returns e⁻ᵍ = e^(−ceiling)·(e^(u/4))⁴ with u = ceiling − g; above the ceiling an upper bound, and `None` more than
/// [`WINDOW`] below it.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
fn drop_near_ceiling<T: Scalar>(value: T, update: &Update<T>) -> Option<T> {
    let below = update.ceiling - value;
    if below <= T::ZERO {
        // e^(−u) ≥ 1 − u + u²/2 for u = `below` ≤ 0.
        return Some(update.ceiling_drop / (T::ONE - below + T::HALF * below * below));
    }
    (below <= T::from_f64(WINDOW)).then_some(())?;
    if T::EPSILON < T::from_f64(1e-8) {
        // In `f64` the series is not exact enough.
        return Some((-value).exp());
    }
    let quarter = T::from_f64(0.25) * below;
    // `root` becomes the Taylor series of e^(u/4) up to the seventh power, with a relative error below 10⁻⁸.
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

/// Returns the smallest eigenvalue λ and the vector t of `spectrum::few::Turn`, for `count` = 1 to 3 directions.
#[inline(always)]
fn smallest_root<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let last = match count {
        1 => values[0],
        2 => values[1],
        _ => values[2],
    };
    let squares = each!(I => seen.rate * seen.inside[I] * seen.inside[I]);
    // `inside` becomes the sum of `squares`, η‖c‖².
    let mut inside = squares[0];
    if count > 1 {
        inside += squares[1];
    }
    if count > 2 {
        inside += squares[2];
    }
    // `rounding` is about the rounding error of the last evidence.
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    // The first guess ηρ(1 − a + a² − a³), with a = η‖c‖²/14, saves one iteration for evidence near 14, the default
    // ceiling, and a below ½. The guess may be negative: `next` is then between zero and ηρ.
    let part = T::from_f64(1.0 / 14.0) * inside;
    let guess = seen.rate * seen.outside_energy * (T::ONE - part * (T::ONE - part * (T::ONE - part)));
    let mut root = guess.min(T::HALF * last);
    for _ in 0..EVALUATIONS {
        let [factor, product, ..] = terms(count, values, &squares, seen.rate, root);
        let next = seen.outside_energy * factor * product;
        // Up to half of the last evidence the iteration converges, and its only fixed point is the smallest eigenvalue.
        (next <= T::HALF * last).then_some(())?;
        let change = (next - root).abs();
        root = next;
        // With s the last evidence, the derivative of the iteration at λ has a magnitude below λ/(s − λ), so `root` is
        // within about `change`·λ/(s − λ) of λ.
        if change * root <= rounding * (last - root) {
            let [factor, product, others @ ..] = terms(count, values, &squares, seen.rate, root);
            let mut entries = [T::ZERO; FEW];
            each!(I => if I < count {
                entries[I] = factor * seen.inside[I] * others[I];
            });
            return Some((seen.outside_energy * factor * product, entries));
        }
    }
    None
}

/// Returns η/(D + N), D, D/d₁, D/d₂ and D/d₃, with dᵢ = `values[i]` − `root`, D = Π dᵢ and N = Σ `squares[i]`·D/dᵢ;
/// with fewer than three directions the last ones have no meaning.
#[inline(always)]
fn terms<T: Scalar>(count: usize, values: &[T; FEW], squares: &[T; FEW], rate: T, root: T) -> [T; 5] {
    let first = values[0] - root;
    if count == 1 {
        return [rate / (first + squares[0]), first, T::ONE, T::ONE, T::ONE];
    }
    let second = values[1] - root;
    let product = first * second;
    if count == 2 {
        let denominator = product + squares[0] * second + squares[1] * first;
        return [rate / denominator, product, second, first, T::ONE];
    }
    let third = values[2] - root;
    let (without_first, without_second) = (second * third, first * third);
    let all = product * third;
    let denominator = all + squares[0] * without_first + squares[1] * without_second + squares[2] * product;
    [rate / denominator, all, without_first, without_second, product]
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
        for value in [14.01_f32, 15.0, 17.0, 40.0] {
            assert!(drop_near_ceiling(value, &update).is_some_and(|drop| f64::from(drop) >= (-f64::from(value)).exp()));
        }
        assert!(drop_near_ceiling(12.4, &update).is_none());
    }
}
