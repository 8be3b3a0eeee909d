//! Installs programs, targets and crates that are needed besides cargo. Out: success, or one sentence that says what to do.
//! rustup fetches a target or component, cargo the locked crates, apt-get QEMU and C compilers if it may be used.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::finish;

/// The Debian packages with `qemu-system-arm` and `qemu-system-riscv32`.
const QEMU_PACKAGES: [&str; 2] = ["qemu-system-arm", "qemu-system-misc"];

/// A requirement of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A cargo subcommand, and the rustup component that contains it.
    Component {
        /// As in `cargo NAME`.
        subcommand: &'static str,
        /// As in `rustup component add NAME`.
        component: &'static str,
    },
    /// The core library for a target.
    Target(&'static str),
    /// The path of a Cargo.toml, for all its locked crates.
    Crates(&'static str),
    /// An emulator, by the name of its program.
    Emulator(&'static str),
    /// A program, and the Debian packages that contain it.
    Program {
        /// The name of the program.
        program: &'static str,
        /// As in `apt-get install NAME`.
        packages: &'static [&'static str],
    },
}

impl Need {
    /// `cargo fmt`.
    pub const FORMATTER: Self = Self::Component {
        subcommand: "fmt",
        component: "rustfmt",
    };
    /// `cargo clippy`.
    pub const LINTER: Self = Self::Component {
        subcommand: "clippy",
        component: "clippy",
    };
    /// A C compiler for Cortex-M with its library.
    pub const ARM_C: Self = Self::Program {
        program: "arm-none-eabi-gcc",
        packages: &["gcc-arm-none-eabi", "libnewlib-arm-none-eabi"],
    };
    /// A C compiler for RISC-V with its library.
    pub const RISCV_C: Self = Self::Program {
        program: "riscv64-unknown-elf-gcc",
        packages: &["gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"],
    };
}

/// Installs `need` if it is missing; the error is a sentence that says what to do.
pub fn provide(need: Need) -> Result<(), String> {
    if present(need) {
        return Ok(());
    }
    let attempt = match need {
        Need::Component { component, .. } => rustup(&["component", "add", component]),
        Need::Target(target) => rustup(&["target", "add", target]),
        Need::Crates(manifest) => fetch(manifest),
        Need::Emulator(emulator) => install(emulator, &QEMU_PACKAGES),
        Need::Program { program, packages } => install(program, packages),
    };
    attempt?;
    if present(need) {
        Ok(())
    } else {
        Err(format!("{need:?} was installed and still is not found: check PATH"))
    }
}

fn present(need: Need) -> bool {
    match need {
        Need::Component { subcommand, .. } => succeeds(Command::new("cargo").args([subcommand, "--version"])),
        Need::Target(target) => target_installed(target),
        Need::Crates(manifest) => succeeds(&mut fetching(manifest, &["--offline"])),
        Need::Emulator(program) | Need::Program { program, .. } => succeeds(Command::new(program).arg("--version")),
    }
}

/// Asks the compiler, because that of a distribution may have the target without rustup.
fn target_installed(target: &str) -> bool {
    let library = finish(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    library.is_ok_and(|directory| {
        let mut files = Path::new(directory.trim()).read_dir().into_iter().flatten().flatten();
        files.any(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
    })
}

fn rustup(arguments: &[&str]) -> Result<(), String> {
    let typed = format!("rustup {}", arguments.join(" "));
    eprintln!("installing: {typed}");
    finish(Command::new("rustup").args(arguments))
        .map(drop)
        .map_err(|error| format!("type `{typed}`, which failed here ({})", last_line(&error.to_string())))
}

fn fetching(manifest: &str, more: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(["fetch", "--locked", "--manifest-path", manifest])
        .args(more);
    command
}

/// Fetches the crates of a lock file.
fn fetch(manifest: &str) -> Result<(), String> {
    let typed = format!("cargo fetch --locked --manifest-path {manifest}");
    eprintln!("fetching: {typed}");
    finish(&mut fetching(manifest, &[]))
        .map(drop)
        .map_err(|error| format!("type `{typed}`, which failed here ({})", last_line(&error.to_string())))
}

/// Installs Debian packages for a program.
fn install(program: &str, packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    if !succeeds(Command::new("apt-get").arg("--version")) {
        return Err(format!(
            "{program} is missing: install it with your package manager (Debian: {names}; macOS: `brew install qemu` for QEMU)"
        ));
    }
    let typed = format!("apt-get update && apt-get install -y --no-install-recommends {names}");
    if !is_root() {
        return Err(format!(
            "{program} is missing: type `{}`",
            typed.replace("apt-get", "sudo apt-get")
        ));
    }
    eprintln!("installing: {typed}");
    // One unreachable package source fails the update and often does not matter.
    let _ = finish(&mut apt_get(&["update"]));
    let installed = finish(apt_get(&["install", "-y", "--no-install-recommends"]).args(packages));
    installed.map(drop).map_err(|error| {
        format!(
            "{program} is missing: type `{typed}`, which failed here ({})",
            last_line(&error.to_string())
        )
    })
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null());
    command
}

fn is_root() -> bool {
    finish(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}

fn succeeds(command: &mut Command) -> bool {
    finish(command).is_ok()
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or("no message").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_target_is_missing() {
        assert!(!present(Need::Target("pdp11-none-eabi")));
        assert!(!present(Need::Emulator("qemu-system-pdp11")));
    }

    #[test]
    fn an_unknown_target_ends_in_one_sentence() {
        let refusal = provide(Need::Target("pdp11-none-eabi"));
        assert!(refusal.is_err_and(|sentence| sentence.starts_with("type `rustup target add pdp11-none-eabi`")));
    }
}
