//! Tests of learners that start from given numbers, from merged parts, or from the factory model that uses both.
#![expect(clippy::unwrap_used, reason = "a refused call is a failed test")]

mod factory;
#[expect(dead_code, reason = "no image is changed here")]
#[path = "../support/images.rs"]
mod images;
mod merging;
mod merging_trackers;
#[path = "../support/precisions.rs"]
mod precisions;
mod starts;
#[expect(dead_code, reason = "only the generator is used here")]
#[path = "../support/mod.rs"]
mod support;

use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::orthonormalize;
use eigenstream::{Codec, Scalar};
use images::image;
use precisions::in_both_precisions;
use support::{rng, symmetric};

fn samples<T: Scalar, const DIM: usize>(count: usize, seed: u64, offset: f64) -> Vec<[T; DIM]> {
    let rng = &mut rng(seed);
    let axes: [[f64; DIM]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| 0.25 * symmetric(rng)));
    let sample = |_| {
        let (first, second) = (symmetric(rng), symmetric(rng));
        let value = |i: usize| offset + first * axes[0][i] + second * axes[1][i] + 0.0625 * symmetric(rng);
        std::array::from_fn::<f64, DIM, _>(value).map(T::from_f64)
    };
    (0..count).map(sample).collect()
}

fn basis<T: Scalar, const DIM: usize, const COUNT: usize>(seed: u64) -> SMatrix<T, DIM, COUNT> {
    let rng = &mut rng(seed);
    let mut columns = SMatrix::from_fn(|_, _| T::from_f64(symmetric(rng)));
    assert_eq!(orthonormalize(&mut columns, COUNT), COUNT);
    columns
}

fn restarted<L: Codec>(learner: &L) -> L {
    L::decode(&image(learner)).unwrap()
}

/// The largest difference between the numbers at equal places of two lists.
fn off<'a, T: Scalar>(left: impl IntoIterator<Item = &'a T>, right: impl IntoIterator<Item = &'a T>) -> f64 {
    let pairs = left.into_iter().zip(right);
    pairs.fold(0.0, |worst, (left, right)| {
        let off = (left.to_f64() - right.to_f64()).abs();
        if off <= worst { worst } else { off }
    })
}
