//! A few of the largest eigenvalues of a symmetric tridiagonal matrix, without the others.
//! In: T, and a guess for each wanted eigenvalue. Out: the eigenvalues one by one, with an error of a few ε·‖T‖.
//! Method: the pivots of T − xI count the eigenvalues above x (Sturm) and give Newton's step p(x)/p′(x), used if only
//! one eigenvalue is in the bracket; otherwise bisection. Proof: `guide::mathematics`, "The leading eigenvalues".
//! Cost: about eight passes of 20·N operations for each eigenvalue.

use super::tridiagonal::Tridiagonal;
use crate::Scalar;

/// Bisection alone needs about one pass for each binary digit.
const WALKS: usize = 64;

/// p′(x)/p(x) counts only above this number times its rounding error.
const CANCELLED: f64 = 64.0;

/// The result of one pass over the rows of T − xI.
struct Pivots<T> {
    /// The number of eigenvalues above x.
    above: usize,
    /// p′(x)/p(x), or zero if x is so close to an eigenvalue of a leading block that the terms cancel.
    slope: T,
}

impl<T: Scalar, const N: usize> Tridiagonal<T, N> {
    fn pivots(&self, x: T, smallest: T) -> Pivots<T> {
        let (mut above, mut slope, mut magnitude) = (0_usize, T::ZERO, T::ZERO);
        let (mut inverse, mut relative, mut coupling) = (T::ZERO, T::ZERO, T::ZERO);
        for (&diagonal, &next) in self.diagonal.iter().zip(&self.coupling) {
            let share = coupling * coupling * inverse;
            let mut pivot = diagonal - x - share;
            // A pivot near zero counts as positive, as if x were slightly smaller.
            if pivot.abs() < smallest {
                pivot = smallest;
            }
            if pivot > T::ZERO {
                above = above.wrapping_add(1);
            }
            inverse = T::ONE / pivot;
            relative = (share * relative - T::ONE) * inverse;
            slope += relative;
            magnitude += relative.abs();
            coupling = next;
        }
        if slope.abs() <= T::from_f64(CANCELLED) * T::EPSILON * magnitude {
            slope = T::ZERO;
        }
        Pivots { above, slope }
    }

    /// The number of eigenvalues of T above x, up to rounding.
    pub(super) fn count_above(&self, x: T, norm: T) -> usize {
        self.pivots(x, smallest(norm)).above
    }

    /// The eigenvalue at `position` of the descending order.
    ///
    /// `guess` should be near it, and `separator` between it and the next smaller one; wrong ones only cost passes.
    /// `bracket` is new for position 0, and otherwise that of the position before.
    pub(super) fn value_at(&self, position: usize, guess: T, separator: T, norm: T, bracket: &mut Bracket<T>) -> T {
        let smallest = smallest(norm);
        let accuracy = T::TWO * T::EPSILON * norm;
        bracket.lower = -norm;
        bracket.above_lower = N;
        let mut x = separator;
        let mut last_step = T::INFINITY;
        let (mut floor, mut ceiling, mut isolated) = (-norm, norm, false);
        for _ in 0..WALKS {
            if !(x > bracket.lower && x < bracket.upper) {
                x = T::HALF * (bracket.lower + bracket.upper);
            }
            let Pivots { above, slope } = self.pivots(x, smallest);
            if above > position {
                (bracket.lower, bracket.above_lower) = (x, above);
            } else {
                (bracket.upper, bracket.above_upper) = (x, above);
            }
            let width = bracket.upper - bracket.lower;
            if width <= accuracy {
                break;
            }
            let alone = bracket.above_lower == position + 1 && bracket.above_upper == position;
            if alone && !isolated {
                (floor, ceiling, isolated) = (bracket.lower, bracket.upper, true);
            }
            // A step of infinite length is not used.
            let step = if slope == T::ZERO { T::INFINITY } else { T::ONE / slope };
            // No other eigenvalue is between `floor` and `ceiling`: the error after a step is usually at most about
            // step²/`gap`.
            let gap = (x - floor).min(ceiling - x);
            // The other eigenvalues can cause a short step away from the wanted one, which must not end the search.
            let leads_there = (above > position) == (step < T::ZERO);
            if alone && leads_there && gap > accuracy && step * step <= T::HALF * accuracy * gap {
                x -= step;
                break;
            }
            x = if alone && x == separator {
                guess
            } else if alone && step.is_finite() && step.abs() <= T::HALF * last_step {
                last_step = step.abs();
                x - step
            } else {
                // Halves the bracket: several eigenvalues, no slope, or a step longer than half of the one before.
                last_step = T::INFINITY;
                T::HALF * (bracket.lower + bracket.upper)
            };
        }
        // The next eigenvalue is at most this one.
        let value = x.min(bracket.upper).max(bracket.lower);
        if bracket.above_lower == position + 1 {
            (bracket.upper, bracket.above_upper) = (bracket.lower, position + 1);
        } else {
            (bracket.upper, bracket.above_upper) = (value + accuracy, position);
        }
        value
    }
}

/// An interval that contains the wanted eigenvalue, with the number of eigenvalues above each end.
pub(super) struct Bracket<T> {
    lower: T,
    above_lower: usize,
    upper: T,
    above_upper: usize,
}

impl<T: Scalar> Bracket<T> {
    /// The bracket of the largest eigenvalue.
    pub(super) fn new(norm: T) -> Self {
        Self {
            lower: -norm,
            above_lower: usize::MAX,
            upper: norm + norm * T::EPSILON,
            above_upper: 0,
        }
    }
}

/// The smallest magnitude of a pivot, so that a division by it does not overflow.
fn smallest<T: Scalar>(norm: T) -> T {
    (T::EPSILON * T::EPSILON * norm).max(T::MIN_POSITIVE / T::EPSILON)
}

#[cfg(test)]
mod tests;
