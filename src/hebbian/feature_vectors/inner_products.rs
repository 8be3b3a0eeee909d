//! The inner products G of components (entry p, q: wₚ·w_q) that are stored only as expansions.
//! In: the step of the components. Out: the lengths of the components, and the energy that they leave of a sample, without
//! access to the points.
//! Method: a step w′ₚ = Σⱼ Sₚⱼwⱼ + gₚφ(x) gives G′ = S·G·Sᵀ + (Sy)gᵀ + g(Sy)ᵀ + ggᵀ·k(x, x) with yⱼ = wⱼ·φ(x); S is lower
//! triangular. The removal of a point z with coefficients b gives G − b·fᵀ − f·bᵀ + bbᵀ·k(z, z) with fₚ = wₚ·φ(z).
//! Cost: KEEP² numbers; KEEP³ + O(KEEP²) multiply-adds per step. Computing G from the points takes a kernel value for each
//! pair of points.

use crate::Scalar;
use crate::codec::stored;
use crate::hebbian::representation::{Instructions, Outputs};
use crate::hebbian::stability::Nudge;
use crate::spectrum::vector::dot;

/// G, symmetric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InnerProducts<T, const KEEP: usize> {
    table: [[T; KEEP]; KEEP],
}

impl<T: Scalar, const KEEP: usize> InnerProducts<T, KEEP> {
    /// The inner products of components that are zero.
    pub(super) const fn new() -> Self {
        Self {
            table: [[T::ZERO; KEEP]; KEEP],
        }
    }

    pub(super) const fn from_table(table: [[T; KEEP]; KEEP]) -> Self {
        Self { table }
    }

    /// ‖wₚ‖² of each component.
    pub(super) fn norms_squared(&self) -> [T; KEEP] {
        let mut norms = [T::ZERO; KEEP];
        for p in 0..KEEP {
            norms[p] = T::ZERO.max(self.table[p][p]);
        }
        norms
    }

    /// All inner products, each pair twice.
    pub(super) fn entries(&self) -> impl Iterator<Item = &T> {
        self.table.as_flattened().iter()
    }

    /// 2·Σ codeₚyₚ − Σ codeₚcode_q·G_pq: the part of k(x, x) that a code explains when φ(x) is rebuilt from the code.
    pub(super) fn held(&self, outputs: &[T], code: &[T]) -> T {
        let mut held = T::TWO * dot(outputs, code);
        for (row, &entry) in self.table.iter().zip(code) {
            held -= entry * dot(row, code);
        }
        held
    }

    /// The steps for the instructions: component p learns from dₚ = φ(x) − β·Σ_{j<p} yⱼwⱼ. The energy of dₚ limits the step.
    pub(super) fn nudges(&self, outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>) -> [Nudge<T>; KEEP] {
        let mut nudges = [Nudge::NONE; KEEP];
        let mut shares = [T::ZERO; KEEP];
        let mut energy = outputs.energy;
        for p in 0..KEEP {
            let drive = instructions.drives[p];
            nudges[p] = Nudge::new(instructions.rates[p], drive, energy.max(outputs.energy));
            // With s = `shares`: ‖d − s·w‖² = ‖d‖² − 2s·(d·w) + s²‖w‖², d·w = y − Σ sⱼ·G.
            let along = outputs.values[p] - dot(&shares, &self.table[p]);
            shares[p] = instructions.deflation * drive;
            energy += shares[p] * (shares[p] * self.table[p][p] - T::TWO * along);
        }
        nudges
    }

    /// Updates G for a step. Returns S·y: the outputs of the new weights without the new point.
    pub(super) fn learn(
        &mut self,
        outputs: &Outputs<T, KEEP>,
        nudges: &[Nudge<T>; KEEP],
        shares: &[T; KEEP],
    ) -> [T; KEEP] {
        let mut mixed = [[T::ZERO; KEEP]; KEEP]; // S·G
        let mut moved = [T::ZERO; KEEP]; // S·y
        for p in 0..KEEP {
            let Nudge { gain, decay } = nudges[p];
            mixed[p] = self.table[p].map(|entry| decay * entry);
            moved[p] = decay * outputs.values[p];
            for j in 0..p {
                let factor = gain * shares[j];
                moved[p] -= factor * outputs.values[j];
                for q in 0..KEEP {
                    mixed[p][q] -= factor * self.table[j][q];
                }
            }
        }
        for p in 0..KEEP {
            for q in 0..KEEP {
                if q > p {
                    break;
                }
                let Nudge { gain, decay } = nudges[q];
                let mut entry = decay * mixed[p][q];
                for j in 0..q {
                    entry -= gain * shares[j] * mixed[p][j];
                }
                entry += moved[p] * gain + nudges[p].gain * (moved[q] + gain * outputs.energy);
                self.table[p][q] = entry;
                self.table[q][p] = entry;
            }
        }
        moved
    }

    /// Removes a point of this length; `features` are the outputs of the components at the point, wₚ·φ(z).
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

    /// Updates G for one component that becomes `factor` times as long.
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
