//! Online PCA that follows a changing subspace: [WK08] Algorithm 5, [KW07] Algorithm 3, in low-rank form.
//! `evidence` stores the evidence matrix G = −ln((DIM − KEEP)·W). A trial (`trial`) checks and splits the sample, draws,
//! computes code and losses, and learns.
//!
//! - rank cap: if RANK directions would stay stored after a sample and RANK < DIM, the last one joins the bulk, and its
//!   evidence minus that of the bulk is subtracted from the evidence of all other stored directions.
//! - merging: a stored direction whose evidence is nearly that of the bulk joins the bulk.
//! - ceiling: the upper limit of evidence. Share: a part α of the trace of W, distributed evenly over all directions.
//! - excess: what rank cap, ceiling and merging have added to D, a term of the bound ([WK08] Theorem 6, proved in
//!   `bounds::certificate`).
//!
//! Cost: O(DIM·r²) to learn a sample, with r stored directions, usually KEEP or KEEP + 1.

mod contested;
mod evidence;
mod glance;
mod learned;
mod merge;
mod rotation;
mod settings;
mod split;
mod start;
mod steady;
mod trial;

pub(super) use rotation::rotate;
pub use settings::TrackingSettings;
pub(super) use split::Split;

use super::projection::{as_columns, reconstruct};
use crate::codec::{stored, validate};
use crate::learner::{energy_of, own_verbs};
use crate::rand_core::Rng;
use crate::spectrum::{
    symmetric::{add_diagonal, add_outer, clear, mirror},
    vector::{add_scaled, any_length, any_length_mut, dot, scale, stay_rolled},
};
use crate::weights::{ByCorners, Systematic};
use crate::{CodecError, EnergyScale, Learner, SampleError, Scalar, Trial};
use evidence::Evidence;
use nalgebra::{SMatrix, SVector};

/// Online PCA on `DIM` channels that keeps `KEEP` directions and stores at most `RANK`.
///
/// A direction with the evidence g is kept with probability 1 − e⁻ᵍ; all directions that are not stored share one
/// evidence. With `RANK` = `DIM`, no ceiling, no share and no scale, this is \[WK08\] Algorithm 5.
///
/// A smaller `RANK`, at least `KEEP` + 2, saves memory: at most `RANK` − 1 directions stay stored after a sample. If
/// one more would stay, the rank cap removes the one with the least evidence, and subtracts this evidence, minus that
/// of the directions not stored, from the others. In our measurements `RANK` = 2·`KEEP` + 2 loses hardly more than
/// `RANK` = `DIM`. A direction with less than about 1/`RANK` of the energy can be missed.
///
/// Bound: without share and scale, the total expected loss on every stream with ‖x‖² ≤ 1 is at most (ηL* + D + E)/(1 −
/// e^−η). L* is the loss of the best subspace, D = d·ln(`DIM`/d) with d = `DIM` − `KEEP`, and E the
/// [`excess`](Self::excess). [`Bounds`](crate::bounds::Bounds) computes the bound, also with share and scale. The bound
/// assumes exact arithmetic; for `f32` see [`TrackingSettings::without_ceiling`].
///
/// ```
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
/// use eigenstream::rand_core::SeedableRng;
///
/// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// for _ in 0..20 {
///     pca.step(&[0.6, 0.0, 0.8], &mut rng)?;
/// }
/// // A sample along the learned direction loses almost nothing. A sample orthogonal to that direction loses almost everything.
/// assert!(pca.score(&[0.6, 0.0, 0.8])? < 1e-3);
/// assert!(pca.score(&[0.0, 1.0, 0.0])? > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
///
/// Invalid sizes do not compile. Here `KEEP` = `DIM`:
/// ```compile_fail,E0080
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
/// let pca = TrackingPca::<f32, 3, 3, 3>::new(TrackingSettings::DEFAULT);
/// ```
#[derive(Clone, Debug)]
pub struct TrackingPca<T, const DIM: usize, const KEEP: usize, const RANK: usize> {
    settings: TrackingSettings<T>,
    scale: EnergyScale<T>,
    evidence: Evidence<T, DIM, RANK>,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// A learner that has seen no sample: every direction is kept with probability `KEEP`/`DIM`.
    #[must_use]
    pub const fn new(settings: TrackingSettings<T>) -> Self {
        const {
            assert!(KEEP > 0, "keep at least one direction");
            assert!(KEEP < DIM, "keeping every direction leaves nothing to learn");
            assert!(RANK <= DIM, "there are no more directions than channels");
            assert!(
                RANK == DIM || RANK >= KEEP + 2,
                "RANK needs room for KEEP directions, one in doubt and one new"
            );
        }
        Self {
            settings,
            scale: EnergyScale::new(settings.scale),
            evidence: Evidence::new(),
            samples_seen: 0,
        }
    }

    /// One trial: draws the directions to keep, computes code and loss, then learns the sample.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// use eigenstream::rand_core::SeedableRng;
    /// let mut pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let trial = pca.step(&[1.0, 0.0, 0.0, 0.0], &mut rng)?;
    /// // Before the first sample each of the four directions is kept with probability 1/4.
    /// assert!((trial.expected_loss - 0.75).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let energy = energy_of(sample)?;
        Ok(self.try_sample::<Systematic, R>(sample, energy, rng))
    }

    /// [`step`](Self::step) with the draw of the paper, \[WK08\] Algorithm 2.
    ///
    /// Both draws keep every direction with its probability; this one needs more instructions, stack and flash.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step_with_corners<R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        let energy = energy_of(sample)?;
        Ok(self.try_sample::<ByCorners, R>(sample, energy, rng))
    }

    /// The expected loss of a sample; learns nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// assert_eq!(pca.score(&[0.0; 4])?, 0.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let energy = energy_of(sample)?;
        let split = self.evidence.split(sample, energy);
        let loss = self
            .evidence
            .expected_loss(&split.inside, split.outside_energy, self.bulk_drop());
        Ok(loss)
    }

    /// Learns a sample; draws nothing and computes no loss.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::{SampleError, pca::{TrackingPca, TrackingSettings}};
    /// let mut pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// assert_eq!(pca.learn(&[0.0, 0.0, f32::NAN, 0.0]), Err(SampleError::NotANumber { channel: 2 }));
    /// assert_eq!(pca.samples_seen(), 0);
    /// ```
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = energy_of(sample)?;
        self.learn_sample(sample, energy);
        Ok(())
    }

    /// The unexpected part of each channel; the squares sum to the score.
    ///
    /// It is x − Σ(1 − √(1−pᵢ))(vᵢ·x)vᵢ over all directions.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// for _ in 0..20 {
    ///     pca.learn(&[1.0, 0.0, 0.0])?;
    /// }
    /// let residual = pca.residual(&[1.0, 0.0, 0.5])?;
    /// assert!(residual[2] > 0.49 && residual[0].abs() < 0.01);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let energy = energy_of(sample)?;
        let Split {
            inside, mut outside, ..
        } = self.evidence.split(sample, energy);
        scale(&mut outside, self.bulk_drop().sqrt());
        let stored = self.evidence.drops().iter().zip(self.evidence.directions());
        for (&inside, (&drop, direction)) in inside.iter().zip(stored) {
            add_scaled(&mut outside, inside * drop.sqrt(), direction);
        }
        Ok(outside)
    }

    /// The code of a sample in the `KEEP` most likely directions; nothing is drawn.
    ///
    /// Entries are zero where fewer directions are stored.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// pca.learn(&[0.0, 0.5, 0.0])?;
    /// let code = pca.transform(&[0.1, 0.25, 0.0])?;
    /// assert!((code[0].abs() - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        energy_of(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (entry, direction) in code.iter_mut().zip(self.evidence.directions()) {
            *entry = dot(direction, sample);
        }
        Ok(code)
    }

    /// Rebuilds a sample from a code.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// pca.learn(&[0.0, 0.5, 0.0])?;
    /// let code = pca.transform(&[0.1, 0.25, 0.0])?;
    /// assert!((pca.inverse_transform(&code)?[1] - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&SVector::from([T::ZERO; DIM]), code, self.evidence.directions().iter())
    }

    /// The `KEEP` most likely directions, one per column; columns are zero where fewer are stored.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.evidence.directions().iter())
    }

    /// The keep probability of each direction, descending.
    ///
    /// The sum is `KEEP`. A ceiling reduces it by at most 2·`KEEP`·e^−ceiling, and by max(2·`KEEP`, 4)·e^−ceiling for
    /// each direction that the last update merged into the bulk.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        // A decoded `drop` can be up to 64ε above one (`validate::probabilities`).
        let keep = |drop| T::ZERO.max(T::ONE - drop);
        let mut probabilities = [keep(self.bulk_drop()); DIM];
        for (probability, &drop) in any_length_mut(&mut probabilities)
            .iter_mut()
            .zip(any_length(self.evidence.drops()))
        {
            stay_rolled();
            *probability = keep(drop);
        }
        probabilities
    }

    /// The evidence of each direction, descending.
    #[must_use]
    pub fn evidence(&self) -> [T; DIM] {
        let bulk = if self.evidence.has_begun() {
            self.evidence.bulk()
        } else {
            -self.bulk_drop().ln()
        };
        let mut evidence = [bulk; DIM];
        for (entry, &value) in evidence.iter_mut().zip(self.evidence.values()) {
            *entry = value;
        }
        evidence
    }

    /// Writes the density matrix W, of trace one.
    ///
    /// A ceiling increases the trace by what it takes from the sum of [`keep_probabilities`](Self::keep_probabilities),
    /// divided by `DIM` − `KEEP`.
    pub fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        let bulk = self.bulk_drop();
        let share = T::ONE / T::from_usize(DIM - KEEP);
        clear(density);
        add_diagonal(density, bulk * share);
        for (&drop, direction) in self.evidence.drops().iter().zip(self.evidence.directions()) {
            add_outer(density, (drop - bulk) * share, direction);
        }
        mirror(density);
    }

    /// How many samples were learned since the last start, with those of [`merge`](Self::merge).
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// The excess E: what rank cap, ceiling and merging have added to D in the bound.
    ///
    /// Pass it to `Bounds::with_excess`. E does not contain the terms for a share and for rounding. Merging removes a
    /// stored direction with hardly more evidence than those that are not stored. A start, a reset and a
    /// [`merge`](Self::merge) with a learner that has begun set E to zero. With `RANK` = `DIM` and without a ceiling E
    /// stays zero up to rounding.
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// for _ in 0..1_000 {
    ///     pca.learn(&[1.0, 0.0, 0.0])?;
    /// }
    /// // Here the default ceiling adds at most 1.5·e⁻¹⁴ to E per sample.
    /// assert!(pca.excess() > 0.0 && pca.excess() < 1_000.0 * 1.25e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn excess(&self) -> T {
        self.evidence.excess()
    }

    /// Forgets all samples and a given start, and keeps the settings.
    pub fn reset(&mut self) {
        self.scale.reset();
        self.evidence = Evidence::new();
        self.samples_seen = 0;
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize]
    TrackingPca<T, DIM, KEEP, RANK>: Tracking [DIM, KEEP, RANK] of T { settings, scale, evidence, samples_seen }
    if validate
);

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    fn validate(&self) -> Result<(), CodecError> {
        // Unless a learner has learned no sample and stores no direction, it must have a density matrix.
        let fresh = self.samples_seen == 0 && self.evidence.rank() == 0;
        validate::accept(fresh || self.evidence.has_begun(), CodecError::Range)?;
        // `ceiling_drop` must be e^(−ceiling). A zero there would let the next sample set `bulk_drop` to zero, and then
        // `has_begun` would return false.
        let update = &self.settings.update;
        let consistent = self.samples_seen == 0 || update.ceiling_drop == (-update.ceiling).exp();
        validate::accept(consistent, CodecError::Probability)
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Learner<T, DIM>
    for TrackingPca<T, DIM, KEEP, RANK>
{
    own_verbs!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 20;
        const RANK: usize = 6;
        let numbers = 4 // rate, ceiling, e^(−ceiling), share
            + 2 * 2 // `ScaleSettings` (variant and energy), in the settings and in the scale
            + 2 // running energy and the weight of the running energy
            + DIM * RANK // directions
            + 2 * RANK // evidence and drop probabilities
            + 2 // evidence and drop probability of the bulk
            + 2; // the excess, in two parts
        let counters = size_of::<u32>() + size_of::<u64>(); // rank, samples seen
        let bytes = (4 * numbers + counters).next_multiple_of(align_of::<u64>());
        assert_eq!(size_of::<TrackingPca<f32, DIM, 2, RANK>>(), bytes);
        assert!(bytes <= 600);
    }

    #[test]
    fn the_count_of_samples_stops_at_its_largest_number() {
        let mut pca = TrackingPca::<f32, 4, 1, 3>::new(TrackingSettings::DEFAULT);
        pca.samples_seen = u64::MAX;
        assert_eq!(pca.learn(&[1.0, 0.0, 0.0, 0.0]), Ok(()));
        assert_eq!(pca.samples_seen(), u64::MAX);
    }

    #[test]
    fn the_excess_counts_every_direction_of_a_bulk_above_the_ceiling() -> Result<(), SampleError> {
        let mut settings = TrackingSettings::DEFAULT;
        settings.update.ceiling = 0.1;
        let mut pca = TrackingPca::<f64, 8, 4, 6>::new(settings.with_scale(crate::ScaleSettings::OFF));
        pca.learn(&[1e-6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
        // All eight drop probabilities rise from 1/2 to e^(−0.1); the excess is the sum of the rises times 1 + 1/4.
        let price = 8.0 * ((-0.1_f64).exp() - 0.5) * 1.25;
        assert!((pca.excess() - price).abs() < 1e-6, "{} {price}", pca.excess());
        Ok(())
    }

    #[test]
    fn a_direction_that_gained_nothing_is_not_negligible() {
        let update = evidence::Update {
            rate: 1.0_f32,
            ceiling: 14.0,
            ceiling_drop: 1e-6,
            share: 0.0,
        };
        assert_eq!(update.negligible(1, 10.0, 0.0), 0.0);
        assert_eq!(update.negligible(1, 10.0, 8e-9), 1e-9);
        assert!(update.negligible(1, 10.0, 1.0) > 1e-6);
    }

    #[test]
    fn the_samples_of_both_learners_are_counted_up_to_the_largest_number() {
        let mut pca = TrackingPca::<f32, 4, 1, 3>::new(TrackingSettings::DEFAULT);
        assert_eq!(pca.learn(&[1.0, 0.0, 0.0, 0.0]), Ok(()));
        let other = pca.clone();
        pca.samples_seen = u64::MAX;
        assert_eq!(pca.merge(&other), Ok(()));
        assert_eq!(pca.samples_seen(), u64::MAX);
    }
}
