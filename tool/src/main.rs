//! The `eigenstream` command.
//! In: a verb and its options. Out: what the verb prints; exit code 0 when it holds, 1 when it does not, 2 for wrong usage or when there
//! was nothing to look at.

use std::process::ExitCode;

use clap::Parser;
use eigenstream_tool::{Verb, exit_code};

/// Watches recordings with the monitor that runs on the chip, tunes it, says what it costs and begins firmware.
#[derive(Parser)]
#[command(name = "eigenstream", version, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

fn main() -> ExitCode {
    exit_code(CommandLine::parse().verb.run())
}
