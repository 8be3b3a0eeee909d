//! A few of the largest eigenvalues of a symmetric tridiagonal matrix T, without computing all of them.
//! In: T, and a guess for each wanted eigenvalue. Out: the largest eigenvalues λⱼ one by one, with an error of a few ε·‖T‖.
//! Method: the pivots qⱼ of T − xI = L·D·Lᵀ. The number of positive pivots is the number of eigenvalues above x (Sturm); this
//! count narrows the bracket (the interval that contains the wanted eigenvalue). With p the characteristic polynomial of T, the
//! sum of qⱼ′/qⱼ is p′(x)/p(x) = Σ 1/(x − λⱼ). p(x)/p′(x) is Newton's step, used if only one eigenvalue is in the bracket. The
//! bracket is halved instead if the step leaves it, is longer than half of the step before, or is lost to cancellation.
//! Cost: about eight passes of 20·N operations for each eigenvalue.

use super::tridiagonal::Tridiagonal;
use crate::Scalar;

/// The largest number of passes for one eigenvalue. Bisection alone needs about one pass for each binary digit of the mantissa.
const WALKS: usize = 64;

/// The sum p′(x)/p(x) of Newton's step is used only if its magnitude is more than this number times ε times the sum of the
/// magnitudes of its terms. A smaller sum has too large a rounding error.
const CANCELLED: f64 = 64.0;

/// The result of one pass over the rows of T − xI.
struct Pivots<T> {
    /// The number of eigenvalues above x.
    above: usize,
    /// p′(x)/p(x) with the characteristic polynomial p of T, or zero if cancellation leaves only rounding errors. Cancellation
    /// happens if x is close to an eigenvalue of a leading block of T but not to one of T: then one term of the sum is large, and
    /// the next term cancels it.
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

    /// The number of eigenvalues of T above x. An eigenvalue equal to x up to rounding may or may not be counted. `norm` is an
    /// upper bound on ‖T‖.
    pub(super) fn count_above(&self, x: T, norm: T) -> usize {
        self.pivots(x, smallest(norm)).above
    }

    /// Returns the eigenvalue at `position` of the descending order; the largest has position 0. `guess` should be near this
    /// eigenvalue. `separator` should lie between this eigenvalue and the next smaller one. Wrong values of the two only cost
    /// more passes. `norm` is an upper bound on ‖T‖. For position 0 `bracket` must be [`Bracket::new`], for each later position
    /// the bracket after the call for the position before.
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
            // Newton's method is used only if the wanted eigenvalue is the only one in the bracket.
            let alone = bracket.above_lower == position + 1 && bracket.above_upper == position;
            if alone && !isolated {
                (floor, ceiling, isolated) = (bracket.lower, bracket.upper, true);
            }
            // If `slope` is zero, the step is not used.
            let step = if slope == T::ZERO { T::INFINITY } else { T::ONE / slope };
            // If `alone` is true, no other eigenvalue lies between `floor` and `ceiling`. The error after a step is then usually
            // at most about step²/`gap`. Close to `floor` or `ceiling` the step can lead to another eigenvalue.
            let gap = (x - floor).min(ceiling - x);
            // False for a step away from the wanted eigenvalue. The other eigenvalues can cause such a step. Such a step can be
            // short even if x is far from all eigenvalues, so a short step alone does not end the search.
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
                // Halve the bracket: it holds several eigenvalues, `slope` is zero, or Newton's step is longer than half of the
                // step before.
                last_step = T::INFINITY;
                T::HALF * (bracket.lower + bracket.upper)
            };
        }
        // The next eigenvalue is at most this eigenvalue: set the upper end of the bracket of the next one.
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

/// The smallest magnitude of a pivot. A pivot nearer to zero is replaced by this number, so that a division by the pivot does not
/// overflow. `norm` bounds ‖T‖.
fn smallest<T: Scalar>(norm: T) -> T {
    (T::EPSILON * T::EPSILON * norm).max(T::MIN_POSITIVE / T::EPSILON)
}

#[cfg(test)]
mod tests;
