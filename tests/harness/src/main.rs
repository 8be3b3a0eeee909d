//! Host tool of eigenstream, run as `cargo harness <verb>`.
//! In: a verb and its options. Out: what the verb prints; exit code 0 when it holds, 1 when it does not, 2 for wrong usage.
//! Every verb is one module with its own `Arguments` and `run`; this file only tells them apart.

mod bench;
mod c;
mod cargo;
mod chips;
mod demo;
mod evaluate;
mod every_size;
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
use eigenstream_tool::{
    Verb as ToolVerb, Verdict, exit_code, firmware, inspect, install, machine, plot, progress, recording, tune,
    watching,
};
use every_size::Need;

/// Builds, proves and measures eigenstream on this computer and on emulated microcontrollers.
#[derive(Parser)]
#[command(name = "harness", bin_name = "cargo harness", max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    #[command(flatten)]
    Tool(ToolVerb),
    Demo(demo::Arguments),
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

impl Verb {
    /// A verb that watches any recording needs every size; hostile input is tried as often as a minute allows.
    const fn need(&self) -> Need {
        match self {
            Self::Tool(ToolVerb::Replay(_) | ToolVerb::Tune(_) | ToolVerb::Merge(_)) | Self::Evaluate(_) => {
                Need::EverySize
            }
            Self::Fuzz(_) => Need::Speed,
            _ => Need::Nothing,
        }
    }
}

fn main() -> ExitCode {
    let verb = CommandLine::parse().verb;
    let need = verb.need();
    if need.is_lacking() {
        return every_size::hand_over(need);
    }
    let outcome = match verb {
        Verb::Tool(verb) => verb.run(),
        Verb::Demo(arguments) => demo::run(&arguments),
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
