//! The emulated boards.
//! In: a linked image. Out: the text that it printed, or an error if it panics, fails or exceeds the time limit.

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use object::{Object as _, ObjectSection as _, SectionKind};

use crate::process::tail;

/// An image that runs longer is assumed to hang.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// A program was ended at the time limit.
#[derive(Debug)]
pub struct StillRunning {
    limit: Duration,
    printed: String,
}

impl StillRunning {
    /// The time limit in seconds.
    pub const fn seconds(&self) -> u64 {
        self.limit.as_secs()
    }

    /// The text that the program had printed.
    pub fn printed(&self) -> &str {
        &self.printed
    }
}

impl fmt::Display for StillRunning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "it was still running after {} s:\n{}",
            self.seconds(),
            tail(&self.printed)
        )
    }
}

impl std::error::Error for StillRunning {}

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A board that QEMU emulates.
#[derive(Debug)]
pub struct Board {
    /// QEMU's name of the board.
    pub machine: &'static str,
    /// The common name of the core.
    pub core: &'static str,
    /// QEMU's name of the core; `None` for its default.
    cpu: Option<&'static str>,
    /// The QEMU program that emulates the board.
    pub emulator: &'static str,
    /// Rust's name of the target.
    pub target: &'static str,
    /// Bytes of flash.
    pub flash: u32,
    /// Addresses for `memory.x`, then the linker scripts in their order.
    linker_arguments: &'static [&'static str],
}

const MPS2_FLASH: u32 = 4 * 1024 * 1024;

/// Of cortex-m-rt; it includes `memory.x`.
const CORTEX_M: &str = "-Tlink.x";

/// The board of the demo and of every instruction count.
pub static CORTEX_M4F: Board = M4F;

const M4F: Board = Board {
    machine: "mps2-an386",
    core: "Cortex-M4F",
    cpu: Some("cortex-m4"),
    emulator: "qemu-system-arm",
    target: "thumbv7em-none-eabihf",
    flash: MPS2_FLASH,
    linker_arguments: &[CORTEX_M],
};

/// The boards of the conformance check.
pub static BOARDS: [Board; 7] = [
    Board {
        machine: "microbit",
        core: "Cortex-M0",
        cpu: None,
        emulator: "qemu-system-arm",
        target: "thumbv6m-none-eabi",
        flash: 256 * 1024,
        linker_arguments: &[
            "--defsym=board_flash_size=256K",
            "--defsym=board_ram_size=16K",
            CORTEX_M,
        ],
    },
    Board {
        machine: "mps2-an385",
        core: "Cortex-M3",
        cpu: Some("cortex-m3"),
        emulator: "qemu-system-arm",
        target: "thumbv7m-none-eabi",
        flash: MPS2_FLASH,
        linker_arguments: &[CORTEX_M],
    },
    M4F,
    Board {
        machine: "mps2-an500",
        core: "Cortex-M7",
        cpu: Some("cortex-m7"),
        ..M4F
    },
    Board {
        machine: "mps2-an505",
        core: "Cortex-M33",
        cpu: Some("cortex-m33"),
        emulator: "qemu-system-arm",
        target: "thumbv8m.main-none-eabihf",
        flash: MPS2_FLASH,
        linker_arguments: &[
            "--defsym=board_flash=0x10000000",
            "--defsym=board_ram=0x38000000",
            CORTEX_M,
        ],
    },
    Board {
        machine: "mps3-an547",
        core: "Cortex-M55",
        cpu: Some("cortex-m55"),
        emulator: "qemu-system-arm",
        target: "thumbv8m.main-none-eabihf",
        flash: 512 * 1024,
        linker_arguments: &[
            "--defsym=board_flash_size=512K",
            "--defsym=board_ram_size=512K",
            CORTEX_M,
        ],
    },
    RISCV,
];

const RISCV: Board = Board {
    machine: "virt",
    core: "RISC-V",
    cpu: None,
    emulator: "qemu-system-riscv32",
    target: "riscv32imac-unknown-none-elf",
    flash: MPS2_FLASH,
    // The program is in RAM, whose first 4 MB are used as flash.
    linker_arguments: &[
        "--defsym=board_flash=0x80000000",
        "--defsym=board_ram=0x80400000",
        "-Tmemory.x",
        "-Tlink.x",
    ],
};

/// Cores for which programs are only linked, with the memory of `memory.x`: all functions together are larger than a small
/// flash.
pub static LINKED: [Board; 4] = [
    Board {
        core: "Cortex-M0",
        target: "thumbv6m-none-eabi",
        ..M4F
    },
    M4F,
    Board {
        core: "Cortex-M33",
        target: "thumbv8m.main-none-eabihf",
        ..M4F
    },
    RISCV,
];

impl Board {
    pub fn linker_flags(&self) -> impl Iterator<Item = String> {
        let arguments = self.linker_arguments.iter();
        arguments.map(|argument| format!("-Clink-arg={argument}"))
    }

    pub fn run(&self, image: &Path) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.run_for_bytes(image)?).into_owned())
    }

    /// Runs an image that prints bytes instead of text.
    pub fn run_for_bytes(&self, image: &Path) -> Result<Vec<u8>> {
        run_within(&mut self.command(image), TIME_LIMIT, |_| ())
            .with_context(|| format!("{} failed on {}", image.display(), self.machine))
    }

    /// The command that runs the image.
    pub fn command(&self, image: &Path) -> Command {
        let mut command = Command::new(self.emulator);
        command.args(["-machine", self.machine]);
        if let Some(cpu) = self.cpu {
            command.args(["-cpu", cpu]);
        }
        if self.emulator == "qemu-system-riscv32" {
            command.args(["-bios", "none"]);
        }
        // With -icount SysTick counts instructions; with sleep=off QEMU does not wait in real time.
        command.args([
            "-nographic",
            "-icount",
            "shift=6,sleep=off",
            "-semihosting-config",
            "enable=on,target=native",
            "-kernel",
        ]);
        command.arg(image);
        command
    }
}

/// Bytes in flash: code, constants, and the initial values of variables.
pub fn flash_bytes(image: &Path) -> Result<u64> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
    let in_flash = |kind| {
        matches!(
            kind,
            SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString | SectionKind::Data
        )
    };
    let sections = file.sections().filter(|section| in_flash(section.kind()));
    Ok(sections.map(|section| section.size()).sum())
}

/// Runs a command to its end and calls `show` for each line.
pub fn stream(command: &mut Command, show: impl FnMut(&str)) -> Result<()> {
    run_within(command, TIME_LIMIT, show).map(drop)
}

/// Runs a command to its end, or ends it at the limit with the error [`StillRunning`]. Calls `show` for each line and
/// returns all.
pub(crate) fn run_within(command: &mut Command, limit: Duration, mut show: impl FnMut(&str)) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}: is it installed and in PATH?"))?;
    let lines = lines(child.stdout.take());
    let complaints = lines_to_end(child.stderr.take());
    let start = Instant::now();
    let mut printed = Vec::new();
    let ended = loop {
        match lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => {
                show(String::from_utf8_lossy(&line).trim_end());
                printed.extend(line);
            }
            Err(RecvTimeoutError::Disconnected) => break true,
            Err(RecvTimeoutError::Timeout) => (),
        }
        if start.elapsed() >= limit {
            break false;
        }
    };
    let status = match ended {
        true => wait(&mut child, limit.saturating_sub(start.elapsed()).max(POLL_INTERVAL))?,
        false => end(&mut child)?,
    };
    let complaints = complaints.join().map_err(|_| anyhow!("a reader failed"))?;
    let text = |bytes: &[u8]| tail(&String::from_utf8_lossy(bytes));
    match status {
        Some(true) => Ok(printed),
        Some(false) => bail!("it ended with an error:\n{}", text(&[complaints, printed].concat())),
        None => bail!(StillRunning {
            limit,
            printed: String::from_utf8_lossy(&printed).into_owned(),
        }),
    }
}

/// Whether the child succeeded; `None` at the time limit.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<bool>> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        thread::sleep(POLL_INTERVAL);
    }
    end(child)
}

fn end(child: &mut Child) -> Result<Option<bool>> {
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// A thread reads the lines, so that a full pipe never blocks the child. A read error counts as the end of the stream.
fn lines(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut reader = stream.map(BufReader::new);
        let mut line = Vec::new();
        while let Some(reader) = &mut reader
            && reader.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0)
            && sender.send(std::mem::take(&mut line)).is_ok()
        {}
    });
    receiver
}

/// Reads a stream to its end.
fn lines_to_end(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    let lines = lines(stream);
    thread::spawn(move || lines.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_runner() -> Result<()> {
        let config = std::fs::read_to_string(crate::repository().join(".cargo/config.toml"))?;
        for target in BOARDS.iter().map(|board| board.target) {
            let (_, rest) = (config.split_once(&format!("[target.{target}]\n")))
                .with_context(|| format!("no runner for {target}"))?;
            let table = rest.split("\n[").next().unwrap_or_default();
            let fits = |board: &&Board| {
                let flags = board
                    .linker_arguments
                    .iter()
                    .map(|flag| format!("\"-Clink-arg={flag}\""));
                table.contains(&format!("{} -machine {} ", board.emulator, board.machine))
                    && flags.clone().all(|flag| table.contains(&flag))
            };
            let boards = BOARDS.iter().filter(|board| board.target == target);
            assert_eq!(
                boards.filter(fits).count(),
                1,
                "the runner of {target} is none of the boards"
            );
        }
        Ok(())
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let hung = run_within(Command::new("sleep").arg("60"), Duration::from_millis(50), |_| ());
        assert!(hung.is_err_and(|error| error.to_string().starts_with("it was still running")));
    }

    #[test]
    fn lines_are_shown_as_they_come() {
        let mut shown = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; printf three"]);
        let printed = run_within(&mut command, TIME_LIMIT, |line| shown.push(line.to_owned()));
        assert_eq!(shown, ["one", "three"]);
        assert_eq!(printed.map_err(|error| error.to_string()), Ok("one\nthree".into()));
    }

    #[test]
    fn a_program_that_fails_shows_what_it_said() {
        let failed = run_within(Command::new("sh").args(["-c", "echo said; exit 3"]), TIME_LIMIT, |_| ());
        assert_eq!(
            failed.map_err(|error| error.to_string()),
            Err("it ended with an error:\nsaid".into())
        );
    }
}
