//! Paired PCA: which combination of one group of channels goes with which combination of another, [WKs] and [WK08] section 9.
//! In: a sample x of `LEFT` channels with a sample y of `RIGHT` channels, for example commands and responses of a machine. Out: pairs of unit vectors
//! (uᵢ, vᵢ) for which Σ(uᵢ·x)(vᵢ·y) is large, their probabilities, and how far a sample is from the learned relation.
//! Method: x and y are embedded as S = ½[[0, x yᵀ], [y xᵀ, 0]] of N = `LEFT` + `RIGHT` rows, the gain to keep, so that the rule and the bounds of the
//! crate hold with N for n if ‖x‖·‖y‖ ≤ 1. ΣS has the eigenvalues ±σᵢ/2, and zero |LEFT − RIGHT| times, σ the singular values of
//! M = Σ x yᵀ; its eigenvectors are (uᵢ; ±vᵢ)/√2. So M is kept and decomposed, and the rule takes the scores ±ησᵢ/2 and `KEEP` of N.
//! The score of a sample is its distance from the KEEP leading pairs: `relation`.
//! Cost: LEFT·RIGHT + LEFT²/2 + RIGHT²/2 multiply-adds and one [`Svd`] to learn a sample, KEEP·(LEFT + RIGHT) to score one.
//! Kept: LEFT·RIGHT + 2·LEFT² + 2·RIGHT² + LEFT + 2·KEEP + 8 numbers and a count.

mod relation;
mod settings;

pub use settings::PairedSettings;

use crate::codec::{stored, validate};
use crate::learner::{energy_of, refusal};
use crate::rand_core::Rng;
use crate::spectrum::Svd;
use crate::spectrum::symmetric::{add_outer, scale_upper, trace};
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::weights::{Bulk, Keeping, Walk};
use crate::{CodecError, EnergyScale, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// Learns which `KEEP` combinations of `LEFT` channels go with which combinations of `RIGHT` channels.
///
/// As a [`Learner`](crate::Learner) it takes both groups in one sample, `LEFT` channels first, and its score is high where the relation
/// between the groups breaks, also if each group alone looks as usual.
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
    /// M = Σ x yᵀ.
    cross: SMatrix<T, LEFT, RIGHT>,
    /// A = Σ x xᵀ, upper triangle.
    left_scatter: SMatrix<T, LEFT, LEFT>,
    /// B = Σ y yᵀ, upper triangle.
    right_scatter: SMatrix<T, RIGHT, RIGHT>,
    /// Of M.
    svd: Svd<T, LEFT, RIGHT>,
    /// βᵢ and β′ᵢ of each kept pair.
    slopes: [[T; 2]; KEEP],
    scale: EnergyScale<T>,
    /// How many samples the sums stand for.
    weight: T,
    samples_seen: u64,
}

/// One trial: the gain of the directions that were drawn, and the gain to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PairedTrial<T> {
    /// Σ zᵀSz over the directions z that were drawn: at most ½‖x‖·‖y‖.
    pub gain: T,
    /// The expected gain over all draws, Σ pᵢ·zᵢᵀSzᵢ.
    pub expected_gain: T,
}

/// A combination of each group that go together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pair<'learner, T, const LEFT: usize, const RIGHT: usize> {
    /// u, of length one.
    pub left: &'learner [T; LEFT],
    /// v, of length one.
    pub right: &'learner [T; RIGHT],
    /// σ = uᵀM v.
    pub singular_value: T,
    /// The probability to keep (u; v)/√2, of the score ησ/2.
    pub keep_probability: T,
    /// The probability to keep (u; −v)/√2, of the score −ησ/2.
    pub opposed_probability: T,
}

impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize> PairedPca<T, LEFT, RIGHT, KEEP> {
    /// Directions that are in no pair.
    const UNPAIRED: usize = LEFT.abs_diff(RIGHT);

    /// A learner that has seen nothing: every direction is kept with probability KEEP/N.
    ///
    /// More pairs than the smaller group has channels do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{PairedPca, PairedSettings};
    /// let pairs = PairedPca::<f32, 4, 2, 3>::new(PairedSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: PairedSettings<T>) -> Self {
        const {
            assert!(
                0 < KEEP && KEEP <= LEFT && KEEP <= RIGHT,
                "keep at least one pair, and no more than the smaller group has channels"
            )
        };
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

    /// One trial: draws `KEEP` directions, gains what the sample has in them, and learns it.
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
    /// [`SampleError`]; channels of y count on from those of x.
    pub fn step<R: Rng + ?Sized>(
        &mut self,
        left: &[T; LEFT],
        right: &[T; RIGHT],
        rng: &mut R,
    ) -> Result<PairedTrial<T>, SampleError> {
        let energies = self.check(left, right)?;
        let keeping = self.keeping();
        // Systematic sampling over the directions (u; v), the unpaired ones and (u; −v).
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

    /// Learns from a sample: M ← f·M + x yᵀ.
    ///
    /// # Errors
    /// [`SampleError`]; channels of y count on from those of x.
    pub fn learn(&mut self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<(), SampleError> {
        let energies = self.check(left, right)?;
        self.update(left, right, energies);
        Ok(())
    }

    /// The gain to expect of a sample, ½ Σ (pᵢ − p′ᵢ)(uᵢ·x)(vᵢ·y) with p and p′ the probabilities of (uᵢ; vᵢ) and (uᵢ; −vᵢ).
    ///
    /// # Errors
    /// [`SampleError`]; channels of y count on from those of x.
    pub fn expected_gain(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<T, SampleError> {
        energies_of(left, right)?;
        Ok(self.gain(&self.keeping(), left, right))
    }

    /// The pairs, the largest singular value first: as many as the smaller group has channels.
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

    /// The probability to keep each direction of the larger group that is in no pair.
    #[must_use]
    pub fn unpaired_probability(&self) -> T {
        self.keeping().probability(T::ZERO)
    }

    /// M = Σ x yᵀ, weighed down by what was forgotten.
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

    /// The rule over the scores ±ησ/2 and zero for the directions in no pair.
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

    /// ‖x‖² and ‖y‖² of a sample with which the sums stay finite.
    fn check(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<[T; 2], SampleError> {
        let [left_energy, right_energy] = energies_of(left, right)?;
        // No entry of M, A or B and no singular value exceeds the larger trace.
        let most = Self::most();
        if trace(&self.left_scatter) + left_energy > most {
            return Err(refusal(left));
        }
        if trace(&self.right_scatter) + right_energy > most {
            return Err(in_right_group::<LEFT>(refusal(right)));
        }
        Ok([left_energy, right_energy])
    }

    /// The largest trace of a sum: a quarter of the largest number, which leaves room for a sample and for rounding.
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
        // Finite, since `check` took the sample. Sweeps that hit their bound leave orthonormal vectors.
        let _ = self.svd.decompose(&self.cross);
        self.relate();
        self.samples_seen = self.samples_seen.saturating_add(1);
    }
}

stored!(
    [T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize]
    PairedPca<T, LEFT, RIGHT, KEEP>: Paired [LEFT, RIGHT, KEEP] of T {
        settings, cross, left_scatter, right_scatter, svd, slopes, scale, weight, samples_seen
    }
    if validate
);

impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize> PairedPca<T, LEFT, RIGHT, KEEP> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.weight])?;
        validate::within(Self::most(), self.cross.iter())?;
        validate::within(Self::most(), self.left_scatter.iter())?;
        validate::within(Self::most(), self.right_scatter.iter())
    }
}

/// ‖x‖² and ‖y‖².
pub(super) fn energies_of<T: Scalar, const LEFT: usize, const RIGHT: usize>(
    left: &[T; LEFT],
    right: &[T; RIGHT],
) -> Result<[T; 2], SampleError> {
    Ok([energy_of(left)?, energy_of(right).map_err(in_right_group::<LEFT>)?])
}

/// The error with its channel counted from the first one of the left group.
pub(super) fn in_right_group<const LEFT: usize>(error: SampleError) -> SampleError {
    match error {
        SampleError::NotANumber { channel } => SampleError::NotANumber {
            channel: LEFT + channel,
        },
        SampleError::TooLarge { channel } => SampleError::TooLarge {
            channel: LEFT + channel,
        },
    }
}
