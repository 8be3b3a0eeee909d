//! Online kernel PCA on a stream, in a window of fixed size.
//! In: samples of `DIM` channels. Out: for each, its code in `KEEP` directions of feature space, what that code loses of φ(x),
//! and a learner that knows the sample. Directions of feature space can be curves and rings in the space of the samples.
//! Method: [KW07] Algorithm 6 over the newest `WINDOW` samples: evidence gᵢ = max(0, ηλᵢ − τ) from the eigenvalues of
//! their Gram matrix, probability pᵢ = 1 − exp(−gᵢ) that direction i is kept, τ such that Σpᵢ ≤ `KEEP`. A trial is compare with the points →
//! coordinates → draw → code and losses → take in → solve.
//! Cost: `WINDOW` kernel calls, a score 2·WINDOW more for each direction that can be kept; the eigenproblem of the window,
//! (2/3)·WINDOW³ multiply-adds and more, or a fraction of that ([`Refresh::Fast`](super::Refresh::Fast)).
//! Kept: WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 5 numbers, WINDOW flags, counters, the kernel and the settings.
//! Scratch: 14·WINDOW numbers.

use super::directions::{Directions, View};
use super::{GramWindow, Kernel, OnlineKernelSettings, Refresh};
use crate::codec::{StoredKernel, learned, sound, stored};
use crate::rand_core::Rng;
use crate::spectrum::orthogonality::check_columns;
use crate::spectrum::vector::dot;
use crate::trial::Trial;
use crate::weights::{Subset, select};
use crate::{CodecError, Learner, SampleError, Scalar};
use nalgebra::SMatrix;

/// Online kernel PCA that keeps `KEEP` directions of the features of the newest `WINDOW` samples, with room for `RANK`.
///
/// `RANK` = `WINDOW` is the algorithm to rounding, whatever comes. A smaller one, at least `KEEP` + 2, saves memory and gives
/// the same answer as long as no more than `RANK` directions can be kept, the rule once the window has shown more than
/// `KEEP`; before that, what a direction beyond `RANK` would save is counted as lost. [`Refresh::Fast`](super::Refresh::Fast)
/// needs two more for its work: `KEEP` + 4 is a good choice.
///
/// ```
/// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
/// use eigenstream::rand_core::SeedableRng;
///
/// // A sensor that goes round in a circle: no direction of the plane is special, yet the centre was never seen.
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
    /// Slots whose points the directions were found from, and that have left since.
    left: Subset<WINDOW>,
    /// Samples until one is taken into the window again.
    waiting: u32,
    /// Points taken in since the directions were found,
    pending: u32,
    /// and since they were last found exactly.
    since_exact: u32,
    seen: u64,
}

/// Whether a sample entered the window.
///
/// ```
/// use eigenstream::kernel::{Intake, Linear, OnlineKernelPca, OnlineKernelSettings};
/// let settings = OnlineKernelSettings::DEFAULT.with_stride(2)?;
/// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, settings);
/// assert_eq!(pca.push(&[1.0, 0.0])?, Intake::Stored);
/// assert_eq!(pca.push(&[0.9, 0.1])?, Intake::Skipped);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Intake {
    /// It did; the directions are to be refreshed.
    Stored,
    /// The stride or the least novelty said no.
    Skipped,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// A learner that has seen nothing.
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
    /// static PCA: OnlineKernelPca<f32, Gaussian<f32>, 6, 4, 32, 8> =
    ///     OnlineKernelPca::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT);
    /// assert_eq!(PCA.samples_seen(), 0);
    /// ```
    ///
    /// Sizes that make no sense do not compile:
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
            left: Subset::EMPTY,
            waiting: 0,
            pending: 0,
            since_exact: 0,
            seen: 0,
        }
    }

    /// One trial: draws the directions to keep, encodes the sample in them, says what that loses, then learns the sample.
    ///
    /// As long as fewer than `KEEP` directions have earned a place, places stay empty: their code is zero.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite or the energy, of the sample or of its features, overflows; learner and
    /// generator are then as before.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// use eigenstream::rand_core::SeedableRng;
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let trial = pca.step(&[0.6, 0.8], &mut rng)?;
    /// // Nothing is known yet: all is lost.
    /// assert_eq!(trial.code, [0.0]);
    /// assert!((trial.loss - 1.0).abs() < 1e-6 && trial.loss == trial.expected_loss);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let trial = self.meet(sample, rng)?;
        self.refresh();
        Ok(trial)
    }

    /// The part of a trial before the directions are refreshed.
    // Apart, as is `take_in`: its rows are gone before the scratch of a solution comes.
    #[inline(never)]
    fn meet<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let trial = self.draw(&self.view(norm, &row), rng);
        if self.admits(norm, &row) {
            self.store(sample, norm, &row);
        }
        Ok(trial)
    }

    /// Expected loss of a sample; learns nothing. High is unusual.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite or the energy, of the sample or of its features, overflows.
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
    /// let pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT);
    /// assert_eq!(pca.score(&[3.0, 4.0])?, 1.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        Ok(self
            .directions
            .expected_loss(&self.view(norm, &row), self.outside_probability()))
    }

    /// Learns from a sample; reports nothing.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite or the energy, of the sample or of its features, overflows; the learner is
    /// then as before.
    ///
    /// ```
    /// use eigenstream::{SampleError, kernel::{Linear, OnlineKernelPca, OnlineKernelSettings}};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// assert_eq!(pca.learn(&[f32::NAN, 0.0]), Err(SampleError::NotANumber { channel: 0 }));
    /// assert_eq!(pca.samples_seen(), 0);
    /// ```
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.take_in(sample)?;
        self.refresh();
        Ok(())
    }

    /// Puts a sample into the window, if it is to go there.
    #[inline(never)]
    fn take_in(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        if self.admits(norm, &row) {
            self.store(sample, norm, &row);
        }
        Ok(())
    }

    /// Takes a sample into the window and leaves the eigenproblem for [`refresh`](Self::refresh): the half of
    /// [`learn`](Self::learn) that fits into an interrupt, O(WINDOW·RANK) operations and `WINDOW` kernel calls.
    ///
    /// Until then scores go by the directions as they were, without the points that have left.
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
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
        if !self.admits(norm, &row) {
            return Ok(Intake::Skipped);
        }
        let slot = self.window.next_slot();
        if slot < self.directions.points && !self.left.contains(slot) {
            self.directions.forget(&self.window, slot, &self.left);
        }
        self.left.insert(slot);
        self.store(sample, norm, &row);
        Ok(Intake::Stored)
    }

    /// Brings the directions up to date with the window: the half of [`learn`](Self::learn) that can wait for idle time.
    /// Does nothing when nothing is new.
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
        if self.pending == 0 {
            return;
        }
        if !self.follow() {
            let carried = match self.settings.refresh {
                Refresh::Fast if RANK < WINDOW && self.window.is_full() => Directions::<T, WINDOW, RANK>::CARRIED,
                _ => 0,
            };
            self.directions.solve(&mut self.window, &self.settings, KEEP, carried);
            self.since_exact = 0;
        }
        self.pending = 0;
        self.left = Subset::EMPTY;
    }

    /// Tries the fast way, where it is wanted and one point was replaced.
    fn follow(&mut self) -> bool {
        let due = self.since_exact as usize >= RENEWAL * WINDOW;
        let possible = self.pending == 1 && !due && self.directions.carried > 0 && self.directions.points == WINDOW;
        if self.settings.refresh == Refresh::Exact || !possible {
            return false;
        }
        let next = self.window.next_slot();
        let slot = if next == 0 { WINDOW - 1 } else { next - 1 };
        self.directions.follow(&self.window, slot, &self.settings, KEEP)
    }

    /// What is unexpected, laid on the channels by how the sample differs from the stored point nearest to it in feature
    /// space, r = √(score)·(x − xⱼ)/‖x − xⱼ‖: the squares sum to the score. Without any point xⱼ = 0; a sample that equals its
    /// nearest point has nothing to point at, and all channels share alike.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite or the energy, of the sample or of its features, overflows.
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[1.0, 1.0])?;
    /// let residual = pca.residual(&[1.0, 4.0])?;
    /// assert!(residual[0] == 0.0 && residual[1] > 0.9);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let score = self
            .directions
            .expected_loss(&self.view(norm, &row), self.outside_probability());
        let mut residual = *sample;
        let mut nearest = T::INFINITY;
        let compared = self.window.points().iter().zip(&row).zip(self.window.norms());
        for ((point, &entry), &point_norm) in compared {
            // ‖φ(x) − φ(xⱼ)‖² = k(x, x) − 2k(x, xⱼ) + k(xⱼ, xⱼ).
            let distance = point_norm - T::TWO * entry;
            if distance < nearest {
                nearest = distance;
                for ((residual, &value), &point) in residual.iter_mut().zip(sample).zip(point) {
                    *residual = value - point;
                }
            }
        }
        Ok(stretched(residual, score))
    }

    /// The coordinates of φ(x) in the `KEEP` most likely directions, vᵢ·φ(x): the read-out without chance.
    ///
    /// Directions that are not known yet give zero.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite or the energy, of the sample or of its features, overflows.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// assert!((pca.transform(&[3.0, 1.5])?[0].abs() - 1.5).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let mut code = [T::ZERO; KEEP];
        for (entry, &coordinate) in code.iter_mut().zip(&self.view(norm, &row).coordinates) {
            *entry = coordinate;
        }
        Ok(code)
    }

    /// The `KEEP` most likely directions, one a column, as sums over the points in the order of their slots:
    /// vᵢ = Σⱼ aⱼᵢφ(xⱼ) (about the mean of the features, if centered). Columns of zeros while fewer are known.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// // The direction is half the point.
    /// assert!((pca.components()[(0, 0)] - 0.5).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn components(&self) -> SMatrix<T, WINDOW, KEEP> {
        let mut components = SMatrix::from_element(T::ZERO);
        let columns = components.data.0.iter_mut().zip(self.directions.vectors());
        let stored = columns.zip(&self.directions.inverse_roots).take(self.directions.count);
        for ((component, vector), &inverse_root) in stored {
            for (slot, (target, &entry)) in component.iter_mut().zip(vector).enumerate() {
                *target = if self.left.contains(slot) {
                    T::ZERO
                } else {
                    entry * inverse_root
                };
            }
        }
        components
    }

    /// The probability of each direction to be kept, descending; zero for those that cannot be.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 2, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[1.0, 0.0])?;
    /// // 1 − 1/e, and three places with nothing.
    /// assert!((pca.keep_probabilities()[0] - 0.632_121).abs() < 1e-5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub const fn keep_probabilities(&self) -> &[T; RANK] {
        &self.directions.probabilities
    }

    /// The probability of each direction to be kept that no point has shown: zero, except for
    /// [`Ambient::Finite`](super::Ambient::Finite).
    ///
    /// ```
    /// use eigenstream::kernel::{Ambient, Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let settings = OnlineKernelSettings::DEFAULT.with_ambient(Ambient::Finite(4));
    /// let pca = OnlineKernelPca::<f32, _, 4, 1, 8, 8>::new(Linear, settings);
    /// assert!((pca.outside_probability() - 0.25).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn outside_probability(&self) -> T {
        if self.directions.points > 0 {
            self.directions.outside
        } else {
            let settings = &self.settings;
            let outlook = settings.ambient.outlook(&[], 0, settings.learning_rate, KEEP, &mut []);
            outlook.outside
        }
    }

    /// The leading eigenvalues of the Gram matrix, as many as are known: all that belong to directions that can be kept.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// assert!((pca.eigenvalues()[0] - 4.0).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; RANK] {
        &self.directions.values
    }

    /// All eigenvalues of the Gram matrix, descending, computed anew.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f64, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// pca.learn(&[1.0, 0.0])?;
    /// let [first, second, third, _] = pca.spectrum();
    /// assert!((first - 4.0).abs() < 1e-12 && (second - 1.0).abs() < 1e-12 && third < 1e-12);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn spectrum(&mut self) -> [T; WINDOW] {
        Directions::<T, WINDOW, RANK>::spectrum(&mut self.window, self.settings.centering)
    }

    /// The points that are remembered, and how they compare.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// assert_eq!(pca.window().points(), [[0.0, 2.0]]);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub const fn window(&self) -> &GramWindow<T, K, DIM, WINDOW> {
        &self.window
    }

    /// Samples given to learn since the start or the last [`reset`](Self::reset), taken into the window or not.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// assert_eq!(pca.samples_seen(), 1);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.seen
    }

    /// Forgets everything but kernel and settings.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// pca.reset();
    /// assert_eq!(pca.score(&[0.0, 2.0])?, 4.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn reset(&mut self) {
        self.window.clear();
        self.directions.reset();
        self.left = Subset::EMPTY;
        self.waiting = 0;
        self.pending = 0;
        self.since_exact = 0;
        self.seen = 0;
    }

    fn view(&self, norm: T, row: &[T; WINDOW]) -> View<T, RANK> {
        self.directions.view(norm, *row, &self.left, self.settings.centering)
    }

    /// Counts a sample, and says whether it enters the window.
    fn admits(&mut self, norm: T, row: &[T; WINDOW]) -> bool {
        self.seen = self.seen.saturating_add(1);
        if self.waiting > 0 {
            self.waiting -= 1;
            return false;
        }
        let novelty = self.settings.novelty;
        if novelty > T::ZERO {
            // What is left of φ(x) beside one point, ‖φ(x)‖²(1 − cosine²), for the nearest of them; roots taken one by one,
            // for the product of two energies can overflow.
            let length = norm.sqrt();
            for (&entry, &point_norm) in row.iter().zip(self.window.norms()).take(self.window.len()) {
                let lengths = length * point_norm.sqrt();
                let duplicate = if lengths > T::ZERO {
                    let cosine = entry / lengths;
                    T::ONE - cosine * cosine <= novelty
                } else {
                    norm == T::ZERO && point_norm == T::ZERO
                };
                if duplicate {
                    return false;
                }
            }
        }
        self.waiting = self.settings.stride - 1;
        true
    }

    /// Puts a sample into its slot.
    fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) {
        if self.settings.refresh == Refresh::Fast && self.window.is_full() {
            let slot = self.window.next_slot();
            let before = self.window.gram_row(slot);
            let mut change = *row;
            if let Some(entry) = change.get_mut(slot) {
                *entry = norm;
            }
            for (entry, before) in change.iter_mut().zip(before) {
                *entry -= before;
            }
            self.directions.shift_images(slot, &change);
        }
        self.window.store(sample, norm, row);
        self.pending = self.pending.saturating_add(1);
        self.since_exact = self.since_exact.saturating_add(1);
    }

    /// Draws the directions to keep and reports what the sample loses in them.
    fn draw<R: Rng + ?Sized>(&self, view: &View<T, RANK>, rng: &mut R) -> Trial<T, KEEP> {
        let kept = self.kept(T::uniform(rng));
        let mut code = [T::ZERO; KEEP];
        for (entry, position) in code.iter_mut().zip(kept.iter()) {
            *entry = view.coordinates.get(position).copied().unwrap_or(T::ZERO);
        }
        Trial {
            code,
            loss: T::ZERO.max(view.energy - dot(&code, &code)),
            expected_loss: self.directions.expected_loss(view, self.outside_probability()),
        }
    }

    /// The directions kept in one trial, each with its probability: those that the points have shown, as a code can hold no other.
    fn kept(&self, uniform: T) -> Subset<RANK> {
        let probabilities = self.directions.probabilities();
        let mut sum = T::ZERO;
        for &probability in probabilities {
            sum += probability;
        }
        let all = T::from_usize(KEEP) - sum <= T::from_f64(ROUNDING) && probabilities.len() >= KEEP;
        if all {
            return select(probabilities, KEEP, uniform);
        }
        // Systematic sampling, where the places that no listed direction fills stay empty.
        let mut kept = Subset::EMPTY;
        let mut cumulative = T::ZERO;
        let mut passed = (-uniform).floor();
        for (position, &probability) in probabilities.iter().enumerate() {
            cumulative += probability;
            let passes = (cumulative - uniform).floor();
            if passes > passed && kept.len() < KEEP {
                kept.insert(position);
            }
            passed = passes;
        }
        kept
    }
}

/// How many times the fast mode replaces the whole window before it solves exactly again.
const RENEWAL: usize = 4;

/// What rounding may take from the sum of probabilities.
const ROUNDING: f64 = 1e-5;

/// The direction of `difference` with this energy; all channels alike where it has none.
fn stretched<T: Scalar, const DIM: usize>(difference: [T; DIM], energy: T) -> [T; DIM] {
    let mut largest = T::ZERO;
    for value in difference {
        largest = largest.max(value.abs());
    }
    if largest == T::ZERO {
        return [(energy / T::from_usize(DIM.max(1))).sqrt(); DIM];
    }
    // Halves: the difference of two samples can be beyond the largest number's root.
    let unit = largest.power_of_two();
    let scaled = difference.map(|value| value / unit);
    let factor = energy.sqrt() / dot(&scaled, &scaled).sqrt();
    scaled.map(|value| value * factor)
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    Learner<T, DIM> for OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.score(sample)
    }
    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        self.residual(sample)
    }
    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.learn(sample)
    }
}

learned!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize]
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>: OnlineKernel [DIM, KEEP, WINDOW, RANK] of T with K
);
stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize]
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK> {
        settings, window, directions, left, waiting, pending, since_exact, seen
    }
    if sound
);

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    fn sound(&self) -> Result<(), CodecError> {
        sound::accept(self.waiting < self.settings.stride, CodecError::Count)?;
        sound::accept(self.directions.points <= self.window.len(), CodecError::Count)?;
        // Until the next refresh they may lack what a point that left has taken along.
        if self.pending == 0 {
            check_columns(self.directions.vectors(), self.directions.count)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Gaussian;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 6;
        const KEEP: usize = 4;
        const WINDOW: usize = 32;
        const RANK: usize = 8;
        let numbers = WINDOW * (WINDOW + DIM + 1) // Gram matrix and scratch, points, norms
            + 2 * WINDOW * RANK // directions and their images
            + 3 * RANK // eigenvalues, their inverse roots, probabilities
            + 1 // probability outside
            + WINDOW + 1 // shifts and mean of the Gram matrix
            + 1 // gamma
            + 2; // learning rate and novelty
        let counts = 2 + 3 + 1; // window: length and next slot; directions: count, carried, points; slots left
        let flags = WINDOW; // slots left
        let counters = 3 * 4 + 8; // waiting, pending, since exact; samples seen
        let choices = 16 + 8; // ambient, and refresh, centering, stride with padding
        let bytes = 4 * numbers + counts * size_of::<usize>() + flags + counters + choices;
        let size = size_of::<OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>>();
        assert!(
            size.abs_diff(bytes) <= 24,
            "{size} where {bytes} were counted, but for padding"
        );
        assert!(size <= 8 * 1024);
    }
}
