//! R. Arora, A. Cotter, N. Srebro, *Stochastic Optimization of PCA with Capped MSG*, NIPS 2013.
//! Method: P = U·diag(σ)·Uᵀ with RANK directions and their weights σ. A step projects P + ηxxᵀ onto the matrices with
//! 0 ≤ σ ≤ 1 and the sum KEEP of all σ: it decomposes diag(σ, 0) + η·(c, ρ)(c, ρ)ᵀ, drops the smallest direction,
//! shifts all σ and clips them. The loss is ‖x‖² − xᵀPx, the expected loss of a random subspace. Symbols: `mod.rs`.
//! Cost: about n·(RANK + 1)·(RANK + 2) multiply-adds and an eigenproblem of SIZE = RANK + 1 rows.

use super::low_rank::add;
use super::{Peer, TIDY_EVERY, first_units, split, tidy};
use eigenstream::Scalar;

/// The tracker.
pub struct CappedMsg<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> {
    pub(super) basis: [[f32; DIM]; RANK],
    /// The weights σ.
    pub(super) weights: [f32; RANK],
    rate: f32,
    seen: u32,
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> CappedMsg<DIM, KEEP, RANK, SIZE> {
    /// Creates a tracker with the rate η.
    pub fn new(rate: f32) -> Self {
        const { assert!(KEEP < RANK && SIZE == RANK + 1) }
        let mut weights = [0.0; RANK];
        for weight in weights.iter_mut().take(KEEP) {
            *weight = 1.0;
        }
        Self {
            basis: first_units(),
            weights,
            rate,
            seen: 0,
        }
    }

    /// Shifts all weights by the number s for which their sum, after a clip to 0..1, is KEEP.
    ///
    /// The weights are sorted: the first `ones` become 1, the next `free` move by s, the rest become 0. The loop finds
    /// the counts that agree with the s computed from them.
    fn project(&mut self) {
        let mut shift = 0.0;
        'found: for ones in 0..RANK {
            let mut sum = 0.0;
            for last in ones..RANK {
                sum += self.weights[last];
                let free = last - ones + 1;
                shift = ((KEEP - ones.min(KEEP)) as f32 - sum) / free as f32;
                let moved = |place: usize| self.weights.get(place).map(|weight| weight + shift);
                let above = ones.checked_sub(1).and_then(moved).is_none_or(|weight| weight >= 1.0);
                let below = moved(last + 1).is_none_or(|weight| weight <= 0.0);
                let inside =
                    moved(ones).is_some_and(|weight| weight <= 1.0) && moved(last).is_some_and(|weight| weight >= 0.0);
                if above && inside && below && ones <= KEEP {
                    break 'found;
                }
            }
        }
        for weight in &mut self.weights {
            *weight = Scalar::min(Scalar::max(*weight + shift, 0.0), 1.0);
        }
    }
}

impl<const DIM: usize, const KEEP: usize, const RANK: usize, const SIZE: usize> Peer<DIM>
    for CappedMsg<DIM, KEEP, RANK, SIZE>
{
    fn step(&mut self, sample: &[f32; DIM]) -> f32 {
        let (coordinates, outside) = split(&self.basis, sample);
        let mut loss = outside;
        for row in 0..RANK {
            loss += (1.0 - self.weights[row]) * coordinates[row] * coordinates[row];
        }
        if sample.iter().any(|&entry| entry != 0.0) {
            let split = (&coordinates, outside);
            add::<DIM, RANK, SIZE>(&mut self.basis, &mut self.weights, self.rate, sample, split);
            self.project();
        }
        self.seen += 1;
        if self.seen.is_multiple_of(TIDY_EVERY) {
            tidy(&mut self.basis);
        }
        loss
    }
}
