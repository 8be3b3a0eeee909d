//! Eigendecomposition of a diagonal matrix plus a rank-one matrix, D + ρ·z·zᵀ: what one new sample does to a known spectrum.
//! In: the diagonal D, the direction z, the weight ρ of either sign. Out: eigenvalues, descending, and eigenvectors.
//! Method: entries that z hardly touches, and equal entries of D, are settled at once (deflation); for the others the
//! secular equation gives the eigenvalues, and the z for which these would be exact gives eigenvectors that are orthogonal
//! to rounding however close the eigenvalues are (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//! Cost: about 60·r² operations for r entries; N² + N numbers kept, 6·N numbers of scratch.

use super::{
    Convergence,
    orthogonality::normalize,
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

/// An entry of D with what z has there, √|ρ|·zᵢ, and where it came from.
#[derive(Clone, Copy)]
struct Entry<T> {
    value: T,
    share: T,
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
        let unit = unit_of(diagonal, direction, weight)?;
        // The roots apart, since neither ρ nor 1/unit need leave room for the other.
        let (strength, size) = (weight.abs().sqrt(), unit.sqrt());
        // A negative weight is a positive one on −D.
        let sign = if weight < T::ZERO { -T::ONE } else { T::ONE };
        let mut entries = [Entry {
            value: T::ZERO,
            share: T::ZERO,
            index: 0,
        }; N];
        let mut count = 0;
        for ((index, entry), (&value, &share)) in entries.iter_mut().enumerate().zip(diagonal.iter().zip(direction)) {
            *entry = Entry {
                value: sign * value / unit,
                share: strength * share / size,
                index,
            };
            count = index + 1;
        }
        let entries = entries.get_mut(..count).unwrap_or_default();
        sort_by(entries, |entry| entry.value);

        let mut rotations = heapless::Vec::<Rotation<T>, N>::new();
        let active = deflate(entries, &mut rotations);
        let mut poles = [Pole {
            value: T::ZERO,
            weight: T::ZERO,
        }; N];
        for (pole, entry) in poles
            .iter_mut()
            .zip(entries.iter().filter(|entry| entry.share != T::ZERO))
        {
            *pole = Pole {
                value: entry.value,
                weight: entry.share * entry.share,
            };
        }
        let poles = poles.get(..active).unwrap_or_default();
        let columns = &mut self.vectors.data.0;
        let mut convergence = Convergence::Reached;
        for (index, column) in columns.iter_mut().enumerate().take(active) {
            if root(poles, index, column) == Convergence::BoundHit {
                convergence = Convergence::BoundHit;
            }
        }
        self.finish(entries, poles, &rotations, sign * unit);
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

    /// Turns columns of differences dⱼ − λᵢ into eigenpairs of the problem that was asked.
    fn finish(&mut self, entries: &[Entry<T>], poles: &[Pole<T>], rotations: &[Rotation<T>], unit: T) {
        let columns = &mut self.vectors.data.0;
        let mut exact = [T::ZERO; N];
        for (j, exact) in exact.iter_mut().enumerate().take(poles.len()) {
            *exact = exact_weight(columns, poles, j).sqrt();
        }
        let mut values = [T::ZERO; N];
        let active = entries.iter().filter(|entry| entry.share != T::ZERO);
        let mut settled = entries.iter().filter(|entry| entry.share == T::ZERO);
        for (i, (column, value)) in columns.iter_mut().zip(&mut values).enumerate() {
            let mut vector = [T::ZERO; N];
            if let Some(pole) = poles.get(i) {
                let own = column.get(i).copied().unwrap_or(T::ZERO);
                *value = pole.value - own;
                for ((&difference, &exact), entry) in column.iter().zip(&exact).zip(active.clone()) {
                    if let Some(slot) = vector.get_mut(entry.index) {
                        let share = if entry.share < T::ZERO { -exact } else { exact };
                        *slot = share / difference;
                    }
                }
                let _ = normalize(&mut vector);
            } else if let Some(entry) = settled.next() {
                *value = entry.value;
                if let Some(slot) = vector.get_mut(entry.index) {
                    *slot = T::ONE;
                }
            }
            for rotation in rotations.iter().rev() {
                rotation.undo(&mut vector);
            }
            *value *= unit;
            *column = vector;
        }
        sort_pairs(&mut values, columns, entries.len());
        self.values = SVector::from(values);
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

/// A power of two near the size of D + ρ·z·zᵀ.
fn unit_of<T: Scalar>(diagonal: &[T], direction: &[T], weight: T) -> Result<T, MatrixError> {
    let mut size = T::ZERO;
    for (index, (&value, &share)) in diagonal.iter().zip(direction).enumerate() {
        let entry = value.abs() + weight.abs() * share * share;
        if !entry.is_finite() || !share.is_finite() {
            return Err(MatrixError::NotANumber {
                row: index,
                column: index,
            });
        }
        size = size.max(entry);
    }
    Ok(size.power_of_two())
}

/// Sets to zero every share that is negligible, and one of two whose entries are equal; returns how many are left.
fn deflate<T: Scalar, const N: usize>(
    entries: &mut [Entry<T>],
    rotations: &mut heapless::Vec<Rotation<T>, N>,
) -> usize {
    let mut energy = T::ZERO;
    let mut size = T::ZERO;
    for entry in entries.iter() {
        energy += entry.share * entry.share;
        size = size.max(entry.value.abs());
    }
    let tolerance = T::from_f64(DEFLATION) * T::EPSILON * (size + energy);
    let length = energy.sqrt();
    let mut active = 0;
    let mut before: Option<&mut Entry<T>> = None;
    for entry in entries.iter_mut() {
        if entry.share.abs() * length <= tolerance {
            entry.share = T::ZERO;
            continue;
        }
        active += 1;
        if let Some(freed) = before.take() {
            // New axes in the plane of the two: one carries both shares, the other none; dropping their coupling
            // (d₁ − d₂)·cos·sin is the error made.
            let both = (freed.share * freed.share + entry.share * entry.share).sqrt();
            let (cosine, sine) = (entry.share / both, freed.share / both);
            let difference = freed.value - entry.value;
            if (difference * cosine * sine).abs() <= tolerance {
                let rotation = Rotation {
                    freed: freed.index,
                    loaded: entry.index,
                    cosine,
                    sine,
                };
                if rotations.push(rotation).is_ok() {
                    freed.value -= difference * sine * sine;
                    freed.share = T::ZERO;
                    entry.value += difference * sine * sine;
                    entry.share = both;
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

/// Insertion sort, descending.
fn sort_by<T: Scalar, E: Copy>(entries: &mut [E], key: impl Fn(&E) -> T) {
    for sorted in 1..entries.len() {
        for low in (0..sorted).rev() {
            match entries.get_mut(low..low + 2) {
                Some([first, second]) if key(first) < key(second) => core::mem::swap(first, second),
                _ => break,
            }
        }
    }
}

/// The same for values with their vectors.
fn sort_pairs<T: Scalar, const N: usize>(values: &mut [T; N], columns: &mut [[T; N]; N], count: usize) {
    for sorted in 1..count {
        for low in (0..sorted).rev() {
            match (values.get_mut(low..low + 2), columns.get_mut(low..low + 2)) {
                (Some([first, second]), Some([left, right])) if *first < *second => {
                    core::mem::swap(first, second);
                    core::mem::swap(left, right);
                }
                _ => break,
            }
        }
    }
}
