//! The learners that are soaked, each in both precisions, with the stream that suits it.
//! Slow learners run a stated part of the steps.

use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, KernelApex, KernelGha, PointBudget, Response};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings, Refresh};
use eigenstream::monitor::{Monitor, MonitorSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    BatchPca, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, Forgetting, Share, TrackingPca,
    TrackingSettings, Trial, VarianceMinimizer, VarianceSettings, VarianceTrial,
};
use eigenstream::spectrum::orthogonality_error;
use eigenstream::{SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::driver::{CHECK_EVERY, Life, Report, Subject, reborn, soak};
use super::stream::Stream;

/// Where the stream of the centering learners lies, far from its own spread of one.
const LEVEL: f64 = 256.0;
/// Samples that a forgetting learner remembers.
const MEMORY: f64 = 2_000.0;

/// Steps in which a learner that forgets nothing is compared with its twin: in `f32` no past outweighs 2²¹ samples, by design, and
/// beyond that the twin in `f64`, which remembers them all, answers another question.
const WHOLE_MEMORY: u64 = 2_000_000;

/// One learner of the list.
pub struct Soaked {
    /// It runs one of so many steps.
    pub part: u64,
    /// Runs so many steps; the function is told of every check.
    pub run: fn(u64, &mut dyn FnMut()) -> Report,
}

impl Soaked {
    /// How many of the steps it runs.
    pub fn steps(&self, steps: u64) -> u64 {
        (steps / self.part).max(CHECK_EVERY.min(steps))
    }
}

/// A life that is compared with the twin's to its end.
const fn whole(steps: u64) -> Life {
    Life { steps, compared: steps }
}

/// A life that is compared as long as the past is remembered whole.
const fn remembered(steps: u64) -> Life {
    Life {
        steps,
        compared: WHOLE_MEMORY,
    }
}

/// A life that is not compared.
const fn alone(steps: u64) -> Life {
    Life { steps, compared: 0 }
}

/// A learner in `f32` and its twin in `f64`: functions that make them, the stream, and how long they are compared. The twin is
/// made by the same function where none is named.
macro_rules! soaked {
    ($name:literal: $make:ident, stream $seed:literal at $level:expr, $life:ident, one step in $part:literal) => {
        soaked!($name: $make beside $make, stream $seed at $level, $life, one step in $part)
    };
    ($name:literal: $make:ident beside $twin:ident, stream $seed:literal at $level:expr, $life:ident, one step in $part:literal) => {
        Soaked {
            part: $part,
            run: |steps, checked| {
                let stream = Stream::new($seed, $level);
                soak($name, $make::<f32>(), $twin::<f64>(), stream, $life(steps), checked)
            },
        }
    };
}

/// Every learner, the quickest first.
// Static, not constant: the learners are then compiled here, for speed, and not where they are named.
pub static ALL: [Soaked; 15] = [
    soaked!("TrackingPca<f32, 20, 2, 6>": tracking, stream 1 at 0.0, whole, one step in 1),
    soaked!("TrackingPca<f32, 8, 3, 8>, share 1e-3": sharing, stream 2 at 0.0, whole, one step in 1),
    soaked!("BatchPca<f32, 8, 2>": batch, stream 3 at LEVEL, remembered, one step in 1),
    soaked!("CenteredPca<f32, 8, 2>": centered, stream 4 at LEVEL, remembered, one step in 1),
    soaked!("CenteredPca<f32, 8, 3>, forgetting": forgetting, stream 5 at LEVEL, whole, one step in 1),
    soaked!("DensityPca<f32, 6, 2>, past share": density, stream 6 at 0.0, whole, one step in 1),
    soaked!("VarianceMinimizer<f32, 4>": minimizer, stream 12 at 0.0, remembered, one step in 1),
    soaked!("Gha<f32, 8, 3>": gha, stream 7 at 0.0, whole, one step in 1),
    soaked!("Apex<f32, 8, 3>": apex, stream 8 at 0.0, whole, one step in 1),
    soaked!("Monitor<f32, TrackingPca, 8>": monitor, stream 10 at LEVEL, alone, one step in 1),
    soaked!("KernelGha<f32, Gaussian, 4, 2, 24>": kernel_gha, stream 9 at 0.0, whole, one step in 10),
    soaked!("KernelApex<f32, Gaussian, 4, 2, 24>": kernel_apex, stream 13 at 0.0, whole, one step in 10),
    // The twin of the fast mode solves exactly and has room for every direction.
    soaked!("OnlineKernelPca<f32, 8, 2, 16, 8>, fast": fast_kernel beside roomy_kernel, stream 11 at 0.0, whole, one step in 10),
    soaked!("OnlineKernelPca<f32, 8, 2, 16, 16>, exact": roomy_kernel, stream 11 at 0.0, whole, one step in 10),
    soaked!("OnlineKernelPca<f32, 8, 2, 16, 16>, centered": centered_kernel, stream 14 at 1.0, whole, one step in 10),
];

fn tracking<T: Scalar>() -> TrackingPca<T, 20, 2, 6> {
    TrackingPca::new(TrackingSettings::DEFAULT)
}

// Settings that are refused would be a mistake in this file; the default then stands in, here and below.
fn sharing<T: Scalar>() -> TrackingPca<T, 8, 3, 8> {
    let settings = TrackingSettings::DEFAULT;
    TrackingPca::new(
        settings
            .with_share(Share::Uniform(T::from_f64(1e-3)))
            .unwrap_or(settings),
    )
}

fn batch<T: Scalar>() -> Batch<T, 8, 2> {
    Batch {
        pca: BatchPca::new(Centering::Centered),
    }
}

fn centered<T: Scalar>() -> CenteredPca<T, 8, 2> {
    CenteredPca::new(CenteredSettings::DEFAULT)
}

fn forgetting<T: Scalar>() -> CenteredPca<T, 8, 3> {
    let forgetting = Forgetting::memory(T::from_f64(MEMORY)).unwrap_or(Forgetting::NONE);
    CenteredPca::new(CenteredSettings::DEFAULT.with_forgetting(forgetting))
}

fn density<T: Scalar>() -> DensityPca<T, 6, 2> {
    let settings = DensitySettings::DEFAULT;
    let with_ceiling = settings.with_ceiling(T::FOURTEEN).unwrap_or(settings);
    let share = Share::PastAverage(T::from_f64(1e-3));
    DensityPca::new(with_ceiling.with_share(share).unwrap_or(settings))
}

fn minimizer<T: Scalar>() -> VarianceMinimizer<T, 4> {
    VarianceMinimizer::new(VarianceSettings::DEFAULT)
}

fn gha<T: Scalar>() -> Gha<T, 8, 3> {
    Gha::new(GhaSettings::DEFAULT)
}

fn apex<T: Scalar>() -> Apex<T, 8, 3> {
    Apex::new(ApexSettings::DEFAULT)
}

fn monitor<T: Scalar>() -> Monitor<T, TrackingPca<T, 8, 2, 6>, 8> {
    Monitor::new(MonitorSettings::DEFAULT, TrackingPca::new(TrackingSettings::DEFAULT))
}

fn gaussian<T: Scalar>() -> Gaussian<T> {
    Gaussian::new(T::HALF).unwrap_or(Gaussian::DEFAULT)
}

fn kernel_gha<T: Scalar>() -> KernelGha<T, Gaussian<T>, 4, 2, 24> {
    KernelGha::new(gaussian(), GhaSettings::DEFAULT, PointBudget::DEFAULT)
}

fn kernel_apex<T: Scalar>() -> KernelApex<T, Gaussian<T>, 4, 2, 24> {
    KernelApex::new(gaussian(), ApexSettings::DEFAULT, PointBudget::DEFAULT)
}

fn fast_kernel<T: Scalar>() -> WindowedKernel<T, 8> {
    OnlineKernelPca::new(Gaussian::DEFAULT, kernel_settings().with_refresh(Refresh::Fast))
}

fn roomy_kernel<T: Scalar>() -> WindowedKernel<T, 16> {
    OnlineKernelPca::new(Gaussian::DEFAULT, kernel_settings())
}

fn centered_kernel<T: Scalar>() -> WindowedKernel<T, 16> {
    OnlineKernelPca::new(Gaussian::DEFAULT, kernel_settings().with_centering(Centering::Centered))
}

fn kernel_settings<T: Scalar>() -> OnlineKernelSettings<T> {
    OnlineKernelSettings::new(T::from_f64(5.0)).unwrap_or(OnlineKernelSettings::DEFAULT)
}

/// Kernel PCA of eight channels: two directions of the newest 16 samples.
type WindowedKernel<T, const RANK: usize> = OnlineKernelPca<T, Gaussian<T>, 8, 2, 16, RANK>;

impl<T: Scalar, const RANK: usize> Subject<T, 8> for WindowedKernel<T, RANK> {
    fn trial(&mut self, sample: &[T; 8], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
        let Trial {
            loss, expected_loss, ..
        } = self.step(sample, rng)?;
        Ok([loss, expected_loss])
    }

    fn orthogonality_error(&self) -> Option<T> {
        // Eigenvectors of the Gram matrix: what the directions are made of, times the root of their eigenvalue.
        let mut vectors = self.components();
        for (vector, &value) in vectors.data.0.iter_mut().zip(self.eigenvalues()) {
            vector.iter_mut().for_each(|entry| *entry *= value.sqrt());
        }
        Some(known_error(&vectors))
    }

    // A window that stands still has fewer directions than are kept.
    fn probability_sum_error(&self) -> Option<f64> {
        None
    }

    fn reborn(&self) -> Option<Self> {
        reborn(self)
    }
}

/// Batch PCA as a learner: its answer is renewed at every check.
struct Batch<T, const DIM: usize, const KEEP: usize> {
    pca: BatchPca<T, DIM, KEEP>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Subject<T, DIM> for Batch<T, DIM, KEEP> {
    fn trial(&mut self, sample: &[T; DIM], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
        self.pca.learn(sample)?;
        if self.pca.samples_seen() % CHECK_EVERY == 1 {
            let _ = self.pca.fit();
        }
        let score = self.pca.score(sample)?;
        Ok([score, score])
    }

    fn orthogonality_error(&self) -> Option<T> {
        Some(orthogonality_error(&self.pca.components(), KEEP))
    }

    fn probability_sum_error(&self) -> Option<f64> {
        None
    }

    fn reborn(&self) -> Option<Self> {
        reborn(&self.pca).map(|pca| Self { pca })
    }
}

/// A sample and a floor of noise make a covariance matrix: what the direction of least variance sees of it. Without the floor its
/// price is zero to a rounding, on either side.
impl<T: Scalar, const DIM: usize> Subject<T, DIM> for VarianceMinimizer<T, DIM> {
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
        let floor = T::from_f64(1e-2);
        let covariance = SMatrix::from_fn(|row, column| {
            let noise = if row == column { floor } else { T::ZERO };
            sample[row] * sample[column] + noise
        });
        // A matrix is refused where its sample would be: the channel does not matter here.
        let trial = self.step(&covariance, rng);
        let VarianceTrial {
            variance,
            expected_variance,
            ..
        } = trial.map_err(|_| SampleError::TooLarge { channel: 0 })?;
        Ok([variance, expected_variance])
    }

    fn orthogonality_error(&self) -> Option<T> {
        None
    }

    fn probability_sum_error(&self) -> Option<f64> {
        Some(sum_error(&self.weights(), 1))
    }

    fn reborn(&self) -> Option<Self> {
        reborn(self)
    }
}

macro_rules! online {
    ($learner:ident $(, $rank:ident)?) => {
        impl<T: Scalar, const DIM: usize, const KEEP: usize $(, const $rank: usize)?> Subject<T, DIM>
            for $learner<T, DIM, KEEP $(, $rank)?>
        {
            fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
                let Trial { loss, expected_loss, .. } = self.step(sample, rng)?;
                Ok([loss, expected_loss])
            }

            fn orthogonality_error(&self) -> Option<T> {
                Some(known_error(&self.components()))
            }

            fn probability_sum_error(&self) -> Option<f64> {
                Some(sum_error(&self.keep_probabilities(), KEEP))
            }

            fn reborn(&self) -> Option<Self> {
                reborn(self)
            }
        }
    };
}

online!(TrackingPca, RANK);
online!(CenteredPca);
online!(DensityPca);

/// A learner without chance: what it loses is what it expects to.
macro_rules! hebbian {
    ([$($parameters:tt)*] $learner:ty) => {
        impl<T: Scalar, $($parameters)*> Subject<T, DIM> for $learner {
            fn trial(&mut self, sample: &[T; DIM], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
                let Response { loss, .. } = self.step(sample)?;
                Ok([loss, loss])
            }

            fn orthogonality_error(&self) -> Option<T> {
                None
            }

            fn probability_sum_error(&self) -> Option<f64> {
                None
            }

            fn reborn(&self) -> Option<Self> {
                reborn(self)
            }
        }
    };
}

hebbian!([const DIM: usize, const KEEP: usize] Gha<T, DIM, KEEP>);
hebbian!([const DIM: usize, const KEEP: usize] Apex<T, DIM, KEEP>);
hebbian!([const DIM: usize, const KEEP: usize, const POINTS: usize] KernelGha<T, Gaussian<T>, DIM, KEEP, POINTS>);
hebbian!([const DIM: usize, const KEEP: usize, const POINTS: usize] KernelApex<T, Gaussian<T>, DIM, KEEP, POINTS>);

/// A monitor: its score is what it loses. Which samples it learns from is a matter of a threshold, so that two precisions part
/// ways sooner or later.
impl<T: Scalar, const DIM: usize> Subject<T, DIM> for Monitor<T, TrackingPca<T, DIM, 2, 6>, DIM> {
    fn trial(&mut self, sample: &[T; DIM], _: &mut Xoshiro128PlusPlus) -> Result<[T; 2], SampleError> {
        let verdict = self.observe(sample)?;
        Ok([
            verdict.score,
            verdict.contribution.into_iter().fold(T::ZERO, |sum, part| sum + part),
        ])
    }

    fn orthogonality_error(&self) -> Option<T> {
        Some(known_error(&self.learner().components()))
    }

    fn probability_sum_error(&self) -> Option<f64> {
        Some(sum_error(&self.learner().keep_probabilities(), 2))
    }

    fn reborn(&self) -> Option<Self> {
        reborn(self)
    }
}

/// Of the columns that are not zero: a learner leaves those at zero that it does not know yet.
fn known_error<T: Scalar, const DIM: usize, const KEEP: usize>(components: &SMatrix<T, DIM, KEEP>) -> T {
    let unknown = |column: &&[T; DIM]| column.iter().all(|&entry| entry == T::ZERO);
    let known = KEEP - components.data.0.iter().filter(unknown).count();
    orthogonality_error(components, known)
}

fn sum_error<T: Scalar>(probabilities: &[T], keep: usize) -> f64 {
    let sum: f64 = probabilities.iter().map(|probability| probability.to_f64()).sum();
    (sum - keep as f64).abs()
}
