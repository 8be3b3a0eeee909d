//! Stores a trained monitor: `monitor.eigs` is the image that the chip restores, `monitor.eigs.channels` has the name of
//! one channel in each line.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use eigenstream_sizes::AnyMonitor;

use crate::counted;
use crate::recording::{Recording, names};
use crate::watching::monitor_of_image;

pub fn write(monitor: &dyn AnyMonitor, path: &Path, names: &[String]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let saved = fs::write(path, monitor.encode()).and_then(|()| fs::write(beside(path), names.join("\n") + "\n"));
    saved.with_context(|| format!("cannot write {}", path.display()))
}

/// Reads the monitor of an image.
pub fn read(path: &Path) -> Result<Box<dyn AnyMonitor>> {
    let image = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    monitor_of_image(&image).with_context(|| format!("{} holds no monitor that the tool knows", path.display()))
}

/// `None` if the file does not exist.
pub fn names(path: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(beside(path)).ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

/// Of the columns on which a monitor was trained.
pub(super) fn columns(recording: &Recording, names: &[String]) -> Result<(Vec<usize>, Vec<String>)> {
    // A recording of the same device; two of its columns may have one name.
    match recording.watched(&[]) {
        Ok(found) if found.1 == names => Ok(found),
        _ => recording.watched(names),
    }
}

pub(super) fn check(monitor: &dyn AnyMonitor, path: &Path, columns: &[String]) -> Result<()> {
    if monitor.channels() != columns.len() {
        bail!(
            "{} is a monitor of {}, and {} {} there: name its columns with --columns",
            path.display(),
            counted(monitor.channels() as u64, "channel"),
            counted(columns.len() as u64, "column"),
            if columns.len() == 1 { "is" } else { "are" }
        );
    }
    match names(path) {
        Some(trained_on) if trained_on != columns => bail!(
            "{} was trained on {}, not on {}: name its columns in this order with --columns",
            path.display(),
            names::listed(&trained_on, ", "),
            names::listed(columns, ", ")
        ),
        _ => Ok(()),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".channels");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_are_found_again() -> Result<()> {
        let text = "time,a,a,b\n0,1,2,7\n1,2,4,7\n2,3,1,7\n";
        let recording = Recording::read_from(Box::new(text.as_bytes()), Path::new("machine.csv"))?;
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(columns(&recording, &names(&["a", "a"]))?.0, [1, 2]);
        assert_eq!(columns(&recording, &names(&["b", "a"]))?.0, [3, 1]);
        assert!(columns(&recording, &names(&["b", "b"])).is_err());
        Ok(())
    }
}
