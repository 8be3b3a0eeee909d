//! Hostile numbers, settings, images and storage for the C functions, in calls of any order. A seed defines each execution.
//! Checked: a call answers or refuses, and a refused call changes neither monitor nor image. Storage without a monitor is
//! refused. Each written number is finite. No byte behind the stated length is written. Every image of a monitor is accepted.
//! Pointers that the functions can recognise as wrong are in `misuse.rs`; other wrong pointers break the contract of the header.
#![allow(missing_docs, reason = "a test")]

#[path = "../../../tests/fuzz/src/dice.rs"]
#[allow(dead_code, unreachable_pub, reason = "a file of another package")]
mod dice;
#[path = "../../../tests/fuzz/src/seal.rs"]
#[allow(unreachable_pub, reason = "a file of another package")]
mod seal;
mod support;

use dice::Dice;
use eigenstream_c::eigenstream::hebbian::Gha;
use eigenstream_c::eigenstream::kernel::{Gaussian, OnlineKernelPca};
use eigenstream_c::eigenstream::monitor::{Monitor, MonitorSettings, Score};
use eigenstream_c::eigenstream::pca::{CenteredPca, Mahalanobis, TrackingPca};
use eigenstream_c::eigenstream::{Codec, Learner};
use eigenstream_c::{
    Configured, Health, Settings, Status, Storage, Verdict, acknowledge, bad_setting, contribution, health, init,
    interrupt, load, observe, observe_counts, phase, recalibrate, save, score, strerror,
};
use seal::seal;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use support::NOTHING;

/// Executions of each learner; valgrind runs this test too.
const EXECUTIONS: u64 = 40;
/// Calls of one execution.
const CALLS: usize = 120;
/// The byte behind the stated length of a buffer.
const CANARY: u8 = 0x5a;
const NO_HEALTH: Health = Health {
    usual_score: 0.0,
    watched: 0,
    alarm_samples: 0,
    alarms: 0,
    locked_out: 0,
};

/// A C program with one monitor: its storage, a buffer for images, and whether the storage holds a monitor.
struct Program<L, const DIM: usize> {
    room: Box<MaybeUninit<Storage<Monitor<f32, L, DIM>>>>,
    buffer: Vec<u8>,
    is_started: bool,
}

impl<L: Learner<f32, DIM> + Configured, const DIM: usize> Program<L, DIM>
where
    Monitor<f32, L, DIM>: Codec,
{
    const IMAGE: usize = <Monitor<f32, L, DIM> as Codec>::ENCODED_LEN;

    fn new(dice: &mut Dice) -> Self {
        let mut program = Self {
            room: Box::new(MaybeUninit::zeroed()),
            buffer: vec![0; Self::IMAGE],
            is_started: false,
        };
        program.fill_storage(dice);
        program
    }

    /// Storage that holds no monitor: erased, filled, or whatever the stack held before.
    fn fill_storage(&mut self, dice: &mut Dice) {
        let start = self.room.as_mut_ptr().cast::<u8>();
        let size = size_of::<Storage<Monitor<f32, L, DIM>>>();
        let constant = [0x00, 0xff, 0xa5][dice.below(3)];
        let is_random = dice.chance(2);
        for place in 0..size {
            let byte = if is_random { dice.below(256) as u8 } else { constant };
            // SAFETY: the byte is inside the storage.
            unsafe { start.add(place).write(byte) };
        }
        self.is_started = false;
    }

    /// The image of the monitor, or nothing for storage without a monitor.
    fn image(&mut self) -> Option<Vec<u8>> {
        let mut image = vec![CANARY; Self::IMAGE + 1];
        // SAFETY: the storage is live, and the buffer has at least `IMAGE` bytes.
        let status = unsafe { save(self.room.as_mut_ptr(), image.as_mut_ptr(), Self::IMAGE) };
        assert_eq!(status == Status::Ok, self.is_started, "{status:?}");
        assert_eq!(image.pop(), Some(CANARY));
        self.is_started.then_some(image)
    }

    /// One call with arguments of any kind. Returns its status, and whether a successful call may change the monitor.
    fn call(&mut self, dice: &mut Dice) -> (Status, bool) {
        let room = self.room.as_mut_ptr();
        let sample = dice.sample::<DIM>().map(|number| number as f32);
        match dice.below(17) {
            0 => {
                let chosen = settings(dice);
                // SAFETY: in all calls below, each pointer points to a live value that nothing else uses.
                let (status, name) = unsafe { (init(room, &raw const chosen), bad_setting::<L>(&raw const chosen)) };
                // SAFETY: `bad_setting` returns a name that lives as long as the program.
                let name = unsafe { CStr::from_ptr(name) };
                assert_eq!(status == Status::Ok, name == c"none", "{name:?}");
                self.is_started |= status == Status::Ok;
                (status, true)
            }
            1 => {
                let mut found = 0.0;
                // SAFETY: as above.
                let status = unsafe { score(room, &raw const sample, &raw mut found) };
                assert!(found.is_finite() && (status == Status::Ok || found == 0.0));
                (status, false)
            }
            2 => {
                let mut found = 99;
                // SAFETY: as above.
                let status = unsafe { phase(room, &raw mut found) };
                assert_eq!(found <= 5, status == Status::Ok);
                (status, false)
            }
            3 => {
                let (mut found, mut channels) = (NO_HEALTH, [99; DIM]);
                // SAFETY: as above.
                let status = unsafe { health(room, &raw mut found, &raw mut channels) };
                assert!(found.usual_score.is_finite());
                assert!(channels.iter().all(|&state| (state <= 4) == (status == Status::Ok)));
                (status, false)
            }
            16 => {
                let mut parts = [f32::NAN; DIM];
                // SAFETY: as above.
                let status = unsafe { contribution(room, &raw mut parts) };
                assert!(
                    parts
                        .iter()
                        .all(|&part| (part >= 0.0 && part.is_finite()) == (status == Status::Ok))
                );
                (status, false)
            }
            // SAFETY: as above.
            4 => (unsafe { acknowledge(room) }, true),
            // SAFETY: as above.
            5 => (unsafe { interrupt(room) }, true),
            // SAFETY: as above.
            6 => (unsafe { recalibrate(room) }, true),
            7 => (self.save(dice), false),
            8 | 9 => (self.load(dice), true),
            10 => {
                let mut verdict = NOTHING;
                let counts = [(); DIM].map(|()| dice.below(1 << 16) as u16);
                // SAFETY: as above.
                let status = unsafe { observe_counts(room, &raw const counts, &raw mut verdict) };
                check_verdict(status, &verdict);
                (status, true)
            }
            _ => {
                let mut verdict = NOTHING;
                // SAFETY: as above.
                let status = unsafe { observe(room, &raw const sample, &raw mut verdict) };
                check_verdict(status, &verdict);
                (status, true)
            }
        }
    }

    /// Saves to a buffer of any stated length.
    fn save(&mut self, dice: &mut Dice) -> Status {
        let length = if dice.chance(2) {
            Self::IMAGE
        } else {
            dice.below(2 * Self::IMAGE)
        };
        let mut buffer = vec![CANARY; length + 1];
        // SAFETY: the buffer has more than `length` bytes.
        let status = unsafe { save(self.room.as_mut_ptr(), buffer.as_mut_ptr(), length) };
        let written = if status == Status::Ok { Self::IMAGE } else { 0 };
        assert!(buffer[written..].iter().all(|&byte| byte == CANARY), "{status:?}");
        if status == Status::Ok {
            buffer.truncate(length);
            self.buffer = buffer;
        }
        status
    }

    /// The image of a monitor that a Rust program made, with any score. A C program can only choose `Score::Loss`.
    fn image_of_rust(dice: &mut Dice) -> Option<Vec<u8>> {
        let score = [Score::Loss, Score::Relative, Score::Leverage, Score::Combined][dice.below(4)];
        let learner = L::configured(L::chosen(&Settings::DEFAULT).ok()?);
        let mut image = vec![0; Self::IMAGE];
        let monitor = Monitor::new(MonitorSettings::DEFAULT.with_score(score), learner);
        monitor.encode(&mut image).ok()?;
        Some(image)
    }

    /// Loads the buffer: a saved image or the image of a Rust program, whole or damaged. Most damaged images get a checksum that
    /// fits.
    fn load(&mut self, dice: &mut Dice) -> Status {
        if dice.chance(6)
            && let Some(image) = Self::image_of_rust(dice)
        {
            self.buffer = image;
        }
        if dice.chance(2) {
            dice.damage(&mut self.buffer);
            if !dice.chance(4) {
                let length = self.buffer.len().min(Self::IMAGE);
                seal(&mut self.buffer[..length]);
            }
        }
        let chosen = settings(dice);
        let chosen = if dice.chance(2) { &raw const chosen } else { ptr::null() };
        let before = self.buffer.clone();
        // SAFETY: the buffer has the stated length; the settings are null or live.
        let status = unsafe { load(self.room.as_mut_ptr(), self.buffer.as_mut_ptr(), before.len(), chosen) };
        assert!(status == Status::Ok || self.buffer == before, "{status:?}");
        status
    }
}

/// The default settings with a training below 200. In most calls one field has any value.
fn settings(dice: &mut Dice) -> Settings {
    let mut chosen = Settings {
        training: dice.below(200) as u32,
        ..Settings::DEFAULT
    };
    let number = dice.number();
    let count = [dice.below(8), dice.below(usize::MAX)][dice.below(2)] as u32;
    match dice.below(24) {
        0 => chosen.size = count,
        1 => chosen.training = count,
        2 => chosen.level_memory = count,
        3 => chosen.input_smoothing = count,
        4 => chosen.smoothing = count,
        5 => chosen.confirm = count,
        6 => chosen.hold_off = count,
        7 => chosen.false_alarms = number as f32,
        8 => chosen.threshold_factor = number as f32,
        9 => chosen.fixed_threshold = number as f32,
        10 => chosen.release = number as f32,
        11 => chosen.learning = count,
        12 => chosen.missing = count,
        13 => chosen.new_level = count,
        14 => chosen.new_level_samples = count,
        15 => chosen.learning_rate = number as f32,
        16 => chosen.gamma = number as f32,
        _ => {}
    }
    chosen
}

/// Checks that a verdict is written only if the sample was judged or refused, and that its numbers are finite.
fn check_verdict(status: Status, verdict: &Verdict) {
    match status {
        Status::Ok | Status::NotANumber | Status::TooLarge => {
            let numbers = [verdict.score, verdict.threshold, verdict.moved];
            assert!(numbers.iter().all(|number| number.is_finite()), "{verdict:?}");
            assert!(status == Status::Ok || verdict.alarm == 0, "{verdict:?}");
        }
        _ => assert_eq!(*verdict, NOTHING),
    }
}

fn run<L: Learner<f32, DIM> + Configured, const DIM: usize>()
where
    Monitor<f32, L, DIM>: Codec,
{
    let mut accepted = 0;
    for seed in 0..EXECUTIONS {
        let dice = &mut Dice::new(seed);
        let mut program = Program::<L, DIM>::new(dice);
        for _ in 0..dice.below(CALLS) {
            if dice.chance(60) {
                program.fill_storage(dice);
            }
            let (before, was_started) = (program.image(), program.is_started);
            let (status, changes) = program.call(dice);
            let refused = status != Status::Ok;
            accepted += u64::from(!refused);
            let started_now = !was_started && program.is_started;
            assert!(
                refused || was_started || started_now,
                "seed {seed}: {status:?} without a monitor"
            );
            if refused || !changes {
                assert_eq!(program.image(), before, "seed {seed}: {status:?} and changed");
            }
        }
        let last = program.image();
        if let Some(image) = last {
            let mut copy = image.clone();
            // SAFETY: the storage and the buffer are live.
            let status = unsafe { load(program.room.as_mut_ptr(), copy.as_mut_ptr(), copy.len(), ptr::null()) };
            assert_eq!(status, Status::Ok, "seed {seed}: its own image is refused");
            assert_eq!(program.image(), Some(image), "seed {seed}: restored as something else");
        }
    }
    assert!(accepted > EXECUTIONS, "{accepted} calls were accepted");
}

#[test]
fn the_standard_monitor_survives() {
    run::<Mahalanobis<f32, 3>, 3>();
}

#[test]
fn the_tracking_monitor_survives() {
    run::<TrackingPca<f32, 4, 1, 3>, 4>();
}

#[test]
fn the_centered_monitor_survives() {
    run::<CenteredPca<f32, 3, 1>, 3>();
}

#[test]
fn the_hebbian_monitor_survives() {
    run::<Gha<f32, 3, 1>, 3>();
}

#[test]
fn the_kernel_monitor_survives() {
    run::<OnlineKernelPca<f32, Gaussian<f32>, 3, 1, 6, 6>, 3>();
}

#[test]
fn every_number_has_a_sentence() {
    let dice = &mut Dice::new(1);
    for number in (-2..20).chain((0..1_000).map(|_| dice.below(usize::MAX) as i32)) {
        // SAFETY: `strerror` returns a sentence that lives as long as the program.
        let sentence = unsafe { CStr::from_ptr(strerror(number)) };
        assert!(sentence.to_str().is_ok_and(|text| text.len() > 3), "{number}");
    }
}
