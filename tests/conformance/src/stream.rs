//! The samples of every learner: two mixed signals that change in the middle, with the faults of a sensor.
//! The samples come from a seed, so they are equal on every machine.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

pub(crate) const DIM: usize = 6;
pub(crate) const KEEP: usize = 2;
pub(crate) const LENGTH: usize = 60;

/// Number of samples between two changes of the mixture.
const CHANGE: usize = 30;

pub(crate) fn generator(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// A number between −1 and 1.
pub(crate) fn signal<T: Scalar>(rng: &mut Xoshiro128PlusPlus) -> T {
    T::TWO * T::uniform(rng) - T::ONE
}

pub(crate) fn samples<T: Scalar>() -> impl Iterator<Item = [T; DIM]> {
    let mut rng = generator(6);
    let mut mixture = [[T::ZERO; DIM]; 2];
    (0..LENGTH).map(move |t| {
        if t % CHANGE == 0 {
            mixture = core::array::from_fn(|_| core::array::from_fn(|_| signal(&mut rng)));
        }
        let [first, second] = [signal::<T>(&mut rng), signal(&mut rng)];
        let noise = T::from_f64(0.02);
        let mixed = core::array::from_fn(|i| {
            T::HALF * (first * mixture[0][i] + second * mixture[1][i]) + noise * signal(&mut rng)
        });
        disturbed(t, mixed)
    })
}

/// Replaces some samples by faults: zeros, a spike, ones, a tiny sample, a negative zero, and numbers that must be
/// refused.
fn disturbed<T: Scalar>(t: usize, mut sample: [T; DIM]) -> [T; DIM] {
    match t {
        7 | 8 => [T::ZERO; DIM],
        11 => sample.map(|value| value * T::from_f64(40.0)),
        13 => {
            sample[4] = T::from_f64(f64::NAN);
            sample
        }
        17 => {
            sample[1] = -T::INFINITY;
            sample
        }
        19 => [T::MAX; DIM],
        23 | 24 => [T::ONE; DIM],
        37 => sample.map(|value| value * T::from_f64(1e-20)),
        41 => {
            sample[0] = -T::ZERO;
            sample
        }
        _ => sample,
    }
}
