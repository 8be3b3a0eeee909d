//! The eigenvectors that belong to the roots of a secular equation.
//! In: poles that stand apart, in falling order. Out: eigenvalues, descending, and eigenvectors on the poles' axes.
//! Method: roots by `secular`; the z for which these roots would be exact gives eigenvectors that are orthogonal to rounding
//! however close the roots are (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 60·r² operations for r poles; N numbers of scratch.

use super::secular::{Pole, root};
use crate::Scalar;
use crate::spectrum::Convergence;

/// The eigenvalues and eigenvectors of as many poles as are given, into the first places.
#[inline(never)]
pub(super) fn solve<T: Scalar, const N: usize>(
    poles: &[Pole<T>],
    columns: &mut [[T; N]],
    values: &mut [T],
) -> Convergence {
    let mut convergence = Convergence::Reached;
    for (index, column) in (0..poles.len()).zip(columns.iter_mut()) {
        convergence = convergence.and(root(poles, index, column));
    }
    eigenvectors(poles, columns, values);
    convergence
}

/// Turns columns that hold the differences dⱼ − λᵢ of the roots into eigenvectors, and writes the roots.
#[inline(always)]
fn eigenvectors<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) {
    // ŷ with the signs of z.
    let mut exact = [T::ZERO; N];
    for (j, (exact, pole)) in exact.iter_mut().zip(poles).enumerate() {
        let weight = exact_weight(columns, poles, j);
        let size = if weight > T::ZERO {
            weight * weight.inverse_sqrt()
        } else {
            T::ZERO
        };
        *exact = if pole.share < T::ZERO { -size } else { size };
    }
    for (i, ((column, value), pole)) in columns.iter_mut().zip(values).zip(poles).enumerate() {
        *value = pole.value - column.get(i).copied().unwrap_or(T::ZERO);
        eigenvector(&exact, column, poles.len());
    }
}

/// ŷⱼ²: the weight of pole j for which the computed roots are the exact ones,
/// (λⱼ − dⱼ)·Π_{i≠j} (λᵢ − dⱼ)/(dᵢ − dⱼ). All factors are positive, since roots and poles alternate.
#[inline(always)]
fn exact_weight<T: Scalar, const N: usize>(differences: &[[T; N]], poles: &[Pole<T>], j: usize) -> T {
    let own = poles.get(j).map_or(T::ZERO, |pole| pole.value);
    let mut product = T::ONE;
    for (i, (column, pole)) in differences.iter().zip(poles).enumerate() {
        let difference = column.get(j).copied().unwrap_or(T::ZERO);
        product *= if i == j {
            -difference
        } else {
            difference / (own - pole.value)
        };
    }
    product.max(T::ZERO)
}

/// Turns the first `count` differences into ŷⱼ/(dⱼ − λ), scaled to length one, and all others into zero.
#[inline(always)]
fn eigenvector<T: Scalar, const N: usize>(exact: &[T; N], column: &mut [T; N], count: usize) {
    let mut energy = T::ZERO;
    for (entry, &exact) in column.iter_mut().zip(exact).take(count) {
        *entry = exact / *entry;
        energy += *entry * *entry;
    }
    let scale = energy.inverse_sqrt();
    for (j, entry) in column.iter_mut().enumerate() {
        *entry = if j < count { *entry * scale } else { T::ZERO };
    }
}
