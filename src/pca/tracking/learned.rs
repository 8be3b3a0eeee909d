//! How the closed forms of a trial, `steady` and `contested`, see a sample and say what it changes.
//! In: a sample's coordinates, η, and the turn of the plane. Out: the plane's matrix, and the weights of the directions.
//! Method: V ← V + (C·x − V(κt + C·c))tᵀ, then the eigenvectors of the plane: one product of (V, x) with a small matrix.

use super::evidence::Update;
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

/// The most of η‖x‖² and of the evidence for which products of three stay far from overflow and from each other's rounding.
const LARGEST: f64 = 1024.0;
/// The energies for which the products of a closed form neither overflow nor lose digits that count: 2⁻⁹⁰ to 2⁹⁰.
const ENERGIES: (f64, f64) = (8.077_935_669_463_161e-28, 1.237_940_039_285_380_3e27);

/// Where the sample lies, if the numbers of the trial are in the range of the closed forms.
#[inline(always)]
pub(super) fn in_range<T: Scalar>(values: &[T], seen: &Seen<T>, update: &Update<T>) -> Option<Outlook> {
    let largest = T::from_f64(LARGEST);
    let (low, high) = (T::from_f64(ENERGIES.0), T::from_f64(ENERGIES.1));
    let holds = update.share == T::ZERO
        && *values.first()? <= largest
        && seen.rate * seen.energy <= largest
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
#[inline(always)]
pub(super) fn turned<T: Scalar, const COUNT: usize>(values: &[T; COUNT], seen: &Seen<T>, turn: &Turn<T>) -> Few<T> {
    let gain = seen.rate * seen.outside_energy;
    let mut matrix = [[T::ZERO; FEW]; FEW];
    let mut side = [T::ZERO; FEW];
    for i in 0..COUNT {
        for j in 0..COUNT {
            matrix[i][j] = seen.rate * seen.inside[i] * seen.inside[j];
        }
        matrix[i][i] += values[i];
        side[i] = gain * seen.inside[i];
    }
    turn.of_plane::<COUNT>(&matrix, &side, gain * seen.outside_energy)
}

impl<T: Scalar> Learned<T> {
    /// The columns of [R − (κt + C·c)t′ᵀ; C·t′ᵀ] with t′ = Rᵀt: (V, x) times them are the new directions. Likewise (V, q) with o for c.
    #[inline(always)]
    pub(super) fn weights<const COUNT: usize>(&self, inside: &[T; FEW]) -> Weights<T> {
        let turn = &self.turn;
        // κt + C·c.
        let mut back = [T::ZERO; FEW];
        for i in 0..COUNT {
            back[i] = turn.shrink * turn.towards[i] + turn.cosine * inside[i];
        }
        let mut weights = Weights {
            stored: [[T::ZERO; FEW]; FEW],
            beside: [T::ZERO; FEW],
        };
        for j in 0..COUNT {
            let mut column = [T::ZERO; FEW];
            for i in 0..COUNT {
                column[i] = self.vectors[i][j];
            }
            let along = dot::<T, COUNT>(&turn.towards, &column);
            for i in 0..COUNT {
                weights.stored[j][i] = column[i] - back[i] * along;
            }
            weights.beside[j] = turn.cosine * along;
        }
        weights
    }

    /// The column of the direction that leaves the plane, (−√ρ·t, 1)·C on (V, q/√ρ): q·C/√ρ − V(√ρ·C·t + C·o/√ρ).
    #[inline(always)]
    pub(super) fn weights_of_leaving<const COUNT: usize>(&self, inside: &[T; FEW], outside_energy: T) -> ([T; FEW], T) {
        let turn = &self.turn;
        let beside = turn.cosine * outside_energy.inverse_sqrt();
        let mut stored = [T::ZERO; FEW];
        for i in 0..COUNT {
            stored[i] = -beside * (outside_energy * turn.towards[i] + inside[i]);
        }
        (stored, beside)
    }

    /// ‖x‖² times the squares of the weights of x. The length of the new directions is off by as much as ρ is, times this: the
    /// error of the stored directions grows by it in every trial.
    #[inline(always)]
    pub(super) fn growth<const COUNT: usize>(&self, energy: T) -> T {
        let turn = &self.turn;
        turn.cosine * turn.cosine * dot::<T, COUNT>(&turn.towards, &turn.towards) * energy
    }
}

/// The columns of a product with (V, x): of the stored directions and of the vector beside them.
pub(super) struct Weights<T> {
    pub(super) stored: Few<T>,
    pub(super) beside: [T; FEW],
}
