//! Online PCA on the full density matrix: [WK08] Algorithm 5, [KW07] Algorithm 3, with instance matrices, starts from
//! a density matrix, and shares.
//! Ceiling: an upper limit of the evidence. Share: mixes W with the uniform matrix or with the mean of earlier W.
//! Excess: what the ceiling adds to the numerator of the loss bound.
//! Cost: DIM² multiply-adds to score a sample; (5/3)·DIM³ to learn one, and DIM²/2 for each direction with evidence;
//! with a share of the past another decomposition and (5/2)·DIM³.

mod evidence;
mod settings;
mod share;

pub use settings::DensitySettings;

use super::checks::{check_trace, entry_at_fault};
use super::projection::{as_columns, reconstruct};
use crate::bounds::Excess;
use crate::codec::stored;
use crate::learner::{energy_of, own_verbs};
use crate::pca::Share;
use crate::rand_core::Rng;
use crate::spectrum::Eigen;
use crate::spectrum::symmetric::{add_outer, quadratic_form};
use crate::spectrum::vector::add_scaled;
use crate::weights::{ByCorners, Draw, Systematic, keep_probability};
use crate::{Learner, MatrixError, SampleError, Scalar, Trial};
use evidence::DenseEvidence;
use nalgebra::{SMatrix, SVector};
use share::Past;

/// Online PCA that keeps `KEEP` of `DIM` directions, with the full density matrix W of \[WK08\].
///
/// With d = `DIM` − `KEEP` and D = d·ln(`DIM`/d), the total expected loss on every stream with ‖x‖ ≤ 1 is, in exact
/// arithmetic, at most (ηL* + D + E + (n − 1)·d·ln(1/(1 − α)))/(1 − e^−η). L* is the loss of the best subspace, E the
/// [`excess`](Self::excess), α the share, n the number of trials. Without ceiling and share this is \[WK08\] Theorem 6;
/// [`Bounds`](crate::bounds::Bounds) computes it.
///
/// With [`Share::PastAverage`] or [`Share::PastPosteriors`] the ceiling is at most ln(1/ε) − 2.
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
    excess: Excess<T>,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// A learner that has seen no sample: every direction is kept with probability `KEEP`/`DIM`.
    ///
    /// `KEEP` = 0 and `KEEP` = `DIM` do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{DensityPca, DensitySettings};
    /// let pca = DensityPca::<f32, 4, 4>::new(DensitySettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: DensitySettings<T>) -> Self {
        const { assert!(0 < KEEP && KEEP < DIM, "keep a direction and drop one: 0 < KEEP < DIM") };
        Self {
            settings,
            evidence: DenseEvidence::new(),
            past: Past::new(),
            excess: Excess::new(),
            samples_seen: 0,
        }
    }

    /// One trial: draws the directions to keep, computes code and loss, then learns the sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        self.try_sample::<Systematic, R>(sample, rng)
    }

    /// [`step`](Self::step) with the draw of the paper, see
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
        for (code, index) in code.iter_mut().zip(kept.iter()) {
            *code = coordinates.get(index).copied().unwrap_or(T::ZERO);
        }
        // The directions are a basis: the loss is the energy in the directions not drawn.
        let lost = coordinates
            .iter()
            .enumerate()
            .filter(|(index, _)| !kept.contains(*index));
        let trial = Trial {
            code,
            loss: sum_within(energy, lost.map(|(_, &coordinate)| (T::ONE, coordinate))),
            expected_loss: self.expected_loss(&coordinates, energy),
        };
        self.learn_checked(sample, energy);
        Ok(trial)
    }

    /// The expected loss of a sample x, (DIM − KEEP)·xᵀW x.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let energy = energy_of(sample)?;
        Ok(self.expected_loss(&self.evidence.coordinates(sample), energy))
    }

    /// Learns a sample x as [`learn_instance`](Self::learn_instance) learns x xᵀ.
    ///
    /// A huge sample reduces the learning rate less than x xᵀ would, and is refused only if ‖x‖² overflows.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = energy_of(sample)?;
        self.learn_checked(sample, energy);
        Ok(())
    }

    /// The unexpected part of each channel; the squares sum to the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        energy_of(sample)?;
        let coordinates = self.evidence.coordinates(sample);
        let drops = self.evidence.spectrum().drops;
        // x − Σ (1−√(1−p))(v·x)v over a basis is Σ √(1−p)(v·x)v, where nothing cancels.
        let mut residual = [T::ZERO; DIM];
        for ((coordinate, drop), direction) in coordinates.iter().zip(drops).zip(self.evidence.directions()) {
            add_scaled(&mut residual, drop.sqrt() * *coordinate, direction);
        }
        Ok(residual)
    }

    /// The code of a sample in the `KEEP` most likely directions; nothing is drawn.
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

    /// Rebuilds a sample from a code.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&SVector::from([T::ZERO; DIM]), code, self.evidence.directions().iter())
    }

    /// The `KEEP` most likely directions, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.evidence.directions().iter())
    }

    /// The keep probability of each direction, descending.
    ///
    /// The sum is `KEEP`; a ceiling reduces it by at most `DIM`·e^(−ceiling).
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.evidence().map(|evidence| keep_probability(evidence, T::ZERO))
    }

    /// The evidence of each direction, descending.
    ///
    /// Directions whose keep probability rounds to one can still differ in evidence.
    #[must_use]
    pub fn evidence(&self) -> [T; DIM] {
        self.evidence.spectrum().evidence
    }

    /// Writes the density matrix W.
    ///
    /// Its trace is one; a ceiling raises it by at most `DIM`/(DIM − KEEP)·e^(−ceiling).
    pub fn density(&self, density: &mut SMatrix<T, DIM, DIM>) {
        self.evidence.density(density);
    }

    /// The excess E: what the ceiling has added to the numerator of the bound since the last start.
    ///
    /// Pass it to `Bounds::with_excess`. E does not contain the additions for a share and for rounding. Without a
    /// ceiling E is zero, unless the share mixes in the past.
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

    /// How many samples and instances were learned since the last start.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Forgets all samples and a given start, and keeps the settings.
    pub fn reset(&mut self) {
        self.evidence.reset();
        self.forget_past();
    }

    /// The expected loss (DIM − KEEP)·tr(W S) of a symmetric matrix S.
    ///
    /// Only the upper triangle is read. Rounding can turn a zero loss into a tiny number of either sign.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] if 4·`DIM` times the sum
    /// of |entry| over the upper triangle overflows.
    pub fn score_instance(&self, instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        norm_of(instance)?;
        let mut loss = T::ZERO;
        for (&drop, direction) in self.evidence.spectrum().drops.iter().zip(self.evidence.directions()) {
            loss += drop * quadratic_form(instance, direction);
        }
        Ok(loss)
    }

    /// Learns a symmetric matrix S, \[WK08\] end of section 5: log W ← log W − ηS, then W is normalised and capped.
    ///
    /// Only the upper triangle is read. The bound of \[WK08\] Theorem 6, with the additions for ceiling and share,
    /// holds if the eigenvalues of each S are in \[0, 1\]. The learning rate is reduced if the evidence could overflow.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{DensityPca, DensitySettings}};
    ///
    /// let mut pca = DensityPca::<f32, 3, 1>::new(DensitySettings::DEFAULT);
    /// // S is the projection onto the plane of the first two axes. Learning S reduces the expected loss of S.
    /// let plane = SMatrix::<f32, 3, 3>::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
    /// let before = pca.score_instance(&plane)?;
    /// pca.learn_instance(&plane)?;
    /// assert!(pca.score_instance(&plane)? < before);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// As [`score_instance`](Self::score_instance).
    pub fn learn_instance(&mut self, instance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        let rate = self.rate_for(norm_of(instance)?);
        self.update(|evidence| {
            for (position, (column, seen)) in evidence.data.0.iter_mut().zip(&instance.data.0).enumerate() {
                if let Some(column) = column.get_mut(..=position) {
                    add_scaled(column, rate, seen);
                }
            }
        });
        Ok(())
    }

    /// Starts again from the density matrix `density`, capped: no eigenvalue above 1/(DIM − KEEP).
    ///
    /// Only the upper triangle is read; `eigen` is scratch. The density of a learner with an evidence of about 15 or
    /// more in `f32` (35 in `f64`) is singular up to rounding, and may be refused: save learners with
    /// [`Codec`](crate::Codec) instead.
    ///
    /// ```
    /// use eigenstream::{nalgebra::{SMatrix, SVector}, pca::{DensityPca, DensitySettings}, spectrum::Eigen};
    ///
    /// let mut pca = DensityPca::<f32, 2, 1>::new(DensitySettings::DEFAULT);
    /// let start = SMatrix::from_diagonal(&SVector::<f32, 2>::new(0.25, 0.75));
    /// pca.start_from(&start, &mut Eigen::new())?;
    /// assert!((pca.score(&[1.0, 0.0]).unwrap() - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Trace`] if the trace differs from
    /// one by more than √ε, [`MatrixError::Overflow`] if an eigenvalue overflows, [`MatrixError::NotPositiveDefinite`]
    /// if one is not positive.
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        self.evidence.start_from(density, eigen)?;
        self.forget_past();
        Ok(())
    }

    /// Resets everything except the settings and the density matrix.
    fn forget_past(&mut self) {
        self.past.clear();
        self.excess = Excess::new();
        self.samples_seen = 0;
    }

    /// Returns Σ (1−p)(v·x)² over all directions v; `coordinates` are the products v·x.
    fn expected_loss(&self, coordinates: &[T; DIM], energy: T) -> T {
        let drops = self.evidence.spectrum().drops;
        sum_within(energy, drops.into_iter().zip(coordinates.iter().copied()))
    }

    fn learn_checked(&mut self, sample: &[T; DIM], energy: T) {
        let rate = self.rate_for(energy);
        self.update(|evidence| add_outer(evidence, rate, sample));
    }

    /// The learning rate, reduced if needed so that the evidence matrix G stays finite. For a sample of energy above
    /// one, the reduced rate still adds MAX/(4·DIM) to the evidence along the sample.
    fn rate_for(&self, norm: T) -> T {
        let largest = DenseEvidence::<T, DIM, KEEP>::largest();
        if norm > T::ONE {
            self.settings.learning_rate.min(largest / norm)
        } else {
            self.settings.learning_rate.min(largest)
        }
    }

    /// Makes all changes of a trial; `add` adds ηS to the evidence matrix G. The past is updated before `add`
    /// (`PastAverage`) or after (`PastPosteriors`, in the first trial also before).
    fn update(&mut self, add: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) {
        let share = self.settings.share;
        let posteriors = matches!(share, Share::PastPosteriors(_));
        if matches!(share, Share::PastAverage(_)) || (posteriors && self.past.is_empty()) {
            self.evidence.update_past(&mut self.past);
        }
        let rise = self.evidence.update(self.ceiling(), add);
        self.charge(rise);
        match share {
            Share::Nothing => {}
            Share::Uniform(part) => self.evidence.share_uniformly(part),
            Share::PastAverage(part) | Share::PastPosteriors(part) => {
                let mixed = self.evidence.mixed(&self.past, part);
                if posteriors {
                    self.evidence.update_past(&mut self.past);
                }
                self.evidence.replace(mixed);
            }
        }
        self.samples_seen = self.samples_seen.saturating_add(1);
    }

    /// The ceiling; with a share of the past at most ln(1/ε) − 2, because the mean of earlier W has an error of about
    /// ε.
    fn ceiling(&self) -> T {
        match self.settings.share {
            Share::Nothing | Share::Uniform(_) => self.settings.ceiling,
            Share::PastAverage(_) | Share::PastPosteriors(_) => self.settings.ceiling.min(-T::EPSILON.ln() - T::TWO),
        }
    }

    /// Adds to the excess what the ceiling, which raises Σe⁻ᵍ by `rise`, adds to the numerator of the bound. Proof:
    /// `guide::mathematics`, "The excess of a ceiling".
    fn charge(&mut self, rise: T) {
        let rise = match self.settings.share {
            Share::Nothing | Share::Uniform(_) => rise,
            // The ceiling also raises each of the DIM eigenvalues of the past by at most e^(−ceiling).
            Share::PastAverage(part) | Share::PastPosteriors(part) => {
                (T::ONE - part) * rise + part * T::from_usize(DIM) * (-self.ceiling()).exp()
            }
        };
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

/// Returns Σ weight·coordinate², limited to `energy`: only rounding can make the sum larger.
fn sum_within<T: Scalar>(energy: T, parts: impl Iterator<Item = (T, T)>) -> T {
    let mut sum = T::ZERO;
    for (weight, coordinate) in parts {
        sum += weight * (coordinate * coordinate).min(energy);
    }
    sum.min(energy)
}

/// Returns a bound on |vᵀSv|, S = `instance`, for ‖v‖ = 1, and on the sum of |vᵀSv| over an orthonormal basis.
fn norm_of<T: Scalar, const DIM: usize>(instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
    let mut sum = T::ZERO;
    for (position, column) in instance.data.0.iter().enumerate() {
        for &entry in column.iter().take(position + 1) {
            sum += entry.abs();
        }
    }
    // 2·Σ|entry| over the upper triangle bounds |vᵀSv|; a basis has DIM vectors; the last factor 2 is for rounding.
    let norm = sum * T::from_usize(DIM.saturating_mul(4));
    if norm.is_finite() {
        Ok(norm)
    } else {
        Err(entry_at_fault(instance).unwrap_or(MatrixError::Overflow))
    }
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
