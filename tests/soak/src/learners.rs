//! The learners of the soak test, from the list `long_lives` of the registry, each in `f32` with a twin in `f64`.
//! Slow learners run a part of the steps.

use eigenstream::nalgebra::SMatrix;
use eigenstream::{Codec, Learner, Scalar};
use eigenstream_registry::types::*;
use eigenstream_registry::{self as registry, Listener, Refused, Spoken, long_lives};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::driver::{CHECK_EVERY, Life, Report, Subject, soak};
use super::stream::Stream;

/// Mean of the streams of the entries `at LEVEL`.
const LEVEL: f64 = 256.0;
/// Memory of the forgetting learners, in samples.
const MEMORY: f64 = 2_000.0;

/// Number of steps in which a learner with the life [`remembered`] is compared with its twin.
///
/// From about 2²¹ samples on, its sums in `f32` no longer count all samples fully, so losses differ from those in `f64`.
const WHOLE_MEMORY: u64 = 2_000_000;

/// One learner of the list.
pub struct Soaked {
    /// The learner runs 1/`part` of the steps.
    pub part: u64,
    /// Runs a number of steps; calls the function after every check.
    pub run: fn(u64, &mut dyn FnMut()) -> Report,
}

impl Soaked {
    /// How many of the steps this learner runs.
    pub fn steps(&self, steps: u64) -> u64 {
        (steps / self.part).max(CHECK_EVERY.min(steps))
    }
}

/// A run that is compared with the twin to its end.
const fn whole(steps: u64) -> Life {
    Life { steps, compared: steps }
}

/// A run that is compared with the twin for [`WHOLE_MEMORY`] steps.
const fn remembered(steps: u64) -> Life {
    Life {
        steps,
        compared: WHOLE_MEMORY,
    }
}

/// A run that is not compared with the twin.
const fn alone(steps: u64) -> Life {
    Life { steps, compared: 0 }
}

/// Makes the learner for one number type, in its wrapper.
macro_rules! make {
    ($T:ident, $wrapper:ident, $learner:ty = $make:expr) => {{
        fn make<T: Scalar>() -> $wrapper<$learner> {
            $wrapper($make)
        }
        make::<$T>()
    }};
}

/// The list of learners.
macro_rules! soaked {
    ($($name:literal: $wrapper:ident, $learner:ty = $make:expr,
        stream $seed:literal at $level:expr, $life:ident, one step in $part:literal;)+) => {
        /// Every learner, in the order of `long_lives`.
        // Static instead of constant: the learners are then compiled in this crate, which is optimised for speed.
        pub static ALL: &[Soaked] = &[$(
            Soaked {
                part: $part,
                run: |steps, checked| {
                    let single = make!(f32, $wrapper, $learner = $make);
                    let double = make!(f64, $wrapper, $learner = $make);
                    soak($name, single, double, Stream::new($seed, $level), $life(steps), checked)
                },
            },
        )+];
    };
}

long_lives!(soaked);

/// Keeps the losses of the last trial.
struct Losses<T>(Option<[T; 2]>);

impl<T: Scalar> Listener<T> for Losses<T> {
    fn hear(&mut self, said: impl Spoken<T>) {
        self.0 = said.losses().or(self.0);
    }
}

/// Saves the learner and restores it; `None` if it refuses its own image.
fn reborn<L: Codec>(learner: &L) -> Option<L> {
    let mut image = vec![0; L::ENCODED_LEN];
    learner.encode(&mut image).ok()?;
    L::decode(&image).ok()
}

/// A learner that gets the samples as they are.
struct Alive<L>(L);

impl<T: Scalar, L: registry::Subject<DIM, Number = T>, const DIM: usize> Subject<T, DIM> for Alive<L> {
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        let mut losses = Losses(None);
        self.0.trial(sample, rng, &mut losses)?;
        // A trial without losses returns NaN, which fails the check.
        Ok(losses.0.unwrap_or([T::from_f64(f64::NAN); 2]))
    }

    fn orthogonality_error(&self) -> Option<T> {
        self.0.orthogonality_error()
    }

    fn probability_sum_error(&self) -> Option<f64> {
        self.0.probability_sum_error()
    }

    fn reborn(&self) -> Option<Self> {
        reborn(&self.0).map(Self)
    }
}

/// Batch PCA: learns and scores each sample, and fits once in [`CHECK_EVERY`] samples.
struct FittedNowAndThen<L>(L);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Subject<T, DIM> for FittedNowAndThen<BatchPca<T, DIM, KEEP>> {
    fn trial(&mut self, sample: &[T; DIM], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        self.0.learn(sample)?;
        if self.0.samples_seen() % CHECK_EVERY == 1 {
            let _ = self.0.fit();
        }
        Ok([self.0.score(sample)?; 2])
    }

    fn orthogonality_error(&self) -> Option<T> {
        registry::Subject::orthogonality_error(&self.0)
    }

    fn probability_sum_error(&self) -> Option<f64> {
        None
    }

    fn reborn(&self) -> Option<Self> {
        reborn(&self.0).map(Self)
    }
}

/// Learns the matrix x·xᵀ + 0.01·I for each sample x; without 0.01·I the least variance would be zero up to rounding,
/// with either sign.
struct WithNoiseFloor<L>(L);

impl<T: Scalar, const DIM: usize> Subject<T, DIM> for WithNoiseFloor<VarianceMinimizer<T, DIM>> {
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        let floor = T::from_f64(1e-2);
        let covariance = SMatrix::from_fn(|row, column| {
            let noise = if row == column { floor } else { T::ZERO };
            sample[row] * sample[column] + noise
        });
        let VarianceTrial {
            variance,
            expected_variance,
            ..
        } = self.0.step(&covariance, rng)?;
        Ok([variance, expected_variance])
    }

    fn orthogonality_error(&self) -> Option<T> {
        None
    }

    fn probability_sum_error(&self) -> Option<f64> {
        registry::Subject::<DIM>::probability_sum_error(&self.0)
    }

    fn reborn(&self) -> Option<Self> {
        reborn(&self.0).map(Self)
    }
}

/// The other methods of a learner whose directions and probabilities are not checked.
macro_rules! without_directions {
    () => {
        fn orthogonality_error(&self) -> Option<T> {
            None
        }

        fn probability_sum_error(&self) -> Option<f64> {
            None
        }

        fn reborn(&self) -> Option<Self> {
            reborn(&self.0).map(Self)
        }
    };
}

/// Two groups of three channels as one sample; the loss is the score of `PairedPca`.
struct TwoGroups<L>(L);

impl<T: Scalar, const KEEP: usize> Subject<T, 6> for TwoGroups<PairedPca<T, 3, 3, KEEP>> {
    fn trial(&mut self, sample: &[T; 6], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        let score = Learner::score(&self.0, sample)?;
        Learner::learn(&mut self.0, sample)?;
        Ok([score; 2])
    }

    without_directions!();
}

/// Predicts the last of eight channels from the others; the loss is the squared error.
struct LastOfEight<L>(L);

impl<T: Scalar> Subject<T, 8> for LastOfEight<RecursiveLeastSquares<T, 7>> {
    fn trial(&mut self, sample: &[T; 8], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        let [features @ .., value] = sample;
        let error = *value - self.0.step(features, *value)?.value;
        Ok([error * error; 2])
    }

    without_directions!();
}

/// Experts whose losses are the magnitudes of the channels, at most 1.
struct OfMagnitudes<L>(L);

fn magnitudes<T: Scalar, const N: usize>(sample: &[T; N]) -> [T; N] {
    sample.map(|channel| channel.abs().min(T::ONE))
}

impl<T: Scalar, const N: usize> Subject<T, N> for OfMagnitudes<SetExperts<T, N>> {
    fn trial(&mut self, sample: &[T; N], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        Ok([self.0.step(&magnitudes(sample))?; 2])
    }

    without_directions!();
}

impl<T: Scalar, const N: usize> Subject<T, N> for OfMagnitudes<PerturbedLeader<T, N>> {
    fn trial(&mut self, sample: &[T; N], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused> {
        Ok([self.0.step(&magnitudes(sample), rng)?; 2])
    }

    without_directions!();
}
