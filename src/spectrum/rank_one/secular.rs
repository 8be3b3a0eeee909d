//! The eigenvalues and eigenvectors of D + y·yᵀ: the roots of the secular equation.
//! In: poles d₀ > d₁ > … and weights wⱼ = yⱼ² > 0. Out: the roots λ of f(λ) = 1 + Σ wⱼ/(dⱼ − λ), and the eigenvectors,
//! with their entries in the order of the poles.
//! Method: Halley's step for the distance from the nearer pole, or bisection: `guide::mathematics`, "The secular
//! equation" (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 40·r² operations for r poles. Scratch: N numbers.

use crate::scalar::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::vector::{any_length, any_length_mut, rolled, stay_rolled};

/// The largest number of steps for a root. Usually at most three are enough.
const STEPS: usize = 90;

/// The iteration ends if |f(λ)| is at most this number times its rounding error. The vectors need no more accuracy.
const ACCURACY: f64 = 4.0;

/// A pole dⱼ, with the entry yⱼ on the same axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole<T> {
    /// The pole dⱼ.
    pub(super) value: T,
    /// The weight wⱼ = yⱼ².
    pub(super) weight: T,
    /// The entry yⱼ, up to a factor common to all poles.
    pub(super) share: T,
    /// The position of the pole on the diagonal of the caller.
    pub(super) index: usize,
}

/// The secular function and its derivatives at one λ.
struct Value<T> {
    /// The value f(λ).
    total: T,
    /// The derivative f′(λ).
    slope: T,
    /// Half of the second derivative, f″(λ)/2.
    curvature: T,
    /// 1 + Σ |wⱼ/(dⱼ − λ)|: the rounding error of `total` is about ε·`size`.
    size: T,
}

/// Writes dⱼ − λ for every pole dⱼ, where λ is the root between pole `index` and the next larger pole; for index 0, the
/// root above all poles.
pub(super) fn root<T: Scalar>(poles: &[Pole<T>], index: usize, differences: &mut [T]) -> Convergence {
    root_within::<T, STEPS>(poles, index, differences)
}

fn root_within<T: Scalar, const BOUND: usize>(poles: &[Pole<T>], index: usize, differences: &mut [T]) -> Convergence {
    let Some(&pole) = poles.get(index) else {
        return Convergence::Reached;
    };
    let above = index.checked_sub(1).and_then(|index| poles.get(index));
    let bound = bound_above(poles, index);
    let half = above.map_or(T::MAX, |above| T::HALF * (above.value - pole.value));
    let (mut low, mut high, origin, mut distance) = match above {
        Some(above) if bound > half => {
            let bound = above.weight / -sum_of_others(poles, index.wrapping_sub(1));
            if bound > T::ZERO && bound <= half {
                (-bound, T::ZERO, above.value, -bound)
            } else if evaluate(poles, pole.value, half).total < T::ZERO {
                (-half, T::ZERO, above.value, -T::HALF * half)
            } else {
                (T::ZERO, half, pole.value, T::HALF * half)
            }
        }
        _ => (T::ZERO, bound, pole.value, bound),
    };
    let mut convergence = Convergence::BoundHit;
    for _ in 0..BOUND {
        let f = evaluate(poles, origin, distance);
        if f.total.abs() <= T::from_f64(ACCURACY) * T::EPSILON * f.size {
            convergence = Convergence::Reached;
            break;
        }
        if f.total < T::ZERO {
            low = distance;
        } else {
            high = distance;
        }
        let move_by = free_pole(&f);
        let next = distance + move_by;
        if next > low && next < high {
            distance = next;
            // After a step `move_by` the error of `distance` is about |`move_by`|³/`distance`².
            let part = move_by / next;
            if part.abs() * part * part <= T::from_f64(0.125) * T::EPSILON {
                convergence = Convergence::Reached;
                break;
            }
        } else {
            distance = T::HALF * (low + high);
            if !(distance > low && distance < high) {
                // `low` and `high` are neighbouring numbers.
                convergence = Convergence::Reached;
                break;
            }
        }
    }
    for (pole, slot) in any_length(poles).iter().zip(any_length_mut(differences)) {
        stay_rolled();
        *slot = (pole.value - origin) - distance;
    }
    match convergence {
        Convergence::Reached => Convergence::Reached,
        Convergence::BoundHit => Convergence::bound_hit(),
    }
}

/// An upper bound on λ − d, with d the pole at `index`, directly below λ.
fn bound_above<T: Scalar>(poles: &[Pole<T>], index: usize) -> T {
    let (above, below) = poles.split_at_checked(index).unwrap_or_default();
    let Some((pole, below)) = below.split_first() else {
        return T::ZERO;
    };
    let mut taken = T::ONE;
    for other in rolled(above) {
        taken += other.weight / (other.value - pole.value);
    }
    let (mut weight, mut rest) = (pole.weight, taken);
    for other in rolled(below) {
        weight += other.weight;
        rest += other.weight / (other.value - pole.value);
    }
    let bound = weight / taken;
    // `rest` is at most one plus the terms of the other poles at the root λ. That sum is w/(λ − d), with the weight w
    // of this pole.
    if rest > T::ZERO {
        bound.min(pole.weight / rest)
    } else {
        bound
    }
}

/// The sum 1 + Σ_{j≠index} wⱼ/(dⱼ − d_index).
fn sum_of_others<T: Scalar>(poles: &[Pole<T>], index: usize) -> T {
    let own = poles.get(index).map_or(T::ZERO, |pole| pole.value);
    let mut sum = T::ONE;
    for (j, pole) in rolled(poles).enumerate() {
        if j != index {
            sum += pole.weight / (pole.value - own);
        }
    }
    sum
}

/// f and its derivatives at λ = `origin` + `distance`, with dⱼ − λ computed as (dⱼ − `origin`) − `distance` to avoid
/// cancellation.
fn evaluate<T: Scalar>(poles: &[Pole<T>], origin: T, distance: T) -> Value<T> {
    let mut value = Value {
        total: T::ONE,
        slope: T::ZERO,
        curvature: T::ZERO,
        size: T::ONE,
    };
    for pole in any_length(poles) {
        stay_rolled();
        let difference = (pole.value - origin) - distance;
        let inverse = T::ONE / difference;
        let term = pole.weight * inverse;
        value.total += term;
        value.size += term.abs();
        let slope = term * inverse;
        value.slope += slope;
        value.curvature += slope * inverse;
    }
    value
}

/// The step η to the root of the function c + s/(a − η), whose value, slope and curvature at η = 0 are those of `f`.
fn free_pole<T: Scalar>(f: &Value<T>) -> T {
    f.total * f.slope / (f.total * f.curvature - f.slope * f.slope)
}

/// Writes the eigenvalues and eigenvectors to the first entries of `values` and `columns`.
#[inline(never)]
pub(super) fn solve<T: Scalar, const N: usize>(
    poles: &[Pole<T>],
    columns: &mut [[T; N]],
    values: &mut [T],
) -> Convergence {
    let mut convergence = Convergence::Reached;
    for (index, column) in (0..poles.len()).zip(any_length_mut(columns)) {
        stay_rolled();
        convergence = convergence.and(root(poles, index, column));
    }
    eigenvectors(poles, columns, values);
    convergence
}

/// Replaces the differences dⱼ − λᵢ in the columns by eigenvectors, and writes the roots to `values`.
fn eigenvectors<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) {
    // The vector ŷ for which the computed roots are exact, with the signs of y.
    let mut exact = [T::ZERO; N];
    for (j, (exact, pole)) in any_length_mut(&mut exact).iter_mut().zip(any_length(poles)).enumerate() {
        stay_rolled();
        let weight = exact_weight(columns, poles, j);
        let size = if weight > T::ZERO {
            weight * weight.inverse_sqrt()
        } else {
            T::ZERO
        };
        *exact = if pole.share < T::ZERO { -size } else { size };
    }
    for (i, ((column, value), pole)) in any_length_mut(columns)
        .iter_mut()
        .zip(any_length_mut(values))
        .zip(any_length(poles))
        .enumerate()
    {
        stay_rolled();
        *value = pole.value - column.get(i).copied().unwrap_or(T::ZERO);
        eigenvector(&exact, column, poles.len());
    }
}

/// ŷⱼ² = (λⱼ − dⱼ)·Π_{i≠j} (λᵢ − dⱼ)/(dᵢ − dⱼ), at least zero; roots and poles alternate, so all factors are positive.
fn exact_weight<T: Scalar, const N: usize>(differences: &[[T; N]], poles: &[Pole<T>], j: usize) -> T {
    let own = poles.get(j).map_or(T::ZERO, |pole| pole.value);
    let mut product = T::ONE;
    for (i, (column, pole)) in any_length(differences).iter().zip(any_length(poles)).enumerate() {
        stay_rolled();
        let difference = column.get(j).copied().unwrap_or(T::ZERO);
        product *= if i == j {
            -difference
        } else {
            difference / (own - pole.value)
        };
    }
    product.max(T::ZERO)
}

/// Replaces the first `count` differences by ŷⱼ/(dⱼ − λ), scaled to length one, and the rest by zero.
fn eigenvector<T: Scalar, const N: usize>(exact: &[T; N], column: &mut [T; N], count: usize) {
    let mut energy = T::ZERO;
    for (entry, &exact) in any_length_mut(column).iter_mut().zip(any_length(exact)).take(count) {
        stay_rolled();
        *entry = exact / *entry;
        energy += *entry * *entry;
    }
    let scale = energy.inverse_sqrt();
    for (j, entry) in any_length_mut(column).iter_mut().enumerate() {
        stay_rolled();
        *entry = if j < count { *entry * scale } else { T::ZERO };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_is_hit_leaves_finite_differences_and_says_so() {
        let pole = |value, index| Pole {
            value,
            weight: 0.5_f32,
            share: 0.5,
            index,
        };
        let poles = [pole(3.0, 0), pole(1.0, 1), pole(0.5, 2)];
        for index in 0..3 {
            let mut differences = [0.0; 3];
            assert_eq!(
                root_within::<f32, 0>(&poles, index, &mut differences),
                Convergence::BoundHit
            );
            assert!(differences.iter().all(|difference| difference.is_finite()));
            assert_eq!(root(&poles, index, &mut differences), Convergence::Reached);
        }
    }
}
