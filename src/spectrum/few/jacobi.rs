//! Eigenpairs of a positive semidefinite matrix of three rows by Jacobi's rotations, for eigenvalues that can be close.
//! Method: each rotation makes one entry outside the diagonal zero; one Newton step makes the product orthonormal.
//! Cost: about 60 operations for a rotation and 100 for the Newton step; two or three sweeps of three rotations. No
//! scratch.

use super::{FEW, Few, FewPairs, each, half_angle, identity};
use crate::Scalar;

/// Three are usually enough: near the end, a sweep about squares the entries outside the diagonal.
const SWEEPS: usize = 8;

/// `None` for NaN, or if [`SWEEPS`] sweeps are not enough.
#[inline(never)]
pub(super) fn eigenpairs<T: Scalar>(matrix: &Few<T>) -> Option<FewPairs<T>> {
    let mut matrix = *matrix;
    let mut vectors = identity();
    // The trace is at least the largest eigenvalue.
    let negligible = T::from_f64(0.25) * T::EPSILON * (matrix[0][0] + matrix[1][1] + matrix[2][2]);
    for _ in 0..SWEEPS {
        if matrix[0][1].abs().max(matrix[0][2].abs()).max(matrix[1][2].abs()) <= negligible {
            let mut pairs = FewPairs {
                values: each!(I => matrix[I][I]),
                vectors: orthonormal(&vectors),
            };
            put_in_order::<T, 0, 1>(&mut pairs);
            put_in_order::<T, 1, 2>(&mut pairs);
            put_in_order::<T, 0, 1>(&mut pairs);
            return Some(pairs);
        }
        rotate::<T, 0, 1, 2>(&mut matrix, &mut vectors, negligible);
        rotate::<T, 0, 2, 1>(&mut matrix, &mut vectors, negligible);
        rotate::<T, 1, 2, 0>(&mut matrix, &mut vectors, negligible);
    }
    None
}

/// Makes a_pq zero, unless it is negligible, by a rotation of at most 45°; O is the other axis.
#[inline(always)]
fn rotate<T: Scalar, const P: usize, const Q: usize, const O: usize>(
    matrix: &mut Few<T>,
    vectors: &mut Few<T>,
    negligible: T,
) {
    let side = matrix[P][Q];
    let half = T::HALF * (matrix[P][P] - matrix[Q][Q]);
    let square = half * half + side * side;
    if side.abs() <= negligible || square < T::MIN_POSITIVE {
        return;
    }
    let inverse = square.inverse_sqrt();
    let (cosine, sine) = half_angle(half.abs(), side, inverse);
    let sign = if half < T::ZERO { -T::ONE } else { T::ONE };
    let sine = sign * sine;
    // a_pq·tan |ψ| = a_pq²/(r + |½(a_pp − a_qq)|): the larger diagonal entry grows by this, the smaller falls.
    let shift = sign * side * side / (square * inverse + half.abs());
    matrix[P][P] += shift;
    matrix[Q][Q] -= shift;
    (matrix[P][Q], matrix[Q][P]) = (T::ZERO, T::ZERO);
    let (first, second) = (matrix[P][O], matrix[Q][O]);
    matrix[P][O] = cosine * first + sine * second;
    matrix[Q][O] = cosine * second - sine * first;
    (matrix[O][P], matrix[O][Q]) = (matrix[P][O], matrix[Q][O]);
    for row in vectors {
        let (first, second) = (row[P], row[Q]);
        row[P] = cosine * first + sine * second;
        row[Q] = cosine * second - sine * first;
    }
}

/// One Newton step to the nearest orthonormal matrix, R + ½R(I − RᵀR).
#[inline(always)]
fn orthonormal<T: Scalar>(vectors: &Few<T>) -> Few<T> {
    let [first, second, third] = vectors;
    let product = |i: usize, j: usize| first[i] * first[j] + second[i] * second[j] + third[i] * third[j];
    // ½(I − RᵀR).
    let error = each!(I => each!(J => T::HALF * (if I == J { T::ONE } else { T::ZERO } - product(I, J))));
    each!(I => each!(J => vectors[I][J] + super::dot(FEW, &vectors[I], &error[J])))
}

/// Swaps the eigenpairs P and Q if the value of Q is larger.
#[inline(always)]
fn put_in_order<T: Scalar, const P: usize, const Q: usize>(pairs: &mut FewPairs<T>) {
    let (first, second) = (pairs.values[P], pairs.values[Q]);
    if first < second {
        (pairs.values[P], pairs.values[Q]) = (second, first);
        for row in &mut pairs.vectors {
            (row[P], row[Q]) = (row[Q], row[P]);
        }
    }
}
