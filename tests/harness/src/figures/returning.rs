//! Figure 6: the long-term memory of the shares, [WK08] section 8, on segments A B A C B A.
//! In: generated streams, or one of faces. Out: the loss per trial of Algorithm 5 without share, with the uniform share
//! and with the share of the past average, beside the best partition, and claims: among them, with the past average a
//! segment whose source returns costs less than the first segment of this source.

use anyhow::{Result, anyhow, bail};
use eigenstream::bounds::Bounds;
use eigenstream::pca::Share;
use eigenstream_soak::faces;

use super::losses::{hindsight, sharing};
use super::stream::{DIM, Plan, Stream, gaussians};
use super::{Claim, Figure};
use crate::partition::Partition;
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Series, smoothed};

/// The learning rate η and the share α of the paper.
const RATE: f64 = 1.0;
const PART: f64 = 1e-3;
/// The source of each segment, and the letter of that source.
const ORDER: [usize; 6] = [0, 1, 0, 2, 1, 0];
const LETTERS: [&str; 6] = ["A", "B", "A", "C", "B", "A"];
/// Half of the directions of the generated data are kept, so that two sources fit and three do not.
/// The claims hold for these sizes, not in general.
const KEEP: usize = 10;
const RANK: usize = 4;
const SEEDS: [u64; 3] = [1, 2, 3];
/// Each point of a curve is the mean of [`SMOOTHING`] trials; the points are [`POINT_EVERY`] trials apart.
const SMOOTHING: usize = 20;
const POINT_EVERY: usize = 4;
/// Trials between two places where a segment of the best partition may end; the cost grows with the square of the
/// number of places.
const PLACE_EVERY: usize = 20;

/// The figure on generated data.
pub(super) fn generated() -> Result<Figure> {
    let mut figure: Option<Figure> = None;
    for seed in SEEDS {
        let stream = stream(seed);
        let runs = on_generated(&format!("seed {seed}"), &stream)?;
        match &mut figure {
            Some(figure) => {
                figure.report.extend(runs.table());
                figure.claims.extend(runs.claims(&stream));
            }
            None => {
                let caption = format!("Generated data: n = {DIM}, k = {KEEP}, Gaussians of rank {RANK}");
                figure = Some(runs.figure(&stream, &caption));
            }
        }
    }
    figure.ok_or_else(|| anyhow!("there is no seed to draw figure 6 for"))
}

/// The figure on faces.
pub(super) fn recorded(stream: &Stream<{ faces::PIXELS }>) -> Result<Figure> {
    in_order(stream)?;
    let caption = format!(
        "Yale faces, 15 × 10 pixels, scaled to length one: n = {}, k = {}",
        faces::PIXELS,
        faces::KEEP
    );
    let run = |samples: &[_], share| Ok(faces::sharing(samples, RATE, share)?);
    let runs = Runs::on::<{ faces::PIXELS }, { faces::KEEP }>("recorded", stream, run, faces::stretches)?;
    Ok(runs.figure(stream, &caption))
}

fn on_generated(name: &str, stream: &Stream<DIM>) -> Result<Runs> {
    let run = |samples: &[_], share| sharing::<DIM, KEEP>(samples, RATE, share);
    let stretches = |samples: &[_], places: &[_]| faces::stretches_of(samples, KEEP, places);
    Runs::on::<DIM, KEEP>(name, stream, run, stretches)
}

/// Refuses a stream whose segments are not A B A C B A.
pub(super) fn in_order<const N: usize>(stream: &Stream<N>) -> Result<()> {
    if first_visits(&sources(stream)) == first_visits(&ORDER) {
        Ok(())
    } else {
        bail!("the segments of the data are not A B A C B A: use a stream in that order")
    }
}

fn stream(seed: u64) -> Stream<DIM> {
    gaussians(&Plan {
        seed,
        order: &ORDER,
        length: 200,
        rank: RANK,
    })
}

/// The losses of three learners on one stream, and of the best partition into as many segments as the stream has.
struct Runs {
    name: String,
    nothing: Run,
    uniform: Run,
    past: Run,
    best: Run,
    partition: Partition,
    /// The loss bound of the uniform share, computed from the loss of the best partition.
    bound: f64,
}

impl Runs {
    fn on<const N: usize, const KEPT: usize>(
        name: &str,
        stream: &Stream<N>,
        losses: impl Fn(&[[f64; N]], Share<f64>) -> Result<Vec<f64>>,
        stretches: impl Fn(&[[f64; N]], &[usize]) -> Vec<Vec<f64>>,
    ) -> Result<Self> {
        let (samples, trials) = (&stream.samples, stream.samples.len());
        let run = |name, share| anyhow::Ok(Run::of(name, stream, losses(samples, share)?));
        let mut places: Vec<usize> = (0..trials).step_by(PLACE_EVERY).collect();
        places.push(trials);
        let partition = Partition::of(&places, ORDER.len(), &stretches(samples, &places));
        let starts = std::iter::once(&0).chain(partition.ends());
        let best: Vec<Vec<f64>> = starts
            .zip(partition.ends())
            .map(|(&from, &to)| hindsight::<N, KEPT>(&samples[from..to]))
            .collect::<Result<_>>()?;
        let best = Run::of("best partition, in hindsight", stream, best.concat());
        Ok(Self {
            name: name.to_owned(),
            nothing: run("no share", Share::Nothing)?,
            uniform: run("uniform share", Share::Uniform(PART))?,
            past: run("share of the past average", Share::PastAverage(PART))?,
            bound: Bounds::new(N, KEPT)
                .with_share(PART, trials, ORDER.len())?
                .loss(best.total(), RATE),
            best,
            partition,
        })
    }

    fn claims<const N: usize>(&self, stream: &Stream<N>) -> Vec<Claim> {
        let visits = visits(stream);
        let returns = |run: &Run| -> f64 { visits.iter().map(|visit| run.segments[visit.again]).sum() };
        let cheaper = visits
            .iter()
            .all(|visit| self.past.segments[visit.again] < self.past.segments[visit.first]);
        let claim = |text: &str, holds| Claim {
            text: format!("{}: {text}", self.name),
            holds,
        };
        let [nothing, uniform, past] = [&self.nothing, &self.uniform, &self.past].map(Run::total);
        let shifts: Vec<usize> = stream.segments().iter().map(|&(_, to)| to).collect();
        // If a partition with fewer segments loses hardly more, as on the generated data, the ends are not unique.
        let spare = self
            .partition
            .losses()
            .windows(2)
            .any(|pair| pair[1] > 0.999 * pair[0] - 1e-9);
        vec![
            claim(
                "the best partition in hindsight ends its segments where the source changes, or has segments to spare",
                spare || self.partition.ends() == shifts,
            ),
            claim(
                "with the past average each return costs less than the first visit",
                cheaper,
            ),
            claim(
                "the past average loses less than the uniform share on what returns",
                returns(&self.past) < returns(&self.uniform),
            ),
            claim(
                "in total the past average loses less than the uniform share, and that less than none",
                past < uniform && uniform < nothing,
            ),
            claim(
                "no learner loses less than the best partition, and the uniform share keeps its bound beside it",
                self.best.total() < past.min(uniform) && uniform <= self.bound,
            ),
        ]
    }

    fn table(&self) -> Vec<String> {
        let heading = format!(
            "{:<28}  {:>6}   A      B      A      C      B      A",
            self.name, "total"
        );
        let rows = [&self.nothing, &self.uniform, &self.past, &self.best].map(Run::row);
        let bound = format!(
            "bound of the uniform share beside the best partition: {:.0}",
            self.bound
        );
        std::iter::once(heading).chain(rows).chain([bound]).collect()
    }

    fn figure<const N: usize>(&self, stream: &Stream<N>, data: &str) -> Figure {
        let series = vec![
            self.nothing.curve(Colour::Orange),
            self.uniform.curve(Colour::Green),
            self.past.curve(Colour::Blue),
            Series {
                look: Look::Dashed,
                ..self.best.curve(Colour::Black)
            },
        ];
        let heights = series.iter().flat_map(|series| &series.points).map(|point| point.y);
        let panel = Panel {
            horizontal: Axis::between("trial", 0.0, stream.samples.len() as f64),
            // This leaves space for the letters and the legend above all curves.
            vertical: Axis::up_to("expected loss", 1.25 * heights.fold(0.0, f64::max)),
            series,
            marks: stream.shifts().iter().map(|&trial| trial as f64).collect(),
            notes: letters(stream),
            legend: Legend::BelowNotes,
        };
        let chart = Chart {
            title: "What comes back costs less than it did the first time".into(),
            panels: vec![panel],
            layout: Layout::Beside,
            caption: vec![
                format!(
                    "[WK08] figure 6: Algorithm 5, η = {RATE}, α = {PART}; mean loss of the last {SMOOTHING} trials."
                ),
                format!("{data}; shifts at the dashed lines."),
            ],
        };
        Figure {
            name: "figure6",
            chart,
            report: self.table(),
            claims: self.claims(stream),
        }
    }
}

struct Run {
    name: &'static str,
    losses: Vec<f64>,
    segments: Vec<f64>,
}

impl Run {
    fn of<const N: usize>(name: &'static str, stream: &Stream<N>, losses: Vec<f64>) -> Self {
        let segments = stream.segments().into_iter();
        Self {
            name,
            segments: segments.map(|(from, to)| losses[from..to].iter().sum()).collect(),
            losses,
        }
    }

    fn total(&self) -> f64 {
        self.segments.iter().sum()
    }

    fn row(&self) -> String {
        let segments: Vec<String> = self.segments.iter().map(|loss| format!("{loss:5.1}")).collect();
        format!("{:<28}  {:>6.1}  {}", self.name, self.total(), segments.join("  "))
    }

    fn curve(&self, colour: Colour) -> Series {
        let mut series = Series::over_trials(
            self.name,
            colour,
            Look::Line,
            SMOOTHING,
            &smoothed(&self.losses, SMOOTHING),
        );
        series.points = series.points.into_iter().step_by(POINT_EVERY).collect();
        series
    }
}

/// The name of each segment, at its middle.
fn letters<const N: usize>(stream: &Stream<N>) -> Vec<(f64, String)> {
    let middles = stream.segments().into_iter().map(|(from, to)| (from + to) as f64 / 2.0);
    middles.zip(LETTERS.map(String::from)).collect()
}

fn sources<const N: usize>(stream: &Stream<N>) -> Vec<usize> {
    let firsts = stream.segments().into_iter().map(|(first, _)| first);
    firsts.map(|first| stream.sources[first]).collect()
}

/// A segment whose source occurred before, and the first segment of that source.
struct Visit {
    first: usize,
    again: usize,
}

fn visits<const N: usize>(stream: &Stream<N>) -> Vec<Visit> {
    let firsts = first_visits(&sources(stream)).into_iter().enumerate();
    let visits = firsts.map(|(again, first)| Visit { first, again });
    visits.filter(|visit| visit.first < visit.again).collect()
}

/// For each segment, the first segment of the same source.
fn first_visits(sources: &[usize]) -> Vec<usize> {
    let first = |source| sources.iter().position(|other| other == source);
    sources.iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segments_a_b_a_c_b_a_have_three_returns() {
        let pairs: Vec<_> = visits(&stream(1))
            .iter()
            .map(|visit| (visit.first, visit.again))
            .collect();
        assert_eq!(pairs, [(0, 2), (1, 4), (0, 5)]);
    }

    #[test]
    fn data_in_another_order_are_refused() {
        let short = gaussians(&Plan {
            seed: 1,
            order: &ORDER[..5],
            length: 3,
            rank: RANK,
        });
        let empty = Stream::<DIM> {
            samples: Vec::new(),
            sources: Vec::new(),
        };
        assert!(in_order(&short).is_err());
        assert!(in_order(&empty).is_err());
    }

    #[test]
    fn the_claims_of_figure_6_hold_on_generated_data() -> Result<()> {
        let stream = stream(SEEDS[0]);
        let runs = on_generated("seed", &stream)?;
        assert!(
            runs.claims(&stream).iter().all(|claim| claim.holds),
            "{:#?}",
            runs.table()
        );
        Ok(())
    }
}
