//! K. Abed-Meraim, A. Chkeif, Y. Hua, *Fast Orthonormal PAST Algorithm*, IEEE Signal Processing Letters 7, 2000.
//! Method, with the directions W as columns, the forgetting factor β and the inverse correlation Z of y: y = Wᵀx, q =
//! Zy/β, γ = 1/(1 + yᵀq), p = γ(x − Wy), τ = (1/√(1 + ‖p‖²‖q‖²) − 1)/‖q‖², p′ = τWq + (1 + τ‖q‖²)p, Z ← Z/β − γqqᵀ, W ←
//! W + p′qᵀ.
//! Not in the paper: the trace of Z is bounded.
//! Cost: about 3nk multiply-adds, a square root, two divisions.

use super::{Peer, TIDY_EVERY, first_units, split, tidy};
use eigenstream::Scalar;

/// The tracker.
pub struct Opast<const DIM: usize, const KEEP: usize> {
    pub(super) basis: [[f32; DIM]; KEEP],
    /// The inverse correlation Z.
    inverse: [[f32; KEEP]; KEEP],
    /// 1/β, where β is the forgetting factor.
    growth: f32,
    seen: u32,
}

impl<const DIM: usize, const KEEP: usize> Opast<DIM, KEEP> {
    /// Largest trace of Z; it belongs to a correlation of 10⁻⁴ along each direction.
    const LARGEST: f32 = 1e4 * KEEP as f32;

    /// Creates a tracker with a memory of 1/(1 − β) samples.
    pub fn new(memory: f32) -> Self {
        let mut inverse = [[0.0; KEEP]; KEEP];
        for row in 0..KEEP {
            inverse[row][row] = 1.0;
        }
        Self {
            basis: first_units(),
            inverse,
            growth: memory / (memory - 1.0),
            seen: 0,
        }
    }
}

impl<const DIM: usize, const KEEP: usize> Peer<DIM> for Opast<DIM, KEEP> {
    fn step(&mut self, sample: &[f32; DIM]) -> f32 {
        // The coordinates y, and the energy ‖x − Wy‖² outside of the directions.
        let (coordinates, outside) = split(&self.basis, sample);
        let mut gain = [0.0; KEEP];
        let (mut product, mut gain_energy) = (0.0, 0.0);
        for row in 0..KEEP {
            for column in 0..KEEP {
                gain[row] += self.inverse[row][column] * coordinates[column];
            }
            gain[row] *= self.growth;
            product += coordinates[row] * gain[row];
            gain_energy += gain[row] * gain[row];
        }
        let gamma = 1.0 / (1.0 + product);
        // ‖p‖² = γ²‖x − Wy‖². With s = √(1 + ‖p‖²‖q‖²), τ = −‖p‖²/(s(1 + s)) needs no division by ‖q‖².
        let energy = gamma * gamma * outside;
        let root = Scalar::sqrt(1.0 + energy * gain_energy);
        let tau = -energy / (root * (1.0 + root));
        let outer = gamma * (1.0 + tau * gain_energy);
        let mut mixed = [0.0; KEEP];
        for row in 0..KEEP {
            mixed[row] = tau * gain[row] - outer * coordinates[row];
        }
        for channel in 0..DIM {
            // `turn` is an entry of p′ = τWq + outer·(x − Wy); one sum over the directions gives both products with W.
            let mut turn = outer * sample[channel];
            for row in 0..KEEP {
                turn += mixed[row] * self.basis[row][channel];
            }
            for row in 0..KEEP {
                self.basis[row][channel] += turn * gain[row];
            }
        }
        let mut trace = 0.0;
        for row in 0..KEEP {
            // Computes one triangle and mirrors it: a difference between the two would grow by the factor 1/β per
            // sample.
            for column in row..KEEP {
                let entry = self.growth * self.inverse[row][column] - gamma * gain[row] * gain[column];
                self.inverse[row][column] = entry;
                self.inverse[column][row] = entry;
            }
            trace += self.inverse[row][row];
        }
        if trace > Self::LARGEST {
            let scale = Self::LARGEST / trace;
            self.inverse.iter_mut().flatten().for_each(|entry| *entry *= scale);
        }
        self.seen += 1;
        if self.seen.is_multiple_of(TIDY_EVERY) {
            tidy(&mut self.basis);
        }
        outside
    }
}
