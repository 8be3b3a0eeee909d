//! Host tool of eigenstream, run as `cargo harness <verb>`.
//! In: a verb and its options. Out: what the verb prints; exit code 0 when it holds, 1 when it does not, 2 for wrong usage.
//! Every verb is one module with its own `Arguments` and `run`; this file only tells them apart.

mod bench;
mod budget;
mod c;
mod cargo;
mod demo;
mod evaluate;
mod figures;
mod firmware;
mod fit;
mod fuzz;
mod gate;
mod golden;
mod hunt;
mod image;
mod inspect;
mod install;
mod log;
mod machine;
mod package;
mod partition;
mod plot;
mod progress;
mod recording;
mod replay;
mod soak;
mod tune;
mod watching;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, proves and measures eigenstream on this computer and on emulated microcontrollers.
#[derive(Parser)]
#[command(name = "harness", bin_name = "cargo harness", max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Demo(demo::Arguments),
    New(firmware::Arguments),
    C(c::Arguments),
    Test(gate::Arguments),
    Golden(golden::Arguments),
    Bench(bench::Arguments),
    Budget(budget::Arguments),
    Log(log::Arguments),
    Soak(soak::Arguments),
    Hunt(hunt::Arguments),
    Fuzz(fuzz::Arguments),
    Inspect(inspect::Arguments),
    Fit(fit::Arguments),
    Figures(figures::Arguments),
    Replay(replay::Arguments),
    Tune(tune::Arguments),
    Evaluate(evaluate::Arguments),
    Package(package::Arguments),
}

/// What a verb found out, when it could do its work at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Everything that was looked at is as it should be.
    Holds,
    /// Something is not; the verb has said what.
    Broken,
}

impl Verdict {
    fn of_failures(failures: usize) -> Self {
        if failures == 0 { Self::Holds } else { Self::Broken }
    }
}

fn main() -> ExitCode {
    let outcome = match CommandLine::parse().verb {
        Verb::Demo(arguments) => demo::run(&arguments),
        Verb::New(arguments) => firmware::run(&arguments),
        Verb::C(arguments) => c::run(&arguments),
        Verb::Test(arguments) => gate::run(&arguments),
        Verb::Golden(arguments) => golden::run(&arguments),
        Verb::Bench(arguments) => bench::run(&arguments),
        Verb::Budget(arguments) => budget::run(&arguments),
        Verb::Log(arguments) => log::run(&arguments),
        Verb::Soak(arguments) => soak::run(&arguments),
        Verb::Hunt(arguments) => hunt::run(&arguments),
        Verb::Fuzz(arguments) => fuzz::run(&arguments),
        Verb::Inspect(arguments) => inspect::run(&arguments),
        Verb::Fit(arguments) => fit::run(&arguments),
        Verb::Figures(arguments) => figures::run(&arguments),
        Verb::Replay(arguments) => replay::run(&arguments),
        Verb::Tune(arguments) => tune::run(&arguments),
        Verb::Evaluate(arguments) => evaluate::run(&arguments),
        Verb::Package(arguments) => package::run(&arguments),
    };
    match outcome {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Broken) => ExitCode::FAILURE,
        Err(error) => {
            // A reader that closed the pipe (`| head`) has seen what it wanted: no message then.
            let pipe_closed = error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
            if !pipe_closed {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}
