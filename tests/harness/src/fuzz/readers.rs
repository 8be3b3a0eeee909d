//! Damaged texts for the readers of the tool, which must accept or refuse them without a panic.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use eigenstream_fuzz::Target;
use eigenstream_fuzz::dice::Dice;
use eigenstream_fuzz::seal;
use serde_json::{Value, json};

use crate::cargo::root;
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};
use crate::{golden, inspect};

/// For each golden file, its name and a file with only its shortest case.
static GOLDEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// The recordings in `tests/data/corpus/recordings`: files of every format, some of them difficult to read.
static RECORDINGS: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();

pub(super) fn targets() -> Result<Vec<Target>> {
    let (files, recordings) = (shortest_cases()?, recordings()?);
    GOLDEN.get_or_init(|| files);
    RECORDINGS.get_or_init(|| recordings);
    let target = |name: &str, execute| Target {
        name: name.into(),
        execute,
    };
    Ok(vec![
        target("reader_golden", read_golden),
        target("reader_recording", read_recording),
        target("reader_image", read_image),
    ])
}

fn read_recording(dice: &mut Dice) -> Result<(), String> {
    let (name, mut bytes) = damaged_recording(dice)?;
    // A compressed or Parquet file is read from its path.
    if name.ends_with(".gz") || name.ends_with(".parquet") {
        let path = std::env::temp_dir().join(format!("eigenstream-fuzz-{}-{name}", std::process::id()));
        // The reader knows the format by the first bytes, so the first four are restored.
        if let Some(start) = bytes.first_chunk_mut() {
            *start = if name.ends_with(".gz") {
                [0x1f, 0x8b, 8, 0]
            } else {
                *b"PAR1"
            };
        }
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        read_rows(Recording::open(&path, &Progress::begin_reading(0)));
        let _ = fs::remove_file(path);
    } else {
        let source = Box::new(io::Cursor::new(bytes));
        read_rows(Recording::read_from(source, Path::new("damaged.csv")));
    }
    Ok(())
}

/// A recording of the corpus, damaged or not, and its name.
fn damaged_recording(dice: &mut Dice) -> Result<(&'static str, Vec<u8>), String> {
    let Some(files) = RECORDINGS.get().filter(|files| !files.is_empty()) else {
        return Err("there are no recordings".into());
    };
    let (name, bytes) = &files[dice.below(files.len())];
    let mut bytes = bytes.clone();
    if !dice.chance(16) {
        dice.damage(&mut bytes);
    }
    Ok((name, bytes))
}

fn read_rows(opened: Result<Recording>) {
    let Ok(mut recording) = opened else { return };
    let columns = recording.header().len() + 1;
    let mut complaints = Complaints::new(Strictness::Lenient);
    while let Ok(Some(row)) = recording.next_row(&mut complaints) {
        for column in 0..columns {
            let _ = (row.value(column), row.words(column));
        }
    }
}

/// Reads a damaged image of a monitor with a nested learner; some of the images get a checksum that fits.
fn read_image(dice: &mut Dice) -> Result<(), String> {
    let mut bytes = include_bytes!("../../../data/images/monitor_f32.eigs").to_vec();
    dice.damage(&mut bytes);
    if dice.chance(2) {
        seal(&mut bytes);
    }
    inspect::examine(&bytes);
    Ok(())
}

fn read_golden(dice: &mut Dice) -> Result<(), String> {
    let Some(files) = GOLDEN.get().filter(|files| !files.is_empty()) else {
        return Err("there are no golden files".into());
    };
    let (name, text) = &files[dice.below(files.len())];
    let mut bytes = text.clone().into_bytes();
    dice.damage(&mut bytes);
    golden::examine(name, &String::from_utf8_lossy(&bytes))
}

fn recordings() -> Result<Vec<(String, Vec<u8>)>> {
    let directory = root().join("tests/data/corpus/recordings");
    let mut files = Vec::new();
    for entry in fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let entry = entry?;
        files.push((
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path())?,
        ));
    }
    files.sort();
    Ok(files)
}

fn shortest_cases() -> Result<Vec<(String, String)>> {
    let directory = root().join("tests/data/golden");
    let mut files = Vec::new();
    for entry in fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        let file: Value = match fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
        {
            Some(file) => file,
            None => continue,
        };
        let cases = file["cases"].as_array().into_iter().flatten();
        if let Some(case) = cases.min_by_key(|case| case.to_string().len()) {
            let alone = json!({ "algo": file["algo"], "note": "", "cases": [case] });
            files.push((
                path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                alone.to_string(),
            ));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reader_panics_on_a_damaged_text() {
        let readers = targets().unwrap_or_default();
        assert!(!readers.is_empty());
        for reader in readers {
            for seed in 0..1_000 {
                assert_eq!(
                    (reader.execute)(&mut Dice::new(seed)),
                    Ok(()),
                    "{}, seed {seed}",
                    reader.name
                );
            }
        }
    }
}
