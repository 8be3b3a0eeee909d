//! The program of a generated folder, built by a C compiler and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Configuration, Core, archive};
use crate::machine::flash_bytes;
use crate::process::finish;

/// All warnings are errors here, because a customer's build may turn them on.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-std=c11"];

/// Arguments that send the output of the program to the standard output of QEMU. picolibc prints letter by letter; without a
/// device for these letters QEMU writes them to its standard error.
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

/// The program whose flash is measured.
const FLASH: &str = include_str!("template/flash.c");

/// Builds the program of the folder and runs it.
pub(super) fn run(configuration: &Configuration, out: &Path) -> Result<String> {
    let image = compile(configuration.core, out)?;
    match configuration.core.board() {
        Some(board) if configuration.core == Core::Riscv32 => {
            let mut printed = String::new();
            let mut command = board.command(&image);
            crate::machine::stream(command.args(CONSOLE), |line| {
                printed.push_str(line);
                printed.push('\n');
            })?;
            Ok(printed)
        }
        Some(board) => board.run(&image),
        None => finish(&mut Command::new(&image)),
    }
}

fn compile(core: Core, out: &Path) -> Result<PathBuf> {
    let image = out.join("watch");
    let mut command = Command::new(core.compiler());
    command.args(WARNINGS).args(core.flags());
    command.args(["-Os", "-ffunction-sections", "-fdata-sections"]);
    command.arg("-I").arg(out.join("include")).arg(out.join("main.c"));
    if core.brings_its_start() {
        command.arg(out.join("board/startup.c"));
        command.args(["-nostartfiles", "--specs=rdimon.specs"]);
        command.arg("-T").arg(out.join("board/cortex_m.ld"));
    }
    command.args(core.linking());
    if core != Core::Host {
        command.arg("-Wl,--gc-sections");
    }
    command.arg(out.join("lib/libeigenstream.a"));
    if core == Core::Host {
        // The standard library of Rust is in an archive for this computer.
        command.args(["-lpthread", "-ldl", "-lm"]);
    }
    finish(command.arg("-o").arg(&image)).with_context(|| format!("{} refused the program", core.compiler()))?;
    Ok(image)
}

/// The flash of the monitor on a Cortex-M, for two programs: one calls `init` and `observe`, the other also calls `save` and
/// `load`. The flash of a program without these calls is subtracted. All three programs contain `memcpy` and `memset` of the C
/// library. `None` on other cores.
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
