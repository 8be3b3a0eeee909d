//! Oja's rule and GHA, the generalised Hebbian algorithm, [K01]: learns all components at the same time.
//! In: samples. Out: codes, losses, and a learner.
//! Method: equations (2)–(6), (12)–(13), with kernels (17)–(40), (54)–(61), in corrected form. A component starts at
//! the first sample that the earlier ones do not explain completely, as the unexplained part of this sample, scaled to
//! length one.

use super::rate::Pace;
use super::representation::{Instructions, Outputs, Representation, StoredComponents};
use super::settings::checked_deflation;
use super::vectors::rebuilt;
use super::{FeatureVectors, GhaSettings, PointBudget, Response, Vectors};
use crate::codec::{stored, validate};
use crate::learner::{energy_of, own_verbs};
use crate::{CodecError, Learner, SampleError, Scalar};
use core::slice::from_ref;
use nalgebra::SMatrix;

/// One component of `DIM` channels, learned by Oja's rule: the smallest learner of a principal component in this crate.
///
/// ```
/// use eigenstream::hebbian::{GhaSettings, Oja};
///
/// let mut oja = Oja::<f32, 3>::new(GhaSettings::DEFAULT);
/// assert!(size_of_val(&oja) <= 64);
/// for t in 0..300 {
///     let swing = (t % 7) as f32 - 3.0;
///     oja.learn(&[2.0 * swing, swing, 0.1 * ((t % 5) as f32 - 2.0)])?;
/// }
/// // The component is now near ±(2, 1, 0)/√5.
/// assert!((oja.components()[0].abs() - 0.894).abs() < 0.01);
/// assert!(oja.score(&[4.0, 2.0, 0.0])? < 0.1);
/// assert!(oja.score(&[-2.0, 4.0, 0.0])? > 19.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type Oja<T, const DIM: usize> = Gha<T, DIM, 1>;

/// `KEEP` components of `DIM` channels, which learn at the same time and approach the directions of largest energy, in
/// descending order.
///
/// ```
/// use eigenstream::hebbian::{Gha, GhaSettings};
/// let mut gha = Gha::<f32, 4, 2>::new(GhaSettings::DEFAULT);
/// gha.learn(&[0.0, 2.0, 0.0, 0.0])?;
/// gha.learn(&[1.0, 1.0, 0.0, 0.0])?;
/// assert_eq!(gha.transform(&[5.0, 7.0, 0.0, 0.0])?, [7.0, 5.0]);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type Gha<T, const DIM: usize, const KEEP: usize> = Parallel<T, Vectors<T, DIM, KEEP>, DIM, KEEP>;

/// [`Oja`] on kernel features: one component, a weighted sum over at most `POINTS` points.
///
/// ```
/// use eigenstream::hebbian::{GhaSettings, KernelOja, PointBudget};
/// use eigenstream::kernel::Gaussian;
/// let mut oja = KernelOja::<f32, _, 2, 8>::new(Gaussian::DEFAULT, GhaSettings::DEFAULT, PointBudget::DEFAULT);
/// for _ in 0..10 {
///     oja.learn(&[0.5, 0.5])?;
/// }
/// assert!(oja.score(&[0.5, 0.5])? < 1e-3 && oja.score(&[5.0, 5.0])? > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type KernelOja<T, K, const DIM: usize, const POINTS: usize> = KernelGha<T, K, DIM, 1, POINTS>;

/// [`Gha`] on kernel features: `KEEP` components, weighted sums over one list of at most `POINTS` points.
///
/// ```
/// use eigenstream::hebbian::{GhaSettings, KernelGha, PointBudget};
/// use eigenstream::kernel::Gaussian;
/// let mut gha = KernelGha::<f32, _, 2, 2, 8>::new(Gaussian::DEFAULT, GhaSettings::DEFAULT, PointBudget::DEFAULT);
/// gha.learn(&[0.0, 0.0])?;
/// gha.learn(&[3.0, 0.0])?;
/// assert_eq!(gha.expansion().points().len(), 2);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type KernelGha<T, K, const DIM: usize, const KEEP: usize, const POINTS: usize> =
    Parallel<T, FeatureVectors<T, K, DIM, KEEP, POINTS>, DIM, KEEP>;

/// Learns all components at the same time: the type behind [`Oja`], [`Gha`], [`KernelOja`] and [`KernelGha`].
///
/// ```
/// use eigenstream::hebbian::{Gha, GhaSettings, Oja};
/// let oja: Gha<f32, 3, 1> = Oja::new(GhaSettings::DEFAULT);
/// assert_eq!(oja.samples_seen(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Parallel<T, W, const DIM: usize, const KEEP: usize> {
    pace: Pace<T>,
    /// The deflation factor β.
    deflation: T,
    components: W,
    /// The number of components that have started.
    started: usize,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Gha<T, DIM, KEEP> {
    /// Creates a learner without samples: all weights are zero.
    ///
    /// More components than channels do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::hebbian::{Gha, GhaSettings};
    /// let gha = Gha::<f32, 2, 3>::new(GhaSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: GhaSettings<T>) -> Self {
        const {
            assert!(KEEP > 0, "keep at least one component");
            assert!(KEEP <= DIM, "there are no more components than channels");
        }
        Self::with_components(settings, Vectors::new())
    }

    /// The components, one per column; zeros for a component that has not started.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        self.components.columns()
    }

    /// Rebuilds a sample from a code of [`transform`](Self::transform): Σ codeₚwₚ.
    ///
    /// # Errors
    /// [`SampleError`] if `code` or the rebuilt sample has an entry that is not finite, or an energy that overflows.
    /// The channel is a position in `code`, or in the rebuilt sample if `code` is accepted.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        energy_of(code)?;
        rebuilt(from_ref(&self.components), code)
    }
}

impl<T: Scalar, K, const DIM: usize, const KEEP: usize, const POINTS: usize> KernelGha<T, K, DIM, KEEP, POINTS> {
    /// Creates a learner without samples, in the feature space of `kernel`.
    #[must_use]
    pub const fn new(kernel: K, settings: GhaSettings<T>, budget: PointBudget) -> Self {
        Self::with_components(settings, FeatureVectors::new(kernel, budget))
    }

    /// The components as weighted sums over points.
    #[must_use]
    pub const fn expansion(&self) -> &FeatureVectors<T, K, DIM, KEEP, POINTS> {
        &self.components
    }
}

impl<T: Scalar, W, const DIM: usize, const KEEP: usize> Parallel<T, W, DIM, KEEP> {
    const fn with_components(settings: GhaSettings<T>, components: W) -> Self {
        Self {
            pace: Pace::new(settings.rate),
            deflation: settings.deflation,
            components,
            started: 0,
            samples_seen: 0,
        }
    }

    /// The number of samples learned, without those of [`start_at`](Self::start_at).
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    fn validate(&self) -> Result<(), CodecError> {
        checked_deflation(self.deflation)?;
        validate::accept(self.started <= KEEP, CodecError::Count)
    }
}

impl<T: Scalar, W: Representation<T, DIM, KEEP>, const DIM: usize, const KEEP: usize> Parallel<T, W, DIM, KEEP> {
    /// One trial: encodes the sample, reports the loss, then learns the sample.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::hebbian::{GhaSettings, Oja};
    /// let mut oja = Oja::<f32, 2>::new(GhaSettings::DEFAULT);
    /// // The first sample is lost completely. It becomes the component, so the second sample has almost no loss.
    /// assert_eq!(oja.step(&[3.0, 4.0])?.loss, 25.0);
    /// assert!(oja.step(&[3.0, 4.0])?.loss < 1e-9);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step(&mut self, sample: &[T; DIM]) -> Result<Response<T, KEEP>, SampleError> {
        let outputs = self.components.outputs(sample)?;
        let loss = self.loss(sample, &outputs);
        self.update(sample, &outputs);
        Ok(Response {
            code: outputs.values,
            loss,
        })
    }

    /// The loss of a sample's code, ‖x − Σ yₚwₚ‖²; learns nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.loss(sample, &self.components.outputs(sample)?))
    }

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let outputs = self.components.outputs(sample)?;
        self.update(sample, &outputs);
        Ok(())
    }

    /// The unexpected part of each channel: the squares of the entries sum to the score.
    ///
    /// On vectors the result is x − Σ yₚwₚ. With kernels each channel in turn is set to its mean over the points,
    /// weighted by contribution; the squared entry is proportional to the decrease of the score. If no channel
    /// decreases the score, the squared entry is proportional to the distance of the channel from its mean. An entry is
    /// negative if the channel is below its mean.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let outputs = self.components.outputs(sample)?;
        let loss = self.loss(sample, &outputs);
        let loss_of = |other: &[T; DIM]| self.score(other).unwrap_or(loss);
        Ok(W::residual(
            from_ref(&self.components),
            sample,
            &outputs.values,
            loss,
            loss_of,
        ))
    }

    /// The outputs of the components; zero for a component that has not started.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        Ok(self.components.outputs(sample)?.values)
    }

    /// Starts the next component at this sample, scaled to length one; nothing else is learned from the sample.
    ///
    /// With kernels, a point is removed if the list is full. Nothing happens if all components have started, or if the
    /// energy of the sample is zero or subnormal. Without this call a component starts by itself, at a later sample.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::hebbian::{Gha, GhaSettings};
    /// let mut gha = Gha::<f32, 2, 2>::new(GhaSettings::DEFAULT);
    /// gha.start_at(&[3.0, 4.0])?;
    /// gha.start_at(&[0.0, 2.0])?;
    /// assert_eq!(gha.transform(&[5.0, 5.0])?, [7.0, 5.0]);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn start_at(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let outputs = self.components.outputs(sample)?;
        self.start(sample, &outputs, &[T::ZERO; KEEP]);
        Ok(())
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        self.pace.reset();
        self.components.clear();
        self.started = 0;
        self.samples_seen = 0;
    }

    fn loss(&self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>) -> T {
        let parts = from_ref(&self.components);
        W::loss(parts, sample, outputs.energy, &outputs.values, &outputs.values)
    }

    /// If the sample starts a component, the other components learn nothing from this sample.
    fn update(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>) {
        let rate = self.pace.next(outputs.energy, self.samples_seen);
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.started >= KEEP || !self.start(sample, outputs, &outputs.values) {
            // A component that has not started has the output zero and takes no step.
            let instructions = Instructions {
                drives: outputs.values,
                rates: [rate; KEEP],
                deflation: self.deflation,
            };
            self.components.learn(sample, outputs, &instructions);
        }
    }

    fn start(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool {
        let new = self.components.start(self.started, sample, outputs, shares);
        self.started = self.started.saturating_add(usize::from(new));
        new
    }
}

impl<T: Scalar, W: Representation<T, DIM, KEEP>, const DIM: usize, const KEEP: usize> Learner<T, DIM>
    for Parallel<T, W, DIM, KEEP>
{
    own_verbs!();
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.components.outputs(sample)?.energy)
    }
}

stored!(
    [T: Scalar, W: StoredComponents, const DIM: usize, const KEEP: usize]
    Parallel<T, W, DIM, KEEP> as (if W::KERNEL == 0 { "Gha" } else { "KernelGha" }): Parallel [DIM, KEEP, W::POINTS] of T with (W::KERNEL) {
        pace, deflation, components, started, samples_seen
    }
    if validate
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Gaussian;

    /// The bytes of a `Pace<f32>`: rate, `Decay` (padded), setting of the energy scale (two words), running energy, its
    /// weight.
    const PACE: usize = 4 + 4 + 8 + 2 * 4;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        let bytes = PACE
            + 4 // deflation
            + 4 * 3 // weights
            + size_of::<usize>() // components that have started
            + size_of::<u64>(); // samples seen
        assert_eq!(size_of::<Oja<f32, 3>>(), bytes.next_multiple_of(align_of::<u64>()));
        assert!(bytes <= 64);
    }

    #[test]
    fn an_expansion_adds_its_points() {
        const KEEP: usize = 2;
        const POINTS: usize = 16;
        let numbers = 1 // gamma
            + POINTS * 3 // points
            + POINTS // √k(z, z) of each point z
            + POINTS * KEEP // coefficients
            + KEEP * KEEP; // inner products
        let counters = size_of::<usize>() + 4; // number of points, removals since the last refresh
        let expansion = (4 * numbers + 4 + counters).next_multiple_of(align_of::<usize>()); // `amplification`; budget in padding
        assert_eq!(
            size_of::<FeatureVectors<f32, Gaussian<f32>, 3, KEEP, POINTS>>(),
            expansion
        );
        let bytes = PACE + 4 + expansion + size_of::<usize>() + size_of::<u64>();
        let bytes = bytes.next_multiple_of(align_of::<u64>());
        assert_eq!(size_of::<KernelGha<f32, Gaussian<f32>, 3, KEEP, POINTS>>(), bytes);
    }
}
