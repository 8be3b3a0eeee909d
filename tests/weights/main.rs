//! Properties of `eigenstream::weights`, each in `f32` and `f64` through one generic body.
//!
//! The generator's seed is fixed: a run either always passes or always fails.

mod capping;
mod hedge;
mod hostile;
mod sets;

use eigenstream::Scalar;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Outcome = Result<(), TestCaseError>;

/// Largest vector that the tests use.
const CAPACITY: usize = 64;

/// How far a result may be from the exact one, in units of ε.
mod tolerance {
    use eigenstream::Scalar;

    /// A sum of `count` numbers of order one: one rounding per addition, as much again for the numbers themselves.
    pub(crate) fn sum<T: Scalar>(count: usize) -> f64 {
        2.0 * (count + 2) as f64 * T::EPSILON.to_f64()
    }

    /// A weight of order one after at most three scalings by such a sum.
    pub(crate) fn scaled<T: Scalar>(count: usize) -> f64 {
        3.0 * sum::<T>(count)
    }

    /// A probability exp(−x): an argument of up to 16 is rounded to 16 ε, and the threshold in it is such a sum.
    pub(crate) fn exponential<T: Scalar>(count: usize) -> f64 {
        16.0 * T::EPSILON.to_f64() + scaled::<T>(count)
    }

    /// Hedge after `trials` of loss at most one: the log weights are rounded in every trial.
    pub(crate) fn trials<T: Scalar>(count: usize, trials: usize) -> f64 {
        trials as f64 * exponential::<T>(count)
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 256,
        rng_seed: RngSeed::Fixed(2008),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn convert<T: Scalar>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

fn exact<T: Scalar>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

fn close(left: f64, right: f64, tolerance: f64) -> Outcome {
    prop_assert!(
        (left - right).abs() <= tolerance,
        "{left} and {right} differ by more than {tolerance}"
    );
    Ok(())
}

/// A call that must not be refused.
fn accepted<R, E: core::fmt::Debug>(result: Result<R, E>) -> Result<R, TestCaseError> {
    result.map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))
}

/// Weights with everything that is awkward: zeros, ties, nearly ties, and twelve orders of magnitude.
fn awkward_weights() -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![
        2 => Just(0.0),
        2 => Just(1.0),
        1 => Just(1.0 - f64::from(f32::EPSILON)),
        1 => Just(1.0 - f64::EPSILON),
        4 => 0.0..1.0,
        2 => (0..40).prop_map(|exponent| 0.5_f64.powi(exponent)),
    ];
    let length = prop_oneof![3 => 1..=12_usize, 1 => Just(CAPACITY)];
    length
        .prop_flat_map(move |length| vec(weight.clone(), length))
        .prop_filter("some weight", |weights| weights.iter().any(|&w| w > 0.0))
}

/// Awkward weights and a set size from 1 to their number.
fn weights_and_set_size() -> impl Strategy<Value = (Vec<f64>, usize)> {
    awkward_weights().prop_flat_map(|weights| {
        let sizes = 1..=weights.len();
        (Just(weights), sizes)
    })
}
