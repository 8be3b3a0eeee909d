//! The eigenvalues of a symmetric tridiagonal matrix T, without eigenvectors.
//! In: T. Out: its eigenvalues, unsorted.
//! Method: QL with implicit shifts in the form of Pal, Walker and Kahan. This form works on the squares of the off-diagonal
//! entries (couplings). It needs at most one square root for each pass; rotations would need one for each row.
//! Cost: usually 1.5 passes for each eigenvalue in `f32`, two in `f64`, each pass with at most N rows of about 15 operations; N
//! numbers of scratch.

use super::tridiagonal::Tridiagonal;
use crate::Scalar;
use crate::spectrum::Convergence;

/// The largest number of passes for one eigenvalue. Convergence is cubic. Most eigenvalues need at most three passes; more than
/// ten were never observed.
const PASSES: usize = 30;

/// Overwrites `values` with the eigenvalues of T, unsorted. An off-diagonal entry of magnitude `negligible` or less counts as
/// zero.
pub(in crate::spectrum) fn eigenvalues<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    negligible: T,
    values: &mut [T; N],
) -> Convergence {
    eigenvalues_within::<T, N, PASSES>(tridiagonal, negligible, values)
}

/// Computes the eigenvalues with at most `BOUND` passes for each.
#[inline(always)]
fn eigenvalues_within<T: Scalar, const N: usize, const BOUND: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    negligible: T,
    values: &mut [T; N],
) -> Convergence {
    *values = tridiagonal.diagonal;
    let mut squares = tridiagonal.coupling;
    for coupling in &mut squares {
        *coupling *= *coupling;
    }
    let negligible = negligible * negligible;
    let mut convergence = Convergence::Reached;
    for first in 0..N {
        let (Some(values), Some(squares)) = (values.get_mut(first..), squares.get_mut(first..)) else {
            break;
        };
        for pass in 0..=BOUND {
            // Of the rows from `first` on, the first `tied` + 1 are a block: no off-diagonal entry inside it is negligible. The
            // passes make the diagonal entry of row `first` converge to an eigenvalue.
            let Some(tied) = squares.iter().position(|&square| square <= negligible) else {
                break;
            };
            let (Some(block), Some(squares)) = (values.get_mut(..=tied), squares.get_mut(..tied)) else {
                break;
            };
            match (block, squares) {
                ([_], _) => break,
                ([upper, lower], [square]) => {
                    (*upper, *lower) = two_by_two(*upper, *lower, *square);
                    *square = T::ZERO;
                    break;
                }
                (block, squares) if pass < BOUND => ql_pass(block, squares),
                _ => convergence = Convergence::bound_hit(),
            }
        }
    }
    convergence
}

/// The two eigenvalues of a block of two rows, the larger first.
#[inline(always)]
fn two_by_two<T: Scalar>(upper: T, lower: T, square: T) -> (T, T) {
    let mean = T::HALF * (upper + lower);
    let half = T::HALF * (upper - lower);
    let root = (half * half + square).sqrt();
    (mean + root, mean - root)
}

/// For a block of two rows: approximates the first diagonal entry minus the eigenvalue nearer to it. δ = `difference` is the
/// second diagonal entry minus the first. c² = `square` is the square of the off-diagonal entry. The exact value is
/// c²/(δ/2 + √(δ²/4 + c²)) for δ ≥ 0, and c²/(δ/2 − √(δ²/4 + c²)) for δ < 0. The relative error of the result is at most 8 %.
#[inline(always)]
fn wilkinson<T: Scalar>(difference: T, square: T) -> T {
    if difference * difference > square {
        // The first three levels of the continued fraction of the formula. The relative error is at most 8 % and tends to zero
        // with `square`. This is enough for a shift. On a Cortex-M4F it needs about a tenth of the instructions of the formula.
        square / (difference + square / (difference + square / difference))
    } else {
        let half = T::HALF * difference;
        let root = (half * half + square).sqrt();
        square / if half < T::ZERO { half - root } else { half + root }
    }
}

/// One pass from the last row of a block to its first row. `squares` are the squared off-diagonal entries; none is zero.
#[inline(always)]
fn ql_pass<T: Scalar>(values: &mut [T], squares: &mut [T]) {
    let (&mut [head, second, ..], &mut [head_square, ..]) = (&mut *values, &mut *squares) else {
        return;
    };
    let shift = head - wilkinson(second - head, head_square);

    let Some((mut below, rows)) = values.split_last_mut() else {
        return;
    };
    let mut outside = T::ZERO;
    let mut square_below = &mut outside;
    let (mut cosine, mut sine) = (T::ONE, T::ZERO); // both squared
    let mut gamma = *below - shift;
    let mut p = gamma * gamma;
    for (value, square) in rows.iter_mut().zip(squares).rev() {
        let r = p + *square;
        *square_below = sine * r;
        let (cosine_before, gamma_before) = (cosine, gamma);
        let inverse = T::ONE / r; // r ≥ square > 0
        cosine = p * inverse;
        sine = *square * inverse;
        gamma = cosine * (*value - shift) - sine * gamma_before;
        *below = gamma_before + (*value - gamma);
        p = if cosine == T::ZERO {
            cosine_before * *square
        } else {
            gamma * gamma / cosine
        };
        (below, square_below) = (value, square);
    }
    *square_below = sine * p;
    *below = shift + gamma;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_is_hit_leaves_finite_values_and_says_so() {
        let tridiagonal = Tridiagonal {
            diagonal: [4.0_f32, 1.0, 3.0, 2.0],
            coupling: [1.0, 2.0, 0.5, 0.0],
        };
        let mut values = [0.0; 4];
        assert_eq!(
            eigenvalues_within::<f32, 4, 0>(&tridiagonal, 1e-6, &mut values),
            Convergence::BoundHit
        );
        assert!(values.iter().all(|value| value.is_finite()));
        assert_eq!(eigenvalues(&tridiagonal, 1e-6, &mut values), Convergence::Reached);
        // The sum of the eigenvalues is the trace of T.
        assert!((values.iter().sum::<f32>() - 10.0).abs() < 1e-5);
    }
}
