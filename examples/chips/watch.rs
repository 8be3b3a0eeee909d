//! The monitor of these programs: its sizes, its settings, and its life over resets. Each chip's `main.rs` only brings the samples.

use defmt::Format;
use eigenstream::{CodecError, SampleError};
use eigenstream::monitor::{Adaptation, MonitorSettings, Phase, SensorMonitor, Verdict};
use eigenstream::storage::{Slots, StorageError};
use embedded_storage::nor_flash::NorFlash;
use static_cell::ConstStaticCell;

/// Numbers in a sample.
pub const CHANNELS: usize = 4;

/// The monitor with its default learner.
pub type Watch = SensorMonitor<f32, CHANNELS>;

/// Replace it by the line that `cargo harness tune` prints for a recording of the machine.
pub const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(2_048);

/// The monitor is a constant in a `static`: `take` hands out the memory itself, and no monitor is ever on the stack.
pub static MONITOR: ConstStaticCell<Watch> = ConstStaticCell::new(Watch::standard(SETTINGS));

/// How the monitor begins after a reset.
#[derive(Format)]
pub enum Start {
    /// Nothing was saved: it learns from the first sample on.
    Fresh,
    /// It goes on as it was saved, with the settings of this firmware where `adaptation` says so.
    Restored { save: u32, adaptation: Adaptation },
}

/// Why nothing was saved or restored. The errors of a HAL's flash have no word for the log in every HAL.
#[derive(Format)]
pub enum Refusal {
    /// The flash fails.
    Flash,
    /// The image is longer than a slot, or the region is not two slots of whole pages.
    Region,
    /// The image is one of another firmware.
    Image(CodecError),
}

impl<E> From<StorageError<E>> for Refusal {
    fn from(error: StorageError<E>) -> Self {
        match error {
            StorageError::Flash(_) | StorageError::NotWritten => Self::Flash,
            StorageError::Image(error) => Self::Image(error),
            _ => Self::Region,
        }
    }
}

/// Puts what was saved last into the monitor. The settings of this firmware win over those of the image.
///
/// # Errors
/// The image is one of another firmware: other sizes or another learner. The monitor is fresh then.
pub fn restore<F: NorFlash>(monitor: &mut Watch, slots: &mut Slots<F>) -> Result<Start, Refusal> {
    let Some(save) = slots.restore(monitor)? else {
        return Ok(Start::Fresh);
    };
    let adaptation = monitor.set_settings(SETTINGS);
    // The samples since the save are missing.
    monitor.interrupt();
    Ok(Start::Restored { save, adaptation })
}

/// Saves the monitor.
///
/// # Errors
/// The flash fails. The image that was saved before is still there.
pub fn save<F: NorFlash>(monitor: &mut Watch, slots: &mut Slots<F>) -> Result<(), Refusal> {
    slots.save(monitor)?;
    // While a page is erased no sample comes.
    monitor.interrupt();
    Ok(())
}

/// The events of the log.
#[derive(Format)]
pub enum News {
    /// Another phase has begun.
    Phase(Phase),
    /// Something is unusual, most of all in `channel`.
    Alarm { channel: usize, score: f32, threshold: f32 },
    /// It is over.
    AlarmEnds,
}

/// Tells news from the rest.
pub struct Reporter {
    watching: bool,
    alarm: bool,
}

impl Reporter {
    /// Before the first sample.
    pub const fn new() -> Self {
        Self {
            watching: false,
            alarm: false,
        }
    }

    /// Shows the monitor a sample.
    ///
    /// # Errors
    /// As `Monitor::observe`: the sample has a number that is not finite, and changes nothing.
    pub fn observe(&mut self, monitor: &mut Watch, sample: &[f32; CHANNELS]) -> Result<Option<News>, SampleError> {
        let verdict = monitor.observe(sample)?;
        Ok(self.news(&verdict))
    }

    fn news(&mut self, verdict: &Verdict<f32, CHANNELS>) -> Option<News> {
        let watching = verdict.phase.is_watching();
        if watching != self.watching {
            self.watching = watching;
            return Some(News::Phase(verdict.phase));
        }
        if verdict.alarm == self.alarm {
            return None;
        }
        self.alarm = verdict.alarm;
        Some(match verdict.alarm {
            true => News::Alarm {
                channel: verdict.guilty(),
                score: verdict.score,
                threshold: verdict.threshold,
            },
            false => News::AlarmEnds,
        })
    }
}
