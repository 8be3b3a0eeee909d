//! The `eigenstream` command as a library: each verb is a module with its own `Arguments` and `run`. No public interface:
//! the host tool of the repository uses the same verbs.

#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod c;
#[doc(hidden)]
pub mod carried;
#[doc(hidden)]
pub mod firmware;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod inspect;
#[doc(hidden)]
pub mod install;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod merge;
#[doc(hidden)]
pub mod plot;
#[doc(hidden)]
pub mod process;
mod program;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod recording;
#[doc(hidden)]
pub mod replay;
#[doc(hidden)]
pub mod tune;
#[cfg(test)]
mod typed;
#[doc(hidden)]
pub mod watching;

use std::io;
use std::process::ExitCode;

/// The verbs of the tool.
#[derive(clap::Subcommand)]
#[expect(
    missing_docs,
    reason = "the help of a verb is the text on its arguments; a text here would hide it"
)]
pub enum Verb {
    New(firmware::Arguments),
    Replay(replay::Arguments),
    Tune(tune::Arguments),
    Budget(budget::Arguments),
    C(c::Arguments),
    Inspect(inspect::Arguments),
    Fit(fit::Arguments),
    Merge(merge::Arguments),
}

impl Verb {
    /// Runs the verb.
    ///
    /// # Errors
    /// The verb could not do its work; the error is a sentence that says why.
    pub fn run(&self) -> anyhow::Result<Verdict> {
        match self {
            Self::New(arguments) => firmware::run(arguments),
            Self::Replay(arguments) => replay::run(arguments),
            Self::Tune(arguments) => tune::run(arguments),
            Self::Budget(arguments) => budget::run(arguments),
            Self::C(arguments) => c::run(arguments),
            Self::Inspect(arguments) => inspect::run(arguments),
            Self::Fit(arguments) => fit::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
        }
    }
}

/// The outcome of a verb that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every check passed.
    Holds,
    /// A check failed; the verb has printed which one.
    Broken,
    /// There was nothing to check; the verb has printed why.
    Nothing,
}

impl Verdict {
    /// `Holds` if `failures` is zero, otherwise `Broken`.
    #[must_use]
    pub const fn of_failures(failures: usize) -> Self {
        if failures == 0 { Self::Holds } else { Self::Broken }
    }
}

/// 0 if every check passed, 1 after an error or a failed check, 2 if there was nothing to check.
pub fn exit_code(outcome: anyhow::Result<Verdict>) -> ExitCode {
    match outcome {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Broken) => ExitCode::FAILURE,
        Ok(Verdict::Nothing) => ExitCode::from(2),
        Err(error) => {
            // The reader closed the pipe (`| head`) and wants no message.
            let pipe_closed = error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
            if !pipe_closed {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
pub(crate) fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
