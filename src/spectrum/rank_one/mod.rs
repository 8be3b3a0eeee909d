//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: the update of a known spectrum by one new sample.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: the problem is scaled to a size near one, D + y·yᵀ with y = √|ρ|·z. For a negative ρ, −D is used instead of D, and the
//! signs of the eigenvalues are changed back. The entries of D are the poles. Poles that are equal or nearly equal are moved apart
//! by a rounding error, and entries of y that are zero or nearly zero are replaced by such numbers (`set_apart`). Then the secular
//! equation gives all eigenvalues (`secular`), and the eigenvalues give the eigenvectors (`vectors`).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, 10·N numbers of scratch.

pub(crate) mod secular;
mod vectors;

use super::Convergence;
use super::vector::{any_length, any_length_mut, reverse, scale, stay_rolled};
use crate::scalar::sort::insertion_sort;
use crate::{MatrixError, Scalar};
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
        let convergence = if poles.iter().any(|pole| pole.weight > T::ZERO) {
            set_apart(&mut poles);
            let convergence = solve(&poles, columns, values);
            to_axes(columns, &poles);
            convergence
        } else {
            keep_axes(&poles, columns, values);
            Convergence::Reached
        };
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
    set_apart(&mut poles);
    let convergence = solve(&poles, columns, values);
    scale(values, unit.signed);
    convergence
}

/// Makes the poles distinct and all weights positive: then the secular equation gives all eigenpairs. The poles are descending up
/// to rounding. A pole is moved down if it is above the pole before it, or too close to it. A weight is raised if it is below
/// ε²·‖y‖², or if it is subnormal or nearly so.
///
/// The largest numbers of the problem are near one. A pole is moved to at most 2ε of its value or ε/32 below the pole before it. An
/// entry outside the diagonal of y·yᵀ changes by about ε·‖y‖² at most. Both are rounding errors of the matrix. At this distance of
/// the poles no term of the secular equation and of its derivatives overflows.
#[inline(always)]
fn set_apart<T: Scalar>(poles: &mut [Pole<T>]) {
    let mut energy = T::ZERO;
    for pole in any_length(poles) {
        stay_rolled();
        energy += pole.weight;
    }
    let least = (T::EPSILON * T::EPSILON * energy).max(T::from_f64(4.0) * T::MIN_POSITIVE);
    let mut highest = T::MAX;
    for pole in any_length_mut(poles) {
        stay_rolled();
        pole.value = pole.value.min(highest);
        pole.weight = pole.weight.max(least);
        highest = pole.value - (T::TWO * pole.value.abs()).max(T::from_f64(1.0 / 32.0)) * T::EPSILON;
    }
}

/// Writes the eigenpairs for y = 0: the poles and their axes.
fn keep_axes<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) {
    for (pole, (column, value)) in poles.iter().zip(columns.iter_mut().zip(values)) {
        *value = pole.value;
        *column = [T::ZERO; N];
        if let Some(entry) = column.get_mut(pole.index) {
            *entry = T::ONE;
        }
    }
}

/// Sorts the entries of each eigenvector: from the order of the poles to the order of the axes. `index` is the axis of a pole.
fn to_axes<T: Scalar, const N: usize>(columns: &mut [[T; N]], poles: &[Pole<T>]) {
    for column in columns.iter_mut().take(poles.len()) {
        let ordered = *column;
        for (&entry, pole) in ordered.iter().zip(poles) {
            if let Some(slot) = column.get_mut(pole.index) {
                *slot = entry;
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn poles(values: [f32; 4], weights: [f32; 4]) -> [Pole<f32>; 4] {
        core::array::from_fn(|index| Pole {
            value: values[index],
            weight: weights[index],
            share: 1.0,
            index,
        })
    }

    #[test]
    fn poles_that_are_set_apart_descend_and_move_by_rounding_errors() {
        for values in [
            [1.0; 4],
            [0.0; 4],
            [-1.5; 4],
            [1.0, 1.0 + f32::EPSILON, 1.0, 0.5],
            [1.5, 0.0, 1e-9, -1.5],
        ] {
            let mut apart = poles(values, [0.5; 4]);
            set_apart(&mut apart);
            for pair in apart.windows(2) {
                assert!(pair[0].value - pair[1].value >= f32::EPSILON / 33.0, "{apart:?}");
            }
            for (pole, value) in apart.iter().zip(values) {
                let moved = (pole.value - value).abs();
                assert!(moved <= 3.0 * f32::EPSILON * (2.0 * value.abs() + 0.5), "{apart:?}");
            }
        }
        let mut distinct = poles([1.5, 1.0, 1e-6, 0.0], [0.5; 4]);
        set_apart(&mut distinct);
        assert_eq!(distinct.map(|pole| pole.value), [1.5, 1.0, 1e-6, 0.0]);
    }

    #[test]
    fn only_weights_without_effect_are_raised() {
        let mut apart = poles([1.5, 1.0, 0.5, 0.0], [0.5, 1e-12, 1e-20, 0.0]);
        set_apart(&mut apart);
        let least = f32::EPSILON * f32::EPSILON * 0.5;
        assert_eq!(apart.map(|pole| pole.weight), [0.5, 1e-12, least, least]);
        let mut apart = poles([1.5, 1.0, 0.5, 0.0], [0.0; 4]);
        set_apart(&mut apart);
        assert!(apart.iter().all(|pole| pole.weight == 4.0 * f32::MIN_POSITIVE));
    }

    /// The evidence of a learner in silence: the directions must not drift, however many trials there are.
    #[test]
    fn updates_without_a_sample_leave_the_axes_exactly_as_they_are() {
        let mut values = [14.0_f32, 14.0, 14.0, 3.0, 0.0, 0.0];
        for _ in 0..1_000 {
            let mut columns = [[f32::NAN; 6]; 6];
            let convergence = update_in_place(&mut values, &[0.0; 6], 0.0, 1.0, &mut columns);
            assert_eq!(convergence, Convergence::Reached);
            for (i, column) in columns.iter().enumerate() {
                for (j, &entry) in column.iter().enumerate() {
                    assert!(if i == j { entry == 1.0 } else { entry.abs() < 1e-12 }, "{columns:?}");
                }
            }
        }
        for (value, start) in values.iter().zip([14.0, 14.0, 14.0, 3.0, 0.0, 0.0]) {
            assert!((value - start).abs() <= 8.0 * f32::EPSILON * 14.0, "{values:?}");
        }
    }

    /// A sample along one axis: the eigenvectors of the other axes keep the length one, so errors of their lengths cannot add up.
    #[test]
    fn axes_that_a_sample_does_not_touch_keep_their_length() {
        let mut values = [9.0_f32, 8.0, 7.0, 1.0];
        for weight in [1.0, 0.1, 1e-3, 1e-6] {
            let mut columns = [[0.0; 4]; 4];
            assert_eq!(
                update_in_place(&mut values, &[0.0, 0.0, 1.0, 0.0], 1.0, weight, &mut columns),
                Convergence::Reached
            );
            for column in &columns {
                let square: f32 = column.iter().map(|entry| entry * entry).sum();
                assert_eq!(square, 1.0, "{columns:?}");
            }
        }
    }
}
