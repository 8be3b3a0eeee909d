//! Searches for better settings, without labels.
//! In: normal rows, and a starting plan. Out: the tried plans with their worth, and the proposal.
//! Method: a plan trains on three fifths of the rows; the rest is judged as it is (sound) and with each fault of `faults`
//! (faulty). Its worth is the mean F1 over the faults, 2·found/(1 + found + false): the parts of the faulty and of the
//! sound rows in alarm. Time scales and lower thresholds stay: chosen by artificial faults, they were worse than the
//! default on real ones. Cost: at most [`most`] plans.

use anyhow::Result;
use eigenstream::SampleError;
use eigenstream::monitor::{Learning, Score};
use eigenstream_sizes::PlainVerdict;

use super::faults::Fault;
use crate::watching::{Limit, Model, Plan, USUAL_RATE, observe_rows};

/// A user would not notice a smaller gain in F1.
const MARGIN: f64 = 0.03;

/// Fewer judged rows do not distinguish settings.
const ENOUGH: usize = 100;

/// With a larger part of the sound rows in alarm, they are not like the learned ones.
const LOUD: f64 = 0.25;

/// Tried in turn if there are too many alarms.
const RARER: [f32; 3] = [USUAL_RATE / 10.0, USUAL_RATE / 100.0, USUAL_RATE / 1e4];

/// A plan that was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    pub plan: Plan,
    /// The part of the faulty rows in alarm, for each fault.
    found: Vec<f64>,
    /// The part of the sound rows in alarm.
    pub false_alarms: f64,
    /// Whether the monitor watched a sound row.
    has_watched: bool,
}

impl Trial {
    /// F1 for each fault.
    fn scores(&self) -> impl Iterator<Item = f64> {
        (self.found.iter()).map(|found| 2.0 * found / (1.0 + found + self.false_alarms))
    }

    /// Mean F1.
    pub fn worth(&self) -> f64 {
        mean(self.scores())
    }

    /// The part of all faulty rows in alarm.
    pub fn found(&self) -> f64 {
        mean(self.found.iter().copied())
    }

    /// Whether the mean gain over the faults is above [`MARGIN`] and above twice its standard error.
    fn is_clearly_better_than(&self, other: &Self) -> bool {
        let gains: Vec<f64> = self.scores().zip(other.scores()).map(|(new, old)| new - old).collect();
        let count = gains.len().max(2) as f64;
        let mean = mean(gains.iter().copied());
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
        mean > MARGIN && mean > 2.0 * (variance / count).sqrt()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / count.max(1) as f64
}

/// Why no settings can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Fewer than 100 rows are left to judge.
    Short,
    /// More than the part `LOUD` of the sound rows is in alarm.
    Unlike,
    /// No judged row was watched.
    Untrained,
    /// The monitor adapts to a lasting fault, so no fault distinguishes its settings.
    AlwaysLearns,
}

impl Refusal {
    /// The reason as a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Short => "too little to tune on: record 248 rows or more",
            Self::Unlike => "too little to tune on: the last rows are not like the first",
            Self::Untrained => {
                "nothing to tune on: the rows train no monitor; they have gaps or numbers that are too large, or no channel moves"
            }
            Self::AlwaysLearns => "a monitor that always learns takes a lasting fault for normal, and is not tuned",
        }
    }
}

/// The result of the search.
pub struct Proposal {
    /// All plans that were tried, the best first.
    pub tried: Vec<Trial>,
    /// The plan at the start of the search.
    pub start: Plan,
    /// `start`, unless another plan is clearly better or too many sound rows are in alarm.
    pub best: Plan,
    /// Why `start` is proposed without a comparison.
    pub refusal: Option<Refusal>,
}

impl Proposal {
    /// The proposal in words.
    pub fn words(&self) -> String {
        match self.refusal {
            Some(refusal) => refusal.words().into(),
            None if self.best == self.start => "nothing is clearly better".into(),
            None => self.best.describe(),
        }
    }
}

/// The others are judged.
pub(super) const fn learned(rows: usize) -> usize {
    rows * 3 / 5
}

/// Searches from the plan `start`.
pub fn propose(rows: &[Vec<f32>], start: Plan, step: impl Fn()) -> Result<Proposal> {
    let mut proposal = Proposal {
        tried: Vec::new(),
        start,
        best: start,
        refusal: None,
    };
    if rows.len() - learned(rows.len()) < ENOUGH {
        proposal.refusal = Some(Refusal::Short);
    } else if start.learning == Learning::Always {
        proposal.refusal = Some(Refusal::AlwaysLearns);
    } else {
        let mut search = Search {
            rows,
            tried: Vec::new(),
            step: &step,
        };
        let begun = search.attempt(start)?;
        if !begun.has_watched {
            proposal.refusal = Some(Refusal::Untrained);
            return Ok(proposal);
        }
        let changed = search.change_settings(begun)?;
        match search.set_threshold(changed)? {
            Ok(best) => proposal.best = best.plan,
            Err(refusal) => proposal.refusal = Some(refusal),
        }
        proposal.tried = search.tried;
        proposal.tried.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    }
    Ok(proposal)
}

struct Search<'rows> {
    rows: &'rows [Vec<f32>],
    tried: Vec<Trial>,
    step: &'rows dyn Fn(),
}

impl Search<'_> {
    fn attempt(&mut self, plan: Plan) -> Result<Trial> {
        if let Some(trial) = self.tried.iter().find(|trial| trial.plan == plan) {
            return Ok(trial.clone());
        }
        let trial = attempt(self.rows, plan)?;
        (self.step)();
        self.tried.push(trial.clone());
        Ok(trial)
    }

    fn change_settings(&mut self, mut best: Trial) -> Result<Trial> {
        let channels = channels(self.rows);
        for change in changes(best.plan.model, channels) {
            let plan = change(best.plan);
            if plan == best.plan || plan.monitor(channels).is_err() {
                continue;
            }
            let trial = self.attempt(plan)?;
            if trial.is_clearly_better_than(&best) {
                best = trial;
            }
        }
        Ok(best)
    }

    fn set_threshold(&mut self, best: Trial) -> Result<Result<Trial, Refusal>> {
        let with = |rate| Plan {
            limit: Limit::FalseAlarms(rate),
            ..best.plan
        };
        if best.false_alarms > LOUD {
            return Ok(Err(Refusal::Unlike));
        }
        // One outlier that is not far above the threshold: a rarer rate for it was worse than the default on real faults.
        let of_an_outlier = best.plan.input_smoothing + best.plan.smoothing;
        let judged = self.rows.len() - learned(self.rows.len());
        if best.false_alarms * judged as f64 <= f64::from(of_an_outlier) {
            return Ok(Ok(best));
        }
        let mut quieter = best.clone();
        for rate in RARER {
            if quieter.false_alarms == 0.0 {
                break;
            }
            quieter = self.attempt(with(rate))?;
        }
        Ok(Ok(quieter))
    }
}

type Change = Box<dyn Fn(Plan) -> Plan>;

/// One at a time. Only the user can decide whether a lasting change becomes normal, so learning while watching stays.
fn changes(model: Model, channels: usize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    if !model.keeps_directions() {
        return changes;
    }
    for keep in [1, 2, 4] {
        changes.push(Box::new(move |plan| Plan { keep, ..plan }));
    }
    for rate in [0.1, 0.3, 1.0, 3.0] {
        changes.push(Box::new(move |plan| Plan { rate, ..plan }));
    }
    for score in [Score::Loss, Score::Combined] {
        changes.push(Box::new(move |plan| Plan { score, ..plan }));
    }
    for lags in [1, 4].into_iter().filter(|&lags| lags == 1 || channels <= 6) {
        changes.push(Box::new(move |plan| Plan { lags, ..plan }));
    }
    changes
}

/// The largest number of plans that are tried.
pub fn most(model: Model, channels: usize) -> usize {
    1 + changes(model, channels).len() + RARER.len()
}

fn channels(rows: &[Vec<f32>]) -> usize {
    rows.first().map_or(0, Vec::len)
}

fn attempt(rows: &[Vec<f32>], plan: Plan) -> Result<Trial> {
    let channels = channels(rows);
    let from = learned(rows.len());
    let mut monitor = plan.trained_in(from).monitor(channels)?;
    observe_rows(monitor.as_mut(), &rows[..from]);
    let found = Fault::all(channels).map(|fault| {
        let faulty = fault.in_rows(rows, from..rows.len());
        alarms(&observe_rows(monitor.twin().as_mut(), &faulty))
    });
    let found = found.collect();
    let sound = observe_rows(monitor.as_mut(), &rows[from..]);
    Ok(Trial {
        plan,
        found,
        false_alarms: alarms(&sound),
        has_watched: sound.iter().flatten().any(|verdict| verdict.phase.is_watching()),
    })
}

/// The part of the rows in alarm.
fn alarms(verdicts: &[Result<PlainVerdict, SampleError>]) -> f64 {
    let alarms = verdicts.iter().flatten().filter(|verdict| verdict.alarm).count();
    alarms as f64 / verdicts.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_were_tried_are_not_tried_again() -> Result<()> {
        let rows: Vec<Vec<f32>> = (0..300_u16)
            .map(|time| vec![f32::from(time % 7), f32::from(time % 11)])
            .collect();
        let mut search = Search {
            rows: &rows,
            tried: Vec::new(),
            step: &|| (),
        };
        let first = search.attempt(Plan::DEFAULT)?;
        let second = search.attempt(Plan::DEFAULT)?;
        assert_eq!((first.worth(), search.tried.len()), (second.worth(), 1));
        Ok(())
    }
}
