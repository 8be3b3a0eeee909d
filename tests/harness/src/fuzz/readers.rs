//! Texts that are nearly right, for the readers of this tool.
//! Checked: a reader answers or refuses, and never panics.

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
use crate::recording::{Complaints, Recording, Strictness};
use crate::{golden, inspect};

/// The shortest case of every golden file, as a file of its own.
static GOLDEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Every reader.
pub(super) fn targets() -> Result<Vec<Target>> {
    let files = shortest_cases()?;
    GOLDEN.get_or_init(|| files);
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

/// Recordings as they come, one of each kind.
const RECORDINGS: [&str; 4] = [
    "time,a,b\n0,1.5,2\n1,-3e5,NaN\n2,,7\n",
    "a;b\r\n1,5;2\r\n\"3,5\";-inf\r\n",
    "\u{feff}\"a \"\"x\"\"\",b\n\"1\",\"two\nlines\"\n4,5,6\n",
    "a\tb\n1\t2\n\n3\t4",
];

fn read_recording(dice: &mut Dice) -> Result<(), String> {
    let mut bytes = RECORDINGS[dice.below(RECORDINGS.len())].as_bytes().to_vec();
    dice.damage(&mut bytes);
    let source = Box::new(io::Cursor::new(bytes));
    let Ok(mut recording) = Recording::read_from(source, Path::new("damaged.csv")) else {
        return Ok(());
    };
    let columns = recording.header().len() + 1;
    let mut complaints = Complaints::new(Strictness::Lenient);
    while let Ok(Some(row)) = recording.next_row(&mut complaints) {
        for column in 0..columns {
            let _ = (row.value(column), row.words(column));
        }
    }
    Ok(())
}

/// A monitor around a learner around a learner, damaged, with a checksum that fits or does not.
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
