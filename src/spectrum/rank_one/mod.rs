//! Eigendecomposition of D + ρ·z·zᵀ: the update of a known spectrum by one new sample.
//! In: D, z, ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: decomposes D + y·yᵀ with y = √|ρ|·z, scaled to a size near one, and with −D for a negative ρ. Poles with a
//! negligible entry of y, and one of two equal poles, are removed (`deflation`); the secular equation gives the
//! eigenvalues and the eigenvectors of the others (`secular`).
//! Cost: about 40·r² operations for r entries; N² + N numbers kept, 9·N numbers of scratch.

mod deflation;
pub(crate) mod secular;

use super::Convergence;
use super::vector::{any_length, reverse, rolled, scale};
use crate::SMALL;
use crate::error::MatrixError;
use crate::scalar::Scalar;
use crate::scalar::sort::insertion_sort;
use deflation::{settle, stands_apart};
use nalgebra::{ArrayStorage, SMatrix, SVector};
use secular::{Pole, solve};

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
    /// Memory for a decomposition, all zero before the first [`update`](Self::update).
    ///
    /// A matrix without rows does not compile:
    ///
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

    /// Decomposes D + ρ·z·zᵀ with D = `diagonal` in any order, z = `direction`, ρ = `weight`.
    ///
    /// The number r of entries is the length of the shorter slice, at most `N`.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first position at which zᵢ or |dᵢ| + |ρ|·zᵢ² is not finite, also after the first `N`.
    /// After an error the last decomposition remains.
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
        // Not `solve`: only `settle` moves the entries back from the sorted order to that of D.
        let convergence = settle(&mut poles, columns, values);
        scale(values, unit.signed);
        if weight < T::ZERO {
            // The problem was solved for −D, so the order is reversed.
            reverse(values);
            reverse(columns);
        }
        for value in values {
            *value = value.min(T::MAX).max(-T::MAX); // an overflow becomes ±MAX
        }
        Ok(convergence)
    }

    /// The eigenvalues, descending; after an [`update`](Self::update) of r entries only the first r are valid.
    pub fn values(&self) -> &SVector<T, N> {
        &self.values
    }

    /// The eigenvectors as columns, in the order of the values; after an [`update`](Self::update) of r entries only the
    /// first r are valid.
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }
}

impl<T: Scalar, const N: usize> Default for RankOne<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// [`RankOne::update`] in the memory of the caller: `values` is D, descending, and becomes the eigenvalues.
///
/// z is `direction`, `energy` is ‖z‖², and ρ = `weight` ≥ 0. The first entry d₁ of D has the largest magnitude, up to
/// rounding, and |d₁| + ρ‖z‖² is finite. If ρ is zero or subnormal, ‖z‖/|d₁| must be far below MAX.
pub(crate) fn update_in_place<T: Scalar, const N: usize>(
    values: &mut [T],
    direction: &[T],
    energy: T,
    weight: T,
    columns: &mut [[T; N]],
) -> Convergence {
    let largest = values.first().map_or(T::ZERO, |value| value.abs());
    // Only powers of two near these estimates are used as scales, so their errors change no digit.
    let unit = Unit::new(largest + weight * energy, energy * energy.inverse_sqrt(), weight);
    let mut poles = unit.poles::<N>(values, direction);
    // In the usual case of a learner no pole is settled. Code compiled for size has only the general path.
    let convergence = if !SMALL && stands_apart(&poles) {
        solve(&poles, columns, values)
    } else {
        settle(&mut poles, columns, values)
    };
    scale(values, unit.signed);
    convergence
}

/// The scale at which the problem is solved: the largest numbers are near one, so no square overflows.
struct Unit<T> {
    /// An eigenvalue is its scaled value times this number, which is negative if ρ is negative: −D is then used.
    signed: T,
    inverse: T,
    inverse_share: T,
    /// The number |ρ| that belongs to the scaled D and z.
    weight: T,
}

impl<T: Scalar> Unit<T> {
    fn of(diagonal: &[T], direction: &[T], weight: T) -> Result<Self, MatrixError> {
        let (mut size, mut largest_share, mut all) = (T::ZERO, T::ZERO, T::ZERO);
        for (&value, &share) in diagonal.iter().zip(direction) {
            let entry = value.abs() + weight.abs() * share * share;
            size = size.max(entry);
            largest_share = largest_share.max(share.abs());
            // The sum is infinite or NaN if one of its terms is.
            all += entry + share.abs();
        }
        if !all.is_finite() {
            refuse(diagonal, direction, weight)?;
        }
        // With this lower limit the quotient in `new` cannot overflow.
        let size = size.max(largest_share * (T::from_f64(8.0) / T::MAX));
        Ok(Self::new(size, largest_share, weight))
    }

    /// The scale for a largest matrix entry of about `size` and a largest |zᵢ| of about `largest_share`.
    fn new(size: T, largest_share: T, weight: T) -> Self {
        let (unit, share) = (size.power_of_two(), largest_share.power_of_two());
        // For a negative ρ, D − |ρ|·z·zᵀ = −(−D + |ρ|·z·zᵀ).
        let signed = if weight < T::ZERO { -unit } else { unit };
        let inverse = T::ONE / signed;
        // |ρ|·share² is at most about `unit`, so a product in this order cannot overflow for a normal ρ. For a zero or
        // subnormal ρ, share/`unit` must be below MAX: `of` ensures this, and `update_in_place` requires it.
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
    /// D = `values` and z = `direction`, scaled, as a list of poles.
    fn poles<const N: usize>(&self, values: &[T], direction: &[T]) -> heapless::Vec<Pole<T>, N> {
        let mut poles = heapless::Vec::new();
        for (index, (&value, &share)) in rolled(values).zip(any_length(direction)).enumerate().take(N) {
            let share = share * self.inverse_share;
            // This cannot fail: `take(N)` limits the number of poles.
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

/// The error for the first position that is not finite, or `Ok` if only the sum of all overflowed.
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
