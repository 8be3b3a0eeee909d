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
        let mut count = 0;
        for (value, &entry) in self.values.as_mut_slice().iter_mut().zip(diagonal) {
            *value = entry;
            count += 1;
        }
        let values = self.values.as_mut_slice().get_mut(..count).unwrap_or_default();
        let convergence = unit.decompose(values, direction, weight, &mut self.vectors.data.0);
        for value in values {
            *value = value.min(T::MAX).max(-T::MAX); // beyond the largest number: that one
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

/// Replaces D, descending, by the eigenvalues of D + ρ·z·zᵀ and writes the eigenvectors, in as many columns of zeros: the work
/// of [`RankOne::update`] for whoever has the room, knows ‖z‖² and that d₁ + ρ‖z‖² is finite.
pub(crate) fn update_in_place<T: Scalar, const N: usize>(
    values: &mut [T],
    direction: &[T],
    energy: T,
    weight: T,
    columns: &mut [[T; N]],
) -> Convergence {
    let largest = values.first().map_or(T::ZERO, |value| value.abs());
    // The scale is a power of two: any near the right one gives the same digits.
    Unit::new(largest + weight * energy, energy * energy.inverse_sqrt(), weight)
        .decompose(values, direction, weight, columns)
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
    /// From D to eigenvalues and eigenvectors, at this scale.
    fn decompose<const N: usize>(
        &self,
        values: &mut [T],
        direction: &[T],
        weight: T,
        columns: &mut [[T; N]],
    ) -> Convergence {
        let mut poles = heapless::Vec::<Pole<T>, N>::new();
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
        let poles = poles.as_mut_slice();
        // The steady state of a learner: sorted, every pole touched, no two equal.
        let convergence = if stands_apart(poles) {
            solve(poles, columns, values)
        } else {
            settle(poles, columns, values)
        };
        for value in values.iter_mut().take(poles.len()) {
            *value *= self.signed;
        }
        if weight < T::ZERO {
            // Solved for −D.
            reverse(values, poles.len());
            reverse(columns, poles.len());
        }
        convergence
    }
}

/// The first `count` from the last to the first.
fn reverse<V>(items: &mut [V], count: usize) {
    if let Some(items) = items.get_mut(..count) {
        items.reverse();
    }
}

/// Poles in any order, of which some may be settled at once.
#[inline(never)]
fn settle<T: Scalar, const N: usize>(poles: &mut [Pole<T>], columns: &mut [[T; N]], values: &mut [T]) -> Convergence {
    sort_descending(poles);
    let count = poles.len();
    let mut rotations = heapless::Vec::<Rotation<T>, N>::new();
    let active = deflate(poles, &mut rotations);
    let (active, settled) = poles.split_at_mut_checked(active).unwrap_or_default();
    sort_descending(settled); // a freed pole may have changed places with its partner
    let convergence = solve(active, columns, values);
    to_axes(columns, active);
    insert(active.len(), settled, columns, values);
    for column in columns.iter_mut().take(count) {
        for rotation in rotations.iter().rev() {
            rotation.undo(column);
        }
    }
    convergence
}

/// Puts the settled poles, which are their own eigenvalues, between the `roots` first pairs where they belong.
fn insert<T: Scalar, const N: usize>(
    mut roots: usize,
    mut settled: &[Pole<T>],
    columns: &mut [[T; N]],
    values: &mut [T],
) {
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

/// The square of what may be neglected beside these poles, and Σ yⱼ².
#[inline(always)]
fn tolerance<T: Scalar>(poles: &[Pole<T>]) -> (T, T) {
    let (mut energy, mut size) = (T::ZERO, T::ZERO);
    for pole in poles {
        energy += pole.weight;
        size = size.max(pole.value.abs());
    }
    let tolerance = T::from_f64(DEFLATION) * T::EPSILON * (size + energy);
    (tolerance * tolerance, energy)
}

/// What a pole couples to all others, |yᵢ|·‖y‖, is negligible.
#[inline(always)]
fn is_loose<T: Scalar>(pole: &Pole<T>, energy: T, tolerance: T) -> bool {
    pole.weight * energy <= tolerance
}

/// On new axes in the plane of two poles, where one carries both shares and the other none, their coupling
/// (d₁ − d₂)·cos·sin is negligible.
#[inline(always)]
fn are_equal<T: Scalar>(one: &Pole<T>, other: &Pole<T>, tolerance: T) -> bool {
    let difference = one.value - other.value;
    let both = one.weight + other.weight;
    difference * difference * one.weight * other.weight <= tolerance * both * both
}

/// Whether the poles are in order and [`deflate`] would leave them as they are.
fn stands_apart<T: Scalar>(poles: &[Pole<T>]) -> bool {
    let (tolerance, energy) = tolerance(poles);
    let mut above: Option<&Pole<T>> = None;
    for pole in poles {
        if is_loose(pole, energy, tolerance) {
            return false;
        }
        if let Some(above) = above
            && (above.value < pole.value || are_equal(above, pole, tolerance))
        {
            return false;
        }
        above = Some(pole);
    }
    true
}

/// Puts every pole that z hardly touches, and one of two that are equal, behind the others; returns how many are left.
fn deflate<T: Scalar, const N: usize>(poles: &mut [Pole<T>], rotations: &mut heapless::Vec<Rotation<T>, N>) -> usize {
    let (tolerance, energy) = tolerance(poles);
    let mut active: usize = 0;
    for i in 0..poles.len() {
        let Some((before, [pole, ..])) = poles.split_at_mut_checked(i) else {
            break;
        };
        if is_loose(pole, energy, tolerance) {
            // Only what couples it to the others is dropped: small sums of many updates depend on its own share.
            pole.value += pole.weight;
            continue;
        }
        if let Some(freed) = active.checked_sub(1).and_then(|last| before.get_mut(last))
            && are_equal(freed, pole, tolerance)
        {
            let difference = freed.value - pole.value;
            let both = freed.weight + pole.weight;
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
        if let Some(place) = before.get_mut(active) {
            core::mem::swap(place, pole);
        }
        active += 1;
    }
    active
}

/// The eigenvalues and eigenvectors of as many poles as are given, into the first places.
fn solve<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) -> Convergence {
    match poles.try_into() {
        Ok(three) => solve_three(three, columns, values),
        Err(_) => solve_any(poles, columns, values),
    }
}

/// The steady state of a learner that keeps two directions, written out: with every length and index known to the compiler
/// the poles stay in registers.
#[inline(never)]
fn solve_three<T: Scalar, const N: usize>(
    poles: &[Pole<T>; 3],
    columns: &mut [[T; N]],
    values: &mut [T],
) -> Convergence {
    let (Some(columns), Some(values)) = (columns.first_chunk_mut::<3>(), values.first_chunk_mut::<3>()) else {
        return Convergence::Reached;
    };
    let [first, second, third] = columns;
    let convergence = root(poles, 0, first)
        .and(root(poles, 1, second))
        .and(root(poles, 2, third));
    eigenvectors(poles, columns, values);
    convergence
}

#[inline(never)]
fn solve_any<T: Scalar, const N: usize>(poles: &[Pole<T>], columns: &mut [[T; N]], values: &mut [T]) -> Convergence {
    let mut convergence = Convergence::Reached;
    for (index, column) in columns.iter_mut().enumerate().take(poles.len()) {
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

/// From the order of the poles to the axes where they came from.
fn to_axes<T: Scalar, const N: usize>(columns: &mut [[T; N]], poles: &[Pole<T>]) {
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
