//! The same bits everywhere: the digests that `tests/conformance` prints here and on every board.

use std::sync::OnceLock;

use anyhow::{Result, bail};

use crate::cargo::{Linking, Optimisation, Program, cargo, finish, link_image};
use crate::machine::{Board, CORTEX_M4F};

/// The program.
const PACKAGE: &str = "eigenstream-conformance";

/// A board with less flash holds one number type at a time.
const ROOM_FOR_EVERYTHING: u32 = 2 * 1024 * 1024;

/// A board with less flash, and with it RAM, holds learners or their images, where the whole program is optimised.
const ROOM_FOR_A_NUMBER: u32 = 512 * 1024;

/// How the program is linked for a board.
pub(super) fn linking(board: &Board) -> Linking {
    if board.flash < ROOM_FOR_A_NUMBER {
        Linking::Whole
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

/// Built with optimisation, this computer prints what it prints without.
pub(super) fn matches_on_host(options: &str) -> Result<()> {
    compare(reference()?, &on_host(options)?)
}

/// The board prints what this computer prints.
pub(super) fn matches_on_board(board: &Board) -> Result<()> {
    compare(reference()?, &on_board(board)?)
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
        for subject in only(&["learners", "images"], ROOM_FOR_A_NUMBER) {
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

/// What this computer prints, built without optimisation; asked for once.
fn reference() -> Result<&'static str> {
    static PRINTED: OnceLock<String> = OnceLock::new();
    match PRINTED.get() {
        Some(printed) => Ok(printed),
        None => {
            let printed = on_host("")?;
            Ok(PRINTED.get_or_init(|| printed))
        }
    }
}

fn on_host(options: &str) -> Result<String> {
    finish(cargo(&["run", "--package", PACKAGE]).args(options.split_whitespace()))
}

/// The same lines, in any order.
fn compare(expected: &str, printed: &str) -> Result<()> {
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
