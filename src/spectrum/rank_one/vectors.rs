//! The eigenvalues and eigenvectors of D + y·yᵀ from the roots of the secular equation.
//! In: distinct poles, descending, and y. Out: eigenvalues, descending, and eigenvectors in the order of the poles.
//! Method: ŷ, for which the computed roots are exact, replaces y: so the vectors are orthogonal up to rounding, also
//! for close roots (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 60·r² operations for r poles; N numbers of scratch.

use super::secular::{Pole, root};
use crate::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::vector::{any_length, any_length_mut, stay_rolled};

/// Writes the eigenvalues and eigenvectors to the first entries of `values` and `columns`.
#[inline(never)]
pub(super) fn solve<T: Scalar, const N: usize>(
    poles: &[Pole<T>],
    columns: &mut [[T; N]],
    values: &mut [T],
) -> Convergence {
    let mut convergence = Convergence::Reached;
    for (index, column) in (0..poles.len()).zip(any_length_mut(columns)) {
        stay_rolled();
        convergence = convergence.and(root(poles, index, column));
    }
    eigenvectors(poles, columns, values);
    convergence
}

/// Replaces the differences dⱼ − λᵢ in the columns by eigenvectors, and writes the roots to `values`.
#[inline(always)]
fn eigenvectors<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) {
    // ŷ, with the signs of y.
    let mut exact = [T::ZERO; N];
    for (j, (exact, pole)) in any_length_mut(&mut exact).iter_mut().zip(any_length(poles)).enumerate() {
        stay_rolled();
        let weight = exact_weight(columns, poles, j);
        let size = if weight > T::ZERO {
            weight * weight.inverse_sqrt()
        } else {
            T::ZERO
        };
        *exact = if pole.share < T::ZERO { -size } else { size };
    }
    for (i, ((column, value), pole)) in any_length_mut(columns)
        .iter_mut()
        .zip(any_length_mut(values))
        .zip(any_length(poles))
        .enumerate()
    {
        stay_rolled();
        *value = pole.value - column.get(i).copied().unwrap_or(T::ZERO);
        eigenvector(&exact, column, poles.len());
    }
}

/// ŷⱼ² = (λⱼ − dⱼ)·Π_{i≠j} (λᵢ − dⱼ)/(dᵢ − dⱼ), at least zero; roots and poles alternate, so all factors are positive.
#[inline(always)]
fn exact_weight<T: Scalar, const N: usize>(differences: &[[T; N]], poles: &[Pole<T>], j: usize) -> T {
    let own = poles.get(j).map_or(T::ZERO, |pole| pole.value);
    let mut product = T::ONE;
    for (i, (column, pole)) in any_length(differences).iter().zip(any_length(poles)).enumerate() {
        stay_rolled();
        let difference = column.get(j).copied().unwrap_or(T::ZERO);
        product *= if i == j {
            -difference
        } else {
            difference / (own - pole.value)
        };
    }
    product.max(T::ZERO)
}

/// Replaces the first `count` differences by ŷⱼ/(dⱼ − λ), scaled to length one, and the rest by zero.
#[inline(always)]
fn eigenvector<T: Scalar, const N: usize>(exact: &[T; N], column: &mut [T; N], count: usize) {
    let mut energy = T::ZERO;
    for (entry, &exact) in any_length_mut(column).iter_mut().zip(any_length(exact)).take(count) {
        stay_rolled();
        *entry = exact / *entry;
        energy += *entry * *entry;
    }
    let scale = energy.inverse_sqrt();
    for (j, entry) in any_length_mut(column).iter_mut().enumerate() {
        stay_rolled();
        *entry = if j < count { *entry * scale } else { T::ZERO };
    }
}
