//! Online kernel PCA on a stream.
//! In: samples. Out: for each sample its code in `KEEP` directions, the loss of this code, and a learner that has
//! learned the sample.
//! Method: [KW07] Algorithm 6 over the newest `WINDOW` stored samples, with these steps for each sample: comparisons
//! with the points, coordinates, draw, code and losses, update of the window, eigenproblem.
//! Cost: a kernel call for each point, WINDOW multiply-adds for each direction that can be kept, and the eigenproblem
//! of K (see `directions`). Kept: WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 6 numbers, WINDOW flags, counters and
//! the kernel.

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
use excess::ExtraLoss;
use nalgebra::SMatrix;
pub use settings::OnlineKernelSettings;

/// Online kernel PCA that keeps at most `KEEP` directions of the newest `WINDOW` stored samples.
///
/// It stores at most `RANK` directions. With `RANK` = `WINDOW`, uncentered and refreshed after every sample, the
/// results are those of the corrected \[KW07\] Algorithm 6 on the points of the window, up to rounding. With
/// [`Ambient::Points`] the keep probabilities are as printed there.
///
/// A smaller `RANK`, at least `KEEP` + 2, saves memory:
/// - While at most `RANK` directions can be kept, the results are, up to rounding, those of `RANK` = `WINDOW`.
/// - A direction beyond `RANK` is never drawn. [`excess`](Self::excess) bounds the extra expected loss.
/// - Many directions with similar eigenvalues, such as clusters of a few samples, need a larger `RANK`.
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
    /// The slots written since the last refresh; the directions do not use them.
    replaced_slots: Subset<WINDOW>,
    /// The number of samples that the stride still skips.
    waiting: u32,
    /// The number of points stored since the last refresh.
    since_refresh: u32,
    samples_seen: u64,
    excess: ExtraLoss<T>,
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
    /// The sample was stored; scores use the old directions until the next refresh.
    Stored,
    /// The sample was skipped because of the stride or the novelty.
    Skipped,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// A learner without samples.
    ///
    /// Invalid sizes do not compile:
    ///
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
            excess: ExtraLoss::NONE,
        }
    }

    /// One trial: draws the directions to keep, computes code and losses, and learns the sample.
    ///
    /// If fewer than `KEEP` directions are drawn, the other entries of the code are zero. This can happen while the
    /// keep probabilities of the stored directions sum to less than `KEEP`.
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

    /// [`step`](Self::step) with the draw of \[WK08\], as in
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

    /// A trial without the refresh.
    // This function is not inlined, so that `row` leaves the stack before the eigenproblem is solved.
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

    /// The expected loss of a sample that is not learned; a large loss means an unusual sample.
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

    /// Stores a sample, unless stride or novelty skips it, then calls [`refresh`](Self::refresh).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        self.update(sample)?;
        self.refresh();
        Ok(())
    }

    /// [`learn`](Self::learn) without the refresh.
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

    /// Stores a sample, unless stride or novelty skips it, and leaves the eigenproblem for [`refresh`](Self::refresh).
    ///
    /// This half of [`learn`](Self::learn) is for an interrupt: O(WINDOW·RANK) operations and at most `WINDOW` + 1
    /// kernel calls. Until the refresh, scores use the old directions without the points that were replaced.
    ///
    /// # Errors
    /// [`SampleError`].
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

    /// Computes the directions of the points in the window, if a point was stored since the last refresh.
    ///
    /// This half of [`learn`](Self::learn) can wait for idle time.
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

    /// Forgets all samples; the kernel and the settings stay.
    pub fn reset(&mut self) {
        self.window.clear();
        self.directions.reset();
        self.replaced_slots = Subset::EMPTY;
        self.waiting = 0;
        self.since_refresh = 0;
        self.samples_seen = 0;
        self.excess = ExtraLoss::NONE;
    }

    fn coordinates(&self, norm: T, row: &[T; WINDOW]) -> Coordinates<T, RANK> {
        self.directions
            .coordinates(norm, *row, &self.replaced_slots, self.settings.centering)
    }

    /// Counts a sample, and returns whether to store it.
    fn update_intake(&mut self, norm: T, row: &[T; WINDOW]) -> bool {
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.waiting > 0 {
            self.waiting -= 1;
            return false;
        }
        let novelty = self.settings.novelty;
        if novelty > T::ZERO {
            // 1 − cosine² is the fraction of ‖φ(x)‖² that is orthogonal to the features of the point. Each energy has
            // its own root, because the product of two energies can overflow.
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
        self.waiting = self.settings.stride.saturating_sub(1);
        true
    }

    fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) {
        self.window.store(sample, norm, row);
        self.since_refresh = self.since_refresh.saturating_add(1);
    }

    /// Draws the directions to keep, and computes code and losses.
    fn draw<D: Draw, R: Rng + ?Sized>(&self, coordinates: &Coordinates<T, RANK>, rng: &mut R) -> Trial<T, KEEP> {
        // A code contains only directions inside the span of the points.
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

    /// A bound on the extra loss caused by a `RANK` below `WINDOW` and by late refreshes, summed over all samples.
    ///
    /// Up to rounding, the total expected loss is at most that of an equal learner with `RANK` = `WINDOW` that is
    /// refreshed after each sample, plus the excess. The excess of that learner is zero.
    ///
    /// The total expected loss is also at most [`Bounds::dimension_free`](crate::bounds::Bounds::dimension_free) of
    /// `KEEP`, plus the excess, if all of these hold:
    /// - No point has left the window.
    /// - The settings are stride 1, novelty 0, [`Ambient::Infinite`] and uncentered.
    /// - k(x, x) ≤ 1 for every sample.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// // The samples are twelve axes in turn. One direction is kept, three are stored.
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

    /// Whether a loss can be larger than with all directions stored and no refresh pending.
    fn loses_more(&self) -> bool {
        self.since_refresh > 0 || self.directions.left_out() > T::ZERO
    }

    /// Adds the bound on the extra loss of a sample, before the sample is learned.
    fn charge(&mut self, norm: T, row: &[T; WINDOW]) {
        if self.loses_more() {
            self.charge_seen(&self.coordinates(norm, row));
        }
    }

    /// [`charge`](Self::charge) with coordinates that are already computed.
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

    /// Distributes the score over the channels; the squares sum to the score, up to rounding.
    ///
    /// The result is √(score)·(x − xⱼ)/‖x − xⱼ‖ with the point xⱼ nearest to x in feature space; xⱼ = 0 without points.
    /// If x = xⱼ, all channels get equal values.
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
            // `distance` is ‖φ(x) − φ(xⱼ)‖² without k(x, x), which is equal for all points.
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

    /// The coordinates of a sample in the `KEEP` directions with the largest keep probabilities; nothing is drawn.
    ///
    /// The coordinate of a direction that is missing or cannot be kept is zero. Points that [`push`](Self::push) has
    /// replaced since the last refresh are left out of the directions; the centring is then inexact.
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

    /// The `KEEP` directions with the largest keep probabilities, one in each column, as weights of the points by slot.
    ///
    /// The column of a direction that is missing or cannot be kept is zero, and so is the row of a point that is newer
    /// than the last refresh.
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

    /// The keep probability of each stored direction, descending; zero for a missing direction.
    #[must_use]
    pub const fn keep_probabilities(&self) -> &[T; RANK] {
        &self.directions.probabilities
    }

    /// The keep probability of a direction outside the span of the points.
    ///
    /// It is above zero only with [`Ambient::Finite`]. Before the first refresh it is `KEEP`/N for N dimensions, but at
    /// most 1.
    #[must_use]
    pub fn outside_probability(&self) -> T {
        if self.directions.points > 0 {
            self.directions.outside
        } else {
            let settings = &self.settings;
            settings.ambient.outlook(&[], 0, settings.learning_rate, KEEP).outside
        }
    }

    /// The known leading eigenvalues at the last refresh, then zeros.
    ///
    /// They include those of all stored directions that can be kept.
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; RANK] {
        &self.directions.values
    }

    /// Computes all eigenvalues of the present points, descending; a negative eigenvalue becomes zero.
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

    /// The number of samples learned since the start or the last [`reset`](Self::reset), with the skipped ones.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// The feature vector μ + Σ codeᵢ·vᵢ of a code of [`transform`](Self::transform), as a weighted sum over the
    /// points.
    ///
    /// μ is the mean over the points of the last refresh that are still in the window.
    ///
    /// # Errors
    /// [`SampleError`]; its channel is the position in `code`.
    pub fn expansion(&self, code: &[T; KEEP]) -> Result<Expansion<'_, T, K, DIM, WINDOW>, SampleError> {
        energy_of(code)?;
        let mut weights = [T::ZERO; WINDOW];
        for (&coordinate, column) in code.iter().zip(&self.components().data.0) {
            add_scaled(&mut weights, coordinate, column);
        }
        let known = self.directions.points.min(self.window.len());
        let in_use = |slot: &usize| *slot < known && !self.replaced_slots.contains(*slot);
        if self.settings.centering == Centering::Centered {
            // The mean μ gets the weight 1 − (the sum of `weights`), which is divided equally among the points in use.
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
    /// Removes the unexpected part of a sample: the pre-image of its projection onto the `KEEP` most probable
    /// directions.
    ///
    /// The search starts at the sample.
    ///
    /// # Errors
    /// [`SampleError`], as in [`KernelPca::denoise`](crate::kernel::KernelPca::denoise).
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings, PreimageSettings};
    ///
    /// let settings = OnlineKernelSettings::new(5.0_f32)?;
    /// // On a ring equal pairs of eigenvalues follow the first. Five directions contain both directions of two pairs.
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

    /// k(x, x) of a sample; if centered, from the first refresh on, ‖φ(x) − μ‖².
    ///
    /// ‖φ(x) − μ‖² is inexact if `push` has replaced a point since the last refresh: μ·φ(x) is computed with the
    /// present points, ‖μ‖² with those at the refresh.
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        Ok(self.coordinates(norm, &row).energy)
    }
}

/// Scales `difference` so that its squares sum to `energy`; a zero `difference` becomes equal values.
fn stretched<T: Scalar, const DIM: usize>(difference: [T; DIM], energy: T) -> [T; DIM] {
    let mut largest = T::ZERO;
    for value in difference {
        largest = largest.max(value.abs());
    }
    if largest == T::ZERO {
        return [(energy / T::from_usize(DIM.max(1))).sqrt(); DIM];
    }
    // The square of a difference of two samples can overflow.
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
        // If uncentered, all shifts must be zero, because a refresh would not reset `shifts`.
        let shifts = self.directions.shifts.iter().chain([&self.directions.mean]);
        // k(x, x) is at most MAX/(4·`WINDOW`); within ±`limit` no sum over the window overflows.
        let limit = match self.settings.centering {
            Centering::Uncentered => T::ZERO,
            Centering::Centered => T::MAX / T::from_usize(2 * WINDOW + 2),
        };
        validate::within(limit, shifts)?;
        check_columns(self.directions.vectors(), self.directions.count)?;
        // While a refresh is pending, `push` can have changed `inverse_roots`.
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
