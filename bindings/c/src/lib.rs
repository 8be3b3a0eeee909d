//! eigenstream for C and C++: monitors in storage that the caller owns, behind the functions of `include/eigenstream.h`.
//!
//! [`monitor!`] makes the functions of one configuration. Their names contain channels and bytes, so a program with another
//! header does not link. `eigenstream c` writes this line, its header and the archive.
//!
//! All `unsafe` code of the project is here. Pointers are checked for null and alignment, storage for its magic words; the
//! caller guarantees the bytes behind a pointer, and that one thread uses a monitor at a time.
#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

mod configured;
mod counts;
mod functions;
mod names;
mod settings;
mod status;
mod storage;
mod verdict;

pub use configured::Configured;
pub use counts::Count;
pub use eigenstream;
pub use functions::*;
pub use names::{channel_name, phase_name, state_name};
pub use settings::{Field, Learning, Missing, NewLevel, Settings};
pub use status::{Status, strerror};
pub use storage::Storage;
pub use verdict::{ChannelState, Health, MachineState, Phase, Verdict};

#[cfg(all(target_os = "none", feature = "panic_does_not_link"))]
mod panic_does_not_link {
    unsafe extern "C" {
        /// Not defined: a program that can reach the panic handler does not link.
        safe fn eigenstream_has_a_panic_path() -> !;
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        eigenstream_has_a_panic_path()
    }
}

/// The functions of one configuration. Arguments: the prefix of the function names, the type of the learner, the number of
/// channels, and the bytes of the storage.
///
/// ```
/// eigenstream_c::monitor!("motor", eigenstream_c::eigenstream::pca::Mahalanobis<f32, 6>, 6, 1400);
/// # fn main() {}
/// ```
///
/// A number of bytes that differs from the size of [`Storage`] does not compile:
/// ```compile_fail,E0080
/// eigenstream_c::monitor!("motor", eigenstream_c::eigenstream::pca::Mahalanobis<f32, 6>, 6, 1408);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! monitor {
    ($name:literal, $learner:ty, $channels:literal, $bytes:literal) => {
        const _: () = {
            use $crate::{Health, Settings, Status, Verdict};

            type Watch = $crate::eigenstream::monitor::Monitor<f32, $learner, $channels>;
            type Storage = $crate::Storage<Watch>;

            const _: () = assert!(
                size_of::<Storage>() == $bytes,
                "the bytes in the name of the functions are those of the storage"
            );

            #[unsafe(export_name = concat!($name, "_init_", $channels, "_", $bytes))]
            unsafe extern "C" fn init(storage: *mut Storage, settings: *const Settings) -> Status {
                // SAFETY: the caller of each C function gives the promises of the function here.
                unsafe { $crate::init(storage, settings) }
            }

            #[unsafe(export_name = concat!($name, "_bad_setting_", $channels, "_", $bytes))]
            unsafe extern "C" fn bad_setting(settings: *const Settings) -> *const core::ffi::c_char {
                // SAFETY: as above.
                unsafe { $crate::bad_setting::<$learner>(settings) }
            }

            #[unsafe(export_name = concat!($name, "_observe_", $channels, "_", $bytes))]
            unsafe extern "C" fn observe(
                storage: *mut Storage,
                sample: *const [f32; $channels],
                verdict: *mut Verdict,
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::observe(storage, sample, verdict) }
            }

            #[unsafe(export_name = concat!($name, "_observe_i16_", $channels, "_", $bytes))]
            unsafe extern "C" fn observe_i16(
                storage: *mut Storage,
                sample: *const [i16; $channels],
                verdict: *mut Verdict,
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::observe_counts(storage, sample, verdict) }
            }

            #[unsafe(export_name = concat!($name, "_observe_u16_", $channels, "_", $bytes))]
            unsafe extern "C" fn observe_u16(
                storage: *mut Storage,
                sample: *const [u16; $channels],
                verdict: *mut Verdict,
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::observe_counts(storage, sample, verdict) }
            }

            #[unsafe(export_name = concat!($name, "_contribution_", $channels, "_", $bytes))]
            unsafe extern "C" fn contribution(storage: *const Storage, parts: *mut [f32; $channels]) -> Status {
                // SAFETY: as above.
                unsafe { $crate::contribution(storage, parts) }
            }

            #[unsafe(export_name = concat!($name, "_score_", $channels, "_", $bytes))]
            unsafe extern "C" fn score(
                storage: *const Storage,
                sample: *const [f32; $channels],
                score: *mut f32,
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::score(storage, sample, score) }
            }

            #[unsafe(export_name = concat!($name, "_phase_", $channels, "_", $bytes))]
            unsafe extern "C" fn phase(storage: *const Storage, phase: *mut u8) -> Status {
                // SAFETY: as above.
                unsafe { $crate::phase(storage, phase) }
            }

            #[unsafe(export_name = concat!($name, "_health_", $channels, "_", $bytes))]
            unsafe extern "C" fn health(
                storage: *const Storage,
                health: *mut Health,
                channels: *mut [u8; $channels],
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::health(storage, health, channels) }
            }

            #[unsafe(export_name = concat!($name, "_acknowledge_", $channels, "_", $bytes))]
            unsafe extern "C" fn acknowledge(storage: *mut Storage) -> Status {
                // SAFETY: as above.
                unsafe { $crate::acknowledge(storage) }
            }

            #[unsafe(export_name = concat!($name, "_interrupt_", $channels, "_", $bytes))]
            unsafe extern "C" fn interrupt(storage: *mut Storage) -> Status {
                // SAFETY: as above.
                unsafe { $crate::interrupt(storage) }
            }

            #[unsafe(export_name = concat!($name, "_recalibrate_", $channels, "_", $bytes))]
            unsafe extern "C" fn recalibrate(storage: *mut Storage) -> Status {
                // SAFETY: as above.
                unsafe { $crate::recalibrate(storage) }
            }

            #[unsafe(export_name = concat!($name, "_image_bytes_", $channels, "_", $bytes))]
            extern "C" fn image_bytes() -> usize {
                <Watch as $crate::eigenstream::Codec>::ENCODED_LEN
            }

            #[unsafe(export_name = concat!($name, "_save_", $channels, "_", $bytes))]
            unsafe extern "C" fn save(storage: *mut Storage, image: *mut u8, length: usize) -> Status {
                // SAFETY: as above.
                unsafe { $crate::save(storage, image, length) }
            }

            #[unsafe(export_name = concat!($name, "_load_", $channels, "_", $bytes))]
            unsafe extern "C" fn load(
                storage: *mut Storage,
                image: *mut u8,
                length: usize,
                settings: *const Settings,
            ) -> Status {
                // SAFETY: as above.
                unsafe { $crate::load(storage, image, length, settings) }
            }
        };
    };
}
