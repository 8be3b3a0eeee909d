//! Which settings are best, told without labels.
//! In: recordings whose rows are taken for normal, one or more, and plans to start from. Out: every plan that was tried with
//! what it is worth, and the one to propose for all of them.
//! Method: a plan trains on the first three fifths of the rows of a recording. In the rest it meets those rows as they are, and once for every
//! fault of `faults` with that fault in them. Its worth is the chance that a faulty row scores higher than a sound one (AUC), in
//! the mean over faults and recordings. From the best of the starting plans one setting after the other is changed as long as that is
//! clearly better, at most [`ROUNDS`] times round: the faults have to agree, with a mean gain above [`MARGIN`] and above twice its
//! standard error.
//! Cost: at most [`most`] plans, each over the rows as many times as there are faults.

use anyhow::{Result, bail};
use eigenstream::monitor::{Learning, Score};

use super::faults::Fault;
use crate::evaluate::area_under_curve;
use crate::watching::{Plan, Watch};

/// So often all settings are gone through.
const ROUNDS: usize = 2;

/// A gain in AUC below this is none that a user would notice.
const MARGIN: f64 = 0.03;

/// Fewer rows train nothing.
const FEWEST: usize = 100;

/// Fewer rows judged than this tell no settings apart.
const ENOUGH: usize = 100;

/// A plan that was tried.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) plan: Plan,
    /// AUC for each fault in each recording.
    areas: Vec<f64>,
    /// Sound rows that were judged.
    judged: usize,
    /// The part of the sound rows above the threshold.
    pub(crate) false_alarms: f64,
    /// The part of the faulty rows above it.
    pub(crate) found: f64,
}

impl Trial {
    /// Mean AUC.
    pub(crate) fn worth(&self) -> f64 {
        self.areas.iter().sum::<f64>() / self.areas.len().max(1) as f64
    }

    /// Whether too few rows were judged to tell settings apart.
    pub(crate) fn is_too_short(&self) -> bool {
        self.judged < ENOUGH
    }

    /// Whether the faults agree that this one is better.
    fn is_clearly_better_than(&self, other: &Self) -> bool {
        let gains: Vec<f64> = self
            .areas
            .iter()
            .zip(&other.areas)
            .map(|(new, old)| new - old)
            .collect();
        let count = gains.len().max(2) as f64;
        let mean = gains.iter().sum::<f64>() / count;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
        !self.is_too_short() && mean > MARGIN && mean > 2.0 * (variance / count).sqrt()
    }
}

/// What the search found.
pub(crate) struct Proposal {
    /// Everything that was tried, the best first.
    pub(crate) tried: Vec<Trial>,
    /// What it started from.
    pub(crate) base: Trial,
    /// What is proposed: the base, unless something is clearly better.
    pub(crate) best: Trial,
}

/// One recording, or the part of it that is taken for normal.
pub(crate) type Rows<'rows> = &'rows [Vec<f32>];

/// Searches from every base; the first is what nothing but clearly better settings replace.
pub(crate) fn propose(recordings: &[Rows], bases: &[Plan], step: impl Fn()) -> Result<Proposal> {
    if let Some(short) = recordings.iter().find(|rows| rows.len() < FEWEST) {
        bail!(
            "{} rows are too few to tell settings apart: record {FEWEST} or more",
            short.len()
        );
    }
    let mut search = Search {
        recordings,
        tried: Vec::new(),
        step: &step,
    };
    let mut starts = bases
        .iter()
        .map(|&plan| search.attempt(plan))
        .collect::<Result<Vec<_>>>()?
        .into_iter();
    let Some(base) = starts.next() else {
        bail!("there is nothing to start from")
    };
    let mut best = base.clone();
    for start in starts {
        if start.is_clearly_better_than(&best) {
            best = start;
        }
    }
    let best = search.climb(best)?;
    let mut tried = search.tried;
    tried.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    Ok(Proposal { tried, base, best })
}

struct Search<'rows> {
    recordings: &'rows [Rows<'rows>],
    tried: Vec<Trial>,
    step: &'rows dyn Fn(),
}

impl Search<'_> {
    /// Changes one setting after the other as long as that is clearly better.
    fn climb(&mut self, mut best: Trial) -> Result<Trial> {
        if !is_tunable(&best.plan) {
            return Ok(best);
        }
        for _ in 0..ROUNDS {
            let before = best.plan;
            for change in changes(self.channels()) {
                let plan = change(best.plan);
                if self.tried.iter().any(|trial| trial.plan == plan) || plan.monitor(self.channels()).is_err() {
                    continue;
                }
                let trial = self.attempt(plan)?;
                if trial.is_clearly_better_than(&best) {
                    best = trial;
                }
            }
            if best.plan == before {
                break;
            }
        }
        Ok(best)
    }

    fn channels(&self) -> usize {
        self.recordings.first().map_or(0, |rows| channels(rows))
    }

    fn attempt(&mut self, plan: Plan) -> Result<Trial> {
        let trial = attempt(self.recordings, plan)?;
        (self.step)();
        self.tried.push(trial.clone());
        Ok(trial)
    }
}

/// A monitor that always learns takes a lasting fault for normal: such faults cannot tell its settings apart.
pub(crate) fn is_tunable(plan: &Plan) -> bool {
    plan.learning != Learning::Always
}

type Change = Box<dyn Fn(Plan) -> Plan>;

/// Everything that may be set otherwise, one thing at a time. What is learned while watching is not: whether what lasts is to
/// become normal is for the user to say.
fn changes(channels: usize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for input_smoothing in [1, 5, 15, 30] {
        changes.push(Box::new(move |plan| Plan {
            input_smoothing,
            ..plan
        }));
    }
    for smoothing in [1, 4, 8, 20] {
        changes.push(Box::new(move |plan| Plan { smoothing, ..plan }));
    }
    for keep in [1, 2, 4] {
        changes.push(Box::new(move |plan| Plan { keep, ..plan }));
    }
    for rate in [0.1, 0.3, 1.0, 3.0] {
        changes.push(Box::new(move |plan| Plan { rate, ..plan }));
    }
    for score in [Score::Loss, Score::Relative, Score::Combined] {
        changes.push(Box::new(move |plan| Plan { score, ..plan }));
    }
    for lags in [1, 4].into_iter().filter(|&lags| lags == 1 || channels <= 6) {
        changes.push(Box::new(move |plan| Plan { lags, ..plan }));
    }
    changes
}

/// So many plans are tried at most.
pub(crate) fn most(bases: usize, channels: usize) -> usize {
    bases + ROUNDS * changes(channels).len()
}

fn channels(rows: Rows) -> usize {
    rows.first().map_or(0, Vec::len)
}

/// Tries a plan on every recording.
fn attempt(recordings: &[Rows], plan: Plan) -> Result<Trial> {
    let (mut areas, mut all_sound, mut all_faulty) = (Vec::new(), Vec::new(), Vec::new());
    for rows in recordings {
        let Met { sound, faulty } = meet(rows, plan)?;
        areas.extend(faulty.iter().map(|faulty| {
            let sound = sound.iter().map(|seen| (seen.score, false));
            let both = sound.chain(faulty.iter().map(|seen| (seen.score, true)));
            area_under_curve(&both.collect::<Vec<_>>()).unwrap_or(0.5)
        }));
        all_sound.extend(sound);
        all_faulty.extend(faulty.concat());
    }
    Ok(Trial {
        plan,
        areas,
        judged: all_sound.len(),
        false_alarms: above(&all_sound),
        found: above(&all_faulty),
    })
}

/// The last rows of a recording,
struct Met {
    /// as they are,
    sound: Vec<Seen>,
    /// and with each fault in them.
    faulty: Vec<Vec<Seen>>,
}

/// Trains on the first rows of a recording and meets the others.
fn meet(rows: Rows, plan: Plan) -> Result<Met> {
    let channels = channels(rows);
    let from = rows.len() * 3 / 5;
    let mut monitor = plan.trained_in(from).monitor(channels)?;
    for row in &rows[..from] {
        let _ = observe(monitor.as_mut(), row);
    }
    let faulty = Fault::all(channels).map(|fault| {
        let mut twin = monitor.twin();
        let met = fault.in_rows(rows, from..rows.len());
        met.iter().filter_map(|row| observe(twin.as_mut(), row)).collect()
    });
    let faulty = faulty.collect();
    let sound = rows[from..].iter().filter_map(|row| observe(monitor.as_mut(), row));
    Ok(Met {
        sound: sound.collect(),
        faulty,
    })
}

/// What is seen of a row.
#[derive(Clone, Copy)]
struct Seen {
    score: f32,
    above: bool,
}

/// The part above the threshold.
fn above(seen: &[Seen]) -> f64 {
    seen.iter().filter(|seen| seen.above).count() as f64 / seen.len().max(1) as f64
}

fn observe(monitor: &mut dyn Watch, row: &[f32]) -> Option<Seen> {
    let mut contribution = vec![0.0; row.len()];
    let sight = monitor.observe(row, &mut contribution).ok()?;
    Some(Seen {
        score: sight.score,
        above: sight.score > sight.threshold,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::bases;
    use crate::watching::Model;
    use crate::watching::Preset;

    /// Four channels with a load in common; with `slow` their noise is five times the load.
    fn rows(count: u32, noise: f32) -> Vec<Vec<f32>> {
        let row = |time: u32| {
            let dice = |prime: u32| ((time * prime % 10_007) as f32 / 10_007.0 - 0.5) * noise;
            let load = (time as f32 / 40.0).sin();
            vec![
                load + dice(4_001),
                2.0 * load + dice(2_003),
                dice(1_009) - load,
                dice(3_571),
            ]
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn means_are_proposed_where_noise_hides_the_level() -> Result<()> {
        let proposal = propose(&[&rows(500, 20.0)], &bases(None, Model::Tracking, 500), || ())?;
        assert!(proposal.best.worth() > proposal.base.worth() + MARGIN);
        assert!(
            proposal.best.plan.input_smoothing > 1,
            "{}",
            proposal.best.plan.describe()
        );
        assert!(proposal.tried.is_sorted_by(|a, b| a.worth() >= b.worth()));
        assert!(proposal.tried.len() <= most(2, 4));
        Ok(())
    }

    #[test]
    fn recordings_are_settled_together() -> Result<()> {
        // 80 rows judged in each are too few, in both they are enough.
        let rows = rows(200, 20.0);
        let proposal = propose(&[&rows, &rows], &bases(None, Model::Tracking, 200), || ())?;
        assert_eq!(proposal.base.areas.len(), 2 * Fault::all(4).count());
        assert!(proposal.best.worth() > proposal.base.worth() + MARGIN);
        Ok(())
    }

    #[test]
    fn the_defaults_stay_where_rows_are_few() -> Result<()> {
        // Two fifths of 200 rows are fewer than it takes to tell settings apart.
        let proposal = propose(&[&rows(200, 20.0)], &bases(None, Model::Tracking, 200), || ())?;
        assert_eq!(proposal.best.plan, Plan::DEFAULT.trained_in(200));
        assert!(propose(&[&rows(99, 1.0)], &bases(None, Model::Tracking, 99), || ()).is_err());
        Ok(())
    }

    #[test]
    fn a_monitor_that_always_learns_is_left_alone() -> Result<()> {
        let proposal = propose(
            &[&rows(500, 20.0)],
            &bases(Some(Preset::Movement), Model::Tracking, 500),
            || (),
        )?;
        assert_eq!(proposal.best.plan, Plan::MOVEMENT.trained_in(500));
        assert_eq!(proposal.tried.len(), 1);
        Ok(())
    }
}
