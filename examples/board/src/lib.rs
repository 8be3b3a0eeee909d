//! Shared code of the board programs: a simulated sensor, and a learner with its total loss.
#![cfg_attr(target_os = "none", no_std)]

use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Channels of the sensor.
pub const DIM: usize = 6;

/// The values of all channels at one time.
pub type Sample = [f32; DIM];

/// A simulated sensor: two slow vibrations, each with a fixed strength on every channel, and noise.
pub struct Sensor {
    noise: Xoshiro128PlusPlus,
    phases: [f32; 2],
}

impl Sensor {
    /// A sensor that gives equal samples in every run.
    #[must_use]
    pub fn new() -> Self {
        Self {
            noise: Xoshiro128PlusPlus::seed_from_u64(1),
            phases: [0.0, 0.25],
        }
    }

    /// One sample, as a driver would read it from the bus.
    pub fn read(&mut self) -> Sample {
        const STEPS: [f32; 2] = [0.013, 0.031];
        const STRENGTH: [Sample; 2] = [[0.5, -0.3, 0.1, 0.4, 0.0, 0.2], [0.1, 0.4, -0.5, 0.0, 0.3, 0.2]];
        let mut sample = [0.0; DIM];
        for (source, phase) in self.phases.iter_mut().enumerate() {
            *phase += STEPS[source];
            if *phase >= 1.0 {
                *phase -= 1.0;
            }
            // A triangle wave between −1 and 1, which needs no sine.
            let height = 4.0 * Scalar::abs(*phase - 0.5) - 1.0;
            for channel in 0..DIM {
                sample[channel] += STRENGTH[source][channel] * height;
            }
        }
        sample.map(|value| value + 0.02 * (f32::uniform(&mut self.noise) - 0.5))
    }
}

impl Default for Sensor {
    fn default() -> Self {
        Self::new()
    }
}

/// The learner; on the chip it is in a `static`.
pub type Pca = TrackingPca<f32, DIM, 2, 6>;

/// A new learner, for a `static`.
pub const PCA: Pca = TrackingPca::new(TrackingSettings::DEFAULT);

/// The seed of the random draws.
///
/// On a real chip, take it from the hardware generator, or from the unique id and a boot counter, and log it: with seed and samples
/// this program gives equal bits on a PC.
pub const SEED: u64 = 2008;

/// A learner that runs in idle time, with its total loss.
pub struct Idle<'memory> {
    pca: &'memory mut Pca,
    chance: Xoshiro128PlusPlus,
    /// The total loss of the drawn directions.
    pub loss: f32,
    /// Samples learned.
    pub learned: u32,
}

impl<'memory> Idle<'memory> {
    /// Starts with a total loss of zero.
    #[must_use]
    pub fn new(pca: &'memory mut Pca, seed: u64) -> Self {
        Self {
            pca,
            chance: Xoshiro128PlusPlus::seed_from_u64(seed),
            loss: 0.0,
            learned: 0,
        }
    }

    /// Learns one sample.
    ///
    /// # Errors
    /// [`SampleError`] if a value of the sensor is NaN or infinite, or if the sample is too large.
    pub fn learn(&mut self, sample: &Sample) -> Result<(), SampleError> {
        self.loss += self.pca.step(sample, &mut self.chance)?.loss;
        self.learned += 1;
        Ok(())
    }
}
