//! One root of the secular equation, the eigenvalue equation of a diagonal matrix plus a rank-one matrix.
//! In: poles d₀ > d₁ > … and weights wⱼ = yⱼ² > 0 of D + y·yᵀ. Out: the differences dⱼ − λ for one root λ.
//! Method: f(λ) = 1 + Σ wⱼ/(dⱼ − λ) has one root between each pole and the one above it. The distance to the nearer pole is
//! the unknown, so that it keeps all its digits; each step fits a constant and one pole, free to move, to f, its slope and its
//! curvature (Halley's step).
//! Cost: two or three steps of 14 operations a pole; no scratch.

use crate::Scalar;
use crate::spectrum::Convergence;

/// Steps for one root. Three are the rule; halving the bracket at every one of them takes as many as a number has bits.
const STEPS: usize = 90;

/// |f| at a root, in units of its rounding error. The eigenvectors belong exactly to whatever roots come out, so more would
/// be wasted.
const ACCURACY: f64 = 4.0;

/// A pole of f: an entry of the diagonal matrix with what the rank-one matrix has there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole<T> {
    /// dⱼ.
    pub(super) value: T,
    /// wⱼ = yⱼ².
    pub(super) weight: T,
    /// yⱼ, up to a common factor.
    pub(super) share: T,
    /// Where on the diagonal it came from.
    pub(super) index: usize,
}

/// f at one place.
struct Value<T> {
    total: T,
    slope: T,
    /// Half of the second derivative.
    curvature: T,
    /// 1 + Σ|terms|: what the rounding error of `total` is measured by.
    size: T,
}

/// Writes dⱼ − λ for the root λ just above pole `index`.
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
            // A step of η leaves an error of about η³/distance²: here, an eighth of a rounding.
            let part = move_by / next;
            if part.abs() * part * part <= T::from_f64(0.125) * T::EPSILON {
                convergence = Convergence::Reached;
                break;
            }
        } else {
            distance = T::HALF * (low + high);
            if !(distance > low && distance < high) {
                // No number is left between the two ends.
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

/// An upper bound for the distance of the root from the pole below it. For λ above the pole the poles above it take at least
/// what they take at the pole, and those below it no more than if they sat there too.
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
    // Better still, as long as those below do not outweigh all else at the pole.
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

/// f at origin + distance; the differences dⱼ − λ are formed from close numbers first, so that nothing cancels.
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

/// Step to the root of c + s/(a − η), which has f's value, slope and curvature.
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
