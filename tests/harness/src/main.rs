//! The proofs of eigenstream: `cargo harness VERB` builds this program for the verbs that it has.
//! In: a verb and its options. Out: the printed text of the verb; exit code 0 if the verb succeeds, 1 if it fails, 2
//! for wrong usage.
//! Every verb is one module with its own `Arguments` and `run`.

mod bench;
mod c;
mod chips;
mod evaluate;
mod figures;
mod fuzz;
mod gate;
mod golden;
mod hunt;
mod image;
mod log;
mod package;
mod partition;
mod product;
mod python;
mod soak;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use eigenstream_front::{cargo, demo};
use eigenstream_tool::{
    Verdict, exit_code, firmware, inspect, install, machine, plot, progress, recording, tune, watching,
};

/// Proves and measures eigenstream on this computer and on emulated microcontrollers.
#[derive(Parser)]
#[command(name = "harness", bin_name = "cargo harness", max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Chips(chips::Arguments),
    Test(gate::Arguments),
    Golden(golden::Arguments),
    Bench(bench::Arguments),
    Log(log::Arguments),
    Soak(soak::Arguments),
    Hunt(hunt::Arguments),
    Fuzz(fuzz::Arguments),
    Figures(figures::Arguments),
    Evaluate(evaluate::Arguments),
    Package(package::Arguments),
    Python(python::Arguments),
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().verb {
        Verb::Chips(arguments) => chips::run(&arguments),
        Verb::Test(arguments) => gate::run(&arguments),
        Verb::Golden(arguments) => golden::run(&arguments),
        Verb::Bench(arguments) => bench::run(&arguments),
        Verb::Log(arguments) => log::run(&arguments),
        Verb::Soak(arguments) => soak::run(&arguments),
        Verb::Hunt(arguments) => hunt::run(&arguments),
        Verb::Fuzz(arguments) => fuzz::run(&arguments),
        Verb::Figures(arguments) => figures::run(&arguments),
        Verb::Evaluate(arguments) => evaluate::run(&arguments),
        Verb::Package(arguments) => package::run(&arguments),
        Verb::Python(arguments) => python::run(&arguments),
    };
    exit_code(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use eigenstream_front::hand_over::PROOFS;

    #[test]
    fn the_front_hands_over_every_verb() {
        let command = CommandLine::command();
        let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(verbs, PROOFS.map(|proof| proof.name));
    }
}
