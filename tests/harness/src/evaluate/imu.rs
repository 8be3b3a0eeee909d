//! Changes of activity in a recording of a wearable sensor.
//! In: a file with a column `switch` (1 where an activity begins) or `activity` (the name of the activity). Out:
//! switches noticed, their delay, and false alarms.
//! The monitor learns all the time, so that a movement is unusual only while it is new. The first 200 rows train. A
//! switch is noticed if an alarm begins at most 50 rows after it; other alarms are false. The AUC (area under the ROC
//! curve) compares the scores of the 30 rows from a switch on with all other scores.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use eigenstream::monitor::{Learning, Score};
use serde_json::{Value, json};

use super::labelled::Labelled;
use super::metrics::{Changes, Counts, area_under_curve};
use super::report::{fraction, print, row};
use crate::Verdict;
use crate::progress::Progress;
use crate::watching::{Limit, Model, ModelName, Plan};

const TRAIN: usize = 200;

/// A switch is noticed by an alarm at most so many rows after it; this is also the `hold_off` of the monitor.
const PATIENCE: usize = 50;

/// Number of rows from a switch on that count as unusual for the AUC.
const FOREIGN: usize = 30;

const SWITCH: usize = 0;
const ACTIVITY: usize = 1;

/// The settings for movements: the monitor learns all the time.
fn plan(model: Model, score: Score) -> Plan {
    Plan {
        // A movement shows in several samples in a row, not in one.
        lags: if model.keeps_directions() { 4 } else { 1 },
        input_smoothing: 1,
        smoothing: 10,
        score,
        limit: Limit::Quantile(0.99),
        factor: 5.0,
        hold_off: PATIENCE as u32,
        learning: Learning::Always,
        ..Plan::of(model).trained_in(TRAIN)
    }
}

pub(super) fn run(file: &Path, rate: Option<f64>, score: Score, json: bool) -> Result<Verdict> {
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
        bail!(
            "{} has no switch of activity after row {TRAIN}, by its column `switch` or `activity`",
            file.display()
        );
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
        let (name, plan) = (ModelName(model).word(), plan(model, score));
        let (changes, area) = evaluate(&recording, &switches, &plan)?;
        rows.push(as_row(name, &plan, &recording.name, &changes, area, minutes));
        if !json {
            print_line(&mut out, name, &changes, area, minutes)?;
        }
    }
    drop(out);
    if json {
        print(&rows)?;
    }
    Ok(Verdict::Holds)
}

/// The rows after the training in which an activity begins.
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

/// Minutes from the end of the training to the end of the recording, if the recording has a column `t_s`.
fn duration(recording: &Labelled) -> Option<f64> {
    let clock = |row: Option<&Vec<String>>| {
        row.and_then(|words| words.get(2))
            .and_then(|word| word.parse::<f64>().ok())
    };
    let seconds = clock(recording.labels.last())? - clock(recording.labels.get(TRAIN))?;
    (seconds > 0.0).then_some(seconds / 60.0)
}

fn evaluate(recording: &Labelled, switches: &[usize], plan: &Plan) -> Result<(Changes, Option<f64>)> {
    let mut monitor = plan.monitor(recording.channels)?;
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

fn as_row(name: &str, plan: &Plan, file: &str, changes: &Changes, area: Option<f64>, minutes: Option<f64>) -> Value {
    let noticed = changes.delays.len();
    // Switches are counted, not rows, so there is no count of quiet rows.
    let counts = Counts {
        found: noticed as u64,
        missed: (changes.there - noticed) as u64,
        false_alarms: changes.unfounded as u64,
        quiet: 0,
    };
    let mut row = row(
        name,
        file,
        counts,
        area,
        &[
            ("settings", json!(plan.describe())),
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
    name: &str,
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
        "{name:<16} {} of {} noticed within {PATIENCE} rows, median delay {delay}; false alarms: {}{rate}; AUC {}",
        changes.delays.len(),
        changes.there,
        changes.unfounded,
        fraction(area),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guide's code is compiled with the documentation, so this test only compares it.
    #[test]
    fn the_guide_shows_what_tune_prints_for_a_movement() {
        let guide = include_str!("../../../../src/guide/tuning.md");
        let code = crate::tune::snippet(&plan(Model::Tracking, Score::Loss), 6);
        assert!(guide.contains(&code), "{code}");
    }
}
