//! The inner products G of components (entry p, q: wₚ·w_q) that are stored only as expansions (weighted sums over points).
//! In: the learning step of the components. Out: the lengths of the components, and the energy of a sample that the components do
//! not explain. The points are not read.
//! Method: a step w′ₚ = Σⱼ Sₚⱼwⱼ + gₚφ(x) gives G′ = S·G·Sᵀ + (Sy)gᵀ + g(Sy)ᵀ + ggᵀ·k(x, x) with the output yⱼ = wⱼ·φ(x) and the
//! kernel k; S is lower triangular, and gₚ is the gain of the step. The removal of a point z with coefficients b gives
//! G − b·fᵀ − f·bᵀ + bbᵀ·k(z, z) with fₚ = wₚ·φ(z).
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
    /// Creates G for components that are zero.
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

    /// All entries of G; an entry for p ≠ q occurs twice.
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

    /// Computes the step of each component. Component p learns from dₚ = φ(x) − Σ_{j<p} sharesⱼwⱼ, and the energy of dₚ limits
    /// its step. sharesⱼ is the deflation factor times the drive of component j.
    pub(super) fn nudges(&self, outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>) -> [Nudge<T>; KEEP] {
        let mut nudges = [Nudge::NONE; KEEP];
        let mut shares = [T::ZERO; KEEP];
        let mut energy = outputs.energy;
        for p in 0..KEEP {
            let drive = instructions.drives[p];
            nudges[p] = Nudge::new(instructions.rates[p], drive, energy.max(outputs.energy));
            // `energy` is ‖dₚ‖². With s = `shares[p]`, w = wₚ: ‖dₚ − s·w‖² = ‖dₚ‖² − 2s·(dₚ·w) + s²‖w‖², and
            // dₚ·w = yₚ − Σ_{j<p} sharesⱼ·Gⱼₚ.
            let along = outputs.values[p] - dot(&shares, &self.table[p]);
            shares[p] = instructions.deflation * drive;
            energy += shares[p] * (shares[p] * self.table[p][p] - T::TWO * along);
        }
        nudges
    }

    /// Updates G for a step. Returns S·y: the outputs of the new weights, without the part of the new point.
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

    /// Updates G for the removal of a point z with √k(z, z) = `length`. `features` are the outputs of the components at this
    /// point, wₚ·φ(z).
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
