//! What the tests of several learners share: seeded numbers, and how far a mean of draws may be off.

use eigenstream::rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Standard deviations that a mean of draws may be off: a false alarm once in 1.7 million seeds.
pub(crate) const DEVIATIONS: f64 = 5.0;

/// The generator of a test.
pub(crate) fn rng(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// Uniform in [−1, 1), on a grid that `f32` holds exactly.
pub(crate) fn symmetric<R: Rng>(rng: &mut R) -> f64 {
    f64::from(rng.next_u32() >> 20) / 2048.0 - 1.0
}
