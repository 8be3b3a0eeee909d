//! Incremental singular value decomposition with forgetting: M. Brand, *Fast Low-Rank Modifications of the Thin
//! Singular Value Decomposition*, Linear Algebra and its Applications 415, 2006.
//! Method: S is the diagonal matrix of the singular values, c = Uᵀx, ρ = ‖x − Uc‖, V = eigenvectors of [βS² + ccᵀ, ρc;
//! ρcᵀ, ρ²], U ← first RANK columns of [U, (x − Uc)/ρ]·V. The subspace is the first KEEP directions.
//! Cost: about n·(RANK + 1)·(RANK + 2) multiply-adds and an eigenproblem of SIZE = RANK + 1 rows.

use super::low_rank::add;
use super::{Peer, TIDY_EVERY, first_units, split, tidy};

/// The tracker.
pub struct IncrementalSvd<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> {
    pub(super) basis: [[f32; DIM]; RANK],
    /// The squared singular values S².
    pub(super) values: [f32; RANK],
    /// The forgetting factor β.
    kept: f32,
    seen: u32,
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> IncrementalSvd<DIM, KEEP, RANK, SIZE> {
    /// Creates a tracker with a memory of 1/(1 − β) samples.
    pub const fn new(memory: f32) -> Self {
        const { assert!(KEEP <= RANK && SIZE == RANK + 1) }
        Self {
            basis: first_units(),
            values: [0.0; RANK],
            kept: 1.0 - 1.0 / memory,
            seen: 0,
        }
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> Peer<DIM>
    for IncrementalSvd<DIM, KEEP, RANK, SIZE>
{
    fn step(&mut self, sample: &[f32; DIM]) -> f32 {
        let (coordinates, outside) = split(&self.basis, sample);
        let mut loss = outside;
        for row in KEEP..RANK {
            loss += coordinates[row] * coordinates[row];
        }
        if sample.iter().any(|&entry| entry != 0.0) {
            self.values.iter_mut().for_each(|value| *value *= self.kept);
            let split = (&coordinates, outside);
            add::<DIM, RANK, SIZE>(&mut self.basis, &mut self.values, 1.0, sample, split);
        }
        self.seen += 1;
        if self.seen.is_multiple_of(TIDY_EVERY) {
            tidy(&mut self.basis);
        }
        loss
    }
}
