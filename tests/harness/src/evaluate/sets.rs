//! The default monitor or a textbook detector on labelled sets of recordings.
//! In: a folder with `sets.json`, and SKAB's folder if given. Out: a row for each set, and their mean.
//! The training rows of a recording train `SensorMonitor` with `MonitorSettings::DEFAULT.with_training(training_rows)`;
//! the monitor judges the other rows. To count false alarms without faults, the first third of the training rows trains
//! another monitor, which judges the other two thirds.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use eigenstream::monitor::MonitorSettings;
use serde_json::{Map, Value, json};

use super::metrics::{Counts, Runs, area_under_curve, mean};
use super::peers::{self, Detector};
use super::report::print;
use super::streams::{self, Stream};
use crate::Verdict;
use crate::progress::Progress;

/// Results over the streams of a set.
#[derive(Default)]
struct Outcome {
    streams: usize,
    areas: Vec<Option<f64>>,
    counts: Counts,
    runs: Runs,
    /// For each stream whose training has no faults: the part of the last two thirds of the training rows that is in
    /// alarm.
    fault_free: Vec<f64>,
}

pub(super) fn run(directory: &Path, skab: Option<&Path>, detector: Detector, json: bool) -> Result<Verdict> {
    let rows = evaluate(directory, skab, detector)?;
    if json {
        print(&rows.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        print_table(&rows)?;
    }
    Ok(Verdict::Holds)
}

/// A row for each set, and their mean.
pub(super) fn evaluate(directory: &Path, skab: Option<&Path>, detector: Detector) -> Result<Vec<(String, Columns)>> {
    let mut sources = streams::listed(directory)?;
    if let Some(directory) = skab {
        sources.extend(streams::of_skab(directory)?);
    }
    let progress = Progress::begin(sources.len());
    let mut sets: BTreeMap<String, Outcome> = BTreeMap::new();
    for source in &sources {
        let stream = source.read(&progress)?;
        sets.entry(stream.set.clone()).or_default().add(&stream, detector)?;
        progress.done();
    }
    drop(progress);
    let mut rows: Vec<_> = sets
        .iter()
        .map(|(set, outcome)| (set.clone(), outcome.columns()))
        .collect();
    rows.push(("mean".into(), mean_of(&rows)));
    Ok(rows)
}

/// The score and the alarm of each row after the first `training` rows; zero and no alarm for a row that the monitor
/// refuses.
fn watch(detector: Detector, samples: &[Vec<f32>], channels: usize, training: usize) -> Result<Vec<(f32, bool)>> {
    if detector != Detector::Monitor {
        return Ok(peers::watch(detector, samples, training));
    }
    let settings = MonitorSettings::DEFAULT.with_training(training as u32);
    let Some(mut monitor) = eigenstream_sizes::standard(channels, settings) else {
        bail!(
            "there is no monitor of {channels} channels: 1 to {} there are",
            eigenstream_sizes::MOST_CHANNELS
        );
    };
    let mut contribution = vec![0.0; channels];
    let mut seen = Vec::new();
    for sample in samples {
        let sight = monitor.observe(sample, &mut contribution);
        seen.push(sight.map_or((0.0, false), |sight| (sight.score, sight.alarm)));
    }
    Ok(seen.split_off(training))
}

impl Outcome {
    fn add(&mut self, stream: &Stream, detector: Detector) -> Result<()> {
        let Stream {
            training,
            channels,
            samples,
            faulty,
            ..
        } = stream;
        if samples.len() > *training {
            let seen = watch(detector, samples, *channels, *training)?;
            let faulty = faulty.get(*training..).unwrap_or_default();
            self.judge(&seen, faulty);
            self.streams += 1;
        }
        if stream.is_fault_free {
            let third = training / 3;
            let seen = watch(detector, &samples[..*training], *channels, third)?;
            let alarms = seen.iter().filter(|(_, alarm)| *alarm).count();
            self.fault_free.push(alarms as f64 / seen.len().max(1) as f64);
        }
        Ok(())
    }

    /// Compares scores and alarms with the labels.
    fn judge(&mut self, seen: &[(f32, bool)], faulty: &[bool]) {
        let scored: Vec<(f32, bool)> = seen
            .iter()
            .zip(faulty)
            .map(|(&(score, _), &fault)| (score, fault))
            .collect();
        self.areas.push(area_under_curve(&scored));
        let alarms: Vec<bool> = seen.iter().map(|&(_, alarm)| alarm).collect();
        for (&alarm, &fault) in alarms.iter().zip(faulty) {
            self.counts.add(fault, alarm);
        }
        self.runs.pool(Runs::of(&alarms, faulty));
    }

    fn columns(&self) -> Columns {
        let normal = (self.counts.false_alarms + self.counts.quiet) as f64;
        let per_1000 = (normal > 0.0).then(|| 1_000.0 * self.runs.false_episodes as f64 / normal);
        let worst = self.fault_free.iter().copied().reduce(f64::max);
        [
            ("streams", Some(self.streams as f64)),
            ("auc", mean(self.areas.iter().copied())),
            ("f1", self.counts.f1()),
            ("far", self.counts.false_alarm_rate()),
            ("mar", self.counts.missed_alarm_rate()),
            ("events", Some(self.runs.events as f64)),
            ("events_hit", Some(self.runs.events_hit as f64)),
            ("false_episodes_per_1000", per_1000),
            ("fault_free_far", mean(self.fault_free.iter().copied().map(Some))),
            ("fault_free_far_worst", worst),
        ]
    }
}

/// The numbers of a row with their names; `None` if not defined.
pub(super) type Columns = [(&'static str, Option<f64>); 10];

/// The mean of each column over the sets.
fn mean_of(rows: &[(String, Columns)]) -> Columns {
    std::array::from_fn(|column| {
        let name = rows.first().map_or("", |(_, columns)| columns[column].0);
        (name, mean(rows.iter().map(|(_, columns)| columns[column].1)))
    })
}

fn as_json((set, columns): &(String, Columns)) -> Value {
    let mut row = Map::new();
    row.insert("set".into(), json!(set));
    for &(name, value) in columns {
        // A count is written without a decimal point.
        let whole = value.filter(|value| value.fract() == 0.0 && matches!(name, "streams" | "events" | "events_hit"));
        row.insert(name.into(), whole.map_or(json!(value), |value| json!(value as u64)));
    }
    Value::Object(row)
}

fn print_table(rows: &[(String, Columns)]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let width = rows.iter().map(|(set, _)| set.len()).max().unwrap_or(0);
    let Some((_, first)) = rows.first() else { return Ok(()) };
    write!(out, "{:<width$}", "set")?;
    for (name, _) in first {
        write!(out, "  {name:>5}")?;
    }
    writeln!(out)?;
    for (set, columns) in rows {
        write!(out, "{set:<width$}")?;
        for &(name, value) in columns {
            write!(out, "  {:>wide$}", cell(name, value), wide = name.len().max(5))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn cell(name: &str, value: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    match name {
        "streams" | "events" | "events_hit" if value.fract() == 0.0 => format!("{value:.0}"),
        "streams" | "events" | "events_hit" => format!("{value:.1}"),
        "false_episodes_per_1000" => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
