//! Online PCA on the full density matrix: [WK08] Algorithm 5, [KW07] Algorithm 3, with every option of the paper.
//! In: samples of `DIM` channels, or symmetric instance matrices. Out: for each, its code in KEEP directions, the loss of that
//! code, and a learner that knows it.
//! Method: `dense_evidence` holds G = −log(d·W); a trial is check → draw → code and losses → learn → share.
//! Cost: DIM² multiply-adds to score a sample, one eigendecomposition, (5/3)·DIM³, to learn one; a second one with a share of
//! the past. [`TrackingPca`](super::TrackingPca) does the same to samples at far less cost; what needs this one are instance
//! matrices, starts from any density matrix and shares of the past.
//! Kept: 4·DIM² + 6·DIM + 3 numbers, settings and two counters. Scratch: 4·DIM numbers.

mod evidence;
mod instances;
mod settings;
mod share;

pub(super) use instances::check_trace;
pub use settings::DensitySettings;

use super::projection::{as_columns, reconstruct};
use crate::bounds::Excess;
use crate::codec::stored;
use crate::learner::{energy_of, own_verbs};
use crate::pca::Share;
use crate::rand_core::Rng;
use crate::spectrum::symmetric::add_outer;
use crate::spectrum::vector::add_scaled;
use crate::weights::keep_probability;
use crate::{Learner, SampleError, Scalar, Trial};
use evidence::DenseEvidence;
use nalgebra::{SMatrix, SVector};
use share::Past;

/// Online PCA that keeps `KEEP` directions of `DIM` channels and all of its density matrix.
///
/// Whatever the stream does, as long as no sample is longer than one, the total expected loss stays below
/// (ηL* + D + E + T·d·ln(1/(1 − α)))/(1 − e^−η): L* is the loss of the best subspace in hindsight, D = d ln(n/d), E the
/// [`excess`](Self::excess) of the ceiling, and α the part that a share deals out in each of T trials. Without ceiling
/// and share, as in [`DensitySettings::DEFAULT`], and in exact arithmetic it is \[WK08\] Theorem 6. [`Bounds`](crate::bounds::Bounds)
/// computes it, and the price of rounding. Under a share of the past the ceiling is at most ln(1/ε) − 2, whatever the settings say.
///
/// ```
/// use eigenstream::{pca::{DensityPca, DensitySettings}, rand_core::SeedableRng};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut pca = DensityPca::<f32, 3, 1>::new(DensitySettings::DEFAULT);
/// for _ in 0..20 {
///     let trial = pca.step(&[0.6, 0.8, 0.0], &mut rng)?;
///     assert!(trial.loss <= 1.0);
/// }
/// // That direction is known by now, and any other is not.
/// assert!(pca.score(&[0.6, 0.8, 0.0])? < 1e-3);
/// assert!(pca.score(&[0.0, 0.0, 1.0])? > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DensityPca<T, const DIM: usize, const KEEP: usize> {
    settings: DensitySettings<T>,
    evidence: DenseEvidence<T, DIM, KEEP>,
    past: Past<T, DIM>,
    /// E: the price of the ceiling.
    excess: Excess<T>,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// A learner that knows nothing: W⁰ = I/n, every direction is kept with probability k/n.
    ///
    /// Keeping nothing, or everything, does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{DensityPca, DensitySettings};
    /// let pca = DensityPca::<f32, 4, 4>::new(DensitySettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: DensitySettings<T>) -> Self {
        const {
            assert!(
                0 < KEEP && KEEP < DIM,
                "keep at least one direction and drop at least one: 0 < KEEP < DIM"
            )
        };
        Self {
            settings,
            evidence: DenseEvidence::new(),
            past: Past::new(),
            excess: Excess::new(),
            samples_seen: 0,
        }
    }

    /// One trial: draws the directions to keep, codes the sample in them, and learns it.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let energy = energy_of(sample)?;
        let coordinates = self.evidence.coordinates(sample);
        let kept = self
            .settings
            .draw
            .keep::<T, R, DIM>(&self.keep_probabilities(), KEEP, rng);
        let mut code = [T::ZERO; KEEP];
        for (code, coordinate) in code
            .iter_mut()
            .zip(kept.iter().filter_map(|index| coordinates.get(index)))
        {
            *code = *coordinate;
        }
        // The directions are a basis: what is lost is what lies in those that were not drawn.
        let lost = |(index, _): &(usize, T)| !kept.contains(*index);
        let trial = Trial {
            code,
            loss: sum_within(
                energy,
                coordinates
                    .into_iter()
                    .enumerate()
                    .filter(lost)
                    .map(|(_, c)| (T::ONE, c)),
            ),
            expected_loss: self.expected_loss(&coordinates, energy),
        };
        self.learn_checked(sample, energy);
        Ok(trial)
    }

    /// The loss that is to be expected of a sample, d·xᵀW x; learns nothing. High is unusual.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let energy = energy_of(sample)?;
        Ok(self.expected_loss(&self.evidence.coordinates(sample), energy))
    }

    /// Learns a sample: [`learn_instance`](Self::learn_instance) with S = x xᵀ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = energy_of(sample)?;
        self.learn_checked(sample, energy);
        Ok(())
    }

    /// The unexpected part of each channel, r = W^½ x·√d: the squares sum to the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        energy_of(sample)?;
        let coordinates = self.evidence.coordinates(sample);
        let drops = self.evidence.spectrum().drops;
        // x − Σ (1−√(1−p))(v·x) v with x = Σ (v·x) v put in: no difference, nothing cancels.
        let mut residual = [T::ZERO; DIM];
        for ((coordinate, drop), direction) in coordinates.iter().zip(drops).zip(self.evidence.directions()) {
            add_scaled(&mut residual, drop.sqrt() * *coordinate, direction);
        }
        Ok(residual)
    }

    /// The sample in the KEEP most likely directions: what to send where a random projection cannot be.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        energy_of(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (code, coordinate) in code.iter_mut().zip(self.evidence.coordinates(sample)) {
            *code = coordinate;
        }
        Ok(code)
    }

    /// The sample that has this code and nothing outside the KEEP most likely directions.
    ///
    /// # Errors
    /// [`SampleError`]; its channel is the position in `code`.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&SVector::from([T::ZERO; DIM]), code, self.evidence.directions().iter())
    }

    /// The KEEP most likely directions, one a column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.evidence.directions().iter())
    }

    /// The probability p that each direction is kept, descending; they sum to KEEP.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.evidence().map(|evidence| keep_probability(evidence, T::ZERO))
    }

    /// The evidence g = −ln(1 − p) of each direction, descending: where p is one to all digits, this still tells how sure.
    #[must_use]
    pub fn evidence(&self) -> [T; DIM] {
        self.evidence.spectrum().evidence
    }

    /// Writes the density matrix W: its trace is one, its eigenvalues are (1 − p)/d.
    pub fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        self.evidence.density(density);
    }

    /// The excess E: how much the ceiling has added to the bound so far.
    ///
    /// `Bounds::with_excess` takes it. A share is not in it; `Bounds::with_share` adds that, and `Bounds::with_rounding` the price of
    /// rounding. Without a ceiling and without a share of the past it is zero.
    ///
    /// ```
    /// use eigenstream::{bounds::Bounds, pca::{DensityPca, DensitySettings}};
    /// let mut pca = DensityPca::<f64, 3, 1>::new(DensitySettings::new(0.5)?.with_ceiling(2.0)?);
    /// let mut total = 0.0;
    /// for _ in 0..100 {
    ///     total += pca.score(&[1.0, 0.0, 0.0])?;
    ///     pca.learn(&[1.0, 0.0, 0.0])?;
    /// }
    /// // So low a ceiling is never sure of anything: the paper's bound without it does not hold.
    /// let bounds = Bounds::<f64>::new(3, 1);
    /// assert!(total > bounds.loss(0.0, 0.5));
    /// assert!(total <= bounds.with_excess(pca.excess()).loss(0.0, 0.5));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn excess(&self) -> T {
        self.excess.value()
    }

    /// How many samples and instances have been learned.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Forgets everything: W = I/n again.
    pub fn reset(&mut self) {
        self.evidence.reset();
        self.forget_past();
    }

    /// Everything but the density matrix is as in a new learner.
    pub(super) fn forget_past(&mut self) {
        self.past.clear();
        self.excess = Excess::new();
        self.samples_seen = 0;
    }

    /// Σ (1−p)(v·x)².
    fn expected_loss(&self, coordinates: &[T; DIM], energy: T) -> T {
        let drops = self.evidence.spectrum().drops;
        sum_within(energy, drops.into_iter().zip(coordinates.iter().copied()))
    }

    fn learn_checked(&mut self, sample: &[T; DIM], energy: T) {
        let rate = self.rate_for(energy);
        self.update(|evidence| add_outer(evidence, rate, sample));
    }

    /// η, or as much of it as keeps G in the number range: for an instance of this norm, evidence beyond any doubt.
    pub(super) fn rate_for(&self, norm: T) -> T {
        let largest = DenseEvidence::<T, DIM, KEEP>::largest();
        if norm > T::ONE {
            self.settings.learning_rate.min(largest / norm)
        } else {
            self.settings.learning_rate.min(largest)
        }
    }

    /// G ← G + ηS, threshold, share: everything that a trial changes.
    pub(super) fn update(&mut self, add: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) {
        let share = self.settings.share;
        match share {
            Share::PastAverage(_) => self.evidence.update_past(&mut self.past),
            Share::PastPosteriors(_) if self.past.is_empty() => self.evidence.update_past(&mut self.past),
            _ => {}
        }
        let rise = self.evidence.update(self.ceiling(), add);
        self.charge(rise);
        match share {
            Share::Nothing => {}
            Share::Uniform(part) => self.evidence.share_uniformly(part),
            Share::PastAverage(part) => {
                let mixed = self.evidence.mixed(&self.past, part);
                self.evidence.replace(mixed);
            }
            Share::PastPosteriors(part) => {
                let mixed = self.evidence.mixed(&self.past, part);
                self.evidence.update_past(&mut self.past);
                self.evidence.replace(mixed);
            }
        }
        self.samples_seen = self.samples_seen.saturating_add(1);
    }

    /// The largest evidence. The mean of the past is known to ε, so a share of it cannot tell directions of more evidence apart.
    fn ceiling(&self) -> T {
        match self.settings.share {
            Share::Nothing | Share::Uniform(_) => self.settings.ceiling,
            Share::PastAverage(_) | Share::PastPosteriors(_) => self.settings.ceiling.min(-T::EPSILON.ln() - T::TWO),
        }
    }

    /// Counts by how much the ceiling has raised Σe⁻ᵍ, to d·Z.
    fn charge(&mut self, rise: T) {
        let rise = match self.settings.share {
            Share::Nothing | Share::Uniform(_) => rise,
            // The mean of the past may be raised by the ceiling where W is not: each of its n values by e^(−ceiling) at most.
            Share::PastAverage(part) | Share::PastPosteriors(part) => {
                (T::ONE - part) * rise + part * T::from_usize(DIM) * (-self.ceiling()).exp()
            }
        };
        // Twice: d·ln Z ≤ rise in the relative entropy, and (Z − 1)·d because the next loss, d·tr(WS) ≤ d, is taken without dividing by Z.
        self.excess.add(rise, T::TWO);
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize]
    DensityPca<T, DIM, KEEP>: Density [DIM, KEEP] of T { settings, evidence, past, excess, samples_seen }
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Learner<T, DIM> for DensityPca<T, DIM, KEEP> {
    own_verbs!();
}

/// Σ weight·coordinate², of a sample of this energy: never above it, whatever the rounding.
fn sum_within<T: Scalar>(energy: T, parts: impl Iterator<Item = (T, T)>) -> T {
    let mut sum = T::ZERO;
    for (weight, coordinate) in parts {
        sum += weight * (coordinate * coordinate).min(energy);
    }
    sum.min(energy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_that_rounds_beyond_the_range_is_within_the_energy() {
        let beyond = f32::MAX.sqrt() * 1.001;
        assert_eq!(sum_within(f32::MAX, [(0.0, beyond), (1.0, 2.0)].into_iter()), 4.0);
        assert_eq!(
            sum_within(f32::MAX, [(1.0, beyond), (1.0, beyond)].into_iter()),
            f32::MAX
        );
    }
}
