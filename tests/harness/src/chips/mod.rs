//! `chips`: builds and lints the programs in `examples/chips`, and prints the flash and RAM of each.
//! `--save` writes the table of the guide `board`; without it the command fails if a size differs from the table by
//! more than 2 %.

mod sizes;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::cargo::{cargo, executable, finish, root};
use crate::install::{Need, provide};
use crate::progress::Progress;
use sizes::Sizes;

/// The manifest of the programs in `examples/chips`, which are a separate workspace.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/chips/Cargo.toml");

/// Builds the programs for real chips, and prints the flash and RAM of each.
///
/// Installs targets and fetches crates if allowed. Writes nothing to a chip.
#[derive(clap::Args)]
#[command(after_help = "Examples: cargo harness chips; cargo harness chips rp2040; cargo harness chips --save")]
pub(crate) struct Arguments {
    /// One of nrf52840, stm32f411, rp2040 and esp32c3; all if not given.
    name: Option<String>,
    /// Write the sizes to the table of the guide `board`.
    #[arg(long)]
    save: bool,
}

/// A chip with a program.
#[derive(Debug)]
pub(crate) struct Chip {
    pub(crate) name: &'static str,
    target: &'static str,
    words: &'static str,
    program: &'static str,
}

/// Every chip with a program.
pub(crate) static CHIPS: [Chip; 4] = [
    Chip {
        name: "nrf52840",
        target: "thumbv7em-none-eabihf",
        words: "nRF52840, Cortex-M4F",
        program: "embassy-nrf: SAADC, RTT",
    },
    Chip {
        name: "stm32f411",
        target: "thumbv7em-none-eabihf",
        words: "STM32F411, Cortex-M4F",
        program: "stm32f4xx-hal: ADC in a timer interrupt, RTT",
    },
    Chip {
        name: "rp2040",
        target: "thumbv6m-none-eabi",
        words: "RP2040, Cortex-M0+",
        program: "embassy-rp: ADC, RTT",
    },
    Chip {
        name: "esp32c3",
        target: "riscv32imc-unknown-none-elf",
        words: "ESP32-C3, RISC-V",
        program: "esp-hal: ADC, serial",
    },
];

impl Chip {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        CHIPS.iter().find(|chip| chip.name == name)
    }

    pub(crate) fn needs(&self) -> [Need; 3] {
        [Need::LINTER, Need::Target(self.target), Need::Crates(WORKSPACE)]
    }

    fn folder(&self) -> PathBuf {
        root().join("examples/chips").join(self.name)
    }

    /// A command that runs cargo in the folder of the program, because that folder has its own `.cargo/config.toml`.
    fn cargo(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = cargo(arguments);
        command.args(["--release", "--locked", "--target-dir"]);
        command.arg(root().join("target/chips")).current_dir(self.folder());
        // Debug information changes neither flash nor RAM, so none is built.
        command.env("CARGO_PROFILE_RELEASE_DEBUG", "0");
        command
    }

    pub(crate) fn build(&self) -> Result<Sizes> {
        let messages = finish(&mut self.cargo(&["build", "--message-format", "json-render-diagnostics"]))?;
        let program = format!("eigenstream-{}", self.name);
        let image = executable(&messages, &program).with_context(|| format!("cargo built no program {program}"))?;
        Sizes::of(&image)
    }

    pub(crate) fn lint(&self) -> Result<()> {
        finish(self.cargo(&["clippy"]).args(["--", "--deny", "warnings"])).map(drop)
    }
}

/// Builds the program of a chip and compares its sizes with the table of the guide.
pub(crate) fn check(chip: &Chip) -> Result<String> {
    let sizes = chip.build()?;
    table::check(chip, sizes)?;
    Ok(format!("{} {sizes}", chip.name))
}

/// Builds, lints and compares the programs of all chips; returns their sizes.
pub(crate) fn check_all() -> Result<String> {
    let found: Result<Vec<String>> = CHIPS
        .iter()
        .map(|chip| {
            chip.lint()?;
            check(chip)
        })
        .collect();
    Ok(found?.join("; "))
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let chips: Vec<&Chip> = match &arguments.name {
        None => CHIPS.iter().collect(),
        Some(name) => match Chip::named(name) {
            Some(chip) => vec![chip],
            None => bail!(
                "no program for `{name}`: take {}",
                CHIPS.each_ref().map(|chip| chip.name).join(", ")
            ),
        },
    };
    let progress = Progress::begin(chips.len());
    let mut failures = 0;
    for chip in chips {
        progress.doing(chip.name);
        if let Some(sentence) = chip.needs().into_iter().find_map(|need| provide(need).err()) {
            bail!("{sentence}");
        }
        chip.lint()?;
        let sizes = chip.build()?;
        let complaint = match arguments.save {
            true => table::save(chip, sizes).map(|()| String::new())?,
            false => table::check(chip, sizes).map_or_else(|error| format!(": {error:#}"), |()| String::new()),
        };
        failures += usize::from(!complaint.is_empty());
        progress.aside(|| writeln!(io::stdout(), "{:10} {sizes}{complaint}", chip.name))?;
        progress.done();
    }
    drop(progress);
    Ok(Verdict::of_failures(failures))
}
