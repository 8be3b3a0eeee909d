//! Shows the progress of long work: a bar or a spinner on a terminal, plain lines otherwise.
//! All output goes to standard error, so that standard output contains results only.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The interval at which the spinner turns.
const TICK: Duration = Duration::from_millis(120);

/// Whether a `Progress` is shown. Work inside of other work shows none of its own.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Work with a known number of steps.
pub struct Progress {
    shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins work of `steps` steps.
    pub fn begin(steps: usize) -> Self {
        let progress = Self::with_bar(steps as u64, "{spinner} [{pos}/{len}] {wide_msg} {elapsed}, {eta} left");
        if let Some(bar) = &progress.bar {
            bar.enable_steady_tick(TICK);
        }
        progress
    }

    /// Begins work whose steps take so many seconds in all; [`done_for`](Self::done_for) counts them. The bar shows the time left,
    /// at the pace so far.
    pub fn begin_timed(seconds: usize) -> Self {
        let progress = Self::with_bar(seconds as u64, "{bar:20} {percent} %, {eta} left  {wide_msg}");
        if let Some(bar) = &progress.bar {
            bar.enable_steady_tick(TICK);
        }
        progress
    }

    fn with_bar(length: u64, template: &str) -> Self {
        let shown = !SHOWN.swap(true, Ordering::Relaxed);
        let bar = (shown && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(length);
            // If the template does not parse, the bar keeps its default style.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { shown, bar }
    }

    /// Begins to read `bytes` bytes; [`reading`](Self::reading) counts them.
    pub fn begin_reading(bytes: u64) -> Self {
        Self::with_bar(bytes, "{wide_bar} {bytes}/{total_bytes} {msg} {eta}")
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
            None if self.shown => eprintln!("{what} ..."),
            None => {}
        }
    }

    /// Counts one finished step.
    pub fn done(&self) {
        self.done_for(1);
    }

    /// Counts a finished step that takes so many seconds.
    pub fn done_for(&self, seconds: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(seconds as u64);
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
        if self.shown {
            SHOWN.store(false, Ordering::Relaxed);
        }
    }
}
