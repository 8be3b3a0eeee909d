//! A seeded generator, random numbers and a tolerance for the tests of several learners.

use eigenstream::rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The number of standard deviations that a mean may be off; one seed in 1.7 million exceeds it by chance.
pub(crate) const DEVIATIONS: f64 = 5.0;

pub(crate) fn rng(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// A random number, uniform in [−1, 1) and exact in `f32`.
pub(crate) fn symmetric<R: Rng>(rng: &mut R) -> f64 {
    f64::from(rng.next_u32() >> 20) / 2048.0 - 1.0
}
