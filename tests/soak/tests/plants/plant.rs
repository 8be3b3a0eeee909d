//! Machines of many kinds: channels mixed from hidden causes, each channel with its own offset, gain and noise.

use eigenstream::Scalar;
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

pub(crate) const SEEDS: u64 = 20;

pub(crate) const TRAINING: usize = 2_048;

/// Size of a test fault, in standard deviations of its channel, and the samples within which it must be found.
const FAULT: f32 = 4.0;
const IN_TIME: usize = 100;

#[derive(Clone)]
pub(crate) struct Plant<const DIM: usize> {
    rng: Xoshiro128PlusPlus,
    mixture: Vec<[f32; DIM]>,
    causes: Vec<f32>,
    /// Correlation between successive values of a cause; 0 means that they are independent.
    pub(crate) inertia: f32,
    noise: f32,
    pub(crate) offset: [f32; DIM],
    gain: [f32; DIM],
}

impl<const DIM: usize> Plant<DIM> {
    /// A machine with `causes` causes of inertia 0 and random weights; the noise of a channel is `noise` times its gain.
    pub(crate) fn new(seed: u64, causes: usize, noise: f32) -> Self {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(7_919 * seed + causes as u64);
        let mixture = (0..causes).map(|_| std::array::from_fn(|_| normal(&mut rng))).collect();
        Self {
            mixture,
            causes: vec![0.0; causes],
            inertia: 0.0,
            noise,
            offset: std::array::from_fn(|_| 100.0 * normal(&mut rng)),
            gain: std::array::from_fn(|_| (2.0 * normal(&mut rng)).exp()),
            rng,
        }
    }

    pub(crate) fn deviation(&self, channel: usize) -> f32 {
        let variance: f32 = self.mixture.iter().map(|loadings| loadings[channel].powi(2)).sum();
        self.gain[channel] * (variance + self.noise.powi(2)).sqrt()
    }

    pub(crate) fn sample(&mut self) -> [f32; DIM] {
        let fresh = (1.0 - self.inertia.powi(2)).sqrt();
        for cause in &mut self.causes {
            *cause = self.inertia * *cause + fresh * normal(&mut self.rng);
        }
        self.read(1.0)
    }

    /// A sample while the machine stands still: the offsets and noise.
    pub(crate) fn idle(&mut self) -> [f32; DIM] {
        self.read(0.0)
    }

    fn read(&mut self, load: f32) -> [f32; DIM] {
        std::array::from_fn(|channel| {
            let mixed: f32 = self
                .mixture
                .iter()
                .zip(&self.causes)
                .map(|(loadings, cause)| loadings[channel] * cause)
                .sum();
            self.offset[channel] + self.gain[channel] * (load * mixed + self.noise * normal(&mut self.rng))
        })
    }

    /// A random number between zero and one.
    pub(crate) fn chance(&mut self) -> f32 {
        f32::uniform(&mut self.rng)
    }

    /// Number of channels whose test fault the monitor finds in time.
    pub(crate) fn found(&self, trained: &SensorMonitor<f32, DIM>) -> usize {
        (0..DIM)
            .filter(|&channel| {
                let (mut plant, mut monitor) = (self.clone(), trained.clone());
                (0..IN_TIME).any(|_| {
                    let mut sample = plant.sample();
                    sample[channel] += FAULT * plant.deviation(channel);
                    monitor.observe(&sample).is_ok_and(|verdict| verdict.alarm)
                })
            })
            .count()
    }
}

/// An approximately normal number: the sum of twelve uniform numbers, minus 6.
fn normal(rng: &mut Xoshiro128PlusPlus) -> f32 {
    (0..12).fold(-6.0, |sum, _| sum + f32::uniform(rng))
}

pub(crate) const fn fresh<const DIM: usize>() -> SensorMonitor<f32, DIM> {
    SensorMonitor::standard(MonitorSettings::DEFAULT)
}

/// Number of samples in alarm among the next `count` samples.
pub(crate) fn alarms<const DIM: usize>(
    monitor: &mut SensorMonitor<f32, DIM>,
    count: usize,
    mut next: impl FnMut(usize) -> [f32; DIM],
) -> usize {
    (0..count)
        .filter(|&i| monitor.observe(&next(i)).is_ok_and(|verdict| verdict.alarm))
        .count()
}

pub(crate) fn trained<const DIM: usize>(plant: &mut Plant<DIM>) -> SensorMonitor<f32, DIM> {
    let mut monitor = fresh();
    assert_eq!(alarms(&mut monitor, TRAINING, |_| plant.sample()), 0);
    assert!(monitor.phase().is_watching());
    monitor
}
