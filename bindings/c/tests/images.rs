//! An image has one form. C writes the bytes that Rust writes, and C, Python and the tool read the committed images: the tests of
//! the Python package and of the tool restore every file of `tests/data/images`.

use std::mem::MaybeUninit;

use eigenstream_c::eigenstream::monitor::{MonitorSettings, SensorMonitor, Threshold};
use eigenstream_c::eigenstream::pca::Mahalanobis;
use eigenstream_c::eigenstream::{Codec, SettingsError};
use eigenstream_c::{Settings, Status, Storage, Verdict, init, load, observe, save};

const CHANNELS: usize = 4;

type Watch = SensorMonitor<f32, CHANNELS>;
type Room = MaybeUninit<Storage<Watch>>;

const IMAGE: usize = Watch::ENCODED_LEN;

/// Sample `i` of four channels that move together.
fn sample(i: u32) -> [f32; CHANNELS] {
    let noise = |k: u32| ((i * k) % 17) as f32 / 17.0 - 0.5;
    [
        noise(5) + noise(11),
        noise(5) - noise(3),
        noise(7),
        noise(5) + noise(13),
    ]
}

fn started() -> Room {
    let mut room = Room::zeroed();
    // SAFETY: a room of the right size, and valid settings.
    let status = unsafe { init::<Mahalanobis<f32, CHANNELS>, CHANNELS>(room.as_mut_ptr(), &Settings::DEFAULT) };
    assert_eq!(status, Status::Ok);
    room
}

fn saved(room: &mut Room) -> [u8; IMAGE] {
    let mut image = [0; IMAGE];
    // SAFETY: a room that was started, and a live buffer.
    let status = unsafe { save(room.as_mut_ptr(), image.as_mut_ptr(), IMAGE) };
    assert_eq!(status, Status::Ok);
    image
}

#[test]
fn c_saves_the_bytes_that_rust_saves_in_every_phase() -> Result<(), SettingsError> {
    let mut room = started();
    // The default of C names its false-alarm rate.
    let settings = MonitorSettings::DEFAULT.with_threshold(Threshold::false_alarms(Settings::DEFAULT.false_alarms)?);
    let mut twin = Watch::standard(settings);
    let mut verdict = MaybeUninit::<Verdict>::uninit();
    for i in 0..2_300 {
        // SAFETY: all pointers point to live values.
        let status = unsafe { observe(room.as_mut_ptr(), &sample(i), verdict.as_mut_ptr()) };
        assert_eq!(status, Status::Ok);
        assert!(twin.observe(&sample(i)).is_ok());
        if i % 100 == 0 {
            let mut image = [0; IMAGE];
            assert_eq!(twin.encode(&mut image), Ok(IMAGE));
            assert_eq!(saved(&mut room), image, "sample {i}");
        }
    }
    // Rust goes on with the image of C.
    let restored = Watch::decode(&saved(&mut room));
    assert_eq!(
        restored.map(|monitor| monitor.score(&sample(7))),
        Ok(twin.score(&sample(7)))
    );
    Ok(())
}

#[test]
fn c_restores_the_image_of_the_test_data_and_saves_it_again() {
    let committed = include_bytes!("../../../tests/data/images/sensor_monitor_f32.eigs");
    let mut image = *committed;
    let mut room = started();
    let before = saved(&mut room);
    // SAFETY: a room that was started, and a live buffer.
    let status = unsafe { load(room.as_mut_ptr(), image.as_mut_ptr(), image.len(), std::ptr::null()) };
    assert_eq!(status, Status::Ok);
    // They have changed places.
    assert_eq!(
        (saved(&mut room).as_slice(), image.as_slice()),
        (committed.as_slice(), before.as_slice())
    );
}
