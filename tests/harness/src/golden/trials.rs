//! The rows of a case as trials, and the losses of a learner on them.

use eigenstream::{Learner, Scalar};

use super::check::{Check, Refusal};
use super::schema::Case;

pub(super) fn width(rows: &[Vec<f64>]) -> usize {
    rows.first().map_or(0, Vec::len)
}

pub(super) fn trials<T: Scalar, const N: usize>(rows: &[Vec<f64>]) -> Result<Vec<[T; N]>, Refusal> {
    let trial = |row: &Vec<f64>| match <[f64; N]>::try_from(row.as_slice()) {
        Ok(row) => Ok(row.map(T::from_f64)),
        Err(_) => Err(Refusal::Failed(format!(
            "a row has {} numbers where the first has {N}",
            row.len()
        ))),
    };
    rows.iter().map(trial).collect()
}

/// The score of each sample before the learner learns it.
pub(super) fn scored<T: Scalar, const DIM: usize>(
    learner: &mut impl Learner<T, DIM>,
    samples: &[[T; DIM]],
) -> Result<Vec<T>, Refusal> {
    let mut losses = Vec::new();
    for sample in samples {
        losses.push(learner.score(sample).map_err(Refusal::by_crate)?);
        learner.learn(sample).map_err(Refusal::by_crate)?;
    }
    Ok(losses)
}

/// Compares the losses under `key` and their total, which is returned.
pub(super) fn check_losses<T: Scalar>(key: &str, losses: &[T], case: &Case, check: &mut Check) -> Result<T, Refusal> {
    let total = losses.iter().fold(T::ZERO, |sum, &loss| sum + loss);
    check.vector(key, losses, &case.output.vector(key)?);
    check.number("total", total, case.output.number("total")?);
    Ok(total)
}
