//! What a person sees, the default must see: the README's first machine, four channels and one cause.

use eigenstream::monitor::{
    Histogram, Learning, Missing, Monitor, MonitorSettings, Phase, Schedule, SensorMonitor, State, Threshold,
};
use eigenstream::pca::{Mahalanobis, MahalanobisSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{SampleError, Scalar, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

const DIM: usize = 4;
const TRAINING: usize = 1_000;
const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(TRAINING as u32);

struct Motor(Xoshiro128PlusPlus);

impl Motor {
    fn chance(&mut self) -> f32 {
        2.0 * f32::uniform(&mut self.0) - 1.0
    }

    /// One load moves all four channels; each has noise of a tenth of that.
    fn sample(&mut self, load: f32) -> [f32; DIM] {
        let load = load * self.chance();
        [10.0, -5.0, 60.0, 1.0].map(|offset: f32| offset + load + 0.1 * self.chance())
    }
}

/// A monitor that was trained on a motor, with one sample replaced.
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

/// Alarms that blame the channel, in 900 samples with a fault of 13 noise widths on it.
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
fn a_fault_of_thirteen_noise_widths_is_found_throughout() -> Result<(), SampleError> {
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
fn after_three_hundred_idle_samples_normal_ones_are_normal() -> Result<(), SampleError> {
    for seed in 0..20 {
        let (mut motor, mut monitor) = trained(seed, None)?;
        for _ in 0..300 {
            monitor.observe(&motor.sample(0.0))?;
        }
        let mut alarms = 0;
        for _ in 0..5_000 {
            alarms += usize::from(monitor.observe(&motor.sample(1.0))?.alarm);
        }
        assert!(alarms <= 50, "seed {seed}: {alarms}");
    }
    Ok(())
}

/// The channel stands for long in normal operation, so it is never called stuck. Before, its variance fell to zero in silence, and
/// every later sample was refused as too large.
#[test]
fn a_known_threshold_forgets_nothing_in_silence() -> Result<(), Box<dyn std::error::Error>> {
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

/// One sample of +30 in calibration; one of −9999 or +1000 in warm-up.
#[test]
fn one_wild_sample_hides_no_fault() -> Result<(), SampleError> {
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
fn channels_that_never_move_make_no_threshold_and_no_alarm() -> Result<(), SampleError> {
    let mut monitor = SensorMonitor::<f32, DIM>::standard(SETTINGS);
    for _ in 0..5_000 {
        let verdict = monitor.observe(&[3.0; DIM])?;
        assert!(!verdict.alarm && verdict.threshold == f32::MAX);
    }
    assert_eq!(monitor.phase(), Phase::Standstill);
    Ok(())
}

#[test]
fn a_channel_that_is_dead_from_the_start_is_left_out() -> Result<(), SampleError> {
    for seed in 0..20 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::standard(SETTINGS.with_missing(Missing::Impute));
        let mut next = |fault: f32| {
            let [a, b, c, _] = motor.sample(1.0);
            [a, b + fault, c, f32::NAN]
        };
        for _ in 0..TRAINING {
            monitor.observe(&next(0.0))?;
        }
        assert_eq!(monitor.phase(), Phase::Watching);
        let mut alarms = 0;
        for _ in 0..200 {
            alarms += usize::from(monitor.observe(&next(1.3))?.alarm);
        }
        assert!(alarms > 180, "seed {seed}: {alarms}");
    }
    Ok(())
}

#[test]
fn with_everything_learned_a_constant_offset_becomes_normal() -> Result<(), SampleError> {
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(1));
    let mut monitor = SensorMonitor::standard(SETTINGS.with_learning(Learning::Always));
    for _ in 0..TRAINING {
        monitor.observe(&motor.sample(1.0))?;
    }
    let mut state = State::Normal;
    for _ in 0..10_000 {
        let mut sample = motor.sample(1.0);
        sample[1] += 20.0;
        state = monitor.observe(&sample)?.state;
    }
    assert_eq!(state, State::Normal);
    Ok(())
}

/// Trains on a motor that moves two of its channels by `distance` while it is on. Returns the alarms in the first 2,000 watched
/// samples, which are without a fault, and in 600 samples with the fault of `found`. The training may take `rows` samples five
/// times.
fn on_and_off(rows: usize, distance: f32, is_on: impl Fn(usize) -> bool) -> Result<[usize; 2], SampleError> {
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

/// A spread of this motor is about 0.6. A state beyond √2048 = 45 spreads makes the monitor find its scale again. The limits are
/// those that src/guide/tuning.md names.
#[test]
fn a_state_of_the_machine_is_learned() -> Result<(), SampleError> {
    for (share, distances) in [(45, [3.0, 60.0, 6_000.0]), (90, [6.0, 60.0, 6_000.0])] {
        for distance in distances {
            let alarms = on_and_off(2_048, distance, |i| i % 300 < share)?;
            assert!(alarms[0] == 0 && alarms[1] > 590, "{share}, {distance}: {alarms:?}");
        }
    }
    // A state that fills less than three tenths of the training, from 10 to 45 spreads away, hides faults.
    let hidden = on_and_off(2_048, 20.0, |i| i % 300 < 45)?;
    assert!(hidden[0] == 0 && hidden[1] < 60, "{hidden:?}");
    // A state that is too short for a new scale, and farther away than 1,000 spreads, is left out.
    let [left_out, _] = on_and_off(2_048, 6_000.0, |i| i % 300 < 15)?;
    assert!(left_out > 200, "{left_out}");
    Ok(())
}

/// The interval of the 20 samples that set the scale is 15 samples with a training of 2,000: all of them show one part of the
/// cycle. When the scale is found again, the interval is another one.
#[test]
fn a_cycle_in_step_with_the_samples_that_set_the_scale_is_learned() -> Result<(), SampleError> {
    for cycle in [3, 5] {
        for distance in [60.0, 6_000.0] {
            let alarms = on_and_off(2_000, distance, |i| i % cycle == 0)?;
            assert!(alarms[0] == 0 && alarms[1] > 590, "{cycle}, {distance}: {alarms:?}");
        }
    }
    Ok(())
}

/// 100 samples of the warm-up, twenty spreads away, make the variances of the learner too large. Later the machine is normal.
#[test]
fn after_a_transient_in_the_warm_up_normal_samples_stay_normal() -> Result<(), SampleError> {
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

/// A sensor was replaced, and the new one shows another level, farther away than the 1,000 spreads that the training leaves out.
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
        for _ in 0..3_000 {
            monitor.observe(&next(0.0))?;
        }
        let mut alarms = [0; 2];
        for i in 0..1_000 {
            let faulty = i >= 500;
            let verdict = monitor.observe(&next(if faulty { 1.3 } else { 0.0 }))?;
            alarms[usize::from(faulty)] += usize::from(verdict.alarm);
        }
        assert!(alarms[0] < 20 && alarms[1] > 480, "{distance}: {alarms:?}");
    }
    Ok(())
}

#[test]
fn one_calibration_score_gives_no_threshold() -> Result<(), Box<dyn std::error::Error>> {
    let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(20, 100, 1)?);
    for (threshold, watches) in [(Threshold::DEFAULT, false), (Threshold::fixed(9.0)?, true)] {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(3));
        let mut monitor = SensorMonitor::<f32, DIM>::standard(settings.with_threshold(threshold));
        for _ in 0..2_000 {
            monitor.observe(&motor.sample(1.0))?;
        }
        assert_eq!(monitor.phase().is_watching(), watches);
    }
    Ok(())
}

/// The temperature comes in every 50th row only. Its NaN leaves seven complete rows for a calibration of 300.
#[test]
fn a_slow_sensor_does_not_make_normal_rows_unusual() -> Result<(), SampleError> {
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
        let mut alarms = 0;
        for _ in 0..2_000 {
            alarms += usize::from(monitor.observe(&motor.sample(1.0))?.alarm);
        }
        assert!(alarms < 40, "seed {seed}: {alarms}");
    }
    Ok(())
}

/// Most scores are in few bins of the histogram, and a full bin would halve all counts. The calibration has a heavy load in its first
/// 50 samples.
#[test]
fn a_very_long_calibration_ends_and_remembers_its_first_scores() -> Result<(), Box<dyn std::error::Error>> {
    const CALIBRATE: u32 = 600_000;
    let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(200, 400, CALIBRATE)?);
    let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(4));
    let mut monitor = SensorMonitor::<f32, 1>::standard(settings);
    for i in 0..CALIBRATE + 600 {
        // Both states last for 50 samples and are equally far from the mean.
        let state = if i % 100 < 50 { 1.0 } else { -1.0 };
        let load = if (650..700).contains(&i) { 3.0 } else { 1.0 };
        monitor.observe(&[load * state + 0.01 * motor.chance()])?;
    }
    assert_eq!(monitor.phase(), Phase::Watching);
    // The load of three times the usual load has a score of about nine.
    assert!(monitor.threshold() > 8.0, "{}", monitor.threshold());
    Ok(())
}

/// A step of six standard deviations on one of 64 channels has a score above the threshold and below twice the threshold.
#[test]
fn a_fault_that_lasts_does_not_become_normal_before_its_level_is_accepted() -> Result<(), SampleError> {
    const CHANNELS: usize = 64;
    for seed in 0..3 {
        let mut motor = Motor(Xoshiro128PlusPlus::seed_from_u64(seed));
        let mut monitor = SensorMonitor::<f32, CHANNELS>::standard(MonitorSettings::DEFAULT);
        let mut alarms = 0;
        for i in 0..4_500 {
            // A sum of three uniform numbers in ±1 has the standard deviation 1.
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

/// 1,000 scores with an exponential tail, but every 50th is 60, as in a rare state of the machine.
#[test]
fn a_score_of_the_calibration_raises_no_alarm_at_a_rate_that_it_does_not_exceed() -> Result<(), SettingsError> {
    let mut scores = Histogram::around(4.0_f32);
    for i in 0..1_000 {
        let usual = 0.1 - (1.0 - i as f32 / 1_000.0).ln();
        scores.push(if i % 50 == 0 { 60.0 } else { usual });
    }
    for (threshold, least) in [
        (Threshold::DEFAULT, 60.0),
        (Threshold::false_alarms(1e-3)?, 60.0),
        // Two of 100 scores are 60.
        (Threshold::false_alarms(5e-2)?, 3.5),
    ] {
        let level = threshold.level(&scores);
        assert!(level > 0.95 * least && level < 1.2 * least, "{level}, not {least}");
    }
    Ok(())
}
