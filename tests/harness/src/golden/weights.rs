//! Files 01 and 02: softmin, Hedge, and capping of weights and of logarithms of weights.

use eigenstream::Scalar;
use eigenstream::weights::{cap, cap_log, softmin};

use super::check::{Check, Refusal};
use super::hedge;
use super::schema::Case;

/// Converts the numbers to the number type of the run.
pub(super) fn scalars<T: Scalar>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

/// Runs a case of file 01: weights from losses, at once or trial by trial.
pub(super) fn softmin_or_hedge<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    match case.operation() {
        "softmin" => weights_from_losses::<T>(case, check),
        // Hedge is capped Hedge with sets of one expert.
        "hedge" => hedge::run::<T>(case, 1, check),
        other => Err(Refusal::operation(other)),
    }
}

fn weights_from_losses<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let losses = scalars::<T>(&case.input.vector("loss")?);
    let learning_rate = T::from_f64(case.input.number("eta")?);
    let prior = if case.input.has("w0") {
        Some(scalars::<T>(&case.input.vector("w0")?))
    } else {
        None
    };
    let mut weights = vec![T::ZERO; losses.len()];
    softmin(&losses, learning_rate, prior.as_deref(), &mut weights).map_err(Refusal::by_crate)?;
    check.vector("w", &weights, &case.output.vector("w")?);
    Ok(())
}

/// Runs a case of file 02: the relative-entropy projection, on weights or on their logarithms.
pub(super) fn capping<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let set_size = case.input.count("d")?;
    match case.operation() {
        "cap" => {
            let mut weights = scalars::<T>(&case.input.vector("w")?);
            let capped = cap(&mut weights, set_size).map_err(Refusal::by_crate)?;
            check.vector("w", &weights, &case.output.vector("w")?);
            check.equal("ncapped", &capped, &case.output.count("ncapped")?);
        }
        "cap_log" => {
            let log_weights = scalars::<T>(&case.input.vector("loga")?);
            let mut probabilities = vec![T::ZERO; log_weights.len()];
            cap_log(&log_weights, set_size, &mut probabilities).map_err(Refusal::by_crate)?;
            check.vector("q", &probabilities, &case.output.vector("q")?);
        }
        other => return Err(Refusal::operation(other)),
    }
    Ok(())
}
