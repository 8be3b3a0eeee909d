//! A stream of sensor samples with faults.
//! In: a seed and the mean. Out: endless `f32` samples, equal in every run.
//! For some thousand samples the channels move along two random directions, then along two others. Noise is added and,
//! if the mean is not zero, a shift of the mean. Sometimes a sample is an outlier, a channel repeats its value, or all
//! channels stay constant.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Shortest time with the same directions, in samples; the longest is nearly twice that.
const REGIME: u64 = 3_000;
/// Longest fault, in samples.
const FAULT: u64 = 400;
/// Standard deviation of the noise in each channel.
const NOISE: f64 = 0.05;
/// Size of an outlier: this number, times a random number, divided by DIM, is added to a channel and all after it.
const OUTLIER: f64 = 20.0;

/// The generator.
pub struct Stream<const DIM: usize> {
    rng: Xoshiro128PlusPlus,
    level: f64,
    shift: [f64; DIM],
    directions: [[f64; DIM]; 2],
    fault: Fault,
    regime_left: u64,
    fault_left: u64,
    last: [f32; DIM],
}

#[derive(Clone, Copy)]
enum Fault {
    None,
    Stuck(usize),
    Silent,
}

impl<const DIM: usize> Stream<DIM> {
    /// Creates a stream with this mean.
    pub fn new(seed: u64, level: f64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            level,
            shift: [0.0; DIM],
            directions: [[0.0; DIM]; 2],
            fault: Fault::None,
            regime_left: 0,
            fault_left: 0,
            last: [0.0; DIM],
        }
    }

    /// The next sample.
    pub fn next_sample(&mut self) -> [f32; DIM] {
        self.turn();
        let (first, second) = (self.swing(), self.swing());
        let mut sample: [f64; DIM] =
            core::array::from_fn(|i| first * self.directions[0][i] + second * self.directions[1][i]);
        for value in &mut sample {
            *value += NOISE * self.swing();
        }
        if self.chance(1_000) {
            let (one, size) = (self.below(DIM), OUTLIER * self.swing());
            for value in sample.iter_mut().skip(one) {
                *value += size / DIM as f64;
            }
        }
        let mut sample: [f32; DIM] = core::array::from_fn(|i| (self.level + self.shift[i] + sample[i]) as f32);
        match self.fault {
            Fault::None => (),
            Fault::Stuck(channel) => sample[channel] = self.last[channel],
            Fault::Silent => sample = [self.level as f32; DIM],
        }
        self.last = sample;
        sample
    }

    /// The energy ‖x − level‖² of a sample x.
    pub fn energy(&self, sample: &[f32; DIM]) -> f64 {
        sample
            .iter()
            .map(|&value| (f64::from(value) - self.level).powi(2))
            .sum()
    }

    /// Begins and ends faults, and draws new directions.
    fn turn(&mut self) {
        if self.regime_left == 0 {
            self.regime_left = REGIME + self.below(REGIME as usize) as u64;
            // With this factor the mean length of a sample depends little on DIM.
            let unit = (1.5 / DIM as f64).sqrt();
            self.directions = core::array::from_fn(|_| core::array::from_fn(|_| unit * self.swing()));
            if self.level != 0.0 {
                self.shift = core::array::from_fn(|_| unit * self.swing());
            }
        }
        if self.fault_left == 0 {
            self.fault = Fault::None;
            if self.chance(2_000) {
                self.fault_left = 1 + self.below(FAULT as usize) as u64;
                self.fault = match self.below(DIM + 1).checked_sub(1) {
                    Some(channel) => Fault::Stuck(channel),
                    None => Fault::Silent,
                };
            }
        }
        self.regime_left -= 1;
        self.fault_left = self.fault_left.saturating_sub(1);
    }

    /// A random number, approximately normal, with variance 1 and magnitude at most √12.
    fn swing(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| f64::uniform(&mut self.rng)).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }

    fn below(&mut self, count: usize) -> usize {
        (f64::uniform(&mut self.rng) * count as f64) as usize
    }

    /// True with probability 1/`times`.
    fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}
