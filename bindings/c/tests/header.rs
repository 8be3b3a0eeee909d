//! The header says what the functions do: names of constants, ranges of settings, the verdict of a refused sample.
#![allow(missing_docs, reason = "a test")]

mod support;

use eigenstream_c::eigenstream::hebbian::Gha;
use eigenstream_c::eigenstream::kernel::{Gaussian, OnlineKernelPca};
use eigenstream_c::eigenstream::monitor::Monitor;
use eigenstream_c::eigenstream::pca::Mahalanobis;
use eigenstream_c::eigenstream::{Codec, Learner};
use eigenstream_c::{
    Configured, MachineState, Missing, NewLevel, Phase, Settings, Status, Storage, Verdict, acknowledge, bad_setting,
    channel_name, init, load, observe, phase_name, save, state_name, strerror,
};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use support::NOTHING;

const HEADER: &str = include_str!("../include/eigenstream.h");

type Room<L, const DIM: usize> = Box<MaybeUninit<Storage<Monitor<f32, L, DIM>>>>;

fn text(words: *const c_char) -> &'static str {
    // SAFETY: the functions return sentences that live as long as the program.
    unsafe { CStr::from_ptr(words) }.to_str().unwrap_or_default()
}

/// The constants of an enum of the header, as `(name without its prefix, number)`.
fn constants(title: &str, prefix: &str) -> Vec<(String, u8)> {
    let start = format!("enum {title} {{\n");
    let (_, rest) = HEADER.split_once(&start).unwrap_or_default();
    let (body, _) = rest.split_once('}').unwrap_or_default();
    let constant = |line: &str| {
        let (name, rest) = line.trim().split_once(" = ")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let name = name.strip_prefix(prefix)?.to_lowercase().replace('_', " ");
        Some((name, digits.parse().ok()?))
    };
    body.lines().filter_map(constant).collect()
}

#[test]
fn every_constant_has_its_name() {
    type Name = extern "C" fn(u8) -> *const c_char;
    let enums: [(&str, &str, Name, u8); 3] = [
        ("eig_phase", "EIG_", phase_name, 6),
        ("eig_state", "EIG_", state_name, 7),
        ("eig_channel", "EIG_CHANNEL_", channel_name, 5),
    ];
    for (title, prefix, name, count) in enums {
        let found: Vec<(String, u8)> = (0..count).map(|number| (text(name(number)).into(), number)).collect();
        assert_eq!(constants(title, prefix), found, "{title}");
        for number in count..=u8::MAX {
            assert_eq!(text(name(number)), "no value of eigenstream", "{title}");
        }
    }
}

#[test]
fn the_version_is_that_of_the_crate() {
    let manifest = include_str!("../../../Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    let line = format!("#define EIG_VERSION {}\n", version.unwrap_or_default());
    assert!(HEADER.contains(&line), "{line}");
}

/// Rule 3.1 of MISRA C.
#[test]
fn no_comment_is_inside_a_comment() {
    assert!(!HEADER.contains("//"));
    let comments = HEADER.split("/*").skip(1);
    assert!(comments.clone().count() > 50 && comments.clone().all(|rest| rest.matches("*/").count() == 1));
}

fn made<L: Learner<f32, DIM> + Configured, const DIM: usize>(settings: &Settings) -> (Room<L, DIM>, Status) {
    let mut room: Room<L, DIM> = Box::new(MaybeUninit::zeroed());
    // SAFETY: a room of the right size, and live settings.
    let status = unsafe { init(room.as_mut_ptr(), settings) };
    (room, status)
}

fn saved<L: Learner<f32, DIM>, const DIM: usize>(room: &mut Room<L, DIM>) -> Vec<u8>
where
    Monitor<f32, L, DIM>: Codec,
{
    let mut image = vec![0; <Monitor<f32, L, DIM> as Codec>::ENCODED_LEN];
    // SAFETY: a room of the right size, and a live buffer.
    let status = unsafe { save(room.as_mut_ptr(), image.as_mut_ptr(), image.len()) };
    assert_eq!(status, Status::Ok);
    image
}

type Kernel = OnlineKernelPca<f32, Gaussian<f32>, 3, 1, 8, 5>;

fn name_of_bad<L: Configured>(settings: &Settings) -> &'static str {
    // SAFETY: live settings.
    text(unsafe { bad_setting::<L>(settings) })
}

#[test]
fn numbers_out_of_the_stated_ranges_are_refused_and_named() {
    type Field = fn(&mut Settings) -> &mut f32;
    const NO_NUMBERS: [f32; 3] = [-1.0, f32::NAN, f32::INFINITY];
    let fields: [(&str, Field, &[f32], &[f32]); 6] = [
        ("false_alarms", |it| &mut it.false_alarms, &[1e-30, 0.999], &[0.0, 1.0]),
        ("threshold_factor", |it| &mut it.threshold_factor, &[0.0, 1e30], &[]),
        (
            "fixed_threshold",
            |it| &mut it.fixed_threshold,
            &[0.0, 1e-30, 1e30],
            &[],
        ),
        ("release", |it| &mut it.release, &[1e-30, 1.0], &[0.0, 1.001]),
        ("learning_rate", |it| &mut it.learning_rate, &[0.0, 1e-9, 1.0], &[]),
        // With a γ this small, the learner's default rate overflows.
        ("gamma", |it| &mut it.gamma, &[0.0, 1e-9, 1.0], &[1e-45]),
    ];
    for (name, field, good, bad) in fields {
        let answer = |number: f32| {
            let mut settings = Settings::DEFAULT;
            *field(&mut settings) = number;
            (made::<Kernel, 3>(&settings).1, name_of_bad::<Kernel>(&settings))
        };
        for &number in good {
            assert_eq!(answer(number), (Status::Ok, "none"), "{name}, {number}");
        }
        for &number in bad.iter().chain(&NO_NUMBERS) {
            assert_eq!(answer(number), (Status::BadSetting, name), "{name}, {number}");
        }
        assert!(HEADER.contains(&format!("  float {name}; ")), "{name}");
    }
}

#[test]
fn choices_that_do_not_exist_and_settings_of_another_size_are_named() {
    type Field = fn(&mut Settings) -> &mut u32;
    let fields: [(&str, Field, Status); 4] = [
        ("learning", |it| &mut it.learning, Status::BadSetting),
        ("missing", |it| &mut it.missing, Status::BadSetting),
        ("new_level", |it| &mut it.new_level, Status::BadSetting),
        ("size", |it| &mut it.size, Status::SettingsSize),
    ];
    for (name, field, status) in fields {
        let mut settings = Settings::DEFAULT;
        *field(&mut settings) = 9;
        assert_eq!(made::<Kernel, 3>(&settings).1, status, "{name}");
        assert_eq!(name_of_bad::<Kernel>(&settings), name);
        assert!(HEADER.contains(&format!("  uint32_t {name}; ")), "{name}");
    }
    let settings: *const Settings = &Settings::DEFAULT;
    for unusable in [std::ptr::null(), settings.wrapping_byte_add(1)] {
        // SAFETY: a null or misaligned pointer is not dereferenced.
        assert_eq!(text(unsafe { bad_setting::<Kernel>(unusable) }), "none");
    }
}

#[test]
fn a_setting_without_use_may_have_any_value() {
    let settings = Settings {
        fixed_threshold: 2.0,
        false_alarms: -1.0,
        learning_rate: -1.0,
        gamma: f32::NAN,
        ..Settings::DEFAULT
    };
    assert_eq!(made::<Mahalanobis<f32, 3>, 3>(&settings).1, Status::Ok);
    assert_eq!(name_of_bad::<Mahalanobis<f32, 3>>(&settings), "none");
    assert_eq!(name_of_bad::<Gha<f32, 3, 1>>(&settings), "learning_rate");
}

#[test]
fn counts_have_the_limits_that_the_header_states() {
    type Field = fn(&mut Settings) -> &mut u32;
    // The field, and two numbers that count as one.
    let fields: [(Field, u32, u32); 6] = [
        (|it| &mut it.training, 0, 27),
        (|it| &mut it.training, u32::MAX, 1 << 31),
        (|it| &mut it.input_smoothing, 0, 1),
        (|it| &mut it.smoothing, 0, 1),
        (|it| &mut it.confirm, 0, 1),
        (|it| &mut it.new_level_samples, 0, 16),
    ];
    for (place, (field, one, other)) in fields.into_iter().enumerate() {
        let [one, other] = [one, other].map(|count| {
            let mut settings = Settings {
                training: 200,
                ..Settings::DEFAULT
            };
            *field(&mut settings) = count;
            let (mut room, status) = made::<Mahalanobis<f32, 3>, 3>(&settings);
            assert_eq!(status, Status::Ok, "field {place}");
            verdicts(&mut room)
        });
        assert_eq!(one, other, "field {place}");
    }
}

/// The verdicts on samples of which the last have another level.
fn verdicts(room: &mut Room<Mahalanobis<f32, 3>, 3>) -> Vec<Verdict> {
    let verdict = |time| {
        let mut verdict = NOTHING;
        // SAFETY: a room with a monitor, and live values.
        let status = unsafe { observe(room.as_mut_ptr(), &sample(time), &raw mut verdict) };
        assert_eq!(status, Status::Ok);
        verdict
    };
    (0..400).map(verdict).collect()
}

/// Sample `time` of three channels; from 300 on the last one grows.
fn sample(time: u32) -> [f32; 3] {
    let noise = |k: u32| ((time * k) % 17) as f32 / 17.0 - 0.5;
    let fault = 0.2 * time.saturating_sub(300) as f32;
    [noise(5) + noise(11), noise(5) - noise(3), noise(7) + fault]
}

#[test]
fn the_verdict_of_a_refused_sample_is_as_stated() {
    let settings = Settings {
        training: 200,
        ..Settings::DEFAULT
    };
    let (mut room, _) = made::<Mahalanobis<f32, 3>, 3>(&settings);
    let last = *verdicts(&mut room).last().unwrap_or(&NOTHING);
    assert_eq!(last.alarm, 1);
    for (wrong, expected) in [
        (f32::NAN, Status::NotANumber),
        (f32::INFINITY, Status::NotANumber),
        (1e30, Status::TooLarge),
    ] {
        let mut verdict = NOTHING;
        // SAFETY: a room with a monitor, and live values.
        let status = unsafe { observe(room.as_mut_ptr(), &[0.0, wrong, 0.0], &raw mut verdict) };
        let stated = Verdict {
            score: 0.0,
            threshold: last.threshold,
            moved: 0.0,
            channel: 1,
            alarm: 0,
            phase: Phase::Watching,
            state: MachineState::Learning,
            stuck: 255,
        };
        assert_eq!((status, verdict), (expected, stated));
    }
}

#[test]
fn an_alarm_of_sixteen_samples_can_be_acknowledged_and_a_shorter_one_cannot() {
    let settings = Settings {
        training: 200,
        ..Settings::DEFAULT
    };
    let (mut room, _) = made::<Mahalanobis<f32, 3>, 3>(&settings);
    let mut alarms = 0;
    for time in 0..400 {
        let mut verdict = NOTHING;
        // SAFETY: a room with a monitor, and live values.
        unsafe { observe(room.as_mut_ptr(), &sample(time), &raw mut verdict) };
        alarms += u32::from(verdict.alarm);
        if verdict.alarm == 1 && alarms <= 16 {
            // SAFETY: a room with a monitor.
            let status = unsafe { acknowledge(room.as_mut_ptr()) };
            let stated = if alarms < 16 {
                Status::NothingToAcknowledge
            } else {
                Status::Ok
            };
            assert_eq!(status, stated, "{alarms} samples of alarm");
        }
    }
    assert!(alarms >= 16);
    assert!(text(strerror(Status::NothingToAcknowledge as i32)).contains("16"));
}

#[test]
fn the_sentence_about_the_storage_names_both_causes() {
    let sentence = text(strerror(Status::NotInitialised as i32));
    assert!(
        sentence.contains("no monitor") && sentence.contains("overwritten"),
        "{sentence}"
    );
}

#[test]
fn a_load_keeps_the_learning_rate_of_the_image() {
    type Watched = Gha<f32, 3, 1>;
    let (mut room, _) = made::<Watched, 3>(&Settings::DEFAULT);
    let original = saved(&mut room);
    let other = Settings {
        learning_rate: 0.5,
        gamma: 0.5,
        ..Settings::DEFAULT
    };
    let (mut second, _) = made::<Watched, 3>(&other);
    assert_ne!(saved(&mut second), original);
    let mut image = original.clone();
    // SAFETY: a room with a monitor, a live buffer and live settings.
    let status = unsafe { load(second.as_mut_ptr(), image.as_mut_ptr(), image.len(), &other) };
    assert_eq!((status, saved(&mut second)), (Status::Ok, original));
}

/// The last verdict on a stream whose last channel is at a new, steady level for 2,400 samples.
fn after_a_steady_fault(new_level: u32) -> Verdict {
    let settings = Settings {
        training: 500,
        new_level,
        new_level_samples: 200,
        ..Settings::DEFAULT
    };
    let (mut room, _) = made::<Mahalanobis<f32, 3>, 3>(&settings);
    let mut verdict = NOTHING;
    for time in 0..3_000_u32 {
        let mut values = sample(time % 289);
        if time >= 600 {
            values[2] += 9.0;
        }
        // SAFETY: a room with a monitor, and live values.
        let status = unsafe { observe(room.as_mut_ptr(), &values, &raw mut verdict) };
        assert_eq!(status, Status::Ok);
    }
    verdict
}

#[test]
fn a_steady_new_level_is_accepted_or_waits_as_stated() {
    for (new_level, alarm, state) in [
        (NewLevel::Accept, 0, MachineState::SecondNormal),
        (NewLevel::Ask, 1, MachineState::Steady),
        (NewLevel::Never, 1, MachineState::Steady),
    ] {
        let verdict = after_a_steady_fault(new_level as u32);
        assert_eq!((verdict.alarm, verdict.state), (alarm, state), "{new_level:?}");
    }
}

#[test]
fn a_missing_value_is_filled_in_and_a_sample_without_values_is_refused() {
    let settings = Settings {
        missing: Missing::Impute as u32,
        training: 200,
        ..Settings::DEFAULT
    };
    let (mut room, _) = made::<Mahalanobis<f32, 3>, 3>(&settings);
    verdicts(&mut room);
    for (values, expected) in [
        ([0.0, f32::NAN, 0.0], Status::Ok),
        ([f32::NAN; 3], Status::NotANumber),
        ([0.0, f32::INFINITY, 0.0], Status::NotANumber),
    ] {
        let mut verdict = NOTHING;
        // SAFETY: a room with a monitor, and live values.
        let status = unsafe { observe(room.as_mut_ptr(), &values, &raw mut verdict) };
        assert_eq!(status, expected, "{values:?}");
    }
}

#[test]
fn the_default_settings_are_those_of_the_header() {
    let (_, rest) = HEADER
        .split_once("eig_settings eig_settings_default(void) {")
        .unwrap_or_default();
    let (body, _) = rest.split_once("return settings;").unwrap_or_default();
    let stated: Vec<String> = (body.lines())
        .filter_map(|line| line.trim().strip_prefix("settings.")?.strip_suffix(';'))
        .map(|line| line.trim_end_matches(['u', 'f']).into())
        .collect();
    let it = Settings::DEFAULT;
    let choices = [(it.learning, 0), (it.missing, 0), (it.new_level, 0)];
    assert!(choices.iter().all(|(found, expected)| found == expected));
    let expected = [
        "size = sizeof(eig_settings)".into(),
        format!("training = {}", it.training),
        format!("level_memory = {}", it.level_memory),
        format!("input_smoothing = {}", it.input_smoothing),
        format!("smoothing = {}", it.smoothing),
        format!("confirm = {}", it.confirm),
        format!("hold_off = {}", it.hold_off),
        format!("false_alarms = {:e}", it.false_alarms),
        format!("threshold_factor = {:.1}", it.threshold_factor),
        format!("fixed_threshold = {:.1}", it.fixed_threshold),
        format!("release = {:.1}", it.release),
        "learning = EIG_LEARN_WHILE_NORMAL".into(),
        "missing = EIG_MISSING_REFUSE".into(),
        "new_level = EIG_NEW_LEVEL_ACCEPT".into(),
        format!("new_level_samples = {}", it.new_level_samples),
        format!("learning_rate = {:.1}", it.learning_rate),
        format!("gamma = {:.1}", it.gamma),
    ];
    assert_eq!(stated, expected);
}
