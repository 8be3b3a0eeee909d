//! The list of checks. A new one is one line here: `Check::cargo` for a command, `Check::new` for a function.

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::no_panic::Number;
use super::{board, conformance, coverage, data, examples, no_panic};
use crate::bench;
use crate::cargo::{Optimisation, cargo, finish, root};
use crate::golden::{self, FileReport, Precision};
use crate::install::Need;
use crate::machine::{BOARDS, Board, CORTEX_M4F};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// Always: seconds, and this computer alone.
    Quick,
    /// Only without `--quick`.
    Full,
}

/// Something that must hold.
pub(super) struct Check {
    /// What is shown.
    pub(super) name: String,
    /// When it runs.
    pub(super) tier: Tier,
    /// Without these it cannot run.
    pub(super) needs: Vec<Need>,
    /// Does the work; the error is what is shown when it fails.
    pub(super) work: Box<dyn Fn() -> Result<()>>,
}

impl Check {
    fn new(name: impl Into<String>, tier: Tier, needs: &[Need], work: impl Fn() -> Result<()> + 'static) -> Self {
        Self {
            name: name.into(),
            tier,
            needs: needs.to_vec(),
            work: Box::new(work),
        }
    }

    /// A check that is one run of cargo, written as one would type it.
    fn cargo(name: &str, tier: Tier, needs: &[Need], typed: impl Into<String>) -> Self {
        let typed = typed.into();
        Self::new(name, tier, needs, move || {
            let words: Vec<&str> = typed.split_whitespace().collect();
            finish(&mut cargo(&words)).map(drop)
        })
    }
}

/// Release programs on this computer are about the optimiser, not about linking: whole-program optimisation would only
/// cost minutes, and a test needs unwinding.
const HOST_RELEASE: &str = "--release --config profile.release.lto=false --config profile.release.codegen-units=16 \
    --config profile.release.panic='unwind'";

/// Every check, the quickest to fail first.
pub(super) fn all() -> Vec<Check> {
    let mut checks = on_this_computer();
    checks.extend(clippy_for_the_chip());
    checks.extend(BOARDS.iter().flat_map(on_board));
    checks.extend(Optimisation::ALL.into_iter().flat_map(panic_proof));
    checks.extend(on_the_one_board());
    checks
}

fn on_this_computer() -> Vec<Check> {
    use Tier::{Full, Quick};
    let lints = "clippy --workspace --all-targets";
    vec![
        Check::cargo("format", Quick, &[Need::FORMATTER], "fmt --all --check"),
        Check::new("tests/data stands alone", Quick, &[], data::stands_alone),
        Check::new("golden files, f32 and f64", Quick, &[], golden_files),
        Check::cargo("clippy", Quick, &[Need::LINTER], format!("{lints} {DENY_WARNINGS}")),
        Check::new(
            "the README shows the committed measurements",
            Quick,
            &[],
            bench::check_readme,
        ),
        Check::new(
            "the no-panic image calls every public function",
            Quick,
            &[],
            coverage::is_complete,
        ),
        Check::cargo("tests, debug", Quick, &[], "test"),
        Check::cargo(
            "clippy, all features",
            Full,
            &[Need::LINTER],
            format!("{lints} --all-features {DENY_WARNINGS}"),
        ),
        Check::cargo("tests, debug, all features", Full, &[], "test --all-features"),
        Check::cargo(
            "tests, release, all features",
            Full,
            &[],
            format!("test --all-features {HOST_RELEASE}"),
        ),
        Check::cargo(
            "tests of the harness, a million steps, hostile input",
            Full,
            &[],
            "test --profile harness --package eigenstream-harness --package eigenstream-soak --package eigenstream-fuzz --package eigenstream-conformance",
        ),
        Check::cargo(
            "documentation",
            Full,
            &[],
            "doc --no-deps --all-features --config build.rustdocflags=['-Dwarnings']",
        ),
        Check::new("examples on this computer, debug", Full, &[], || {
            examples::match_on_host("")
        }),
        Check::new("examples on this computer, release", Full, &[], || {
            examples::match_on_host(HOST_RELEASE)
        }),
        Check::new("the same bits on this computer, debug and release", Full, &[], || {
            conformance::matches_on_host(HOST_RELEASE)
        }),
    ]
}

/// What follows a clippy command.
const DENY_WARNINGS: &str = "-- --deny warnings";

/// The core library of the board that the firmware is written for.
const CHIP: Need = Need::Target(CORTEX_M4F.target);

fn clippy_for_the_chip() -> [Check; 2] {
    let needs = [Need::LINTER, CHIP];
    let typed = |selection| format!("clippy {selection} --target {} {DENY_WARNINGS}", CORTEX_M4F.target);
    [
        Check::cargo(
            "clippy, library and examples on the chip",
            Tier::Full,
            &needs,
            typed("--lib --examples"),
        ),
        Check::cargo(
            "clippy, firmware on the chip",
            Tier::Full,
            &needs,
            typed("--package eigenstream-firmware"),
        ),
    ]
}

fn on_board(board: &'static Board) -> [Check; 3] {
    let (target, emulator) = (Need::Target(board.target), Need::Emulator(board.emulator));
    let links = format!("examples link for {} ({})", board.machine, board.target);
    let runs = format!("examples on {} ({})", board.machine, board.core);
    let bits = format!("the same bits on {} ({})", board.machine, board.core);
    [
        Check::new(links, Tier::Full, &[target], || examples::link(board)),
        Check::new(runs, Tier::Full, &[target, emulator], || {
            examples::match_on_board(board)
        }),
        Check::new(bits, Tier::Full, &[target, emulator], || {
            conformance::matches_on_board(board)
        }),
    ]
}

/// Real time and the log, on the board that every instruction is counted on.
fn on_the_one_board() -> [Check; 6] {
    let check = |name: &str, work: fn() -> Result<()>| {
        let needs = [CHIP, Need::Emulator(CORTEX_M4F.emulator)];
        Check::new(name, Tier::Full, &needs, work)
    };
    [
        check("ten seconds at 1 kHz without a loss, and losses counted", || {
            board::matches("interrupt")
        }),
        check("the chip's log replayed bit for bit", board::log_is_replayed),
        check("the same with an executor", || board::matches("executor")),
        check("the defmt log read", board::log_is_readable),
        check("no trace of defmt where it is off", board::log_leaves_no_trace),
        check("every workload costs what is committed", bench::check_measurements),
    ]
}

fn panic_proof(optimisation: Optimisation) -> [Check; 3] {
    let level = optimisation.level();
    let caught = format!("a planted panic is caught, opt-level {level}");
    let [single, double] = Number::ALL.map(|number| {
        let free = format!("no panic path, {}, opt-level {level}", number.name());
        Check::new(free, Tier::Full, &[CHIP], move || {
            no_panic::image_is_free(optimisation, number)
        })
    });
    [
        single,
        double,
        Check::new(caught, Tier::Full, &[CHIP], move || {
            no_panic::planted_panic_is_caught(optimisation)
        }),
    ]
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
