//! Promises of the default settings, on a machine with four channels and one load.

use eigenstream::monitor::stages::Histogram;
use eigenstream::monitor::{
    Learning, Missing, Monitor, MonitorSettings, Phase, Schedule, SensorMonitor, State, Threshold,
};
use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{SampleError, Scalar, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::machine::run;

const DIM: usize = 4;
const TRAINING: usize = 1_000;
const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(TRAINING as u32);

struct Motor(Xoshiro128PlusPlus);

impl Motor {
    fn chance(&mut self) -> f32 {
        2.0 * f32::uniform(&mut self.0) - 1.0
    }

    /// A random load moves all channels; each channel also has noise of at most 0.1.
    fn sample(&mut self, load: f32) -> [f32; DIM] {
        let load = load * self.chance();
        [10.0, -5.0, 60.0, 1.0].map(|offset: f32| offset + load + 0.1 * self.chance())
    }
}

/// Trains a monitor; `replaced` replaces one training sample.
fn trained(seed: u64, replaced: Option<(usize, [f32; DIM])>) -> Result<(Motor, SensorMonitor<f32, DIM>), SampleError> {
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
    let mut monitor = SensorMonitor::standard(SETTINGS);
    for i in 0..TRAINING {
        let sample = motor.sample(1.0);
        let sample = replaced
            .filter(|(place, _)| *place == i)
            .map_or(sample, |(_, other)| other);
        monitor.observe(&sample)?;
    }
    assert_eq!(monitor.phase(), Phase::Watching);
    Ok((motor, monitor))
}

/// Counts the samples in alarm that name `channel`, during a fault 13 times as large as the largest noise.
fn found(motor: &mut Motor, monitor: &mut SensorMonitor<f32, DIM>, channel: usize) -> Result<usize, SampleError> {
    let mut alarms = 0;
    for _ in 0..900 {
        let mut sample = motor.sample(1.0);
        sample[channel] += 1.3;
        let verdict = monitor.observe(&sample)?;
        alarms += usize::from(verdict.alarm && verdict.guilty() == channel);
    }
    Ok(alarms)
}

#[test]
fn a_fault_of_thirteen_noise_widths_raises_the_alarm_as_long_as_it_lasts() -> Result<(), SampleError> {
    for seed in 0..20 {
        for channel in 0..DIM {
            let (mut motor, mut monitor) = trained(seed, None)?;
            let alarms = found(&mut motor, &mut monitor, channel)?;
            assert!(alarms > 850, "channel {channel}, seed {seed}: {alarms}");
        }
    }
    Ok(())
}

#[test]
fn normal_samples_after_a_pause_raise_no_alarm() -> Result<(), SampleError> {
    for seed in 0..20 {
        let (mut motor, mut monitor) = trained(seed, None)?;
        run(&mut monitor, 300, || motor.sample(0.0))?;
        let (alarms, _) = run(&mut monitor, 5_000, || motor.sample(1.0))?;
        assert!(alarms <= 50, "seed {seed}: {alarms}");
    }
    Ok(())
}

/// The channel repeats each value 25 times also in normal operation, so a standstill is no alarm.
#[test]
fn with_a_fixed_threshold_a_long_standstill_forgets_nothing() -> Result<(), Box<dyn std::error::Error>> {
    for learning in [Learning::WhileNormal, Learning::Always] {
        let settings = MonitorSettings::DEFAULT
            .with_training(600)
            .with_level_memory(20)
            .with_learning(learning)
            .with_threshold(Threshold::fixed(20.0)?);
        let shape = Mahalanobis::new(MahalanobisSettings::DEFAULT.with_memory(300));
        let mut monitor = Monitor::<f32, Mahalanobis<f32, 1>, 1>::new(settings, shape);
        let step = |i: usize| [(i / 25 * 7 % 11) as f32];
        for i in 0..1_000 {
            assert!(!monitor.observe(&step(i))?.alarm);
        }
        for _ in 0..60_000 {
            assert!(!monitor.observe(&[5.0])?.alarm);
        }
        for i in 0..300 {
            assert!(!monitor.observe(&step(i))?.alarm, "{learning:?} {i}");
        }
        assert!((0..20).any(|_| monitor.observe(&[1e3]).is_ok_and(|verdict| verdict.alarm)));
    }
    Ok(())
}

#[test]
fn one_extreme_training_sample_hides_no_fault() -> Result<(), SampleError> {
    for (place, wild) in [
        (850, 30.0),
        (50, -9_999.0),
        (50, 1_000.0),
        (400, -9_999.0),
        (400, 1_000.0),
    ] {
        for seed in 0..20 {
            let (mut motor, mut monitor) = trained(seed, Some((place, [10.0, -5.0, wild, 1.0])))?;
            let alarms = found(&mut motor, &mut monitor, 2)?;
            assert!(alarms > 850, "{wild} at {place}, seed {seed}: {alarms}");
        }
    }
    Ok(())
}

#[test]
fn channels_that_never_move_give_neither_threshold_nor_alarm() -> Result<(), SampleError> {
    let mut monitor = SensorMonitor::<f32, DIM>::standard(SETTINGS);
    for _ in 0..5_000 {
        let verdict = monitor.observe(&[3.0; DIM])?;
        assert!(!verdict.alarm && verdict.threshold == f32::MAX);
    }
    assert_eq!(monitor.phase(), Phase::Standstill);
    Ok(())
}

#[test]
fn a_channel_that_is_always_missing_is_left_out() -> Result<(), SampleError> {
    for seed in 0..20 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::standard(SETTINGS.with_missing(Missing::Impute));
        let mut next = |fault: f32| {
            let [a, b, c, _] = motor.sample(1.0);
            [a, b + fault, c, f32::NAN]
        };
        run(&mut monitor, TRAINING, || next(0.0))?;
        assert_eq!(monitor.phase(), Phase::Watching);
        let (alarms, _) = run(&mut monitor, 200, || next(1.3))?;
        assert!(alarms > 180, "seed {seed}: {alarms}");
    }
    Ok(())
}

#[test]
fn with_learning_always_a_constant_offset_becomes_normal() -> Result<(), SampleError> {
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(1));
    let mut monitor = SensorMonitor::standard(SETTINGS.with_learning(Learning::Always));
    run(&mut monitor, TRAINING, || motor.sample(1.0))?;
    let mut state = State::Normal;
    for _ in 0..10_000 {
        let mut sample = motor.sample(1.0);
        sample[1] += 20.0;
        state = monitor.observe(&sample)?.state;
    }
    assert_eq!(state, State::Normal);
    Ok(())
}

/// Moves channel 0 up and channel 1 down by `distance` while the motor is on.
///
/// Returns the number of samples in alarm among the first 2,000 watched samples, and among the next 600, which have a
/// fault on channel 2.
fn alarms_with_two_states(
    rows: usize,
    distance: f32,
    is_on: impl Fn(usize) -> bool,
) -> Result<[usize; 2], SampleError> {
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(3));
    let mut monitor = SensorMonitor::<f32, DIM>::standard(MonitorSettings::DEFAULT.with_training(rows as u32));
    let mut alarms = [0; 2];
    let mut watched = 0;
    for i in 0..5 * rows + 2_600 {
        let mut sample = motor.sample(1.0);
        let faulty = watched >= 2_000;
        if is_on(i) {
            sample[0] += distance;
            sample[1] -= distance;
        }
        sample[2] += if faulty { 1.3 } else { 0.0 };
        let verdict = monitor.observe(&sample)?;
        alarms[usize::from(faulty)] += usize::from(verdict.alarm);
        watched += usize::from(verdict.phase.is_watching());
        if watched == 2_600 {
            break;
        }
    }
    assert_eq!(watched, 2_600);
    Ok(alarms)
}

/// The limits are in `src/guide/tuning.md`. A spread is about 0.6.
#[test]
fn a_second_state_of_the_machine_is_learned_in_training() -> Result<(), SampleError> {
    for (share, distances) in [(45, [3.0, 60.0, 6_000.0]), (90, [6.0, 60.0, 6_000.0])] {
        for distance in distances {
            let alarms = alarms_with_two_states(2_048, distance, |i| i % 300 < share)?;
            assert!(alarms[0] == 0 && alarms[1] > 590, "{share}, {distance}: {alarms:?}");
        }
    }
    // A state 10 to 45 spreads away that fills less than three tenths of the training hides faults.
    let hidden = alarms_with_two_states(2_048, 20.0, |i| i % 300 < 45)?;
    assert!(hidden[0] == 0 && hidden[1] < 60, "{hidden:?}");
    // A state beyond 1,000 spreads that is too short for a new scale is not learned.
    let [left_out, _] = alarms_with_two_states(2_048, 6_000.0, |i| i % 300 < 15)?;
    assert!(left_out > 200, "{left_out}");
    Ok(())
}

/// The 20 samples that first set the scale are 15 samples apart, so all fall in one part of the cycle. The scale
/// is then learned again.
#[test]
fn a_cycle_in_step_with_the_samples_that_set_the_scale_is_learned() -> Result<(), SampleError> {
    for cycle in [3, 5] {
        for distance in [60.0, 6_000.0] {
            let alarms = alarms_with_two_states(2_000, distance, |i| i % cycle == 0)?;
            assert!(alarms[0] == 0 && alarms[1] > 590, "{cycle}, {distance}: {alarms:?}");
        }
    }
    Ok(())
}

#[test]
fn a_transient_in_the_warm_up_causes_no_alarms_later() -> Result<(), SampleError> {
    for seed in 0..3 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::<f32, 1>::standard(MonitorSettings::DEFAULT);
        let mut alarms = [0; 2];
        for i in 0..40_000 {
            let transient = if (500..600).contains(&i) { 20.0 } else { 0.0 };
            let faulty = i >= 39_900;
            let noise = motor.chance() + motor.chance() + motor.chance();
            let verdict = monitor.observe(&[noise + transient + if faulty { 6.0 } else { 0.0 }])?;
            alarms[usize::from(faulty)] += usize::from(verdict.alarm);
        }
        assert!(alarms[0] < 100 && alarms[1] > 80, "seed {seed}: {alarms:?}");
    }
    Ok(())
}

/// Training leaves out single samples more than 1,000 spreads away, but a replaced sensor can stay that far away.
#[test]
fn a_new_calibration_ends_at_any_distance_from_the_level() -> Result<(), SampleError> {
    for distance in [2_000.0, 60_000.0] {
        let (mut motor, mut monitor) = trained(3, None)?;
        monitor.recalibrate();
        let mut next = |fault: f32| {
            let [a, b, c, d] = motor.sample(1.0);
            [a + distance, b, c + fault, d]
        };
        let mut samples = 0;
        while !monitor.phase().is_watching() {
            monitor.observe(&next(0.0))?;
            samples += 1;
            assert!(samples < 2 * TRAINING, "{distance}: {:?}", monitor.phase());
        }
        // The level is accepted after 2,000 samples of alarm.
        run(&mut monitor, 3_000, || next(0.0))?;
        let (normal, _) = run(&mut monitor, 500, || next(0.0))?;
        let (faulty, _) = run(&mut monitor, 500, || next(1.3))?;
        assert!(normal < 20 && faulty > 480, "{distance}: {normal} and {faulty}");
    }
    Ok(())
}

#[test]
fn one_calibration_score_gives_no_threshold() -> Result<(), Box<dyn std::error::Error>> {
    let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(20, 100, 1)?);
    for (threshold, watches) in [(Threshold::DEFAULT, false), (Threshold::fixed(9.0)?, true)] {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(3));
        let mut monitor = SensorMonitor::<f32, DIM>::standard(settings.with_threshold(threshold));
        run(&mut monitor, 2_000, || motor.sample(1.0))?;
        assert_eq!(monitor.phase().is_watching(), watches);
    }
    Ok(())
}

/// The temperature has a value only in every 50th row, so only six of the 300 rows of a calibration are complete.
#[test]
fn a_sensor_with_few_values_causes_no_false_alarms() -> Result<(), SampleError> {
    for seed in 0..5 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::standard(SETTINGS.with_missing(Missing::Impute));
        let mut rows = 0;
        while !monitor.phase().is_watching() {
            let mut sample = motor.sample(1.0);
            if rows % 50 > 0 {
                sample[2] = f32::NAN;
            }
            monitor.observe(&sample)?;
            rows += 1;
            assert!(rows < 10 * TRAINING, "seed {seed}: {:?}", monitor.phase());
        }
        assert!(rows > 2 * TRAINING, "seed {seed}: {rows} rows");
        let (alarms, _) = run(&mut monitor, 2_000, || motor.sample(1.0))?;
        assert!(alarms < 40, "seed {seed}: {alarms}");
    }
    Ok(())
}

/// A full bin of the histogram halves all its counts. If every score counted, this would forget the heavy load of
/// samples 650 to 699.
#[test]
fn a_long_calibration_remembers_its_first_scores() -> Result<(), Box<dyn std::error::Error>> {
    const CALIBRATE: u32 = 600_000;
    let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(200, 400, CALIBRATE)?);
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(4));
    let mut monitor = SensorMonitor::<f32, 1>::standard(settings);
    for i in 0..CALIBRATE + 600 {
        let state = if i % 100 < 50 { 1.0 } else { -1.0 };
        let load = if (650..700).contains(&i) { 3.0 } else { 1.0 };
        monitor.observe(&[load * state + 0.01 * motor.chance()])?;
    }
    assert_eq!(monitor.phase(), Phase::Watching);
    assert!(monitor.threshold() > 8.0, "{}", monitor.threshold());
    Ok(())
}

#[test]
fn a_lasting_fault_is_not_learned_before_its_level_is_accepted() -> Result<(), SampleError> {
    const CHANNELS: usize = 64;
    for seed in 0..3 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::<f32, CHANNELS>::standard(MonitorSettings::DEFAULT);
        let mut alarms = 0;
        for i in 0..4_500 {
            // This noise has the standard deviation 1.
            let mut sample: [f32; CHANNELS] =
                core::array::from_fn(|_| motor.chance() + motor.chance() + motor.chance());
            if i >= 3_000 {
                sample[7] += 6.0;
            }
            alarms += usize::from(monitor.observe(&sample)?.alarm);
        }
        assert!(alarms > 1_450, "seed {seed}: {alarms}");
    }
    Ok(())
}

#[test]
fn scores_seen_in_calibration_raise_no_alarm_at_a_low_rate() -> Result<(), SettingsError> {
    let mut scores = Histogram::around(4.0_f32);
    for i in 0..1_000 {
        let usual = 0.1 - (1.0 - i as f32 / 1_000.0).ln();
        scores.push(if i % 50 == 0 { 60.0 } else { usual });
    }
    for (threshold, least) in [
        (Threshold::DEFAULT, 60.0),
        (Threshold::false_alarms(1e-3)?, 60.0),
        // Only 2 % of the scores are 60, so the threshold for 5 % is far lower.
        (Threshold::false_alarms(5e-2)?, 3.5),
    ] {
        let level = threshold.level(&scores);
        assert!(level > 0.95 * least && level < 1.2 * least, "{level}, not {least}");
    }
    Ok(())
}
