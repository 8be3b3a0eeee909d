//! The picture of `replay`: channels, score, threshold and contributions over the rows, alarms in colour. Only bins are
//! stored.

use std::ops::Range;
use std::path::Path;

use eigenstream_sizes::PlainVerdict;

use super::bins::{Bins, Extent};
use super::words::known;
use crate::counted;
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};
use crate::recording::Clock;

/// Score, threshold, alarm.
pub(super) const OTHERS: usize = 3;
const SCORE: usize = 0;
const THRESHOLD: usize = 1;
const ALARM: usize = 2;

const LANE: f64 = 0.8;

/// The axis is logarithmic.
const FAINTEST: f32 = 1e-9;

/// The picture while rows are added.
pub(super) struct Picture {
    pub(super) names: Vec<String>,
    clock: Option<Clock>,
    /// Score, threshold and alarm, then the channels, then the part of each channel in the score.
    pub(super) bins: Bins,
    shares: Vec<f32>,
}

impl Picture {
    pub(super) fn new(names: &[String], clock: Option<Clock>) -> Self {
        Self {
            names: names.to_vec(),
            clock,
            bins: Bins::new(OTHERS + 2 * names.len()),
            shares: vec![f32::NAN; names.len()],
        }
    }

    /// Adds a row that the monitor accepted.
    pub(super) fn add(&mut self, seconds: f64, sample: &[f32], verdict: &PlainVerdict, contribution: &[f32]) {
        let (score, threshold) = match known(verdict) {
            Some(threshold) => (verdict.score, threshold),
            None => (f32::NAN, f32::NAN),
        };
        // Divided by the threshold, so that 1 is near an alarm, or by the score above it, so that the largest part stays
        // visible. NaN before there is a threshold.
        let unit = match threshold > 0.0 {
            true => 1.0 / threshold.max(score),
            false => f32::NAN,
        };
        for (share, part) in self.shares.iter_mut().zip(contribution) {
            let part = part * unit;
            // NaN stays NaN.
            *share = if part > 1.0 { 1.0 } else { part };
        }
        let others = [score, threshold, f32::from(u8::from(verdict.alarm))];
        self.bins.add(seconds, [&others, sample, &self.shares]);
    }

    /// Adds a row that the monitor refused.
    pub(super) fn refused(&mut self, seconds: f64, sample: &[f32]) {
        self.shares.fill(f32::NAN);
        self.bins
            .add(seconds, [&[f32::NAN, f32::NAN, 0.0], sample, &self.shares]);
    }

    /// Score and threshold as logarithms.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = (Range<u64>, Extent)> {
        let drawn = move |extent: Extent| match column {
            SCORE | THRESHOLD if extent.is_some() => Extent {
                least: extent.least.max(FAINTEST).log10(),
                largest: extent.largest.max(FAINTEST).log10(),
            },
            _ => extent,
        };
        self.bins
            .column(column)
            .map(move |(rows, extent)| (rows, drawn(extent)))
    }

    fn extent(&self, column: usize) -> Extent {
        self.column(column).fold(Extent::NONE, |mut whole, (_, extent)| {
            whole.join(extent);
            whole
        })
    }

    /// The finished picture.
    pub(super) fn chart(&self, path: &Path, words: &str) -> Chart {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{file}: {}", counted(self.bins.rows(), "row"));
        Chart {
            title,
            panels: vec![
                self.lanes("channels", OTHERS, |column| self.usual(column)),
                self.score_panel(),
                self.lanes("parts of the score", OTHERS + self.names.len(), |_| Extent {
                    least: 0.0,
                    largest: 1.0,
                }),
            ],
            layout: Layout::Stacked,
            caption: vec![
                words.to_owned(),
                "Each channel over its usual range; its part of the threshold, in an alarm its part of the score. Shaded: alarm.".into(),
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

    /// Without the most extreme hundredth of the bins on either side, and with a margin.
    fn usual(&self, column: usize) -> Extent {
        let bins = self.column(column).filter(|(_, extent)| extent.is_some());
        let (mut lows, mut highs): (Vec<f32>, Vec<f32>) =
            bins.map(|(_, extent)| (extent.least, extent.largest)).unzip();
        lows.sort_by(f32::total_cmp);
        highs.sort_by(f32::total_cmp);
        let few = lows.len() / 100;
        let (Some(&low), Some(&high)) = (lows.get(few), highs.iter().rev().nth(few)) else {
            return Extent::NONE;
        };
        let (room, whole) = (0.2 * (high - low), self.extent(column));
        Extent {
            least: whole.least.max(low - room),
            largest: whole.largest.min(high + room),
        }
    }

    fn lanes(&self, label: &'static str, first: usize, range: impl Fn(usize) -> Extent) -> Panel {
        let mut series = vec![self.alarms()];
        for (lane, name) in self.names.iter().enumerate() {
            let range = range(first + lane);
            let height = f64::from(range.largest) - f64::from(range.least);
            let middle = -(lane as f64);
            let place = |value: f32| match height > 0.0 {
                true => middle + LANE * (((f64::from(value) - f64::from(range.least)) / height).clamp(0.0, 1.0) - 0.5),
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
        let mut range = self.extent(SCORE);
        range.join(self.extent(THRESHOLD));
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

    /// Through the smallest and the largest value of every bin.
    fn curve(&self, column: usize, place: impl Fn(f32) -> f64) -> Vec<Point> {
        let bins = self.column(column).filter(|(_, extent)| extent.is_some());
        bins.flat_map(|(rows, extent)| {
            let middle = (rows.start + rows.end) as f64 / 2.0;
            [extent.least, extent.largest].map(|value| Point::new(middle, place(value)))
        })
        .collect()
    }

    fn alarms(&self) -> Series {
        let mut points: Vec<Point> = Vec::new();
        for (rows, extent) in self.column(ALARM) {
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
            let verdict = PlainVerdict {
                score: 1.0,
                threshold: 0.5,
                alarm,
                phase: Phase::Watching,
                state: State::Unusual,
                stuck: None,
                moved: 0.0,
                guilty: 0,
            };
            picture.add(f64::NAN, &[1.0], &verdict, &[1.0]);
        }
        let ends: Vec<f64> = picture.alarms().points.iter().map(|point| point.x).collect();
        assert_eq!(ends, [1.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn one_wild_reading_does_not_flatten_a_channel() {
        let mut picture = Picture::new(&["a".into()], None);
        for row in 0..400_u16 {
            let value = if row == 7 { 1e6 } else { f32::from(row % 3) };
            picture.refused(f64::NAN, &[value]);
        }
        let usual = picture.usual(OTHERS);
        assert_eq!((usual.least, usual.largest), (0.0, 2.4));
        assert_eq!(picture.extent(OTHERS).largest, 1e6);
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
