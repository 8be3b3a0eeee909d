//! `new`: writes a firmware project that stands alone, with the crate in vendor/. Without options src/main.rs is the first
//! program of the README. Without a real chip the project is built for a Cortex-M4F and run in QEMU. `chip` has real chips,
//! `sized` other monitors, `inputs` the analog inputs, `slots` the flash in which the monitor is saved.

mod chip;
mod inputs;
mod sized;
mod slots;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::Verdict;
use crate::carried;
use crate::install::{Need, provide};
use crate::machine::{CORTEX_M4F, StillRunning};
use crate::process::finish;
use crate::program::{self, cargo_in, filled};
use crate::progress::Progress;
use sized::Wanted;

const MANIFEST: &str = include_str!("template/manifest.txt");
const CONFIGURATION: &str = include_str!("template/config.toml");
const MEMORY: &str = include_str!("template/memory.x");
const FRAME: &str = include_str!("template/frame.rs.txt");

/// The text of .gitignore.
const IGNORED: &str = "/target\n";
/// The folder of the crate inside a project.
const VENDOR: &str = "vendor/eigenstream";

/// The text of rust-toolchain.toml.
fn toolchain(target: &str) -> String {
    format!("[toolchain]\nchannel = \"stable\"\ntargets = [\"{target}\"]\n")
}

/// The name of the program.
const NAME: &str = "watch";

/// Writes a firmware project, builds it and, without a real chip, runs it in QEMU.
///
/// Without options the program is the first program of the README. With `--chip`, `--channels`, `--keep` or `--learner` the
/// monitor has the named sizes and learner and is in a `static`. A project for QEMU runs on this computer with `cargo run`, and
/// on a Cortex-M4F with `cargo run --release --target thumbv7em-none-eabihf`. The run in QEMU is ended after 300 s: with hundreds
/// of channels it can take longer. Replace the computed samples by those of your sensors, and write the memory of your chip into
/// memory.x.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: eigenstream new ../my-firmware\n          eigenstream new --chip stm32f411 --channels 6 --keep 2 --learner tracking ../my-firmware"
)]
pub struct Arguments {
    /// The chip of the project. A project for a real chip reads analog inputs, logs, saves, and restores at boot.
    #[arg(long, value_enum)]
    chip: Option<chip::Chip>,

    #[command(flatten)]
    options: sized::Options,

    /// The folder to create; it must be empty if it exists.
    directory: PathBuf,
}

/// Runs the verb `new`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let directory = &arguments.directory;
    if directory.exists() && !directory.is_dir() {
        bail!("{} is a file: name a new folder", directory.display());
    }
    if fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty: name a new folder", directory.display());
    }
    let wanted = arguments.options.wanted()?;
    if let Some(begun) = arguments.chip.and_then(|chip| chip.begin(directory, &wanted)) {
        return begun;
    }
    wanted.check_room()?;
    make(directory)?;
    let project = match arguments.chip.is_none() && arguments.options.is_empty() {
        true => Project::write(directory, Library::Carried)?,
        false => Project::write_sized(directory, &wanted)?,
    };
    let mut out = io::stdout();
    writeln!(
        out,
        "wrote Cargo.toml, rust-toolchain.toml, memory.x, .cargo/config.toml, src/main.rs and vendor/eigenstream to {}",
        directory.display()
    )?;
    let needs = [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)];
    let place = match needs.into_iter().try_for_each(provide) {
        Ok(()) => Place::Chip,
        Err(sentence) => {
            eprintln!("No emulated board: {sentence}. Running on this computer instead.");
            Place::Host
        }
    };
    write!(out, "{}", told(project.run(place), place)?)?;
    writeln!(
        out,
        "now yours: the sensors (read_sensors in src/main.rs), the memory of the chip (memory.x), and what runs an image \
         (.cargo/config.toml)"
    )?;
    Ok(Verdict::Holds)
}

/// A run that was ended at its time limit is no error: the project was built.
fn told(outcome: Result<String>, place: Place) -> Result<String> {
    let place = place.words();
    let error = match outcome {
        Ok(printed) => return Ok(format!("it ran on {place}, and printed\n{printed}")),
        Err(error) => error,
    };
    let Some(run) = error.downcast_ref::<StillRunning>() else {
        return Err(error);
    };
    let printed = match run.printed() {
        "" => "it had printed nothing\n".to_owned(),
        printed => format!("it had printed\n{printed}"),
    };
    Ok(format!(
        "it builds, but its run on {place} was not over after {} s and was ended: with many channels it can take longer\n{printed}",
        run.seconds()
    ))
}

/// A folder that cannot be written is found here.
fn make(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory.join(VENDOR)).map_err(|error| {
        anyhow!(
            "cannot write to {} ({error}): name a folder in which you may write",
            directory.display()
        )
    })
}

/// Where a project runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The emulated board.
    Chip,
    /// This computer.
    Host,
}

impl Place {
    fn words(self) -> String {
        match self {
            Self::Chip => format!("QEMU's {} ({})", CORTEX_M4F.machine, CORTEX_M4F.core),
            Self::Host => "this computer".into(),
        }
    }
}

/// The crate that a project is built against.
#[derive(Clone, Copy, Debug)]
pub enum Library<'path> {
    /// Copied into the project.
    Carried,
    /// The crate in this folder.
    At(&'path Path),
}

/// A project in its own folder.
pub struct Project {
    directory: PathBuf,
}

impl Project {
    pub fn write(directory: &Path, library: Library<'_>) -> Result<Self> {
        let program = first_program(carried::text("README.md"))
            .context("README.md has no program: its first Rust block has no `fn main`")?;
        Self::write_program(directory, library, &filled(FRAME, &[("program", program)]), MANIFEST)
    }

    fn write_sized(directory: &Path, wanted: &Wanted) -> Result<Self> {
        let frame = FRAME.replace(
            "The first program of eigenstream's README.",
            "A monitor of eigenstream.",
        );
        let manifest = MANIFEST.replace("}}\" }\n", "}}\" }\nstatic_cell = \"2.1\"\n");
        let program = filled(&frame, &[("program", &wanted.program())]);
        Self::write_program(directory, Library::Carried, &program, &manifest)
    }

    fn write_program(directory: &Path, library: Library<'_>, program: &str, manifest: &str) -> Result<Self> {
        let library = match library {
            Library::Carried => {
                carried::write(&directory.join(VENDOR))?;
                VENDOR.to_owned()
            }
            Library::At(library) => {
                let library =
                    fs::canonicalize(library).with_context(|| format!("cannot find {}", library.display()))?;
                library.display().to_string().replace('\\', "/")
            }
        };
        let manifest = filled(manifest, &[("library", &library)]);
        let toolchain = toolchain(CORTEX_M4F.target);
        let files = [
            ("Cargo.toml", manifest.as_str()),
            ("rust-toolchain.toml", &toolchain),
            (".gitignore", IGNORED),
            ("memory.x", MEMORY),
            (".cargo/config.toml", CONFIGURATION),
            ("src/main.rs", program),
        ];
        program::write(directory, files)?;
        Ok(Self {
            directory: directory.to_path_buf(),
        })
    }

    pub fn run(&self, place: Place) -> Result<String> {
        let progress = Progress::begin(1);
        progress.doing(&format!("building {NAME} for {}", place.words()));
        match place {
            Place::Host => finish(&mut self.cargo(&["run", "--quiet"])),
            Place::Chip => {
                finish(&mut self.cargo(&["build", "--release", "--target", CORTEX_M4F.target]))?;
                progress.doing(&format!("running {NAME} on {}", place.words()));
                let image = self.target().join(CORTEX_M4F.target).join("release").join(NAME);
                CORTEX_M4F.run(&image)
            }
        }
    }

    /// It builds into the folder `target` of the project.
    fn cargo(&self, arguments: &[&str]) -> Command {
        cargo_in(&self.directory, arguments)
    }

    fn target(&self) -> PathBuf {
        self.directory.join("target")
    }
}

/// If the block is a complete program.
fn first_program(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```rust\n")?;
    let (program, _) = rest.split_once("```")?;
    program.contains("fn main()").then_some(program)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::machine::run_within;

    #[test]
    fn the_first_block_is_the_program() {
        let text = "# Title\n```text\nno\n```\n```rust\nfn main() {}\n```\nand\n```rust\nfn other() {}\n```\n";
        assert_eq!(first_program(text), Some("fn main() {}\n"));
        assert_eq!(first_program("```rust\nlet x = 1;\n```\n"), None);
    }

    #[test]
    fn the_readme_has_a_program_without_hidden_lines() -> Result<()> {
        let program = first_program(carried::text("README.md")).context("no program")?;
        assert!(program.lines().all(|line| !line.starts_with("# ") && line != "#"));
        Ok(())
    }

    #[test]
    fn a_place_that_takes_no_project_is_named() {
        let file = crate::repository().join("Cargo.toml");
        for chip in [None, Some(chip::Chip::Stm32f411)] {
            for (directory, says) in [
                (file.clone(), "is a file: name a new folder"),
                (file.join("inside"), "cannot write to"),
            ] {
                let arguments = Arguments {
                    chip,
                    options: sized::Options::default(),
                    directory: directory.clone(),
                };
                let sentence = run(&arguments).map_or_else(|error| format!("{error:#}"), |_| String::new());
                assert!(sentence.contains(says), "{sentence}");
                assert!(sentence.contains(&directory.display().to_string()), "{sentence}");
                assert!(!sentence.contains("vendor"), "{sentence}");
            }
        }
    }

    #[test]
    fn a_monitor_that_is_too_large_leaves_no_folder() {
        let directory = std::env::temp_dir().join(format!("eigenstream-new-{}-large", std::process::id()));
        let arguments = Arguments {
            chip: None,
            options: sized::Options::of_channels(1_024),
            directory: directory.clone(),
        };
        let sentence = run(&arguments).map_or_else(|error| format!("{error:#}"), |_| String::new());
        assert!(sentence.contains("ask for --channels 968 or fewer"), "{sentence}");
        assert!(!directory.exists());
    }

    #[test]
    fn a_run_that_takes_too_long_leaves_a_project_that_builds() -> Result<()> {
        // Enough for a busy computer.
        let enough = 60;
        let end_after = |seconds: u64, script: &str| {
            let mut command = Command::new("sh");
            let printed = run_within(command.args(["-c", script]), Duration::from_secs(seconds), |_| ());
            let outcome = printed.context("watch failed on the board");
            told(
                outcome.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
                Place::Chip,
            )
        };
        let ended = "it builds, but its run on QEMU's mps2-an386 (Cortex-M4F) was not over after 4 s and was ended: ";
        for (script, printed) in [
            (
                "echo sample 2048: Normal; exec sleep 60",
                "\nit had printed\nsample 2048: Normal\n",
            ),
            ("exec sleep 60", "\nit had printed nothing\n"),
        ] {
            let words = end_after(4, script)?;
            assert!(words.starts_with(ended) && words.ends_with(printed), "{words}");
        }
        assert!(end_after(enough, "echo panicked; exit 1").is_err());
        assert!(end_after(enough, "echo sample")?.starts_with("it ran on QEMU's"));
        Ok(())
    }

    #[test]
    fn the_frame_takes_the_program_in() {
        assert_eq!(FRAME.matches("{{program}}").count(), 1);
        assert_eq!(MANIFEST.matches("{{library}}\" }\n").count(), 1);
    }
}
