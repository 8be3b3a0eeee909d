//! Property tests of `eigenstream::weights` in `f32` and `f64`, with a fixed seed.

mod capping;
mod hedge;
mod hostile;
mod sets;

use eigenstream::Scalar;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Outcome = Result<(), TestCaseError>;

/// The largest length of a random vector.
const CAPACITY: usize = 64;

/// Limits of rounding errors.
mod tolerance {
    use eigenstream::Scalar;

    /// The limit for a sum near one, of `count` numbers; ε = machine epsilon.
    pub(crate) fn sum<T: Scalar>(count: usize) -> f64 {
        2.0 * (count + 2) as f64 * T::EPSILON.to_f64()
    }

    /// The limit for a weight after three divisions by such a sum.
    pub(crate) fn scaled<T: Scalar>(count: usize) -> f64 {
        3.0 * sum::<T>(count)
    }

    /// The limit for exp(−x): an x of up to 16 has the rounding error 16 ε and the error `scaled`.
    pub(crate) fn exponential<T: Scalar>(count: usize) -> f64 {
        16.0 * T::EPSILON.to_f64() + scaled::<T>(count)
    }

    /// The limit for `Hedge`, which rounds the logarithms in every trial.
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

fn accepted<R, E: core::fmt::Debug>(result: Result<R, E>) -> Result<R, TestCaseError> {
    result.map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))
}

/// Vectors with zeros, equal and nearly equal weights, over twelve powers of ten.
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

fn weights_and_set_size() -> impl Strategy<Value = (Vec<f64>, usize)> {
    awkward_weights().prop_flat_map(|weights| {
        let sizes = 1..=weights.len();
        (Just(weights), sizes)
    })
}
