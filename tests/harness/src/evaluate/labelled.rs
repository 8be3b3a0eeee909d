//! A recording with its labels, in memory, because several models watch it.

use std::path::Path;

use anyhow::{Result, bail};
use eigenstream_sizes::{AnyMonitor, PlainVerdict};

use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};

/// Columns that are not channels: clocks, counters and labels.
const NOT_MEASURED: [&str; 9] = [
    "t",
    "t_s",
    "time",
    "datetime",
    "timestamp",
    "anomaly",
    "changepoint",
    "activity",
    "switch",
];

/// Another column that is no channel: the name of the clip that a row belongs to.
const SERIES: &str = "series";

/// A recording with labels.
pub(super) struct Labelled {
    pub(super) name: String,
    pub(super) channels: usize,
    /// The channels of each row; NaN for gaps.
    pub(super) samples: Vec<Vec<f32>>,
    /// For each row, the words of the requested label columns.
    pub(super) labels: Vec<Vec<String>>,
}

impl Labelled {
    /// Reads a file and the requested label columns.
    ///
    /// A missing column gives empty words; a file without any requested column gives `None`.
    pub(super) fn read(path: &Path, name: String, labels: &[&str], progress: &Progress) -> Result<Option<Self>> {
        let recording = Recording::open(path, progress)?;
        let mut complaints = Complaints::new(Strictness::Lenient);
        let labelled = Self::of(recording, name, labels, &mut complaints)?;
        for line in complaints.lines() {
            progress.aside(|| eprintln!("{line}"));
        }
        Ok(labelled)
    }

    fn of(
        mut recording: Recording,
        name: String,
        labels: &[&str],
        complaints: &mut Complaints,
    ) -> Result<Option<Self>> {
        let path = recording.path().to_path_buf();
        let is_measured = |name: &str| !NOT_MEASURED.contains(&name) && name != SERIES;
        let columns: Vec<usize> = (recording.header().iter().enumerate())
            .filter(|(_, name)| is_measured(&name.to_ascii_lowercase()))
            .map(|(column, _)| column)
            .collect();
        let names: Vec<String> = columns
            .iter()
            .map(|&column| recording.header()[column].clone())
            .collect();
        let places: Vec<Option<usize>> = labels.iter().map(|label| recording.column(label).ok()).collect();
        if places.iter().all(Option::is_none) {
            return Ok(None);
        }
        let (mut samples, mut words) = (Vec::new(), Vec::new());
        while let Some(row) = recording.next_row(complaints)? {
            let mut sample = vec![0.0; columns.len()];
            row.channels(&columns, &names, &path, &mut sample, complaints)?;
            samples.push(sample);
            let cells = places
                .iter()
                .map(|place| place.map_or(String::new(), |column| row.words(column)));
            words.push(cells.collect());
        }
        if samples.is_empty() {
            bail!("{} has a header and no rows", path.display());
        }
        Ok(Some(Self {
            name,
            channels: columns.len(),
            samples,
            labels: words,
        }))
    }

    /// Whether the label is a number other than zero, for each row.
    pub(super) fn flags(&self, label: usize) -> Vec<bool> {
        let rows = self.labels.iter();
        rows.map(|words| {
            words
                .get(label)
                .is_some_and(|word| word.parse().is_ok_and(|flag: f64| flag != 0.0))
        })
        .collect()
    }

    /// Score and alarm of each row; `None` for a row that the monitor refuses.
    pub(super) fn watched(&self, monitor: &mut dyn AnyMonitor) -> Vec<Option<PlainVerdict>> {
        let mut contribution = vec![0.0; self.channels];
        let samples = self.samples.iter();
        samples
            .map(|sample| monitor.observe(sample, &mut contribution).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_a_channel_is_a_reported_gap_and_text_in_other_columns_is_accepted() -> Result<()> {
        let text = "datetime,flow,anomaly\nnoon,1,0\nlate,oops,1\n";
        let recording = Recording::read_from(Box::new(text.as_bytes()), Path::new("valve.csv"))?;
        let mut complaints = Complaints::new(Strictness::Lenient);
        let labelled = Labelled::of(recording, "valve".into(), &["anomaly"], &mut complaints)?;
        let samples = labelled.map_or(Vec::new(), |labelled| labelled.samples);
        assert!(samples.len() == 2 && samples[0] == [1.0] && samples[1][0].is_nan());
        assert_eq!(
            complaints.lines(),
            ["line 3 of valve.csv: `oops` in column flow is not a number, taken as a gap"]
        );
        Ok(())
    }
}
