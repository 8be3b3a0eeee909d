//! The measuring programs, `tests/firmware/src/bin/bench_*.rs`, and the workloads that each of them prints.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::root;
use crate::machine::{BOARDS, Board, CORTEX_M4F};

/// Prefix of the name of a measuring program.
const PREFIX: &str = "bench_";

/// The text before the name of a workload in a program.
const MARK: &str = "bench workload=";

/// The text that only a program with naive versions contains.
const NAIVE_MARK: &str = "feature = \"naive\"";

/// The text before the name of the board in a program; a program without this text runs on the Cortex-M4F.
const BOARD_MARK: &str = "Board: ";

#[derive(Clone, Debug)]
pub(super) struct Image {
    /// File name without extension.
    pub(super) program: String,
    pub(super) workloads: Vec<String>,
    pub(super) board: &'static Board,
    pub(super) has_naive: bool,
}

impl Image {
    fn new(program: &str, text: &str) -> Self {
        let names = text
            .split(MARK)
            .skip(1)
            .filter_map(|rest| rest.split_whitespace().next());
        let mut workloads: Vec<String> = names.map(str::to_owned).collect();
        workloads.dedup();
        let asked = text.split(BOARD_MARK).nth(1).unwrap_or_default();
        let named = |board: &&Board| asked.starts_with(board.machine);
        Self {
            program: program.to_owned(),
            workloads,
            board: BOARDS.iter().find(named).unwrap_or(&CORTEX_M4F),
            has_naive: text.contains(NAIVE_MARK),
        }
    }

    pub(super) fn prints(&self, workload: &str) -> bool {
        self.workloads.iter().any(|name| name.eq_ignore_ascii_case(workload))
    }
}

/// All measuring programs, sorted by name.
pub(super) fn all() -> Result<Vec<Image>> {
    let directory = root().join("tests/firmware/src/bin");
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut images = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        if stem.starts_with(PREFIX) {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            images.push(Image::new(&stem, &text));
        }
    }
    images.sort_by(|one, other| one.program.cmp(&other.program));
    Ok(images)
}

/// The programs that print one of the given workloads, or all programs if none is given.
pub(super) fn select(images: Vec<Image>, asked: &[String]) -> Result<Vec<Image>> {
    if images.is_empty() {
        bail!("there is nothing to measure: put a program {PREFIX}NAME.rs into tests/firmware/src/bin");
    }
    if let Some(unknown) = asked.iter().find(|name| !images.iter().any(|image| image.prints(name))) {
        let choice: Vec<&str> = images
            .iter()
            .flat_map(|image| &image.workloads)
            .map(String::as_str)
            .collect();
        bail!("there is no workload {unknown}: choose from {}", choice.join(", "));
    }
    let wanted = |image: &Image| asked.is_empty() || asked.iter().any(|name| image.prints(name));
    Ok(images.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> Vec<Image> {
        vec![
            Image::new("bench_eigen", r#"println!("bench workload=eigen dim={N}")"#),
            Image::new("bench_tracking", r#"println!("bench workload=W1 variant=tracking")"#),
        ]
    }

    #[test]
    fn a_program_is_found_by_its_workload_in_any_case() {
        let names = |asked: &[String]| {
            let chosen = select(images(), asked).unwrap_or_default();
            chosen.into_iter().map(|image| image.program).collect::<Vec<_>>()
        };
        assert_eq!(names(&["w1".to_owned()]), ["bench_tracking"]);
        assert_eq!(names(&[]), ["bench_eigen", "bench_tracking"]);
    }

    #[test]
    fn a_program_names_its_board_or_runs_on_the_usual_one() {
        let machine = |text| Image::new("bench", text).board.machine;
        assert_eq!(machine("//! Board: microbit.\n"), "microbit");
        assert_eq!(machine("//! W1\n"), CORTEX_M4F.machine);
    }

    #[test]
    fn an_unknown_workload_is_refused_with_a_list_of_workloads() {
        let refused = select(images(), &["W9".to_owned()]);
        assert!(refused.is_err_and(|error| error.to_string().ends_with("choose from eigen, W1")));
    }
}
