//! The standard streams of the benchmarks, made on the chip so that every run sees the same bits.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// W1, "shift": rank-two Gaussians in DIM dimensions that change every [`Shift::SEGMENT`] samples, norms clipped to one, plus
/// noise of 0.05 in each channel.
pub struct Shift<const DIM: usize> {
    rng: Xoshiro128PlusPlus,
    basis: [[f32; DIM]; 2],
    made: u32,
}

impl<const DIM: usize> Shift<DIM> {
    /// Samples between two changes.
    pub const SEGMENT: u32 = 500;
    /// Samples of the whole stream.
    pub const LENGTH: u32 = 3 * Self::SEGMENT;
    const NOISE: f32 = 0.05;

    /// The stream from its start.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            basis: [[0.0; DIM]; 2],
            made: 0,
        }
    }

    /// Near enough to a normal number: the sum of twelve uniform ones, centred.
    fn normal(&mut self) -> f32 {
        let mut sum = -6.0;
        for _ in 0..12 {
            sum += f32::uniform(&mut self.rng);
        }
        sum
    }

    /// The next sample.
    pub fn next_sample(&mut self) -> [f32; DIM] {
        if self.made.is_multiple_of(Self::SEGMENT) {
            for column in 0..2 {
                for row in 0..DIM {
                    self.basis[column][row] = self.normal();
                }
            }
        }
        self.made += 1;
        let (first, second) = (self.normal(), self.normal());
        let mut sample = [0.0; DIM];
        let mut energy = 0.0;
        for row in 0..DIM {
            sample[row] = first * self.basis[0][row] + second * self.basis[1][row];
            energy += sample[row] * sample[row];
        }
        let scale = if energy > 1.0 { 1.0 / Scalar::sqrt(energy) } else { 1.0 };
        for value in &mut sample {
            *value = *value * scale + Self::NOISE * self.normal();
        }
        sample
    }
}
