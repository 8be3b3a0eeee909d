//! `log`: runs `examples/board/src/bin/logging.rs` on an emulated Cortex-M4F and prints its defmt log as text.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::cargo::{Linking, Optimisation, Program, cargo, finish, link_image};
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;

/// Runs the example that logs through defmt on an emulated Cortex-M4F, and shows the log and its size on the wire.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness log")]
pub(crate) struct Arguments {}

/// Runs `log`.
pub(crate) fn run(_: &Arguments) -> Result<Verdict> {
    for need in [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)] {
        provide(need).map_err(anyhow::Error::msg)?;
    }
    io::stdout().write_all(decoded()?.as_bytes())?;
    Ok(Verdict::Holds)
}

/// Builds the example with the log compiled in.
pub(crate) fn image() -> Result<PathBuf> {
    let level = [("DEFMT_LOG", "info")];
    link_image(
        Program::Logging,
        &CORTEX_M4F,
        Optimisation::Size,
        Linking::Crates,
        &level,
    )
}

pub(crate) fn decoded() -> Result<String> {
    let image = image()?;
    read(&image, &CORTEX_M4F.run_for_bytes(&image)?)
}

fn read(image: &Path, sent: &[u8]) -> Result<String> {
    const PACKAGE: &str = "eigenstream-log-reader";
    // The reader is built first, so that the messages of cargo do not mix with its output.
    finish(&mut cargo(&["build", "--package", PACKAGE]))?;
    let mut reader = cargo(&["run", "--quiet", "--package", PACKAGE, "--"])
        .arg(image)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    if let Some(mut input) = reader.stdin.take() {
        input.write_all(sent)?;
    }
    let output = reader.wait_with_output()?;
    if !output.status.success() {
        bail!("the log of {} cannot be read", image.display());
    }
    Ok(String::from_utf8(output.stdout)?)
}
