//! Tests of the Hebbian learners: against the equations, against the eigenvectors, and with extreme input.

#![expect(clippy::unwrap_used, reason = "an error is a failed test")]

mod hostile;
mod kernel;
mod linear;
mod point_budget;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Nearly Gaussian samples with standard deviation `spread[i]` along `direction(i)`, exact in `f32`. No direction is
/// along a channel.
pub(crate) struct Stationary<const DIM: usize> {
    rng: Xoshiro128PlusPlus,
    spread: [f64; DIM],
}

impl<const DIM: usize> Stationary<DIM> {
    pub(crate) fn new(seed: u64, spread: [f64; DIM]) -> Self {
        let rng = Xoshiro128PlusPlus::seed_from_u64(seed);
        Self { rng, spread }
    }

    fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| f64::uniform(&mut self.rng)).sum();
        sum - 6.0
    }

    pub(crate) fn sample(&mut self) -> [f64; DIM] {
        let spread = self.spread;
        let sample = turned(spread.map(|deviation| deviation * self.normal()));
        sample.map(|value| f64::from(value as f32))
    }

    pub(crate) fn samples(&mut self, count: usize) -> Vec<[f64; DIM]> {
        (0..count).map(|_| self.sample()).collect()
    }
}

pub(crate) fn direction<const DIM: usize>(index: usize) -> [f64; DIM] {
    turned(core::array::from_fn(|i| f64::from(u8::from(i == index))))
}

fn turned<const DIM: usize>(mut vector: [f64; DIM]) -> [f64; DIM] {
    for i in 1..DIM {
        let (a, b) = (vector[i - 1], vector[i]);
        (vector[i - 1], vector[i]) = (0.8 * a - 0.6 * b, 0.6 * a + 0.8 * b);
    }
    vector
}

pub(crate) fn dot<T: Scalar>(left: &[T], right: &[T]) -> f64 {
    let products = left.iter().zip(right).map(|(l, r)| l.to_f64() * r.to_f64());
    products.sum()
}

/// |cos| of the angle between two vectors, or zero if a vector is zero.
pub(crate) fn cosine<T: Scalar>(left: &[T], right: &[T]) -> f64 {
    let lengths = dot(left, left).sqrt() * dot(right, right).sqrt();
    if lengths > 0.0 {
        (dot(left, right) / lengths).abs()
    } else {
        0.0
    }
}

pub(crate) fn length<T: Scalar>(vector: &[T]) -> f64 {
    dot(vector, vector).sqrt()
}
