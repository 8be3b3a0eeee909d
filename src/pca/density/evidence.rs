//! The evidence matrix G = −log((DIM − KEEP)·W), stored as directions V and their evidence g. W is not stored: its
//! eigenvalues e⁻ᵍ/(DIM − KEEP) underflow if g is large.
//! Method: [WK08] Algorithm 5: G ← G + ηS; `weights::keeping` computes g from the eigenvalues of G; the ceiling limits
//! g.
//! Cost: an update is one eigendecomposition, (5/3)·DIM³ multiply-adds, and DIM²/2 for each direction of positive
//! evidence.

use super::share::Past;
use crate::codec::{stored, validate};
use crate::spectrum::functions::{compose, matrix_log};
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Eigen, PartialEigen, check_orthonormal, every_position, vector::dot};
use crate::weights::{Bulk, Keeping};
use crate::{CodecError, MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

#[derive(Clone, Debug)]
pub(super) struct DenseEvidence<T, const DIM: usize, const KEEP: usize> {
    /// The directions V, one per column, by descending evidence.
    directions: SMatrix<T, DIM, DIM>,
    /// `None` while W = I/DIM: a const constructor cannot compute the logarithm ln(DIM/(DIM − KEEP)).
    spectrum: Option<Spectrum<T, DIM>>,
    /// Scratch of the decomposition.
    eigen: PartialEigen<T, DIM>,
    /// Scratch: the matrix to decompose, or the directions that will replace V.
    workspace: SMatrix<T, DIM, DIM>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum<T, const DIM: usize> {
    /// The evidence g of each direction, descending and never negative.
    pub(super) evidence: [T; DIM],
    /// The drop probabilities e⁻ᵍ. Their sum is DIM − KEEP; a ceiling raises it by at most DIM·e^(−ceiling).
    pub(super) drops: [T; DIM],
}

impl<T: Scalar, const DIM: usize> Default for Spectrum<T, DIM> {
    fn default() -> Self {
        Self {
            evidence: [T::ZERO; DIM],
            drops: [T::ZERO; DIM],
        }
    }
}

impl<T: Scalar, const DIM: usize> Spectrum<T, DIM> {
    fn of(evidence: [T; DIM]) -> Self {
        let drops = evidence.map(|value| (-value).exp());
        Self { evidence, drops }
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> DenseEvidence<T, DIM, KEEP> {
    pub(super) const fn new() -> Self {
        Self {
            directions: SMatrix::from_array_storage(ArrayStorage(identity())),
            spectrum: None,
            eigen: PartialEigen::new(),
            workspace: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
        }
    }

    /// Returns to W = I/DIM, in place.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.spectrum = None;
    }

    /// Starts from a density matrix: eigenvalues above 1/(DIM − KEEP) are capped, and the others scaled up to trace
    /// one.
    pub(super) fn start_from(
        &mut self,
        density: &SMatrix<T, DIM, DIM>,
        eigen: &mut Eigen<T, DIM>,
    ) -> Result<(), MatrixError> {
        let _ = matrix_log(density, eigen, &mut self.workspace)?;
        self.negate_workspace();
        let _ = self.solve(T::INFINITY);
        Ok(())
    }

    pub(super) fn spectrum(&self) -> Spectrum<T, DIM> {
        self.spectrum.unwrap_or_else(|| {
            let drop = Self::mean_drop();
            Spectrum {
                evidence: [-drop.ln(); DIM],
                drops: [drop; DIM],
            }
        })
    }

    /// The directions, by descending evidence.
    pub(super) fn directions(&self) -> &[[T; DIM]; DIM] {
        &self.directions.data.0
    }

    /// Returns the coordinates Vᵀx of the sample x.
    pub(super) fn coordinates(&self, sample: &[T; DIM]) -> [T; DIM] {
        let mut coordinates = [T::ZERO; DIM];
        for (coordinate, direction) in coordinates.iter_mut().zip(self.directions()) {
            *coordinate = dot(direction, sample);
        }
        coordinates
    }

    pub(super) fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        let share = T::ONE / T::from_usize(DIM.saturating_sub(KEEP));
        let weights = self.spectrum().drops.map(|drop| drop * share);
        compose(&weights, &self.directions, density);
    }

    /// Makes the update, in which `add` adds ηS to the upper triangle of G; returns the increase of Σe⁻ᵍ by the
    /// ceiling.
    pub(super) fn update(&mut self, ceiling: T, add: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) -> T {
        compose(&self.spectrum().evidence, &self.directions, &mut self.workspace);
        add(&mut self.workspace);
        self.solve(ceiling)
    }

    /// Replaces W by (1−α)W + αI/DIM, with α = `part`.
    pub(super) fn share_uniformly(&mut self, part: T) {
        let rest = T::ONE - part;
        let uniform = part * Self::mean_drop();
        let shared = |drop: T| -(rest * drop + uniform).ln();
        self.spectrum = Some(Spectrum::of(self.spectrum().drops.map(shared)));
    }

    /// Adds (DIM − KEEP)·W to the mean of the past.
    pub(super) fn update_past(&self, past: &mut Past<T, DIM>) {
        past.update(&self.spectrum().drops, &self.directions);
    }

    /// Returns the evidence of the mixture (1−α)·(DIM − KEEP)·W + α·past with α = `part`; its directions stay in
    /// `workspace`.
    ///
    /// The eigenvalues of a decomposition have errors of about ε, too large for small drop probabilities. So only the
    /// directions v are taken from the decomposition, and their drop probability is (1−α) Σ dropⱼ(vⱼ·v)² + α·vᵀ past v,
    /// where nothing cancels.
    pub(super) fn mixed(&mut self, past: &Past<T, DIM>, part: T) -> [T; DIM] {
        let drops = self.spectrum().drops;
        compose(&drops, &self.directions, &mut self.workspace);
        past.mix_into(&mut self.workspace, part);
        // The solver sorts by descending eigenvalue, but drop probabilities must ascend.
        self.negate_workspace();
        self.decompose();
        let _ = self.eigen.vectors(&every_position::<DIM>(), &mut self.workspace);

        let mut evidence = [T::ZERO; DIM];
        let mut largest = T::MAX;
        for (evidence, mixed) in evidence.iter_mut().zip(&self.workspace.data.0) {
            let mut now = T::ZERO;
            for (&drop, direction) in drops.iter().zip(&self.directions.data.0) {
                let overlap = dot(direction, mixed);
                now += drop * overlap * overlap;
            }
            let drop = (T::ONE - part) * now + part * past.along(mixed);
            // `past` has an error of about ε, so `drop` is raised to at least `part`·ε. Despite rounding, `drop` must
            // not exceed one, and the evidence must stay in descending order.
            *evidence = (-drop.max(part * T::EPSILON).min(T::ONE).ln()).min(largest);
            largest = *evidence;
        }
        evidence
    }

    /// Stores what [`mixed`](Self::mixed) computed.
    pub(super) fn replace(&mut self, evidence: [T; DIM]) {
        self.directions.clone_from(&self.workspace);
        self.spectrum = Some(Spectrum::of(evidence));
    }

    /// The limit of the evidence and of a change of G, within which no eigenvalue overflows.
    pub(super) fn largest() -> T {
        T::MAX / T::from_usize(DIM.saturating_mul(4))
    }

    /// Sets g to max(0, λ − τ) for the eigenvalues λ of the workspace, limited to `ceiling` and
    /// [`largest`](Self::largest); returns the increase of Σe⁻ᵍ by these limits.
    fn solve(&mut self, ceiling: T) -> T {
        self.decompose();
        let _ = self.eigen.vectors(&every_position::<DIM>(), &mut self.directions);
        let [values] = self.eigen.values().data.0;
        let keeping = Keeping::of(&values, Bulk::NONE, T::ONE, KEEP);
        let ceiling = ceiling.min(Self::largest());
        let mut rise = T::ZERO;
        let evidence = values.map(|value| {
            let evidence = keeping.evidence(value);
            if evidence > ceiling {
                rise += (-ceiling).exp() - (-evidence).exp();
            }
            evidence.min(ceiling)
        });
        self.spectrum = Some(Spectrum::of(evidence));
        rise
    }

    fn decompose(&mut self) {
        // No error is possible: all entries are finite, see `largest`.
        let _ = self.eigen.decompose(&self.workspace);
    }

    fn negate_workspace(&mut self) {
        for entry in self.workspace.data.0.iter_mut().flatten() {
            *entry = -*entry;
        }
    }

    /// The drop probability of every direction at the start.
    fn mean_drop() -> T {
        T::from_usize(DIM.saturating_sub(KEEP)) / T::from_usize(DIM)
    }

    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, DIM)?;
        let Spectrum { evidence, drops } = self.spectrum();
        validate::probabilities(&drops)?;
        validate::within(Self::largest(), &evidence)
    }
}

stored!([T: Scalar, const DIM: usize] Spectrum<T, DIM> { evidence, drops });
stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize] DenseEvidence<T, DIM, KEEP> { directions, spectrum }
    renewed { eigen, workspace }
    if validate
);
