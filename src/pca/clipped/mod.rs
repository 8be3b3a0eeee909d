//! An energy clip around a learner: single samples of far more than the usual energy (outliers) are scaled down before they are
//! learned. An addition to the papers, with the idea of Huber's estimators: the influence of one sample is bounded.
//! In: samples of `DIM` channels around zero. Out: the results of the inner learner, and the inner learner updated with the
//! clipped samples.
//! Method: m is the mean of the clipped energies so far, with forgetting, and c is the ratio of the settings. The limit, the
//! clipped form y of a sample x, and the next m are
//!
//! ```text
//! limit = c·m                                 before x is learned; no limit for the first START counted samples
//! y = x                                       if ‖x‖² ≤ limit, bit for bit
//! y = √(limit/‖x‖²)·x                         otherwise: the direction of x, and the energy `limit`
//! m ← m + (min(‖x‖², limit) − m)/w            w: the weight of all counted samples, x included; at most the memory
//! ```
//!
//! A sample above the limit multiplies m by 1 + (c − 1)/w. So if all samples have the energy e and later all have the energy R·e
//! with R > c, m grows geometrically while w is constant. The limit reaches R·e after ln(R/c)/ln(1 + (c − 1)/w) samples: 109
//! samples for R = 100, c = 4 and w = 100.
//!
//! If a fraction p < 1/c of the samples is always above the limit, and all other samples have the energy m₀, m settles at
//! m₀·(1 − p)/(1 − pc). If p ≥ 1/c, m grows until the limit reaches the energies of the samples of this fraction. An outlier
//! among the first START counted samples is learned unchanged, and raises the later limits until the mean has forgotten it.
//!
//! A sample of zero or subnormal energy is learned but not counted in m, so a silent stream does not change m.
//!
//! Cost of learning: the energy of the sample and a division; for a sample above the limit also a square root, an inverse square
//! root and two products per channel. For such a sample `step` needs in addition a second root of each kind, two divisions and
//! two products per entry of the code. Kept: the inner learner, two numbers, a count and the settings.

mod settings;

pub use settings::ClipSettings;

use super::TrackingPca;
use crate::codec::{Learned, stored, validate};
use crate::learner::energy_of;
use crate::rand_core::Rng;
use crate::spectrum::vector::scale;
use crate::{CodecError, Learner, SampleError, Scalar, Trial};

/// Limits the energy of each sample before the learner `L` learns the sample. The limit is a multiple of the mean energy.
///
/// Use `Clipped` if single samples are wrong and have far more energy than the usual samples, for example electrical spikes. The
/// samples must be around zero, as they are inside a [`Monitor`](crate::monitor::Monitor): a sample is shortened towards zero.
///
/// **Only learning and [`pass`](Learner::pass) are clipped.** `score`, `residual`, `parts`, `leverage` and `energy` are those of
/// the inner learner for the sample as it came, so an outlier keeps its high score. [`step`](Self::step) returns code and losses
/// of the sample as it came; [`learn_by`](Self::learn_by) returns the result for the clipped sample.
/// If no sample is above the limit, the inner learner has the bits that it would have without the clip.
///
/// **Bounds.** The limit depends only on earlier samples. So a bound of the inner learner that holds on every stream also holds
/// on the stream of the clipped samples y = s·x, s ≤ 1. The loss of y is s² times the loss of x.
/// - The bound limits the total loss of the learner on the clipped samples. The total loss on the samples x as they came can
///   exceed the bound, by the losses of the outliers.
/// - The bound contains the loss of the best subspace. The bound holds with the smallest loss that a subspace has on the
///   clipped samples, and also with the smallest loss on the samples as they came, because no subspace loses more on y than on x.
/// - The [`excess`](TrackingPca::excess) of the inner learner is that of the clipped samples.
/// - Use the clipped samples, which [`clip`](Self::clip) returns, also for the largest energy of
///   [`with_largest_energy`](crate::bounds::Bounds::with_largest_energy). If you compute the factors of the inner learner with a
///   second [`EnergyScale`](crate::EnergyScale), pass the energies of the clipped samples to it.
///
/// ```
/// use eigenstream::{Learner, pca::{ClipSettings, Clipped, TrackingPca, TrackingSettings}};
///
/// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
/// let mut clipped = Clipped::new(ClipSettings::DEFAULT, pca.clone());
/// let mut bare = pca;
/// for _ in 0..50 {
///     clipped.learn(&[0.6, 0.8, 0.0, 0.0])?;
///     bare.learn(&[0.6, 0.8, 0.0, 0.0])?;
/// }
/// // One spike of a hundred times the usual norm.
/// clipped.learn(&[0.0, 0.0, 100.0, 0.0])?;
/// bare.learn(&[0.0, 0.0, 100.0, 0.0])?;
/// assert!(clipped.score(&[0.6, 0.8, 0.0, 0.0])? < 0.1);
/// assert!(bare.score(&[0.6, 0.8, 0.0, 0.0])? > 0.95);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clipped<T, L> {
    settings: ClipSettings<T>,
    /// m: the mean of the clipped energies, at least `MIN_POSITIVE` after the first counted sample.
    mean_energy: T,
    /// w: the number of counted samples, minus the forgotten part.
    weight: T,
    /// The number of counted samples, at most `START`.
    counted: u32,
    learner: L,
}

impl<T: Scalar, L> Clipped<T, L> {
    /// The number of counted samples that are learned before the first sample can be clipped. Samples of zero or subnormal energy
    /// are not counted.
    ///
    /// For independent energies with an exponential distribution, the energy of sample n + 1 is above c times the mean of the
    /// first n energies with probability (1 + c/n)⁻ⁿ. With the ratio c = 4 this is 3.9 % for n = 8, 2.8 % for n = 16 and 1.8 %
    /// for n → ∞.
    pub const START: u32 = 16;

    /// Puts a clip around a learner. The mean energy starts without samples, also if the learner has learned samples before.
    #[must_use]
    pub const fn new(settings: ClipSettings<T>, learner: L) -> Self {
        Self {
            settings,
            mean_energy: T::ZERO,
            weight: T::ZERO,
            counted: 0,
            learner,
        }
    }

    /// The inner learner.
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// The largest energy of a sample that is learned unchanged: c·m, the ratio times the mean energy, at most [`Scalar::MAX`].
    /// [`Scalar::MAX`] while fewer than [`START`](Self::START) samples are counted.
    #[must_use]
    pub fn limit(&self) -> T {
        if self.counted < Self::START {
            T::MAX
        } else {
            (self.settings.ratio * self.mean_energy).min(T::MAX)
        }
    }

    /// The form in which the sample would be learned now: the sample, or the sample scaled down to the energy
    /// [`limit`](Self::limit). Changes nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::{Learner, pca::{ClipSettings, Clipped, TrackingPca, TrackingSettings}};
    /// let pca = TrackingPca::<f32, 2, 1, 2>::new(TrackingSettings::DEFAULT);
    /// let mut clipped = Clipped::new(ClipSettings::DEFAULT, pca);
    /// for _ in 0..20 {
    ///     clipped.learn(&[0.0, 1.0])?;
    /// }
    /// assert_eq!(clipped.limit(), 4.0);
    /// assert_eq!(clipped.clip(&[0.0, 2.0])?, [0.0, 2.0]);
    /// let spike = clipped.clip(&[0.0, 100.0])?;
    /// assert!((spike[1] - 2.0).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn clip<const DIM: usize>(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let (energy, limit) = (energy_of(sample)?, self.limit());
        Ok(if energy > limit {
            shortened(sample, energy, limit)
        } else {
            *sample
        })
    }

    /// Calls `method` with the inner learner and the clipped form of the sample, and returns the result of `method`, which is
    /// that of the clipped sample. Use `learn_by` for learning methods that the trait [`Learner`] does not have.
    ///
    /// # Errors
    /// [`SampleError`] if the sample is refused, or the error that `method` returns. After an error the mean energy is unchanged.
    ///
    /// ```
    /// use eigenstream::{pca::{ClipSettings, Clipped, DensityPca, DensitySettings}, rand_core::SeedableRng};
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let pca = DensityPca::<f32, 3, 1>::new(DensitySettings::DEFAULT);
    /// let mut clipped = Clipped::new(ClipSettings::DEFAULT, pca);
    /// let trial = clipped.learn_by(&[0.6, 0.8, 0.0], |pca, sample| pca.step(sample, &mut rng))?;
    /// assert!((trial.expected_loss - 2.0 / 3.0).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn learn_by<R, const DIM: usize>(
        &mut self,
        sample: &[T; DIM],
        method: impl FnOnce(&mut L, &[T; DIM]) -> Result<R, SampleError>,
    ) -> Result<R, SampleError> {
        let energy = energy_of(sample)?;
        self.teach(sample, energy, self.limit(), method)
    }

    /// [`learn_by`](Self::learn_by) for a caller that has already computed the `energy` of the sample and the `limit`.
    #[inline(always)]
    fn teach<R, const DIM: usize>(
        &mut self,
        sample: &[T; DIM],
        energy: T,
        limit: T,
        method: impl FnOnce(&mut L, &[T; DIM]) -> Result<R, SampleError>,
    ) -> Result<R, SampleError> {
        // One call of `method`, because an inner learner that is compiled into both branches takes twice the flash.
        let short;
        let clipped = if energy > limit {
            short = shortened(sample, energy, limit);
            &short
        } else {
            sample
        };
        let result = method(&mut self.learner, clipped)?;
        self.count(energy.min(limit));
        Ok(result)
    }

    /// Updates the mean energy m with the energy ‖y‖² of the clipped form y of a sample. Ignores a zero or subnormal energy.
    fn count(&mut self, energy: T) {
        if energy < T::MIN_POSITIVE {
            return;
        }
        self.settings.forgetting.count(&mut self.weight);
        let mean = self.mean_energy + (energy - self.mean_energy) / self.weight;
        // With a weight near one, the rounded mean can be outside the range of the energies: m = 1 and the energy 10⁻³⁰ give
        // 1 + (−1) = 0. From m = 0 the limit could never grow.
        self.mean_energy = mean.max(T::MIN_POSITIVE).min(T::MAX);
        self.counted = self.counted.saturating_add(1).min(Self::START);
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Clipped<T, TrackingPca<T, DIM, KEEP, RANK>> {
    /// One trial, [`TrackingPca::step`]: draws `KEEP` directions, encodes the sample, computes the loss, then learns the clipped
    /// sample. Code and losses are those of the sample as it came.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let (energy, limit) = (energy_of(sample)?, self.limit());
        let mut trial = self.teach(sample, energy, limit, |pca, clipped| pca.step(clipped, rng))?;
        if energy > limit {
            // With x = y/s and s² = limit/‖x‖²: the code of x is that of y divided by s, the losses are those of y divided by s².
            // Each number is divided by √limit or `limit` before it is multiplied, so that only rounding can make it overflow.
            scale(&mut trial.code, limit.inverse_sqrt());
            scale(&mut trial.code, energy.sqrt());
            for loss in [&mut trial.loss, &mut trial.expected_loss] {
                *loss = (*loss / limit * energy).min(T::MAX);
            }
        }
        Ok(trial)
    }
}

/// The sample scaled from `energy` to the energy `limit`, both positive and not subnormal. The factor √(limit/energy) can be
/// subnormal, so the sample is first scaled to norm one.
#[cold]
fn shortened<T: Scalar, const DIM: usize>(sample: &[T; DIM], energy: T, limit: T) -> [T; DIM] {
    let mut short = *sample;
    scale(&mut short, energy.inverse_sqrt());
    scale(&mut short, limit.sqrt());
    short
}

stored!(
    [T: Scalar, L: Learned] Clipped<T, L>: Clipped [] of T { settings, mean_energy, weight, counted } around learner
    if validate
);

impl<T: Scalar, L> Clipped<T, L> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.mean_energy, self.weight])?;
        validate::accept(self.counted <= Self::START, CodecError::Count)?;
        // From a mean energy of zero the limit could never grow.
        let grows = self.counted < Self::START || self.mean_energy >= T::MIN_POSITIVE;
        validate::accept(grows, CodecError::Range)
    }
}

/// `learn`, `refine` and `pass` give the inner learner the clipped sample; `pass` does not change the mean energy. All other
/// methods are those of the inner learner for the sample as it came.
impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize> Learner<T, DIM> for Clipped<T, L> {
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.learner.score(sample)
    }

    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        self.learner.residual(sample)
    }

    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.learn_by(sample, L::learn)
    }

    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.learner.energy(sample)
    }

    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        self.learner.leverage(sample)
    }

    fn parts(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        self.learner.parts(sample)
    }

    fn refine(&mut self, sample: &[T; DIM], memory: u32) -> Result<(), SampleError> {
        self.learn_by(sample, |learner, clipped| learner.refine(clipped, memory))
    }

    fn explained(&self) -> Option<[T; DIM]> {
        self.learner.explained()
    }

    fn pass(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let clipped = self.clip(sample)?;
        self.learner.pass(&clipped)
    }

    fn is_ready(&self) -> bool {
        self.learner.is_ready()
    }

    fn interrupt(&mut self) {
        self.learner.interrupt();
    }

    fn forget(&mut self) {
        (self.mean_energy, self.weight, self.counted) = (T::ZERO, T::ZERO, 0);
        self.learner.forget();
    }
}
