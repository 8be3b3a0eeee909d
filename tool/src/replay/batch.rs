//! Rows that the monitor observes in one call, until the batch is full, the recording ends or rows are missing in time. One
//! message for each row would take a monitor in another program several times as long.

use anyhow::Result;
use eigenstream::SampleError;
use eigenstream_sizes::{AnyMonitor, PlainVerdict};

use super::Summary;
use super::alarms::Alarm;
use super::picture::Picture;
use super::scores::Scores;
use crate::watching::BATCH;

/// The collected rows.
pub(super) struct Batch {
    channels: usize,
    /// Line and time of each row.
    rows: Vec<(u64, Option<f64>)>,
    samples: Vec<f32>,
    contributions: Vec<f32>,
    verdicts: Vec<Result<PlainVerdict, SampleError>>,
}

impl Batch {
    pub(super) const fn new(channels: usize) -> Self {
        Self {
            channels,
            rows: Vec::new(),
            samples: Vec::new(),
            contributions: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    /// Returns the place of the sample.
    pub(super) fn row(&mut self, line: u64, seconds: Option<f64>) -> &mut [f32] {
        let start = self.samples.len();
        self.rows.push((line, seconds));
        self.samples.resize(start + self.channels, 0.0);
        &mut self.samples[start..]
    }

    pub(super) const fn is_full(&self) -> bool {
        self.rows.len() == BATCH
    }
}

pub(super) struct Replay {
    pub(super) monitor: Box<dyn AnyMonitor>,
    pub(super) summary: Summary,
    pub(super) picture: Picture,
    pub(super) scores: Option<Scores>,
}

impl Replay {
    pub(super) fn observe(&mut self, batch: &mut Batch) -> Result<()> {
        let Batch {
            channels,
            rows,
            samples,
            contributions,
            verdicts,
        } = batch;
        contributions.resize(samples.len(), 0.0);
        self.monitor.observe_all(samples, contributions, verdicts);
        let samples_of_rows = samples
            .chunks_exact(*channels)
            .zip(contributions.chunks_exact(*channels));
        for ((&(line, seconds), verdict), (sample, contribution)) in
            rows.iter().zip(verdicts.iter()).zip(samples_of_rows)
        {
            self.summary.rows += 1;
            self.summary.whole += u64::from(!sample.iter().any(|value| value.is_nan()));
            match verdict {
                Ok(verdict) => self.seen(line, seconds, sample, verdict, contribution)?,
                Err(_) => self.refused(line, seconds, sample)?,
            }
        }
        rows.clear();
        samples.clear();
        Ok(())
    }

    /// Rows are missing before the next row.
    pub(super) fn interrupt(&mut self) {
        self.monitor.interrupt();
        self.summary.interruptions += 1;
    }

    fn seen(
        &mut self,
        line: u64,
        seconds: Option<f64>,
        sample: &[f32],
        verdict: &PlainVerdict,
        contribution: &[f32],
    ) -> Result<()> {
        let summary = &mut self.summary;
        summary.watched += u64::from(verdict.phase.is_watching());
        summary.state = Some(verdict.state);
        if verdict.alarm {
            summary.alarmed += 1;
            summary.alarms.add(Alarm {
                row: summary.rows - 1,
                line,
                seconds,
                rows: 1,
                guilty: verdict.guilty,
                height: verdict.score / verdict.threshold,
            });
        } else {
            summary.alarms.end();
        }
        self.picture
            .add(seconds.unwrap_or(f64::NAN), sample, verdict, contribution);
        match &mut self.scores {
            Some(scores) => scores.add(line, verdict, contribution),
            None => Ok(()),
        }
    }

    /// Only gaps, or a number that is too large.
    fn refused(&mut self, line: u64, seconds: Option<f64>, sample: &[f32]) -> Result<()> {
        self.summary.refused += 1;
        self.picture.refused(seconds.unwrap_or(f64::NAN), sample);
        match &mut self.scores {
            Some(scores) => scores.refused(line),
            None => Ok(()),
        }
    }
}
