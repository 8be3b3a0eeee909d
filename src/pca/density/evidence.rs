//! The evidence matrix G = −log(d·W) of a learner that keeps all of it, as directions V and their evidence g.
//! In: what a sample or an instance matrix adds to G. Out: for each direction, its evidence and the probability e⁻ᵍ that it is
//! dropped.
//! Method: [WK08] Algorithm 5: G ← G + ηS, eigenvalues, and the rule of `weights::keeping` on them, which is the papers' capping.
//! W itself is never kept: its eigenvalues underflow within a few dozen samples.
//! Cost: an update is one eigendecomposition, (5/3)·DIM³ multiply-adds, and DIM²/2 for each direction of positive evidence.
//! Kept: DIM² + 2·DIM numbers and a flag; 2·DIM² + 4·DIM + 1 of scratch, in the struct.

use super::share::Past;
use crate::codec::{stored, validate};
use crate::spectrum::functions::{compose, matrix_log};
use crate::spectrum::symmetric::{identity, set_identity};
use crate::spectrum::{Eigen, PartialEigen, check_orthonormal, every_position, vector::dot};
use crate::weights::{Bulk, Keeping};
use crate::{CodecError, MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// G, for `DIM` channels of which `KEEP` directions are kept.
#[derive(Clone, Debug)]
pub(super) struct DenseEvidence<T, const DIM: usize, const KEEP: usize> {
    /// V, one direction a column, in the order of the evidence.
    directions: SMatrix<T, DIM, DIM>,
    /// `None` at the start, W⁰ = I/n: a const constructor cannot compute ln(n/d).
    spectrum: Option<Spectrum<T, DIM>>,
    /// Scratch: finds the next V and g.
    eigen: PartialEigen<T, DIM>,
    /// Scratch: the matrix that is being decomposed, or the directions that are about to replace V.
    workspace: SMatrix<T, DIM, DIM>,
}

/// The evidence and the drop probability of each direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum<T, const DIM: usize> {
    /// g, descending and never negative.
    pub(super) evidence: [T; DIM],
    /// e⁻ᵍ = 1 − p, in units of which W has d eigenvalues' worth: they sum to d.
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
    /// W⁰ = I/n.
    pub(super) const fn new() -> Self {
        Self {
            directions: SMatrix::from_array_storage(ArrayStorage(identity())),
            spectrum: None,
            eigen: PartialEigen::new(),
            workspace: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
        }
    }

    /// Back to W⁰ = I/n, in place.
    pub(super) fn reset(&mut self) {
        set_identity(&mut self.directions);
        self.spectrum = None;
    }

    /// Starts from a given W⁰, capped; `eigen` is scratch. A refused one leaves everything as it was.
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

    /// Evidence and drop probability of each direction.
    pub(super) fn spectrum(&self) -> Spectrum<T, DIM> {
        self.spectrum.unwrap_or_else(|| {
            let drop = Self::mean_drop();
            Spectrum {
                evidence: [-drop.ln(); DIM],
                drops: [drop; DIM],
            }
        })
    }

    /// The directions, the one of most evidence first.
    pub(super) fn directions(&self) -> &[[T; DIM]; DIM] {
        &self.directions.data.0
    }

    /// Vᵀx.
    pub(super) fn coordinates(&self, sample: &[T; DIM]) -> [T; DIM] {
        let mut coordinates = [T::ZERO; DIM];
        for (coordinate, direction) in coordinates.iter_mut().zip(self.directions()) {
            *coordinate = dot(direction, sample);
        }
        coordinates
    }

    /// Writes W = Σ (e⁻ᵍ/d) v vᵀ.
    pub(super) fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        let share = T::ONE / T::from_usize(DIM.saturating_sub(KEEP));
        let weights = self.spectrum().drops.map(|drop| drop * share);
        compose(&weights, &self.directions, density);
    }

    /// G ← G + the terms that `add` adds to the upper triangle of the matrix it is given; then threshold and ceiling. Returns the rise
    /// of Σe⁻ᵍ by the ceiling.
    pub(super) fn update(&mut self, ceiling: T, add: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) -> T {
        compose(&self.spectrum().evidence, &self.directions, &mut self.workspace);
        add(&mut self.workspace);
        self.solve(ceiling)
    }

    /// W ← (1−α)W + αI/n.
    pub(super) fn share_uniformly(&mut self, part: T) {
        let rest = T::ONE - part;
        let uniform = part * Self::mean_drop();
        let shared = |drop: T| -(rest * drop + uniform).ln();
        self.spectrum = Some(Spectrum::of(self.spectrum().drops.map(shared)));
    }

    /// Takes W into the mean of the past.
    pub(super) fn update_past(&self, past: &mut Past<T, DIM>) {
        past.update(&self.spectrum().drops, &self.directions);
    }

    /// The evidence that W ← (1−α)W + α·past would have; its directions stand in the workspace until `replace` moves them to V.
    ///
    /// Eigenvalues of W come out with an error of ε, too much for the small ones, of which α may be all there is. So only the
    /// directions are taken from W, and the drop probability of each is (1−α) Σ dropⱼ(vⱼ·v)² + α·vᵀ past v, which cancels nothing.
    pub(super) fn mixed(&mut self, past: &Past<T, DIM>, part: T) -> [T; DIM] {
        let drops = self.spectrum().drops;
        compose(&drops, &self.directions, &mut self.workspace);
        past.mix_into(&mut self.workspace, part);
        // Eigenvalues come out descending, drop probabilities ascend.
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
            // The past is known to ε. Rounding must neither exceed one nor change the order.
            *evidence = (-drop.max(part * T::EPSILON).min(T::ONE).ln()).min(largest);
            largest = *evidence;
        }
        evidence
    }

    /// Takes over what [`mixed`](Self::mixed) found.
    pub(super) fn replace(&mut self, evidence: [T; DIM]) {
        for (direction, mixed) in self.directions.data.0.iter_mut().zip(&self.workspace.data.0) {
            *direction = *mixed;
        }
        self.spectrum = Some(Spectrum::of(evidence));
    }

    /// The largest change of G, and the largest evidence, with which no eigenvalue overflows.
    pub(super) fn largest() -> T {
        T::MAX / T::from_usize(DIM.saturating_mul(4))
    }

    /// Sets g to max(0, λ − τ) for the eigenvalues λ of the workspace, [WK08] Algorithm 4, and to `ceiling` at most. Returns the rise
    /// of Σe⁻ᵍ by the ceiling.
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
        // All entries are finite (`largest`), so nothing is refused; and the best answer there is will do.
        let _ = self.eigen.decompose(&self.workspace);
    }

    fn negate_workspace(&mut self) {
        for entry in self.workspace.data.0.iter_mut().flatten() {
            *entry = -*entry;
        }
    }

    /// d/n.
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
