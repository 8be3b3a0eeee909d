//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: what one new sample does to a known spectrum.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: entries that z hardly touches, and equal entries of D, are settled at once (deflation); for the others the
//! secular equation gives the eigenvalues, and the z for which these would be exact gives eigenvectors that are orthogonal
//! to rounding however close the eigenvalues are (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, N² + 8·N numbers of scratch.

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

/// An entry of D with what z has there, and where it came from.
#[derive(Clone, Copy)]
struct Entry<T> {
    value: T,
    share: T,
    /// |ρ|·share²; zero once the entry is settled.
    weight: T,
    index: usize,
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
        let count = diagonal.len().min(direction.len()).min(N);
        let mut entries: [Entry<T>; N] = core::array::from_fn(|index| {
            let value = diagonal.get(index).map_or(T::ZERO, |&value| value * unit.inverse);
            let share = direction
                .get(index)
                .map_or(T::ZERO, |&share| share * unit.inverse_share);
            Entry {
                value,
                share,
                weight: unit.weight * share * share,
                index,
            }
        });
        let entries = entries.get_mut(..count).unwrap_or_default();
        sort_descending(entries);

        let mut rotations = heapless::Vec::<Rotation<T>, N>::new();
        let active = deflate(entries, &mut rotations);
        if !rotations.is_empty() {
            sort_descending(entries); // a freed entry may have changed places with its partner
        }
        let mut poles = [Pole {
            value: T::ZERO,
            weight: T::ZERO,
        }; N];
        for (pole, entry) in poles
            .iter_mut()
            .zip(entries.iter().filter(|entry| entry.weight != T::ZERO))
        {
            *pole = Pole {
                value: entry.value,
                weight: entry.weight,
            };
        }
        let poles = poles.get(..active).unwrap_or_default();
        let mut differences = [[T::ZERO; N]; N];
        let mut convergence = Convergence::Reached;
        for (index, column) in differences.iter_mut().enumerate().take(active) {
            convergence = convergence.and(root(poles, index, column));
        }
        self.assemble(entries, poles, &differences, unit.signed);
        for column in self.vectors.data.0.iter_mut().take(count) {
            for rotation in rotations.iter().rev() {
                rotation.undo(column);
            }
        }
        if weight < T::ZERO {
            self.reverse(count);
        }
        Ok(convergence)
    }

    /// The eigenvalues, descending; entries beyond the size of the problem are zero.
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

    /// The eigenvectors, given away.
    pub(crate) fn into_vectors(self) -> [[T; N]; N] {
        self.vectors.data.0
    }

    /// Eigenpairs from the differences dⱼ − λᵢ of the roots and from the entries that were settled before, in order.
    fn assemble(&mut self, entries: &[Entry<T>], poles: &[Pole<T>], differences: &[[T; N]; N], unit: T) {
        let active = entries.iter().filter(|entry| entry.weight != T::ZERO);
        // ŷ with the signs of z.
        let mut exact = [T::ZERO; N];
        for (j, (exact, entry)) in exact.iter_mut().zip(active.clone()).enumerate() {
            let weight = exact_weight(differences, poles, j);
            let size = if weight > T::ZERO {
                weight * weight.inverse_sqrt()
            } else {
                T::ZERO
            };
            *exact = if entry.share < T::ZERO { -size } else { size };
        }
        let mut roots = poles.iter().zip(differences).enumerate().map(|(i, (pole, column))| {
            let own = column.get(i).copied().unwrap_or(T::ZERO);
            (pole.value - own, column)
        });
        let mut settled = entries.iter().filter(|entry| entry.weight == T::ZERO);
        let (mut next_root, mut next_settled) = (roots.next(), settled.next());
        for (column, value) in self.vectors.data.0.iter_mut().zip(self.values.iter_mut()) {
            *column = [T::ZERO; N];
            *value = T::ZERO;
            let root_first = match (&next_root, &next_settled) {
                (Some((root, _)), Some(entry)) => *root >= entry.value,
                (root, _) => root.is_some(),
            };
            if !root_first {
                if let Some(entry) = next_settled {
                    *value = entry.value * unit;
                    if let Some(slot) = column.get_mut(entry.index) {
                        *slot = T::ONE;
                    }
                }
                next_settled = settled.next();
            } else if let Some((root, differences)) = next_root {
                *value = root * unit;
                let mut parts = [T::ZERO; N];
                let mut energy = T::ZERO;
                for ((part, &exact), &difference) in parts.iter_mut().zip(&exact).zip(differences).take(poles.len()) {
                    *part = exact / difference;
                    energy += *part * *part;
                }
                let scale = energy.inverse_sqrt();
                for (&part, entry) in parts.iter().zip(active.clone()) {
                    if let Some(slot) = column.get_mut(entry.index) {
                        *slot = part * scale;
                    }
                }
                next_root = roots.next();
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
        let (mut size, mut largest_share) = (T::ZERO, T::ZERO);
        for (index, (&value, &share)) in diagonal.iter().zip(direction).enumerate() {
            let entry = value.abs() + weight.abs() * share * share;
            if !entry.is_finite() || !share.is_finite() {
                return Err(MatrixError::NotANumber {
                    row: index,
                    column: index,
                });
            }
            size = size.max(entry);
            largest_share = largest_share.max(share.abs());
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

/// Settles every entry that z hardly touches, and one of two that are equal; returns how many are left.
fn deflate<T: Scalar, const N: usize>(
    entries: &mut [Entry<T>],
    rotations: &mut heapless::Vec<Rotation<T>, N>,
) -> usize {
    let (mut energy, mut size) = (T::ZERO, T::ZERO);
    for entry in entries.iter() {
        energy += entry.weight;
        size = size.max(entry.value.abs());
    }
    let tolerance = T::from_f64(DEFLATION) * T::EPSILON * (size + energy);
    let tolerance = tolerance * tolerance;
    let mut active = 0;
    let mut before: Option<&mut Entry<T>> = None;
    for entry in entries.iter_mut() {
        // What this entry couples to all others, |yᵢ|·‖y‖, squared.
        if entry.weight * energy <= tolerance {
            entry.weight = T::ZERO;
            continue;
        }
        active += 1;
        if let Some(freed) = before.take() {
            // New axes in the plane of the two: one carries both shares, the other none; dropping their coupling
            // (d₁ − d₂)·cos·sin is the error made.
            let difference = freed.value - entry.value;
            let both = freed.weight + entry.weight;
            let coupling = difference * difference * freed.weight * entry.weight;
            if coupling <= tolerance * both * both {
                let scale = (freed.share * freed.share + entry.share * entry.share).inverse_sqrt();
                let (cosine, sine) = (entry.share * scale, freed.share * scale);
                let rotation = Rotation {
                    freed: freed.index,
                    loaded: entry.index,
                    cosine,
                    sine,
                };
                if rotations.push(rotation).is_ok() {
                    let moved = difference * sine * sine;
                    freed.value -= moved;
                    freed.weight = T::ZERO;
                    entry.value += moved;
                    entry.weight = both;
                    // The new axis points along z.
                    entry.share = T::ONE / scale;
                    active -= 1;
                }
            }
        }
        before = Some(entry);
    }
    active
}

/// ŷⱼ²: the weight of pole j for which the computed roots are the exact ones,
/// (λⱼ − dⱼ)·Π_{i≠j} (λᵢ − dⱼ)/(dᵢ − dⱼ). All factors are positive, since roots and poles alternate.
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

/// Insertion sort; the learners' entries come sorted.
fn sort_descending<T: Scalar>(entries: &mut [Entry<T>]) {
    for sorted in 1..entries.len() {
        for low in (0..sorted).rev() {
            match entries.get_mut(low..low + 2) {
                Some([first, second]) if first.value < second.value => core::mem::swap(first, second),
                _ => break,
            }
        }
    }
}
