//! One root of the secular equation, the eigenvalue equation of a diagonal matrix plus a rank-one matrix.
//! In: poles d₀ > d₁ > … and weights wⱼ = yⱼ² > 0 of D + y·yᵀ. Out: the differences dⱼ − λ for one root λ.
//! Method: f(λ) = 1 + Σ wⱼ/(dⱼ − λ) has one root between each pole and the one above it. The distance to the nearer pole is
//! the unknown, so that it keeps all its digits; each step fits one pole on each side of the root to f and its slope.
//! Cost: about four steps of 12 operations a pole; no scratch.

use super::Convergence;
use crate::Scalar;

/// Steps for one root. Four are the rule; halving the bracket at every one of them would take as many as a number has bits.
const STEPS: usize = 80;

/// A pole dⱼ of f with its weight wⱼ = yⱼ².
#[derive(Clone, Copy, Debug)]
pub(super) struct Pole<T> {
    pub(super) value: T,
    pub(super) weight: T,
}

/// f and its parts at one place: the poles from `index` down, and those above.
struct Value<T> {
    total: T,
    slope_below: T,
    slope_above: T,
    /// Σ|terms|, for the rounding error.
    size: T,
}

/// Writes dⱼ − λ for the root λ just above pole `index`.
pub(super) fn root<T: Scalar>(poles: &[Pole<T>], index: usize, differences: &mut [T]) -> Convergence {
    let Some(&pole) = poles.get(index) else {
        return Convergence::Reached;
    };
    // The root lies between this pole and the next one above, or less than Σw above the first.
    let above = index.checked_sub(1).and_then(|index| poles.get(index));
    let gap = match above {
        Some(above) => above.value - pole.value,
        None => poles.iter().fold(T::ZERO, |sum, pole| sum + pole.weight),
    };
    let half = T::HALF * gap;
    let (mut low, mut high, origin) = match above {
        None => (T::ZERO, gap, pole.value),
        Some(above) => {
            set(poles, pole.value, half, differences);
            if evaluate(poles, index, differences).total < T::ZERO {
                (-half, T::ZERO, above.value)
            } else {
                (T::ZERO, half, pole.value)
            }
        }
    };
    let mut distance = T::HALF * (low + high);
    for _ in 0..STEPS {
        set(poles, origin, distance, differences);
        let f = evaluate(poles, index, differences);
        if f.total.abs() <= T::EPSILON * f.size {
            return Convergence::Reached;
        }
        if f.total < T::ZERO {
            low = distance;
        } else {
            high = distance;
        }
        let below_gap = pole.value - origin - distance;
        let move_by = match above {
            Some(above) => two_poles(&f, below_gap, above.value - origin - distance),
            None => one_pole(&f, below_gap),
        };
        let mut next = distance + move_by;
        if !(next > low && next < high) {
            next = T::HALF * (low + high);
        }
        if next == distance || !(next > low && next < high) {
            // No number between the two ends of the bracket.
            return Convergence::Reached;
        }
        distance = next;
    }
    Convergence::BoundHit
}

/// dⱼ − (origin + distance), the close differences first so that nothing cancels.
#[inline(always)]
fn set<T: Scalar>(poles: &[Pole<T>], origin: T, distance: T, differences: &mut [T]) {
    for (difference, pole) in differences.iter_mut().zip(poles) {
        *difference = (pole.value - origin) - distance;
    }
}

#[inline(always)]
fn evaluate<T: Scalar>(poles: &[Pole<T>], index: usize, differences: &[T]) -> Value<T> {
    let mut value = Value {
        total: T::ONE,
        slope_below: T::ZERO,
        slope_above: T::ZERO,
        size: T::ONE,
    };
    for (j, (pole, &difference)) in poles.iter().zip(differences).enumerate() {
        let inverse = T::ONE / difference;
        let term = pole.weight * inverse;
        value.total += term;
        value.size += term.abs();
        if j < index {
            value.slope_above += term * inverse;
        } else {
            value.slope_below += term * inverse;
        }
    }
    value
}

/// Step to the root of c + s/(a − η) + S/(b − η), which has f's value and f's slopes on both sides.
#[inline(always)]
fn two_poles<T: Scalar>(f: &Value<T>, a: T, b: T) -> T {
    let c = f.total - a * f.slope_below - b * f.slope_above;
    let linear = (a + b) * f.total - a * b * (f.slope_below + f.slope_above);
    let constant = a * b * f.total;
    let root = (linear * linear - T::from_f64(4.0) * c * constant).max(T::ZERO).sqrt();
    if linear > T::ZERO {
        T::TWO * constant / (linear + root)
    } else {
        (linear - root) / (T::TWO * c)
    }
}

/// Step to the root of c + s/(a − η), which has f's value and slope.
#[inline(always)]
fn one_pole<T: Scalar>(f: &Value<T>, a: T) -> T {
    let slope = f.slope_below;
    a * f.total / (f.total - a * slope)
}
