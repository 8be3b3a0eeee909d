//! The list of checks. A new one is one line here: `Check::cargo` for a command, `Check::new` for a function.

use anyhow::{Result, bail};
use clap::ValueEnum;
use eigenstream_tool::c::Core;

use super::foreign::{FOREIGN, Foreign};
use super::no_panic::{Build, Number, Sizes};
use super::{board, conformance, coverage, data, examples, no_panic, sentences, words};
use crate::bench;
use crate::c;
use crate::cargo::{Linking, Optimisation, cargo, finish, root};
use crate::chips::{self, Chip};
use crate::demo;
use crate::figures;
use crate::golden::{self, FileReport, Precision};
use crate::install::Need;
use crate::machine::{BOARDS, Board, CORTEX_M4F};
use crate::package;
use crate::python::{self, Extent};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// The check runs also without an option. Together these checks cover each promise of the README.
    Promises,
    /// The check runs only with `--all` or `--only`.
    Rest,
}

/// The build directory of a check. Cargo lets one command at a time into a build directory, so the checks of one lane
/// run one after another; at most two lanes run at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// The build without optimisation: lints, documentation, tests.
    Debug,
    /// The profile `harness`: the crate is optimised, the harness is not.
    Harness,
    /// The profile `optimised`: programs whose results are compared.
    Optimised,
    /// The profile `release`: programs linked as in a user's firmware, such as those whose cost is measured.
    Release,
    /// The profile `proof`: programs without whole-program optimisation, such as those that must not contain a panic.
    Proof,
    /// The workspace of the real chips.
    Chips,
}

impl Lane {
    /// The lane of the images that are linked in this way.
    const fn of(linking: Linking) -> Self {
        match linking {
            Linking::Whole => Self::Release,
            Linking::Crates => Self::Proof,
            Linking::Parts => Self::Optimised,
        }
    }
}

/// One check: something that must hold.
pub(super) struct Check {
    /// The name in the report.
    pub(super) name: String,
    /// The lane in which the check builds.
    pub(super) lane: Lane,
    /// When the check runs.
    pub(super) tier: Tier,
    /// Seconds that the check takes, roughly, after a fresh clone on two cores; only the progress bar uses this.
    pub(super) seconds: usize,
    /// Tools without which the check cannot run.
    pub(super) needs: Vec<Need>,
    /// Runs the check; if it fails, the error is shown.
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
            tier: Tier::Rest,
            seconds: 1,
            needs: needs.to_vec(),
            work: Box::new(work),
        }
    }

    /// A check that is one run of cargo; `typed` is the command line after `cargo`.
    fn cargo(name: &str, lane: Lane, needs: &[Need], typed: impl Into<String>) -> Self {
        let typed = typed.into();
        Self::new(name, lane, needs, move || {
            let words: Vec<&str> = typed.split_whitespace().collect();
            finish(&mut cargo(&words)).map(drop)
        })
    }

    /// Makes the check run also without an option.
    fn of_a_promise(mut self) -> Self {
        self.tier = Tier::Promises;
        self
    }

    const fn taking(mut self, seconds: usize) -> Self {
        self.seconds = seconds;
        self
    }

    /// Makes the check run also without an option if `covers` is true.
    fn of_a_promise_if(self, covers: bool) -> Self {
        if covers { self.of_a_promise() } else { self }
    }
}

/// Every check, in the order in which the checks of a lane run.
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

/// The features for lints, with few sizes. Left out are, for example, Parquet, which takes long to build and which
/// `cargo harness package` lints and tests, and the naive versions, which are code for the chip.
const FEATURES: &str = "eigenstream/defmt,eigenstream/serde,eigenstream/storage,eigenstream-board/defmt,eigenstream-harness/few,eigenstream-python/few";

/// The end of a clippy command.
const DENY_WARNINGS: &str = "-- --deny warnings";

/// The Rust target of the Cortex-M4F.
const CHIP: Need = Need::Target(CORTEX_M4F.target);

/// The checks in [`Lane::Debug`] on this computer, and lints for the chip. No feature changes a result, so tests and
/// examples run once, with all features. The examples on the boards, and the program whose bits are compared, are built
/// with fewer features.
fn without_optimisation() -> Vec<Check> {
    use Lane::Debug;
    vec![
        Check::cargo("format", Debug, &[Need::FORMATTER], "fmt --all --check").of_a_promise(),
        Check::new("tests/data stands alone", Debug, &[], data::stands_alone).of_a_promise(),
        Check::new("golden files, f32 and f64", Debug, &[], golden_files).of_a_promise(),
        Check::new("comments and guides in plain English", Debug, &[], words::are_plain).of_a_promise(),
        Check::new(
            "public items begin with one short sentence",
            Debug,
            &[],
            sentences::are_short,
        )
        .of_a_promise(),
        Check::new("a short README", Debug, &[], words::readme_is_short).of_a_promise(),
        Check::new("a small package", Debug, &[], || package::content().map(drop)).of_a_promise(),
        Check::new(
            "the README shows the committed measurements",
            Debug,
            &[],
            bench::check_readme,
        )
        .of_a_promise(),
        Check::new(
            "the no-panic image calls every public function",
            Debug,
            &[],
            coverage::is_complete,
        )
        .of_a_promise(),
        Check::cargo("tests and documentation examples", Debug, &[], "test --all-features")
            .of_a_promise()
            .taking(150),
        Check::new("examples on this computer", Debug, &[], examples::match_on_host)
            .of_a_promise()
            .taking(20),
        Check::new(
            "the README shows the picture of the demo",
            Debug,
            &[],
            demo::check_picture,
        )
        .of_a_promise()
        .taking(10),
        Check::cargo(
            "documentation",
            Debug,
            &[],
            "doc --no-deps --all-features --config build.rustdocflags=['-Dwarnings']",
        )
        .of_a_promise()
        .taking(30),
        Check::cargo(
            "clippy",
            Debug,
            &[Need::LINTER],
            format!("clippy --workspace --all-targets --features {FEATURES} {DENY_WARNINGS}"),
        )
        .taking(120),
        Check::cargo(
            "clippy, library and examples on the chip",
            Debug,
            &[Need::LINTER, CHIP],
            format!("clippy --lib --examples --target {} {DENY_WARNINGS}", CORTEX_M4F.target),
        )
        .taking(20),
        // The firmware is linted apart from the examples, because both have different panic handlers.
        Check::cargo(
            "clippy, firmware on the chip",
            Debug,
            &[Need::LINTER, CHIP],
            format!(
                "clippy --package eigenstream-firmware --features naive --target {} {DENY_WARNINGS}",
                CORTEX_M4F.target
            ),
        )
        .taking(20),
    ]
}

/// Checks on this computer with the crate optimised.
fn optimised() -> Vec<Check> {
    vec![
        Check::cargo(
            "a million samples, hostile input, the same bits on this computer",
            Lane::Harness,
            &[],
            "test --profile harness --package eigenstream-soak --package eigenstream-fuzz --package eigenstream-conformance",
        )
        .of_a_promise()
        .taking(90),
        Check::new("the figures of the papers", Lane::Harness, &[], figures::claims_hold)
            .of_a_promise()
            .taking(30),
        Check::new("the Python package, few sizes", Lane::Harness, &[], || {
            python::check(Extent::Few).map(drop)
        })
        .of_a_promise()
        .taking(120),
        Check::cargo(
            "tests of the tool and of the proofs",
            Lane::Harness,
            &[],
            "test --profile harness --features eigenstream-harness/few --package eigenstream-tool --package eigenstream-sizes --package eigenstream-front --package eigenstream-harness",
        )
        .taking(240),
    ]
}

/// The checks on one board: equal bits, and the examples if it is one of the three boards of the gate.
fn on_board(board: &'static Board) -> Vec<Check> {
    let needs = [Need::Target(board.target), Need::Emulator(board.emulator)];
    let runs = format!("examples on {} ({})", board.machine, board.core);
    let bits = format!("the same bits on {} ({})", board.machine, board.core);
    let [of_examples, of_bits] = [examples::linking(board), conformance::linking(board)].map(Lane::of);
    let bits = Check::new(bits, of_bits, &needs, || {
        conformance::matches_on_board(board, conformance::Digests::of_the_gate(board))
    });
    let runs = Check::new(runs, of_examples, &needs, || examples::match_on_board(board));
    // Both checks of the board of the README run also without an option.
    let is_first = board.core == CORTEX_M4F.core;
    let bits = bits.of_a_promise_if(is_first).taking(60);
    let runs = runs.of_a_promise_if(is_first).taking(60);
    [Some(bits), examples::is_in_the_gate(board).then_some(runs)]
        .into_iter()
        .flatten()
        .collect()
}

/// Checks of costs and real time with programs linked like a user's firmware, on the board of the README.
fn on_the_one_board() -> [Check; 4] {
    let check = |name: &str, work: fn() -> Result<()>| {
        let needs = [CHIP, Need::Emulator(CORTEX_M4F.emulator)];
        Check::new(name, Lane::Release, &needs, work).taking(20)
    };
    [
        check("W1 and W4 cost what is committed", bench::check_first_measurements)
            .of_a_promise()
            .taking(60),
        check("W2 and W3 cost what is committed", bench::check_other_measurements).taking(60),
        check("ten seconds at 1 kHz without a loss, and losses counted", || {
            board::matches("interrupt")
        }),
        check("the same with an executor", || board::matches("executor")),
    ]
}

/// This check builds for the board and for this computer. It is last, because then it rarely waits for one of the two
/// build directories.
fn replay() -> Check {
    let needs = [CHIP, Need::Emulator(CORTEX_M4F.emulator)];
    let name = "the chip's log replayed bit for bit";
    Check::new(name, Lane::Debug, &needs, board::log_is_replayed)
}

/// The proof in `f32`, at the smallest and the largest size, and its test with a planted panic. `cargo harness package`
/// runs the proof also at every size, and once in `f64`.
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
    let covers = optimisation == Optimisation::Size;
    [
        free.of_a_promise_if(covers).taking(100),
        planted.of_a_promise_if(covers).taking(5),
    ]
}

/// One build of [`Build::all`], at two sizes; `cargo harness package` checks all builds, most of them at every size.
fn other_build(build: Build) -> Check {
    let name = format!("no panic path, {}", build.words());
    Check::new(name, Lane::Proof, &[build.need()], move || build.is_free(Sizes::Ends)).taking(60)
}

/// A program in C, built around the archive by the cross compiler, has the bits of the crate. The archive links only if
/// no panic can be reached.
fn from_c(core: Core) -> Check {
    let name = format!("a C program has the bits of the crate, {}", core.words());
    let needs: Vec<Need> = core.target_need().into_iter().chain(core.needs()).collect();
    Check::new(name, Lane::Proof, &needs, move || c::same_bits(core))
        .of_a_promise_if(core == Core::CortexM4f)
        .taking(20)
}

fn on_foreign_processor(foreign: &'static Foreign) -> Check {
    let name = format!("the same bits on {} ({})", foreign.target, foreign.trait_of_it);
    Check::new(name, Lane::Optimised, &foreign.needs(), || {
        foreign.has_the_bits(Optimisation::Size, foreign.digests_of_the_gate())
    })
    .taking(40)
}

/// A program for a real chip builds, and takes the flash and RAM that the guide says, up to 2 %. `cargo harness
/// package` checks all chips.
fn on_chip(chip: &'static Chip) -> Check {
    let name = format!("the program for a real chip, {}", chip.name);
    Check::new(name, Lane::Chips, &chip.needs(), move || chips::check(chip).map(drop)).taking(30)
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
