//! GROUSE: L. Balzano, R. Nowak, B. Recht, *Online Identification and Tracking of Subspaces from Highly Incomplete
//! Information*, Allerton 2010.
//! The step is the greedy one of D. Zhang, L. Balzano, *Global Convergence of a Grassmannian Gradient Descent Algorithm
//! for Subspace Estimation*, AISTATS 2016, with a damped angle.
//! Method: w = Uᵀx, p = Uw, r = x − p, an angle θ with tan θ = damping · ‖r‖/‖p‖, and
//! U ← U + ((cos θ − 1)·p/‖p‖ + sin θ·r/‖r‖)·wᵀ/‖w‖.
//! Cost: about 3nk multiply-adds, a square root, three divisions.

use super::{Peer, TIDY_EVERY, first_units, split, tidy};
use eigenstream::Scalar;

/// The tracker.
pub struct Grouse<const DIM: usize, const KEEP: usize> {
    pub(super) basis: [[f32; DIM]; KEEP],
    damping: f32,
    seen: u32,
}

impl<const DIM: usize, const KEEP: usize> Grouse<DIM, KEEP> {
    /// Creates a tracker; the tangent of the angle of its steps is `damping` times that of the greedy step.
    pub const fn new(damping: f32) -> Self {
        Self {
            basis: first_units(),
            damping,
            seen: 0,
        }
    }
}

impl<const DIM: usize, const KEEP: usize> Peer<DIM> for Grouse<DIM, KEEP> {
    fn step(&mut self, sample: &[f32; DIM]) -> f32 {
        let (coordinates, outside) = split(&self.basis, sample);
        let inside: f32 = coordinates.iter().map(|entry| entry * entry).sum();
        if inside > 0.0 && outside > 0.0 {
            // With t = tan θ and ‖p‖ = ‖w‖: cos θ = 1/√(1 + t²), and sin θ/(‖r‖‖w‖) = damping · cos θ/‖w‖².
            let tangent_squared = self.damping * self.damping * outside / inside;
            let cosine = 1.0 / Scalar::sqrt(1.0 + tangent_squared);
            let share = 1.0 / inside;
            let across = self.damping * cosine * share;
            // Since r = x − p, the coefficient of p is (cos θ − 1)/‖p‖² − across.
            let along = (cosine - 1.0) * share - across;
            for channel in 0..DIM {
                let mut projected = 0.0;
                for row in 0..KEEP {
                    projected += coordinates[row] * self.basis[row][channel];
                }
                let turn = along * projected + across * sample[channel];
                for row in 0..KEEP {
                    self.basis[row][channel] += turn * coordinates[row];
                }
            }
        }
        self.seen += 1;
        if self.seen.is_multiple_of(TIDY_EVERY) {
            tidy(&mut self.basis);
        }
        outside
    }
}
