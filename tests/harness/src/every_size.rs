//! Verbs that need every size of the table or fast code, in a host tool that is built in little time.
//! In: the command line. Out: what the host tool of the profile `whole` prints for it, and its exit code. The first time cargo builds that
//! tool.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::Verdict;
use crate::cargo::root;

/// Set for the process that is handed the command line.
const HANDED_OVER: &str = "EIGENSTREAM_HANDED_OVER";

/// The build of the host tool that a verb needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Any build does.
    Nothing,
    /// Code that is built for speed, with the few sizes of the gate.
    Speed,
    /// Every size of the table.
    EverySize,
}

impl Need {
    /// Whether this process lacks it.
    pub(crate) fn is_lacking(self) -> bool {
        cfg!(feature = "few") && self != Self::Nothing && std::env::var_os(HANDED_OVER).is_none()
    }
}

/// Runs this command line in the host tool that has what is needed.
pub(crate) fn hand_over(need: Need) -> ExitCode {
    match run(need) {
        Ok(code) => code,
        Err(error) => crate::exit_code(Err::<Verdict, _>(error)),
    }
}

fn run(need: Need) -> Result<ExitCode> {
    eprintln!("this verb takes a host tool built for speed: the first time that takes some minutes to build");
    // In the folder of the caller, whose paths are in the command line.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args([
        "run",
        "--quiet",
        "--profile",
        "whole",
        "--package",
        "eigenstream-harness",
    ]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml"));
    if need == Need::Speed {
        command.args(["--features", "few"]);
    }
    let status = command
        .env(HANDED_OVER, "1")
        .arg("--")
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot start cargo: is it installed and in PATH?")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
