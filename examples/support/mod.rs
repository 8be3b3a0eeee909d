//! Lets an example run unchanged on this computer and on a bare chip: an entry point, a way to print, an end.
//! On the chip all three go through semihosting: the emulator or debugger prints, and ends with the program's exit code.

use core::fmt::{self, Display};

/// Prints one line.
#[cfg(not(target_os = "none"))]
macro_rules! say {
    ($($message:tt)*) => { std::println!($($message)*) };
}

/// Prints one line.
#[cfg(target_os = "none")]
macro_rules! say {
    ($($message:tt)*) => { semihosting::println!($($message)*) };
}

/// Makes a function that returns an [`Outcome`] the program.
macro_rules! entry {
    ($program:ident) => {
        #[cfg(not(target_os = "none"))]
        fn main() -> std::process::ExitCode {
            if $program().is_ok() {
                std::process::ExitCode::SUCCESS
            } else {
                std::process::ExitCode::FAILURE
            }
        }

        #[cfg(target_os = "none")]
        #[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
        #[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
        fn main() -> ! {
            semihosting::process::exit(i32::from($program().is_err()))
        }
    };
}

pub(crate) use {entry, say};

/// How an example ends; `?` on any error says what it was.
pub(crate) type Outcome = Result<(), Failure>;

/// The example could not go on, and has said why.
pub(crate) struct Failure;

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        say!("failed: {error}");
        Self
    }
}

#[allow(dead_code, reason = "not every example prints numbers")]
/// A number for reading, and its bits for comparing: two machines agree when the bits do.
pub(crate) struct Exact(pub(crate) f32);

impl Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:9.6} ({:08x})", self.0, self.0.to_bits())
    }
}
