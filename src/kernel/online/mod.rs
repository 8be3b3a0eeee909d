//! Online kernel PCA on a stream, [KW07] Algorithm 6, in a window of fixed size.
//! In: samples of `DIM` channels. Out: for each sample its code in `KEEP` directions of feature space, the loss of this code, and
//! a learner that has learned the sample. A direction of feature space can follow a curve or a ring in the space of the samples.
//! Method: [KW07] Algorithm 6 over the newest `WINDOW` stored samples (the points). The evidence gᵢ = max(0, ηλᵢ − τ) of
//! direction i is computed from the eigenvalue λᵢ of their Gram matrix and the learning rate η. Direction i is kept with
//! probability pᵢ = 1 − exp(−gᵢ); `ambient` chooses the threshold τ so that Σpᵢ ≤ `KEEP`. The steps of a trial: compare with the
//! points → coordinates → draw → code and losses → update the window → solve the eigenproblem.
//! Cost: a sample x needs one kernel call for each point, one k(x, x), and WINDOW multiply-adds for each direction that can be
//! kept. A solution of the eigenproblem costs about 10·WINDOW² multiply-adds if the directions can be computed from the
//! last directions, else about (2/3)·WINDOW³.
//! Kept: WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 6 numbers, WINDOW flags, counters, choices and the kernel.
//! Scratch: the larger of 14·WINDOW and 7·WINDOW + 300 numbers (`exact`).

mod ambient;
mod directions;
mod draw;
mod exact;
mod excess;
mod image;
mod intake;
mod preimage;
mod readings;
mod settings;

use super::{GramWindow, Kernel};
use crate::learner::own_verbs;
use crate::rand_core::Rng;
use crate::weights::{ByCorners, Draw, Subset, Systematic};
use crate::{Learner, SampleError, Scalar, Trial};
pub use ambient::Ambient;
use directions::{Coordinates, Directions};
use excess::Excess;
pub use intake::Intake;
pub use settings::OnlineKernelSettings;

/// Online kernel PCA that keeps at most `KEEP` directions of the features of the newest `WINDOW` stored samples, and stores at
/// most `RANK` directions.
///
/// With `RANK` = `WINDOW`, uncentered and refreshed after every sample, the results are those of \[KW07\] Algorithm 6 on the
/// points of the window, up to rounding, for every stream. With [`Ambient::Points`] the keep probabilities are always as printed.
///
/// A smaller `RANK`, at least `KEEP` + 2, saves memory:
/// - While at most `RANK` directions in the span of the points can be kept, the results are, up to rounding, those of `RANK` = `WINDOW`.
/// - A direction beyond `RANK` is never drawn. [`excess`](Self::excess) bounds the extra expected loss.
/// - Many directions with similar eigenvalues, such as clusters of a few samples, need a larger `RANK`. For clusters of five
///   samples in a row, each within ±0.1 of its centre (`KEEP` 2, `WINDOW` 32, Gaussian kernel with γ = 0.5, η = 1), the expected
///   loss of the next sample was up to 0.26 too large with `RANK` = `KEEP` + 2, and up to 2·10⁻⁵ too large with `RANK` =
///   `KEEP` + 4. For clusters with a standard deviation of 0.6 in each channel, the second number was 0.07.
///
/// ```
/// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
/// use eigenstream::rand_core::SeedableRng;
///
/// // A sensor that moves on a circle: no direction of the plane is preferred, but the centre of the circle never occurs.
/// let settings = OnlineKernelSettings::new(5.0_f32)?;
/// let mut pca = OnlineKernelPca::<f32, _, 2, 5, 16, 9>::new(Gaussian::DEFAULT, settings);
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// for i in 0..64 {
///     let angle = f64::from(i) * 0.7;
///     pca.step(&[angle.cos() as f32, angle.sin() as f32], &mut rng)?;
/// }
/// assert!(pca.score(&[0.6, -0.8])? < 0.1);
/// assert!(pca.score(&[0.0, 0.0])? > 0.5);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnlineKernelPca<T, K, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> {
    settings: OnlineKernelSettings<T>,
    window: GramWindow<T, K, DIM, WINDOW>,
    directions: Directions<T, WINDOW, RANK>,
    /// Slots that `push` has written since the last refresh. The directions do not use these slots.
    replaced_slots: Subset<WINDOW>,
    /// The number of samples that the stride still skips before the next sample can enter the window.
    waiting: u32,
    /// The number of points stored since the last refresh of the directions.
    since_refresh: u32,
    samples_seen: u64,
    excess: Excess<T>,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Creates a learner without samples.
    ///
    /// Invalid sizes do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let pca = OnlineKernelPca::<f32, _, 6, 0, 32, 8>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// ```
    /// ```compile_fail,E0080
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let pca = OnlineKernelPca::<f32, _, 6, 2, 0, 0>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(kernel: K, settings: OnlineKernelSettings<T>) -> Self {
        const {
            assert!(KEEP > 0, "keep at least one direction: KEEP >= 1");
            assert!(WINDOW > 0, "a window has at least one slot: WINDOW >= 1");
            assert!(
                RANK <= WINDOW,
                "there are no more directions than points: RANK <= WINDOW"
            );
            assert!(
                RANK == WINDOW || RANK >= KEEP + 2,
                "RANK needs room for KEEP directions, one in doubt and one more"
            );
        }
        Self {
            settings,
            window: GramWindow::new(kernel),
            directions: Directions::new(),
            replaced_slots: Subset::EMPTY,
            waiting: 0,
            since_refresh: 0,
            samples_seen: 0,
            excess: Excess::NONE,
        }
    }

    /// One trial: draws the directions to keep, computes the code of the sample in these directions and the loss, then learns the
    /// sample.
    ///
    /// If fewer than `KEEP` directions are drawn, the remaining entries of the code are zero. This is possible while the keep
    /// probabilities of the stored directions sum to less than `KEEP`.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// use eigenstream::rand_core::SeedableRng;
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let trial = pca.step(&[0.6, 0.8], &mut rng)?;
    /// // No direction is known yet: the loss is k(x, x).
    /// assert_eq!(trial.code, [0.0]);
    /// assert!((trial.loss - 1.0).abs() < 1e-6 && trial.loss == trial.expected_loss);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let trial = self.meet::<Systematic, R>(sample, rng)?;
        self.refresh();
        Ok(trial)
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
        let trial = self.meet::<ByCorners, R>(sample, rng)?;
        self.refresh();
        Ok(trial)
    }

    /// The part of a trial before the directions are refreshed: draws, computes code and losses, updates the excess, and stores
    /// the sample unless the setting `stride` or `novelty` skips it.
    // A separate function, so that `row` is no longer on the stack when the eigenproblem is solved.
    #[inline(never)]
    fn meet<D: Draw, R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let coordinates = self.coordinates(norm, &row);
        let trial = self.draw::<D, R>(&coordinates, rng);
        self.charge_seen(&coordinates);
        if self.update_intake(norm, &row) {
            self.store(sample, norm, &row);
        }
        Ok(trial)
    }

    /// Returns the expected loss of a sample and does not learn it. A large loss means an unusual sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        Ok(self
            .directions
            .expected_loss(&self.coordinates(norm, &row), self.outside_probability()))
    }

    /// Learns a sample: stores it, unless the setting `stride` or `novelty` skips it, then calls [`refresh`](Self::refresh).
    /// Returns neither code nor loss.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.update(sample)?;
        self.refresh();
        Ok(())
    }

    /// Updates the excess. Then stores a sample in the window, unless the setting `stride` or `novelty` skips it.
    #[inline(never)]
    fn update(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        self.charge(norm, &row);
        if self.update_intake(norm, &row) {
            self.store(sample, norm, &row);
        }
        Ok(())
    }

    /// Stores a sample in the window, unless the setting `stride` or `novelty` skips it. The eigenproblem is not solved: call
    /// [`refresh`](Self::refresh) later. This half of [`learn`](Self::learn) is meant for an interrupt: it needs O(WINDOW·RANK)
    /// operations and at most `WINDOW` + 1 kernel calls.
    ///
    /// Until the refresh, scores use the old directions without the points that were replaced.
    ///
    /// # Errors
    /// [`SampleError`], as for [`learn`](Self::learn).
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.push(&[1.0, 0.0])?;
    /// assert_eq!(pca.score(&[1.0, 0.0])?, 1.0);
    /// pca.refresh();
    /// assert!(pca.score(&[1.0, 0.0])? < 0.5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn push(&mut self, sample: &[T; DIM]) -> Result<Intake, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        self.charge(norm, &row);
        if !self.update_intake(norm, &row) {
            return Ok(Intake::Skipped);
        }
        let slot = self.window.next_slot();
        if slot < self.directions.points && !self.replaced_slots.contains(slot) {
            self.directions.forget(&self.window, slot, &self.replaced_slots);
        }
        self.replaced_slots.insert(slot);
        self.store(sample, norm, &row);
        Ok(Intake::Stored)
    }

    /// Computes the directions of the points in the window. This half of [`learn`](Self::learn) can wait for idle time. Does
    /// nothing if no point was stored since the last refresh.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.refresh();
    /// pca.push(&[1.0, 0.0])?;
    /// pca.refresh();
    /// assert!(pca.keep_probabilities()[0] > 0.6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn refresh(&mut self) {
        if self.since_refresh == 0 {
            return;
        }
        self.directions.solve(&mut self.window, &self.settings, KEEP);
        self.since_refresh = 0;
        self.replaced_slots = Subset::EMPTY;
    }

    /// Forgets all samples. The kernel and the settings stay.
    pub fn reset(&mut self) {
        self.window.clear();
        self.directions.reset();
        self.replaced_slots = Subset::EMPTY;
        self.waiting = 0;
        self.since_refresh = 0;
        self.samples_seen = 0;
        self.excess = Excess::NONE;
    }

    fn coordinates(&self, norm: T, row: &[T; WINDOW]) -> Coordinates<T, RANK> {
        self.directions
            .coordinates(norm, *row, &self.replaced_slots, self.settings.centering)
    }
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    Learner<T, DIM> for OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    own_verbs!();

    /// k(x, x) of a sample x. If centered, from the first refresh on: ‖φ(x) − μ‖². φ(x) are the features of x, and μ is the mean
    /// of the features of the points at the last refresh. If `push` has replaced a point since that refresh, the result is
    /// inexact: μ·φ(x) is then computed from the present points, but ‖μ‖² from the points at the last refresh.
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        Ok(self.coordinates(norm, &row).energy)
    }
}
