//! The inner products G (entry p, q: wₚ·w_q) of components that are weighted sums over points.
//! In: the outputs for a sample, and a step. Out: squared lengths, the energy that a code explains, gain and decay of
//! each component. The points are not read.
//! Method: `guide::mathematics`, "The inner products of components on points".
//! Cost: KEEP² numbers; at most KEEP³ + O(KEEP²) multiply-adds per step.

use crate::Scalar;
use crate::codec::stored;
use crate::hebbian::representation::{Instructions, Outputs};
use crate::hebbian::stability::Nudge;
use crate::spectrum::vector::dot;

/// The symmetric matrix G.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InnerProducts<T, const KEEP: usize> {
    table: [[T; KEEP]; KEEP],
}

impl<T: Scalar, const KEEP: usize> InnerProducts<T, KEEP> {
    pub(super) const fn new() -> Self {
        Self {
            table: [[T::ZERO; KEEP]; KEEP],
        }
    }

    pub(super) const fn from_table(table: [[T; KEEP]; KEEP]) -> Self {
        Self { table }
    }

    /// ‖wₚ‖² of each component; zero if rounding makes it negative.
    pub(super) fn norms_squared(&self) -> [T; KEEP] {
        let mut norms = [T::ZERO; KEEP];
        for p in 0..KEEP {
            norms[p] = T::ZERO.max(self.table[p][p]);
        }
        norms
    }

    /// Whether every entry is within ±`limit`; false if one is NaN.
    pub(super) fn are_within(&self, limit: T) -> bool {
        self.table.as_flattened().iter().all(|entry| entry.abs() <= limit)
    }

    /// The part of the energy of a sample that a code explains.
    pub(super) fn held(&self, outputs: &[T], code: &[T]) -> T {
        let mut held = T::TWO * dot(outputs, code);
        for (row, &entry) in self.table.iter().zip(code) {
            held -= entry * dot(row, code);
        }
        held
    }

    /// The gain and decay of each component.
    pub(super) fn nudges(&self, outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>) -> [Nudge<T>; KEEP] {
        let mut nudges = [Nudge::NONE; KEEP];
        let mut shares = [T::ZERO; KEEP];
        let mut energy = outputs.energy;
        for p in 0..KEEP {
            let drive = instructions.drives[p];
            nudges[p] = Nudge::new(instructions.rates[p], drive, energy.max(outputs.energy));
            // `along` is dₚ·wₚ, and `energy` is ‖dₚ‖².
            let along = outputs.values[p] - dot(&shares, &self.table[p]);
            shares[p] = instructions.deflation * drive;
            energy += shares[p] * (shares[p] * self.table[p][p] - T::TWO * along);
        }
        nudges
    }

    /// Applies a step to G. Returns the new outputs for the sample, without the term that the sample adds as a point.
    pub(super) fn learn(
        &mut self,
        outputs: &Outputs<T, KEEP>,
        nudges: &[Nudge<T>; KEEP],
        shares: &[T; KEEP],
    ) -> [T; KEEP] {
        let mut mixed = [[T::ZERO; KEEP]; KEEP]; // S·G, with the step w ← S·w + gain·φ(x)
        let mut moved = [T::ZERO; KEEP]; // S·y
        for p in 0..KEEP {
            let Nudge { gain, decay } = nudges[p];
            mixed[p] = self.table[p].map(|entry| decay * entry);
            moved[p] = decay * outputs.values[p];
            // Iterators are used, because indices j < p would leave a bounds check at opt-level z.
            for ((&share, &output), row) in shares.iter().zip(&outputs.values).zip(&self.table).take(p) {
                let factor = gain * share;
                moved[p] -= factor * output;
                for (entry, &other) in mixed[p].iter_mut().zip(row) {
                    *entry -= factor * other;
                }
            }
        }
        for p in 0..KEEP {
            for q in 0..KEEP {
                if q > p {
                    break;
                }
                // `get` is used, because an index q would leave a bounds check at opt-level z.
                let known = (nudges.get(q), mixed[p].get(q), moved.get(q));
                let (Some(&Nudge { gain, decay }), Some(&entry), Some(&along)) = known else {
                    break;
                };
                let mut entry = decay * entry;
                for (&share, &other) in shares.iter().zip(&mixed[p]).take(q) {
                    entry -= gain * share * other;
                }
                entry += moved[p] * gain + nudges[p].gain * (along + gain * outputs.energy);
                if let Some(place) = self.table[p].get_mut(q) {
                    *place = entry;
                }
                if let Some(row) = self.table.get_mut(q) {
                    row[p] = entry;
                }
            }
        }
        moved
    }

    /// Removes the terms of a point z from G. `length` is √k(z, z), and `features` are the outputs for z.
    pub(super) fn remove(&mut self, coefficients: &[T; KEEP], features: &[T; KEEP], length: T) {
        for p in 0..KEEP {
            let own = coefficients[p] * length;
            for q in 0..KEEP {
                if q > p {
                    break;
                }
                let entry = self.table[p][q] - coefficients[p] * features[q] - features[p] * coefficients[q]
                    + own * (coefficients[q] * length);
                self.table[p][q] = entry;
                self.table[q][p] = entry;
            }
        }
    }

    /// Makes one component `factor` times as long.
    pub(super) fn scale(&mut self, component: usize, factor: T) {
        for p in 0..KEEP {
            for q in 0..KEEP {
                if p == component {
                    self.table[p][q] *= factor;
                }
                if q == component {
                    self.table[p][q] *= factor;
                }
            }
        }
    }
}

stored!([T: Scalar, const KEEP: usize] InnerProducts<T, KEEP> as wrapper { table });
