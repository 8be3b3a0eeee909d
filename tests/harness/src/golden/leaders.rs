//! File 06: Follow the Leader, its perturbed form, and the adversary against it.

use eigenstream::Scalar;
use eigenstream::weights::FollowTheLeader;

use super::centered;
use super::check::{Check, Refusal};
use super::hedge::best_loss;
use super::schema::Case;
use super::sizes::with_experts;
use super::trials::{check_losses, trials, width};

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    match case.operation() {
        "fl" | "fpl" => {
            let losses = case.input.rows("losses")?;
            with_experts!(width(&losses), follow::<T>(case, &losses, check))
        }
        "adversary_fl" => with_experts!(case.input.count("n")?, adversary::<T>(case, check)),
        "fl_pca" => centered::follow_the_leader::<T>(case, check),
        other => Err(Refusal::operation(other)),
    }
}

fn follow<T: Scalar, const N: usize>(case: &Case, losses: &[Vec<f64>], check: &mut Check) -> Result<(), Refusal> {
    let set_size = case.input.count("d")?;
    let trials = trials::<T, N>(losses)?;
    let perturbations = match case.operation() {
        "fpl" => self::trials::<T, N>(&case.input.rows("perturbation")?)?,
        _ => vec![[T::ZERO; N]; trials.len()],
    };
    check.equal("number of perturbations", &perturbations.len(), &trials.len());

    let mut leader = FollowTheLeader::<T, N>::new();
    let (mut sets, mut losses) = (Vec::new(), Vec::new());
    for (trial, perturbation) in trials.iter().zip(&perturbations) {
        let leaders = match case.operation() {
            "fpl" => leader.perturbed_leaders(perturbation, set_size),
            _ => leader.leaders(set_size),
        };
        let set: Vec<usize> = leaders.iter().collect();
        let loss = set.iter().fold(T::ZERO, |sum, &expert| sum + trial[expert]);
        leader.learn(trial).map_err(Refusal::by_crate)?;
        sets.push(set);
        losses.push(loss);
    }
    check.equal("sets", &sets, &case.output.sets("sets")?);
    check_losses("loss", &losses, case, check)?;
    if case.output.has("best") {
        check.number("best", best_loss(&trials, set_size)?, case.output.number("best")?);
    }
    Ok(())
}

/// Plays the adversary of [WK08] section 7: in each trial the expert with the least cumulative loss, which is always a
/// leader, has loss 1.
fn adversary<T: Scalar, const N: usize>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let set_size = case.input.count("d")?;
    let mut leader = FollowTheLeader::<T, N>::new();
    let (mut hits, mut trials, mut total) = (Vec::new(), Vec::new(), 0);
    for _ in 0..case.input.count("T")? {
        let first = leader.leaders(1).iter().next();
        let hit = first.ok_or_else(|| Refusal::Failed("there is no leader".into()))?;
        total += usize::from(leader.leaders(set_size).contains(hit));
        let mut losses = [T::ZERO; N];
        losses[hit] = T::ONE;
        leader.learn(&losses).map_err(Refusal::by_crate)?;
        hits.push(hit);
        trials.push(losses);
    }
    let best = best_loss(&trials, set_size)?;
    check.equal("hit", &hits, &case.output.counts("hit")?);
    check.equal("fl_total", &total, &case.output.count("fl_total")?);
    check.number("best", best, case.output.number("best")?);
    let range = case.output.vector("range")?;
    check.holds(
        range.len() == 2 && (range[0]..=range[1]).contains(&best.to_f64()),
        || format!("best is {best}, outside {range:?}"),
    );
    Ok(())
}
