//! The program of a generated folder, built by a C compiler and run.

use std::path::Path;
use std::process::Command;
use std::{fs, iter};

use anyhow::{Context, Result};

use super::{Configuration, Core, archive};
use crate::machine::{Board, flash_bytes};
use crate::process::finish;
use crate::program::filled;

/// A customer's build may turn them on.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Without a device for the letters of picolibc, QEMU prints them to its standard error.
const CONSOLE: [&str; 8] = [
    "-serial",
    "none",
    "-monitor",
    "none",
    "-chardev",
    "stdio,id=console",
    "-semihosting-config",
    "enable=on,target=native,chardev=console",
];

const MAKEFILE: &str = include_str!("template/Makefile");

/// The built program in the folder.
const PROGRAM: &str = "watch";

/// The program whose flash is measured.
const FLASH: &str = include_str!("template/flash.c");

pub(super) fn run(configuration: &Configuration, out: &Path) -> Result<String> {
    let core = configuration.core;
    compile(core, out)?;
    let image = out.join(PROGRAM);
    match core.board() {
        Some(board) if core == Core::Riscv32 => {
            let mut printed = String::new();
            crate::machine::stream(&mut emulation(core, board, &image), |line| {
                printed.push_str(line);
                printed.push('\n');
            })?;
            Ok(printed)
        }
        Some(board) => board.run(&image),
        None => finish(&mut Command::new(&image)),
    }
}

fn emulation(core: Core, board: &Board, image: &Path) -> Command {
    let mut command = board.command(image);
    if core == Core::Riscv32 {
        command.args(CONSOLE);
    }
    command
}

fn compile(core: Core, out: &Path) -> Result<()> {
    let mut command = Command::new(core.compiler());
    command.args(WARNINGS).args(words(core)).current_dir(out);
    finish(&mut command)
        .with_context(|| format!("{} refused the program", core.compiler()))
        .map(drop)
}

/// For a run in the folder.
fn words(core: Core) -> Vec<&'static str> {
    let mut words = core.flags().to_vec();
    words.extend([
        "-std=c11",
        "-Os",
        "-ffunction-sections",
        "-fdata-sections",
        "-Iinclude",
        "main.c",
    ]);
    if core.brings_its_start() {
        words.extend(["board/startup.c", "-nostartfiles", "--specs=rdimon.specs"]);
        words.extend(["-T", "board/cortex_m.ld"]);
    }
    words.extend(core.linking());
    if core != Core::Host {
        words.push("-Wl,--gc-sections");
    }
    words.push(archive::ARCHIVE);
    if core == Core::Host {
        // The archive for this computer contains Rust's standard library.
        words.extend(["-lpthread", "-ldl", "-lm"]);
    }
    words.extend(["-o", PROGRAM]);
    words
}

/// `make` builds the program as this tool does, `make run` also runs it.
pub(super) fn makefile(configuration: &Configuration) -> String {
    let Configuration { name, core, .. } = configuration;
    let start = if core.brings_its_start() {
        "board/startup.c board/cortex_m.ld "
    } else {
        ""
    };
    let run = match core.board() {
        Some(board) => typed(&emulation(*core, board, Path::new(PROGRAM))),
        None => format!("./{PROGRAM}"),
    };
    let compile = [&[core.compiler(), "-Wall", "-Wextra"], words(*core).as_slice()].concat();
    filled(
        MAKEFILE,
        &[
            ("core", core.words()),
            ("program", PROGRAM),
            ("start", start),
            ("name", name),
            ("compile", &compile.join(" ")),
            ("run", &run),
        ],
    )
}

/// No word of it has a blank.
fn typed(command: &Command) -> String {
    let words = iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The flash of `init` and `observe` on a Cortex-M, and with `save` and `load`, without that of an empty program; `None` on
/// other cores.
///
/// All programs contain `memcpy` and `memset` of the C library.
pub fn flash(configuration: &Configuration, out: &Path) -> Result<Option<[u64; 2]>> {
    let core = configuration.core;
    if !core.brings_its_start() {
        return Ok(None);
    }
    let name = &configuration.name;
    let source = out.join("flash.c");
    let text = FLASH
        .replace("motor", name)
        .replace("MOTOR", &name.to_ascii_uppercase());
    fs::write(&source, text).context("cannot write flash.c")?;
    let linked = |calls: &[&str]| {
        let image = out.join("flash.elf");
        let mut command = Command::new(core.compiler());
        command.args(core.flags()).args(calls);
        command.args(["-Os", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]);
        command.args(["-nostartfiles", "--specs=nosys.specs"]);
        command.arg("-I").arg(out.join("include")).arg(&source);
        finish(command.arg(out.join(archive::ARCHIVE)).arg("-o").arg(&image))?;
        flash_bytes(&image)
    };
    let (nothing, watching, saving) = (linked(&[])?, linked(&["-DWATCH"])?, linked(&["-DWATCH", "-DSAVE"])?);
    for file in ["flash.c", "flash.elf"] {
        fs::remove_file(out.join(file)).context("cannot remove the program that was measured")?;
    }
    Ok(Some([watching, saving].map(|bytes| bytes.saturating_sub(nothing))))
}
