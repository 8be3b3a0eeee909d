//! A few of the largest eigenvalues of a symmetric tridiagonal matrix, without the others.
//! In: T, and a guess for each wanted eigenvalue. Out: the eigenvalues one by one, with an error of a few ε·‖T‖.
//! Method: the pivots of T − xI count the eigenvalues above x (Sturm) and give Newton's step p(x)/p′(x) for p(x) =
//! det(T − xI). A step is used only if the bracket contains one eigenvalue and the steps become short; otherwise the
//! bracket is halved. Proof: `guide::mathematics`, "The leading eigenvalues".
//! Cost: about 13·N operations for each pass, at most 64 passes for each eigenvalue.

use super::tridiagonal::Tridiagonal;
use crate::scalar::Scalar;

/// The largest number of passes for an eigenvalue. Bisection alone needs about one pass for each binary digit.
const WALKS: usize = 64;

/// The quotient p′(x)/p(x) is used only if its magnitude is above this number times its rounding error.
const CANCELLED: f64 = 64.0;

/// The result of one pass over the rows of T − xI.
struct Pivots<T> {
    /// The number of eigenvalues above x.
    above: usize,
    /// p′(x)/p(x), or zero if its terms cancel, as for an x close to an eigenvalue of a leading block.
    slope: T,
}

impl<T: Scalar> Pivots<T> {
    fn of<const N: usize>(tridiagonal: &Tridiagonal<T, N>, x: T, smallest: T) -> Self {
        let (mut above, mut slope, mut magnitude) = (0_usize, T::ZERO, T::ZERO);
        let (mut inverse, mut relative, mut coupling) = (T::ZERO, T::ZERO, T::ZERO);
        for (&diagonal, &next) in tridiagonal.diagonal.iter().zip(&tridiagonal.coupling) {
            let share = coupling * coupling * inverse;
            let mut pivot = diagonal - x - share;
            // A pivot near zero counts as positive, as if x were slightly smaller.
            if pivot.abs() < smallest {
                pivot = smallest;
            }
            if pivot > T::ZERO {
                above = above.saturating_add(1);
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
        Self { above, slope }
    }
}

/// The number of eigenvalues of T above x, up to rounding.
pub(super) fn count_above<T: Scalar, const N: usize>(tridiagonal: &Tridiagonal<T, N>, x: T, norm: T) -> usize {
    Pivots::of(tridiagonal, x, smallest(norm)).above
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

    /// The eigenvalue at `position` of the descending order.
    ///
    /// `guess` should be near this eigenvalue, and `separator` between it and the next smaller one; wrong numbers only
    /// cost passes. For position 0 the bracket must be new; for another, it must be that of the position before.
    pub(super) fn value_at<const N: usize>(
        &mut self,
        tridiagonal: &Tridiagonal<T, N>,
        position: usize,
        guess: T,
        separator: T,
        norm: T,
    ) -> T {
        let smallest = smallest(norm);
        let accuracy = T::TWO * T::EPSILON * norm;
        self.lower = -norm;
        self.above_lower = N;
        let mut x = separator;
        let mut last_step = T::INFINITY;
        let (mut floor, mut ceiling, mut isolated) = (-norm, norm, false);
        for _ in 0..WALKS {
            if !(x > self.lower && x < self.upper) {
                x = T::HALF * (self.lower + self.upper);
            }
            let Pivots { above, slope } = Pivots::of(tridiagonal, x, smallest);
            if above > position {
                (self.lower, self.above_lower) = (x, above);
            } else {
                (self.upper, self.above_upper) = (x, above);
            }
            let width = self.upper - self.lower;
            if width <= accuracy {
                break;
            }
            let alone = self.above_lower == position + 1 && self.above_upper == position;
            if alone && !isolated {
                (floor, ceiling, isolated) = (self.lower, self.upper, true);
            }
            // If the slope is zero, the step is infinite and is not used.
            let step = if slope == T::ZERO { T::INFINITY } else { T::ONE / slope };
            // If `alone` is true, no other eigenvalue is between `floor` and `ceiling`, and the error after a step is
            // usually at most about step²/`gap`.
            let gap = (x - floor).min(ceiling - x);
            // The other eigenvalues can cause a short step away from the wanted one; such a step must not end the
            // search.
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
                // Halves the bracket: it contains several eigenvalues, `slope` is zero, or the step is longer than half
                // of the step before.
                last_step = T::INFINITY;
                T::HALF * (self.lower + self.upper)
            };
        }
        // The next eigenvalue is at most `lower` if only `position` + 1 are above `lower`, and always at most this one.
        let value = x.min(self.upper).max(self.lower);
        if self.above_lower == position + 1 {
            (self.upper, self.above_upper) = (self.lower, position + 1);
        } else {
            (self.upper, self.above_upper) = (value + accuracy, position);
        }
        value
    }
}

/// The smallest magnitude that a pivot may have, so that a division by it does not overflow.
fn smallest<T: Scalar>(norm: T) -> T {
    (T::EPSILON * T::EPSILON * norm).max(T::MIN_POSITIVE / T::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::whole::{ql::eigenvalues, selected::sort_descending};

    /// Compares the six largest eigenvalues of graded matrices (entries of very different sizes), found from guesses,
    /// with the eigenvalues that QL finds.
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
                let found = bracket.value_at(&tridiagonal, position, guesses(value), separator, norm);
                assert!((found - value).abs() <= T::from_f64(8.0) * T::EPSILON * norm);
                let margin = T::from_f64(16.0) * T::EPSILON * norm;
                assert!(count_above(&tridiagonal, found - margin, norm) > position);
                assert!(count_above(&tridiagonal, found + margin, norm) <= position);
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
            found[position] = bracket.value_at(&tridiagonal, position, found[position], separator, norm);
        }
        for (found, wanted) in found.into_iter().zip([2.221_699, 1.278_301, 1.0]) {
            assert!((found - wanted).abs() < 1e-5, "{found}, not {wanted}");
        }
    }

    #[test]
    fn an_eigenvalue_of_a_leading_block_is_not_taken_for_one_of_the_matrix() {
        // The guess 1.5 is an eigenvalue of the block of the first two rows, whose eigenvalues are 1 ± ½.
        let tridiagonal = Tridiagonal {
            diagonal: [1.0_f64, 1.0, 0.75],
            coupling: [0.5, 0.25, 0.0],
        };
        let norm = 2.0;
        let mut bracket = Bracket::new(norm);
        let value = bracket.value_at(&tridiagonal, 0, 1.5, 1.2, norm);
        assert_eq!(count_above(&tridiagonal, value - 1e-12, norm), 1);
        assert_eq!(count_above(&tridiagonal, value + 1e-12, norm), 0);
    }

    #[test]
    fn equal_values_are_found_one_after_the_other() {
        let tridiagonal = Tridiagonal {
            diagonal: [0.5_f32; 8],
            coupling: [0.0; 8],
        };
        let mut bracket = Bracket::new(0.5);
        for position in 0..8 {
            let value = bracket.value_at(&tridiagonal, position, 0.5, 0.5, 0.5);
            assert!((value - 0.5).abs() <= 4.0 * f32::EPSILON);
        }
        assert_eq!(
            (count_above(&tridiagonal, 0.4, 0.5), count_above(&tridiagonal, 0.6, 0.5)),
            (8, 0)
        );
    }
}
