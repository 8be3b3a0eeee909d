//! `cargo harness VERB`: runs the verbs of the tool and the demo, and hands every other verb to the proofs in `tests/harness`.
//! In: a verb and its options. Out: the printed text of the verb; exit code 0 when it holds, 1 when it does not, 2 for wrong
//! usage or if there was nothing to check.
//! The proofs take longer to build than this program, so `new`, `c`, `budget` and `demo` start sooner.

use std::process::ExitCode;

use clap::{Command, FromArgMatches, Subcommand};
use eigenstream_front::demo;
use eigenstream_front::hand_over::{self, Build};
use eigenstream_tool::{Verb as ToolVerb, exit_code};

#[derive(Subcommand)]
enum Verb {
    #[command(flatten)]
    Tool(Box<ToolVerb>),
    Demo(demo::Arguments),
}

impl Verb {
    /// Whether the verb needs monitors of every size, which are compiled in only without the feature `few`.
    fn needs_every_size(&self) -> bool {
        let Self::Tool(verb) = self else { return false };
        matches!(**verb, ToolVerb::Replay(_) | ToolVerb::Tune(_) | ToolVerb::Merge(_))
    }

    fn run(&self) -> ExitCode {
        if cfg!(feature = "few") && self.needs_every_size() {
            return hand_over::to_the_front(Build::EVERY_SIZE);
        }
        exit_code(match self {
            Self::Tool(verb) => verb.run(),
            Self::Demo(arguments) => demo::run(arguments),
        })
    }
}

fn main() -> ExitCode {
    let command = Command::new("harness")
        .bin_name("cargo harness")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true);
    let matches = Verb::augment_subcommands(command)
        .about("Builds, proves and measures eigenstream on this computer and on emulated microcontrollers")
        .subcommands(hand_over::PROOFS.iter().map(hand_over::Proof::command))
        .get_matches();
    match matches.subcommand_name().and_then(hand_over::Proof::named) {
        Some(proof) => proof.run(),
        None => match Verb::from_arg_matches(&matches) {
            Ok(verb) => verb.run(),
            Err(error) => error.exit(),
        },
    }
}
