//! The `eigenstream` command as a library: every verb is one module with its own `Arguments` and `run`.
//! In: a verb and its options. Out: what the verb prints; [`Verdict`] says how it went.
//! The modules are shared with the host tool of the repository, which offers the same verbs beside its own; they are no interface for others.

#[doc(hidden)]
pub mod budget;
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
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod recording;
#[doc(hidden)]
pub mod replay;
#[doc(hidden)]
pub mod tune;
#[doc(hidden)]
pub mod watching;

use std::io;
use std::process::ExitCode;

/// The verbs of the tool.
#[derive(clap::Subcommand)]
pub enum Verb {
    /// `new`.
    New(firmware::Arguments),
    /// `replay`.
    Replay(replay::Arguments),
    /// `tune`.
    Tune(tune::Arguments),
    /// `budget`.
    Budget(budget::Arguments),
    /// `inspect`.
    Inspect(inspect::Arguments),
    /// `fit`.
    Fit(fit::Arguments),
    /// `merge`.
    Merge(merge::Arguments),
}

impl Verb {
    /// Does it.
    ///
    /// # Errors
    /// The verb could not do its work; the error says in a sentence why.
    pub fn run(&self) -> anyhow::Result<Verdict> {
        match self {
            Self::New(arguments) => firmware::run(arguments),
            Self::Replay(arguments) => replay::run(arguments),
            Self::Tune(arguments) => tune::run(arguments),
            Self::Budget(arguments) => budget::run(arguments),
            Self::Inspect(arguments) => inspect::run(arguments),
            Self::Fit(arguments) => fit::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
        }
    }
}

/// The outcome of a verb that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was looked at is as it should be.
    Holds,
    /// Something is not; the verb has said what.
    Broken,
    /// There was nothing to look at; the verb has said why.
    Nothing,
}

impl Verdict {
    /// Whether nothing failed.
    #[must_use]
    pub const fn of_failures(failures: usize) -> Self {
        if failures == 0 { Self::Holds } else { Self::Broken }
    }
}

/// The exit code of a verb: 0 when it holds, 1 when it does not or could not be done, 2 when there was nothing to look at. An error is
/// printed.
pub fn exit_code(outcome: anyhow::Result<Verdict>) -> ExitCode {
    match outcome {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Broken) => ExitCode::FAILURE,
        Ok(Verdict::Nothing) => ExitCode::from(2),
        Err(error) => {
            // A reader that closed the pipe (`| head`) has seen what it wanted: no message then.
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

/// The root of this repository, for tests that read its files.
#[cfg(test)]
pub(crate) fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
