//! Verbs that need every size of the table, in a host tool that was built with few of them.
//! In: the command line. Out: what the whole host tool prints for it, and its exit code. The first time cargo builds that tool.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::Verdict;
use crate::cargo::root;

/// Runs this command line with every size.
pub(crate) fn hand_over() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => crate::exit_code(Err::<Verdict, _>(error)),
    }
}

fn run() -> Result<ExitCode> {
    eprintln!("this verb takes the table with every size: the first time that takes some minutes to build");
    // In the folder of the caller, whose paths are in the command line.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args([
        "run",
        "--quiet",
        "--profile",
        "harness",
        "--package",
        "eigenstream-harness",
    ]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    let status = command
        .arg("--")
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot start cargo: is it installed and in PATH?")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
