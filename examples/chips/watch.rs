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

/// A monitor that has seen no sample, in flash.
const NEW: Watch = Watch::standard(SETTINGS);

/// The monitor starts as a constant in a `static`. `take` returns a reference to this memory, so no monitor is ever on the stack.
pub static MONITOR: ConstStaticCell<Watch> = ConstStaticCell::new(NEW);

/// Whether each half of the region has room for a save of the monitor.
pub const fn has_room(region: &Range<u32>) -> bool {
    slot_length::<Watch>() <= (region.end - region.start) as usize / 2
}

/// The state of the monitor after a reset.
#[derive(Format)]
pub enum Start {
    /// No complete save was found: the monitor learns from the first sample on.
    Fresh,
    /// The saved monitor continues. `adaptation` says whether the settings of this firmware were applied.
    Restored { save: u32, adaptation: Adaptation },
}

/// Why the monitor was not saved or restored. The flash error itself is dropped, because not every HAL can log it.
#[derive(Format)]
pub enum Refusal {
    /// The flash returned an error.
    Flash,
    /// The image is longer than a slot, or the region is not two slots of whole pages.
    Region,
    /// The image belongs to another firmware; or its checksum is right, but its numbers are not valid or cannot be read any more.
    /// A damaged image (wrong checksum) counts as no save: `Start::Fresh`.
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

/// Restores the monitor that was saved last. The settings of this firmware replace the settings of the image, unless the
/// adaptation is `NotTaken`.
///
/// # Errors
/// `Refusal::Image`. Then the monitor is new.
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
/// `Refusal::Flash`: the flash failed; the newest save that can be read is still there. `Refusal::Region`: the image is longer
/// than a slot; the flash is unchanged.
pub fn save<F: NorFlash>(monitor: &mut Watch, slots: &mut Slots<F>) -> Result<(), Refusal> {
    slots.save(monitor)?;
    // No samples come while a page is erased.
    monitor.interrupt();
    Ok(())
}

/// An event for the log.
#[derive(Format)]
pub enum News {
    /// A new phase has begun.
    Phase(Phase),
    /// The monitor raises an alarm. `channel` has the largest part in the score.
    Alarm { channel: usize, score: f32, threshold: f32 },
    /// The alarm has ended.
    AlarmEnds,
}

/// Reports only changes of the verdict.
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

    /// Passes a sample to the monitor, and returns an event if the verdict changed.
    ///
    /// # Errors
    /// As `Monitor::observe`: a value of the sample is not finite or too large. The monitor does not change.
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
