//! The picture of the demo: the sensors, the score with its threshold, and who contributed, over time, with alarms in colour.

use super::tape::{RATE, Sample, Tape};
use crate::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

/// The height of a curve in its lane.
const LANE: f64 = 0.8;

/// The chart of a whole run.
pub(super) fn chart(tape: &Tape, place: &str) -> Chart {
    Chart {
        title: "A motor, watched".into(),
        panels: vec![
            lanes(tape, "sensors", |sample| &sample.readings, None),
            score(tape),
            lanes(
                tape,
                "part in the score",
                |sample| &sample.contributions,
                Some(threshold(tape)),
            ),
        ],
        layout: Layout::Stacked,
        caption: vec![
            format!("Run on {place}. Shaded: alarm. Dashed: a fault sets in, or is repaired."),
            "Each sensor over its range; each part in the score from nothing to the threshold.".into(),
        ],
    }
}

/// The threshold once it is known.
fn threshold(tape: &Tape) -> f64 {
    tape.samples.last().map_or(1.0, |sample| sample.threshold)
}

fn panel(tape: &Tape, vertical: Axis, mut series: Vec<Series>, legend: Legend) -> Panel {
    series.insert(0, alarms(tape));
    let faults = tape.faults.iter();
    Panel {
        horizontal: Axis::between("seconds", 0.0, tape.samples.len().max(1) as f64 / RATE),
        vertical,
        series,
        marks: faults
            .flat_map(|fault| [fault.from, fault.to])
            .map(|time| time as f64 / RATE)
            .collect(),
        notes: Vec::new(),
        legend,
    }
}

/// A lane for each channel, over its own range or from nothing to `most`.
fn lanes(tape: &Tape, label: &'static str, values: impl Fn(&Sample) -> &Vec<f64>, most: Option<f64>) -> Panel {
    let mut series = Vec::new();
    for (lane, name) in tape.channels.iter().enumerate() {
        let column: Vec<f64> = tape.samples.iter().map(|sample| values(sample)[lane]).collect();
        let (least, largest) = match most {
            Some(most) => (0.0, most),
            None => column.iter().fold((f64::MAX, f64::MIN), |(low, high), &value| {
                (low.min(value), high.max(value))
            }),
        };
        let height = (largest - least).max(f64::MIN_POSITIVE);
        let points = tape.samples.iter().zip(&column).map(|(sample, &value)| {
            let part = ((value - least) / height).clamp(0.0, 1.0);
            Point::new(sample.seconds(), LANE * (part - 0.5) - lane as f64)
        });
        series.push(Series {
            name: name.clone(),
            colour: if lane % 2 == 0 { Colour::Blue } else { Colour::Green },
            look: Look::Thin,
            points: points.collect(),
        });
    }
    panel(tape, Axis::lanes(label, tape.channels.clone()), series, Legend::Hidden)
}

fn score(tape: &Tape) -> Panel {
    let curve = |name: &str, colour, look, value: fn(&Sample) -> f64| Series {
        name: name.into(),
        colour,
        look,
        points: watched(tape)
            .map(|sample| Point::new(sample.seconds(), value(sample)))
            .collect(),
    };
    let largest = watched(tape).map(|sample| sample.score).fold(0.0, f64::max);
    let series = vec![
        curve("score", Colour::Black, Look::Thin, |sample| sample.score),
        curve("threshold", Colour::Orange, Look::Line, |sample| sample.threshold),
    ];
    panel(tape, Axis::up_to("score", largest), series, Legend::UpperLeft)
}

/// The samples since there is a threshold.
fn watched(tape: &Tape) -> impl Iterator<Item = &Sample> {
    tape.samples
        .iter()
        .filter(|sample| !matches!(sample.phase.as_str(), "warmup" | "calibrating"))
}

fn alarms(tape: &Tape) -> Series {
    let mut points = Vec::new();
    let mut alarm = false;
    for sample in &tape.samples {
        if sample.alarm != alarm {
            alarm = sample.alarm;
            points.push(Point::new(sample.seconds(), 0.0));
        }
    }
    if alarm {
        points.push(Point::new(tape.samples.len() as f64 / RATE, 0.0));
    }
    Series::alarms(points)
}

#[cfg(test)]
mod tests {
    use super::super::tape::tests::tape;
    use super::*;

    #[test]
    fn an_alarm_is_one_band() {
        let ends: Vec<f64> = alarms(&tape()).points.iter().map(|point| point.x).collect();
        assert_eq!(ends, [0.4, 0.7]);
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        let chart = chart(&Tape::default(), "nowhere");
        assert_eq!(chart.panels.len(), 3);
        assert!(chart.panels.iter().all(|panel| panel.horizontal.to > 0.0));
    }
}
