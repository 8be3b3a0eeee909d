//! Input and result of the closed forms `steady` and `contested`, which learn one sample.
//! Method: V ← V + (C·x − V(κt + C·c))tᵀ rotates the stored directions V, with the coordinates c = Vᵀx
//! (`spectrum::few::Turn` defines t, C and κ). Then V ← V·R, with the eigenvectors R of the evidence matrix in the
//! basis of the rotated directions. Together this is one product of (V, x) with a small matrix.

use super::evidence::Update;
use super::glance::Glance;
use crate::Scalar;
use crate::spectrum::few::{FEW, Few, Turn, dot, each};

#[derive(Clone, Copy)]
pub(super) struct Seen<T> {
    /// c: the coordinates in the stored directions.
    pub(super) inside: [T; FEW],
    /// ρ: the energy outside the stored directions.
    pub(super) outside_energy: T,
    /// The energy ‖x‖² of the sample.
    pub(super) energy: T,
    /// The learning rate η, divided by the scale.
    pub(super) rate: T,
    /// The number of dropped directions, DIM − KEEP.
    pub(super) dropped: T,
}

impl<T: Scalar> Seen<T> {
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

pub(super) struct Learned<T> {
    /// The evidence g of the first `rank` directions.
    pub(super) values: [T; FEW],
    /// The drop probabilities e⁻ᵍ of the first `rank` directions.
    pub(super) drops: [T; FEW],
    pub(super) turn: Turn<T>,
    /// The matrix R, one eigenvector per column.
    pub(super) vectors: Few<T>,
    /// The number of directions stored afterwards.
    pub(super) rank: usize,
    /// The increase of Σe⁻ᵍ by removed evidence (`Evidence::charge`).
    pub(super) rise: T,
}

/// The largest evidence: the product of three such numbers stays far from overflow.
const LARGEST: f64 = 1024.0;
/// The largest η‖x‖²: the rounding error of the closed forms grows with η‖x‖².
const LARGEST_STEP: f64 = 32.0;
/// The range of ‖x‖², 2⁻⁹⁰ to 2⁹⁰: products do not overflow, and underflow removes no significant digit.
const ENERGIES: (f64, f64) = (8.077_935_669_463_161e-28, 1.237_940_039_285_380_3e27);

/// Whether all numbers are in the range of the closed forms, and there is no share.
#[inline(always)]
pub(super) fn in_range<T: Scalar>(values: &[T; FEW], seen: &Seen<T>, update: &Update<T>) -> bool {
    let largest = T::from_f64(LARGEST);
    let (low, high) = (T::from_f64(ENERGIES.0), T::from_f64(ENERGIES.1));
    update.share == T::ZERO
        && values[0] <= largest
        && seen.rate * seen.energy <= T::from_f64(LARGEST_STEP)
        && seen.energy.is_within(low, high)
}

/// Returns the evidence matrix after the sample, before the threshold, in the basis of the rotated directions. In the
/// span of directions and sample it is diag(s, 0) + ηwwᵀ, with the evidence s = `values` and w = (c, √ρ). In the basis
/// [I − κttᵀ; C√ρ·tᵀ] it is (I − κttᵀ)·diag(s)·(I − κttᵀ) + ηeeᵀ, with the coordinates e of w.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(super) fn turned<T: Scalar>(count: usize, values: &[T; FEW], seen: &Seen<T>, turn: &Turn<T>) -> Few<T> {
    let t = &turn.towards;
    // The coordinates of w are e = c + (C·ρ − κ·tᵀc)·t.
    let lift = turn.cosine * seen.outside_energy - turn.shrink * dot(count, t, &seen.inside);
    let inside = each!(I => seen.inside[I] + lift * t[I]);
    // The first term of the matrix is diag(s) − t·kᵀ − k·tᵀ with k = κ·diag(s)·t − ½κ²(tᵀ·diag(s)·t)·t.
    let image = each!(I => turn.shrink * values[I] * t[I]);
    let half = T::HALF * turn.shrink * dot(count, t, &image);
    let other = each!(I => image[I] - half * t[I]);
    let mut matrix = each!(I => each!(J => seen.rate * inside[I] * inside[J] - (t[I] * other[J] + other[I] * t[J])));
    each!(I => matrix[I][I] += values[I]);
    matrix
}

impl<T: Scalar> Learned<T> {
    /// One column of [R − (κt + C·c)t′ᵀ; C·t′ᵀ], t′ = Rᵀt: the weights of the stored directions and of the sample x in
    /// one new direction. `inside` is Vᵀx; if q = x − V·c takes the place of x, `inside` is Vᵀq.
    #[inline(always)]
    pub(super) fn weights(&self, count: usize, inside: &[T; FEW], column: usize) -> ([T; FEW], T) {
        let turn = &self.turn;
        let own = each!(I => self.vectors[I].get(column).copied().unwrap_or(T::ZERO));
        let along = dot(count, &turn.towards, &own);
        // The vector κt + C·c.
        let back = each!(I => turn.shrink * turn.towards[I] + turn.cosine * inside[I]);
        (each!(I => own[I] - back[I] * along), turn.cosine * along)
    }

    /// ‖x‖² times the sum of the squared weights of the sample: about the fraction by which the orthogonality error
    /// grows in a trial.
    #[inline(always)]
    pub(super) fn growth(&self, count: usize, energy: T) -> T {
        let turn = &self.turn;
        turn.cosine * turn.cosine * dot(count, &turn.towards, &turn.towards) * energy
    }
}
