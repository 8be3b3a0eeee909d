//! Online PCA on the full density matrix: [WK08] Algorithm 5, [KW07] Algorithm 3, with instance matrices, starts from a given
//! density matrix, and the share updates of [WK08].
//! In: samples of `DIM` channels, or instance matrices (symmetric matrices in place of samples). Out: for each sample its code in
//! KEEP directions and the loss of the code; for each instance matrix its expected loss; and the updated learner.
//! Method: `evidence` stores G = −log(d·W): W is the density matrix of [WK08], d = DIM − KEEP. A trial is check → draw → code and
//! losses → learn → share. [`TrackingPca`](super::TrackingPca) learns samples by the same algorithm at far less cost. This
//! learner is for instance matrices, for starts from a density matrix and for mixing with earlier W.
//! Words: the evidence g of a direction is its eigenvalue in G; the direction is kept with probability p = 1 − e⁻ᵍ. The ceiling
//! is the upper limit of g. A share mixes W with the uniform matrix or with the mean of earlier W (a share of the past). The
//! excess is the amount that the ceiling adds to the numerator of the loss bound.
//! Cost: DIM² multiply-adds to score a sample. One eigendecomposition, (5/3)·DIM³, to learn a sample, and DIM²/2 for each
//! direction with g > 0; with a share of the past a second eigendecomposition and (5/2)·DIM³ more.
//! Kept: 4·DIM² + 6·DIM + 3 numbers, settings, a flag and two counters. Scratch: O(DIM) numbers.

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
use crate::weights::{ByCorners, Draw, Systematic, keep_probability};
use crate::{Learner, SampleError, Scalar, Trial};
use evidence::DenseEvidence;
use nalgebra::{SMatrix, SVector};
use share::Past;

/// Online PCA that keeps `KEEP` directions of `DIM` channels, with the full density matrix W of \[WK08\]. The learner stores the
/// eigenvectors of W, each with the evidence −ln(d·w), where w is its eigenvalue and d = `DIM` − `KEEP`.
///
/// Let n = `DIM`, η the learning rate, D = d·ln(n/d), and L* the loss of the best subspace in hindsight. Let α be the part of the
/// weight that a share distributes in each of T trials. Let E be the [`excess`](Self::excess), the addition for the ceiling (the
/// upper limit of the evidence). In exact arithmetic, on every stream of samples with ‖x‖ ≤ 1, a learner created by
/// [`new`](Self::new) has a total expected loss of at most (ηL* + D + E + (T − 1)·d·ln(1/(1 − α)))/(1 − e^−η). Without ceiling
/// and share, as in [`DensitySettings::DEFAULT`], this bound is \[WK08\] Theorem 6. [`Bounds`](crate::bounds::Bounds) computes
/// the bound, and an addition for rounding.
///
/// With [`Share::PastAverage`] or [`Share::PastPosteriors`] the ceiling is at most ln(1/ε) − 2, even if the settings allow more.
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
/// // A sample along the learned direction loses almost nothing. A sample orthogonal to that direction loses almost everything.
/// assert!(pca.score(&[0.6, 0.8, 0.0])? < 1e-3);
/// assert!(pca.score(&[0.0, 0.0, 1.0])? > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DensityPca<T, const DIM: usize, const KEEP: usize> {
    settings: DensitySettings<T>,
    evidence: DenseEvidence<T, DIM, KEEP>,
    past: Past<T, DIM>,
    /// E: the amount that the ceiling has added to the numerator of the bound.
    excess: Excess<T>,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// Creates a learner that has seen no sample: the density matrix is W⁰ = I/n, so every direction is kept with probability
    /// k/n, where k = `KEEP` and n = `DIM`.
    ///
    /// `KEEP` = 0 and `KEEP` = `DIM` do not compile:
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

    /// One trial: draws `KEEP` directions, encodes the sample in them, computes the loss of the code, then learns the sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        self.try_sample::<Systematic, R>(sample, rng)
    }

    /// [`step`](Self::step) with the draw of the paper, as in
    /// [`TrackingPca::step_with_corners`](crate::pca::TrackingPca::step_with_corners).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step_with_corners<R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        self.try_sample::<ByCorners, R>(sample, rng)
    }

    fn try_sample<D: Draw, R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        let energy = energy_of(sample)?;
        let coordinates = self.evidence.coordinates(sample);
        let kept = D::keep::<T, R, DIM>(&self.keep_probabilities(), KEEP, rng);
        let mut code = [T::ZERO; KEEP];
        for (code, coordinate) in code
            .iter_mut()
            .zip(kept.iter().filter_map(|index| coordinates.get(index)))
        {
            *code = *coordinate;
        }
        // The directions are an orthonormal basis: the loss is the sum of the squared coordinates in the directions not drawn.
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

    /// Returns the expected loss of a sample x, d·xᵀW x with the density matrix W and d = `DIM` − `KEEP`; learns nothing. A high
    /// loss means that the sample is unusual.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let energy = energy_of(sample)?;
        Ok(self.expected_loss(&self.evidence.coordinates(sample), energy))
    }

    /// Learns a sample x as [`learn_instance`](Self::learn_instance) learns S = x xᵀ. Exception: if x or the learning rate is
    /// very large, `learn_instance` refuses S or reduces the learning rate more.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = energy_of(sample)?;
        self.learn_checked(sample, energy);
        Ok(())
    }

    /// Returns the unexpected part of each channel, r = √d·W^½ x with the density matrix W and d = `DIM` − `KEEP`. The sum of the
    /// squares of r is the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        energy_of(sample)?;
        let coordinates = self.evidence.coordinates(sample);
        let drops = self.evidence.spectrum().drops;
        // r = x − Σ (1−√(1−p))(v·x)v over all directions v with the keep probabilities p. With x = Σ (v·x)v this is
        // r = Σ √(1−p)(v·x)v, without a difference that could cancel.
        let mut residual = [T::ZERO; DIM];
        for ((coordinate, drop), direction) in coordinates.iter().zip(drops).zip(self.evidence.directions()) {
            add_scaled(&mut residual, drop.sqrt() * *coordinate, direction);
        }
        Ok(residual)
    }

    /// Returns the coordinates of the sample in the `KEEP` directions of the largest keep probabilities. Nothing is drawn at
    /// random.
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

    /// Reconstructs a sample from a code of [`transform`](Self::transform).
    ///
    /// # Errors
    /// [`SampleError`]; the channel of the error is the position in `code`.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&SVector::from([T::ZERO; DIM]), code, self.evidence.directions().iter())
    }

    /// Returns the `KEEP` directions of the largest keep probabilities, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.evidence.directions().iter())
    }

    /// Returns the probability p that each direction is kept, descending. The sum is `KEEP`, up to rounding; a ceiling reduces
    /// the sum by at most `DIM`·e^(−ceiling).
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.evidence().map(|evidence| keep_probability(evidence, T::ZERO))
    }

    /// Returns the evidence g = −ln(1 − p) of each direction, descending, where p is the probability that the direction is kept.
    /// Directions with p rounded to one can still differ in g.
    #[must_use]
    pub fn evidence(&self) -> [T; DIM] {
        self.evidence.spectrum().evidence
    }

    /// Writes the density matrix W. W has the eigenvalues (1 − p)/d, where p is the probability that a direction is kept and
    /// d = `DIM` − `KEEP`. The trace is one, up to rounding; a ceiling raises it by at most (`DIM`/d)·e^(−ceiling).
    pub fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        self.evidence.density(density);
    }

    /// Returns the excess E: the amount that the ceiling has added to the numerator of the bound since the last start or reset.
    ///
    /// Pass E to `Bounds::with_excess`. E does not contain the addition for a share (`Bounds::with_share`) nor the addition for
    /// rounding (`Bounds::with_rounding`). E is zero without a ceiling, unless the share is [`Share::PastAverage`] or
    /// [`Share::PastPosteriors`], which have a ceiling of their own.
    ///
    /// ```
    /// use eigenstream::{bounds::Bounds, pca::{DensityPca, DensitySettings}};
    /// let mut pca = DensityPca::<f64, 3, 1>::new(DensitySettings::new(0.5)?.with_ceiling(2.0)?);
    /// let mut total = 0.0;
    /// for _ in 0..100 {
    ///     total += pca.score(&[1.0, 0.0, 0.0])?;
    ///     pca.learn(&[1.0, 0.0, 0.0])?;
    /// }
    /// // With a ceiling this low no direction is kept for certain, and the paper's bound without E does not hold.
    /// let bounds = Bounds::<f64>::new(3, 1);
    /// assert!(total > bounds.loss(0.0, 0.5));
    /// assert!(total <= bounds.with_excess(pca.excess()).loss(0.0, 0.5));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn excess(&self) -> T {
        self.excess.value()
    }

    /// Returns the number of samples and instances learned since the learner was created, reset or started from a density matrix.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Forgets all samples and a given start: the density matrix is I/n with n = `DIM`. Keeps the settings.
    pub fn reset(&mut self) {
        self.evidence.reset();
        self.forget_past();
    }

    /// Resets everything except the settings and the density matrix.
    pub(super) fn forget_past(&mut self) {
        self.past.clear();
        self.excess = Excess::new();
        self.samples_seen = 0;
    }

    /// Returns Σ (1−p)(v·x)² over all directions v with the keep probabilities p. `coordinates` are the v·x of the sample x.
    fn expected_loss(&self, coordinates: &[T; DIM], energy: T) -> T {
        let drops = self.evidence.spectrum().drops;
        sum_within(energy, drops.into_iter().zip(coordinates.iter().copied()))
    }

    fn learn_checked(&mut self, sample: &[T; DIM], energy: T) {
        let rate = self.rate_for(energy);
        self.update(|evidence| add_outer(evidence, rate, sample));
    }

    /// Returns the learning rate η, reduced if necessary so that the evidence matrix G stays finite. `norm` is the energy of a
    /// sample, or a bound on the magnitude of the eigenvalues of an instance matrix. If the energy of a sample is above one, a
    /// reduced rate still adds MAX/(4·DIM) to the evidence of the sample's direction. So, without ceiling and share, the keep
    /// probability of this direction rounds to one, unless `KEEP` or more other directions also have evidence of this magnitude.
    pub(super) fn rate_for(&self, norm: T) -> T {
        let largest = DenseEvidence::<T, DIM, KEEP>::largest();
        if norm > T::ONE {
            self.settings.learning_rate.min(largest / norm)
        } else {
            self.settings.learning_rate.min(largest)
        }
    }

    /// Makes all changes of a trial. `add` adds ηS to the evidence matrix G; S is x xᵀ of a sample x, or an instance matrix, and
    /// η the learning rate. After `add`, `update` applies threshold, ceiling and share, and updates excess and count. The past is
    /// updated before `add` (`PastAverage`) or after `add` (`PastPosteriors`, in the first trial also before).
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

    /// Returns the ceiling, the upper limit of the evidence. With a share that mixes in the mean of earlier density matrices W,
    /// the ceiling is at most ln(1/ε) − 2: this mean has an error of about ε and cannot distinguish directions of larger
    /// evidence.
    fn ceiling(&self) -> T {
        match self.settings.share {
            Share::Nothing | Share::Uniform(_) => self.settings.ceiling,
            Share::PastAverage(_) | Share::PastPosteriors(_) => self.settings.ceiling.min(-T::EPSILON.ln() - T::TWO),
        }
    }

    /// Adds to the excess the amount by which the ceiling enlarges the numerator of the bound. g is the evidence of a direction.
    /// The ceiling raises Σe⁻ᵍ over all directions from d = DIM − KEEP to Z·d, with a factor Z. `rise` is the increase,
    /// (Z − 1)·d.
    fn charge(&mut self, rise: T) {
        let rise = match self.settings.share {
            Share::Nothing | Share::Uniform(_) => rise,
            // The ceiling can also raise the mean of earlier d·W (W: density matrix): each of the DIM eigenvalues by at most
            // e^(−ceiling).
            Share::PastAverage(part) | Share::PastPosteriors(part) => {
                (T::ONE - part) * rise + part * T::from_usize(DIM) * (-self.ceiling()).exp()
            }
        };
        // The numerator of the bound grows by at most 2·`rise`, in two parts. First, d times the relative entropy grows by
        // d·ln Z ≤ `rise`. Second, the next loss is computed with a density matrix W whose trace is Z and not one. For an
        // instance S with eigenvalues from zero to one the loss d·tr(W S) is at most d·Z and not d: `rise` more.
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

/// Returns Σ weight·coordinate² for a sample of this energy. Rounding cannot make the result larger than `energy`.
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
