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
mod excess;
mod settings;

use super::{Expansion, GramWindow, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::codec::{StoredKernel, stored, validate};
use crate::learner::{energy_of, own_verbs, refusal};
use crate::rand_core::Rng;
use crate::spectrum::orthogonality::check_columns;
use crate::spectrum::vector::{add_scaled, dot};
use crate::weights::{ByCorners, Draw, Subset, Systematic};
use crate::{Centering, CodecError, Learner, SampleError, Scalar, Trial};
pub use ambient::Ambient;
use directions::{Coordinates, Directions};
use excess::Excess;
use nalgebra::SMatrix;
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

/// Whether a sample was stored in the window.
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
    /// The sample was stored. Until the next refresh, scores use the old directions.
    Stored,
    /// The sample was skipped because of the stride or the novelty.
    Skipped,
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

    /// Counts a sample, and returns whether it must be stored in the window.
    fn update_intake(&mut self, norm: T, row: &[T; WINDOW]) -> bool {
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.waiting > 0 {
            self.waiting -= 1;
            return false;
        }
        let novelty = self.settings.novelty;
        if novelty > T::ZERO {
            // 1 − cosine² is the fraction of ‖φ(x)‖² = k(x, x) that is orthogonal to the features of the point. Two roots are
            // computed because the product of two energies can overflow.
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
        self.waiting = self.settings.stride.wrapping_sub(1);
        true
    }

    /// Stores a sample in the next slot.
    fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) {
        self.window.store(sample, norm, row);
        self.since_refresh = self.since_refresh.saturating_add(1);
    }

    /// Draws the directions to keep. Returns the code of the sample in these directions, the loss and the expected loss.
    fn draw<D: Draw, R: Rng + ?Sized>(&self, coordinates: &Coordinates<T, RANK>, rng: &mut R) -> Trial<T, KEEP> {
        // Only directions inside the span of the points (stored samples) are drawn. A code cannot contain other directions.
        let kept: Subset<RANK> = D::keep_at_most(self.directions.probabilities(), KEEP, rng);
        let mut code = [T::ZERO; KEEP];
        for (entry, position) in code.iter_mut().zip(kept.iter()) {
            *entry = coordinates.values.get(position).copied().unwrap_or(T::ZERO);
        }
        Trial {
            code,
            loss: T::ZERO.max(coordinates.energy - dot(&code, &code)),
            expected_loss: self.directions.expected_loss(coordinates, self.outside_probability()),
        }
    }

    /// The excess, a sum over all samples since the start or the last [`reset`](Self::reset). Up to rounding, the total expected
    /// loss of this learner is at most that of a comparison learner plus the excess. The comparison learner has `RANK` = `WINDOW`,
    /// is otherwise equal, learns the same samples, and is refreshed after
    /// each sample. Its own excess is zero.
    ///
    /// There is also a bound without a comparison learner: [`loss`](crate::bounds::Bounds::loss) of
    /// [`Bounds::dimension_free`](crate::bounds::Bounds::dimension_free), which is called with `KEEP`. Up to rounding, the total
    /// expected loss is at most this bound plus the excess, if all of these conditions hold:
    /// - No point has left the window.
    /// - Every sample is stored: the settings are stride 1 and novelty 0.
    /// - k(x, x) ≤ 1 for every sample x.
    /// - The ambient is [`Infinite`](crate::kernel::Ambient::Infinite).
    /// - The features are uncentered.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// // Twelve axes in turn. One direction is kept, three are stored.
    /// let mut pca = OnlineKernelPca::<f64, _, 12, 1, 48, 3>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// let mut total = 0.0;
    /// for trial in 0..48 {
    ///     let mut sample = [0.0; 12];
    ///     sample[trial % 12] = 1.0;
    ///     total += pca.score(&sample)?;
    ///     pca.learn(&sample)?;
    /// }
    /// // The best direction represents four of 48 samples.
    /// let bound = Bounds::dimension_free(1).loss(44.0, 1.0) + pca.excess();
    /// assert!(pca.excess() > 0.0 && total <= bound);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn excess(&self) -> T {
        self.excess.total()
    }

    /// Whether the loss of a sample can be larger than with all directions stored.
    fn loses_more(&self) -> bool {
        self.since_refresh > 0 || self.directions.left_out() > T::ZERO
    }

    /// Adds the bound on the extra loss of a sample to the excess. Call this before the sample is learned.
    fn charge(&mut self, norm: T, row: &[T; WINDOW]) {
        if self.loses_more() {
            self.charge_seen(&self.coordinates(norm, row));
        }
    }

    /// Like [`charge`](Self::charge), for a sample whose coordinates are already computed.
    fn charge_seen(&mut self, coordinates: &Coordinates<T, RANK>) {
        if !self.loses_more() {
            return;
        }
        let mut charge = self.directions.expected_loss(coordinates, self.outside_probability());
        if self.since_refresh == 0 {
            let mut rest = coordinates.energy;
            for &coordinate in &coordinates.values {
                rest -= coordinate * coordinate;
            }
            charge = charge.min(self.directions.left_out() * T::ZERO.max(rest));
        }
        self.excess.add(charge);
    }

    /// Distributes the score over the channels: r = √(score)·(x − xⱼ)/‖x − xⱼ‖, with the stored point xⱼ that is nearest to the
    /// sample x in feature space. The squares of r sum to the score, up to rounding. If no point is stored, xⱼ = 0. If the sample
    /// equals xⱼ, all channels get equal values.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let score = self
            .directions
            .expected_loss(&self.coordinates(norm, &row), self.outside_probability());
        let mut residual = *sample;
        let mut nearest = T::INFINITY;
        let compared = self.window.points().iter().zip(&row).zip(self.window.norms());
        for ((point, &entry), &point_norm) in compared {
            // ‖φ(x) − φ(xⱼ)‖² = k(x, x) − 2k(x, xⱼ) + k(xⱼ, xⱼ). k(x, x) is equal for all points and is not added.
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

    /// Returns the coordinates of the features φ(x) of a sample x in the `KEEP` directions vᵢ with the largest keep
    /// probabilities: vᵢ·φ(x), or, if centered, vᵢ·(φ(x) − m) with the mean m of the features of the points. Nothing is drawn at
    /// random.
    ///
    /// The coordinate of a direction that is missing or cannot be kept is zero. If [`push`](Self::push) has replaced points since
    /// the last refresh, these points are left out of vᵢ, and the centring is inexact.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let mut code = [T::ZERO; KEEP];
        for (entry, &coordinate) in code.iter_mut().zip(&self.coordinates(norm, &row).values) {
            *entry = coordinate;
        }
        Ok(code)
    }

    /// The `KEEP` directions with the largest keep probabilities, one in each column, as weighted sums over the points in the
    /// order of their slots: vᵢ = Σⱼ aⱼᵢφ(xⱼ), with the features φ(xⱼ) of the points xⱼ. If centered, φ(xⱼ) minus the mean of the
    /// features replaces φ(xⱼ). The column of a direction that is missing or cannot be kept is zero, and so is the row of a point
    /// that is newer than the last refresh.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, WINDOW, KEEP> {
        let mut components = SMatrix::from_element(T::ZERO);
        let columns = components.data.0.iter_mut().zip(self.directions.vectors());
        let stored = columns.zip(&self.directions.inverse_roots).take(self.directions.count);
        for ((component, vector), &inverse_root) in stored {
            for (slot, (target, &entry)) in component.iter_mut().zip(vector).enumerate() {
                *target = if self.replaced_slots.contains(slot) {
                    T::ZERO
                } else {
                    entry * inverse_root
                };
            }
        }
        components
    }

    /// The probability that each stored direction is kept, descending; zero for a direction that cannot be kept or is missing.
    #[must_use]
    pub const fn keep_probabilities(&self) -> &[T; RANK] {
        &self.directions.probabilities
    }

    /// The probability that a direction outside the span of the points is kept. Only
    /// [`Ambient::Finite`](crate::kernel::Ambient::Finite) gives a value above zero. Before the first refresh this value is
    /// `KEEP`/N, with the number N of dimensions, or 1 if N < `KEEP`.
    #[must_use]
    pub fn outside_probability(&self) -> T {
        if self.directions.points > 0 {
            self.directions.outside
        } else {
            let settings = &self.settings;
            settings.ambient.outlook(&[], 0, settings.learning_rate, KEEP).outside
        }
    }

    /// The known leading eigenvalues of the Gram matrix (of its centred form if centered) at the last refresh, then zeros. They
    /// include the eigenvalues of all stored directions that can be kept.
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; RANK] {
        &self.directions.values
    }

    /// Computes all eigenvalues of the Gram matrix of the present points (of its centred form if centered), descending. Negative
    /// eigenvalues are replaced by zero.
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

    /// The stored points and their Gram matrix.
    #[must_use]
    pub const fn window(&self) -> &GramWindow<T, K, DIM, WINDOW> {
        &self.window
    }

    /// The number of samples learned since the start or the last [`reset`](Self::reset), including skipped samples.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Returns the feature vector m + Σ codeᵢ·vᵢ of a code of [`transform`](Self::transform), as a weighted sum over the points.
    /// vᵢ are the `KEEP` directions with the largest keep probabilities. m is the mean of the features of the points of the last
    /// refresh that are still in the window; m = 0 if uncentered.
    ///
    /// # Errors
    /// [`SampleError`]; the channel in the error is the position in `code`.
    pub fn expansion(&self, code: &[T; KEEP]) -> Result<Expansion<'_, T, K, DIM, WINDOW>, SampleError> {
        energy_of(code)?;
        let mut weights = [T::ZERO; WINDOW];
        for (&coordinate, column) in code.iter().zip(&self.components().data.0) {
            add_scaled(&mut weights, coordinate, column);
        }
        let known = self.directions.points.min(self.window.len());
        let in_use = |slot: &usize| *slot < known && !self.replaced_slots.contains(*slot);
        if self.settings.centering == Centering::Centered {
            // m + Σ βⱼ(φ(xⱼ) − m) with βⱼ = `weights`: the mean m has the weight 1 − Σ βⱼ, which is divided equally among the
            // points of the last refresh that are still in the window.
            let mut sum = T::ZERO;
            for &weight in &weights {
                sum += weight;
            }
            let share = (T::ONE - sum) / T::from_usize((0..WINDOW).filter(in_use).count().max(1));
            for (slot, weight) in weights.iter_mut().enumerate() {
                if in_use(&slot) {
                    *weight += share;
                }
            }
        }
        Expansion::over(self.window.as_points(), weights).ok_or_else(|| refusal(code))
    }
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Removes the unexpected part of a sample: searches for the sample whose features are nearest to the projection of the given
    /// sample's features onto the `KEEP` directions with the largest keep probabilities. The search starts at the given sample.
    ///
    /// # Errors
    /// [`SampleError`], as in [`KernelPca::denoise`](crate::kernel::KernelPca::denoise).
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings, PreimageSettings};
    ///
    /// let settings = OnlineKernelSettings::new(5.0_f32)?;
    /// // On a ring the eigenvalues after the first come in equal pairs. Five directions contain both directions of two pairs.
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 5, 16, 8>::new(Gaussian::DEFAULT, settings);
    /// for step in 0..16 {
    ///     let angle = step as f32 * core::f32::consts::TAU / 16.0;
    ///     pca.learn(&[angle.cos(), angle.sin()])?;
    /// }
    /// // A sample outside the ring is moved back to the ring.
    /// let [x, y] = pca.denoise(&[1.3, 0.0], PreimageSettings::DEFAULT)?.sample;
    /// assert!((x - 1.0).abs() < 0.1 && y.abs() < 0.1, "{x} {y}");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn denoise(&self, sample: &[T; DIM], settings: PreimageSettings<T>) -> Result<Preimage<T, DIM>, SampleError> {
        self.expansion(&self.transform(sample)?)?
            .preimage_from(sample, settings)
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

/// Scales `difference` so that its squares sum to `energy`. If `difference` is zero, all channels get equal values.
fn stretched<T: Scalar, const DIM: usize>(difference: [T; DIM], energy: T) -> [T; DIM] {
    let mut largest = T::ZERO;
    for value in difference {
        largest = largest.max(value.abs());
    }
    if largest == T::ZERO {
        return [(energy / T::from_usize(DIM.max(1))).sqrt(); DIM];
    }
    // Divides by a power of two first: the square of a difference of two samples can overflow.
    let unit = largest.power_of_two();
    let scaled = difference.map(|value| value / unit);
    let factor = energy.sqrt() / dot(&scaled, &scaled).sqrt();
    scaled.map(|value| value * factor)
}

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize]
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>: OnlineKernel [DIM, KEEP, WINDOW, RANK] of T with (K::NUMBER) {
        settings, window, directions, replaced_slots, waiting, since_refresh, samples_seen, excess
    }
    if validate
);

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.waiting < self.settings.stride, CodecError::Count)?;
        validate::accept(self.directions.points <= self.window.len(), CodecError::Count)?;
        // If uncentered, `shifts` and `mean` must be zero, because a refresh would not reset `shifts`.
        let shifts = self.directions.shifts.iter().chain([&self.directions.mean]);
        // If centered: k(x, x) is at most MAX/(4·`WINDOW`), so the shifts and `mean` of a window are within ±`limit`. With
        // numbers within ±`limit` no sum over the window overflows.
        let limit = match self.settings.centering {
            Centering::Uncentered => T::ZERO,
            Centering::Centered => T::MAX / T::from_usize(2 * WINDOW + 2),
        };
        validate::within(limit, shifts)?;
        check_columns(self.directions.vectors(), self.directions.count)?;
        // While a refresh is pending, a valid image can fail these checks: `push` removes a replaced point from the directions
        // and so changes `inverse_roots`.
        if self.since_refresh == 0 {
            let norms = self.window.norms().iter().take(self.window.len());
            self.directions
                .settled(norms.fold(T::ZERO, |loudest, &norm| loudest.max(norm)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
