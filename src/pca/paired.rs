//! Paired PCA ([WKs], [WK08] section 9): combinations of one group of channels that vary together with combinations of
//! another.
//! In: a sample x of `LEFT` channels with a sample y of `RIGHT` channels. Out: pairs of unit vectors (uᵢ, vᵢ), their
//! keep probabilities, gains, and the distance from the learned relation.
//! Method: online PCA by the singular values of M = Σ x yᵀ, with the directions z = (u; ±v)/√2. The gain along z is
//! zᵀSz = ±½(u·x)(v·y), with S = ½[0 xyᵀ; yxᵀ 0]. Proof: `guide::mathematics`, "Pairs as directions".
//! Cost: to learn, LEFT·RIGHT + (KEEP + 1)·(LEFT² + RIGHT²)/2 multiply-adds and one [`Svd`]; to score, 2·KEEP·(LEFT +
//! RIGHT).

use crate::codec::{stored, validate};
use crate::learner::{checked_rate, default_is_constant, energy_of, refusal};
use crate::rand_core::Rng;
use crate::scalar::constant::tried;
use crate::spectrum::Svd;
use crate::spectrum::symmetric::{add_outer, quadratic_form, scale_upper, trace};
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::weights::{Bulk, Keeping, Walk};
use crate::{CodecError, EnergyScale, Forgetting, Learner, SampleError, Scalar, ScaleSettings, SettingsError};
use nalgebra::{ArrayStorage, SMatrix};

/// How a [`PairedPca`](crate::pca::PairedPca) learns.
///
/// ```
/// use eigenstream::{Forgetting, pca::PairedSettings};
/// let settings = PairedSettings::new(0.5_f32)?.with_forgetting(Forgetting::memory(1_000.0)?);
/// assert_ne!(settings, PairedSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PairedSettings<T> {
    /// The learning rate before its division by the scale.
    learning_rate: T,
    forgetting: Forgetting<T>,
    scale: ScaleSettings<T>,
}

impl<T: Scalar> PairedSettings<T> {
    /// Learning rate 1 divided by the running mean of ‖x‖·‖y‖; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        forgetting: Forgetting::NONE,
        scale: ScaleSettings::DEFAULT,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// The form of \[WK08\] section 9, for ‖x‖·‖y‖ ≤ 1: the learning rate is not divided.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Sets the forgetting factor: each new sample multiplies the weight of all earlier ones by it.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }

    /// Sets the divisor of the learning rate: the mean of ‖x‖·‖y‖, a known bound of it, or 1.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(PairedSettings);
stored!([T: Scalar] PairedSettings<T> { learning_rate, forgetting, scale } by new(learning_rate));

/// Learns `KEEP` pairs of combinations, of `LEFT` and of `RIGHT` channels, that vary together.
///
/// As a [`Learner`](crate::Learner) it takes both groups in one sample, the `LEFT` channels first. The score is high
/// if the relation breaks, even if each group alone looks as usual. Errors count channels in the same order.
///
/// ```
/// use eigenstream::pca::{PairedPca, PairedSettings};
///
/// let mut pairs = PairedPca::<f32, 2, 2, 1>::new(PairedSettings::DEFAULT);
/// for i in 0..50 {
///     // The second response is twice the first command.
///     let command = (i % 7) as f32 - 3.0;
///     pairs.learn(&[command, 0.1], &[0.1, 2.0 * command])?;
/// }
/// assert!(pairs.score(&[3.0, 0.1], &[0.1, 6.0])? < 0.01);
/// assert!(pairs.score(&[3.0, 0.1], &[0.1, -6.0])? > 10.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairedPca<T, const LEFT: usize, const RIGHT: usize, const KEEP: usize> {
    settings: PairedSettings<T>,
    /// The sum M = Σ x yᵀ.
    cross: SMatrix<T, LEFT, RIGHT>,
    /// The sum Σ x xᵀ; only the upper triangle is used.
    left_scatter: SMatrix<T, LEFT, LEFT>,
    /// The sum Σ y yᵀ; only the upper triangle is used.
    right_scatter: SMatrix<T, RIGHT, RIGHT>,
    /// The decomposition of `cross`.
    svd: Svd<T, LEFT, RIGHT>,
    /// Two slopes for each leading pair: the first predicts v·y from u·x, the second predicts u·x from v·y.
    slopes: [[T; 2]; KEEP],
    scale: EnergyScale<T>,
    /// The number of samples in the sums, minus the forgotten part.
    weight: T,
    samples_seen: u64,
}

/// The result of one trial: the gain of the drawn directions, and the expected gain.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PairedTrial<T> {
    /// The sum of ±½(u·x)(v·y) over the drawn directions (u; ±v)/√2, at most ½‖x‖·‖y‖ in magnitude.
    pub gain: T,
    /// The sum of ±½(u·x)(v·y) over all directions, each term multiplied by the keep probability of its direction.
    pub expected_gain: T,
}

/// A combination of left channels and a combination of right channels that vary together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pair<'learner, T, const LEFT: usize, const RIGHT: usize> {
    /// The vector u, of length one.
    pub left: &'learner [T; LEFT],
    /// The vector v, of length one.
    pub right: &'learner [T; RIGHT],
    /// The singular value σ = Σ (u·x)(v·y) over the samples x, y.
    pub singular_value: T,
    /// The keep probability of (u; v)/√2, an eigenvector of ΣS with the eigenvalue σ/2: S = ½[0 xyᵀ; yxᵀ 0].
    pub keep_probability: T,
    /// The keep probability of (u; −v)/√2, an eigenvector of ΣS with the eigenvalue −σ/2.
    pub opposed_probability: T,
}

impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize> PairedPca<T, LEFT, RIGHT, KEEP> {
    /// The number of directions that belong to no pair.
    const UNPAIRED: usize = LEFT.abs_diff(RIGHT);

    /// A learner that has seen no sample: each direction is kept with probability KEEP/(LEFT + RIGHT).
    ///
    /// More pairs than the smaller group has channels do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{PairedPca, PairedSettings};
    /// let pairs = PairedPca::<f32, 4, 2, 3>::new(PairedSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: PairedSettings<T>) -> Self {
        const { assert!(KEEP > 0, "keep at least one pair: KEEP >= 1") };
        const { assert!(KEEP <= LEFT && KEEP <= RIGHT, "KEEP is above the smaller group") };
        Self {
            settings,
            cross: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; LEFT]; RIGHT])),
            left_scatter: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; LEFT]; LEFT])),
            right_scatter: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; RIGHT]; RIGHT])),
            svd: Svd::new(),
            slopes: [[T::ZERO; 2]; KEEP],
            scale: EnergyScale::new(settings.scale),
            weight: T::ZERO,
            samples_seen: 0,
        }
    }

    /// One trial: draws `KEEP` directions, computes the gain of the sample, then learns it.
    ///
    /// Rounding can, rarely, draw one direction more or fewer.
    ///
    /// ```
    /// use eigenstream::{pca::{PairedPca, PairedSettings}, rand_core::SeedableRng};
    ///
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut pairs = PairedPca::<f32, 2, 3, 1>::new(PairedSettings::DEFAULT);
    /// for _ in 0..30 {
    ///     pairs.step(&[1.0, 0.0], &[0.0, 0.6, 0.8], &mut rng)?;
    /// }
    /// let trial = pairs.step(&[1.0, 0.0], &[0.0, 0.6, 0.8], &mut rng)?;
    /// assert!((trial.expected_gain - 0.5).abs() < 1e-3);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step<R: Rng + ?Sized>(
        &mut self,
        left: &[T; LEFT],
        right: &[T; RIGHT],
        rng: &mut R,
    ) -> Result<PairedTrial<T>, SampleError> {
        let energies = self.check(left, right)?;
        let keeping = self.keeping();
        // This is systematic sampling in the order: (u; v) of all pairs, the directions of no pair, (u; −v) of all
        // pairs.
        let mut walk = Walk::new(T::uniform(rng));
        let mut gain = T::ZERO;
        for (u, v, value) in self.svd.pairs() {
            if walk.passes(keeping.probability(T::HALF * value)) {
                gain += T::HALF * dot(u, left) * dot(v, right);
            }
        }
        for _ in 0..Self::UNPAIRED {
            walk.passes(keeping.probability(T::ZERO));
        }
        for (u, v, value) in self.svd.pairs() {
            if walk.passes(keeping.probability(-T::HALF * value)) {
                gain -= T::HALF * dot(u, left) * dot(v, right);
            }
        }
        let trial = PairedTrial {
            gain,
            expected_gain: self.gain(&keeping, left, right),
        };
        self.update(left, right, energies);
        Ok(trial)
    }

    /// Learns a sample and computes the new pairs.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<(), SampleError> {
        let energies = self.check(left, right)?;
        self.update(left, right, energies);
        Ok(())
    }

    /// The expected gain of a sample: ½ Σ (pᵢ − p′ᵢ)(uᵢ·x)(vᵢ·y), with p′ᵢ the
    /// [`opposed_probability`](Pair::opposed_probability).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn expected_gain(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<T, SampleError> {
        energies_of(left, right)?;
        Ok(self.gain(&self.keeping(), left, right))
    }

    /// The pairs, by falling singular value, as many as the smaller group has channels.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<'_, T, LEFT, RIGHT>> {
        let keeping = self.keeping();
        self.svd.pairs().map(move |(left, right, value)| Pair {
            left,
            right,
            singular_value: value,
            keep_probability: keeping.probability(T::HALF * value),
            opposed_probability: keeping.probability(-T::HALF * value),
        })
    }

    /// The keep probability of each direction of the larger group that belongs to no pair.
    ///
    /// If `LEFT` = `RIGHT` there is no such direction; the result is then the keep probability for the eigenvalue zero.
    #[must_use]
    pub fn unpaired_probability(&self) -> T {
        self.keeping().probability(T::ZERO)
    }

    /// The sum M = Σ x yᵀ over the samples; with forgetting, older samples count less.
    #[must_use]
    pub const fn cross_scatter(&self) -> &SMatrix<T, LEFT, RIGHT> {
        &self.cross
    }

    /// How many samples have been learned.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// The squared distance of a sample from the relation of the `KEEP` leading pairs.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<T, SampleError> {
        let (left, right) = self.residual(left, right)?;
        Ok(dot(&left, &left) + dot(&right, &right))
    }

    /// The unexpected part of each channel of both groups; the squares sum to the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<([T; LEFT], [T; RIGHT]), SampleError> {
        energies_of(left, right)?;
        let mut residual = ([T::ZERO; LEFT], [T::ZERO; RIGHT]);
        for ((u, v, _), &[forward, backward]) in self.svd.pairs().zip(&self.slopes) {
            let (x, y) = (dot(u, left), dot(v, right));
            add_scaled(&mut residual.0, x - backward * y, u);
            add_scaled(&mut residual.1, y - forward * x, v);
        }
        // A steep slope times a large coordinate can overflow. In `residual.0` this is the coordinate of `right`, in
        // `residual.1` that of `left`. The error names the largest channel of this group.
        if dot(&residual.0, &residual.0) + dot(&residual.1, &residual.1) <= T::MAX {
            Ok(residual)
        } else if dot(&residual.0, &residual.0) <= T::MAX {
            Err(refusal(left))
        } else {
            Err(in_right_group::<LEFT>(refusal(right)))
        }
    }

    fn relate(&mut self) {
        let Self {
            left_scatter,
            right_scatter,
            svd,
            slopes,
            ..
        } = self;
        // An energy up to these limits can be the rounding error of the sums alone.
        let rounding = T::from_usize(4 * (LEFT + RIGHT)) * T::EPSILON;
        let (least_left, least_right) = (rounding * trace(left_scatter), rounding * trace(right_scatter));
        for (slopes, (u, v, value)) in slopes.iter_mut().zip(svd.pairs()) {
            *slopes = [
                slope(value, quadratic_form(left_scatter, u), least_left),
                slope(value, quadratic_form(right_scatter, v), least_right),
            ];
        }
    }

    /// The rule for the keep probabilities, from the eigenvalues of ΣS: zero, and ±σ/2 for each singular value σ of
    /// `cross`.
    fn keeping(&self) -> Keeping<T> {
        let mut above = [T::ZERO; LEFT];
        let mut below = [T::ZERO; LEFT];
        let values = self.svd.values();
        for ((above, below), (&value, &mirrored)) in above
            .iter_mut()
            .zip(&mut below)
            .zip(values.iter().zip(values.iter().rev()))
        {
            (*above, *below) = (T::HALF * value, -T::HALF * mirrored);
        }
        let (above, below) = (above.get(..values.len()), below.get(..values.len()));
        let rate = (self.settings.learning_rate * self.scale.factor()).min(T::MAX);
        let bulk = Bulk {
            value: T::ZERO,
            multiplicity: Self::UNPAIRED,
        };
        Keeping::around(above.unwrap_or_default(), bulk, below.unwrap_or_default(), rate, KEEP)
    }

    fn gain(&self, keeping: &Keeping<T>, left: &[T; LEFT], right: &[T; RIGHT]) -> T {
        let mut gain = T::ZERO;
        for (u, v, value) in self.svd.pairs() {
            let lead = keeping.probability(T::HALF * value) - keeping.probability(-T::HALF * value);
            gain += T::HALF * lead * (dot(u, left) * dot(v, right));
        }
        gain
    }

    /// Returns ‖x‖² and ‖y‖², or the reason why the sample is refused.
    fn check(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<[T; 2], SampleError> {
        let [left_energy, right_energy] = energies_of(left, right)?;
        // No entry and no singular value of `cross` is larger than the larger trace of the two scatters.
        let most = Self::most();
        if trace(&self.left_scatter) + left_energy > most {
            return Err(refusal(left));
        }
        if trace(&self.right_scatter) + right_energy > most {
            return Err(in_right_group::<LEFT>(refusal(right)));
        }
        Ok([left_energy, right_energy])
    }

    /// The largest allowed trace of a scatter; a quarter of `MAX` leaves room for rounding.
    fn most() -> T {
        T::from_f64(0.25) * T::MAX
    }

    fn update(&mut self, left: &[T; LEFT], right: &[T; RIGHT], [left_energy, right_energy]: [T; 2]) {
        let retention = self.settings.forgetting.count(&mut self.weight);
        self.scale.update(left_energy.sqrt() * right_energy.sqrt());
        for (column, &entry) in self.cross.data.0.iter_mut().zip(right) {
            scale(column, retention);
            add_scaled(column, entry, left);
        }
        scale_upper(&mut self.left_scatter, retention);
        add_outer(&mut self.left_scatter, T::ONE, left);
        scale_upper(&mut self.right_scatter, retention);
        add_outer(&mut self.right_scatter, T::ONE, right);
        // If the SVD stops at its limit of sweeps, its vectors are still orthonormal.
        let _ = self.svd.decompose(&self.cross);
        self.relate();
        self.samples_seen = self.samples_seen.saturating_add(1);
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.weight])?;
        // |Σ xᵢyⱼ| is at most half the sum of both traces; the other half allows rounding.
        let largest = checked_trace(&self.left_scatter)? + checked_trace(&self.right_scatter)?;
        validate::within(largest, self.cross.iter())
    }
}

stored!(
    [T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize]
    PairedPca<T, LEFT, RIGHT, KEEP>: Paired [LEFT, RIGHT, KEEP] of T {
        settings, cross, left_scatter, right_scatter, svd, slopes, scale, weight, samples_seen
    }
    if validate
);

/// The trace, plus `MIN_POSITIVE` for the rounding of subnormal numbers; an error if no samples can have this scatter.
fn checked_trace<T: Scalar, const N: usize>(scatter: &SMatrix<T, N, N>) -> Result<T, CodecError> {
    for (i, column) in scatter.data.0.iter().enumerate() {
        validate::not_negative(column.get(i..=i).unwrap_or_default())?;
    }
    let trace = trace(scatter) + T::MIN_POSITIVE;
    // The exact trace is at most `most`; the limit is twice as large, to allow rounding.
    validate::accept(trace <= T::HALF * T::MAX, CodecError::Range)?;
    validate::within(trace, scatter.iter())?;
    Ok(trace)
}

fn energies_of<T: Scalar, const LEFT: usize, const RIGHT: usize>(
    left: &[T; LEFT],
    right: &[T; RIGHT],
) -> Result<[T; 2], SampleError> {
    Ok([energy_of(left)?, energy_of(right).map_err(in_right_group::<LEFT>)?])
}

/// Changes the channel of an error in the right group, so that it counts from the first channel of the left group.
fn in_right_group<const LEFT: usize>(mut error: SampleError) -> SampleError {
    let (SampleError::NotANumber { channel } | SampleError::TooLarge { channel }) = &mut error;
    *channel = LEFT.wrapping_add(*channel);
    error
}

/// Returns `value`/`energy`, at most `MAX`; zero if `energy` is at most `least`.
fn slope<T: Scalar>(value: T, energy: T, least: T) -> T {
    if energy > least {
        (value / energy).min(T::MAX)
    } else {
        T::ZERO
    }
}

/// A `DIM` other than LEFT + RIGHT does not compile.
impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize, const DIM: usize> Learner<T, DIM>
    for PairedPca<T, LEFT, RIGHT, KEEP>
{
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (left, right) = split(sample);
        self.score(&left, &right)
    }

    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let (left, right) = split(sample);
        let (left, right) = self.residual(&left, &right)?;
        let mut whole = [T::ZERO; DIM];
        for (whole, part) in whole.iter_mut().zip(left.into_iter().chain(right)) {
            *whole = part;
        }
        Ok(whole)
    }

    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let (left, right) = split(sample);
        self.learn(&left, &right)
    }

    fn forget(&mut self) {
        self.reset();
    }
}

fn split<T: Scalar, const LEFT: usize, const RIGHT: usize, const DIM: usize>(
    sample: &[T; DIM],
) -> ([T; LEFT], [T; RIGHT]) {
    const { assert!(LEFT + RIGHT == DIM, "a sample has both groups: DIM = LEFT + RIGHT") };
    let (mut left, mut right) = ([T::ZERO; LEFT], [T::ZERO; RIGHT]);
    for (target, &value) in left.iter_mut().chain(&mut right).zip(sample) {
        *target = value;
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn sums_that_no_samples_can_have_are_refused() -> Result<(), SampleError> {
        type Pairs = PairedPca<f32, 2, 1, 1>;
        let mut pairs = Pairs::new(PairedSettings::DEFAULT);
        let mut image = [0; Pairs::ENCODED_LEN];
        let mut restored = |pairs: &Pairs| {
            assert!(pairs.encode(&mut image).is_ok());
            Pairs::decode(&image).map(|_| ())
        };
        // One ordinary and two extreme samples, all accepted by `learn`.
        for [a, b, c] in [[3.0, -4.0, 2.0], [1e-23, 1e-22, -1e-23], [6e18, 6e18, -9e18]] {
            pairs.learn(&[a, b], &[c])?;
            assert_eq!(restored(&pairs), Ok(()));
        }
        let change = |change: fn(&mut Pairs)| {
            let mut changed = pairs.clone();
            change(&mut changed);
            changed
        };
        for forged in [
            change(|pairs| pairs.left_scatter[(1, 1)] = -1e37),
            change(|pairs| pairs.left_scatter[(0, 1)] = 8e37),
            change(|pairs| pairs.left_scatter *= 4.0),
            change(|pairs| pairs.right_scatter[(0, 0)] = -1.0),
            change(|pairs| pairs.cross[(1, 0)] = -3e38),
        ] {
            assert_eq!(restored(&forged), Err(CodecError::Range));
        }
        // With three channels the trace can be above every entry although one entry of the diagonal is negative.
        type Wide = PairedPca<f32, 3, 1, 1>;
        let mut wide = Wide::new(PairedSettings::DEFAULT);
        let mut image = [0; Wide::ENCODED_LEN];
        for (entry, refusal) in [(4.0, None), (-4.0, Some(CodecError::Range))] {
            wide.left_scatter = SMatrix::from_diagonal(&[5.0, 5.0, entry].into());
            assert!(wide.encode(&mut image).is_ok());
            assert_eq!(Wide::decode(&image).err(), refusal);
        }
        Ok(())
    }

    #[test]
    fn the_score_is_that_of_the_slow_way() -> Result<(), SampleError> {
        let mut pairs = PairedPca::<f64, 3, 2, 2>::new(PairedSettings::DEFAULT);
        let samples = [
            ([1.0, 0.5, -0.25], [0.75, 1.0]),
            ([-0.5, 1.0, 0.5], [0.25, -1.0]),
            ([0.25, 0.25, 1.0], [-0.5, 0.5]),
        ];
        for (left, right) in &samples {
            pairs.learn(left, right)?;
        }
        let (x, y) = ([0.3, -0.2, 0.9], [1.5, 0.1]);
        let mut wanted = 0.0;
        for pair in pairs.pairs() {
            let (mut left_energy, mut right_energy) = (0.0, 0.0);
            for (left, right) in &samples {
                left_energy += dot(pair.left, left).powi(2);
                right_energy += dot(pair.right, right).powi(2);
            }
            let (along_x, along_y) = (dot(pair.left, &x), dot(pair.right, &y));
            wanted += (along_y - pair.singular_value / left_energy * along_x).powi(2);
            wanted += (along_x - pair.singular_value / right_energy * along_y).powi(2);
        }
        assert!((pairs.score(&x, &y)? - wanted).abs() < 1e-13);
        let residual: [f64; 5] = Learner::residual(&pairs, &[0.3, -0.2, 0.9, 1.5, 0.1])?;
        assert!((dot(&residual, &residual) - wanted).abs() < 1e-13);
        Ok(())
    }

    #[test]
    fn a_channel_that_never_moved_predicts_nothing() -> Result<(), SampleError> {
        let mut pairs = PairedPca::<f32, 2, 2, 2>::new(PairedSettings::DEFAULT);
        pairs.learn(&[1.0, 0.0], &[2.0, 0.0])?;
        assert_eq!(pairs.slopes, [[2.0, 0.5], [0.0, 0.0]]);
        // The slopes of the second pair are zero, so its coordinates count in full: 3² + 4².
        assert_eq!(pairs.score(&[1.0, 3.0], &[2.0, 4.0])?, 25.0);
        Ok(())
    }

    #[test]
    fn channels_of_the_right_group_are_counted_on() {
        let pairs = PairedPca::<f32, 2, 2, 1>::new(PairedSettings::DEFAULT);
        let refused = Learner::score(&pairs, &[0.0, 0.0, 0.0, f32::NAN]);
        assert_eq!(refused, Err(SampleError::NotANumber { channel: 3 }));
    }
}
