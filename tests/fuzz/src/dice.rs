//! Random hostile numbers and damaged bytes, from a seed.

use eigenstream::Scalar;
use eigenstream::rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Source of random numbers, samples and damage.
pub struct Dice {
    /// The generator, for functions that need one.
    pub rng: Xoshiro128PlusPlus,
    last: f64,
}

impl Dice {
    /// Creates the generator from this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            last: 0.0,
        }
    }

    /// A whole number below `count`; `count` must not be zero.
    pub fn below(&mut self, count: usize) -> usize {
        (self.rng.next_u32() as usize) % count
    }

    /// True with probability 1/`times`.
    pub fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A number: any bit pattern, NaN, infinity, an end of the range, a power of two, the previous number or a number
    /// in −1..1.
    pub fn number(&mut self) -> f64 {
        let number = match self.below(16) {
            0 => f64::from(f32::from_bits(self.rng.next_u32())),
            1 => f64::from_bits(self.rng.next_u64()),
            2 => self.pick([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
            3 => self.pick([0.0, -0.0, 1.0, -1.0]),
            4 => self.pick([f32::MAX, f32::MIN_POSITIVE, f32::EPSILON, 1e19, 1.8e19, 9e18, 1e-23].map(f64::from)),
            5 => self.pick([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, 1e154, 1e-160]),
            6 | 7 => self.last,
            8 | 9 => 2.0_f64.powi(self.below(254) as i32 - 127),
            _ => self.common(),
        };
        let number = if self.chance(4) { -number } else { number };
        self.last = number;
        number
    }

    /// A number between −1 and 1.
    pub fn common(&mut self) -> f64 {
        2.0 * f64::uniform(&mut self.rng) - 1.0
    }

    /// A sample with hostile numbers in every channel, in one channel or in none; the other numbers are sometimes
    /// scaled by a hostile number.
    pub fn sample<const DIM: usize>(&mut self) -> [f64; DIM] {
        let size = if self.chance(4) { self.number() } else { 1.0 };
        let mut sample = [0.0; DIM];
        let hostility = self.below(4);
        let victim = self.below(DIM);
        for (channel, value) in sample.iter_mut().enumerate() {
            *value = if hostility == 0 || (hostility == 1 && channel == victim) {
                self.number()
            } else {
                size * self.common()
            };
        }
        sample
    }

    /// Damages bytes: flips bits, overwrites bytes and numbers, swaps bytes, cuts the end or appends.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let place = self.below(bytes.len());
            match self.below(8) {
                0 => bytes[place] ^= 1 << self.below(8),
                1 => bytes[place] = self.pick([0x00, 0xff, 0x7f, 0x80, 0x01]),
                2 => bytes.truncate(place),
                3 => bytes.extend((0..self.below(9)).map(|_| 0xff)),
                4 => {
                    let other = self.below(bytes.len());
                    bytes.swap(place, other);
                }
                5 => self.overwrite(bytes, place, &f64::to_le_bytes),
                _ => self.overwrite(bytes, place, &|number| (number as f32).to_le_bytes()),
            }
        }
    }

    fn overwrite<const N: usize>(&mut self, bytes: &mut [u8], place: usize, form: &dyn Fn(f64) -> [u8; N]) {
        let number = form(self.number());
        for (byte, new) in bytes.iter_mut().skip(place).zip(number) {
            *byte = new;
        }
    }

    fn pick<X: Copy, const N: usize>(&mut self, from: [X; N]) -> X {
        from[self.below(N)]
    }
}
