//! `demo`: the first example on an emulated microcontroller.
//! In: `examples/quickstart.rs`. Out: what it prints on a Cortex-M4F, or on this computer where there is no emulator.

use std::io::{self, Write};

use anyhow::Result;

use crate::Verdict;
use crate::cargo::{Optimisation, Program, build_image, cargo, finish};
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;
use crate::progress::Progress;

/// The example that the demo runs.
pub(crate) const EXAMPLE: &str = "quickstart";

/// Runs the first example on an emulated Cortex-M4F and shows what it prints.
///
/// Fetches the Rust target and QEMU when they are missing and may be installed; without them it says so and runs the
/// same program on this computer.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness demo")]
pub(crate) struct Arguments {
    /// Run on this computer, without an emulator.
    #[arg(long)]
    host: bool,
}

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let needs = [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)];
    let emulated = !arguments.host
        && match needs.into_iter().try_for_each(provide) {
            Ok(()) => true,
            Err(sentence) => {
                eprintln!("No emulated board: {sentence}. Running on this computer instead.");
                false
            }
        };
    let printed = if emulated { run_on_board()? } else { run_on_host()? };
    io::stdout().write_all(printed.as_bytes())?;
    Ok(Verdict::Holds)
}

fn run_on_board() -> Result<String> {
    let progress = Progress::begin(2);
    progress.doing(&format!("building examples/{EXAMPLE}.rs for {}", CORTEX_M4F.target));
    let image = build_image(Program::Example(EXAMPLE), &CORTEX_M4F, Optimisation::Speed)?;
    progress.done();
    progress.doing(&format!(
        "running it on QEMU's {} ({})",
        CORTEX_M4F.machine, CORTEX_M4F.core
    ));
    CORTEX_M4F.run(&image)
}

fn run_on_host() -> Result<String> {
    let progress = Progress::begin(1);
    progress.doing(&format!("building and running examples/{EXAMPLE}.rs on this computer"));
    finish(&mut cargo(&["run", "--example", EXAMPLE]))
}
