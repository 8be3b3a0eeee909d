//! Shared by the programs for the board: a sensor to sample, and a learner with its total loss.
#![cfg_attr(target_os = "none", no_std)]

use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Channels of the sensor.
pub const DIM: usize = 6;

/// The values of the sensor at one moment.
pub type Sample = [f32; DIM];

/// A sensor of six channels: two slow vibrations that reach every channel in its own strength, and a little noise.
pub struct Sensor {
    noise: Xoshiro128PlusPlus,
    phases: [f32; 2],
}

impl Sensor {
    /// A sensor that gives the same samples each time.
    #[must_use]
    pub fn new() -> Self {
        Self {
            noise: Xoshiro128PlusPlus::seed_from_u64(1),
            phases: [0.0, 0.25],
        }
    }

    /// One sample: what a driver would read from the bus.
    pub fn read(&mut self) -> Sample {
        const STEPS: [f32; 2] = [0.013, 0.031];
        const STRENGTH: [Sample; 2] = [[0.5, -0.3, 0.1, 0.4, 0.0, 0.2], [0.1, 0.4, -0.5, 0.0, 0.3, 0.2]];
        let mut sample = [0.0; DIM];
        for (source, phase) in self.phases.iter_mut().enumerate() {
            *phase += STEPS[source];
            if *phase >= 1.0 {
                *phase -= 1.0;
            }
            // A triangle between −1 and 1: no sine is needed to see how it works.
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

/// The learner's memory, known before the program starts: it is in a `static`, and no copy of it is ever on the stack.
pub type Pca = TrackingPca<f32, DIM, 2, 6>;

/// The learner as it starts; `const`, so that a `static` can begin with it.
pub const PCA: Pca = TrackingPca::new(TrackingSettings::DEFAULT);

/// Where the draws of a trial come from. On a real chip: the random number generator of the hardware, or its unique number
/// and a boot counter where it has none. Whatever it is, it is the first line of the log: with the seed and the samples the
/// same program gives the same bits on a PC, draws included.
pub const SEED: u64 = 2008;

/// A learner at work: what idle time does with a sample.
pub struct Idle<'memory> {
    pca: &'memory mut Pca,
    chance: Xoshiro128PlusPlus,
    /// The total loss, with the directions that were drawn.
    pub loss: f32,
    /// Samples learned.
    pub learned: u32,
}

impl<'memory> Idle<'memory> {
    /// Nothing learned yet.
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
    /// [`SampleError`] if a value of the sensor is NaN or infinite.
    pub fn learn(&mut self, sample: &Sample) -> Result<(), SampleError> {
        self.loss += self.pca.step(sample, &mut self.chance)?.loss;
        self.learned += 1;
        Ok(())
    }
}
