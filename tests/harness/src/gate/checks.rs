//! The list of checks. A new one is one line here: `Check::cargo` for a command, `Check::new` for a function.

use anyhow::{Result, bail};
use clap::ValueEnum;
use eigenstream_tool::c::Core;

use super::foreign::{FOREIGN, Foreign};
use super::no_panic::{Build, Number, Sizes};
use super::{board, conformance, coverage, data, examples, no_panic, words};
use crate::bench;
use crate::c;
use crate::cargo::{Linking, Optimisation, cargo, finish, root};
use crate::chips::{self, Chip};
use crate::demo;
use crate::golden::{self, FileReport, Precision};
use crate::install::Need;
use crate::machine::{BOARDS, Board, CORTEX_M4F};
use crate::package;
use crate::python::{self, Extent};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// Always: seconds, and this computer alone.
    Quick,
    /// Only without `--quick`.
    Full,
}

/// Where a check builds. Cargo lets one command at a time into a build directory: the checks of one lane follow each other, those
/// of different lanes run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Without optimisation: lints, documentation, tests.
    Debug,
    /// The profile `harness`.
    Harness,
    /// The profile `optimised`: results.
    Optimised,
    /// The profile `release`: what is measured.
    Release,
    /// The profile `proof`: what must not be in an image.
    Proof,
    /// The workspace of the real chips.
    Chips,
}

impl Lane {
    /// Where an image is linked in this way.
    const fn of(linking: Linking) -> Self {
        match linking {
            Linking::Whole => Self::Release,
            Linking::Crates => Self::Proof,
            Linking::Parts => Self::Optimised,
        }
    }
}

/// Something that must hold.
pub(super) struct Check {
    /// What is shown.
    pub(super) name: String,
    /// Where it builds.
    pub(super) lane: Lane,
    /// When it runs.
    pub(super) tier: Tier,
    /// Without these it cannot run.
    pub(super) needs: Vec<Need>,
    /// Does the work; the error is what is shown when it fails.
    pub(super) work: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

impl Check {
    fn new(
        name: impl Into<String>,
        lane: Lane,
        needs: &[Need],
        work: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            lane,
            tier: Tier::Full,
            needs: needs.to_vec(),
            work: Box::new(work),
        }
    }

    /// A check that is one run of cargo, written as one would type it.
    fn cargo(name: &str, lane: Lane, needs: &[Need], typed: impl Into<String>) -> Self {
        let typed = typed.into();
        Self::new(name, lane, needs, move || {
            let words: Vec<&str> = typed.split_whitespace().collect();
            finish(&mut cargo(&words)).map(drop)
        })
    }

    /// The same check, run with `--quick` too.
    fn quick(mut self) -> Self {
        self.tier = Tier::Quick;
        self
    }
}

/// Every check, the quickest to fail first in each lane.
pub(super) fn all() -> Vec<Check> {
    let mut checks = without_optimisation();
    checks.extend(on_the_one_board());
    checks.extend(optimised());
    checks.extend(BOARDS.iter().flat_map(on_board));
    checks.extend(Optimisation::ALL.into_iter().flat_map(panic_proof));
    checks.extend(Build::main_rows().map(other_build));
    checks.extend([Core::CortexM4f, Core::CortexM0].map(from_c));
    checks.extend(FOREIGN.iter().take(2).map(on_foreign_processor));
    checks.extend(["nrf52840", "rp2040"].into_iter().filter_map(Chip::named).map(on_chip));
    checks.push(replay());
    checks
}

/// Every feature of the workspace, with few sizes, but for those whose crates take long to build: Parquet, which `package` lints and tests,
/// and naive versions, which are code for the chip.
const FEATURES: &str = "eigenstream/defmt,eigenstream/serde,eigenstream/storage,eigenstream-board/defmt,eigenstream-harness/few,eigenstream-python/few";

/// What follows a clippy command.
const DENY_WARNINGS: &str = "-- --deny warnings";

/// The core library of the board that the firmware is written for.
const CHIP: Need = Need::Target(CORTEX_M4F.target);

/// On this computer, and lints for the chip. No feature changes a result, so tests and examples run once, with all of them; without a
/// feature run the examples on the boards and the program whose bits are compared.
fn without_optimisation() -> Vec<Check> {
    use Lane::Debug;
    vec![
        Check::cargo("format", Debug, &[Need::FORMATTER], "fmt --all --check").quick(),
        Check::new("tests/data stands alone", Debug, &[], data::stands_alone).quick(),
        Check::new("golden files, f32 and f64", Debug, &[], golden_files).quick(),
        Check::new("comments and guides in plain English", Debug, &[], words::are_plain).quick(),
        Check::new("a short README", Debug, &[], words::readme_is_short).quick(),
        Check::new("a small package", Debug, &[], || package::content().map(drop)).quick(),
        Check::new(
            "the README shows the committed measurements",
            Debug,
            &[],
            bench::check_readme,
        )
        .quick(),
        Check::new(
            "the no-panic image calls every public function",
            Debug,
            &[],
            coverage::is_complete,
        )
        .quick(),
        Check::cargo(
            "clippy",
            Debug,
            &[Need::LINTER],
            format!("clippy --workspace --all-targets --features {FEATURES} {DENY_WARNINGS}"),
        )
        .quick(),
        Check::cargo("tests", Debug, &[], "test --all-features").quick(),
        Check::cargo(
            "clippy, library and examples on the chip",
            Debug,
            &[Need::LINTER, CHIP],
            format!("clippy --lib --examples --target {} {DENY_WARNINGS}", CORTEX_M4F.target),
        ),
        // Apart from the examples: firmware and examples have different panic handlers.
        Check::cargo(
            "clippy, firmware on the chip",
            Debug,
            &[Need::LINTER, CHIP],
            format!(
                "clippy --package eigenstream-firmware --features naive --target {} {DENY_WARNINGS}",
                CORTEX_M4F.target
            ),
        ),
        Check::cargo(
            "documentation",
            Debug,
            &[],
            "doc --no-deps --all-features --config build.rustdocflags=['-Dwarnings']",
        ),
        Check::new(
            "the README shows the picture of the demo",
            Debug,
            &[],
            demo::check_picture,
        ),
        Check::new("examples on this computer", Debug, &[], examples::match_on_host),
    ]
}

/// On this computer, by the optimiser: tests that run for long, and that the bits are those of every other machine.
fn optimised() -> [Check; 2] {
    [
        Check::cargo(
            "tests of the harness, a million steps, hostile input, the same bits on this computer",
            Lane::Harness,
            &[],
            "test --profile harness --features eigenstream-harness/few --package eigenstream-harness --package eigenstream-front --package eigenstream-tool --package eigenstream-sizes --package eigenstream-soak --package eigenstream-fuzz --package eigenstream-conformance",
        ),
        Check::new("the Python package, few sizes", Lane::Harness, &[], || {
            python::check(Extent::Few).map(drop)
        }),
    ]
}

/// Equal bits on every board, the examples on three of them.
fn on_board(board: &'static Board) -> Vec<Check> {
    let needs = [Need::Target(board.target), Need::Emulator(board.emulator)];
    let runs = format!("examples on {} ({})", board.machine, board.core);
    let bits = format!("the same bits on {} ({})", board.machine, board.core);
    let [of_examples, of_bits] = [examples::linking(board), conformance::linking(board)].map(Lane::of);
    let bits = Check::new(bits, of_bits, &needs, || {
        conformance::matches_on_board(board, conformance::Digests::of_the_gate(board))
    });
    let runs = Check::new(runs, of_examples, &needs, || examples::match_on_board(board));
    [Some(bits), examples::is_in_the_gate(board).then_some(runs)]
        .into_iter()
        .flatten()
        .collect()
}

/// Real time, the log and every cost, on the board that every instruction is counted on, linked as a user's firmware is.
fn on_the_one_board() -> [Check; 3] {
    let check = |name: &str, work: fn() -> Result<()>| {
        let needs = [CHIP, Need::Emulator(CORTEX_M4F.emulator)];
        Check::new(name, Lane::Release, &needs, work)
    };
    [
        check("W1 to W4 cost what is committed", bench::check_main_measurements),
        check("ten seconds at 1 kHz without a loss, and losses counted", || {
            board::matches("interrupt")
        }),
        check("the same with an executor", || board::matches("executor")),
    ]
}

/// Builds for the board and for this computer: last, when no other lane holds one of the two build directories.
fn replay() -> Check {
    let needs = [CHIP, Need::Emulator(CORTEX_M4F.emulator)];
    let name = "the chip's log replayed bit for bit";
    Check::new(name, Lane::Debug, &needs, board::log_is_replayed)
}

/// In `f32`, at the smallest and the largest size; in `f64` and at every size: `package`.
fn panic_proof(optimisation: Optimisation) -> [Check; 2] {
    let level = optimisation.level();
    let name = format!("no panic path, f32, opt-level {level}");
    let free = Check::new(name, Lane::Proof, &[CHIP], move || {
        no_panic::image_is_free(optimisation, Number::Single, Sizes::Ends)
    });
    let caught = format!("a planted panic is caught, opt-level {level}");
    let planted = Check::new(caught, Lane::Proof, &[CHIP], move || {
        no_panic::planted_panic_is_caught(optimisation)
    });
    [free, planted]
}

/// A row of the matrix of builds; all of them at every size: `package`.
fn other_build(build: Build) -> Check {
    let name = format!("no panic path, {}", build.words());
    Check::new(name, Lane::Proof, &[build.need()], move || build.is_free(Sizes::Ends))
}

/// A C program around the archive, by the cross compiler. The archive links only if no panic can be reached.
fn from_c(core: Core) -> Check {
    let name = format!("a C program has the bits of the crate, {}", core.words());
    let needs: Vec<Need> = core.target_need().into_iter().chain(core.needs()).collect();
    Check::new(name, Lane::Proof, &needs, move || c::same_bits(core))
}

fn on_foreign_processor(foreign: &'static Foreign) -> Check {
    let name = format!("the same bits on {} ({})", foreign.target, foreign.trait_of_it);
    Check::new(name, Lane::Optimised, &foreign.needs(), || {
        foreign.has_the_bits(Optimisation::Size, foreign.digests_of_the_gate())
    })
}

/// A program for a real chip builds, and takes the flash and RAM that the guide says. All of them: `package`.
fn on_chip(chip: &'static Chip) -> Check {
    let name = format!("the program for a real chip, {}", chip.name);
    Check::new(name, Lane::Chips, &chip.needs(), move || chips::check(chip).map(drop))
}

fn golden_files() -> Result<()> {
    let reports = golden::run_folder(&root().join("tests/data/golden"), Precision::value_variants())?;
    let complaints: Vec<String> = reports.iter().flat_map(FileReport::complaints).collect();
    if complaints.is_empty() {
        Ok(())
    } else {
        bail!("{}", complaints.join("\n"))
    }
}
