//! Small symmetric matrices.

use core::hint::black_box;

use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::{Convergence, Eigen, PartialEigen, RankOne, Svd, orthogonality_error, orthonormalize};

use super::Number;

#[inline(never)]
pub(super) fn spectrum<const N: usize>() {
    let matrix = black_box(SMatrix::<Number, N, N>::from_element(0.5));
    let mut eigen = black_box(Eigen::<Number, N>::new());
    let _ = black_box(eigen.decompose(&matrix));
    black_box((eigen.values(), eigen.vectors()));
    let _ = black_box(black_box(Convergence::Reached).and(black_box(Convergence::BoundHit)));

    let mut partial = black_box(PartialEigen::<Number, N>::new());
    let mut vectors = black_box(SMatrix::<Number, N, 3>::from_element(0.0));
    let _ = black_box(partial.decompose(&matrix));
    let _ = black_box(partial.vectors(black_box(&[0, 2]), &mut vectors));
    black_box(partial.values());

    let mut update = black_box(RankOne::<Number, N>::new());
    let (diagonal, direction) = (black_box([1.0; N]), black_box([0.5; N]));
    let _ = black_box(update.update(&diagonal, &direction, black_box(0.5)));
    black_box((update.values(), update.vectors()));

    let mut svd = black_box(Svd::<Number, N, 3>::new());
    let _ = black_box(svd.decompose(&vectors));
    black_box((svd.values(), svd.left(), svd.right()));
    let mut wide = black_box(Svd::<Number, 3, N>::new());
    let _ = black_box(wide.decompose(&black_box(SMatrix::from_element(0.5))));
    black_box((wide.values(), wide.left(), wide.right()));

    black_box(orthogonality_error(&vectors, black_box(2)));
    black_box(orthonormalize(&mut vectors, black_box(2)));
    black_box(vectors);
}
