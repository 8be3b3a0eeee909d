//! The steady state of a tracking learner: before and after a sample, k directions are stored, where k = KEEP is one, two
//! or three. The bulk (all directions that are not stored) has the evidence zero.
//! In: the evidence s of each stored direction (the direction is kept with probability 1 − e⁻ˢ), the coordinates c of a sample x
//! in these directions, the energy ρ of the part of x outside the directions, and the rate η. Out: the new evidence and the turn
//! of the directions; `None` if a condition does not hold. This file changes no learner.
//! Method: G is the evidence matrix. The eigenvalues of G + ηxxᵀ are zeros and the eigenvalues of the bordered matrix
//! [[S + ηccᵀ, η√ρ·c], [η√ρ·cᵀ, ηρ]] with S = diag(s). The smallest eigenvalue λ of the bordered matrix is the fixed point of a
//! formula with only positive terms (`smallest_root`). The plane is the span of the stored directions. The plane is turned until
//! it is orthogonal to the eigenvector of λ (`spectrum::few::Turn`). In the turned plane, G + ηxxᵀ has the k larger eigenvalues
//! gᵢ. The drop probabilities of the k + 1 directions sum to one: e^(τ − λ) + Σe^(τ − gᵢ) = 1. So the threshold τ is
//! λ − ln(1 + y) with y = Σe^(−(gᵢ − λ)). After the threshold, the direction of λ has the evidence ln(1 + y). This direction
//! joins the bulk if ln(1 + y) is negligible (`Update::negligible`, at most max(2k, 4)·e^(−ceiling); the ceiling is the upper
//! limit of evidence). Then each gᵢ − λ is above the ceiling or not far below it. So in `f32` a short series is enough for the
//! exponential.
//! Cost: about 120 operations and five divisions for two directions, 600 operations for three.

use super::evidence::Update;
use super::learned::{Learned, Seen, turned};
use crate::Scalar;
use crate::spectrum::few::{FEW, Turn, close_pairs, each};

/// The largest number of tested iterations for the fixed point λ (`smallest_root`). One more evaluation follows, which also gives
/// t. In the steady state one iteration is usually enough in `f32`.
const EVALUATIONS: usize = 8;

/// Returns the changes by a sample that has a part outside the `count` = KEEP stored directions. Returns `None` if a condition
/// does not hold, for example if one more direction would have to be stored.
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
    // gᵢ are the eigenvalues in `pairs`; λ is `root`. `values` becomes gᵢ − λ, `drops` becomes e^(−(gᵢ − λ)), and `sum` = y is
    // the sum of `drops`. If gᵢ − λ is above the ceiling, its entry in `drops` is an upper bound of e^(−(gᵢ − λ)).
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let mut sum = T::ZERO;
    each!(I => if I < count {
        values[I] -= root;
        drops[I] = drop_near_ceiling(values[I], update)?;
        sum += drops[I];
    });
    // Two conditions on ln(1 + y). Both are tested with y, which is at least ln(1 + y). First, the evidence ln(1 + y) of the
    // direction of λ is negligible, so that the direction joins the bulk (all directions that are not stored). Second, the
    // threshold τ = λ − ln(1 + y) is at least zero, so that the evidence of the bulk stays zero.
    let gain = seen.rate * seen.outside_energy;
    (sum <= update.negligible(count, values[0], gain) && sum <= root).then_some(())?;
    let mut rise = T::ZERO;
    each!(I => if I < count {
        // g − τ = (g − λ) + ln(1 + y), and e^(−(g − τ)) = e^(−(g − λ))/(1 + y). To rounding, ln(1 + y) = y and 1/(1 + y) = 1 − y.
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

/// Returns the changes by a sample inside the stored directions. The evidence matrix becomes diag(s) + ηccᵀ with s = `values` and
/// the coordinates c = `seen.inside` of the sample. All directions stay stored. The eigenvalues gᵢ of this matrix are the new
/// evidence, before the ceiling. The bulk has the evidence zero. So the threshold is τ = −ln(1 + y/d), with y = Σe^(−gᵢ) and
/// d = DIM − KEEP. This function omits τ. It returns `None` if y is above 4ε·d: then τ is not negligible.
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
    // With y = `sum` and d = `seen.dropped` the threshold is τ = −ln(1 + y/d). This condition makes τ zero to rounding.
    (sum <= T::from_f64(4.0) * T::EPSILON * seen.dropped).then_some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: count,
        rise,
    })
}

/// The largest distance of evidence g below the ceiling (the upper limit of evidence) for which [`drop_near_ceiling`] computes
/// e⁻ᵍ. At a larger distance e⁻ᵍ is above 4·e^(−ceiling). This is above `Update::negligible` for one or two directions, and rare
/// for three.
const WINDOW: f64 = 1.5;

/// Returns e⁻ᵍ = e^(−ceiling)·(e^(u/4))⁴ with g = `value` and u = ceiling − g. Above the ceiling returns an upper bound of e⁻ᵍ.
/// Returns `None` if g is more than [`WINDOW`] below the ceiling.
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
        // `f64`: the series below is not exact enough.
        return Some((-value).exp());
    }
    let quarter = T::from_f64(0.25) * below;
    // Taylor series of e^(u/4), `quarter` = u/4, up to the seventh power. Without rounding, its relative error is below 10⁻⁸.
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

/// Returns λ and t for one to three directions. λ is the smallest eigenvalue of G + ηxxᵀ in the span of the stored directions and
/// the sample x; G is the evidence matrix with the eigenvalues s = `values`. t turns the directions (see `Turn`).
/// η = `seen.rate`. c = `seen.inside` are the coordinates of x in the directions. ρ = `seen.outside_energy` is the energy of x
/// outside the directions.
///
/// With dᵢ = sᵢ − λ, D = Π dᵢ and N = η·Σcᵢ²·D/dᵢ, λ is the fixed point λ = ηρ·D/(D + N), and tᵢ = η/(D + N)·cᵢ·D/dᵢ. Returns
/// `None` if an iteration gives a λ above half of the smallest s, or if [`EVALUATIONS`] iterations are not enough.
#[inline(always)]
fn smallest_root<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let last = match count {
        1 => values[0],
        2 => values[1],
        _ => values[2],
    };
    let squares = each!(I => seen.rate * seen.inside[I] * seen.inside[I]);
    // `inside` = η‖c‖².
    let mut inside = squares[0];
    if count > 1 {
        inside += squares[1];
    }
    if count > 2 {
        inside += squares[2];
    }
    // An estimate of the rounding error of the evidence s. The iteration ends if the distance of λ from the fixed point is at
    // most about this number.
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    // The first guess of λ is ηρ(1 − a + a² − a³) with a = η‖c‖²/14. The guess is good for evidence s near 14, the default
    // ceiling, and for a below about ½: then it saves one iteration. The guess is limited to half of the smallest s. For a > 1
    // the guess is negative. Every guess up to the limit is allowed: for λ ≤ 0, `next` is between zero and ηρ.
    let part = T::from_f64(1.0 / 14.0) * inside;
    let guess = seen.rate * seen.outside_energy * (T::ONE - part * (T::ONE - part * (T::ONE - part)));
    let mut root = guess.min(T::HALF * last);
    for _ in 0..EVALUATIONS {
        let [factor, product, ..] = terms(count, values, &squares, seen.rate, root);
        let next = seen.outside_energy * factor * product;
        // If λ and `next` are both between zero and half of the smallest s, the derivative of `next` by λ is above −1 and at most
        // zero, so the iteration contracts. The only fixed point below the smallest s is the smallest eigenvalue.
        (next <= T::HALF * last).then_some(())?;
        let change = (next - root).abs();
        root = next;
        // With s = `last`, the derivative at the fixed point λ has a magnitude below λ/(s − λ). So the distance from `root` to
        // the fixed point is at most about `change`·λ/(s − λ). If this is at most `rounding`, one more evaluation gives λ and t.
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

/// Returns η/(D + N), D, D/d₁, D/d₂ and D/d₃ of [`smallest_root`] for λ = `root`, with ηcᵢ² in `squares` and η = `rate`. Numbers
/// after the first `count` + 2 have no meaning.
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
        // Above the ceiling the function returns an upper bound, below the window `None`.
        for value in [14.01_f32, 15.0, 17.0, 40.0] {
            assert!(drop_near_ceiling(value, &update).is_some_and(|drop| f64::from(drop) >= (-f64::from(value)).exp()));
        }
        assert!(drop_near_ceiling(12.4, &update).is_none());
    }
}
