//! Equal bits on every machine: `tests/conformance` prints the digests of `tests/data/digests.txt` on every board. On
//! this computer the test of `tests/conformance` compares them; `cargo harness package` compares the digests at every
//! opt-level.
//! A change that only moves code must not change that file. A change that is meant to change bits commits the new
//! digests:
//! `cargo run --package eigenstream-conformance > tests/data/digests.txt`.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{Linking, Optimisation, Program, link_image, root};
use crate::machine::{Board, CORTEX_M4F};

/// The package of the program that prints the digests.
pub(super) const PACKAGE: &str = "eigenstream-conformance";

/// Bytes of flash. On a board with less, a program holds one number type.
const ROOM_FOR_EVERYTHING: u32 = 2 * 1024 * 1024;

/// Bytes of flash. On a board with less, a program holds either the learners or the images.
const ROOM_FOR_EVERY_PART: u32 = 1024 * 1024;

/// Bytes of flash. A board with less needs a program that is optimised as a whole.
const ROOM_FOR_A_NUMBER: u32 = 512 * 1024;

/// How the program is linked for a board.
pub(super) fn linking(board: &Board) -> Linking {
    if board.flash < ROOM_FOR_A_NUMBER {
        Linking::Whole
    } else if board.target == CORTEX_M4F.target {
        // The no-panic image has the same dependencies, so these are built only once.
        Linking::Crates
    } else {
        Linking::Parts
    }
}

/// Boards with the target of the Cortex-M4F get programs optimised for speed, the others programs optimised for size.
pub(super) fn optimisation(board: &Board) -> Optimisation {
    if board.target == CORTEX_M4F.target {
        Optimisation::Speed
    } else {
        Optimisation::Size
    }
}

/// The digests that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digests {
    /// All committed digests.
    All,
    /// All but those of the learners of the registry.
    WithoutRegistry,
}

impl Digests {
    /// The digests that the gate compares: all on a Cortex-M4F, a Cortex-M7 and RISC-V, elsewhere all but those of the
    /// registry.
    pub(super) fn of_the_gate(board: &Board) -> Self {
        match board.core {
            "RISC-V" => Self::All,
            _ if board.target == CORTEX_M4F.target => Self::All,
            _ => Self::WithoutRegistry,
        }
    }

    /// The digests whose programs fit: those of the registry need a board with at least 1 MiB of flash.
    fn on(self, board: &Board) -> Self {
        match board.flash < ROOM_FOR_EVERY_PART {
            true => Self::WithoutRegistry,
            false => self,
        }
    }

    const fn program(self) -> Program<'static> {
        match self {
            Self::All => Program::Conformance,
            Self::WithoutRegistry => Program::ShortConformance,
        }
    }

    /// The committed digests.
    pub(super) fn committed(self) -> Result<String> {
        let has = |line: &&str| self == Self::All || !line.starts_with("registry_");
        Ok(committed()?.lines().filter(has).collect::<Vec<_>>().join("\n"))
    }
}

/// Fails unless the board prints the committed digests.
pub(crate) fn matches_on_board(board: &Board, digests: Digests) -> Result<()> {
    let digests = digests.on(board);
    compare(&digests.committed()?, &on_board(board, digests)?)
}

fn on_board(board: &Board, digests: Digests) -> Result<String> {
    let only = |choices: &[&'static str], room| -> Vec<Option<&'static str>> {
        match board.flash < room {
            true => choices.iter().copied().map(Some).collect(),
            false => vec![None],
        }
    };
    let mut printed = String::new();
    for number in only(&["f32", "f64"], ROOM_FOR_EVERYTHING) {
        for subject in only(&["learners", "images"], ROOM_FOR_EVERY_PART) {
            let variables = [("CONFORMANCE_NUMBER", number), ("CONFORMANCE_SUBJECT", subject)];
            let variables: Vec<(&str, &str)> = (variables.into_iter())
                .filter_map(|(name, only)| Some((name, only?)))
                .collect();
            let image = link_image(
                digests.program(),
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

fn committed() -> Result<String> {
    let file = root().join("tests/data/digests.txt");
    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}

/// Fails unless both texts have equal lines, in any order, and at least one line.
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
    use crate::machine::BOARDS;

    #[test]
    fn the_gate_compares_the_registry_on_three_boards_and_everything_else_on_all() -> Result<()> {
        let whole: Vec<&str> = (BOARDS.iter())
            .filter(|board| Digests::of_the_gate(board).on(board) == Digests::All)
            .map(|board| board.core)
            .collect();
        assert_eq!(whole, ["Cortex-M4F", "Cortex-M7", "RISC-V"]);
        let [whole, short] = [Digests::All.committed()?, Digests::WithoutRegistry.committed()?];
        let left_out: Vec<&str> = whole.lines().filter(|line| !short.contains(line)).collect();
        assert!(!left_out.is_empty() && left_out.iter().all(|line| line.starts_with("registry_")));
        Ok(())
    }

    #[test]
    fn the_order_of_lines_does_not_matter_and_their_digests_do() {
        assert!(compare("a f32 1\na f64 2\n", "a f64 2\na f32 1\n").is_ok());
        let differs = compare("a f32 1\nb f32 2\n", "a f32 1\nb f32 3\n");
        assert!(differs.is_err_and(|error| error.to_string().ends_with("expected b f32 2\nprinted  b f32 3")));
        assert!(compare("a f32 1\n", "").is_err());
        assert!(compare("", "").is_err());
    }
}
