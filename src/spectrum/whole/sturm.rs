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
mod tests {
    use super::*;
    use crate::spectrum::whole::{ql::eigenvalues, selected::sort_descending};

    /// Compares the six largest eigenvalues of a graded matrix (entries of very different sizes), found from guesses, with the
    /// eigenvalues that QL finds.
    fn check<T: Scalar, const N: usize>(scale: f64, guesses: impl Fn(T) -> T) {
        let mut phase = 0.5;
        let mut next = || {
            phase = 3.99 * phase * (1.0 - phase);
            phase
        };
        for _ in 0..20 {
            let mut tridiagonal = Tridiagonal {
                diagonal: [T::ZERO; N],
                coupling: [T::ZERO; N],
            };
            let mut size = scale;
            for i in 0..N {
                tridiagonal.diagonal[i] = T::from_f64(size * next());
                if i + 1 < N && i % 7 != 5 {
                    tridiagonal.coupling[i] = T::from_f64(0.3 * size * next());
                }
                size *= 0.8;
            }
            let norm = tridiagonal.drop_negligible();
            let mut values = [T::ZERO; N];
            let _ = eigenvalues(&tridiagonal, T::EPSILON * norm, &mut values);
            sort_descending(&mut values);
            let mut bracket = Bracket::new(norm);
            for (position, &value) in values.iter().enumerate().take(6) {
                let after = values.get(position + 1).copied().unwrap_or(T::ZERO);
                let separator = T::HALF * (guesses(value) + guesses(after));
                let found = tridiagonal.value_at(position, guesses(value), separator, norm, &mut bracket);
                assert!((found - value).abs() <= T::from_f64(8.0) * T::EPSILON * norm);
                let margin = T::from_f64(16.0) * T::EPSILON * norm;
                assert!(tridiagonal.count_above(found - margin, norm) > position);
                assert!(tridiagonal.count_above(found + margin, norm) <= position);
            }
        }
    }

    #[test]
    fn good_guesses_bad_guesses_and_none_end_at_the_same_values() {
        check::<f32, 24>(1.0, |value| value);
        check::<f32, 24>(1.0, |value| value * 1.1);
        check::<f64, 24>(1.0, |value| value * 0.7);
        check::<f32, 8>(1.0, |_| 0.0);
        check::<f64, 24>(1.0, |_| -1.0);
        check::<f32, 24>(1.0, |_| f32::NAN);
        check::<f32, 24>(1e-12, |value| value * 1.05);
    }

    #[test]
    fn a_guess_beside_the_next_value_does_not_end_there() {
        // In kernel PCA a sample far from all others adds an eigenvalue 1. The guesses for the second and the third eigenvalue
        // are both close to 1, although only the third eigenvalue is 1.
        let tridiagonal = Tridiagonal {
            diagonal: [2.0_f32, 1.5, 1.0],
            coupling: [0.4, 0.0, 0.0],
        };
        let (norm, mut bracket) = (2.5, Bracket::new(2.5));
        let mut found = [2.2, 1.000_000_4, 1.000_000_1];
        for position in 0..3 {
            let next = found.get(position + 1).copied().unwrap_or(0.5);
            let separator = 0.5 * (found[position] + next);
            found[position] = tridiagonal.value_at(position, found[position], separator, norm, &mut bracket);
        }
        for (found, wanted) in found.into_iter().zip([2.221_699, 1.278_301, 1.0]) {
            assert!((found - wanted).abs() < 1e-5, "{found}, not {wanted}");
        }
    }

    #[test]
    fn an_eigenvalue_of_a_leading_block_is_not_taken_for_one_of_the_matrix() {
        // The guess 1.5 is an eigenvalue of the block of the first two rows; its eigenvalues are 1 ± ½. A kernel learner makes
        // such a guess if it stored one sample less before.
        let tridiagonal = Tridiagonal {
            diagonal: [1.0_f64, 1.0, 0.75],
            coupling: [0.5, 0.25, 0.0],
        };
        let norm = 2.0;
        let mut bracket = Bracket::new(norm);
        let value = tridiagonal.value_at(0, 1.5, 1.2, norm, &mut bracket);
        assert_eq!(tridiagonal.count_above(value - 1e-12, norm), 1);
        assert_eq!(tridiagonal.count_above(value + 1e-12, norm), 0);
    }

    #[test]
    fn equal_values_are_found_one_after_the_other() {
        let tridiagonal = Tridiagonal {
            diagonal: [0.5_f32; 8],
            coupling: [0.0; 8],
        };
        let mut bracket = Bracket::new(0.5);
        for position in 0..8 {
            let value = tridiagonal.value_at(position, 0.5, 0.5, 0.5, &mut bracket);
            assert!((value - 0.5).abs() <= 4.0 * f32::EPSILON);
        }
        assert_eq!(
            (tridiagonal.count_above(0.4, 0.5), tridiagonal.count_above(0.6, 0.5)),
            (8, 0)
        );
    }
}
