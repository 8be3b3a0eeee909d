//! The cores that an archive can be built for: their names in Rust and gcc, and their boards in QEMU.

use clap::ValueEnum;

use crate::install::Need;
use crate::machine::{BOARDS, Board};

/// A core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Core {
    /// Cortex-M0 and M0+.
    CortexM0,
    /// Cortex-M3, and Cortex-M4 without a floating-point unit.
    CortexM3,
    /// Cortex-M4 and M7 with a floating-point unit.
    #[default]
    #[value(name = "cortex-m4f")]
    CortexM4f,
    /// Cortex-M33 with a floating-point unit.
    CortexM33,
    /// Cortex-M55.
    CortexM55,
    /// RISC-V, rv32imac.
    Riscv32,
    /// This computer.
    Host,
}

impl Core {
    /// None for this computer.
    pub fn board(self) -> Option<&'static Board> {
        let machine = match self {
            Self::CortexM0 => "microbit",
            Self::CortexM3 => "mps2-an385",
            Self::CortexM4f => "mps2-an386",
            Self::CortexM33 => "mps2-an505",
            Self::CortexM55 => "mps3-an547",
            Self::Riscv32 => "virt",
            Self::Host => return None,
        };
        BOARDS.iter().find(|board| board.machine == machine)
    }

    /// As people say it.
    pub fn words(self) -> &'static str {
        self.board().map_or("this computer", |board| board.core)
    }

    /// The C compiler.
    pub const fn compiler(self) -> &'static str {
        match self {
            Self::Riscv32 => "riscv64-unknown-elf-gcc",
            Self::Host => "cc",
            _ => "arm-none-eabi-gcc",
        }
    }

    pub const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::CortexM0 => &["-mcpu=cortex-m0", "-mthumb"],
            Self::CortexM3 => &["-mcpu=cortex-m3", "-mthumb"],
            Self::CortexM4f => &["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
            Self::CortexM33 => &["-mcpu=cortex-m33", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
            Self::CortexM55 => &["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"],
            Self::Riscv32 => &["-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany"],
            Self::Host => &[],
        }
    }

    /// The memory of the board; on RISC-V also the C library and semihosting.
    pub const fn linking(self) -> &'static [&'static str] {
        match self {
            Self::CortexM0 => &[
                "-Wl,--defsym=flash_start=0",
                "-Wl,--defsym=ram_start=0x20000000",
                "-Wl,--defsym=ram_size=0x4000",
            ],
            Self::CortexM33 => &[
                "-Wl,--defsym=flash_start=0x10000000",
                "-Wl,--defsym=ram_start=0x38000000",
                "-Wl,--defsym=ram_size=0x400000",
            ],
            Self::CortexM3 | Self::CortexM4f => &[
                "-Wl,--defsym=flash_start=0",
                "-Wl,--defsym=ram_start=0x20000000",
                "-Wl,--defsym=ram_size=0x400000",
            ],
            Self::CortexM55 => &[
                "-Wl,--defsym=flash_start=0",
                "-Wl,--defsym=ram_start=0x20000000",
                "-Wl,--defsym=ram_size=0x80000",
            ],
            Self::Riscv32 => &[
                "--specs=picolibc.specs",
                "--oslib=semihost",
                "--crt0=hosted",
                "-Wl,--defsym=__flash=0x80000000",
                "-Wl,--defsym=__flash_size=4M",
                "-Wl,--defsym=__ram=0x80400000",
                "-Wl,--defsym=__ram_size=4M",
                "-Wl,--defsym=__stack_size=64K",
            ],
            Self::Host => &[],
        }
    }

    /// On Cortex-M it does: newlib has no startup code for the boards.
    pub const fn brings_its_start(self) -> bool {
        !matches!(self, Self::Riscv32 | Self::Host)
    }

    pub fn target_need(self) -> Option<Need> {
        self.board().map(|board| Need::Target(board.target))
    }

    /// Compiler and emulator.
    pub fn needs(self) -> Vec<Need> {
        let compiler = match self {
            Self::Host => None,
            Self::Riscv32 => Some(Need::RISCV_C),
            _ => Some(Need::ARM_C),
        };
        let emulator = self.board().map(|board| Need::Emulator(board.emulator));
        compiler.into_iter().chain(emulator).collect()
    }
}
