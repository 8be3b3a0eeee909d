//! Online PCA by adding and projecting, the additive family of [WK08] section 9; in the literature capped MSG (matrix
//! stochastic gradient).
//! In: samples. Out: the matrix P of keep probabilities, and the expected loss xᵀ(I − P)x.
//! Method: P + η x xᵀ is projected: replaced by the nearest matrix with eigenvalues from 0 to 1 and trace `KEEP` (see
//! `level`). If all RANK entries are then in use and RANK < DIM, the stored direction of the smallest eigenvalue
//! joins the bulk, and P is projected again.
//! Cost: O(DIM·r²) to learn a sample, r the number of stored directions.

mod settings;

pub use settings::AdditiveSettings;

use super::projection::{as_columns, energy_in, reconstruct};
use super::tracking::{Split, rotate};
use crate::codec::{stored, validate};
use crate::learner::{energy_of, own_verbs};
use crate::spectrum::rank_one::update_in_place;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::spectrum::{check_orthonormal, tidy};
use crate::weights::Bulk;
use crate::{CodecError, EnergyScale, Learner, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Online PCA by adding and projecting, for comparison with [`TrackingPca`](crate::pca::TrackingPca).
///
/// With a tuned learning rate and `RANK` = `DIM`, the bound on the regret (total loss minus that of the best subspace)
/// grows with the square root of the number of samples; the bound of `TrackingPca` grows with the square root of the
/// loss of the best subspace.
///
/// With `RANK` < `DIM` no bound is known, and the learner can lose a new direction again after every sample. Example
/// with `DIM` 12, `KEEP` 2, `RANK` 6 and η = 0.01: 300 samples repeat six axes, then 2,700 samples are a seventh axis.
/// The keep probability of the seventh axis is then below 0.002; `TrackingPca` learns this axis.
///
/// ```
/// use eigenstream::pca::{AdditivePca, AdditiveSettings};
/// let mut pca = AdditivePca::<f32, 4, 1, 4>::new(AdditiveSettings::DEFAULT);
/// for _ in 0..40 {
///     pca.learn(&[0.6, 0.0, 0.8, 0.0])?;
/// }
/// assert!(pca.score(&[0.6, 0.0, 0.8, 0.0])? < 1e-3);
/// assert!(pca.score(&[0.0, 1.0, 0.0, 0.0])? > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AdditivePca<T, const DIM: usize, const KEEP: usize, const RANK: usize> {
    settings: AdditiveSettings<T>,
    scale: EnergyScale<T>,
    directions: SMatrix<T, DIM, RANK>,
    /// The keep probabilities of the stored directions, descending.
    kept: [T; RANK],
    /// The keep probability of the bulk. Before the first sample it is zero, and `bulk()` returns KEEP/DIM instead.
    bulk: T,
    rank: u32,
    samples_seen: u64,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> AdditivePca<T, DIM, KEEP, RANK> {
    /// The number of trials between two re-orthonormalisations of the stored directions.
    const TIDY_EVERY: u64 = 32;

    /// A learner that has seen no sample: P = (KEEP/DIM)·I.
    ///
    /// `RANK` is `DIM`, or from `KEEP` + 2 to `DIM` − 1. Another `RANK` does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{AdditivePca, AdditiveSettings};
    /// let pca = AdditivePca::<f32, 8, 2, 3>::new(AdditiveSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: AdditiveSettings<T>) -> Self {
        const { assert!(0 < KEEP && KEEP < DIM, "keep a direction and drop one: 0 < KEEP < DIM") };
        const { assert!(RANK <= DIM, "there are no more directions than channels: RANK <= DIM") };
        const { assert!(RANK == DIM || RANK >= KEEP + 2, "RANK is DIM, or at least KEEP + 2") };
        Self {
            settings,
            scale: EnergyScale::new(settings.scale),
            directions: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; RANK])),
            kept: [T::ZERO; RANK],
            bulk: T::ZERO,
            rank: 0,
            samples_seen: 0,
        }
    }

    /// The expected loss of a sample x, xᵀ(I − P)x.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(energy_in(&self.residual(sample)?))
    }

    /// The unexpected part of each channel, (I − P)^½ x; the squares sum to the score.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let energy = energy_of(sample)?;
        let Split {
            inside, mut outside, ..
        } = Split::<T, DIM, RANK>::of(sample, energy, self.stored());
        scale(&mut outside, (T::ONE - self.bulk()).max(T::ZERO).sqrt());
        for ((&inside, &kept), direction) in inside.iter().zip(&self.kept).zip(self.stored()) {
            add_scaled(&mut outside, inside * (T::ONE - kept).max(T::ZERO).sqrt(), direction);
        }
        Ok(outside)
    }

    /// Learns a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = energy_of(sample)?;
        self.bulk = self.bulk();
        self.scale.update(energy);
        let mut split = Split::<T, DIM, RANK>::of(sample, energy, self.stored());
        self.update(&mut split, energy);
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.samples_seen.is_multiple_of(Self::TIDY_EVERY) {
            let rank = self.rank();
            tidy(self.directions.data.0.get_mut(..rank).unwrap_or_default());
        }
        Ok(())
    }

    /// The code of a sample in the `KEEP` most likely directions; the last entries are zero if fewer are stored.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        energy_of(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (entry, direction) in code.iter_mut().zip(self.stored()) {
            *entry = dot(direction, sample);
        }
        Ok(code)
    }

    /// Rebuilds a sample from a code of [`transform`](Self::transform).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        reconstruct(&SVector::from([T::ZERO; DIM]), code, self.stored().iter())
    }

    /// The `KEEP` most likely directions, one per column; the last columns are zero if fewer are stored.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.stored().iter())
    }

    /// The keep probability of each direction, descending; the sum is `KEEP`.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        let mut probabilities = [self.bulk(); DIM];
        for (probability, &kept) in probabilities.iter_mut().zip(self.kept.iter().take(self.rank())) {
            *probability = kept;
        }
        probabilities
    }

    /// Writes P, the matrix of keep probabilities.
    pub fn projection(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        let bulk = self.bulk();
        for (place, column) in matrix.data.0.iter_mut().enumerate() {
            column.fill(T::ZERO);
            if let Some(diagonal) = column.get_mut(place) {
                *diagonal = bulk;
            }
            for (&kept, direction) in self.kept.iter().zip(self.stored()) {
                let entry = direction.get(place).copied().unwrap_or(T::ZERO);
                add_scaled(column, (kept - bulk) * entry, direction);
            }
        }
    }

    /// How many samples were learned.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Forgets all samples, and keeps the settings.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    const fn rank(&self) -> usize {
        self.rank as usize
    }

    fn stored(&self) -> &[[T; DIM]] {
        self.directions.data.0.get(..self.rank()).unwrap_or_default()
    }

    fn bulk(&self) -> T {
        if self.samples_seen == 0 {
            T::from_usize(KEEP) / T::from_usize(DIM)
        } else {
            self.bulk
        }
    }

    /// Adds η·x xᵀ to P and projects P; x is the sample of `split`.
    // If inlined, this function takes 990 bytes more flash at opt-level 3, with 20 channels and RANK 8.
    #[inline(never)]
    fn update(&mut self, split: &mut Split<T, DIM, RANK>, energy: T) {
        let before = self.rank();
        let mut count = before;
        let mut outside_scale = T::ONE;
        // An energy outside up to `smallest` is rounding error. A larger one needs a free entry. Learning leaves one
        // free unless all `DIM` directions are stored. A decoded learner without a free entry does not learn this part
        // outside.
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if split.outside_energy > smallest
            && let (Some(value), Some(entry)) = (self.kept.get_mut(count), split.inside.get_mut(count))
        {
            outside_scale = T::ONE / split.outside_energy.sqrt();
            *entry = split.outside_energy * outside_scale;
            *value = self.bulk;
            count += 1;
        }
        let mut small = [[T::ZERO; RANK]; RANK];
        let values = self.kept.get_mut(..count).unwrap_or_default();
        // A step η‖x‖² = DIM makes one eigenvalue at least DIM, and no other exceeds 1. A larger step would lose digits
        // of the others.
        let largest = T::from_usize(DIM) / energy.max(T::MIN_POSITIVE);
        let rate = (self.settings.learning_rate * self.scale.factor())
            .min(largest)
            .min(T::MAX);
        let columns = small.get_mut(..count).unwrap_or_default();
        let _ = update_in_place(values, &split.inside, energy, rate, columns);
        let mut rank = self.project(count);
        if rank == RANK && RANK < DIM {
            // All RANK entries are in use, so the direction with the smallest value joins the bulk.
            rank = self.project(RANK - 1);
        }
        for column in small.iter_mut().take(rank) {
            if let Some(entry) = column.get_mut(before) {
                *entry *= outside_scale;
            }
        }
        split.subtract_again(self.stored());
        rotate(&mut self.directions.data.0, &split.outside, &mut small, before, rank);
        self.rank = rank as u32;
    }

    /// Projects the first `count` values and the bulk. Returns how many of the values are above the new value of the
    /// bulk.
    fn project(&mut self, count: usize) -> usize {
        let bulk = Bulk {
            value: self.bulk,
            multiplicity: DIM.saturating_sub(count),
        };
        let values = self.kept.get_mut(..count).unwrap_or_default();
        let level = level(values, bulk, KEEP);
        // An empty bulk is set to zero, so that only directions of value zero join it.
        self.bulk = if count == DIM { T::ZERO } else { part(self.bulk, level) };
        for value in values.iter_mut() {
            *value = part(*value, level);
        }
        let least = self.bulk;
        values.iter().take_while(|&&value| value > least).count()
    }

    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.rank())?;
        validate::probabilities(&self.kept)?;
        validate::probabilities(&[self.bulk])?;
        let stored = self.kept.get(..self.rank()).unwrap_or_default();
        validate::in_order(stored, |left, right| left >= right)?;
        // `update` appends a new direction with the value of the bulk. The values stay descending only if the bulk is
        // at most the last value.
        let least = stored.last().copied().unwrap_or(T::MAX);
        validate::accept(least >= self.bulk, CodecError::Range)
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize]
    AdditivePca<T, DIM, KEEP, RANK>: Additive [DIM, KEEP, RANK] of T {
        settings, scale, directions, kept, bulk, rank, samples_seen
    }
    if validate
);

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Learner<T, DIM>
    for AdditivePca<T, DIM, KEEP, RANK>
{
    own_verbs!();
}

/// Returns θ for which Σ clip(a − θ, 0, 1) = `keep`, where a are the `values` and the bulk, and clip limits to 0 … 1.
fn level<T: Scalar>(values: &[T], bulk: Bulk<T>, keep: usize) -> T {
    let keep = T::from_usize(keep);
    let all = || {
        values
            .iter()
            .map(|&value| (value, 1))
            .chain([(bulk.value, bulk.multiplicity)])
    };
    let mut best = (-T::MAX, keep);
    for (value, multiplicity) in all() {
        if multiplicity == 0 {
            continue;
        }
        for point in [value, value - T::ONE] {
            let sum = kept(all(), point);
            if sum >= keep && point > best.0 {
                best = (point, sum);
            }
        }
    }
    // At θ = `point` the sum is at least `keep`; `falling` is the number of directions whose part falls when θ rises
    // above `point`.
    let (point, sum) = best;
    let falling: usize = all()
        .filter(|&(value, _)| value > point && value - T::ONE <= point)
        .map(|(_, multiplicity)| multiplicity)
        .sum();
    if falling == 0 {
        point
    } else {
        point + (sum - keep) / T::from_usize(falling)
    }
}

/// Returns Σ multiplicity·clip(a − θ, 0, 1) over the pairs (a, multiplicity), with θ = `level`.
fn kept<T: Scalar>(values: impl Iterator<Item = (T, usize)>, level: T) -> T {
    let mut sum = T::ZERO;
    for (value, multiplicity) in values {
        sum += T::from_usize(multiplicity) * part(value, level);
    }
    sum
}

/// Returns `value` − `level`, limited to 0 … 1.
fn part<T: Scalar>(value: T, level: T) -> T {
    (value - level).max(T::ZERO).min(T::ONE)
}

#[cfg(test)]
mod tests;
