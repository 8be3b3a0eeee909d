//! File 04, and the Hedge cases of 01: Hedge over sets of experts.

use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings, SetExperts};

use super::bounds::check_bound;
use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::{with_experts, with_losses};
use super::trials::{check_losses, trials, width};

/// Runs a case of file 04.
pub(super) fn capped<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    run::<T>(case, case.input.count("d")?, check)
}

/// Runs a case of Hedge with sets of `set_size` experts.
pub(super) fn run<T: Scalar>(case: &Case, set_size: usize, check: &mut Check) -> Result<(), Refusal> {
    let losses = case.input.rows("losses")?;
    with_experts!(width(&losses), run_sized::<T>(case, &losses, set_size, check))
}

fn run_sized<T: Scalar, const N: usize>(
    case: &Case,
    losses: &[Vec<f64>],
    set_size: usize,
    check: &mut Check,
) -> Result<(), Refusal> {
    let hedge = Hedge::<T, N>::new(settings(case, set_size)?);
    let trials = trials::<T, N>(losses)?;
    let total = check_hedge(hedge, &trials, case, check)?;
    check.number("best", best_loss(&trials, set_size)?, case.output.number("best")?);
    check_bound(&Bounds::new(N, N.saturating_sub(set_size)), total, case, check)
}

/// Settings with the learning rate of a case, and sets of `set_size` experts.
pub(super) fn settings<T: Scalar>(case: &Case, set_size: usize) -> Result<HedgeSettings<T>, Refusal> {
    HedgeSettings::new(T::from_f64(case.input.number("eta")?))
        .and_then(|settings| settings.with_set_size(set_size))
        .map_err(Refusal::by_crate)
}

/// Plays all trials, compares every loss and the final weights, and returns the total loss.
pub(super) fn check_hedge<T: Scalar, const N: usize>(
    mut hedge: Hedge<T, N>,
    losses: &[[T; N]],
    case: &Case,
    check: &mut Check,
) -> Result<T, Refusal> {
    let mut expected = Vec::new();
    for trial in losses {
        expected.push(hedge.step(trial).map_err(Refusal::by_crate)?);
    }
    let total = check_losses("expected", &expected, case, check)?;
    check.vector("w", &hedge.weights(), &case.output.vector("w")?);
    Ok(total)
}

/// Runs a case of file 28: a learner in which each set of experts has a weight.
pub(super) fn sets<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    with_losses!(case, check, sets_sized::<T>)
}

fn sets_sized<T: Scalar, const N: usize>(case: &Case, losses: &[[T; N]], check: &mut Check) -> Result<(), Refusal> {
    let set_size = case.input.count("d")?;
    let mut experts = SetExperts::<T, N>::new(settings(case, set_size)?);
    let mut expected = Vec::new();
    for trial in losses {
        expected.push(experts.step(trial).map_err(Refusal::by_crate)?);
    }
    let best = best_loss(losses, set_size)?;
    let total = check_losses("expected", &expected, case, check)?;
    check.vector("marginals", &experts.marginals(), &case.output.vector("marginals")?);
    check.number("best", best, case.output.number("best")?);
    check.holds(total <= experts.loss_bound(best), || {
        format!("the total {total} is above the bound")
    });
    Ok(())
}

/// Total loss of the best fixed set: the leaders after the last trial.
pub(super) fn best_loss<T: Scalar, const N: usize>(trials: &[[T; N]], set_size: usize) -> Result<T, Refusal> {
    let mut leader = FollowTheLeader::<T, N>::new();
    for trial in trials {
        leader.learn(trial).map_err(Refusal::by_crate)?;
    }
    let totals = leader.cumulative_losses();
    Ok(leader
        .leaders(set_size)
        .iter()
        .fold(T::ZERO, |sum, expert| sum + totals[expert]))
}
