//! The same bits everywhere: the digests that `tests/conformance` prints here and on every board.

use anyhow::{Result, bail};

use crate::cargo::{Optimisation, Program, build_image, build_image_with, cargo, finish};
use crate::machine::Board;

/// The program.
const PACKAGE: &str = "eigenstream-conformance";

/// A board whose flash is smaller holds one number type at a time, optimised for size.
const ROOM_FOR_EVERYTHING: u32 = 2 * 1024 * 1024;

/// Built with optimisation, this computer prints what it prints without.
pub(super) fn matches_on_host(options: &str) -> Result<()> {
    compare(&reference()?, &on_host(options)?)
}

/// The board prints what this computer prints.
pub(super) fn matches_on_board(board: &Board) -> Result<()> {
    compare(&reference()?, &on_board(board)?)
}

fn on_board(board: &Board) -> Result<String> {
    if board.flash >= ROOM_FOR_EVERYTHING {
        return board.run(&build_image(Program::Conformance, board, Optimisation::Speed)?);
    }
    let part = |number| {
        let variables = [("CONFORMANCE_NUMBER", number)];
        board.run(&build_image_with(
            Program::Conformance,
            board,
            Optimisation::Size,
            &variables,
        )?)
    };
    Ok(part("f32")? + &part("f64")?)
}

/// What this computer prints, built without optimisation.
fn reference() -> Result<String> {
    on_host("")
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
