//! One root of the secular equation, the eigenvalue equation of a diagonal matrix plus a rank-one matrix.
//! In: poles d₀ > d₁ > … (the entries of D) and weights wⱼ = yⱼ² > 0 of D + y·yᵀ. Out: the differences dⱼ − λ for one root λ.
//! Method: f(λ) = 1 + Σ wⱼ/(dⱼ − λ) has one root between each two neighbouring poles and one above d₀. The iteration computes the
//! distance of the root from the nearer pole, so that no digits are lost. Each step goes to the root of c + s/(a − λ), with the
//! constants a, c, s that give it the value, slope and curvature of f (Halley's step).
//! Cost: two or three steps of 14 operations for each pole; no scratch.

use crate::Scalar;
use crate::spectrum::Convergence;

/// The largest number of steps for one root. Usually three are enough. If every step only halves the interval that contains the
/// root, the number of steps is about the number of bits of `T`.
const STEPS: usize = 90;

/// The largest |f| at an accepted root, in units of the rounding error of f. More accuracy is not needed: `vectors` computes
/// eigenvectors that are exact for the computed roots.
const ACCURACY: f64 = 4.0;

/// A pole of f: an entry of the diagonal matrix and the entry of y on the same axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole<T> {
    /// The pole dⱼ.
    pub(super) value: T,
    /// The weight wⱼ = yⱼ².
    pub(super) weight: T,
    /// yⱼ, up to a factor common to all poles.
    pub(super) share: T,
    /// The axis: the position of the pole on the diagonal of the caller.
    pub(super) index: usize,
}

/// f and its derivatives at one λ.
struct Value<T> {
    total: T,
    slope: T,
    /// Half of the second derivative.
    curvature: T,
    /// 1 + Σ|terms|. The rounding error of `total` is about ε times this.
    size: T,
}

/// Writes dⱼ − λ for the root λ directly above pole `index`.
#[inline(always)]
pub(super) fn root<T: Scalar>(poles: &[Pole<T>], index: usize, differences: &mut [T]) -> Convergence {
    root_within::<T, STEPS>(poles, index, differences)
}

/// Finds the root in at most `BOUND` steps.
#[inline(always)]
fn root_within<T: Scalar, const BOUND: usize>(poles: &[Pole<T>], index: usize, differences: &mut [T]) -> Convergence {
    let Some(&pole) = poles.get(index) else {
        return Convergence::Reached;
    };
    let above = index.checked_sub(1).and_then(|index| poles.get(index));
    let bound = bound_above(poles, index);
    let half = above.map_or(T::MAX, |above| T::HALF * (above.value - pole.value));
    let (mut low, mut high, origin, mut distance) = match above {
        Some(above) if bound > half => {
            let bound = above.weight / -sum_of_others(poles, index - 1);
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
            // After a step η = `move_by` the error is about η³/distance²: here at most an eighth of a rounding error.
            let part = move_by / next;
            if part.abs() * part * part <= T::from_f64(0.125) * T::EPSILON {
                convergence = Convergence::Reached;
                break;
            }
        } else {
            distance = T::HALF * (low + high);
            if !(distance > low && distance < high) {
                // `low` and `high` are neighbouring numbers of type `T`.
                convergence = Convergence::Reached;
                break;
            }
        }
    }
    for (pole, slot) in poles.iter().zip(differences) {
        *slot = (pole.value - origin) - distance;
    }
    match convergence {
        Convergence::Reached => Convergence::Reached,
        Convergence::BoundHit => Convergence::bound_hit(),
    }
}

/// An upper bound on the distance of the root from pole `index`, which is below the root. At the root, the terms of the poles
/// above are at least as large as at pole `index`. The magnitudes of the terms of the poles below are at most as large as if
/// these poles were at pole `index`.
#[inline(always)]
fn bound_above<T: Scalar>(poles: &[Pole<T>], index: usize) -> T {
    let (above, below) = poles.split_at_checked(index).unwrap_or_default();
    let Some((pole, below)) = below.split_first() else {
        return T::ZERO;
    };
    let mut taken = T::ONE;
    for other in above {
        taken += other.weight / (other.value - pole.value);
    }
    let (mut weight, mut rest) = (pole.weight, taken);
    for other in below {
        weight += other.weight;
        rest += other.weight / (other.value - pole.value);
    }
    let bound = weight / taken;
    // A second bound, valid if `rest`, the sum of all other terms of f at pole `index`, is positive.
    if rest > T::ZERO {
        bound.min(pole.weight / rest)
    } else {
        bound
    }
}

/// 1 + Σ_{j≠index} wⱼ/(dⱼ − d_index).
#[inline(always)]
fn sum_of_others<T: Scalar>(poles: &[Pole<T>], index: usize) -> T {
    let own = poles.get(index).map_or(T::ZERO, |pole| pole.value);
    let mut sum = T::ONE;
    for (j, pole) in poles.iter().enumerate() {
        if j != index {
            sum += pole.weight / (pole.value - own);
        }
    }
    sum
}

/// f at λ = `origin` + `distance`. dⱼ − λ is computed as (dⱼ − `origin`) − `distance`, which avoids cancellation.
#[inline(always)]
fn evaluate<T: Scalar>(poles: &[Pole<T>], origin: T, distance: T) -> Value<T> {
    let mut value = Value {
        total: T::ONE,
        slope: T::ZERO,
        curvature: T::ZERO,
        size: T::ONE,
    };
    for pole in poles {
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

/// The step η to the root of c + s/(a − η). At η = 0 this function has the value, slope and curvature of f.
#[inline(always)]
fn free_pole<T: Scalar>(f: &Value<T>) -> T {
    f.total * f.slope / (f.total * f.curvature - f.slope * f.slope)
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
