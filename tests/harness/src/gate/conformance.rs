//! Equal bits on every machine: `tests/conformance` prints the digests of `tests/data/digests.txt` on every board. On this computer its own
//! test compares them, optimised as the profile `harness` says.
//! A change that moves code leaves that file as it is. A change that means to change bits commits the new digests:
//! `cargo run --package eigenstream-conformance > tests/data/digests.txt`.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{Linking, Optimisation, Program, link_image, root};
use crate::machine::{Board, CORTEX_M4F};

/// The program.
pub(super) const PACKAGE: &str = "eigenstream-conformance";

/// A board with less flash holds one number type at a time.
const ROOM_FOR_EVERYTHING: u32 = 2 * 1024 * 1024;

/// A board with less flash holds one part of the program at a time.
const ROOM_FOR_EVERY_PART: u32 = 1024 * 1024;

/// A board with less flash needs a program that is optimised as a whole.
const ROOM_FOR_A_NUMBER: u32 = 512 * 1024;

/// How the program is linked for a board.
pub(super) fn linking(board: &Board) -> Linking {
    if board.flash < ROOM_FOR_A_NUMBER {
        Linking::Whole
    } else if board.target == CORTEX_M4F.target {
        // The dependencies are those of the image without panics, and are built once.
        Linking::Crates
    } else {
        Linking::Parts
    }
}

/// For speed on the core that speed is measured on; for size, in half the time, on the others.
pub(super) fn optimisation(board: &Board) -> Optimisation {
    if board.target == CORTEX_M4F.target {
        Optimisation::Speed
    } else {
        Optimisation::Size
    }
}

/// The board prints the committed digests.
pub(super) fn matches_on_board(board: &Board) -> Result<()> {
    let committed = committed()?;
    let expected: Vec<&str> = committed.lines().filter(|line| is_run_on(board, line)).collect();
    compare(&expected.join("\n"), &on_board(board)?)
}

/// The part that a board with little flash leaves to the others: the registry does not fit into 256 kB.
const SKIPPED_WHERE_SMALL: Option<&str> = Some("registry");

fn is_run_on(board: &Board, line: &str) -> bool {
    board.flash >= ROOM_FOR_EVERY_PART || !line.starts_with("registry_")
}

fn on_board(board: &Board) -> Result<String> {
    let only = |choices: &[&'static str], room| -> Vec<Option<&'static str>> {
        match board.flash < room {
            true => choices.iter().copied().map(Some).collect(),
            false => vec![None],
        }
    };
    let mut printed = String::new();
    for number in only(&["f32", "f64"], ROOM_FOR_EVERYTHING) {
        for subject in only(&["learners", "images", "registry"], ROOM_FOR_EVERY_PART) {
            if subject == SKIPPED_WHERE_SMALL {
                continue;
            }
            let variables = [("CONFORMANCE_NUMBER", number), ("CONFORMANCE_SUBJECT", subject)];
            let variables: Vec<(&str, &str)> = (variables.into_iter())
                .filter_map(|(name, only)| Some((name, only?)))
                .collect();
            let image = link_image(
                Program::Conformance,
                board,
                optimisation(board),
                linking(board),
                &variables,
            )?;
            printed += &board.run(&image)?;
        }
    }
    Ok(printed)
}

pub(super) fn committed() -> Result<String> {
    let file = root().join("tests/data/digests.txt");
    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}

/// Both print equal lines, in any order.
pub(super) fn compare(expected: &str, printed: &str) -> Result<()> {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let (expected, printed) = (sorted(expected), sorted(printed));
    if expected.is_empty() {
        bail!("{PACKAGE} printed nothing");
    }
    let missing = expected.iter().filter(|line| !printed.contains(line));
    let surplus = printed.iter().filter(|line| !expected.contains(line));
    let differences: Vec<String> = missing
        .map(|line| format!("expected {line}"))
        .chain(surplus.map(|line| format!("printed  {line}")))
        .collect();
    if differences.is_empty() {
        Ok(())
    } else {
        bail!("the digests differ\n{}", differences.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_does_not_matter_and_their_digests_do() {
        assert!(compare("a f32 1\na f64 2\n", "a f64 2\na f32 1\n").is_ok());
        let differs = compare("a f32 1\nb f32 2\n", "a f32 1\nb f32 3\n");
        assert!(differs.is_err_and(|error| error.to_string().ends_with("expected b f32 2\nprinted  b f32 3")));
        assert!(compare("a f32 1\n", "").is_err());
        assert!(compare("", "").is_err());
    }
}
