//! The protocol of SKAB: one monitor for each file, trained on its first 400 rows, judged on the rest.
//! In: a folder. Out: F1, rates of false alarms (FAR) and missed alarms (MAR) over all rows, the mean AUC of the files,
//! and the changes noticed.
//! Settings are from the options, or from `tune` on the training rows; no threshold depends on labels.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::labelled::Labelled;
use super::metrics::{Changes, Counts, area_under_curve, edges, mean};
use super::report::{fraction, percent, print, row};
use crate::progress::Progress;
use crate::tune::{self, Proposal, propose};
use crate::watching::{Model, ModelName, Options, Plan};

/// Number of training rows, unless the options say otherwise.
pub(super) const TRAINING: u32 = 400;

/// A changepoint is noticed if the alarm begins or ends at most so many rows after it.
const PATIENCE: usize = 60;

const ANOMALY: usize = 0;
const CHANGEPOINT: usize = 1;

/// Results of a model on one file, or on all files.
#[derive(Default)]
struct Outcome {
    counts: Counts,
    areas: Vec<Option<f64>>,
    changes: Changes,
}

impl Outcome {
    fn pool(&mut self, other: &Self) {
        self.counts.pool(other.counts);
        self.areas.extend(&other.areas);
        self.changes.pool(&other.changes);
    }

    fn row(&self, name: &str, file: &str, settings: &str) -> Value {
        let further = [
            ("changepoints", json!(self.changes.there)),
            ("changepoints_noticed", json!(self.changes.delays.len())),
            ("unfounded_edges", json!(self.changes.unfounded)),
            ("settings", json!(settings)),
        ];
        let area = mean(self.areas.iter().copied());
        row(name, file, self.counts, area, &further)
    }
}

struct Judged {
    name: String,
    plans: Vec<Plan>,
    outcomes: Vec<Outcome>,
}

impl Judged {
    fn of(name: String, recordings: &[Labelled], plans: Vec<Plan>) -> Result<Self> {
        let pairs = recordings.iter().zip(&plans);
        let outcomes = pairs
            .map(|(recording, plan)| evaluate(recording, plan))
            .collect::<Result<_>>()?;
        Ok(Self { name, plans, outcomes })
    }

    fn pooled(&self) -> Outcome {
        let mut pooled = Outcome::default();
        self.outcomes.iter().for_each(|outcome| pooled.pool(outcome));
        pooled
    }

    /// A row for each file, and one for all files.
    fn rows(&self, recordings: &[Labelled]) -> Vec<Value> {
        let each = self.outcomes.iter().zip(recordings).zip(&self.plans);
        let mut rows: Vec<Value> = each
            .map(|((outcome, recording), plan)| outcome.row(&self.name, &recording.name, &plan.describe()))
            .collect();
        let one = self.plans.iter().all(|plan| *plan == self.plans[0]);
        let settings = if one {
            self.plans[0].describe()
        } else {
            "for each file its own".into()
        };
        rows.push(self.pooled().row(&self.name, "pooled", &settings));
        rows
    }
}

pub(super) fn run(directory: &Path, options: &Options, tuned: bool, json: bool) -> Result<Vec<Value>> {
    let mut options = options.clone();
    let train = *options.training.get_or_insert(TRAINING) as usize;
    let recordings = read(directory, train)?;
    let models = options.model.map_or(Model::ALL.to_vec(), |name| vec![name.0]);
    let mut judged = Vec::new();
    let mut proposals = Vec::new();
    for &model in &models {
        let (name, plan) = (ModelName(model).word(), options.plan_of(model)?);
        judged.push(Judged::of(name.to_owned(), &recordings, vec![plan; recordings.len()])?);
        // The first model is tuned: the default monitor, or the model given by name.
        if tuned && model == models[0] {
            proposals = propose_for_each(&recordings, train, plan)?;
            let plans = proposals.iter().map(|proposal| proposal.best).collect();
            judged.push(Judged::of(format!("{name}{TUNED}"), &recordings, plans)?);
        }
    }
    let rows: Vec<Value> = judged.iter().flat_map(|model| model.rows(&recordings)).collect();
    if json {
        print(&rows)?;
    } else {
        print_summary(&recordings, train, &judged)?;
        print_comparison(&recordings, &judged, &proposals)?;
    }
    Ok(rows)
}

/// Suffix of the name of a tuned model.
const TUNED: &str = ", tuned";

/// The proposals of `tune` from the training rows of each file.
fn propose_for_each(recordings: &[Labelled], train: usize, start: Plan) -> Result<Vec<Proposal>> {
    let progress = Progress::begin(recordings.len() * tune::most(start.model, recordings[0].channels));
    let mut proposals = Vec::new();
    for recording in recordings {
        progress.doing(&format!("tuning on the first {train} rows of {}", recording.name));
        let training = recording.samples.get(..train).unwrap_or(&recording.samples);
        proposals.push(propose(training, start, || progress.done())?);
    }
    Ok(proposals)
}

/// All recordings with an anomaly after the training; prints the names of the others.
fn read(directory: &Path, train: usize) -> Result<Vec<Labelled>> {
    let mut paths = Vec::new();
    collect(directory, &mut paths)?;
    paths.sort();
    let progress = Progress::begin(paths.len());
    let mut recordings = Vec::new();
    for path in paths {
        let name = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
        let recording = Labelled::read(&path, name.clone(), &["anomaly", "changepoint"], &progress)?;
        let judged = recording.filter(|recording| recording.flags(ANOMALY).iter().skip(train).any(|&anomaly| anomaly));
        match judged {
            Some(recording) => recordings.push(recording),
            None => progress.aside(|| eprintln!("{name} has no anomaly after row {train} and is left out")),
        }
        progress.done();
    }
    if recordings.is_empty() {
        bail!(
            "no CSV file with a column `anomaly` that says so after row {train} in {}: name the folder of SKAB's recordings",
            directory.display()
        );
    }
    Ok(recordings)
}

/// All CSV files in a folder and its subfolders.
pub(super) fn collect(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot read the folder {}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            paths.push(path);
        }
    }
    Ok(())
}

fn evaluate(recording: &Labelled, plan: &Plan) -> Result<Outcome> {
    let monitor = plan.monitor(recording.channels);
    let mut monitor = monitor.with_context(|| format!("cannot watch {}", recording.name))?;
    let sights = recording.watched(monitor.as_mut());
    Ok(judge(
        &sights
            .iter()
            .map(|sight| sight.map_or((0.0, false), |sight| (sight.score, sight.alarm)))
            .collect::<Vec<_>>(),
        &recording.flags(ANOMALY),
        &recording.flags(CHANGEPOINT),
        plan.training as usize,
    ))
}

/// Compares scores and alarms with the labels, from row `train` on.
fn judge(seen: &[(f32, bool)], anomaly: &[bool], changepoint: &[bool], train: usize) -> Outcome {
    let mut counts = Counts::default();
    let mut scored = Vec::new();
    for (&(score, alarm), &anomalous) in seen.iter().zip(anomaly).skip(train) {
        counts.add(anomalous, alarm);
        scored.push((score, anomalous));
    }
    let alarms: Vec<bool> = seen.iter().map(|&(_, alarm)| alarm).collect();
    let changepoints: Vec<usize> = (0..changepoint.len())
        .skip(train)
        .filter(|&row| changepoint[row])
        .collect();
    Outcome {
        counts,
        areas: vec![area_under_curve(&scored)],
        changes: Changes::matched(&changepoints, &edges(&alarms), PATIENCE),
    }
}

/// Prints the size of the data, the results of each model, and results to compare with.
fn print_summary(recordings: &[Labelled], train: usize, judged: &[Judged]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut always = Counts::default();
    for recording in recordings {
        let flags = recording.flags(ANOMALY);
        flags.iter().skip(train).for_each(|&anomaly| always.add(anomaly, true));
    }
    let rows = always.found + always.false_alarms;
    let files = recordings.len();
    writeln!(
        out,
        "SKAB: {files} files, {rows} rows after the first {train} of each; no label reaches the monitor"
    )?;
    let width = judged.iter().map(|model| model.name.len()).max().unwrap_or(0);
    for model in judged {
        let Outcome { counts, changes, areas } = model.pooled();
        writeln!(
            out,
            "{:<width$}   F1 {}   FAR {:>6}   MAR {:>6}   mean AUC {}   {} of {} changepoints noticed within {PATIENCE} rows, {} edges elsewhere",
            model.name,
            fraction(counts.f1()),
            percent(counts.false_alarm_rate()),
            percent(counts.missed_alarm_rate()),
            fraction(mean(areas)),
            changes.delays.len(),
            changes.there,
            changes.unfounded,
        )?;
    }
    let always = fraction(always.f1());
    writeln!(
        out,
        "to compare: always an alarm F1 {always}; published for T²+Q (PCA), causal, on all 34 files: F1 0.758 at FAR 26.6 %"
    )
}

/// Prints the effect of tuning on each file.
fn print_comparison(recordings: &[Labelled], judged: &[Judged], proposals: &[Proposal]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let [given, tuned, ..] = judged else { return Ok(()) };
    if proposals.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nF1 of each file as given and tuned on its first rows, and what was changed"
    )?;
    let (mut not_worse, mut refused) = (0, 0);
    let files = recordings
        .iter()
        .zip(&given.outcomes)
        .zip(&tuned.outcomes)
        .zip(proposals);
    for (((recording, before), after), proposal) in files {
        let (before, after) = (before.counts.f1(), after.counts.f1());
        not_worse += usize::from(after >= before);
        refused += usize::from(proposal.refusal.is_some());
        writeln!(
            out,
            "{:<16}  {}  {}  {}",
            recording.name,
            fraction(before),
            fraction(after),
            proposal.words()
        )?;
    }
    writeln!(
        out,
        "not worse in {not_worse} of {}; too little to tune on in {refused}",
        proposals.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream::rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro128PlusPlus;

    #[test]
    fn training_rows_are_not_judged() {
        let seen = [
            (9.0, true),
            (9.0, true),
            (1.0, false),
            (3.0, true),
            (2.0, true),
            (0.0, false),
        ];
        let anomaly = [true, true, false, true, false, false];
        let changepoint = [true, false, false, true, false, true];
        let outcome = judge(&seen, &anomaly, &changepoint, 2);
        let expected = Counts {
            found: 1,
            missed: 0,
            false_alarms: 1,
            quiet: 2,
        };
        assert_eq!(outcome.counts, expected);
        assert_eq!(outcome.areas, [Some(1.0)]);
        // The edges of the alarm are at 2, 3 and 5. For the edge at 2 there is no changepoint after the training that
        // is at most [`PATIENCE`] rows earlier.
        assert_eq!(
            (
                outcome.changes.there,
                outcome.changes.delays.len(),
                outcome.changes.unfounded
            ),
            (2, 2, 1)
        );
    }

    /// Eight channels, of which seven share a load; one has an offset in 200 of 1,000 rows.
    fn generated() -> Labelled {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(7);
        let (mut samples, mut labels) = (Vec::new(), Vec::new());
        for row in 0..1_000 {
            let fault = (600..800).contains(&row);
            let mut noise = || f32::from((rng.next_u32() >> 16) as u16) / 65_536.0 - 0.5;
            let load = noise();
            let mut sample: Vec<f32> = (0..8).map(|channel| 10.0 + channel as f32 * load + noise()).collect();
            sample[5] += if fault { 3.0 } else { 0.0 };
            samples.push(sample);
            let word = |yes: bool| if yes { "1.0" } else { "0" }.to_owned();
            labels.push(vec![word(fault), word(row == 600 || row == 800)]);
        }
        Labelled {
            name: "generated".into(),
            channels: 8,
            samples,
            labels,
        }
    }

    #[test]
    fn every_model_finds_a_plain_fault() -> Result<()> {
        for model in Model::ALL {
            let outcome = evaluate(&generated(), &Plan::of(model).trained_in(400))?;
            assert!(
                outcome.counts.f1().is_some_and(|f1| f1 > 0.9),
                "{model:?} {:?}",
                outcome.counts
            );
            assert!(
                outcome.areas[0].is_some_and(|area| area > 0.95),
                "{model:?} {:?}",
                outcome.areas
            );
            assert_eq!(outcome.changes.delays.len(), 2, "{model:?}");
        }
        Ok(())
    }
}
