//! Quality of alarms and scores, compared with labels.
//! In: for each sample its label, alarm and score. Out: F1, rates of false and missed alarms, area under the ROC curve,
//! and which changes were noticed.
//! A number that is not defined is `None`, not zero.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Anomalous samples with an alarm.
    pub(super) found: u64,
    /// Anomalous samples without an alarm.
    pub(super) missed: u64,
    /// Normal samples with an alarm.
    pub(super) false_alarms: u64,
    /// Normal samples without an alarm.
    pub(super) quiet: u64,
}

impl Counts {
    pub(super) fn add(&mut self, anomalous: bool, alarm: bool) {
        match (anomalous, alarm) {
            (true, true) => self.found += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => self.quiet += 1,
        }
    }

    pub(super) fn pool(&mut self, other: Self) {
        self.found += other.found;
        self.missed += other.missed;
        self.false_alarms += other.false_alarms;
        self.quiet += other.quiet;
    }

    /// The harmonic mean of precision and recall.
    pub(super) fn f1(self) -> Option<f64> {
        ratio(2 * self.found, 2 * self.found + self.false_alarms + self.missed)
    }

    /// The part of the normal samples that have an alarm.
    pub(super) fn false_alarm_rate(self) -> Option<f64> {
        ratio(self.false_alarms, self.false_alarms + self.quiet)
    }

    /// The part of the anomalous samples that have no alarm.
    pub(super) fn missed_alarm_rate(self) -> Option<f64> {
        ratio(self.missed, self.missed + self.found)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

pub(super) fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let defined: Vec<f64> = values.into_iter().flatten().collect();
    (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64)
}

/// Area under the ROC curve: the probability that an anomalous sample has a higher score than a normal one; ties count
/// half.
///
/// It is computed from the sum of the ranks of the anomalous samples (Mann–Whitney).
pub(super) fn area_under_curve(scored: &[(f32, bool)]) -> Option<f64> {
    let anomalous = scored.iter().filter(|(_, anomalous)| *anomalous).count() as f64;
    let normal = scored.len() as f64 - anomalous;
    if anomalous == 0.0 || normal == 0.0 {
        return None;
    }
    let mut sorted = scored.to_vec();
    sorted.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut rank_sum = 0.0;
    let mut below = 0.0;
    for equal in sorted.chunk_by(|(a, _), (b, _)| a == b) {
        let size = equal.len() as f64;
        let hits = equal.iter().filter(|(_, anomalous)| *anomalous).count() as f64;
        // Equal scores have the mean of the ranks from `below` + 1 to `below` + `size`.
        rank_sum += hits * (below + (size + 1.0) / 2.0);
        below += size;
    }
    Some((rank_sum - anomalous * (anomalous + 1.0) / 2.0) / (anomalous * normal))
}

/// The changes of a stream, and the alarms that noticed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) there: usize,
    /// Samples from each noticed change to its alarm.
    pub(super) delays: Vec<usize>,
    pub(super) unfounded: usize,
}

impl Changes {
    /// Matches changes and alarms, both sorted by time.
    ///
    /// A change is noticed by the first alarm that is 0 to `patience` samples after it. Further alarms within this time
    /// belong to the same change.
    pub(super) fn matched(changes: &[usize], signals: &[usize], patience: usize) -> Self {
        let belongs = |change: usize, signal: usize| (change..=change + patience).contains(&signal);
        let first = |&change: &usize| {
            signals
                .iter()
                .find(|&&signal| belongs(change, signal))
                .map(|signal| signal - change)
        };
        let founded = |signal: usize| changes.iter().any(|&change| belongs(change, signal));
        Self {
            there: changes.len(),
            delays: changes.iter().filter_map(first).collect(),
            unfounded: signals.iter().filter(|&&signal| !founded(signal)).count(),
        }
    }

    pub(super) fn pool(&mut self, other: &Self) {
        self.there += other.there;
        self.delays.extend(&other.delays);
        self.unfounded += other.unfounded;
    }

    pub(super) fn median_delay(&self) -> Option<usize> {
        let mut sorted = self.delays.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

pub(super) fn edges(states: &[bool]) -> Vec<usize> {
    let pairs = states.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| pair[0] != pair[1])
        .map(|(place, _)| place + 1)
        .collect()
}

/// Counts of runs of faulty rows and of rows in alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    pub(super) events: u64,
    /// Runs of faulty rows with an alarm in them.
    pub(super) events_hit: u64,
    /// Runs of rows in alarm without a faulty row.
    pub(super) false_episodes: u64,
}

impl Runs {
    pub(super) fn of(alarms: &[bool], faulty: &[bool]) -> Self {
        let events = runs(faulty, alarms);
        Self {
            events: events.len() as u64,
            events_hit: events.iter().filter(|&&hit| hit).count() as u64,
            false_episodes: runs(alarms, faulty).iter().filter(|&&founded| !founded).count() as u64,
        }
    }

    pub(super) fn pool(&mut self, other: Self) {
        self.events += other.events;
        self.events_hit += other.events_hit;
        self.false_episodes += other.false_episodes;
    }
}

/// For each run of `true` in `rows`, whether `others` is true somewhere within it.
fn runs(rows: &[bool], others: &[bool]) -> Vec<bool> {
    let pairs: Vec<(bool, bool)> = rows.iter().copied().zip(others.iter().copied()).collect();
    let same = pairs.chunk_by(|one, next| one.0 == next.0);
    same.filter(|run| run[0].0)
        .map(|run| run.iter().any(|&(_, other)| other))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_agree_with_a_count_by_hand() {
        // Ten samples: 4 anomalous, of which 3 are found, and 6 normal, of which 2 have an alarm.
        let mut counts = Counts::default();
        for (anomalous, alarm, times) in [(true, true, 3), (true, false, 1), (false, true, 2), (false, false, 4)] {
            (0..times).for_each(|_| counts.add(anomalous, alarm));
        }
        // Precision 3/5, recall 3/4: F1 = 2·(3/5)(3/4)/(3/5 + 3/4) = 2/3.
        assert_eq!(counts.f1(), Some(6.0 / 9.0));
        assert_eq!(counts.false_alarm_rate(), Some(2.0 / 6.0));
        assert_eq!(counts.missed_alarm_rate(), Some(1.0 / 4.0));
        let mut both = counts;
        both.pool(counts);
        assert_eq!((both.found, both.quiet, both.f1()), (6, 8, counts.f1()));
    }

    #[test]
    fn a_rate_that_is_not_defined_is_none() {
        let mut counts = Counts::default();
        assert_eq!(
            (counts.f1(), counts.false_alarm_rate(), counts.missed_alarm_rate()),
            (None, None, None)
        );
        counts.add(false, false);
        assert_eq!((counts.f1(), counts.false_alarm_rate()), (None, Some(0.0)));
        assert_eq!(area_under_curve(&[(1.0, true), (2.0, true)]), None);
        assert_eq!(mean([None, Some(1.0), Some(2.0)]), Some(1.5));
        assert_eq!(mean([None]), None);
    }

    #[test]
    fn a_permanent_alarm_has_an_f1_that_depends_only_on_the_anomalous_part() {
        let mut counts = Counts::default();
        (0..100).for_each(|sample| counts.add(sample < 53, true));
        assert_eq!(counts.f1(), Some(106.0 / 153.0));
        assert_eq!(counts.false_alarm_rate(), Some(1.0));
    }

    #[test]
    fn the_area_is_the_part_of_the_pairs_in_order() {
        // Of the 2·3 pairs of an anomalous and a normal score, (3 > 1), (3 > 2), (2 > 1) are right, (2 = 2) is a tie,
        // and (3 < 4), (2 < 4) are wrong.
        let scored = [(3.0, true), (2.0, true), (1.0, false), (2.0, false), (4.0, false)];
        assert_eq!(area_under_curve(&scored), Some(3.5 / 6.0));
        assert_eq!(area_under_curve(&[(0.0, false), (1.0, true)]), Some(1.0));
        assert_eq!(area_under_curve(&[(1.0, false), (0.0, true)]), Some(0.0));
        assert_eq!(area_under_curve(&[(1.0, false), (1.0, true), (1.0, true)]), Some(0.5));
    }

    #[test]
    fn only_an_alarm_within_the_patience_notices_a_change() {
        let changes = Changes::matched(&[100, 200, 300], &[90, 110, 115, 260, 300], 50);
        assert_eq!(
            changes,
            Changes {
                there: 3,
                delays: vec![10, 0],
                unfounded: 2
            }
        );
        assert_eq!(changes.median_delay(), Some(10));
        assert_eq!(Changes::default().median_delay(), None);
    }

    #[test]
    fn found_and_missed_events_and_false_episodes_are_counted() {
        let [no, yes] = [false, true];
        // One event that is found, one that is missed, and two false episodes.
        let faulty = [no, yes, yes, yes, no, yes, no, no, no, no];
        let alarms = [yes, yes, no, yes, no, no, no, yes, no, yes];
        let expected = Runs {
            events: 2,
            events_hit: 1,
            false_episodes: 2,
        };
        assert_eq!(Runs::of(&alarms, &faulty), expected);
        assert_eq!(Runs::of(&[], &[]), Runs::default());
    }

    #[test]
    fn an_edge_is_where_the_new_state_begins() {
        assert_eq!(edges(&[false, true, true, false]), [1, 3]);
        assert!(edges(&[]).is_empty());
    }
}
