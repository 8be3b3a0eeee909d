//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: what one new sample does to a known spectrum.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: entries that z hardly touches, and equal entries of D, are settled at once (deflation); for the others the
//! secular equation gives the eigenvalues, and the z for which these would be exact gives eigenvectors that are orthogonal
//! to rounding however close the eigenvalues are (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, 10·N numbers of scratch.

use super::{
    Convergence,
    secular::{Pole, root},
};
use crate::{MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Deflation tolerance in units of rounding: as large as keeps the error of one update a rounding error.
const DEFLATION: f64 = 4.0;

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

/// A rotation of two axes, by which equal entries of D were made one.
#[derive(Clone, Copy)]
struct Rotation<T> {
    freed: usize,
    loaded: usize,
    cosine: T,
    sine: T,
}

impl<T: Scalar, const N: usize> RankOne<T, N> {
    /// Room for a decomposition; all zero until the first [`update`](Self::update).
    ///
    /// ```
    /// use eigenstream::spectrum::RankOne;
    /// static UPDATE: RankOne<f32, 4> = RankOne::new();
    /// assert_eq!(UPDATE.values()[0], 0.0);
    /// ```
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
    /// ```
    /// use eigenstream::{MatrixError, spectrum::RankOne};
    /// let mut update = RankOne::<f32, 2>::new();
    /// let refused = update.update(&[1.0, f32::NAN], &[1.0, 1.0], 1.0);
    /// assert_eq!(refused, Err(MatrixError::NotANumber { row: 1, column: 1 }));
    /// ```
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the place of the first entry of D + ρ·z·zᵀ that is not finite.
    pub fn update(&mut self, diagonal: &[T], direction: &[T], weight: T) -> Result<Convergence, MatrixError> {
        let unit = Unit::of(diagonal, direction, weight)?;
        let mut poles = heapless::Vec::<Pole<T>, N>::new();
        for (index, (&value, &share)) in diagonal.iter().zip(direction).enumerate().take(N) {
            let share = share * unit.inverse_share;
            // There is room for N.
            let _ = poles.push(Pole {
                value: value * unit.inverse,
                weight: unit.weight * share * share,
                share,
                index,
            });
        }
        let poles = poles.as_mut_slice();
        let count = poles.len();
        sort_descending(poles);

        let mut rotations = heapless::Vec::<Rotation<T>, N>::new();
        let active = deflate(poles, &mut rotations);
        let (active, settled) = poles.split_at_mut_checked(active).unwrap_or_default();
        sort_descending(settled); // a freed pole may have changed places with its partner
        let convergence = solve(active, &mut self.vectors.data.0, self.values.as_mut_slice());
        if active.iter().enumerate().any(|(place, pole)| pole.index != place) {
            to_axes(&mut self.vectors.data.0, active);
        }
        self.insert(active.len(), settled);
        for (column, value) in self
            .vectors
            .data
            .0
            .iter_mut()
            .zip(self.values.as_mut_slice())
            .take(count)
        {
            for rotation in rotations.iter().rev() {
                rotation.undo(column);
            }
            *value = (*value * unit.signed).min(T::MAX).max(-T::MAX); // beyond the largest number: that one
        }
        if weight < T::ZERO {
            self.reverse(count);
        }
        Ok(convergence)
    }

    /// The eigenvalues, descending; only as many as the problem has entries mean anything.
    ///
    /// ```
    /// use eigenstream::spectrum::RankOne;
    /// let mut update = RankOne::<f64, 3>::new();
    /// let _ = update.update(&[1.0, 5.0, 3.0], &[0.0, 0.0, 2.0], 1.0)?;
    /// assert!((update.values()[0] - 7.0).abs() < 1e-14);
    /// assert_eq!(update.values().as_slice()[1..], [5.0, 1.0]);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn values(&self) -> &SVector<T, N> {
        &self.values
    }

    /// The eigenvectors, one a column, in the order of the values.
    ///
    /// ```
    /// use eigenstream::spectrum::RankOne;
    /// let mut update = RankOne::<f64, 2>::new();
    /// let _ = update.update(&[0.0, 0.0], &[3.0, 4.0], 1.0)?;
    /// assert!((update.vectors()[(0, 0)].abs() - 0.6).abs() < 1e-15);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }

    /// The eigenvectors, to be scaled in place.
    pub(crate) fn columns_mut(&mut self) -> &mut [[T; N]; N] {
        &mut self.vectors.data.0
    }

    /// Puts the settled poles, which are their own eigenvalues, between the `roots` first pairs where they belong.
    fn insert(&mut self, mut roots: usize, mut settled: &[Pole<T>]) {
        let columns = &mut self.vectors.data.0;
        let values = self.values.as_mut_slice();
        // From the last place to the first: a root only ever moves back, to a place that nobody needs any more. Where no
        // settled pole is left the others are in place.
        while let Some((pole, before)) = settled.split_last() {
            let place = roots + before.len();
            let last = roots
                .checked_sub(1)
                .and_then(|root| Some((root, *values.get(root)?, *columns.get(root)?)));
            let (value, vector) = match last {
                Some((root, value, vector)) if value < pole.value => {
                    roots = root;
                    (value, vector)
                }
                _ => {
                    let mut axis = [T::ZERO; N];
                    put(&mut axis, pole.index, T::ONE);
                    settled = before;
                    (pole.value, axis)
                }
            };
            if let (Some(column), Some(slot)) = (columns.get_mut(place), values.get_mut(place)) {
                (*column, *slot) = (vector, value);
            }
        }
    }

    /// Ascending to descending, after a problem that was solved for −D.
    fn reverse(&mut self, count: usize) {
        if let Some(values) = self.values.as_mut_slice().get_mut(..count) {
            values.reverse();
        }
        if let Some(columns) = self.vectors.data.0.get_mut(..count) {
            columns.reverse();
        }
    }
}

impl<T: Scalar, const N: usize> Default for RankOne<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Scalar> Rotation<T> {
    /// Back from the rotated axes to the given ones.
    fn undo<const N: usize>(&self, vector: &mut [T; N]) {
        let freed = vector.get(self.freed).copied().unwrap_or(T::ZERO);
        let loaded = vector.get(self.loaded).copied().unwrap_or(T::ZERO);
        if let Some(slot) = vector.get_mut(self.freed) {
            *slot = self.cosine * freed + self.sine * loaded;
        }
        if let Some(slot) = vector.get_mut(self.loaded) {
            *slot = self.cosine * loaded - self.sine * freed;
        }
    }
}

/// The scale at which the problem is solved: all numbers near one, so that no square leaves the number range.
struct Unit<T> {
    /// What a scaled eigenvalue is multiplied with; negative for a problem that is solved for −D.
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
        let (unit, share) = (size.power_of_two(), largest_share.power_of_two());
        // A negative weight is a positive one on −D.
        let signed = if weight < T::ZERO { -unit } else { unit };
        let inverse = T::ONE / signed;
        // In this order no product leaves the number range: |ρ|·share² is at most the unit.
        let weight = (weight.abs() * share) * (share / unit);
        Ok(Self {
            signed,
            inverse,
            inverse_share: T::ONE / share,
            weight,
        })
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

/// Puts every pole that z hardly touches, and one of two that are equal, behind the others; returns how many are left.
fn deflate<T: Scalar, const N: usize>(poles: &mut [Pole<T>], rotations: &mut heapless::Vec<Rotation<T>, N>) -> usize {
    let (mut energy, mut size) = (T::ZERO, T::ZERO);
    for pole in poles.iter() {
        energy += pole.weight;
        size = size.max(pole.value.abs());
    }
    let tolerance = T::from_f64(DEFLATION) * T::EPSILON * (size + energy);
    let tolerance = tolerance * tolerance;
    let mut active: usize = 0;
    for i in 0..poles.len() {
        let Some((before, [pole, ..])) = poles.split_at_mut_checked(i) else {
            break;
        };
        // What this pole couples to all others, |yᵢ|·‖y‖, squared.
        if pole.weight * energy <= tolerance {
            continue;
        }
        if let Some(freed) = active.checked_sub(1).and_then(|last| before.get_mut(last)) {
            // New axes in the plane of the two: one carries both shares, the other none; dropping their coupling
            // (d₁ − d₂)·cos·sin is the error made.
            let difference = freed.value - pole.value;
            let both = freed.weight + pole.weight;
            if difference * difference * freed.weight * pole.weight <= tolerance * both * both {
                let scale = (freed.share * freed.share + pole.share * pole.share).inverse_sqrt();
                let (cosine, sine) = (pole.share * scale, freed.share * scale);
                let rotation = Rotation {
                    freed: freed.index,
                    loaded: pole.index,
                    cosine,
                    sine,
                };
                if rotations.push(rotation).is_ok() {
                    let moved = difference * sine * sine;
                    freed.value -= moved;
                    pole.value += moved;
                    pole.weight = both;
                    pole.share = T::ONE / scale; // the new axis points along z
                    core::mem::swap(freed, pole);
                    continue;
                }
            }
        }
        if let Some(place) = before.get_mut(active) {
            core::mem::swap(place, pole);
        }
        active += 1;
    }
    active
}

/// The eigenvalues and eigenvectors of as many poles as are given, into the first places.
fn solve<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]; N], values: &mut [T]) -> Convergence {
    match *poles {
        [first, second, third] => solve_three(&[first, second, third], columns, values),
        _ => solve_any(poles, columns, values),
    }
}

/// The steady state of a learner that keeps two directions, written out: with every length and index known to the compiler
/// the poles stay in registers.
#[inline(never)]
fn solve_three<T: Scalar, const N: usize>(
    poles: &[Pole<T>; 3],
    columns: &mut [[T; N]; N],
    values: &mut [T],
) -> Convergence {
    let mut convergence = Convergence::Reached;
    if let Some([first, second, third]) = columns.first_chunk_mut::<3>() {
        convergence = root(poles, 0, first)
            .and(root(poles, 1, second))
            .and(root(poles, 2, third));
    }
    eigenvectors(poles, columns, values);
    convergence
}

#[inline(never)]
fn solve_any<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]; N], values: &mut [T]) -> Convergence {
    let mut convergence = Convergence::Reached;
    for (index, column) in columns.iter_mut().enumerate().take(poles.len()) {
        convergence = convergence.and(root(poles, index, column));
    }
    eigenvectors(poles, columns, values);
    convergence
}

/// Turns columns that hold the differences dⱼ − λᵢ of the roots into eigenvectors, and writes the roots.
#[inline(always)]
fn eigenvectors<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]; N], values: &mut [T]) {
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
fn exact_weight<T: Scalar, const N: usize>(differences: &[[T; N]; N], poles: &[Pole<T>], j: usize) -> T {
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

/// From the order of the poles to the axes where they came from.
fn to_axes<T: Scalar, const N: usize>(columns: &mut [[T; N]; N], poles: &[Pole<T>]) {
    for column in columns.iter_mut().take(poles.len()) {
        let ordered = *column;
        *column = [T::ZERO; N];
        for (&entry, pole) in ordered.iter().zip(poles) {
            put(column, pole.index, entry);
        }
    }
}

#[inline(always)]
fn put<T, const N: usize>(vector: &mut [T; N], index: usize, value: T) {
    if let Some(slot) = vector.get_mut(index) {
        *slot = value;
    }
}

/// Insertion sort; the learners' poles come sorted.
fn sort_descending<T: Scalar>(poles: &mut [Pole<T>]) {
    for sorted in 1..poles.len() {
        for low in (0..sorted).rev() {
            match poles.get_mut(low..low + 2) {
                Some([first, second]) if first.value < second.value => core::mem::swap(first, second),
                _ => break,
            }
        }
    }
}
