//! File 23: the bound for several segments, shares of experts, and the best partition.

use eigenstream::bounds::Bounds;
use eigenstream::pca::Share;
use eigenstream::weights::Hedge;
use eigenstream::{Centering, Scalar};

use super::batch::fitted;
use super::check::{Check, Refusal};
use super::hedge::{check_hedge, settings};
use super::schema::Case;
use super::sizes::{with_losses, with_samples};
use crate::partition::Partition;

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    match case.operation() {
        "bound" => bound::<T>(case, check),
        "hedge" => with_losses!(case, check, hedge::<T>),
        "partition" => with_samples!(case, check, partition::<T>),
        other => Err(Refusal::operation(other)),
    }
}

fn bound<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let number = |key| case.input.number(key).map(T::from_f64);
    let bounds = Bounds::<T>::new(case.input.count("n")?, case.input.count("k")?);
    let (trials, segments) = (case.input.count("trials")?, case.input.count("segments")?);
    let shared = bounds.with_share(number("alpha")?, trials, segments);
    let best_loss = number("segment_loss")?;
    let rate = number("eta")?;
    let bound = shared.map_or(T::MAX, |bounds| bounds.loss(best_loss, rate));
    check.number("bound", bound, case.output.number("bound")?);
    Ok(())
}

fn hedge<T: Scalar, const N: usize>(case: &Case, losses: &[[T; N]], check: &mut Check) -> Result<(), Refusal> {
    let part = T::from_f64(case.input.number("alpha")?);
    let share = match case.input.text("share")? {
        "uniform" => Share::Uniform(part),
        "past_average" => Share::PastAverage(part),
        "past_posteriors" => Share::PastPosteriors(part),
        other => return Err(Refusal::operation(other)),
    };
    let settings = settings(case, case.input.count("d")?)?.with_share(share);
    let hedge = Hedge::<T, N>::new(settings.map_err(Refusal::by_crate)?);
    check_hedge(hedge, losses, case, check).map(drop)
}

fn partition<T: Scalar, const DIM: usize, const KEEP: usize>(
    case: &Case,
    samples: &[[T; DIM]],
    check: &mut Check,
) -> Result<(), Refusal> {
    let loss = |from: usize, to: usize| {
        let pca = fitted::<T, DIM, KEEP>(&samples[from..to], Centering::Uncentered)?;
        Ok::<f64, Refusal>(pca.loss().to_f64())
    };
    let ends: Vec<usize> = (0..=samples.len()).collect();
    let best = Partition::new(&ends, case.input.count("segments")?, loss)?;
    let losses: Vec<T> = best.losses().iter().map(|&loss| T::from_f64(loss)).collect();
    check.vector(
        "loss_with_segments",
        &losses,
        &case.output.vector("loss_with_segments")?,
    );
    Ok(())
}
