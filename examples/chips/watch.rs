//! The monitor of all chip programs: its sizes, its settings, and how it is saved and restored. The `main.rs` of a chip reads
//! the samples.

use core::ops::Range;

use defmt::Format;
use eigenstream::{CodecError, SampleError};
use eigenstream::monitor::{Adaptation, MonitorSettings, Phase, SensorMonitor, Verdict};
use eigenstream::storage::{Slots, StorageError, slot_length};
use embedded_storage::nor_flash::NorFlash;
use static_cell::ConstStaticCell;

/// Channels of a sample.
pub const CHANNELS: usize = 4;

/// The monitor with its default learner.
pub type Watch = SensorMonitor<f32, CHANNELS>;

/// The settings. Replace them by the line that `cargo harness tune` prints for a recording of your machine.
pub const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(2_048);

/// A monitor without samples, in flash.
const NEW: Watch = Watch::standard(SETTINGS);

/// The monitor; `take` returns a reference to this memory, so it is never on the stack.
pub static MONITOR: ConstStaticCell<Watch> = ConstStaticCell::new(NEW);

/// Whether each half of the region has room for a save.
pub const fn has_room(region: &Range<u32>) -> bool {
    slot_length::<Watch>() <= (region.end - region.start) as usize / 2
}

/// The state of the monitor after a reset.
#[derive(Format)]
pub enum Start {
    /// There is no complete save.
    Fresh,
    /// The saved monitor continues; `adaptation` says whether the settings of this firmware apply.
    Restored { save: u32, adaptation: Adaptation },
}

/// Why the monitor was not saved or restored.
#[derive(Format)]
pub enum Refusal {
    /// The flash returned an error.
    Flash,
    /// The image is longer than a slot, or the region is not two slots of whole pages.
    Region,
    /// The image belongs to another firmware, or its numbers are not valid. An image with a wrong checksum counts as no save.
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

/// Restores the newest save and applies the settings of this firmware.
///
/// # Errors
/// `Refusal::Image`; the monitor is new then.
pub fn restore<F: NorFlash>(monitor: &mut Watch, slots: &mut Slots<F>) -> Result<Start, Refusal> {
    let save = match slots.restore(monitor) {
        Ok(Some(save)) => save,
        Ok(None) => return Ok(Start::Fresh),
        Err(error) => {
            // The refused image can have overwritten a part of the monitor.
            *monitor = NEW;
            return Err(error.into());
        }
    };
    let adaptation = monitor.set_settings(SETTINGS);
    // The monitor has missed the samples since the save.
    monitor.interrupt();
    Ok(Start::Restored { save, adaptation })
}

/// Saves the monitor.
///
/// # Errors
/// `Refusal::Flash` if the flash fails, and the newest readable save remains. `Refusal::Region` if the image is too long.
pub fn save<F: NorFlash>(monitor: &mut Watch, slots: &mut Slots<F>) -> Result<(), Refusal> {
    slots.save(monitor)?;
    // No samples come while a page is erased.
    monitor.interrupt();
    Ok(())
}

/// An event for the log.
#[derive(Format)]
pub enum News {
    Phase(Phase),
    /// `channel` has the largest part in the score.
    Alarm { channel: usize, score: f32, threshold: f32 },
    AlarmEnds,
}

pub struct Reporter {
    watching: bool,
    alarm: bool,
}

impl Reporter {
    /// The state before the first sample.
    pub const fn new() -> Self {
        Self {
            watching: false,
            alarm: false,
        }
    }

    /// Observes a sample; returns an event if the verdict changed.
    ///
    /// # Errors
    /// As `Monitor::observe`.
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
