//! File 29: batch PCA of parts, merged in two orders, and mean and scatter of merged centered online PCA.

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings};
use eigenstream::{Centering, Scalar};

use super::batch::fitted;
use super::check::{Check, Refusal};
use super::online_pca::check_matrix;
use super::schema::Case;
use super::sizes::with_samples;

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_samples!(case, check, run_sized::<T>)
}

fn run_sized<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let mut rest = samples;
    let mut parts = Vec::new();
    for length in case.input.vector("parts")? {
        let Some((part, behind)) = rest.split_at_checked(length as usize) else {
            return Err(Refusal::Failed("the parts have more rows than there are".into()));
        };
        parts.push(part);
        rest = behind;
    }
    let forwards = merged::<T, DIM, KEEP>(parts.iter(), case, check)?;
    let backwards = merged::<T, DIM, KEEP>(parts.iter().rev(), case, check)?;
    check.equal("count, backwards", &backwards, &forwards);
    check.equal("count", &forwards, &(samples.len() as u64));
    Ok(())
}

/// Merges the parts in this order, compares the result with the case, and returns the number of samples.
fn merged<'a, T: Scalar, const DIM: usize, const KEEP: usize>(
    parts: impl Iterator<Item = &'a &'a [[T; DIM]]>,
    case: &Case,
    check: &mut Check,
) -> Result<u64, Refusal> {
    let mut batch = BatchPca::<T, DIM, KEEP>::new(Centering::Centered);
    // The rate does not matter: directions and probabilities are not compared.
    let settings = CenteredSettings::unscaled(T::from_f64(0.1)).map_err(Refusal::by_crate)?;
    let mut online = CenteredPca::<T, DIM, KEEP>::new(settings);
    for part in parts {
        let fit = fitted::<T, DIM, KEEP>(part, Centering::Centered)?;
        batch.merge(&fit).map_err(Refusal::by_crate)?;
        let mut learner = CenteredPca::new(settings);
        for sample in *part {
            learner.learn(sample).map_err(Refusal::by_crate)?;
        }
        online.merge(&learner).map_err(Refusal::by_crate)?;
    }
    let _ = batch.fit();
    let mut scatter = SMatrix::repeat(T::ZERO);
    online.scatter(&mut scatter);
    check_matrix("scatter", &scatter, case, check)?;
    for mean in [batch.mean(), online.mean()] {
        check.vector("mean", mean.as_slice(), &case.output.vector("mean")?);
    }
    check.vector("eig", batch.eigenvalues().as_slice(), &case.output.vector("eig")?);
    check.number("loss", batch.loss(), case.output.number("loss")?);
    check.equal("count of both learners", &batch.samples_seen(), &online.samples_seen());
    Ok(batch.samples_seen())
}
