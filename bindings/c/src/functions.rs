//! The C functions, one for each operation, for a monitor of any size. A refused call changes neither monitor nor image;
//! for a refused sample, the verdict names the channel.

use crate::storage::usable;
use crate::verdict::NO_CHANNEL;
use crate::{ChannelState, Configured, Count, Field, Health, Phase, Settings, Status, Storage, Verdict};
use core::ffi::c_char;
use eigenstream::monitor::{Adaptation, Monitor};
use eigenstream::{Codec, Learner, SampleError};

fn status(result: Result<(), Status>) -> Status {
    match result {
        Ok(()) => Status::Ok,
        Err(refused) => refused,
    }
}

/// The value behind a pointer; an error if the pointer is null or misaligned.
///
/// # Safety
/// The pointer is null, or misaligned, or points to a value that may be read.
unsafe fn read<P: Copy>(pointer: *const P) -> Result<P, Status> {
    usable(pointer)?;
    // SAFETY: not null, aligned, and the caller promises that the value may be read.
    Ok(unsafe { pointer.read() })
}

/// Refuses settings of another size, that is of another version.
///
/// # Safety
/// As [`read`]: the pointer is null, or misaligned, or points to a struct whose first field is its size.
#[inline(always)]
unsafe fn settings(pointer: *const Settings) -> Result<Settings, Status> {
    // SAFETY: only the first field, the size, is read before it is checked.
    let size = unsafe { read(pointer.cast::<u32>())? };
    if size as usize != size_of::<Settings>() {
        return Err(Status::SettingsSize);
    }
    // SAFETY: the size is that of `Settings`, and the caller promises so many bytes.
    unsafe { read(pointer) }
}

/// Makes a monitor in the storage.
///
/// # Safety
/// Each pointer is null, or misaligned, or points to a value of its type that no other code uses during the call.
pub unsafe fn init<L: Learner<f32, DIM> + Configured, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    chosen: *const Settings,
) -> Status {
    let make = || {
        usable(storage)?;
        // SAFETY: the caller's promise.
        let chosen = unsafe { settings(chosen)? };
        let (monitor, learner) = (chosen.monitor()?, L::chosen(&chosen)?);
        // All checks come before: the monitor is built where it stays, the learner on the stack (the C guide states the
        // bytes). SAFETY: the caller's promise; not null, aligned.
        unsafe { Storage::put(storage, Monitor::new(monitor, L::configured(learner))) };
        Ok(())
    };
    status(make())
}

/// The name of the field that [`init`] refuses, or `none`.
///
/// # Safety
/// As [`init`].
pub unsafe fn bad_setting<L: Configured>(chosen: *const Settings) -> *const c_char {
    // SAFETY: the caller's promise.
    let field = match unsafe { settings(chosen) } {
        Ok(chosen) => chosen.monitor().and(L::chosen(&chosen).map(drop)).err(),
        Err(Status::SettingsSize) => Some(Field::Size),
        Err(_) => None,
    };
    field.map_or(c"none", Field::name).as_ptr()
}

/// Judges a sample and learns from it.
///
/// # Safety
/// As [`init`]; only `init`, `load` and the other functions have written to the storage.
pub unsafe fn observe<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    sample: *const [f32; DIM],
    verdict: *mut Verdict,
) -> Status {
    match usable(sample) {
        // SAFETY: the caller's promise; not null, aligned.
        Ok(()) => unsafe { judge(storage, &*sample, verdict) },
        Err(refused) => refused,
    }
}

/// Converts a sample of counts, judges it and learns from it.
///
/// # Safety
/// As [`observe`].
pub unsafe fn observe_counts<C: Count, L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    sample: *const [C; DIM],
    verdict: *mut Verdict,
) -> Status {
    match usable(sample) {
        // SAFETY: as in `observe`.
        Ok(()) => unsafe { judge(storage, &(*sample).map(C::number), verdict) },
        Err(refused) => refused,
    }
}

/// One function for samples and counts, to save flash.
///
/// # Safety
/// As [`observe`].
#[inline(never)]
unsafe fn judge<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    sample: &[f32; DIM],
    verdict: *mut Verdict,
) -> Status {
    let judge = || {
        usable(verdict)?;
        // SAFETY: the caller's promise.
        let monitor = unsafe { Storage::monitor_mut(storage)? };
        let (written, result) = match monitor.observe(sample) {
            Ok(judged) => (Verdict::from(judged), Ok(())),
            Err(error) => {
                let (SampleError::NotANumber { channel } | SampleError::TooLarge { channel }) = error else {
                    return Err(error.into());
                };
                let refused = Verdict {
                    score: 0.0,
                    threshold: monitor.threshold(),
                    moved: 0.0,
                    channel: channel as u16,
                    alarm: 0,
                    phase: monitor.phase().into(),
                    state: crate::MachineState::Learning,
                    stuck: NO_CHANNEL,
                };
                (refused, Err(error.into()))
            }
        };
        // SAFETY: not null, aligned, and the caller promises that the value may be written.
        unsafe { verdict.write(written) };
        result
    };
    status(judge())
}

/// Writes the score of a sample alone, without smoothing; the monitor does not learn.
///
/// # Safety
/// As [`observe`].
pub unsafe fn score<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *const Storage<Monitor<f32, L, DIM>>,
    sample: *const [f32; DIM],
    score: *mut f32,
) -> Status {
    let judge = || {
        usable(score)?;
        // SAFETY: the caller's promise.
        let (monitor, sample) = unsafe { (Storage::monitor(storage)?, read(sample)?) };
        let found = monitor.score(&sample)?;
        // SAFETY: as in `judge`.
        unsafe { score.write(found) };
        Ok(())
    };
    status(judge())
}

/// Writes the phase of the monitor.
///
/// # Safety
/// As [`observe`].
pub unsafe fn phase<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *const Storage<Monitor<f32, L, DIM>>,
    phase: *mut u8,
) -> Status {
    let tell = || {
        usable(phase)?;
        // SAFETY: the caller's promise.
        let monitor = unsafe { Storage::monitor(storage)? };
        // SAFETY: not null, and the caller promises that the byte may be written.
        unsafe { phase.write(Phase::from(monitor.phase()) as u8) };
        Ok(())
    };
    status(tell())
}

/// Writes the part of each channel in the score of the last sample.
///
/// # Safety
/// As [`observe`].
pub unsafe fn contribution<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *const Storage<Monitor<f32, L, DIM>>,
    parts: *mut [f32; DIM],
) -> Status {
    let tell = || {
        usable(parts)?;
        // SAFETY: the caller's promise.
        let monitor = unsafe { Storage::monitor(storage)? };
        // SAFETY: as in `judge`.
        unsafe { parts.write(*monitor.contribution()) };
        Ok(())
    };
    status(tell())
}

/// Writes the health of the monitor and the condition of each channel.
///
/// # Safety
/// As [`observe`].
pub unsafe fn health<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *const Storage<Monitor<f32, L, DIM>>,
    health: *mut Health,
    channels: *mut [u8; DIM],
) -> Status {
    let tell = || {
        usable(health)?;
        usable(channels)?;
        // SAFETY: the caller's promise.
        let found = unsafe { Storage::monitor(storage)? }.health();
        let summary = Health {
            usual_score: found.usual_score,
            watched: found.watched,
            alarm_samples: found.alarm_samples,
            alarms: found.alarms,
            locked_out: found.locked_out,
        };
        // SAFETY: as in `judge`.
        unsafe {
            health.write(summary);
            channels.write(found.channels.map(|channel| ChannelState::from(channel) as u8));
        }
        Ok(())
    };
    status(tell())
}

/// Accepts the level of the current alarm as normal.
///
/// # Safety
/// As [`observe`].
pub unsafe fn acknowledge<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
) -> Status {
    // SAFETY: the caller's promise.
    status(unsafe { Storage::monitor_mut(storage) }.and_then(|monitor| {
        if monitor.acknowledge() {
            Ok(())
        } else {
            Err(Status::NothingToAcknowledge)
        }
    }))
}

/// Tells the learner that samples were dropped, which no learner of C uses.
///
/// # Safety
/// As [`observe`].
pub unsafe fn interrupt<L: Learner<f32, DIM>, const DIM: usize>(storage: *mut Storage<Monitor<f32, L, DIM>>) -> Status {
    // SAFETY: the caller's promise.
    status(unsafe { Storage::monitor_mut(storage) }.map(Monitor::interrupt))
}

/// Starts a new calibration: the monitor computes a new threshold from the next samples.
///
/// # Safety
/// As [`observe`].
pub unsafe fn recalibrate<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
) -> Status {
    // SAFETY: the caller's promise.
    status(unsafe { Storage::monitor_mut(storage) }.map(Monitor::recalibrate))
}

/// Writes the image of the monitor.
///
/// With the code of [`load`]: a program that calls both takes 1.5 kB of flash less.
///
/// # Safety
/// As [`observe`]; `image` is null, or points to `length` bytes that may be written.
pub unsafe fn save<L, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    image: *mut u8,
    length: usize,
) -> Status
where
    Monitor<f32, L, DIM>: Codec,
{
    let write = || {
        usable(image)?;
        // SAFETY: the caller's promise.
        let monitor = unsafe { Storage::monitor_mut(storage)? };
        if length < Monitor::<f32, L, DIM>::ENCODED_LEN {
            return Err(Status::ShortBuffer);
        }
        // SAFETY: the caller promises `length` bytes, and the slice has at most as many.
        let image = unsafe { core::slice::from_raw_parts_mut(image, Monitor::<f32, L, DIM>::ENCODED_LEN) };
        monitor.encode_mut(image)?;
        Ok(())
    };
    status(write())
}

/// Exchanges the monitor in the storage with the monitor in the image, never over the stack.
///
/// The settings are `chosen`, or those of the image if it is null. [`Status::BadSetting`] if the image has a score that C
/// cannot choose: both are then as before.
///
/// # Safety
/// As [`observe`]; `image` is null, or points to `length` bytes that may be written; `chosen` is null, or as for
/// [`init`].
pub unsafe fn load<L: Learner<f32, DIM>, const DIM: usize>(
    storage: *mut Storage<Monitor<f32, L, DIM>>,
    image: *mut u8,
    length: usize,
    chosen: *const Settings,
) -> Status
where
    Monitor<f32, L, DIM>: Codec,
{
    let exchange = || {
        usable(image)?;
        let chosen = if chosen.is_null() {
            None
        } else {
            // SAFETY: the caller's promise.
            Some(unsafe { settings(chosen)? }.monitor()?)
        };
        // SAFETY: the caller's promise.
        let monitor = unsafe { Storage::monitor_mut(storage)? };
        // SAFETY: the caller promises `length` bytes that may be written.
        let image = unsafe { core::slice::from_raw_parts_mut(image, length) };
        monitor.decode_into(image)?;
        if let Some(Adaptation::NotTaken) = chosen.map(|chosen| monitor.set_settings(chosen)) {
            // Another score than C has: the monitors change back.
            monitor.decode_into(image)?;
            return Err(Status::BadSetting);
        }
        Ok(())
    };
    status(exchange())
}
