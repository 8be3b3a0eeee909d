//! Lets an example run unchanged on a computer and on a bare chip: entry point, printing and exit code. With semihosting, the
//! emulator or the debugger prints and returns the exit code of the program.

use core::fmt::{self, Display};

/// Prints one line.
#[cfg(not(target_os = "none"))]
macro_rules! say {
    ($($message:tt)*) => { std::println!($($message)*) };
}

#[cfg(target_os = "none")]
macro_rules! say {
    ($($message:tt)*) => { semihosting::println!($($message)*) };
}

/// Makes a function the main function of the program.
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

/// The result of an example; `?` prints any error.
pub(crate) type Outcome = Result<(), Failure>;

/// The example has failed and printed the error.
pub(crate) struct Failure;

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        say!("failed: {error}");
        Self
    }
}

#[allow(dead_code, reason = "not every example prints numbers")]
/// Prints a number and its bits, to compare machines.
pub(crate) struct Exact(pub(crate) f32);

impl Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:9.6} ({:08x})", self.0, self.0.to_bits())
    }
}
