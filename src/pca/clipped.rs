//! An energy clip around a learner, with the idea of Huber's estimators; not in the papers. Samples must be around
//! zero.
//!
//! ```text
//! limit = c·m                          none for the first START counted samples
//! y = x·min(1, √(limit/‖x‖²))          bit for bit x if ‖x‖² ≤ limit
//! m ← m + (min(‖x‖², limit) − m)/w     w: the number of counted samples with x, minus the forgotten part
//! ```
//!
//! m is the mean of the clipped energies, c the ratio. How fast m can grow: `guide::mathematics`, "The mean energy of a
//! clip".
//! Cost of learning: an energy and a division; above the limit also two roots and two products per channel.

use super::TrackingPca;
use crate::codec::{Learned, stored, validate};
use crate::learner::{default_is_constant, energy_of};
use crate::rand_core::Rng;
use crate::scalar::constant::{number, of_number};
use crate::spectrum::vector::scale;
use crate::{CodecError, Forgetting, Learner, SampleError, Scalar, SettingsError, Trial};

/// When a [`Clipped`](crate::pca::Clipped) scales a sample down.
///
/// ```
/// use eigenstream::{Forgetting, SettingsError, pca::ClipSettings};
/// let settings = ClipSettings::new(6.0_f32)?.with_forgetting(Forgetting::memory(500.0)?);
/// assert_ne!(settings, ClipSettings::DEFAULT);
/// assert_eq!(ClipSettings::new(1.0_f32), Err(SettingsError::Clip));
/// # Ok::<(), SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClipSettings<T> {
    /// The ratio c: the limit divided by the mean energy.
    ratio: T,
    /// How fast the mean energy forgets.
    forgetting: Forgetting<T>,
}

impl<T: Scalar> ClipSettings<T> {
    /// Ratio c = 4, and a mean energy over about 100 samples.
    ///
    /// About 2 % of samples with exponentially distributed energies are above the limit (e⁻⁴ = 1.8 %); clipping them
    /// lowers the mean energy by 2 %. A smaller ratio clips more; a longer memory follows a lasting growth more slowly.
    pub const DEFAULT: Self = Self {
        ratio: {
            let one = T::ONE;
            number!(one => 4.0 * one)
        },
        forgetting: {
            let one = T::ONE;
            match Forgetting::memory(number!(one => 100.0 * one)) {
                Ok(forgetting) => forgetting,
                Err(_) => Forgetting::NONE,
            }
        },
    };

    /// [`DEFAULT`](Self::DEFAULT) with another ratio c.
    ///
    /// # Errors
    /// [`SettingsError::Clip`] unless c is finite and above one.
    pub const fn new(ratio: T) -> Result<Self, SettingsError> {
        if of_number!(ratio => ratio > 1.0 && ratio.is_finite()) {
            Ok(Self { ratio, ..Self::DEFAULT })
        } else {
            Err(SettingsError::Clip)
        }
    }

    /// Sets how fast the mean energy forgets.
    ///
    /// With [`Forgetting::NONE`], if all energies grow by a factor R > c after N samples, the limit reaches them after
    /// about N·((R/c)^(1/(c − 1)) − 1) more samples: 1.9·N for R = 100 and c = 4.
    #[must_use]
    pub const fn with_forgetting(mut self, forgetting: Forgetting<T>) -> Self {
        self.forgetting = forgetting;
        self
    }
}

default_is_constant!(ClipSettings);
stored!([T: Scalar] ClipSettings<T> { ratio, forgetting } by new(ratio));

/// Limits the energy of each sample to a multiple of the mean energy before the learner `L` learns it.
///
/// It protects a learner from single wrong samples of huge energy, for example electrical spikes. Samples must be
/// around zero, as inside a [`Monitor`](crate::monitor::Monitor).
///
/// **Only learning and [`pass`](Learner::pass) are clipped.** All other methods return the result of the inner learner
/// for the unclipped sample, so an outlier keeps its high score. Only [`learn_by`](Self::learn_by) returns the result
/// for the clipped sample. If no sample is above the limit, the inner learner has the same bits as without the clip.
///
/// **Bounds.** The limit depends only on earlier samples, so a bound that holds on every stream holds for the loss on
/// the clipped samples, with the best subspace of the clipped or of the original samples. The
/// [`excess`](TrackingPca::excess) of the inner learner belongs to the clipped samples. Compute the energy for
/// [`with_largest_energy`](crate::bounds::Bounds::with_largest_energy) and for a second
/// [`EnergyScale`](crate::EnergyScale) from clipped samples, which [`clip`](Self::clip) returns.
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
    /// The mean energy m, at least `MIN_POSITIVE` after the first counted sample.
    mean_energy: T,
    /// The weight w: the number of counted samples minus the forgotten part.
    weight: T,
    /// The number of counted samples; it stops at `START`.
    counted: u32,
    learner: L,
}

impl<T: Scalar, L> Clipped<T, L> {
    /// The number of counted samples that are learned before the first sample can be clipped.
    ///
    /// A sample is counted unless its energy is zero or subnormal. With exponentially distributed energies, the next
    /// energy is above c times the mean of n energies with probability (1 + c/n)⁻ⁿ: for c = 4, 3.9 % at n = 8, 2.8 % at
    /// 16, 1.8 % in the limit.
    pub const START: u32 = 16;

    /// Puts a clip around a learner; the mean energy starts without samples.
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

    /// The largest energy of a sample that is learned unchanged.
    ///
    /// It is [`Scalar::MAX`] while fewer than [`START`](Self::START) samples are counted.
    #[must_use]
    pub fn limit(&self) -> T {
        if self.counted < Self::START {
            T::MAX
        } else {
            (self.settings.ratio * self.mean_energy).min(T::MAX)
        }
    }

    /// The sample as it would be learned now, with an energy of at most [`limit`](Self::limit).
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

    /// Calls `method` with the inner learner and the clipped sample, and returns its result.
    ///
    /// Use it for learning methods that the trait [`Learner`] does not have.
    ///
    /// # Errors
    /// [`SampleError`] if the sample is refused, or the error of `method`.
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

    fn teach<R, const DIM: usize>(
        &mut self,
        sample: &[T; DIM],
        energy: T,
        limit: T,
        method: impl FnOnce(&mut L, &[T; DIM]) -> Result<R, SampleError>,
    ) -> Result<R, SampleError> {
        // There is only one call of `method`: with one in each branch the inner learner would take twice the flash.
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

    /// Updates m; a zero or subnormal energy does not count, so a silent stream leaves m unchanged.
    fn count(&mut self, energy: T) {
        if energy < T::MIN_POSITIVE {
            return;
        }
        self.settings.forgetting.count(&mut self.weight);
        let mean = self.mean_energy + (energy - self.mean_energy) / self.weight;
        // With a weight near one the rounded mean can leave the range of the energies: m = 1 and the energy 10⁻³⁰ give
        // 0, from which the limit could never grow.
        self.mean_energy = mean.max(T::MIN_POSITIVE).min(T::MAX);
        self.counted = self.counted.saturating_add(1).min(Self::START);
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.mean_energy, self.weight])?;
        validate::accept(self.counted <= Self::START, CodecError::Count)?;
        // From a mean energy of zero the limit could never grow.
        let grows = self.counted < Self::START || self.mean_energy >= T::MIN_POSITIVE;
        validate::accept(grows, CodecError::Range)
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Clipped<T, TrackingPca<T, DIM, KEEP, RANK>> {
    /// One trial, as [`TrackingPca::step`], that learns the clipped sample.
    ///
    /// Code and losses are those of the unclipped sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let (energy, limit) = (energy_of(sample)?, self.limit());
        let mut trial = self.teach(sample, energy, limit, |pca, clipped| pca.step(clipped, rng))?;
        if energy > limit {
            // The code of the clipped sample is divided by √(limit/energy), its losses by limit/energy. Because the
            // division comes first, only rounding can cause an overflow.
            scale(&mut trial.code, limit.inverse_sqrt());
            scale(&mut trial.code, energy.sqrt());
            for loss in [&mut trial.loss, &mut trial.expected_loss] {
                *loss = (*loss / limit * energy).min(T::MAX);
            }
        }
        Ok(trial)
    }
}

/// Scales the sample to the energy `limit`. √(limit/energy) can be subnormal, so the sample is first scaled to length
/// one.
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

/// `learn`, `refine` and `pass` clip the sample; `pass` leaves the mean energy unchanged. `forget` also clears the mean
/// energy. All other methods are those of the inner learner.
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
