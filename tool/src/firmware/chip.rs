//! `new --chip`: a project for a real chip, with the program of `examples/chips`: HAL, log, saving and restoring. The crate
//! is in vendor/, so no path leads out of the folder.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::sized::Wanted;
use super::{IGNORED, VENDOR, inputs, make, slots, toolchain};
use crate::Verdict;
use crate::carried;
use crate::install::{Need, provide};
use crate::process::finish;
use crate::program::{self, cargo_in};
use crate::progress::Progress;

/// The chip of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Chip {
    /// An emulated Cortex-M4F.
    #[default]
    Qemu,
    /// nRF52840: embassy, SAADC.
    Nrf52840,
    /// STM32F411: stm32f4xx-hal, ADC in a timer interrupt.
    Stm32f411,
    /// RP2040: embassy, ADC.
    Rp2040,
}

/// The files of a chip, copied from `examples/chips`.
struct Files {
    /// Also part of the package name.
    name: &'static str,
    target: &'static str,
    manifest: &'static str,
    configuration: &'static str,
    build: &'static str,
    memory: &'static str,
    program: &'static str,
}

macro_rules! files {
    ($name:literal, $target:literal) => {
        Files {
            name: $name,
            target: $target,
            manifest: include_str!(concat!("../../../examples/chips/", $name, "/Cargo.toml")),
            configuration: include_str!(concat!("../../../examples/chips/", $name, "/.cargo/config.toml")),
            build: include_str!(concat!("../../../examples/chips/", $name, "/build.rs")),
            memory: include_str!(concat!("../../../examples/chips/", $name, "/memory.x")),
            program: include_str!(concat!("../../../examples/chips/", $name, "/src/main.rs")),
        }
    };
}

static NRF52840: Files = files!("nrf52840", "thumbv7em-none-eabihf");
static STM32F411: Files = files!("stm32f411", "thumbv7em-none-eabihf");
static RP2040: Files = files!("rp2040", "thumbv6m-none-eabi");

const WORKSPACE: &str = include_str!("../../../examples/chips/Cargo.toml");
const VERSIONS: &str = include_str!("../../../examples/chips/Cargo.lock");

impl Chip {
    fn files(self) -> Option<&'static Files> {
        match self {
            Self::Qemu => None,
            Self::Nrf52840 => Some(&NRF52840),
            Self::Stm32f411 => Some(&STM32F411),
            Self::Rp2040 => Some(&RP2040),
        }
    }

    /// `None` for the emulated chip.
    pub(super) fn begin(self, directory: &Path, wanted: &Wanted) -> Option<Result<Verdict>> {
        self.files().map(|files| files.begin(directory, wanted))
    }
}

impl Files {
    fn begin(&self, directory: &Path, wanted: &Wanted) -> Result<Verdict> {
        let most = inputs::most(self.name);
        if wanted.channels > most {
            bail!(
                "the {} has {most} analog inputs: ask for --channels {most} or fewer, and raise CHANNELS in src/watch.rs when \
                 src/main.rs reads other sensors too",
                self.name
            );
        }
        make(directory)?;
        carried::write(&directory.join(VENDOR))?;
        program::write(directory, self.project(wanted))?;
        let mut out = io::stdout();
        writeln!(
            out,
            "wrote a project for the {} to {}: src/main.rs reads the inputs, src/watch.rs has the monitor",
            self.name,
            directory.display()
        )?;
        match provide(Need::Target(self.target)) {
            Ok(()) => {
                self.build(directory)?;
                writeln!(out, "it builds")?;
            }
            Err(sentence) => eprintln!("Not built: {sentence}."),
        }
        writeln!(
            out,
            "`cargo run --release` there writes it to the board (cargo install probe-rs-tools --locked) and shows the log\n\
             now yours: the pins and the volts of a count (src/main.rs), the channels and the settings (src/watch.rs)"
        )?;
        Ok(Verdict::Holds)
    }

    /// Names and texts of the project's files.
    fn project(&self, wanted: &Wanted) -> [(&'static str, String); 9] {
        let (_, profile) = WORKSPACE.split_once("[profile.release]").unwrap_or_default();
        let manifest = self
            .manifest
            .replace(&format!("eigenstream-{}", self.name), "watch")
            .replace("version = \"0.0.0\"", "version = \"0.1.0\"")
            .replace("../../..", VENDOR);
        let manifest = format!(
            "{manifest}\n[profile.release]{profile}\n# No part of a workspace that may lie above it.\n[workspace]\n"
        );
        let program = inputs::program(self.name, self.program, wanted.channels);
        let program = program.replace("#[path = \"../../watch.rs\"]\n", "");
        let (program, memory) = slots::with_room(self.name, &program, self.memory, wanted.bytes());
        [
            ("Cargo.toml", manifest),
            ("Cargo.lock", VERSIONS.into()),
            ("rust-toolchain.toml", toolchain(self.target)),
            (".gitignore", IGNORED.into()),
            (".cargo/config.toml", self.configuration.into()),
            ("build.rs", self.build.into()),
            ("memory.x", memory),
            ("src/main.rs", program),
            ("src/watch.rs", wanted.watch()),
        ]
    }

    fn build(&self, directory: &Path) -> Result<()> {
        let progress = Progress::begin(1);
        progress.doing(&format!("building for the {}", self.name));
        finish(&mut cargo_in(directory, &["build", "--release"])).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sized::Options;
    use super::*;

    #[test]
    fn a_project_stands_alone() -> Result<()> {
        let wanted = Options::default().wanted()?;
        for chip in Chip::value_variants() {
            for (name, text) in chip.files().iter().flat_map(|files| files.project(&wanted)) {
                assert!(!text.contains("../"), "{chip:?}: {name} leads out of the folder");
                assert!(!text.contains("harness"), "{chip:?}: {name} speaks of the checkout");
            }
        }
        Ok(())
    }

    #[test]
    fn every_part_is_in_its_place() -> Result<()> {
        let wanted = Options::default().wanted()?;
        for files in Chip::value_variants().iter().filter_map(|chip| chip.files()) {
            let project = files.project(&wanted);
            let text = |wanted: &str| {
                let found = project.iter().find(|(name, _)| *name == wanted);
                found.map_or("", |(_, text)| text.as_str())
            };
            assert!(text("Cargo.toml").contains("eigenstream = { path = \"vendor/eigenstream\", features"));
            assert!(text("Cargo.toml").contains("name = \"watch\"") && text("Cargo.toml").ends_with("[workspace]\n"));
            assert!(text("Cargo.toml").contains("opt-level = \"s\""));
            assert!(text("src/main.rs").contains("\nmod watch;"));
            assert!(text("src/watch.rs").contains("pub static MONITOR"));
            assert!(text("rust-toolchain.toml").contains(files.target));
            assert!(text(".cargo/config.toml").contains("probe-rs run"));
        }
        Ok(())
    }
}
