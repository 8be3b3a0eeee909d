//! `demo`: a monitor on an emulated microcontroller watches a motor, and this computer shows what it says.
//! In: `tests/firmware/src/bin/demo.rs`, which simulates a motor with sensors and faults from a seed. Out: a log while
//! it runs, a table of the faults found, a picture, and the readings of the sensors as a recording.

mod log;
mod picture;
mod tape;

use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};

use eigenstream_tool::Verdict;
use eigenstream_tool::install::{Need, provide};
use eigenstream_tool::machine::{CORTEX_M4F, stream};
use eigenstream_tool::plot::files;
use eigenstream_tool::progress::Progress;

use crate::cargo::{Optimisation, Program, build_image, cargo, finish, pictures, root};
use log::Log;
use tape::Tape;

/// The program that the demo runs.
const PROGRAM: &str = "demo";
/// The package of this program.
const PACKAGE: &str = "eigenstream-firmware";

/// The file with the readings of the sensors, for `replay` and `tune`.
const RECORDING: &str = "motor.csv";

/// Lets an emulated Cortex-M4F watch a motor: it learns, calibrates, raises alarms and says which sensor is to blame.
///
/// The motor, its six sensors, a loose plug, idle time and three faults are simulated on the chip from a seed. Fetches
/// the Rust target and QEMU when they are missing and may be installed; without them the command says so and runs the
/// same program on this computer. Writes a picture to target/harness/demo.svg and .png, the numbers in it to demo.csv,
/// and the readings of the sensors to motor.csv, which `replay` and `tune` read.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness demo")]
pub struct Arguments {
    /// Run on this computer, without an emulator.
    #[arg(long)]
    host: bool,
}

/// Runs `demo`. It holds if every fault was found in time, stayed in alarm and was always blamed on its channel, and no
/// alarm came without a fault.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let needs = [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)];
    let emulated = !arguments.host
        && match needs.into_iter().try_for_each(provide) {
            Ok(()) => true,
            Err(sentence) => {
                eprintln!("No emulated board: {sentence}. Running on this computer instead.");
                false
            }
        };
    let place = if emulated { board() } else { "this computer".to_owned() };
    let mut command = if emulated { on_board()? } else { on_host()? };
    let mut out = io::stdout();
    writeln!(
        out,
        "A motor with six sensors, watched by a monitor on {place}, ten samples a second:"
    )?;
    let mut tape = Tape::default();
    let mut log = Log::default();
    let mut written = Ok(());
    stream(&mut command, |line| {
        if let Some(event) = tape.read(line).and_then(|sample| log.line(&tape, &sample)) {
            written = writeln!(out, "{event}").and_then(|()| out.flush());
        }
    })?;
    written?;
    let directory = root().join("target/harness");
    files::write(&picture::chart(&tape, &place), &directory, PROGRAM)?;
    let (table, failures) = log::table(&tape);
    fs::write(directory.join(RECORDING), tape.recording()).with_context(|| format!("cannot write {RECORDING}"))?;
    writeln!(
        out,
        "\n{table}\nThe picture is target/harness/demo.png, what the sensors read target/harness/{RECORDING}"
    )?;
    Ok(Verdict::of_failures(failures))
}

/// Fails if a fault of the demo is not found and blamed right, or if the README's picture differs from that of a run on
/// this computer, which prints the same bits as the board.
pub fn check_picture() -> Result<()> {
    let mut tape = Tape::default();
    stream(&mut on_host()?, |line| drop(tape.read(line)))?;
    let (table, failures) = log::table(&tape);
    if failures > 0 {
        bail!("the demo misses a fault, blames the wrong channel or alarms without a fault:\n{table}");
    }
    let directory = root().join("target/harness/checked");
    files::write_picture(&picture::chart(&tape, &board()), &directory, PROGRAM)?;
    let [drawn, shown] = [directory, pictures()].map(|directory| fs::read(directory.join("demo.png")));
    if drawn? != shown? {
        bail!(
            "examples/figures/demo.png differs from the picture that `demo` draws: copy target/harness/checked/demo.png there"
        );
    }
    Ok(())
}

fn board() -> String {
    format!("QEMU's {} ({})", CORTEX_M4F.machine, CORTEX_M4F.core)
}

fn on_board() -> Result<std::process::Command> {
    let progress = Progress::begin(1);
    progress.doing(&format!("building {PROGRAM} for {}", CORTEX_M4F.target));
    let image = build_image(Program::Firmware(PROGRAM), &CORTEX_M4F, Optimisation::Speed)?;
    Ok(CORTEX_M4F.command(&image))
}

fn on_host() -> Result<std::process::Command> {
    let progress = Progress::begin(1);
    progress.doing(&format!("building {PROGRAM} for this computer"));
    // These are the features of the tests, so that the dependencies are built only once.
    let program = [
        "--package",
        PACKAGE,
        "--bin",
        PROGRAM,
        "--features",
        "eigenstream/defmt",
    ];
    finish(cargo(&["build"]).args(program))?;
    let mut command = cargo(&["run", "--quiet"]);
    command.args(program);
    Ok(command)
}
