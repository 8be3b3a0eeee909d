//! A simulated machine: six channels mix two hidden signals.

use eigenstream::monitor::{Monitor, MonitorSettings, SensorMonitor};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Learner, SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

pub(crate) const DIM: usize = 6;

pub(crate) type Watch = SensorMonitor<f32, DIM>;

pub(crate) const SHORT: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(TRAINING as u32);
pub(crate) const TRAINING: usize = 600;

const OFFSET: [f32; DIM] = [256.0, -40.0, 9.81, 0.5, 1_000.0, -3.0];
const GAIN: [f32; DIM] = [1.0, 0.1, 0.02, 0.01, 30.0, 2.0];
/// The channels mix the signals at angles in steps of 30°, so no two channels move alike.
const MIXTURE: [[f32; DIM]; 2] = [[1.0, 0.866, 0.5, 0.0, -0.5, -0.866], [0.0, 0.5, 0.866, 1.0, 0.866, 0.5]];

/// Standard deviation of the noise of each channel, in units of its gain.
const NOISE: f32 = 0.3;

pub(crate) struct Machine {
    rng: Xoshiro128PlusPlus,
}

impl Machine {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
        }
    }

    /// A nearly Gaussian number of variance 1.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).fold(-6.0, |sum, _| sum + f32::uniform(&mut self.rng))
    }

    pub(crate) fn sample(&mut self) -> [f32; DIM] {
        let hidden = [self.normal(), self.normal()];
        std::array::from_fn(|i| {
            let mixed = hidden[0] * MIXTURE[0][i] + hidden[1] * MIXTURE[1][i];
            OFFSET[i] + GAIN[i] * (mixed + NOISE * self.normal())
        })
    }
}

/// Adds to one channel `gains` times the gain of this channel.
pub(crate) fn off(mut sample: [f32; DIM], channel: usize, gains: f32) -> [f32; DIM] {
    sample[channel] += gains * GAIN[channel];
    sample
}

pub(crate) fn watch(settings: MonitorSettings<f32>) -> Watch {
    Watch::standard(settings)
}

pub(crate) fn trained(settings: MonitorSettings<f32>, machine: &mut Machine) -> Watch {
    let mut monitor = watch(settings);
    while !monitor.phase().is_watching() {
        let verdict = monitor.observe(&machine.sample());
        assert!(verdict.is_ok_and(|verdict| !verdict.alarm));
    }
    monitor
}

pub(crate) fn state(monitor: &Watch) -> String {
    format!("{monitor:?}")
}

/// Observes `count` samples; returns the number of samples in alarm and the guilty channel of the last verdict.
pub(crate) fn run<L: Learner<f32, N>, const N: usize>(
    monitor: &mut Monitor<f32, L, N>,
    count: usize,
    mut next: impl FnMut() -> [f32; N],
) -> Result<(usize, usize), SampleError> {
    let (mut alarms, mut guilty) = (0, N);
    for _ in 0..count {
        let verdict = monitor.observe(&next())?;
        alarms += usize::from(verdict.alarm);
        guilty = verdict.guilty();
        assert!(verdict.score.is_finite() && verdict.contribution.iter().all(|&part| part >= 0.0));
        assert_eq!(verdict.contribution.iter().sum::<f32>(), verdict.score);
    }
    Ok((alarms, guilty))
}
