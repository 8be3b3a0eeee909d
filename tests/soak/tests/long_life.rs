//! A short run of `cargo harness soak`.

use eigenstream_soak::{driver, learners};

/// Number of steps to run, fewer without the optimiser.
const STEPS: u64 = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };

fn holds(soaked: &learners::Soaked, steps: u64) {
    let mut checks = 0;
    let steps = soaked.steps(steps);
    let report = (soaked.run)(steps, &mut || checks += 1);
    let losses = [report.loss, report.twin_loss, report.difference];
    let worst = (report.orthogonality, report.probability_sum);
    if let Some(violation) = report.violation {
        unreachable!("{}: {violation}; losses {losses:?}, worst {worst:?}", report.learner);
    }
    assert_eq!((report.steps, checks), (steps, steps.div_ceil(driver::CHECK_EVERY)));
}

#[test]
fn a_tracking_learner_of_small_rank_keeps_its_promises_for_a_million_samples() {
    holds(&learners::ALL[0], STEPS);
}

#[test]
fn a_tracking_learner_of_full_rank_keeps_its_promises_for_a_million_samples() {
    holds(&learners::ALL[1], STEPS);
}

#[test]
fn the_slow_learners_keep_their_promises_for_fewer_samples() {
    for soaked in &learners::ALL[2..] {
        holds(soaked, STEPS / 4);
    }
}
