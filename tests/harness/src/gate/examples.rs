//! Every example prints the text of the file beside it: on this computer, and bit for bit the same on every board.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::conformance::optimisation;
use crate::cargo::{Linking, Program, cargo, finish, link_image, root};
use crate::machine::{Board, CORTEX_M4F};

/// Runs every example on this computer without optimisation, and with every feature, because the tests have built them
/// so.
pub(super) fn match_on_host() -> Result<()> {
    for name in names()? {
        compare(
            &name,
            &finish(&mut cargo(&["run", "--all-features", "--example", &name]))?,
        )?;
    }
    Ok(())
}

/// Runs every example on a board.
pub(crate) fn match_on_board(board: &Board) -> Result<()> {
    for name in names()? {
        compare(&name, &board.run(&image(&name, board)?)?)?;
    }
    Ok(())
}

/// Whether the gate runs the examples on a board: one without a floating-point unit, that of the README, and one with
/// another instruction set. `cargo harness package` uses all boards.
pub(super) fn is_in_the_gate(board: &Board) -> bool {
    ["Cortex-M0", CORTEX_M4F.core, "RISC-V"].contains(&board.core)
}

/// How an example is linked; this does not change the results. On two targets the no-panic image has the same
/// dependencies, so these are built only once.
pub(super) fn linking(board: &Board) -> Linking {
    match board.core {
        "Cortex-M0" => Linking::Crates,
        _ if board.target == CORTEX_M4F.target => Linking::Crates,
        _ => Linking::Parts,
    }
}

fn image(name: &str, board: &Board) -> Result<PathBuf> {
    link_image(Program::Example(name), board, optimisation(board), linking(board), &[])
}

/// The names of all examples, in order.
fn names() -> Result<Vec<String>> {
    let directory = root().join("examples");
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn compare(name: &str, printed: &str) -> Result<()> {
    let file = root().join(format!("examples/{name}.out"));
    let remedy = format!("if it is meant, type `cargo run --example {name} > examples/{name}.out`");
    let expected = fs::read_to_string(&file).with_context(|| format!("cannot read {}: {remedy}", file.display()))?;
    match first_difference(printed, &expected) {
        None => Ok(()),
        Some(difference) => bail!("{name} printed something else than {name}.out; {remedy}\n{difference}"),
    }
}

pub(super) fn first_difference(printed: &str, expected: &str) -> Option<String> {
    let mut lines = (printed.lines().map(Some).chain(std::iter::repeat(None)))
        .zip(expected.lines().map(Some).chain(std::iter::repeat(None)))
        .take(printed.lines().count().max(expected.lines().count()))
        .enumerate();
    lines
        .find(|(_, (printed, expected))| printed != expected)
        .map(|(line, (printed, expected))| {
            let show = |text: Option<&str>| text.unwrap_or("(end)").to_owned();
            format!(
                "line {}: printed  {}\nline {}: expected {}",
                line + 1,
                show(printed),
                line + 1,
                show(expected)
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::BOARDS;

    #[test]
    fn the_gate_runs_the_examples_on_three_boards() {
        let cores: Vec<&str> = (BOARDS.iter().filter(|board| is_in_the_gate(board)))
            .map(|board| board.core)
            .collect();
        assert_eq!(cores, ["Cortex-M0", "Cortex-M4F", "RISC-V"]);
    }

    #[test]
    fn the_first_difference_is_shown() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let difference = first_difference("a\n", "a\nb\n");
        assert_eq!(
            difference.as_deref(),
            Some("line 2: printed  (end)\nline 2: expected b")
        );
    }
}
