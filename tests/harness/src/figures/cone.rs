//! [KW07] figures 1 to 3: the cone, the losses of online kernel PCA on it, and its average regret.
//! Out: three pictures, total losses, and claims: among them, five directions lose less than half of what two lose, and
//! the regret per trial falls.

use std::thread;

use anyhow::{Result, anyhow};
use eigenstream::bounds::Bounds;
use eigenstream::kernel::Ambient;
use eigenstream_soak::cone::{DIM, Run, TRIALS, run, samples};

use super::losses::running_total;
use super::{Claim, Figure};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

const SEED: u64 = 1;
/// The learning rate η of figure 2.
const RATE: f64 = 1.5;
/// The learning rate η of figure 3.
const REGRET_RATE: f64 = 1.0;
const PRINTED: [usize; 4] = [50, 100, 200, 250];
/// The average regret after the first three numbers of trials in [`PRINTED`], from an independent program on other
/// samples.
const REGRETS: [f64; 3] = [0.046, 0.034, 0.020];
/// Figure 3 has a point at each multiple of this number of trials, and at those of [`PRINTED`].
const POINT_EVERY: usize = 20;

/// Figure 1: the data.
pub(super) fn data() -> Figure {
    let samples = samples(SEED);
    let panel = |horizontal, vertical, [first, second]: [usize; 2]| Panel {
        horizontal: Axis::between(horizontal, -0.75, 0.75),
        vertical: Axis::between(vertical, -0.75, 0.75),
        series: vec![Series {
            name: format!("{TRIALS} samples"),
            colour: Colour::Blue,
            look: Look::Dots,
            points: samples
                .iter()
                .map(|sample| Point::new(sample[first], sample[second]))
                .collect(),
        }],
        marks: Vec::new(),
        notes: Vec::new(),
        legend: Legend::UpperRight,
    };
    let chart = Chart {
        title: "The cone x² + y² = z², which no plane holds".into(),
        panels: vec![panel("x", "y", [0, 1]), panel("x", "z", [0, 2])],
        layout: Layout::Beside,
        caption: vec![format!(
            "[KW07] figure 1: the first three of {DIM} dimensions, noise of 0.02 in each. Figures 2 and 3 learn from these samples."
        )],
    };
    Figure::without_claims("kernel_figure1", chart)
}

/// Running totals of the losses with `KEEP` directions: of the learner with [`Ambient::Points`] and
/// [`Ambient::Infinite`], and of the best fixed subspace.
struct Totals<const KEEP: usize> {
    points: Vec<f64>,
    infinite: Vec<f64>,
    hindsight: Vec<f64>,
}

impl<const KEEP: usize> Totals<KEEP> {
    fn on(samples: &[[f64; DIM]]) -> Result<Self> {
        let (points, infinite) = beside(
            || Ok(run::<KEEP>(samples, RATE, Ambient::Points, &[])?),
            || Ok(run::<KEEP>(samples, RATE, Ambient::Infinite, &[])?),
        )?;
        let Run { losses, hindsight, .. } = infinite;
        Ok(Self {
            points: running_total(&points.losses),
            infinite: running_total(&losses),
            hindsight: running_total(&hindsight),
        })
    }

    fn ends(&self) -> [f64; 3] {
        [&self.hindsight, &self.points, &self.infinite].map(|totals| totals.last().copied().unwrap_or_default())
    }

    /// The claims; `expected` is the loss per trial of the best subspace from an independent program on other samples.
    fn claims(&self, expected: f64) -> Vec<Claim> {
        let [best, points, infinite] = self.ends();
        let mean = best / TRIALS as f64;
        let bound = Bounds::<f64>::dimension_free(KEEP).loss(best, RATE);
        vec![
            Claim {
                text: format!("k = {KEEP}: best fixed subspace ≤ Points ≤ Infinite"),
                holds: best <= points && points <= infinite,
            },
            Claim {
                text: format!("k = {KEEP}: in hindsight {mean:.4} a trial is lost, within a quarter of {expected:.4}"),
                holds: (mean - expected).abs() <= 0.25 * expected,
            },
            Claim {
                text: format!("k = {KEEP}: {infinite:.2} is within the bound that knows no dimension, {bound:.2}"),
                holds: infinite <= bound,
            },
        ]
    }

    fn line(&self) -> String {
        let [best, points, infinite] = self.ends();
        format!("{KEEP:>4}  {best:>14.2}  {points:>6.2}  {infinite:>8.2}")
    }

    fn panel(&self, legend: Legend) -> Panel {
        let line = |name: &str, colour, look, values: &[f64]| Series::over_trials(name, colour, look, 1, values);
        let [.., largest] = self.ends();
        Panel {
            horizontal: Axis::between("trial", 0.0, TRIALS as f64),
            vertical: Axis::up_to("total loss", largest),
            series: vec![
                line("online, Infinite", Colour::Blue, Look::Line, &self.infinite),
                line("online, Points", Colour::Orange, Look::Dashed, &self.points),
                line("best fixed subspace", Colour::Black, Look::Dashed, &self.hindsight),
            ],
            marks: Vec::new(),
            notes: vec![(0.75 * TRIALS as f64, format!("{KEEP} directions"))],
            legend,
        }
    }
}

/// Runs two tasks in parallel, because a run takes long.
fn beside<A: Send, B>(first: impl FnOnce() -> Result<A> + Send, second: impl FnOnce() -> Result<B>) -> Result<(A, B)> {
    thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second()?;
        let first = first.join().map_err(|_| anyhow!("the first of two threads panicked"))?;
        Ok((first?, second))
    })
}

/// Figure 2: total losses.
pub(super) fn totals() -> Result<Figure> {
    let samples = samples(SEED);
    let (two, five) = beside(|| Totals::<2>::on(&samples), || Totals::<5>::on(&samples))?;
    // In 400 trials of an independent program, the best subspace lost 17.56 with two directions and 1.43 with five.
    let mut claims = two.claims(0.0439);
    claims.extend(five.claims(0.0036));
    claims.push(learned(&two, &five));
    let chart = Chart {
        title: "Five directions of quadratic features hold the cone, two do not".into(),
        panels: vec![two.panel(Legend::UpperLeft), five.panel(Legend::Hidden)],
        layout: Layout::Beside,
        caption: vec![format!(
            "[KW07] figure 2: kernel (x·y)², η = {RATE}, the samples of figure 1, all of them kept; both panels have the same lines."
        )],
    };
    let heading = "keep  best in hindsight  Points  Infinite".to_owned();
    Ok(Figure {
        name: "kernel_figure2",
        chart,
        report: vec![heading, two.line(), five.line()],
        claims,
    })
}

fn learned(two: &Totals<2>, five: &Totals<5>) -> Claim {
    let ([two_best, _, two_online], [five_best, _, five_online]) = (two.ends(), five.ends());
    Claim {
        text: "five directions lose less than half of what two lose, and in hindsight less than a fifth".into(),
        holds: 5.0 * five_best < two_best && 2.0 * five_online < two_online,
    }
}

/// Figure 3: average regret.
pub(super) fn regret() -> Result<Figure> {
    let trials: Vec<usize> = (1..=TRIALS)
        .filter(|trial| trial.is_multiple_of(POINT_EVERY) || PRINTED.contains(trial))
        .collect();
    let Run { losses, best, .. } = run::<5>(&samples(SEED), REGRET_RATE, Ambient::Points, &trials)?;
    let total = running_total(&losses);
    let average = |(&trial, &best): (&usize, &f64)| Point::new(trial as f64, (total[trial - 1] - best) / trial as f64);
    let points: Vec<Point> = trials.iter().zip(&best).map(average).collect();
    let printed: Vec<f64> = points
        .iter()
        .filter(|point| PRINTED.contains(&(point.x as usize)))
        .map(|point| point.y)
        .collect();
    let largest = points.iter().fold(0.0_f64, |largest, point| largest.max(point.y));
    let report = PRINTED
        .iter()
        .zip(&printed)
        .map(|(trial, regret)| format!("after {trial:>3} trials  {regret:.3}"));
    let holds = printed.windows(2).all(|pair| pair[1] < pair[0])
        && printed
            .first()
            .zip(printed.last())
            .is_some_and(|(first, last)| *last < 0.5 * first);
    let alike = printed
        .iter()
        .zip(REGRETS)
        .all(|(regret, expected)| (regret - expected).abs() <= 0.25 * expected);
    Ok(Figure {
        name: "kernel_figure3",
        report: report.collect(),
        claims: vec![
            Claim {
                text: "the average regret falls all the time, to less than half of what it was after 50 trials".into(),
                holds,
            },
            Claim {
                text: format!("and is within a quarter of {REGRETS:?}"),
                holds: alike,
            },
        ],
        chart: Chart {
            title: "The average regret of online kernel PCA goes to zero".into(),
            panels: vec![Panel {
                horizontal: Axis::between("trial", 0.0, TRIALS as f64),
                vertical: Axis::up_to("average regret", largest),
                series: vec![Series {
                    name: "against the best fixed subspace so far".into(),
                    colour: Colour::Blue,
                    look: Look::Line,
                    points,
                }],
                marks: Vec::new(),
                notes: Vec::new(),
                legend: Legend::UpperRight,
            }],
            layout: Layout::Beside,
            caption: vec![format!(
                "[KW07] figure 3: kernel (x·y)², five directions, η = {REGRET_RATE}, the samples of figure 1."
            )],
        },
    })
}
