//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: what one new sample does to a known spectrum.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: brought to a scale near one, entries that z hardly touches, and equal entries of D, are settled at once
//! (`deflation`); for the others the secular equation gives the eigenvalues (`secular`) and these the eigenvectors
//! (`vectors`).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, 10·N numbers of scratch.

mod deflation;
pub(crate) mod secular;
mod vectors;

use super::Convergence;
use super::vector::{reverse, scale};
use crate::scalar::sort::insertion_sort;
use crate::{MatrixError, SMALL, Scalar};
use deflation::{settle, stands_apart};
use nalgebra::{ArrayStorage, SMatrix, SVector};
use secular::Pole;
use vectors::solve;

/// The eigendecomposition of D + ρ·z·zᵀ, for up to `N` entries.
///
/// ```
/// use eigenstream::spectrum::RankOne;
///
/// let mut update = RankOne::<f32, 4>::new();
/// // diag(2, 1) + (1, 1)(1, 1)ᵀ = [[3, 1], [1, 2]]: eigenvalues (5 ± √5)/2.
/// let _ = update.update(&[2.0, 1.0], &[1.0, 1.0], 1.0)?;
/// assert!((update.values()[0] - 3.618_034).abs() < 1e-6);
/// assert!((update.values()[1] - 1.381_966).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankOne<T, const N: usize> {
    values: SVector<T, N>,
    vectors: SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> RankOne<T, N> {
    /// Room for a decomposition; all zero until the first [`update`](Self::update).
    ///
    /// A matrix without rows does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::RankOne;
    /// let update = RankOne::<f32, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a matrix has at least one row") };
        Self {
            values: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; 1])),
            vectors: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N])),
        }
    }

    /// Decomposes D + ρ·z·zᵀ. The shorter of the two slices, and at most `N`, is the size of the problem.
    ///
    /// Refuses numbers that are not finite; what was there before stays.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the place of the first entry of D + ρ·z·zᵀ that is not finite.
    pub fn update(&mut self, diagonal: &[T], direction: &[T], weight: T) -> Result<Convergence, MatrixError> {
        let unit = Unit::of(diagonal, direction, weight)?;
        let mut count = 0;
        for (value, (&entry, _)) in self
            .values
            .as_mut_slice()
            .iter_mut()
            .zip(diagonal.iter().zip(direction))
        {
            *value = entry;
            count += 1;
        }
        let values = self.values.as_mut_slice().get_mut(..count).unwrap_or_default();
        let columns = self.vectors.data.0.get_mut(..count).unwrap_or_default();
        let mut poles = unit.poles::<N>(values, direction);
        insertion_sort(&mut poles, |first, second| first.value >= second.value);
        // Not the shorter way of `update_in_place`: what is sorted has left the axes it came from.
        let convergence = settle(&mut poles, columns, values);
        scale(values, unit.signed);
        if weight < T::ZERO {
            // Solved for −D.
            reverse(values);
            reverse(columns);
        }
        for value in values {
            *value = value.min(T::MAX).max(-T::MAX); // beyond the largest number: that one
        }
        Ok(convergence)
    }

    /// The eigenvalues, descending; only as many as the problem has entries mean anything.
    pub fn values(&self) -> &SVector<T, N> {
        &self.values
    }

    /// The eigenvectors, one a column, in the order of the values.
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }
}

impl<T: Scalar, const N: usize> Default for RankOne<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Replaces D, descending, by the eigenvalues of D + ρ·z·zᵀ and writes the eigenvectors, in as many columns of zeros: the work
/// of [`RankOne::update`] for whoever has the room, knows ‖z‖² and that d₁ + ρ‖z‖² is finite, and has a ρ that is not negative.
pub(crate) fn update_in_place<T: Scalar, const N: usize>(
    values: &mut [T],
    direction: &[T],
    energy: T,
    weight: T,
    columns: &mut [[T; N]],
) -> Convergence {
    let largest = values.first().map_or(T::ZERO, |value| value.abs());
    // The scale is a power of two: any near the right one gives the same digits.
    let unit = Unit::new(largest + weight * energy, energy * energy.inverse_sqrt(), weight);
    let mut poles = unit.poles::<N>(values, direction);
    // The steady state of a learner: sorted, every pole touched, no two equal.
    let convergence = if !SMALL && stands_apart(&poles) {
        solve(&poles, columns, values)
    } else {
        settle(&mut poles, columns, values)
    };
    scale(values, unit.signed);
    convergence
}

/// The scale at which the problem is solved: all numbers near one, so that no square leaves the number range.
struct Unit<T> {
    /// The factor of a scaled eigenvalue; negative for a problem that is solved for −D.
    signed: T,
    inverse: T,
    inverse_share: T,
    /// |ρ| for the scaled shares.
    weight: T,
}

impl<T: Scalar> Unit<T> {
    fn of(diagonal: &[T], direction: &[T], weight: T) -> Result<Self, MatrixError> {
        let (mut size, mut largest_share, mut all) = (T::ZERO, T::ZERO, T::ZERO);
        for (&value, &share) in diagonal.iter().zip(direction) {
            let entry = value.abs() + weight.abs() * share * share;
            size = size.max(entry);
            largest_share = largest_share.max(share.abs());
            // Infinite or NaN as soon as one of them is.
            all += entry + share.abs();
        }
        if !all.is_finite() {
            refuse(diagonal, direction, weight)?;
        }
        Ok(Self::new(size, largest_share, weight))
    }

    /// For a matrix of about this size, and shares of about that one.
    fn new(size: T, largest_share: T, weight: T) -> Self {
        let (unit, share) = (size.power_of_two(), largest_share.power_of_two());
        // A negative weight is a positive one on −D.
        let signed = if weight < T::ZERO { -unit } else { unit };
        let inverse = T::ONE / signed;
        // In this order no product leaves the number range: |ρ|·share² is about the unit at most.
        let weight = (weight.abs() * share) * (share / unit);
        Self {
            signed,
            inverse,
            inverse_share: T::ONE / share,
            weight,
        }
    }
}

impl<T: Scalar> Unit<T> {
    /// D and z at this scale.
    fn poles<const N: usize>(&self, values: &[T], direction: &[T]) -> heapless::Vec<Pole<T>, N> {
        let mut poles = heapless::Vec::new();
        for (index, (&value, &share)) in values.iter().zip(direction).enumerate().take(N) {
            let share = share * self.inverse_share;
            // There is room for N.
            let _ = poles.push(Pole {
                value: value * self.inverse,
                weight: self.weight * share * share,
                share,
                index,
            });
        }
        poles
    }
}

/// Names the first entry that is not finite; there is none where only their sum is too large.
#[cold]
fn refuse<T: Scalar>(diagonal: &[T], direction: &[T], weight: T) -> Result<(), MatrixError> {
    for (index, (&value, &share)) in diagonal.iter().zip(direction).enumerate() {
        let entry = value.abs() + weight.abs() * share * share;
        if !entry.is_finite() || !share.is_finite() {
            return Err(MatrixError::NotANumber {
                row: index,
                column: index,
            });
        }
    }
    Ok(())
}
