//! Input and result of the closed forms `steady` and `contested`, which learn one sample.
//! In: the coordinates c of a sample x in the stored directions V, the energy ρ of the part of x outside V, the rate η, and the
//! turn of the plane (t, C and κ of `spectrum::few::Turn`). The plane is the span of V. Out: the evidence matrix in the turned
//! plane, and the weights that combine V and x into the new directions.
//! Method: V ← V + (C·x − V(κt + C·c))tᵀ turns the plane. Then V ← V·R, with the eigenvectors R of the evidence matrix in the
//! turned plane. Together this is one product of (V, x) with a small matrix.

use super::evidence::Update;
use super::glance::Glance;
use crate::Scalar;
use crate::spectrum::few::{FEW, Few, Turn, dot, each};

/// The numbers of a sample that a closed form needs.
#[derive(Clone, Copy)]
pub(super) struct Seen<T> {
    /// c: the coordinates of the sample in the stored directions.
    pub(super) inside: [T; FEW],
    /// ρ: the energy of the part of the sample outside the stored directions.
    pub(super) outside_energy: T,
    /// ‖x‖²: the energy of the sample x.
    pub(super) energy: T,
    /// η: the learning rate times the factor of the scale (`EnergyScale::factor`).
    pub(super) rate: T,
    /// d = DIM − KEEP: the number of directions that are dropped.
    pub(super) dropped: T,
}

impl<T: Scalar> Seen<T> {
    /// Creates the numbers of a sample with this energy, to be learned with this rate.
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

/// The changes that one sample makes. The evidence g of a stored direction is its eigenvalue in the evidence matrix.
pub(super) struct Learned<T> {
    /// g of the first `rank` directions.
    pub(super) values: [T; FEW],
    /// e⁻ᵍ of the first `rank` directions: the probability that the direction is dropped.
    pub(super) drops: [T; FEW],
    /// How the plane, the span of the stored directions, is turned towards the sample.
    pub(super) turn: Turn<T>,
    /// R: the eigenvectors of the new evidence matrix in the turned plane, one per column.
    pub(super) vectors: Few<T>,
    /// The number of directions that are stored after the sample.
    pub(super) rank: usize,
    /// The increase of Σe⁻ᵍ over all directions because evidence was removed (`Evidence::charge`).
    pub(super) rise: T,
}

/// The largest evidence for the closed forms: the product of three values stays far from overflow.
const LARGEST: f64 = 1024.0;
/// The largest η‖x‖² for the closed forms. Their rounding error grows with η‖x‖². The general solver computes with differences of
/// evidence, so its rounding error is smaller.
const LARGEST_STEP: f64 = 32.0;
/// The range of energies ‖x‖² for the closed forms, 2⁻⁹⁰ to 2⁹⁰: products do not overflow, and underflow removes no significant
/// digits.
const ENERGIES: (f64, f64) = (8.077_935_669_463_161e-28, 1.237_940_039_285_380_3e27);

/// Returns true if all numbers are in the range of the closed forms, and if there is no share (a part of the total weight that is
/// distributed evenly).
#[inline(always)]
pub(super) fn in_range<T: Scalar>(values: &[T; FEW], seen: &Seen<T>, update: &Update<T>) -> bool {
    let largest = T::from_f64(LARGEST);
    let (low, high) = (T::from_f64(ENERGIES.0), T::from_f64(ENERGIES.1));
    update.share == T::ZERO
        && values[0] <= largest
        && seen.rate * seen.energy <= T::from_f64(LARGEST_STEP)
        && seen.energy.is_within(low, high)
}

/// Returns the evidence matrix after the sample, before the threshold, in the turned plane of `count` directions. In the span of
/// the stored directions and the sample, this matrix is diag(s, 0) + ηwwᵀ with w = (c, √ρ), s = `values`, c = `seen.inside`,
/// ρ = `seen.outside_energy` and the rate η = `seen.rate`. The columns of [I − κttᵀ; C√ρ·tᵀ] are the basis of the turned plane
/// (see `Turn`). In this basis the matrix is (I − κttᵀ)·diag(s)·(I − κttᵀ) + ηeeᵀ, with the coordinates e of w.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(super) fn turned<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>, turn: &Turn<T>) -> Few<T> {
    let t = &turn.towards;
    // e = c + (C·ρ − κ·tᵀc)·t: the coordinates of the sample in the turned plane.
    let lift = turn.cosine * seen.outside_energy - turn.shrink * dot(count, t, &seen.inside);
    let inside = each!(I => seen.inside[I] + lift * t[I]);
    // (I − κttᵀ)·diag(s)·(I − κttᵀ) = diag(s) − t·kᵀ − k·tᵀ with k = κ·diag(s)·t − ½κ²(tᵀ·diag(s)·t)·t.
    let image = each!(I => turn.shrink * values[I] * t[I]);
    let half = T::HALF * turn.shrink * dot(count, t, &image);
    let other = each!(I => image[I] - half * t[I]);
    let mut matrix = each!(I => each!(J => seen.rate * inside[I] * inside[J] - (t[I] * other[J] + other[I] * t[J])));
    each!(I => matrix[I][I] += values[I]);
    matrix
}

impl<T: Scalar> Learned<T> {
    /// Returns one column of the matrix [R − (κt + C·c)t′ᵀ; C·t′ᵀ] with t′ = Rᵀt: the weights of the stored directions V, then
    /// the weight of the sample x. The new directions are (V, x) times these columns. R is `vectors`; t, C and κ are `towards`,
    /// `cosine` and `shrink` of `turn`. c = Vᵀx is `inside`. For q = x − V·c instead of x, pass o = Vᵀq as `inside`.
    #[inline(always)]
    pub(super) fn weights(&self, count: usize, inside: &[T; FEW], column: usize) -> ([T; FEW], T) {
        let turn = &self.turn;
        let own = each!(I => self.vectors[I].get(column).copied().unwrap_or(T::ZERO));
        let along = dot(count, &turn.towards, &own);
        // κt + C·c.
        let back = each!(I => turn.shrink * turn.towards[I] + turn.cosine * inside[I]);
        (each!(I => own[I] - back[I] * along), turn.cosine * along)
    }

    /// Returns ‖x‖² times the sum of the squared weights of the sample x in all `count` rotated directions. If the stored
    /// directions have the orthogonality error δ, the energy ρ of x outside these directions has an error of about δ‖x‖². This
    /// error changes the lengths of the new directions by about the result times δ. So the result is about the fraction by
    /// which the orthogonality error grows in a trial.
    #[inline(always)]
    pub(super) fn growth(&self, count: usize, energy: T) -> T {
        let turn = &self.turn;
        turn.cosine * turn.cosine * dot(count, &turn.towards, &turn.towards) * energy
    }
}
