//! A stream of sensor samples with everything that goes wrong in a long life.
//! In: a seed and the level about which the sensors swing. Out: samples without end, `f32` numbers, the same for every run.
//! A regime is two directions in which the channels swing together, noise, and a small shift of the level; it lasts some
//! thousand samples. Now and then a sample is an outlier, a channel sticks at its last value, or all of them fall silent.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Length of a regime: at least this, at most twice as much.
const REGIME: u64 = 3_000;
/// How long a channel sticks, or all are silent, at most.
const FAULT: u64 = 400;
/// What noise adds to each channel, as a part of the swing.
const NOISE: f64 = 0.05;
/// How much longer an outlier is than a common sample.
const OUTLIER: f64 = 20.0;

/// The stream.
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
    /// A stream about `level`.
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

    /// ‖x − level‖²: what losses are measured by.
    pub fn energy(&self, sample: &[f32; DIM]) -> f64 {
        sample
            .iter()
            .map(|&value| (f64::from(value) - self.level).powi(2))
            .sum()
    }

    /// Begins and ends regimes and faults.
    fn turn(&mut self) {
        if self.regime_left == 0 {
            self.regime_left = REGIME + self.below(REGIME as usize) as u64;
            // The length of a sample is near one for every DIM.
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

    /// Near a normal number of variance one; never beyond ±√12.
    fn swing(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| f64::uniform(&mut self.rng)).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }

    fn below(&mut self, count: usize) -> usize {
        (f64::uniform(&mut self.rng) * count as f64) as usize
    }

    /// True once in `times`.
    fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}
