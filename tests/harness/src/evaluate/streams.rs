//! The recordings of labelled sets.
//! In: a folder with `sets.json`, or SKAB's folder. Out: each recording with its labels and the number of its training
//! rows.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::skab::{TRAINING, collect};
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};

const LIST: &str = "sets.json";

/// The name of the column with the labels; in a listed recording it is the last column.
const LABEL: &str = "anomaly";

/// Prefix of the name of SKAB's recording without faults.
const SKAB_FAULT_FREE: &str = "anomaly_free";

/// SKAB's columns that are not channels.
const SKAB_OTHERS: [&str; 4] = ["t_s", "datetime", "changepoint", LABEL];

pub(super) struct Stream {
    pub(super) set: String,
    pub(super) training: usize,
    pub(super) is_fault_free: bool,
    pub(super) channels: usize,
    pub(super) samples: Vec<Vec<f32>>,
    /// The label of each row; empty if the file has no labels.
    pub(super) faulty: Vec<bool>,
}

pub(super) struct Source {
    path: PathBuf,
    set: String,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Listed {
        training: usize,
        rows: usize,
        channels: usize,
    },
    /// A file of SKAB, which may have faults in the training.
    Skab,
    /// SKAB's file without faults; all rows of this file are training rows.
    FaultFree,
}

pub(super) fn listed(directory: &Path) -> Result<Vec<Source>> {
    let file = directory.join(LIST);
    let text = fs::read_to_string(&file).with_context(|| {
        format!(
            "cannot read {}: it lists the recordings, each as file, set, training_rows, rows, channels",
            file.display()
        )
    })?;
    let list: Vec<Value> =
        serde_json::from_str(&text).with_context(|| format!("{} is not a list in JSON", file.display()))?;
    if list.is_empty() {
        bail!("{} lists no recording", file.display());
    }
    list.iter().map(|entry| source(directory, entry)).collect()
}

fn source(directory: &Path, entry: &Value) -> Result<Source> {
    let word = |key: &str| {
        entry[key]
            .as_str()
            .with_context(|| format!("{LIST} has an entry without `{key}`: {entry}"))
    };
    let count = |key: &str| {
        let count = entry[key].as_u64().map(|count| count as usize);
        count.with_context(|| format!("{LIST} has an entry without the number `{key}`: {entry}"))
    };
    Ok(Source {
        path: directory.join(word("file")?),
        set: word("set")?.to_owned(),
        kind: Kind::Listed {
            training: count("training_rows")?,
            rows: count("rows")?,
            channels: count("channels")?,
        },
    })
}

pub(super) fn of_skab(directory: &Path) -> Result<Vec<Source>> {
    let mut paths = Vec::new();
    collect(directory, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        bail!(
            "no CSV file in {}: name the folder of SKAB's recordings",
            directory.display()
        );
    }
    let source = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = match name.starts_with(SKAB_FAULT_FREE) {
            true => Kind::FaultFree,
            false => Kind::Skab,
        };
        let set = "skab".to_owned();
        Source { path, set, kind }
    };
    Ok(paths.into_iter().map(source).collect())
}

impl Source {
    /// Reads the recording; an error says what is wrong with it.
    pub(super) fn read(&self, progress: &Progress) -> Result<Stream> {
        progress.doing(&format!("watching {}", self.path.display()));
        let mut recording = Recording::open(&self.path, progress)?;
        let columns = self.columns(&recording)?;
        let names: Vec<String> = columns
            .iter()
            .map(|&column| recording.header()[column].clone())
            .collect();
        let label = match self.kind {
            Kind::FaultFree => None,
            Kind::Listed { .. } | Kind::Skab => Some(recording.column(LABEL)?),
        };
        let mut complaints = Complaints::new(Strictness::Strict);
        let (mut samples, mut faulty) = (Vec::new(), Vec::new());
        while let Some(row) = recording.next_row(&mut complaints)? {
            let mut sample = vec![0.0; columns.len()];
            row.channels(&columns, &names, &self.path, &mut sample, &mut complaints)?;
            samples.push(sample);
            faulty.extend(label.map(|column| row.value(column).number().is_some_and(|value| value != 0.0)));
        }
        Ok(Stream {
            set: self.set.clone(),
            training: self.training(samples.len())?,
            is_fault_free: !matches!(self.kind, Kind::Skab),
            channels: columns.len(),
            samples,
            faulty,
        })
    }

    fn columns(&self, recording: &Recording) -> Result<Vec<usize>> {
        let header = recording.header();
        if let Kind::Listed { channels, .. } = self.kind {
            if header.len() != channels + 1 || header[channels] != LABEL {
                bail!(
                    "{} has other columns than {LIST} says: {channels} channels and then `{LABEL}` are wanted, and {}",
                    self.path.display(),
                    recording.columns_there()
                );
            }
            return Ok((0..channels).collect());
        }
        let is_channel = |&column: &usize| !SKAB_OTHERS.contains(&header[column].as_str());
        Ok((0..header.len()).filter(is_channel).collect())
    }

    /// Number of training rows, given the number `there` of all rows.
    fn training(&self, there: usize) -> Result<usize> {
        let path = self.path.display();
        let training = match self.kind {
            Kind::Listed { rows, .. } if rows != there => {
                bail!("{path} has {there} rows and {LIST} says {rows}: is the file cut off?")
            }
            Kind::Listed { training, .. } => training,
            Kind::Skab => TRAINING as usize,
            Kind::FaultFree => there,
        };
        if there < training {
            bail!("{path} has {there} rows, of which {training} should train");
        }
        Ok(training)
    }
}
