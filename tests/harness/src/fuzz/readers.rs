//! Texts that are nearly right, for the readers of this tool.
//! What must hold: a reader answers or refuses, and never panics.

use std::fs;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use eigenstream_fuzz::Target;
use eigenstream_fuzz::dice::Dice;
use serde_json::{Value, json};

use crate::cargo::root;
use crate::golden;

/// The shortest case of every golden file, as a file of its own.
static GOLDEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Every reader.
pub(super) fn targets() -> Result<Vec<Target>> {
    let files = shortest_cases()?;
    GOLDEN.get_or_init(|| files);
    Ok(vec![Target {
        name: "reader_golden".into(),
        execute: read_golden,
    }])
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
