//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: the update of a known spectrum by one new sample.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: the problem is scaled to a size near one, D + y·yᵀ with y = √|ρ|·z. For a negative ρ, −D is used instead of D, and the
//! signs of the eigenvalues are changed back. Entries of D (the poles) with a negligible entry of z, and all but one of several
//! equal entries of D, need no equation (`deflation`). For the other entries the secular equation gives the eigenvalues
//! (`secular`), and the eigenvalues give the eigenvectors (`vectors`).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, 10·N numbers of scratch.

mod deflation;
pub(crate) mod secular;
mod vectors;

use super::Convergence;
use super::vector::{any_length, reverse, scale, stay_rolled};
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
    /// Memory for a decomposition. All entries are zero before the first [`update`](Self::update).
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

    /// Decomposes D + ρ·z·zᵀ with D = `diagonal` in any order, z = `direction`, ρ = `weight`. The size of the problem is the
    /// length of the shorter slice, at most `N`.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first position i at which zᵢ or |dᵢ| + |ρ|·zᵢ² is not finite. Positions after the
    /// first `N` are checked too. After an error the last decomposition remains.
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
        // Unlike `update_in_place`, never call `solve` directly: the poles were sorted, and only `settle` moves the entries of
        // the eigenvectors back to the order of D.
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

    /// The eigenvalues, descending. If the last problem had r entries, only the first r eigenvalues are valid.
    pub fn values(&self) -> &SVector<T, N> {
        &self.values
    }

    /// The eigenvectors as columns, in the order of the values. If the last problem had r entries, only the first r columns are
    /// valid.
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }
}

impl<T: Scalar, const N: usize> Default for RankOne<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// [`RankOne::update`] in the memory of the caller. Replaces `values` = D, descending, by the eigenvalues of D + ρ·z·zᵀ, with
/// z = `direction` and ρ = `weight`. Writes the eigenvectors to `columns`. `energy` is ‖z‖². ρ must not be negative. The first
/// entry d₁ of D must have the largest magnitude of all entries, up to rounding. |d₁| + ρ‖z‖² must be finite. If ρ is zero or
/// subnormal, ‖z‖/|d₁| must be far below MAX.
pub(crate) fn update_in_place<T: Scalar, const N: usize>(
    values: &mut [T],
    direction: &[T],
    energy: T,
    weight: T,
    columns: &mut [[T; N]],
) -> Convergence {
    let largest = values.first().map_or(T::ZERO, |value| value.abs());
    // `Unit::new` gets |d₁| + ρ‖z‖² as an estimate of the largest entry of D + ρ·z·zᵀ, and ‖z‖ for the largest entry of z. It
    // uses only powers of two near the estimates, as scales. So the errors of the estimates change no digit of the result, unless
    // a number underflows.
    let unit = Unit::new(largest + weight * energy, energy * energy.inverse_sqrt(), weight);
    let mut poles = unit.poles::<N>(values, direction);
    // `stands_apart` is true in the usual case of a learner: sorted poles, no negligible entry of z, no two equal poles. `SMALL`
    // is true in code that is compiled for size: there `settle` also handles this case.
    let convergence = if !SMALL && stands_apart(&poles) {
        solve(&poles, columns, values)
    } else {
        settle(&mut poles, columns, values)
    };
    scale(values, unit.signed);
    convergence
}

/// The scale at which the problem is solved. The largest numbers are near one, so that no square overflows and only the squares
/// of negligible numbers underflow.
struct Unit<T> {
    /// An eigenvalue is its scaled value times this factor. Negative if ρ is negative: the problem is then solved for −D.
    signed: T,
    inverse: T,
    inverse_share: T,
    /// |ρ| for the scaled D and z.
    weight: T,
}

impl<T: Scalar> Unit<T> {
    fn of(diagonal: &[T], direction: &[T], weight: T) -> Result<Self, MatrixError> {
        let (mut size, mut largest_share, mut all) = (T::ZERO, T::ZERO, T::ZERO);
        for (&value, &share) in diagonal.iter().zip(direction) {
            let entry = value.abs() + weight.abs() * share * share;
            size = size.max(entry);
            largest_share = largest_share.max(share.abs());
            // Infinite or NaN if one of the terms is infinite or NaN.
            all += entry + share.abs();
        }
        if !all.is_finite() {
            refuse(diagonal, direction, weight)?;
        }
        // With this lower limit `new` cannot overflow: it divides about `largest_share` by about `size`.
        let size = size.max(largest_share * (T::from_f64(8.0) / T::MAX));
        Ok(Self::new(size, largest_share, weight))
    }

    /// The scale for a matrix D + ρ·z·zᵀ whose largest entry is about `size`. The largest entry of z is about `largest_share`.
    fn new(size: T, largest_share: T, weight: T) -> Self {
        let (unit, share) = (size.power_of_two(), largest_share.power_of_two());
        // A negative ρ is made positive: D − |ρ|·z·zᵀ = −(−D + |ρ|·z·zᵀ).
        let signed = if weight < T::ZERO { -unit } else { unit };
        let inverse = T::ONE / signed;
        // |ρ|·share² is at most about `unit`. So (|ρ|·share)·(share/`unit`) does not overflow if |ρ| is a normal number. If |ρ|
        // is zero or subnormal, share/`unit` must be below MAX: `of` ensures this, and the caller of `update_in_place` must
        // ensure this.
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
    /// Returns D = `values` and z = `direction`, scaled, as a list of poles.
    fn poles<const N: usize>(&self, values: &[T], direction: &[T]) -> heapless::Vec<Pole<T>, N> {
        let mut poles = heapless::Vec::new();
        for (index, (&value, &share)) in any_length(values).iter().zip(any_length(direction)).enumerate().take(N) {
            stay_rolled();
            let share = share * self.inverse_share;
            // Cannot fail: `take(N)` limits the number of poles.
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

/// Returns an error with the first position i at which zᵢ or |dᵢ| + |ρ|·zᵢ² is not finite, for D = `diagonal`, z = `direction`
/// and ρ = `weight`. Returns `Ok` if all are finite, and only their sum overflowed.
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
