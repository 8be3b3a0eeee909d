//! The picture of `replay`: the channels, score and threshold, and who contributed, all over the rows of the recording, with alarms
//! in colour. In: rows as they come. Out: a chart. Only bins are kept, so the memory is that of the picture.

use std::path::Path;

use eigenstream_sizes::Sight;

use super::bins::{Bins, Extent};
use super::scores::known;
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};
use crate::recording::Clock;

/// The numbers of a row beside its channels and their parts: score, threshold, alarm.
pub(super) const OTHERS: usize = 3;
const SCORE: usize = 0;
const THRESHOLD: usize = 1;
const ALARM: usize = 2;

/// The height of a curve in its lane.
const LANE: f64 = 0.8;

/// A score below this is drawn as this: the axis is logarithmic.
const FAINTEST: f32 = 1e-9;

/// The picture while rows come in.
pub(super) struct Picture {
    pub(super) names: Vec<String>,
    clock: Option<Clock>,
    /// Of each row score, threshold and alarm, then the channels, then the share of each in the score.
    pub(super) bins: Bins,
}

impl Picture {
    pub(super) fn new(names: &[String], clock: Option<Clock>) -> Self {
        Self {
            names: names.to_vec(),
            clock,
            bins: Bins::new(OTHERS + 2 * names.len()),
        }
    }

    /// A row that was observed.
    pub(super) fn add(&mut self, seconds: f64, sample: &[f32], sight: &Sight, contribution: &[f32]) {
        let threshold = known(sight);
        let share = |&part: &f32| match threshold {
            // In units of the threshold below it, so that a part matters as it does to the alarm; in units of the score above it, so that
            // the guilty channel stands out however high the score is.
            Some(threshold) if threshold > 0.0 => (part / threshold.max(sight.score)).min(1.0),
            _ => f32::NAN,
        };
        let score = if threshold.is_some() {
            sight.score.max(FAINTEST).log10()
        } else {
            f32::NAN
        };
        let level = threshold.map_or(f32::NAN, |threshold| threshold.max(FAINTEST).log10());
        let others = [score, level, f32::from(u8::from(sight.alarm))];
        let channels = sample.iter().copied();
        self.bins.add(
            seconds,
            others.into_iter().chain(channels).chain(contribution.iter().map(share)),
        );
    }

    /// A row that was not.
    pub(super) fn refused(&mut self, seconds: f64, sample: &[f32]) {
        let gaps = std::iter::repeat_n(f32::NAN, self.names.len());
        let others = [f32::NAN, f32::NAN, 0.0];
        self.bins
            .add(seconds, others.into_iter().chain(sample.iter().copied()).chain(gaps));
    }

    /// The finished picture.
    pub(super) fn chart(&self, path: &Path, words: &str) -> Chart {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{file}: {} rows", self.bins.rows());
        Chart {
            title,
            panels: vec![
                self.lanes("channels", OTHERS, |extent| extent),
                self.score_panel(),
                // From nothing to the threshold, whatever was reached.
                self.lanes("parts of the score", OTHERS + self.names.len(), |_| Extent {
                    least: 0.0,
                    largest: 1.0,
                }),
            ],
            layout: Layout::Stacked,
            caption: vec![
                words.to_owned(),
                "Each channel over its range; its part of the threshold, in an alarm its part of the score. Shaded: alarm.".into(),
            ],
        }
    }

    fn axis(&self) -> Axis {
        let axis = Axis::between("row", 0.0, self.bins.rows().max(1) as f64);
        match self.clock {
            Some(clock) => axis.of_times(clock, self.bins.times()),
            None => axis,
        }
    }

    fn lanes(&self, label: &'static str, first: usize, range: impl Fn(Extent) -> Extent) -> Panel {
        let mut series = vec![self.alarms()];
        for (lane, name) in self.names.iter().enumerate() {
            let range = range(self.bins.extent(first + lane));
            let height = f64::from(range.largest) - f64::from(range.least);
            let middle = -(lane as f64);
            let place = |value: f32| match height > 0.0 {
                true => middle + LANE * ((f64::from(value) - f64::from(range.least)) / height - 0.5),
                false => middle,
            };
            series.push(Series {
                name: name.clone(),
                colour: if lane % 2 == 0 { Colour::Blue } else { Colour::Green },
                look: Look::Thin,
                points: self.curve(first + lane, place),
            });
        }
        Panel {
            horizontal: self.axis(),
            vertical: Axis::lanes(label, self.names.clone()),
            series,
            marks: Vec::new(),
            notes: Vec::new(),
            legend: Legend::Hidden,
        }
    }

    fn score_panel(&self) -> Panel {
        let mut range = self.bins.extent(SCORE);
        range.join(self.bins.extent(THRESHOLD));
        if !range.is_some() {
            range = Extent {
                least: 0.0,
                largest: 1.0,
            };
        }
        let curve = |name: &str, column, colour, look| Series {
            name: name.to_owned(),
            colour,
            look,
            points: self.curve(column, f64::from),
        };
        Panel {
            horizontal: self.axis(),
            vertical: Axis::between(
                "score, log10",
                f64::from(range.least) - 0.2,
                f64::from(range.largest) + 0.2,
            ),
            series: vec![
                self.alarms(),
                curve("score", SCORE, Colour::Black, Look::Thin),
                curve("threshold", THRESHOLD, Colour::Orange, Look::Line),
            ],
            marks: Vec::new(),
            notes: Vec::new(),
            legend: Legend::Above,
        }
    }

    /// A curve through the least and the largest value of every bin.
    fn curve(&self, column: usize, place: impl Fn(f32) -> f64) -> Vec<Point> {
        let bins = self.bins.column(column).filter(|(_, extent)| extent.is_some());
        bins.flat_map(|(rows, extent)| {
            let middle = (rows.start + rows.end) as f64 / 2.0;
            [extent.least, extent.largest].map(|value| Point::new(middle, place(value)))
        })
        .collect()
    }

    /// Where there was an alarm: stretches of bins that hold one.
    fn alarms(&self) -> Series {
        let mut points: Vec<Point> = Vec::new();
        for (rows, extent) in self.bins.column(ALARM) {
            if extent.largest > 0.0 {
                let (from, to) = (rows.start as f64, rows.end as f64);
                match points.last_mut() {
                    Some(last) if last.x == from => last.x = to,
                    _ => points.extend([Point::new(from, 0.0), Point::new(to, 0.0)]),
                }
            }
        }
        Series::alarms(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream::monitor::{Phase, State};

    #[test]
    fn neighbouring_alarms_are_one_band() {
        let mut picture = Picture::new(&["a".into()], None);
        for alarm in [false, true, true, false, true] {
            let sight = Sight {
                score: 1.0,
                threshold: 0.5,
                alarm,
                phase: Phase::Watching,
                state: State::Unusual,
                stuck: None,
                moved: 0.0,
                guilty: 0,
            };
            picture.add(f64::NAN, &[1.0], &sight, &[1.0]);
        }
        let ends: Vec<f64> = picture.alarms().points.iter().map(|point| point.x).collect();
        assert_eq!(ends, [1.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn a_recording_that_never_gets_to_watching_can_be_drawn() {
        let mut picture = Picture::new(&["a".into()], None);
        picture.refused(f64::NAN, &[f32::NAN]);
        let panel = picture.score_panel();
        assert!(panel.vertical.from < panel.vertical.to);
        assert!(panel.series.iter().all(|series| series.points.is_empty()));
    }
}
