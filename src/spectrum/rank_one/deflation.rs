//! Deflation: finds the eigenpairs of D + y·yᵀ that need no secular equation.
//! In: poles, descending up to rounding, and y. Out: all eigenvalues, descending, and eigenvectors.
//! Method: a pole dᵢ with a negligible yᵢ is settled: its eigenvalue is dᵢ + yᵢ², its eigenvector the axis i. Of two
//! equal poles one is settled by a rotation of their axes. Only matrix entries of the size of a rounding error are
//! neglected.
//! Cost: O(r) operations for r poles and for each rotation, and the moves of the eigenvectors. Scratch: N rotations and
//! one column.

use super::secular::{Pole, solve};
use crate::scalar::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::vector::{any_length, any_length_mut, rolled, stay_rolled};

/// The largest matrix entry that may be neglected, in units of ε·(max |dⱼ| + ‖y‖²).
const DEFLATION: f64 = 4.0;

/// A rotation of the axes of two equal poles, after which y is zero on the axis `freed`.
#[derive(Clone, Copy)]
struct Rotation<T> {
    freed: usize,
    loaded: usize,
    cosine: T,
    sine: T,
}

impl<T: Scalar> Rotation<T> {
    /// Transforms a vector from the rotated axes back to the original axes.
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

/// Computes all eigenpairs: of the settled poles by deflation, of the others by the secular equation.
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
    for (place, pole) in (active.len()..usize::MAX).zip(any_length(settled)) {
        stay_rolled();
        insert(pole, place, columns, values);
    }
    for column in any_length_mut(columns) {
        for rotation in rotations.iter().rev() {
            rotation.undo(column);
        }
    }
    convergence
}

/// Whether the poles are descending and [`deflate`] would settle none of them.
pub(super) fn stands_apart<T: Scalar>(poles: &[Pole<T>]) -> bool {
    let (tolerance, energy) = tolerance(poles);
    let mut above: Option<&Pole<T>> = None;
    for pole in rolled(poles) {
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

/// Returns (the square of the largest negligible matrix entry, ‖y‖²).
fn tolerance<T: Scalar>(poles: &[Pole<T>]) -> (T, T) {
    let (mut energy, mut size) = (T::ZERO, T::ZERO);
    for pole in rolled(poles) {
        energy += pole.weight;
        size = size.max(pole.value.abs());
    }
    let tolerance = T::from_f64(DEFLATION) * T::EPSILON * (size + energy);
    (tolerance * tolerance, energy)
}

/// Whether the off-diagonal entries of the row of this pole are negligible; as a vector they have at most the length
/// |yᵢ|·‖y‖.
fn is_loose<T: Scalar>(pole: &Pole<T>, energy: T, tolerance: T) -> bool {
    pole.weight * energy <= tolerance
}

/// Whether two poles count as equal: a rotation of their axes adds the entry (d₁ − d₂)·cos·sin between them.
fn are_equal<T: Scalar>(one: &Pole<T>, other: &Pole<T>, tolerance: T) -> bool {
    let difference = one.value - other.value;
    let both = one.weight + other.weight;
    difference * difference * one.weight * other.weight <= tolerance * both * both
}

/// Moves every settled pole behind the others, and returns the number of the others.
fn deflate<T: Scalar, const N: usize>(poles: &mut [Pole<T>], rotations: &mut heapless::Vec<Rotation<T>, N>) -> usize {
    let (tolerance, energy) = tolerance(poles);
    let mut active: usize = 0;
    let poles = any_length_mut(poles);
    for i in 0..poles.len() {
        stay_rolled();
        let Some((before, [pole, ..])) = poles.split_at_mut_checked(i) else {
            break;
        };
        if is_loose(pole, energy, tolerance) {
            // The diagonal entry yᵢ² is added, because neglected entries would add up over many updates.
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
            // `scale` has nearly the same rounding error each time, so with many equal poles the length of the axis
            // would drift. One Newton step corrects the length.
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
                pole.share = T::ONE / scale; // √(share₁² + share₂²), the share on the new axis
                core::mem::swap(freed, pole);
                continue;
            }
        }
        if let Some(place) = before.get_mut(active) {
            core::mem::swap(place, pole);
        }
        active = active.saturating_add(1);
    }
    active
}

/// Sorts the entries of each eigenvector from the order of the poles to that of the axes.
fn to_axes<T: Scalar, const N: usize>(columns: &mut [[T; N]], poles: &[Pole<T>]) {
    for (column, _) in any_length_mut(columns).iter_mut().zip(any_length(poles)) {
        stay_rolled();
        let ordered = *column;
        *column = [T::ZERO; N];
        for (&entry, pole) in any_length(&ordered).iter().zip(any_length(poles)) {
            stay_rolled();
            put(column, pole.index, entry);
        }
    }
}

/// Inserts the eigenpair of a settled pole into the first `place` pairs, which are sorted, after equal values.
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

fn put<T, const N: usize>(vector: &mut [T; N], index: usize, value: T) {
    if let Some(slot) = vector.get_mut(index) {
        *slot = value;
    }
}
