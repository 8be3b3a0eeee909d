//! Switches of activity in a recording of a wearable.
//! In: a file with a column `switch` (1 where a new activity begins) or `activity` (its name). Out: how many switches were
//! noticed, how late, and how many alarms began without one.
//! Protocol: the monitor learns all the time, so that a movement is foreign only while it is new. The first 200 rows train. A
//! switch is noticed if an alarm begins 0 to 50 rows after it; alarms that begin elsewhere are false. AUC: of the scores within
//! 30 rows after a switch against all others.

use std::io::{self, Write};
use std::path::Path;

use crate::watching::{Model, ModelName, Size, monitor};
use anyhow::{Result, anyhow, bail};
use eigenstream::SettingsError;
use eigenstream::monitor::{DecisionSettings, Learning, MonitorSettings, Schedule, Threshold};
use serde_json::{Value, json};

use super::labelled::Labelled;
use super::metrics::{Changes, Counts, area_under_curve};
use super::report::{fraction, print, row};
use crate::Verdict;
use crate::progress::Progress;

/// Rows that train: half for the scale, a quarter to learn, a quarter to calibrate.
const TRAIN: usize = 200;

/// A switch is noticed within so many rows; none is raised again before.
const PATIENCE: usize = 50;

/// So many rows after a switch the scores should be high.
const FOREIGN: usize = 30;

/// Directions kept, and samples side by side: a movement is known by how it goes on.
const KEEP: usize = 2;
const LAGS: usize = 4;

/// Memory of the score, and how many times the 0.99 quantile is an alarm.
const SMOOTHING: u32 = 10;
const FACTOR: f32 = 5.0;

const SWITCH: usize = 0;
const ACTIVITY: usize = 1;

/// Evaluates every model.
pub(super) fn run(file: &Path, rate: Option<f64>, json: bool) -> Result<Verdict> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let progress = Progress::begin(1);
    let recording = Labelled::read(file, name, &["switch", "activity", "t_s"], &progress)?;
    drop(progress);
    let Some(recording) = recording else {
        bail!(
            "{} has neither a column `switch` nor `activity`: where do activities begin?",
            file.display()
        );
    };
    let switches = switches(&recording);
    if switches.is_empty() {
        bail!("{} has no switch of activity after row {TRAIN}", file.display());
    }
    let minutes = match rate {
        Some(rate) if rate > 0.0 => Some((recording.samples.len() - TRAIN) as f64 / rate / 60.0),
        Some(_) => bail!("--rate is in rows a second, above zero"),
        None => duration(&recording),
    };
    let mut rows = Vec::new();
    let mut out = io::stdout().lock();
    if !json {
        let count = recording.samples.len() - TRAIN;
        writeln!(
            out,
            "{}: {} switches in {count} rows after the first {TRAIN}",
            recording.name,
            switches.len()
        )?;
    }
    for model in Model::ALL {
        let (changes, area) = evaluate(&recording, &switches, model)?;
        rows.push(as_row(model, &recording.name, &changes, area, minutes));
        if !json {
            print_line(&mut out, model, &changes, area, minutes)?;
        }
    }
    drop(out);
    if json {
        print(&rows)?;
    }
    Ok(Verdict::Holds)
}

/// The rows in which an activity begins, after the training.
fn switches(recording: &Labelled) -> Vec<usize> {
    let named = |row: usize| recording.labels[row].get(ACTIVITY);
    let flags = recording.flags(SWITCH);
    let marked = flags.iter().any(|&flag| flag);
    let begins = |row: usize| {
        if marked {
            flags[row]
        } else {
            named(row) != named(row - 1)
        }
    };
    (TRAIN.max(1)..recording.samples.len())
        .filter(|&row| begins(row))
        .collect()
}

/// Minutes from the end of the training to the end, if there is a clock.
fn duration(recording: &Labelled) -> Option<f64> {
    let clock = |row: Option<&Vec<String>>| {
        row.and_then(|words| words.get(2))
            .and_then(|word| word.parse::<f64>().ok())
    };
    let seconds = clock(recording.labels.last())? - clock(recording.labels.get(TRAIN))?;
    (seconds > 0.0).then_some(seconds / 60.0)
}

fn settings() -> Result<MonitorSettings<f32>, SettingsError> {
    let quarter = TRAIN as u32 / 4;
    Ok(MonitorSettings::DEFAULT
        .with_schedule(Schedule::new(2 * quarter, quarter, quarter)?)
        .with_smoothing(SMOOTHING)
        .with_threshold(Threshold::quantile(0.99)?.with_factor(FACTOR)?)
        .with_decision(DecisionSettings::DEFAULT.with_hold_off(PATIENCE as u32))
        .with_learning(Learning::Always))
}

fn evaluate(recording: &Labelled, switches: &[usize], model: Model) -> Result<(Changes, Option<f64>)> {
    let size = Size {
        model,
        channels: recording.channels,
        keep: KEEP,
        lags: LAGS,
        learning_rate: 1.0,
    };
    let settings = settings().map_err(|error| anyhow!("the settings of this evaluation do not do: {error}"))?;
    let mut monitor = monitor(size, settings)?;
    let sights = recording.watched(monitor.as_mut());
    let mut alarm = false;
    let mut signals = Vec::new();
    let mut scored = Vec::new();
    for (row, sight) in sights.iter().enumerate() {
        let Some(sight) = sight else { continue };
        if sight.alarm && !alarm {
            signals.push(row);
        }
        alarm = sight.alarm;
        if row >= TRAIN {
            let foreign = switches.iter().any(|&switch| (switch..switch + FOREIGN).contains(&row));
            scored.push((sight.score, foreign));
        }
    }
    Ok((
        Changes::matched(switches, &signals, PATIENCE),
        area_under_curve(&scored),
    ))
}

fn as_row(model: Model, file: &str, changes: &Changes, area: Option<f64>, minutes: Option<f64>) -> Value {
    let noticed = changes.delays.len();
    // Here what is counted are switches, not rows: there is no count of rows without a switch that were rightly quiet.
    let counts = Counts {
        found: noticed as u64,
        missed: (changes.there - noticed) as u64,
        false_alarms: changes.unfounded as u64,
        quiet: 0,
    };
    let mut row = row(
        ModelName(model).word(),
        file,
        counts,
        area,
        &[
            ("switches", json!(changes.there)),
            ("noticed", json!(noticed)),
            ("median_delay", json!(changes.median_delay())),
            ("false_alarms", json!(changes.unfounded)),
            (
                "false_alarms_per_minute",
                json!(minutes.map(|minutes| changes.unfounded as f64 / minutes)),
            ),
        ],
    );
    row["far"] = Value::Null;
    row
}

fn print_line(
    out: &mut impl Write,
    model: Model,
    changes: &Changes,
    area: Option<f64>,
    minutes: Option<f64>,
) -> io::Result<()> {
    let delay = changes
        .median_delay()
        .map_or("-".into(), |delay| format!("{delay} rows"));
    let rate = minutes.map_or(String::new(), |minutes| {
        format!(" ({:.2} a minute)", changes.unfounded as f64 / minutes)
    });
    writeln!(
        out,
        "{:<10} {} of {} noticed within {PATIENCE} rows, median delay {delay}; {} false alarms{rate}; AUC {}",
        ModelName(model).word(),
        changes.delays.len(),
        changes.there,
        changes.unfounded,
        fraction(area),
    )
}
