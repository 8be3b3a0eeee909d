//! Hands the command line to another program of the workspace, which cargo builds first.
//! In: the arguments of this process. Out: whatever the other program prints, and its exit code.

use std::process::{Command as Process, ExitCode};

use anyhow::{Context, Result};
use clap::{Arg, Command};
use eigenstream_tool::{Verdict, exit_code};

use crate::cargo::root;

/// How the other program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    profile: &'static str,
    few: bool,
}

impl Build {
    /// A build that takes little time, with monitors of few sizes.
    pub const QUICK: Self = Self {
        profile: "harness",
        few: true,
    };
    /// A build with fast code and monitors of few sizes.
    pub const FAST: Self = Self {
        profile: "whole",
        few: true,
    };
    /// A build with fast code and monitors of every size.
    pub const EVERY_SIZE: Self = Self {
        profile: "whole",
        few: false,
    };
}

/// A verb of `tests/harness`.
pub struct Proof {
    /// The verb as typed.
    pub name: &'static str,
    /// The sentence about it in the list of verbs.
    pub about: &'static str,
    build: Build,
}

const fn proof(name: &'static str, about: &'static str, build: Build) -> Proof {
    Proof { name, about, build }
}

/// The verbs of `tests/harness`, in the order of its help.
pub const PROOFS: [Proof; 12] = [
    proof(
        "chips",
        "Builds the programs for real chips, and prints the flash and RAM that each takes",
        Build::QUICK,
    ),
    proof(
        "test",
        "Checks that the promises of the README hold here; with --all, everything that CI checks",
        Build::QUICK,
    ),
    proof(
        "golden",
        "Compares the results of the crate with the files of expected values in a folder",
        Build::QUICK,
    ),
    proof(
        "bench",
        "Counts instructions, stack, state and flash bytes on emulated boards",
        Build::QUICK,
    ),
    proof(
        "log",
        "Shows the log that an example writes through defmt on an emulated Cortex-M4F",
        Build::QUICK,
    ),
    proof(
        "soak",
        "Runs every learner over a long stream with faults, and checks its invariants",
        Build::QUICK,
    ),
    proof(
        "hunt",
        "Looks for a stream whose total loss is above the certified bound",
        Build::QUICK,
    ),
    proof(
        "fuzz",
        "Feeds hostile bytes and numbers to every learner, image and reader",
        Build::FAST,
    ),
    proof(
        "figures",
        "Draws the figures of the papers as SVG, PNG and CSV, and checks their numbers",
        Build::QUICK,
    ),
    proof(
        "evaluate",
        "Measures the monitor on recordings whose faults are known",
        Build::EVERY_SIZE,
    ),
    proof(
        "package",
        "Checks what a user gets from the registry, and the matrices of builds",
        Build::QUICK,
    ),
    proof(
        "python",
        "Builds the Python package as a wheel, and runs its tests",
        Build::QUICK,
    ),
];

impl Proof {
    /// The proof with this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PROOFS.iter().find(|proof| proof.name == name)
    }

    /// The verb as the help shows it. All arguments after it go to `tests/harness`, also `--help`.
    #[must_use]
    pub fn command(&self) -> Command {
        let rest = Arg::new("OPTIONS")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true);
        Command::new(self.name)
            .about(self.about)
            .disable_help_flag(true)
            .arg(rest)
    }

    /// Runs the verb in `tests/harness`.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        // The help does not depend on the build.
        let asks_for_help = std::env::args_os().any(|argument| argument == "--help" || argument == "-h");
        run(
            "eigenstream-harness",
            if asks_for_help { Build::QUICK } else { self.build },
        )
    }
}

/// Runs this command line in another build of this program.
#[must_use]
pub fn to_the_front(build: Build) -> ExitCode {
    run("eigenstream-front", build)
}

fn run(package: &str, build: Build) -> ExitCode {
    match status(package, build) {
        Ok(code) => code,
        Err(error) => exit_code(Err::<Verdict, _>(error)),
    }
}

fn status(package: &str, build: Build) -> Result<ExitCode> {
    // Cargo runs in the folder of the caller, because the paths in the command line are relative to it.
    let mut command = Process::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--profile", build.profile, "--package", package]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    if build.few {
        command.args(["--features", "few"]);
    }
    let status = command
        .arg("--")
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot start cargo: is it installed and in PATH?")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
