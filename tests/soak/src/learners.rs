//! The learners that are soaked, each in both precisions, with the stream that suits it.
//! Slow learners run a stated part of the steps.

use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, KernelGha, Memory, Response};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings, Refresh};
use eigenstream::monitor::{Monitor, MonitorSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    BatchPca, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, Forgetting, Share, TrackingPca,
    TrackingSettings, Trial,
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

/// Every learner, the quickest first.
// Static, not constant: the learners are then compiled here, for speed, and not where they are named.
pub static ALL: [Soaked; 11] = [
    Soaked {
        part: 1,
        run: |steps, checked| tracking::<20, 2, 6>("TrackingPca<f32, 20, 2, 6>", 1, 0.0, steps, checked),
    },
    Soaked {
        part: 1,
        run: |steps, checked| tracking::<8, 3, 8>("TrackingPca<f32, 8, 3, 8>, share 1e-3", 2, 1e-3, steps, checked),
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (Batch::<f32, 8, 2>::new(), Batch::<f64, 8, 2>::new());
            soak(
                "BatchPca<f32, 8, 2>",
                single,
                double,
                Stream::new(3, LEVEL),
                remembered(steps),
                checked,
            )
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                CenteredPca::<f32, 8, 2>::new(CenteredSettings::DEFAULT),
                CenteredPca::<f64, 8, 2>::new(CenteredSettings::DEFAULT),
            );
            soak(
                "CenteredPca<f32, 8, 2>",
                single,
                double,
                Stream::new(4, LEVEL),
                remembered(steps),
                checked,
            )
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                CenteredPca::<f32, 8, 3>::new(forgetting()),
                CenteredPca::<f64, 8, 3>::new(forgetting()),
            );
            let name = "CenteredPca<f32, 8, 3>, forgetting";
            soak(name, single, double, Stream::new(5, LEVEL), whole(steps), checked)
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                DensityPca::<f32, 6, 2>::new(shared()),
                DensityPca::<f64, 6, 2>::new(shared()),
            );
            soak(
                "DensityPca<f32, 6, 2>, past share",
                single,
                double,
                Stream::new(6, 0.0),
                whole(steps),
                checked,
            )
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                Gha::<f32, 8, 3>::new(GhaSettings::DEFAULT),
                Gha::<f64, 8, 3>::new(GhaSettings::DEFAULT),
            );
            soak(
                "Gha<f32, 8, 3>",
                single,
                double,
                Stream::new(7, 0.0),
                whole(steps),
                checked,
            )
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                Apex::<f32, 8, 3>::new(ApexSettings::DEFAULT),
                Apex::<f64, 8, 3>::new(ApexSettings::DEFAULT),
            );
            soak(
                "Apex<f32, 8, 3>",
                single,
                double,
                Stream::new(8, 0.0),
                whole(steps),
                checked,
            )
        },
    },
    Soaked {
        part: 10,
        run: |steps, checked| {
            let (single, double) = (
                KernelGha::<f32, _, 4, 2, 24>::new(gaussian(), GhaSettings::DEFAULT, Memory::DEFAULT),
                KernelGha::<f64, _, 4, 2, 24>::new(gaussian(), GhaSettings::DEFAULT, Memory::DEFAULT),
            );
            let name = "KernelGha<f32, Gaussian, 4, 2, 24>";
            soak(name, single, double, Stream::new(9, 0.0), whole(steps), checked)
        },
    },
    Soaked {
        part: 1,
        run: |steps, checked| {
            let (single, double) = (
                Monitor::<f32, _, 8>::new(MonitorSettings::DEFAULT, TrackingPca::new(tracking_settings(0.0))),
                Monitor::<f64, _, 8>::new(MonitorSettings::DEFAULT, TrackingPca::new(tracking_settings(0.0))),
            );
            let life = Life { steps, compared: 0 };
            soak(
                "Monitor<f32, TrackingPca, 8>",
                single,
                double,
                Stream::new(10, LEVEL),
                life,
                checked,
            )
        },
    },
    Soaked {
        part: 10,
        run: |steps, checked| {
            let settings = kernel_settings();
            let single = FastKernel::<f32, 8>::new(Gaussian::DEFAULT, settings.with_refresh(Refresh::Fast));
            // The twin solves exactly and has room for every direction.
            let double = FastKernel::<f64, 16>::new(Gaussian::DEFAULT, kernel_settings());
            let name = "OnlineKernelPca<f32, 8, 2, 16, 8>, fast";
            soak(name, single, double, Stream::new(11, 0.0), whole(steps), checked)
        },
    },
];

fn tracking<const DIM: usize, const KEEP: usize, const RANK: usize>(
    name: &'static str,
    seed: u64,
    share: f64,
    steps: u64,
    checked: &mut dyn FnMut(),
) -> Report {
    let single = TrackingPca::<f32, DIM, KEEP, RANK>::new(tracking_settings(share));
    let double = TrackingPca::<f64, DIM, KEEP, RANK>::new(tracking_settings(share));
    soak(name, single, double, Stream::new(seed, 0.0), whole(steps), checked)
}

// Settings that are refused would be a mistake in this file; the default then stands in.
fn tracking_settings<T: Scalar>(share: f64) -> TrackingSettings<T> {
    let settings = TrackingSettings::DEFAULT;
    settings.with_share(T::from_f64(share)).unwrap_or(settings)
}

fn gaussian<T: Scalar>() -> Gaussian<T> {
    Gaussian::new(T::HALF).unwrap_or(Gaussian::DEFAULT)
}

fn forgetting<T: Scalar>() -> CenteredSettings<T> {
    CenteredSettings::DEFAULT.with_forgetting(Forgetting::memory(T::from_f64(MEMORY)).unwrap_or(Forgetting::NONE))
}

fn shared<T: Scalar>() -> DensitySettings<T> {
    let settings = DensitySettings::DEFAULT;
    let with_ceiling = settings.with_ceiling(T::FOURTEEN).unwrap_or(settings);
    with_ceiling
        .with_share(Share::PastAverage(T::from_f64(1e-3)))
        .unwrap_or(settings)
}

fn kernel_settings<T: Scalar>() -> OnlineKernelSettings<T> {
    OnlineKernelSettings::new(T::from_f64(5.0)).unwrap_or(OnlineKernelSettings::DEFAULT)
}

/// Kernel PCA of eight channels: two directions of the newest 16 samples.
type FastKernel<T, const RANK: usize> = OnlineKernelPca<T, Gaussian<T>, 8, 2, 16, RANK>;

impl<T: Scalar, const RANK: usize> Subject<T, 8> for FastKernel<T, RANK> {
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

impl<T: Scalar, const DIM: usize, const KEEP: usize> Batch<T, DIM, KEEP> {
    fn new() -> Self {
        Self {
            pca: BatchPca::new(Centering::Centered),
        }
    }
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
        Some(orthogonality_error(self.pca.components(), KEEP))
    }

    fn probability_sum_error(&self) -> Option<f64> {
        None
    }

    fn reborn(&self) -> Option<Self> {
        reborn(&self.pca).map(|pca| Self { pca })
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
