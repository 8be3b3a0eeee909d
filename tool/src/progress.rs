//! Shows the progress of long work: a bar or a spinner on a terminal, plain lines otherwise.
//! All output goes to standard error, so that standard output contains results only.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The interval at which the spinner turns.
const TICK: Duration = Duration::from_millis(120);

/// Work with a known number of steps.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins work of `steps` steps.
    pub fn begin(steps: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps as u64);
            // If the template does not parse, the bar keeps its default style.
            if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Self { bar }
    }

    /// Begins to read `bytes` bytes; [`reading`](Self::reading) counts them.
    pub fn begin_reading(bytes: u64) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(bytes);
            if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {msg} {eta}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// The file as a reader; every byte that is read moves the bar.
    pub fn reading(&self, file: File) -> Box<dyn Read> {
        match &self.bar {
            Some(bar) => Box::new(bar.wrap_read(file)),
            None => Box::new(file),
        }
    }

    /// Shows the current work.
    pub fn doing(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None => eprintln!("{what} ..."),
        }
    }

    /// Counts one finished step.
    pub fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Hides the bar while `print` runs, so that `print` can write to the terminal.
    pub fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
