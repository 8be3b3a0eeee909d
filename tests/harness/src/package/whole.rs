//! The checks of `package` that the gate does only in part: every processor, board, size, build and workload.

use anyhow::{Context, anyhow};

use super::Obstacle;
use crate::bench;
use crate::c;
use crate::cargo::{Optimisation, cargo, finish};
use crate::chips;
use crate::gate::conformance::{self, Digests};
use crate::gate::examples::match_on_board;
use crate::gate::foreign::{FOREIGN, OPTIMISATIONS, any_optimisation_has_the_bits};
use crate::gate::{Build, Number, Sizes, image_is_free, log_is_readable, log_leaves_no_trace};
use crate::install::{Need, provide};
use crate::machine::{BOARDS, Board, CORTEX_M4F};
use crate::python::{self, Extent, Missing};

fn provide_board(board: &Board) -> Result<(), Obstacle> {
    let needs = [Need::Target(board.target), Need::Emulator(board.emulator)];
    needs.into_iter().try_for_each(provide).map_err(Obstacle::Missing)
}

pub(super) fn foreign_processors() -> Result<String, Obstacle> {
    let mut names = Vec::new();
    for foreign in &FOREIGN {
        for need in foreign.needs() {
            provide(need).map_err(Obstacle::Missing)?;
        }
        foreign
            .has_the_bits(Optimisation::Speed, Digests::All)
            .with_context(|| foreign.target)?;
        names.push(foreign.target);
    }
    Ok(names.join(", "))
}

pub(super) fn every_optimisation() -> Result<String, Obstacle> {
    any_optimisation_has_the_bits()?;
    let names: Vec<&str> = OPTIMISATIONS.iter().map(|(words, _)| *words).collect();
    Ok(names.join(", "))
}

/// Builds the wheel of a release and runs every test of it.
pub(super) fn in_python() -> Result<String, Obstacle> {
    python::check(Extent::Whole).map_err(|error| match error.downcast::<Missing>() {
        Ok(missing) => Obstacle::Missing(missing.to_string()),
        Err(error) => Obstacle::Wrong(error),
    })
}

/// Builds the programs against the sources of this checkout, not against the package.
pub(super) fn real_chips() -> Result<String, Obstacle> {
    let needs = chips::CHIPS.iter().flat_map(chips::Chip::needs);
    needs.into_iter().try_for_each(provide).map_err(Obstacle::Missing)?;
    Ok(chips::check_all()?)
}

/// Runs the tests of the tool and of the table of sizes with every size and with Parquet, and lints the tool with them;
/// the gate uses few sizes and no Parquet.
pub(super) fn every_size() -> Result<String, Obstacle> {
    let parquet = ["--package", "eigenstream-tool", "--features", "parquet"];
    let packages = ["--package", "eigenstream-sizes"];
    finish(cargo(&["test", "--profile", "whole"]).args(parquet).args(packages))?;
    finish(
        cargo(&["clippy", "--all-targets"])
            .args(parquet)
            .args(["--", "--deny", "warnings"]),
    )?;
    Ok("the tests pass with the whole table and Parquet".into())
}

/// Checks that the log through defmt is readable, and that a program without the feature has no trace of it.
pub(super) fn log() -> Result<String, Obstacle> {
    provide_board(&CORTEX_M4F)?;
    log_is_readable()?;
    log_leaves_no_trace()?;
    Ok("read; no trace of defmt where it is off".into())
}

/// Compares all digests that fit on every board; the gate compares those of the registry on three boards.
pub(super) fn bits_on_every_board() -> Result<String, Obstacle> {
    for board in &BOARDS {
        provide_board(board)?;
        conformance::matches_on_board(board, Digests::All).with_context(|| board.machine)?;
    }
    Ok(format!("{} boards", BOARDS.len()))
}

/// Runs the tests of the reader of Parquet, which the gate leaves out.
pub(super) fn parquet() -> Result<String, Obstacle> {
    let tests = ["--package", "eigenstream-tool", "--features", "few,parquet", "parquet"];
    finish(cargo(&["test", "--profile", "harness"]).args(tests))?;
    Ok("whole files are read, damaged ones are read or refused".into())
}

/// Runs the examples on every board; the gate does so on three.
pub(super) fn every_board() -> Result<String, Obstacle> {
    for board in &BOARDS {
        provide_board(board)?;
        match_on_board(board).with_context(|| board.machine)?;
    }
    Ok(format!("{} boards", BOARDS.len()))
}

/// Checks the measurements of every workload but `sizes` and `windows`; the gate checks W1 to W4 and restoring.
pub(super) fn every_workload() -> Result<String, Obstacle> {
    for board in &BOARDS {
        provide_board(board)?;
    }
    bench::check_all_measurements()?;
    Ok("as in tests/data/bench.json".into())
}

/// Links `no_panic` in every [`Build`], and once in `f64`; an error lists the builds that can panic.
pub(super) fn no_panic() -> Result<String, Obstacle> {
    let mut complaints = Vec::new();
    let mut builds = 0;
    for build in Build::all() {
        provide(build.need()).map_err(Obstacle::Missing)?;
        builds += 1;
        eprintln!("linking no_panic: {} ...", build.words());
        if let Err(error) = build.is_free(build.sizes()) {
            complaints.push(format!("{}: {error:#}", build.words()));
        }
    }
    builds += 1;
    if let Err(error) = image_is_free(Optimisation::Speed, Number::Double, Sizes::All) {
        complaints.push(format!("{}, f64, opt-level 3: {error:#}", CORTEX_M4F.core));
    }
    if complaints.is_empty() {
        Ok(format!("{builds} builds"))
    } else {
        Err(anyhow!("{}", complaints.join("\n")).into())
    }
}

pub(super) fn every_core_in_c() -> Result<String, Obstacle> {
    let clang = Need::Program {
        program: "clang",
        packages: &["clang"],
    };
    for need in [Need::ARM_C, Need::RISCV_C, clang, c::VALGRIND] {
        provide(need).map_err(Obstacle::Missing)?;
    }
    Ok(c::every_core()?)
}

pub(super) fn c_under_valgrind() -> Result<String, Obstacle> {
    provide(c::VALGRIND).map_err(Obstacle::Missing)?;
    Ok(c::host_tests_under_valgrind()?)
}
