//! Deflation: the eigenpairs of a diagonal matrix plus a rank-one matrix that need no secular equation.
//! In: poles, in falling order to rounding. Out: eigenvalues, descending, and eigenvectors.
//! Method: a pole that z hardly touches is an eigenvalue; of two that are equal a rotation of their plane frees one. The others
//! stand apart, and are solved for. The neglected part is a rounding error of the matrix.
//! Cost: O(r) operations for r poles, O(r) for each rotation; 4·N numbers of scratch.

use super::secular::Pole;
use super::vectors::solve;
use crate::Scalar;
use crate::spectrum::Convergence;

/// Deflation tolerance in units of rounding: as large as keeps the error of one update a rounding error.
const DEFLATION: f64 = 4.0;

/// A rotation of two axes, by which equal entries of D were made one.
#[derive(Clone, Copy)]
struct Rotation<T> {
    freed: usize,
    loaded: usize,
    cosine: T,
    sine: T,
}

impl<T: Scalar> Rotation<T> {
    /// Back from the rotated axes to the given ones.
    #[inline(never)]
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

/// Poles of which some may be settled at once.
#[inline(never)]
pub(super) fn settle<T: Scalar, const N: usize>(
    poles: &mut [Pole<T>],
    columns: &mut [[T; N]],
    values: &mut [T],
) -> Convergence {
    let mut rotations = heapless::Vec::<Rotation<T>, N>::new();
    let active = deflate(poles, &mut rotations);
    let (active, settled) = poles.split_at_checked(active).unwrap_or_default();
    let convergence = solve(active, columns, values);
    to_axes(columns, active);
    for (place, pole) in (active.len()..).zip(settled) {
        insert(pole, place, columns, values);
    }
    for column in columns.iter_mut() {
        for rotation in rotations.iter().rev() {
            rotation.undo(column);
        }
    }
    convergence
}

/// Whether the poles are in order and [`deflate`] would leave them as they are.
pub(super) fn stands_apart<T: Scalar>(poles: &[Pole<T>]) -> bool {
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

/// Whether the coupling of a pole to all others, |yᵢ|·‖y‖, is negligible.
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
            let (mut cosine, mut sine) = (pole.share * scale, freed.share * scale);
            // A sample that is nearly a direction turns it with every pole by the same angle: what the scale is off, in each turn
            // the same way, would add up in its length. One step of Newton leaves a rounding.
            let short = T::HALF - T::HALF * (cosine * cosine + sine * sine);
            cosine += cosine * short;
            sine += sine * short;
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

/// From the order of the poles to the axes where they came from.
fn to_axes<T: Scalar, const N: usize>(columns: &mut [[T; N]], poles: &[Pole<T>]) {
    for (column, _) in columns.iter_mut().zip(poles) {
        let ordered = *column;
        *column = [T::ZERO; N];
        for (&entry, pole) in ordered.iter().zip(poles) {
            put(column, pole.index, entry);
        }
    }
}

/// Puts a settled pole, which is its own eigenvalue, among the `place` pairs before it, behind its equals.
#[inline(never)]
fn insert<T: Scalar, const N: usize>(pole: &Pole<T>, mut place: usize, columns: &mut [[T; N]], values: &mut [T]) {
    while let Some(above) = place.checked_sub(1)
        && let (Some([value, next]), Some([column, next_column])) =
            (values.get_mut(above..=place), columns.get_mut(above..=place))
        && *value < pole.value
    {
        (*next, *next_column) = (*value, *column);
        place = above;
    }
    if let (Some(value), Some(column)) = (values.get_mut(place), columns.get_mut(place)) {
        (*value, *column) = (pole.value, [T::ZERO; N]);
        put(column, pole.index, T::ONE);
    }
}

#[inline(always)]
fn put<T, const N: usize>(vector: &mut [T; N], index: usize, value: T) {
    if let Some(slot) = vector.get_mut(index) {
        *slot = value;
    }
}
