//! How the closed forms of a trial, `steady` and `contested`, see a sample and say what it changes.
//! In: a sample's coordinates, η, and the turn of the plane. Out: the plane's matrix, and the weights of the directions.
//! Method: V ← V + (C·x − V(κt + C·c))tᵀ, then the eigenvectors of the plane: one product of (V, x) with a small matrix.

use super::evidence::Update;
use super::glance::Glance;
use crate::Scalar;
use crate::spectrum::few::{FEW, Few, Turn, dot};

/// A sample for a closed form.
#[derive(Clone, Copy)]
pub(super) struct Seen<T> {
    /// c.
    pub(super) inside: [T; FEW],
    /// ρ.
    pub(super) outside_energy: T,
    /// ‖x‖².
    pub(super) energy: T,
    /// η with the factor of the scale.
    pub(super) rate: T,
    /// d.
    pub(super) dropped: T,
}

impl<T: Scalar> Seen<T> {
    /// A sample of this energy, to be learned with this rate.
    #[inline(always)]
    pub(super) fn new<const DIM: usize, const KEEP: usize>(glance: Glance<T>, energy: T, rate: T) -> Self {
        Self {
            inside: glance.inside,
            outside_energy: glance.outside_energy,
            energy,
            rate,
            dropped: T::from_usize(DIM.saturating_sub(KEEP)),
        }
    }
}

/// Where a sample lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// A part of it is outside the stored directions.
    Outside,
    /// Nothing is, but for rounding.
    Inside,
}

/// A trial's changes.
pub(super) struct Learned<T> {
    /// g and e⁻ᵍ of the first `rank` directions.
    pub(super) values: [T; FEW],
    pub(super) drops: [T; FEW],
    /// The turn of the plane towards the sample,
    pub(super) turn: Turn<T>,
    /// and the eigenvectors in the turned basis.
    pub(super) vectors: Few<T>,
    pub(super) rank: usize,
    /// By how much Σe⁻ᵍ has grown: what the excess is charged with.
    pub(super) rise: T,
}

/// The largest evidence for which products of three stay far from overflow.
const LARGEST: f64 = 1024.0;
/// The largest ηf‖x‖². Beyond it rounding of ηe counts in evidence of a few units, which the general solver avoids by its differences.
const LARGEST_STEP: f64 = 32.0;
/// The energies for which the products of a closed form neither overflow nor lose digits that count: 2⁻⁹⁰ to 2⁹⁰.
const ENERGIES: (f64, f64) = (8.077_935_669_463_161e-28, 1.237_940_039_285_380_3e27);

/// Where the sample lies, if the numbers of the trial are in the range of the closed forms.
#[inline(always)]
pub(super) fn in_range<T: Scalar>(values: &[T; FEW], seen: &Seen<T>, update: &Update<T>) -> Option<Outlook> {
    let largest = T::from_f64(LARGEST);
    let (low, high) = (T::from_f64(ENERGIES.0), T::from_f64(ENERGIES.1));
    let holds = update.share == T::ZERO
        && values[0] <= largest
        && seen.rate * seen.energy <= T::from_f64(LARGEST_STEP)
        && seen.energy >= low
        && seen.energy <= high;
    // As in `Evidence::learn`.
    let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * seen.energy).max(T::MIN_POSITIVE);
    holds.then_some(if seen.outside_energy > smallest {
        Outlook::Outside
    } else {
        Outlook::Inside
    })
}

/// The matrix of the turned plane, from A = diag(s) + ηccᵀ, the side ηρ·c and the corner ηρ².
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(super) fn turned<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>, turn: &Turn<T>) -> Few<T> {
    let gain = seen.rate * seen.outside_energy;
    let mut matrix = [[T::ZERO; FEW]; FEW];
    let mut side = [T::ZERO; FEW];
    for i in 0..FEW {
        for j in 0..FEW {
            matrix[i][j] = seen.rate * seen.inside[i] * seen.inside[j];
        }
        matrix[i][i] += values[i];
        side[i] = gain * seen.inside[i];
    }
    turn.of_plane(count, &matrix, &side, gain * seen.outside_energy)
}

impl<T: Scalar> Learned<T> {
    /// Column j of [R − (κt + C·c)t′ᵀ; C·t′ᵀ] with t′ = Rᵀt, and its last entry: (V, x) times the columns are the new directions.
    /// Likewise (V, q) with o for c.
    #[inline(always)]
    pub(super) fn weights(&self, count: usize, inside: &[T; FEW], column: usize) -> ([T; FEW], T) {
        let turn = &self.turn;
        let mut own = [T::ZERO; FEW];
        for (entry, row) in own.iter_mut().zip(&self.vectors) {
            *entry = row.get(column).copied().unwrap_or(T::ZERO);
        }
        let along = dot(count, &turn.towards, &own);
        for i in 0..FEW {
            // κt + C·c.
            let back = turn.shrink * turn.towards[i] + turn.cosine * inside[i];
            own[i] -= back * along;
        }
        (own, turn.cosine * along)
    }

    /// ‖x‖² times the squares of the weights of x. The length of the new directions is off by as much as ρ is, times this: the
    /// error of the stored directions grows by it in every trial.
    #[inline(always)]
    pub(super) fn growth(&self, count: usize, energy: T) -> T {
        let turn = &self.turn;
        turn.cosine * turn.cosine * dot(count, &turn.towards, &turn.towards) * energy
    }
}
