//! The full evidence matrix G = −log(d·W), stored as directions V and their evidence g. W is the density matrix, d = DIM − KEEP.
//! In: the matrix ηS that is added to G: η is the learning rate, S is x xᵀ of a sample x, or an instance matrix. Out: for each
//! direction the evidence g and the probability e⁻ᵍ that the direction is dropped.
//! Method: [WK08] Algorithm 5: G ← G + ηS, then the eigenvalues of G, then the rule of `weights::keeping`, which is the capping
//! of the papers: it subtracts a threshold τ from the eigenvalues. The ceiling is an upper limit of g. W is not stored, because
//! its eigenvalues e⁻ᵍ/d underflow if g is large.
//! Cost: an update is one eigendecomposition, (5/3)·DIM³ multiply-adds, and DIM²/2 for each direction of positive evidence.
//! Kept: DIM² + 2·DIM numbers and a flag; 2·DIM² + 4·DIM + 1 numbers of scratch, in the struct.

use super::share::Past;
use crate::codec::{stored, validate};
use crate::spectrum::functions::{compose, matrix_log};
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Eigen, PartialEigen, check_orthonormal, every_position, vector::dot};
use crate::weights::{Bulk, Keeping};
use crate::{CodecError, MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The evidence matrix G for `DIM` channels and `KEEP` kept directions.
#[derive(Clone, Debug)]
pub(super) struct DenseEvidence<T, const DIM: usize, const KEEP: usize> {
    /// V, one direction per column, by descending evidence.
    directions: SMatrix<T, DIM, DIM>,
    /// `None` at the start W⁰ = I/n: all evidence is then ln(n/d) with n = DIM, d = DIM − KEEP. A const constructor cannot
    /// compute this logarithm.
    spectrum: Option<Spectrum<T, DIM>>,
    /// Scratch: computes the next V and g.
    eigen: PartialEigen<T, DIM>,
    /// Scratch: the matrix to decompose, or the directions that will replace V.
    workspace: SMatrix<T, DIM, DIM>,
}

/// The evidence and the drop probability of each direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum<T, const DIM: usize> {
    /// g, descending and never negative.
    pub(super) evidence: [T; DIM],
    /// e⁻ᵍ = 1 − p, with the keep probability p: the eigenvalues of d·W. The sum is d, up to rounding; a ceiling raises it by at
    /// most DIM·e^(−ceiling).
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
    /// Starts from the density matrix W⁰ = I/n with n = DIM.
    pub(super) const fn new() -> Self {
        Self {
            directions: SMatrix::from_array_storage(ArrayStorage(identity())),
            spectrum: None,
            eigen: PartialEigen::new(),
            workspace: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
        }
    }

    /// Sets the density matrix W to I/n with n = DIM, in place.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.spectrum = None;
    }

    /// Starts from a given density matrix W⁰. The capping of [WK08] reduces eigenvalues above 1/d to 1/d, d = DIM − KEEP, and
    /// scales the others up by one factor, so that the trace is one. `eigen` is scratch. If W⁰ is refused, the evidence is
    /// unchanged.
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

    /// Returns evidence and drop probability of each direction.
    pub(super) fn spectrum(&self) -> Spectrum<T, DIM> {
        self.spectrum.unwrap_or_else(|| {
            let drop = Self::mean_drop();
            Spectrum {
                evidence: [-drop.ln(); DIM],
                drops: [drop; DIM],
            }
        })
    }

    /// Returns the directions by descending evidence.
    pub(super) fn directions(&self) -> &[[T; DIM]; DIM] {
        &self.directions.data.0
    }

    /// Returns the coordinates Vᵀx of a sample x.
    pub(super) fn coordinates(&self, sample: &[T; DIM]) -> [T; DIM] {
        let mut coordinates = [T::ZERO; DIM];
        for (coordinate, direction) in coordinates.iter_mut().zip(self.directions()) {
            *coordinate = dot(direction, sample);
        }
        coordinates
    }

    /// Writes the density matrix W = Σ (e⁻ᵍ/d) v vᵀ over all directions v with evidence g; d = DIM − KEEP.
    pub(super) fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        let share = T::ONE / T::from_usize(DIM.saturating_sub(KEEP));
        let weights = self.spectrum().drops.map(|drop| drop * share);
        compose(&weights, &self.directions, density);
    }

    /// Updates the evidence matrix G: `add` adds ηS to the upper triangle of G; then threshold and ceiling are applied to the
    /// eigenvalues g of G. Returns the increase of Σe⁻ᵍ that the ceiling causes.
    pub(super) fn update(&mut self, ceiling: T, add: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) -> T {
        compose(&self.spectrum().evidence, &self.directions, &mut self.workspace);
        add(&mut self.workspace);
        self.solve(ceiling)
    }

    /// W ← (1−α)W + αI/n for the density matrix W, with α = `part` and n = DIM.
    pub(super) fn share_uniformly(&mut self, part: T) {
        let rest = T::ONE - part;
        let uniform = part * Self::mean_drop();
        let shared = |drop: T| -(rest * drop + uniform).ln();
        self.spectrum = Some(Spectrum::of(self.spectrum().drops.map(shared)));
    }

    /// Adds d·W to `past`, the mean of earlier d·W; W is the density matrix and d = DIM − KEEP.
    pub(super) fn update_past(&self, past: &mut Past<T, DIM>) {
        past.update(&self.spectrum().drops, &self.directions);
    }

    /// Returns the evidence of the mixture (1−α)·d·W + α·past with α = `part`. W is the density matrix, d = DIM − KEEP, and
    /// `past` is the mean of earlier d·W. The directions of the mixture stay in `workspace` until `replace` copies them to V.
    ///
    /// The eigenvalues of the mixture are drop probabilities. Computed by a decomposition they have an error of about ε, too
    /// large for eigenvalues that consist mainly of the term α·past. So the decomposition is used only for the directions v of
    /// the mixture. vⱼ and dropⱼ are the directions and drop probabilities before the mixing. The drop probability of v is
    /// (1−α) Σ dropⱼ(vⱼ·v)² + α·vᵀ past v, limited to α·ε … 1. In the sum over j nothing cancels.
    pub(super) fn mixed(&mut self, past: &Past<T, DIM>, part: T) -> [T; DIM] {
        let drops = self.spectrum().drops;
        compose(&drops, &self.directions, &mut self.workspace);
        past.mix_into(&mut self.workspace, part);
        // The solver sorts eigenvalues in descending order, but drop probabilities must ascend. So decompose the negative matrix.
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
            // `past` has an error of about ε, so `drop` is raised to at least `part`·ε. Rounding could make `drop` larger than
            // one, so `drop` is limited to one. Rounding could break the descending order of the evidence, so each evidence is
            // limited to the evidence of the direction before.
            *evidence = (-drop.max(part * T::EPSILON).min(T::ONE).ln()).min(largest);
            largest = *evidence;
        }
        evidence
    }

    /// Stores the evidence and the directions that [`mixed`](Self::mixed) computed.
    pub(super) fn replace(&mut self, evidence: [T; DIM]) {
        for (direction, mixed) in self.directions.data.0.iter_mut().zip(&self.workspace.data.0) {
            *direction = *mixed;
        }
        self.spectrum = Some(Spectrum::of(evidence));
    }

    /// Returns MAX/(4·DIM): the limit of the evidence, and of the change of G by one update. Within this limit no eigenvalue
    /// overflows.
    pub(super) fn largest() -> T {
        T::MAX / T::from_usize(DIM.saturating_mul(4))
    }

    /// Sets the evidence g to max(0, λ − τ) for the eigenvalues λ of the workspace. The threshold τ makes the keep probabilities
    /// 1 − e⁻ᵍ sum to KEEP, [WK08] Algorithm 4. Then limits g to `ceiling` and to [`largest`](Self::largest). Returns the
    /// increase of Σe⁻ᵍ that these limits cause.
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
        // All entries are finite (see `largest`), so `decompose` returns no error. A result of lower accuracy is accepted.
        let _ = self.eigen.decompose(&self.workspace);
    }

    fn negate_workspace(&mut self) {
        for entry in self.workspace.data.0.iter_mut().flatten() {
            *entry = -*entry;
        }
    }

    /// Returns (DIM − KEEP)/DIM, the drop probability of every direction at the start.
    fn mean_drop() -> T {
        T::from_usize(DIM.saturating_sub(KEEP)) / T::from_usize(DIM)
    }
}

stored!([T: Scalar, const DIM: usize] Spectrum<T, DIM> { evidence, drops });
stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize] DenseEvidence<T, DIM, KEEP> { directions, spectrum }
    renewed { eigen, workspace }
    if validate
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> DenseEvidence<T, DIM, KEEP> {
    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, DIM)?;
        let Spectrum { evidence, drops } = self.spectrum();
        validate::probabilities(&drops)?;
        validate::within(Self::largest(), &evidence)
    }
}
