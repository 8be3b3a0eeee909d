//! The regret of a learner between the upper and the lower bound.
//! In: streams like that of the lower bound, [WK08] section 7, played against Algorithm 5. Out: the regret over the
//! trials and both bounds, and claims: among them, the mean regret at the end lies between the bounds, and Follow the
//! Leader loses n/(n−k) times the loss of the best subspace, up to 3 %, with n axes of which k are kept.

use anyhow::Result;
use eigenstream::bounds::Bounds;
use eigenstream::pca::{Center, CenteredPca, CenteredSettings, ReadOut, TrackingPca, TrackingSettings};
use eigenstream_soak::adversary::{Choice, Hardest, OneBlock, Round, best_loss};

use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

/// Number of axes, and of axes kept; the lower bound needs many axes for each dropped one.
const DIM: usize = 20;
const KEEP: usize = 18;
const DROPPED: usize = DIM - KEEP;
const TRIALS: usize = 2_000;
const SEEDS: u64 = 10;
/// Trials between two points of a curve.
const POINT_EVERY: usize = 40;
/// Sizes and trials of the run of Follow the Leader.
const LEADER_DIM: usize = 6;
const LEADER_KEEP: usize = 2;
const LEADER_TRIALS: usize = 600;

/// Means over all seeds after `trial` trials.
#[derive(Clone, Copy, Default)]
struct Place {
    trial: usize,
    best: f64,
    regret: f64,
    upper: f64,
    lower: f64,
}

/// Computes the figure and its claims.
pub(super) fn figure() -> Result<Figure> {
    let random = places(Choice::Random)?;
    let hardest = places(Choice::Hardest)?;
    let last = random.last().copied().unwrap_or_default();
    let hard = hardest.last().copied().unwrap_or_default();
    let (leader, best) = leader()?;
    let between = |place: &Place| place.lower <= place.regret && place.regret <= place.upper;
    let claims = vec![
        Claim {
            text: format!(
                "any axis of a random block: the regret is between the bounds at the end, {:.1} ≤ {:.1} ≤ {:.1}",
                last.lower, last.regret, last.upper
            ),
            holds: between(&last),
        },
        Claim {
            text: format!(
                "the hardest axis of a random block: the regret, {:.1}, is below the upper bound, {:.1}",
                hard.regret, hard.upper
            ),
            holds: hardest.iter().all(|place| place.regret <= place.upper),
        },
        Claim {
            text: format!(
                "Follow the Leader, {LEADER_KEEP} of {LEADER_DIM} kept: {leader:.1} is n/(n−k) = {:.2} times the best, {best}, \
                 within 3 %",
                LEADER_DIM as f64 / (LEADER_DIM - LEADER_KEEP) as f64
            ),
            holds: leader * (LEADER_DIM - LEADER_KEEP) as f64 > 0.97 * best * LEADER_DIM as f64,
        },
    ];
    let row = |name: &str, place: &Place| {
        format!(
            "{name:<12}  {:>10.1}  {:>11.1}  {:>6.1}  {:>11.1}",
            place.best, place.lower, place.regret, place.upper
        )
    };
    Ok(Figure {
        name: "bounds",
        report: vec![
            "axis played   best fixed  lower bound  regret  upper bound".to_owned(),
            row("any", &last),
            row("the hardest", &hard),
        ],
        chart: chart(&random, &hardest),
        claims,
    })
}

/// Plays the streams of one choice of axes, one for each seed, against [WK08] Algorithm 5.
fn places(choice: Choice) -> Result<Vec<Place>> {
    let bounds = Bounds::<f64>::new(DIM, KEEP);
    // This rate is tuned for the loss of the best subspace if all axes are played equally often.
    let rate = bounds.learning_rate((TRIALS * DROPPED) as f64 / DIM as f64);
    let mut places = vec![Place::default(); TRIALS / POINT_EVERY];
    for seed in 0..SEEDS {
        let mut pca = TrackingPca::<f64, DIM, KEEP, DIM>::new(TrackingSettings::unscaled(rate)?.without_ceiling());
        let rounds = OneBlock::new(&mut pca, DROPPED, choice, seed).take(TRIALS);
        let (mut total, mut played) = (0.0, [0; DIM]);
        for (trial, Round { axis, loss, .. }) in (1..).zip(rounds) {
            total += loss;
            played[axis] += 1;
            if trial % POINT_EVERY != 0 {
                continue;
            }
            let best = best_loss(&played, DROPPED) as f64;
            let share = 1.0 / SEEDS as f64;
            if let Some(place) = places.get_mut(trial / POINT_EVERY - 1) {
                place.trial = trial;
                place.best += share * best;
                place.regret += share * (total - best);
                place.upper += share * (bounds.loss(best, rate) - best);
                place.lower += share * bounds.lower(best, 0.0);
            }
        }
    }
    Ok(places)
}

/// Total loss of Follow the Leader against its adversary, and of the best fixed subspace.
fn leader() -> Result<(f64, f64)> {
    let settings = CenteredSettings::unscaled(1.0)?
        .with_center(Center::Fixed)?
        .with_read_out(ReadOut::Leader);
    let mut pca = CenteredPca::<f64, LEADER_DIM, LEADER_KEEP>::new(settings);
    let (mut total, mut played) = (0.0, [0; LEADER_DIM]);
    for Round { axis, loss, .. } in Hardest::new(&mut pca).take(LEADER_TRIALS) {
        total += loss;
        played[axis] += 1;
    }
    Ok((total, best_loss(&played, LEADER_DIM - LEADER_KEEP) as f64))
}

fn chart(random: &[Place], hardest: &[Place]) -> Chart {
    let line = |name: &str, colour, look, places: &[Place], value: fn(&Place) -> f64| Series {
        name: name.to_owned(),
        colour,
        look,
        points: places
            .iter()
            .map(|place| Point::new(place.trial as f64, value(place)))
            .collect(),
    };
    let largest = random.iter().fold(0.0_f64, |largest, place| largest.max(place.upper));
    Chart {
        title: "What the learner loses lies between two bounds".into(),
        panels: vec![Panel {
            horizontal: Axis::between("trial", 0.0, TRIALS as f64),
            vertical: Axis::up_to("regret", largest),
            series: vec![
                line(
                    "upper bound at this learning rate",
                    Colour::Orange,
                    Look::Dashed,
                    random,
                    |place| place.upper,
                ),
                line(
                    "Algorithm 5, any axis: the stream of the lower bound",
                    Colour::Blue,
                    Look::Line,
                    random,
                    |place| place.regret,
                ),
                line(
                    "Algorithm 5, the hardest axis: a weaker stream",
                    Colour::Green,
                    Look::Line,
                    hardest,
                    |place| place.regret,
                ),
                line(
                    "lower bound for every learner",
                    Colour::Black,
                    Look::Dashed,
                    random,
                    |place| place.lower,
                ),
            ],
            marks: Vec::new(),
            notes: Vec::new(),
            legend: Legend::UpperLeft,
        }],
        layout: Layout::Beside,
        caption: vec![
            format!(
                "[WK08] section 7: n = {DIM}, k = {KEEP}, blocks of {} axes, mean of {SEEDS} streams.",
                DIM / DROPPED
            ),
            "In each trial an axis of a random block. Upper bound: Theorem 6. Lower bound: equation (19) with ε = 0."
                .into(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_all_hold;
    use super::*;

    #[test]
    fn the_regret_lies_between_the_bounds() -> Result<()> {
        assert_all_hold(&figure()?.claims);
        Ok(())
    }
}
