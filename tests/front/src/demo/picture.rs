//! The picture of the demo: the sensors, the score with its threshold, the state, and who contributed, over time, with alarms in
//! colour and channels that are not healthy in orange.

use super::tape::{RATE, Sample, Tape};
use eigenstream_tool::plot::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Point, Series};

/// The height of a curve in its lane.
const LANE: f64 = 0.8;

/// The score is drawn up to [`TALLEST`] times the threshold; the axis ends at [`ROOM`], which leaves space for words.
const TALLEST: f64 = 12.0;
const ROOM: f64 = 14.5;

/// The condition of a healthy channel.
const GOOD: &str = "good";

/// The states in their order from top to bottom; a state that never occurs has no lane.
const STATES: [&str; 7] = [
    "learning",
    "normal",
    "second-normal",
    "unusual",
    "moving",
    "steady",
    "stuck",
];

/// The chart of a whole run.
pub(super) fn chart(tape: &Tape, place: &str) -> Chart {
    Chart {
        title: "A motor, watched".into(),
        panels: vec![
            sensors(tape),
            score(tape),
            states(tape),
            lanes(tape, "part in the score", part, Some(1.0)),
        ],
        layout: Layout::Stacked,
        caption: vec![
            format!("Run on {place}. Shaded: alarm. Dashed: something begins or ends."),
            format!(
                "Each sensor over its usual range, orange where its health is not good; the score up to {TALLEST} thresholds; each"
            ),
            "channel's part of the score, or of the threshold where that is larger, from nothing to all.".into(),
            health(tape),
        ],
    }
}

/// The threshold at the end of the run.
fn threshold(tape: &Tape) -> f64 {
    tape.samples.last().map_or(1.0, |sample| sample.threshold)
}

/// The health of the channels at the end.
fn health(tape: &Tape) -> String {
    let channels = (0..tape.channels.len()).filter_map(|channel| tape.last_health(channel));
    let not_good: Vec<String> = channels
        .clone()
        .filter(|health| health.condition != GOOD)
        .map(|health| format!("{} {}", tape.channel(health.channel), health.condition))
        .collect();
    let farthest = channels.map(|health| health.moved).fold(0.0, f64::max);
    let conditions = if not_good.is_empty() {
        "all good".into()
    } else {
        not_good.join(", ")
    };
    format!("Health at the end: {conditions}; levels moved by at most {farthest:.1} spreads.")
}

fn panel(tape: &Tape, vertical: Axis, mut series: Vec<Series>, legend: Legend) -> Panel {
    series.insert(0, alarms(tape));
    let ends = tape.faults.iter().flat_map(|fault| [fault.from, fault.to]);
    let marks = ends.chain(tape.events.iter().flat_map(|event| [event.from, event.to]));
    Panel {
        horizontal: Axis::between("seconds", 0.0, tape.samples.len().max(1) as f64 / RATE),
        vertical,
        series,
        marks: marks.map(|time| time as f64 / RATE).collect(),
        notes: Vec::new(),
        legend,
    }
}

/// The contribution of a channel, divided by the score or, if that is smaller, by the threshold: small contributions
/// stay small.
fn part(sample: &Sample, channel: usize) -> f64 {
    sample.contributions[channel] / sample.score.max(sample.threshold)
}

/// A lane for each sensor; its curve is orange while its health is not good.
fn sensors(tape: &Tape) -> Panel {
    let mut panel = lanes(tape, "sensors", |sample, channel| sample.readings[channel], None);
    for (channel, name) in tape.channels.iter().enumerate() {
        let changes: Vec<_> = tape.health.iter().filter(|health| health.channel == channel).collect();
        for pair in changes.windows(2).filter(|pair| pair[0].condition != GOOD) {
            let stretch = pair[0].time as f64 / RATE..pair[1].time as f64 / RATE;
            // The first series shows the alarms, so the curves of the channels begin at index 1.
            let points = &panel.series[1 + channel].points;
            let points = points
                .iter()
                .copied()
                .filter(|point| stretch.contains(&point.x))
                .collect();
            panel.series.push(Series {
                name: format!("{name}, {}", pair[0].condition),
                colour: Colour::Orange,
                look: Look::Line,
                points,
            });
        }
    }
    panel
}

/// A lane for each state that occurs.
fn states(tape: &Tape) -> Panel {
    let occurs = |state: &&str| tape.samples.iter().any(|sample| sample.state == **state);
    let names: Vec<&str> = STATES.into_iter().filter(occurs).collect();
    let lane = |sample: &Sample| names.iter().position(|name| *name == sample.state);
    let points = tape
        .samples
        .iter()
        .filter_map(|sample| Some(Point::new(sample.seconds(), -(lane(sample)? as f64))));
    let series = Series {
        name: "state".into(),
        colour: Colour::Black,
        look: Look::Line,
        points: points.collect(),
    };
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    panel(tape, Axis::lanes("state", names), vec![series], Legend::Hidden)
}

/// A lane for each channel, over its usual range or from zero to `most`.
fn lanes(tape: &Tape, label: &'static str, value: fn(&Sample, usize) -> f64, most: Option<f64>) -> Panel {
    let mut series = Vec::new();
    for (lane, name) in tape.channels.iter().enumerate() {
        let column: Vec<f64> = tape.samples.iter().map(|sample| value(sample, lane)).collect();
        let (least, largest) = match most {
            Some(most) => (0.0, most),
            None => usual_range(&column),
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

/// The range of nearly all values: a wild reading of a loose plug must not flatten the curve of all others.
fn usual_range(column: &[f64]) -> (f64, f64) {
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    let beyond = sorted.len() / 2_000;
    match sorted.get(beyond..sorted.len() - beyond) {
        Some([low, .., high]) => (*low, *high),
        _ => (0.0, 0.0),
    }
}

fn score(tape: &Tape) -> Panel {
    let curve = |name: &str, colour, look, value: fn(&Sample) -> f64| Series {
        name: name.into(),
        colour,
        look,
        points: watched(tape)
            .map(|sample| Point::new(sample.seconds(), value(sample).min(TALLEST * sample.threshold)))
            .collect(),
    };
    let series = vec![
        curve("score", Colour::Black, Look::Thin, |sample| sample.score),
        curve("threshold", Colour::Orange, Look::Line, |sample| sample.threshold),
    ];
    let mut panel = panel(
        tape,
        Axis::between("score", 0.0, ROOM * threshold(tape)),
        series,
        Legend::MiddleLeft,
    );
    let middle = |from: usize, to: usize| (from + to) as f64 / 2.0 / RATE;
    let faults = tape
        .faults
        .iter()
        .map(|fault| (middle(fault.from, fault.to), fault.name.clone()));
    let events = tape
        .events
        .iter()
        .map(|event| (middle(event.from, event.to), event.name.clone()));
    panel.notes = faults.chain(events).collect();
    panel
}

/// The samples outside the phases `warmup` and `calibrating`.
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
    fn a_channel_that_is_stuck_is_orange_until_it_is_good() {
        let panel = sensors(&tape());
        let last = panel
            .series
            .last()
            .map(|series| (series.name.as_str(), series.points.len()));
        // The orange curve goes from sample 5 to sample 9.
        assert_eq!(last, Some(("b b, stuck", 5)));
    }

    #[test]
    fn each_state_that_occurs_has_a_lane() {
        let panel = states(&tape());
        assert_eq!(panel.vertical.names, ["normal", "unusual"]);
        let lanes: Vec<f64> = panel.series[1].points.iter().map(|point| point.y).collect();
        assert_eq!(lanes[3..8], [0.0, -1.0, -1.0, -1.0, 0.0]);
    }

    #[test]
    fn one_wild_reading_leaves_the_range_as_it_was() {
        let mut column: Vec<f64> = (0..4_000).map(|i| f64::from(i % 10)).collect();
        column[7] = -9_999.0;
        assert_eq!(usual_range(&column), (0.0, 9.0));
        assert_eq!(usual_range(&[]), (0.0, 0.0));
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        let chart = chart(&Tape::default(), "nowhere");
        assert_eq!(chart.panels.len(), 4);
        assert!(chart.panels.iter().all(|panel| panel.horizontal.to > 0.0));
    }
}
