//! The list of checks. A new one is one line here.

use std::process::Command;

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::{data, examples, no_panic};
use crate::cargo::{Optimisation, Program, build_image, cargo, finish, root};
use crate::demo::EXAMPLE;
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
}

/// Release tests on this computer are about the optimiser, not about linking: whole-program optimisation would only
/// cost minutes, and a test needs unwinding.
pub(super) const HOST_RELEASE: [&str; 7] = [
    "--release",
    "--config",
    "profile.release.lto=false",
    "--config",
    "profile.release.codegen-units=16",
    "--config",
    "profile.release.panic='unwind'",
];

/// Every check, the quickest to fail first.
pub(super) fn all() -> Vec<Check> {
    use Tier::{Full, Quick};
    const CHIP: Need = Need::Target(CORTEX_M4F.target);
    let mut checks = vec![
        Check::new("format", Quick, &[Need::FORMATTER], || {
            passes(&mut cargo(&["fmt", "--all", "--check"]))
        }),
        Check::new("tests/data stands alone", Quick, &[], data::stands_alone),
        Check::new("golden files, f32 and f64", Quick, &[], golden_files),
        Check::new("clippy", Quick, &[Need::LINTER], || {
            clippy(&["--workspace", "--all-targets"])
        }),
        Check::new("tests, debug", Quick, &[], || passes(&mut cargo(&["test"]))),
        Check::new("clippy, all features", Full, &[Need::LINTER], || {
            clippy(&["--workspace", "--all-targets", "--all-features"])
        }),
        Check::new(
            "clippy, library and examples on the chip",
            Full,
            &[Need::LINTER, CHIP],
            || clippy(&["--lib", "--examples", "--target", CORTEX_M4F.target]),
        ),
        Check::new("clippy, firmware on the chip", Full, &[Need::LINTER, CHIP], || {
            clippy(&["--package", "eigenstream-firmware", "--target", CORTEX_M4F.target])
        }),
        Check::new("tests, debug, all features", Full, &[], || {
            passes(&mut cargo(&["test", "--all-features"]))
        }),
        Check::new("tests, release, all features", Full, &[], || {
            passes(cargo(&["test", "--all-features"]).args(HOST_RELEASE))
        }),
        Check::new("tests of the harness", Full, &[], || {
            passes(&mut cargo(&[
                "test",
                "--profile",
                "harness",
                "--package",
                "eigenstream-harness",
            ]))
        }),
        Check::new("documentation", Full, &[], || {
            passes(cargo(&["doc", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-Dwarnings"))
        }),
        Check::new("examples on this computer, debug", Full, &[], || {
            examples::match_on_host(&[])
        }),
        Check::new("examples on this computer, release", Full, &[], || {
            examples::match_on_host(&HOST_RELEASE)
        }),
    ];
    for board in &BOARDS {
        let needs = [Need::Target(board.target), Need::Emulator(board.emulator)];
        let [target, _] = needs;
        let (machine, core) = (board.machine, board.core);
        checks.push(Check::new(
            format!("{EXAMPLE} links for {machine} ({})", board.target),
            Full,
            &[target],
            || link_example(board),
        ));
        checks.push(Check::new(
            format!("examples on {machine} ({core})"),
            Full,
            &needs,
            || examples::match_on_board(board),
        ));
    }
    for optimisation in Optimisation::ALL {
        let level = optimisation.level();
        checks.push(Check::new(
            format!("no panic path, opt-level {level}"),
            Full,
            &[CHIP],
            move || no_panic::image_is_free(optimisation),
        ));
        checks.push(Check::new(
            format!("a planted panic is caught, opt-level {level}"),
            Full,
            &[CHIP],
            move || no_panic::planted_panic_is_caught(optimisation),
        ));
    }
    checks
}

fn passes(command: &mut Command) -> Result<()> {
    finish(command).map(drop)
}

fn clippy(selection: &[&str]) -> Result<()> {
    passes(cargo(&["clippy"]).args(selection).args(["--", "--deny", "warnings"]))
}

fn link_example(board: &Board) -> Result<()> {
    build_image(Program::Example(EXAMPLE), board, Optimisation::Speed).map(drop)
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
