//! The eigenvalues of a symmetric tridiagonal matrix, without eigenvectors.
//! In: T. Out: its eigenvalues, unsorted.
//! Method: QL with shifts on the squares of the couplings (Pal, Walker and Kahan), with at most one square root for each
//! pass; rotations would need one for each row.
//! Cost: usually one or two passes for each eigenvalue; a pass has at most N rows of 13 operations. N numbers of
//! scratch.

use super::tridiagonal::Tridiagonal;
use crate::scalar::Scalar;
use crate::spectrum::Convergence;

/// The largest number of passes for an eigenvalue. Most eigenvalues need at most three.
const PASSES: usize = 30;

/// Overwrites `values` with the eigenvalues of T; a coupling of at most `negligible` counts as zero.
pub(in crate::spectrum) fn eigenvalues<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    negligible: T,
    values: &mut [T; N],
) -> Convergence {
    eigenvalues_within::<T, N, PASSES>(tridiagonal, negligible, values)
}

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
            // The first `tied` + 1 rows from `first` on are a block without a negligible coupling.
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
fn two_by_two<T: Scalar>(upper: T, lower: T, square: T) -> (T, T) {
    let mean = T::HALF * (upper + lower);
    let half = T::HALF * (upper - lower);
    let root = (half * half + square).sqrt();
    (mean + root, mean - root)
}

/// The first diagonal entry of a block of two rows minus the eigenvalue nearer to it, with a relative error of at most
/// 8 %.
///
/// The exact number is c²/(δ/2 ± √(δ²/4 + c²)), with δ = `difference`, c² = `square` and the sign of δ for ±.
fn wilkinson<T: Scalar>(difference: T, square: T) -> T {
    if difference * difference > square {
        // Three levels of the continued fraction of the exact number are enough for a shift, and need no square root.
        square / (difference + square / (difference + square / difference))
    } else {
        let half = T::HALF * difference;
        let root = (half * half + square).sqrt();
        square / if half < T::ZERO { half - root } else { half + root }
    }
}

/// One pass from the last row of a block to its first; no entry of `squares` is zero.
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
    let (mut cosine, mut sine) = (T::ONE, T::ZERO); // the squares of cosine and sine
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
