//! The steady state of a tracking learner: as many directions are stored before a sample as are kept, one or two, and mostly after it.
//! In: evidence s of the stored directions, a sample's coordinates c in them, its energy outside ρ. Out: the new evidence and the turn of the
//! directions; or none, where a condition does not hold. Nothing is changed here.
//! Method: G + ηxxᵀ has the eigenvalues of the bordered matrix [[S + ηccᵀ, η√ρ·c], [·, ηρ]] with S = diag(s), and zeros. The
//! smallest one, λ, is the fixed point of a sum of positive terms, and its eigenvector turns the plane (`spectrum::few::Turn`). The
//! threshold of the k + 1 values is τ = λ − ln(1 + y) with y = Σe^(−(gᵢ − λ)): the last one ends at ln(1 + y), and joins the bulk where that
//! is negligible.
//! Cost: about 100 operations and five divisions for two directions; `exp` for each direction below the ceiling.

use super::evidence::Update;
use super::learned::{Learned, Outlook, Seen, in_range, turned};
use crate::Scalar;
use crate::bounds::ln_of_one_and;
use crate::spectrum::few::{FEW, Few, Turn, eigenpairs};

/// Evaluations of the fixed point at most. In the steady state two reach rounding.
const EVALUATIONS: usize = 8;

/// The plane after a sample, and the eigenvalue that leaves.
struct Turned<T> {
    /// λ.
    root: T,
    turn: Turn<T>,
    plane: Few<T>,
    /// ηρ.
    gain: T,
}

#[inline(always)]
fn turn<T: Scalar, const COUNT: usize>(values: &[T; COUNT], seen: &Seen<T>) -> Option<Turned<T>> {
    let (root, towards) = smallest_root(values, seen)?;
    let turn = Turn::new::<COUNT>(towards, seen.outside_energy);
    Some(Turned {
        root,
        plane: turned::<T, COUNT>(values, seen, &turn),
        turn,
        gain: seen.rate * seen.outside_energy,
    })
}

/// The evidence after a sample where it stays with as many directions as are kept, `COUNT`.
#[inline(always)]
pub(super) fn learn<T: Scalar, const COUNT: usize>(
    values: &[T; COUNT],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    if in_range(values, seen, update)? == Outlook::Inside {
        return None;
    }
    let Turned {
        root,
        turn,
        plane,
        gain,
    } = turn(values, seen)?;
    let pairs = eigenpairs::<T, COUNT>(&plane, root)?;
    // e^(−(gᵢ − λ)), or e^(−ceiling) where that is more, and their sum: y, or more by less than rounding.
    let mut values = [T::ZERO; FEW];
    let mut drops = [T::ZERO; FEW];
    let mut sum = T::ZERO;
    for i in 0..COUNT {
        values[i] = pairs.values[i] - root;
        drops[i] = if values[i] >= update.ceiling {
            update.ceiling_drop
        } else {
            (-values[i]).exp()
        };
        sum += drops[i];
    }
    // The last one joins the bulk, which stays at zero: τ = λ − ln(1 + y) ≥ 0.
    (sum <= update.negligible(values[0], gain) && sum <= root).then_some(())?;
    let mut rise = T::ZERO;
    for i in 0..COUNT {
        // g − τ = (g − λ) + ln(1 + y), and ln(1 + y) is y to rounding; e^(−(g − τ)) = e^(−(g − λ))/(1 + y).
        values[i] += sum;
        drops[i] *= T::ONE - sum;
        update.limit(&mut values[i], &mut drops[i]);
        rise += drops[i];
    }
    Some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn,
        rank: COUNT,
        rise,
    })
}

/// The evidence after a sample where [`learn`] has none: the sample is inside the plane, or one direction more is stored after it.
#[inline(always)]
pub(super) fn learn_rarely<T: Scalar, const COUNT: usize>(
    values: &[T; COUNT],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    match in_range(values, seen, update)? {
        Outlook::Inside => learn_inside(values, seen, update),
        Outlook::Outside => open_a_contest::<T, COUNT>(turn(values, seen)?, update),
    }
}

/// The last one does not join the bulk: one direction more is stored than is kept, as `contested` will find it.
#[inline(always)]
fn open_a_contest<T: Scalar, const COUNT: usize>(turned: Turned<T>, update: &Update<T>) -> Option<Learned<T>> {
    let pairs = eigenpairs::<T, COUNT>(&turned.plane, turned.root)?;
    // g − λ; that of the last one is zero.
    let mut values = [T::ZERO; FEW];
    let mut drops = [T::ONE; FEW];
    let mut sum = T::ZERO;
    for i in 0..COUNT {
        values[i] = pairs.values[i] - turned.root;
        drops[i] = (-values[i]).exp();
        sum += drops[i];
    }
    // τ = λ − ln(1 + y) ≥ 0, so that the bulk stays at zero.
    let offset = ln_of_one_and(sum);
    (offset <= turned.root).then_some(())?;
    let stays = offset > update.negligible(values[0] + offset, turned.gain);
    let rank = if stays { COUNT + 1 } else { COUNT };
    let factor = T::ONE / (T::ONE + sum);
    let (mut rise, mut stored) = (T::ZERO, T::ZERO);
    for (value, drop) in values.iter_mut().zip(&mut drops).take(rank) {
        // g − τ and e^(−(g − τ)).
        *value += offset;
        *drop *= factor;
        rise += update.limit(value, drop);
        stored += *drop;
    }
    Some(Learned {
        values,
        drops,
        vectors: pairs.vectors,
        turn: turned.turn,
        rank,
        rise: if stays { rise } else { stored },
    })
}

/// A sample inside the plane: S + ηccᵀ, and no direction leaves. Σe⁻ᵍ is d to rounding, so that the threshold is zero.
#[inline(always)]
fn learn_inside<T: Scalar, const COUNT: usize>(
    values: &[T; COUNT],
    seen: &Seen<T>,
    update: &Update<T>,
) -> Option<Learned<T>> {
    let turn = Turn::new::<COUNT>([T::ZERO; FEW], T::ZERO);
    let pairs = eigenpairs::<T, COUNT>(&turned::<T, COUNT>(values, seen, &turn), T::ZERO)?;
    let mut values = pairs.values;
    let mut drops = [T::ZERO; FEW];
    let (mut sum, mut rise) = (T::ZERO, T::ZERO);
    for (value, drop) in values.iter_mut().zip(&mut drops).take(COUNT) {
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
        rank: COUNT,
        rise,
    })
}

/// λ = ηρ·D/(D + N) with D = Π dᵢ, N = η Σcᵢ²·D/dᵢ, dᵢ = sᵢ − λ; and tᵢ = η/(D + N)·cᵢ·D/dᵢ. None unless λ is well below all s.
#[inline(always)]
fn smallest_root<T: Scalar, const COUNT: usize>(values: &[T; COUNT], seen: &Seen<T>) -> Option<(T, [T; FEW])> {
    let last = *values.last()?;
    let mut squares = [T::ZERO; FEW];
    for (square, &inside) in squares.iter_mut().zip(&seen.inside).take(COUNT) {
        *square = seen.rate * inside * inside;
    }
    // The change that rounding makes of the evidence.
    let rounding = T::from_f64(16.0) * T::EPSILON * last;
    // A first guess for s near 16, ηρ(1 − a + a²) with a = η‖c‖²/16: it saves one evaluation. Any guess below all s will do.
    let mut inside = T::ZERO;
    for &square in squares.iter().take(COUNT) {
        inside += square;
    }
    let part = T::from_f64(1.0 / 16.0) * inside;
    let guess = seen.rate * seen.outside_energy * (T::ONE - part + part * part);
    let mut root = guess.min(T::HALF * last);
    for _ in 0..EVALUATIONS {
        // D/dᵢ: for one direction 1, for two the difference of the other.
        let mut others = [T::ONE; FEW];
        if let [first, second] = values.as_slice() {
            (others[0], others[1]) = (*second - root, *first - root);
        }
        let product = (values[0] - root) * others[0];
        let mut denominator = product;
        for (&square, &other) in squares.iter().zip(&others).take(COUNT) {
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
            for ((entry, &inside), &other) in towards.iter_mut().zip(&seen.inside).zip(&others).take(COUNT) {
                *entry = factor * inside * other;
            }
            return Some((root, towards));
        }
    }
    None
}
