//! The `eigenstream` command.
//! In: a verb and its options. Out: printed text; exit code 0 if every check passed, 1 if a check failed or the verb returned an
//! error, 2 for wrong usage or if there was nothing to check.

use std::process::ExitCode;

use clap::Parser;
use eigenstream_tool::{Verb, exit_code};

/// Watches recordings with the monitor of the chip, tunes the monitor, prints its cost and creates firmware projects.
#[derive(Parser)]
#[command(name = "eigenstream", version, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

fn main() -> ExitCode {
    exit_code(CommandLine::parse().verb.run())
}
