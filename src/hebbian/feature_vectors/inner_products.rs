//! The inner products G of components (entry p, q: wₚ·w_q) that are stored only as expansions (weighted sums over points).
//! In: the outputs for a sample, and the learning step of the components. Out: the squared lengths of the components, the part of
//! a sample's energy that a code explains, and gain and decay of each component (see `stability`). The points are not read.
//! Method: a step of component p on a sample x is w′ₚ = Σⱼ Sₚⱼwⱼ + gₚφ(x), with the gain gₚ. The matrix S is lower triangular:
//! the decays are on the diagonal, and below it Sₚⱼ = −gₚ·sharesⱼ. sharesⱼ is the deflation factor times the drive (see
//! `Instructions`) of component j. With the outputs yⱼ = wⱼ·φ(x) and the kernel k, the step gives
//! G′ = S·G·Sᵀ + (Sy)gᵀ + g(Sy)ᵀ + ggᵀ·k(x, x). The removal of a point z with the coefficients b and the outputs fₚ = wₚ·φ(z)
//! gives G − b·fᵀ − f·bᵀ + bbᵀ·k(z, z).
//! Cost: KEEP² numbers; at most KEEP³ + O(KEEP²) multiply-adds per step. Computing G from the points takes a kernel value for
//! each pair of points.

use crate::Scalar;
use crate::codec::stored;
use crate::hebbian::representation::{Instructions, Outputs};
use crate::hebbian::stability::Nudge;
use crate::spectrum::vector::dot;

/// The matrix G of the inner products wₚ·w_q of all components; symmetric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InnerProducts<T, const KEEP: usize> {
    table: [[T; KEEP]; KEEP],
}

impl<T: Scalar, const KEEP: usize> InnerProducts<T, KEEP> {
    /// The inner products of components that are zero: all entries are zero.
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

    /// Whether all entries of the matrix G of inner products are within ±`limit`; false if an entry is NaN.
    pub(super) fn are_within(&self, limit: T) -> bool {
        self.table.as_flattened().iter().all(|entry| entry.abs() <= limit)
    }

    /// Returns the part of the energy k(x, x) that a code explains: k(x, x) − ‖φ(x) − Σ codeₚwₚ‖². With yₚ = wₚ·φ(x), the
    /// `outputs`, and G_pq = wₚ·w_q this is 2·Σ codeₚyₚ − Σ codeₚcode_q·G_pq.
    pub(super) fn held(&self, outputs: &[T], code: &[T]) -> T {
        let mut held = T::TWO * dot(outputs, code);
        for (row, &entry) in self.table.iter().zip(code) {
            held -= entry * dot(row, code);
        }
        held
    }

    /// Computes the step of each component. sharesⱼ is the deflation factor times the drive of component j. Component p learns
    /// from dₚ = φ(x) − Σ_{j<p} sharesⱼwⱼ. The larger of ‖dₚ‖² and k(x, x) is the energy that limits its step (`Nudge::new`).
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

    /// Updates the inner products G for a step w′ = S·w + gain·φ(x). The matrix S contains the decays of `nudges` on the diagonal
    /// and −gainₚ·sharesⱼ below. Returns S·y (y: outputs): the outputs of the new weights for the sample x, without the part of
    /// the new point φ(x).
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
            // Iterators: indices j < p leave a bounds check at opt-level z.
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
                // `get`: an index q leaves a bounds check at opt-level z.
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

    /// Updates the inner products G for the removal of a point z with √k(z, z) = `length`. `features` are the outputs wₚ·φ(z) of
    /// the components at this point.
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

    /// Updates the inner products G for one component that becomes `factor` times as long.
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
