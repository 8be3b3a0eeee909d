//! Tests the C functions with every kind of wrong pointer and wrong storage that they can detect.
#![allow(missing_docs, reason = "a test")]

mod support;

use eigenstream_c::eigenstream::monitor::Monitor;
use eigenstream_c::eigenstream::pca::Mahalanobis;
use eigenstream_c::{
    Settings, Status, Storage, Verdict, contribution, init, load, observe, observe_counts, save, score,
};
use std::mem::MaybeUninit;
use std::ptr;
use support::NOTHING;

type Watch = Monitor<f32, Mahalanobis<f32, 3>, 3>;
type Room = MaybeUninit<Storage<Watch>>;

fn filled(byte: u8) -> Room {
    let mut room = Room::uninit();
    // SAFETY: the number of bytes is the size of the room.
    unsafe { ptr::write_bytes(room.as_mut_ptr().cast::<u8>(), byte, size_of::<Room>()) };
    room
}

fn started() -> Room {
    let mut room = filled(0);
    // SAFETY: a room of the right size, and valid settings.
    assert_eq!(unsafe { init(room.as_mut_ptr(), &Settings::DEFAULT) }, Status::Ok);
    room
}

/// Sample `i` of three channels that move together.
fn sample(i: u32) -> [f32; 3] {
    let noise = |k: u32| ((i * k) % 17) as f32 / 17.0 - 0.5;
    [noise(5) + noise(11), noise(5) - noise(3), noise(7)]
}

fn observed(room: &mut Room, sample: &[f32; 3]) -> (Status, Verdict) {
    let mut verdict = NOTHING;
    // SAFETY: all pointers point to live values.
    let status = unsafe { observe(room.as_mut_ptr(), sample, &raw mut verdict) };
    (status, verdict)
}

#[test]
fn null_pointers_are_refused() {
    let mut room = started();
    let (mut verdict, mut number) = (NOTHING, 0.0);
    let values = sample(1);
    // SAFETY: each pointer is null or points to a live value.
    unsafe {
        assert_eq!(
            init::<Mahalanobis<f32, 3>, 3>(ptr::null_mut(), &Settings::DEFAULT),
            Status::NullPointer
        );
        assert_eq!(init(room.as_mut_ptr(), ptr::null()), Status::NullPointer);
        assert_eq!(
            observe(room.as_mut_ptr(), ptr::null(), &raw mut verdict),
            Status::NullPointer
        );
        assert_eq!(
            observe(room.as_mut_ptr(), &values, ptr::null_mut()),
            Status::NullPointer
        );
        assert_eq!(score(room.as_ptr(), &values, ptr::null_mut()), Status::NullPointer);
        assert_eq!(score(room.as_ptr(), &values, &raw mut number), Status::Ok);
        assert_eq!(contribution(room.as_ptr(), ptr::null_mut()), Status::NullPointer);
        assert_eq!(save(room.as_mut_ptr(), ptr::null_mut(), 5_000), Status::NullPointer);
        assert_eq!(
            load(room.as_mut_ptr(), ptr::null_mut(), 5_000, ptr::null()),
            Status::NullPointer
        );
    }
}

#[test]
fn misaligned_pointers_are_refused() {
    let mut room = started();
    let mut bytes = [0_u64; 400];
    let odd = bytes.as_mut_ptr().wrapping_byte_add(4);
    let (mut verdict, values) = (NOTHING, [0_u8; 16]);
    // SAFETY: a misaligned pointer is not dereferenced.
    unsafe {
        assert_eq!(
            init::<Mahalanobis<f32, 3>, 3>(odd.cast(), &Settings::DEFAULT),
            Status::Misaligned
        );
        let odd_sample = values.as_ptr().wrapping_add(1 - values.as_ptr() as usize % 2).cast();
        assert_eq!(
            observe(room.as_mut_ptr(), odd_sample, &raw mut verdict),
            Status::Misaligned
        );
    }
}

#[test]
fn storage_without_a_monitor_is_refused() {
    for byte in [0, 0xff, 0xa5, 0x45, 0x57] {
        let (status, verdict) = observed(&mut filled(byte), &sample(1));
        assert_eq!(status, Status::NotInitialised);
        assert_eq!(verdict, NOTHING);
    }
}

#[test]
fn a_neighbour_that_writes_over_either_end_is_noticed() {
    for place in [0, 3, size_of::<Room>() - 8, size_of::<Room>() - 5] {
        let mut room = started();
        // SAFETY: the byte is inside the room.
        unsafe { *room.as_mut_ptr().cast::<u8>().add(place) ^= 0x10 };
        let (status, _) = observed(&mut room, &sample(1));
        assert_eq!(status, Status::NotInitialised, "byte {place}");
    }
}

#[test]
fn settings_of_another_version_and_out_of_range_are_refused() {
    let mut room = filled(0);
    let wrong = [
        (
            Settings {
                size: 8,
                ..Settings::DEFAULT
            },
            Status::SettingsSize,
        ),
        (
            Settings {
                learning: 3,
                ..Settings::DEFAULT
            },
            Status::BadSetting,
        ),
        (
            Settings {
                missing: 9,
                ..Settings::DEFAULT
            },
            Status::BadSetting,
        ),
        (
            Settings {
                new_level: 7,
                ..Settings::DEFAULT
            },
            Status::BadSetting,
        ),
        (
            Settings {
                release: f32::NAN,
                ..Settings::DEFAULT
            },
            Status::BadSetting,
        ),
        (
            Settings {
                false_alarms: -1.0,
                ..Settings::DEFAULT
            },
            Status::BadSetting,
        ),
    ];
    for (settings, status) in wrong {
        // SAFETY: all pointers point to live values.
        let refused = unsafe { init::<Mahalanobis<f32, 3>, 3>(room.as_mut_ptr(), &settings) };
        assert_eq!(refused, status);
        assert_eq!(observed(&mut room, &sample(1)).0, Status::NotInitialised);
    }
}

#[test]
fn a_refused_sample_names_its_channel() {
    let mut room = started();
    let (status, verdict) = observed(&mut room, &[0.0, f32::NAN, 0.0]);
    assert_eq!((status, verdict.channel), (Status::NotANumber, 1));
}

#[test]
fn the_verdicts_are_those_of_the_crate() {
    let mut room = started();
    let mut counts = started();
    let mut monitor = Watch::standard(eigenstream_c::eigenstream::monitor::MonitorSettings::DEFAULT);
    let mut alarms = 0;
    for i in 0..4_000 {
        let mut values = sample(i).map(|value| (1_000.0 * value).round());
        if i > 3_500 {
            values[2] += 9_000.0;
        }
        let (status, verdict) = observed(&mut room, &values);
        assert_eq!(status, Status::Ok);
        let expected = monitor.observe(&values);
        let mut parts = [f32::NAN; 3];
        // SAFETY: all pointers point to live values.
        assert_eq!(unsafe { contribution(room.as_ptr(), &raw mut parts) }, Status::Ok);
        assert_eq!(Ok(parts), expected.map(|verdict| verdict.contribution));
        assert_eq!(Ok(verdict), expected.map(Verdict::from));
        alarms += u32::from(verdict.alarm);
        let mut of_counts = NOTHING;
        // SAFETY: all pointers point to live values.
        let status = unsafe {
            observe_counts(
                counts.as_mut_ptr(),
                &values.map(|value| value as i16),
                &raw mut of_counts,
            )
        };
        assert_eq!((status, of_counts), (Status::Ok, verdict));
    }
    assert!(alarms > 400, "{alarms}");
}

#[test]
fn an_image_goes_on_bit_for_bit_and_a_damaged_one_is_refused() {
    let mut room = started();
    for i in 0..3_000 {
        observed(&mut room, &sample(i));
    }
    let mut image = [0_u8; 4_096];
    let mut other = started();
    // SAFETY: all pointers point to live values.
    unsafe {
        assert_eq!(save(room.as_mut_ptr(), image.as_mut_ptr(), 16), Status::ShortBuffer);
        assert_eq!(save(room.as_mut_ptr(), image.as_mut_ptr(), image.len()), Status::Ok);
        let mut wide = MaybeUninit::<Storage<Monitor<f32, Mahalanobis<f32, 4>, 4>>>::zeroed();
        assert_eq!(
            load(wide.as_mut_ptr(), image.as_mut_ptr(), image.len(), ptr::null()),
            Status::NotInitialised
        );
        assert_eq!(init(wide.as_mut_ptr(), &Settings::DEFAULT), Status::Ok);
        assert_eq!(
            load(wide.as_mut_ptr(), image.as_mut_ptr(), image.len(), ptr::null()),
            Status::OtherImage
        );
        let mut damaged = image;
        damaged[100] ^= 1;
        assert_eq!(
            load(other.as_mut_ptr(), damaged.as_mut_ptr(), damaged.len(), ptr::null()),
            Status::BadImage
        );
        assert_eq!(observed(&mut other, &sample(1)), observed(&mut started(), &sample(1)));
        assert_eq!(
            load(other.as_mut_ptr(), image.as_mut_ptr(), image.len(), &Settings::DEFAULT),
            Status::Ok
        );
    }
    for i in 3_000..3_100 {
        assert_eq!(observed(&mut room, &sample(i)), observed(&mut other, &sample(i)));
    }
}

#[test]
fn an_image_with_a_score_that_c_cannot_choose_changes_nothing() {
    use eigenstream_c::eigenstream::Codec;
    use eigenstream_c::eigenstream::monitor::{MonitorSettings, Score};
    use eigenstream_c::eigenstream::pca::MahalanobisSettings;

    let settings = MonitorSettings::DEFAULT.with_score(Score::Leverage);
    let other = Watch::new(settings, Mahalanobis::new(MahalanobisSettings::DEFAULT));
    let mut image = [0_u8; 4_096];
    assert_eq!(other.encode(&mut image), Ok(Watch::ENCODED_LEN));
    let mut room = started();
    observed(&mut room, &sample(1));
    let (mut before, mut after) = ([0_u8; 4_096], [0_u8; 4_096]);
    let mut tried = image;
    // SAFETY: all pointers point to live values.
    unsafe {
        assert_eq!(save(room.as_mut_ptr(), before.as_mut_ptr(), before.len()), Status::Ok);
        let status = load(room.as_mut_ptr(), tried.as_mut_ptr(), tried.len(), &Settings::DEFAULT);
        assert_eq!(status, Status::BadSetting);
        assert_eq!(save(room.as_mut_ptr(), after.as_mut_ptr(), after.len()), Status::Ok);
    }
    assert_eq!((before, image), (after, tried));
}
