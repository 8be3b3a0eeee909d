//! Each stage of the monitor, compared with a direct computation.

use crate::machine::{DIM, Machine};
use eigenstream::Scalar;
use eigenstream::monitor::stages::{
    Decision, ExponentialMean, Histogram, LagEmbedding, Level, RunningMedian, Settling, impute,
};
use eigenstream::monitor::{Counts, DecisionSettings, Lagged, Standardizer, StandardizerSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Forgetting, Learner, SampleError, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

#[test]
fn the_standardizer_agrees_with_mean_and_variance_in_two_passes() -> Result<(), SampleError> {
    for offset in [0.0_f32, 256.0, -4_000.0] {
        let mut machine = Machine::new(1);
        let samples: Vec<f32> = (0..5_000).map(|_| offset + machine.normal()).collect();
        let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
        for &sample in &samples {
            standardizer.learn(&[sample])?;
        }
        let count = samples.len() as f64;
        let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        let variance = samples.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
        let [got] = standardizer.standardize(&[offset + 2.0])?;
        let wanted = (f64::from(offset + 2.0) - mean) / variance.sqrt();
        assert!(
            (f64::from(got) - wanted).abs() < 1e-4,
            "offset {offset}: {got} {wanted}"
        );
        assert!((f64::from(standardizer.spread()[0]) - variance.sqrt()).abs() < 1e-4);
    }
    Ok(())
}

#[test]
fn a_standardizer_with_a_memory_follows_a_change() -> Result<(), Box<dyn std::error::Error>> {
    let settings = StandardizerSettings::DEFAULT.with_forgetting(Forgetting::memory(50.0)?);
    let mut standardizer = Standardizer::<f32, 1>::new(settings);
    let mut machine = Machine::new(2);
    for _ in 0..2_000 {
        standardizer.learn(&[256.0 + machine.normal()])?;
    }
    for _ in 0..500 {
        standardizer.learn(&[300.0 + 3.0 * machine.normal()])?;
    }
    assert!((standardizer.mean()[0] - 300.0).abs() < 1.5);
    assert!((standardizer.spread()[0] - 3.0).abs() < 1.0);
    Ok(())
}

#[test]
fn a_mean_far_from_zero_still_moves_after_a_million_samples() -> Result<(), SampleError> {
    let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
    for i in 0..1_100_000 {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        // At the end a sample moves the mean by about 10⁻⁶, but `f32` numbers near 256 are 3·10⁻⁵ apart.
        let level = if i < 1_000_000 { 256.0 } else { 257.0 };
        standardizer.learn(&[level + side])?;
    }
    let [z] = standardizer.standardize(&[256.0])?;
    let (mean, variance) = (1.0 / 11.0, 1.0 + 10.0 / 121.0_f32);
    assert!((z + mean / variance.sqrt()).abs() < 1e-4, "{z}");
    Ok(())
}

#[test]
fn a_standardized_sample_is_always_finite() {
    let extremes = [0.0, -0.0, 1e-45, f32::MIN_POSITIVE, 1.0, -1e9, 9e18, -9e18];
    for &first in &extremes {
        for &second in &extremes {
            let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
            for _ in 0..3 {
                let _ = standardizer.learn(&[first]);
                let _ = standardizer.learn(&[second]);
            }
            for &third in &extremes {
                let got = standardizer.standardize(&[third]);
                assert!(
                    got.is_ok_and(|[z]| z.is_finite() && z.abs() <= 100.0),
                    "{first} {second} {third}"
                );
            }
        }
    }
}

#[test]
fn a_constant_that_moves_by_one_rounding_has_a_small_deviation() -> Result<(), SampleError> {
    for constant in [1_000.1_f32, -0.3, 1e-20] {
        let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
        for _ in 0..100 {
            standardizer.learn(&[constant])?;
        }
        for rounded in [constant.next_up(), constant.next_down()] {
            let [deviation] = standardizer.standardize(&[rounded])?;
            assert!(deviation != 0.0 && deviation.abs() <= 0.25, "{constant}: {deviation}");
        }
    }
    Ok(())
}

/// A bin of the histogram is 9 % wide.
#[test]
fn a_quantile_of_a_histogram_agrees_with_sorting() {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(8);
    for count in [50, 600, 5_000, 200_000] {
        let mut histogram = Histogram::around(2.0_f64);
        let mut values: Vec<f64> = (0..count)
            .map(|_| 2.0 * (f64::uniform(&mut rng) + f64::uniform(&mut rng) + f64::uniform(&mut rng) - 1.5).exp())
            .collect();
        values.iter().for_each(|&value| histogram.push(value));
        values.sort_by(f64::total_cmp);
        for probability in [0.1, 0.5, 0.8, 0.9, 0.95, 0.99] {
            let wanted = values[((probability * count as f64) as usize).min(count - 1)];
            let got = histogram.quantile(probability);
            assert!(
                (got / wanted - 1.0).abs() < 0.09,
                "{count} values at {probability}: {got} {wanted}"
            );
        }
    }
}

#[test]
fn a_histogram_stays_finite_after_bad_scores() {
    let mut histogram = Histogram::<f32>::around(f32::NAN);
    assert_eq!(histogram.quantile(0.5), 0.0);
    for score in [0.0, -1.0, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE / 4.0] {
        histogram.push(score);
    }
    for probability in [0.0, 0.5, 1.0] {
        assert!(histogram.quantile(probability).is_finite());
    }
    assert!(histogram.is_useless());
}

#[test]
fn centre_and_spread_ignore_a_few_extreme_values() {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(9);
    for wild in 0..=4 {
        let mut settling = Settling::<f64, 1>::new(20);
        for i in 0..20 {
            let value: f64 = (0..12).fold(-6.0, |sum, _| sum + f64::uniform(&mut rng));
            settling.push(&[if i % 5 == 0 && i / 5 < wild {
                1e9
            } else {
                50.0 + 3.0 * value
            }]);
        }
        let scale = settling.scale();
        assert!((scale.center[0] - 50.0).abs() < 3.0, "{wild}: {scale:?}");
        assert!((1.5..4.8).contains(&scale.spread[0]), "{wild}: {scale:?}");
    }
}

/// Each step is 5·10⁻⁸, far below the rounding error of `f32` numbers near 256.
#[test]
fn a_level_follows_steps_below_its_rounding_error() {
    let mut level = Level::<f32, 1>::new(2_000);
    level.begin(&eigenstream::monitor::stages::LearnedScale {
        center: [256.0],
        spread: [0.01],
    });
    for _ in 0..20_000 {
        level.follow(&[0.01], 1.0, 2.0);
    }
    // 20,000 steps of 0.01·0.01/2,000 are together 0.1 spreads.
    assert!((level.moved(0) - 0.1).abs() < 0.02, "{}", level.moved(0));
}

#[test]
fn a_running_median_agrees_with_sorting_a_window() {
    let mut machine = Machine::new(6);
    // Rounding makes some values equal.
    let values: Vec<f32> = (0..500).map(|_| (3.0 * machine.normal()).round()).collect();
    let mut median = RunningMedian::<f32, 7>::new();
    for (i, &value) in values.iter().enumerate() {
        let got = median.push(value);
        let mut window = values[i.saturating_sub(6)..=i].to_vec();
        window.sort_by(f32::total_cmp);
        assert_eq!(got, window[(window.len() - 1) / 2], "value {i}");
    }
}

#[test]
fn a_running_median_treats_zeros_of_both_signs_alike() {
    let mut median = RunningMedian::<f32, 3>::new();
    for value in [0.0, -0.0, 0.0, -0.0, 5.0, 5.0] {
        median.push(value);
    }
    assert_eq!(median.median(), 5.0);
}

#[test]
fn an_exponential_mean_agrees_with_its_definition() {
    let mut machine = Machine::new(7);
    let values: Vec<f32> = (0..200).map(|_| machine.normal()).collect();
    let mut mean = ExponentialMean::<f32, 1>::new(10);
    for (i, &value) in values.iter().enumerate() {
        let [got] = *mean.push(&[value]);
        // After the first ten values, each new value has the weight 1/10.
        let start: f64 = values.iter().take(10).map(|&x| f64::from(x)).sum::<f64>() / (i.min(9) + 1) as f64;
        let wanted = if i < 10 {
            values[..=i].iter().map(|&x| f64::from(x)).sum::<f64>() / (i + 1) as f64
        } else {
            values[10..=i]
                .iter()
                .fold(start, |mean, &x| 0.9 * mean + 0.1 * f64::from(x))
        };
        assert!((f64::from(got) - wanted).abs() < 1e-5, "value {i}");
    }
}

#[test]
fn lags_are_the_last_samples_in_order() {
    let mut lags = LagEmbedding::<f32, 2, 4, 8>::new();
    let samples: Vec<[f32; 2]> = (0..50).map(|i| [i as f32, -(i as f32)]).collect();
    for (i, sample) in samples.iter().enumerate() {
        assert_eq!(lags.is_ready(), i >= 3);
        let wanted: Vec<f32> = (0..4)
            .flat_map(|lag| if lag <= i { samples[i - lag] } else { [0.0; 2] })
            .collect();
        assert_eq!(lags.embed(sample)[..], wanted);
        lags.push(sample);
    }
}

#[test]
fn a_decision_follows_its_settings() -> Result<(), SettingsError> {
    let mut machine = Machine::new(8);
    let scores: Vec<f32> = (0..2_000).map(|_| machine.normal()).collect();
    let (confirm, hold_off, release) = (2, 3, 0.25);
    let settings = DecisionSettings::new(release)?
        .with_confirm(confirm)
        .with_hold_off(hold_off);
    let mut decision = Decision::new(settings);
    let got: Vec<bool> = scores.iter().map(|&score| decision.decide(score, 0.5)).collect();
    for i in 0..scores.len() {
        let wanted = if i > 0 && got[i - 1] {
            scores[i] > release * 0.5
        } else {
            let confirmed = i + 1 >= confirm as usize && scores[i + 1 - confirm as usize..=i].iter().all(|&s| s > 0.5);
            // A release is the first sample without alarm; no alarm begins at it or at the three samples after it.
            let held_off = (1..=i.min(hold_off as usize)).any(|back| !got[i - back] && i > back && got[i - back - 1]);
            // The sample of a release does not count for the next alarm.
            let fresh = i == 0 || !(i >= 2 && got[i - 2] && !got[i - 1]);
            confirmed && !held_off && fresh
        };
        assert_eq!(got[i], wanted, "sample {i}");
    }
    assert!(got.iter().any(|&alarm| alarm));
    Ok(())
}

#[test]
fn a_score_at_the_threshold_raises_no_alarm_and_releases_one() -> Result<(), SettingsError> {
    let mut decision = Decision::new(DecisionSettings::new(0.5_f32)?);
    let alarms = [2.0, 2.5, 1.5, 1.0, 2.0].map(|score| decision.decide(score, 2.0));
    assert_eq!(alarms, [false, true, true, false, false]);
    Ok(())
}

#[test]
fn counts_are_converted_exactly() -> Result<(), SettingsError> {
    let counts = Counts::new([0.25_f32, -2.0, 1.0], [0, i32::from(i16::MIN), 100])?;
    for count in [i16::MIN, -1, 0, 1, 12_345, i16::MAX] {
        let wide = f32::from(count);
        assert_eq!(
            counts.convert(&[count; 3]),
            [0.25 * wide, -2.0 * (wide + 32_768.0), wide - 100.0]
        );
    }
    for worth in [0.0, f32::NAN, f32::INFINITY, f32::MAX] {
        assert_eq!(Counts::new([worth], [0]), Err(SettingsError::CountScale));
    }
    Ok(())
}

/// The loss of a sample x is xᵀMx with M = Σ (1 − pᵢ)vᵢvᵢᵀ over directions vᵢ with keep probability pᵢ. At the minimum
/// Mx is zero in every missing channel.
#[test]
fn imputed_channels_minimise_the_loss() -> Result<(), SampleError> {
    let mut machine = Machine::new(9);
    let mut standardizer = Standardizer::<f64, DIM>::new(StandardizerSettings::DEFAULT);
    let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);
    for i in 0..800 {
        let sample = machine.sample().map(f64::from);
        standardizer.learn(&sample)?;
        if i > 100 {
            pca.learn(&standardizer.standardize(&sample)?)?;
        }
    }
    let mut density = SMatrix::zeros();
    pca.density(&mut density);
    for gaps in [vec![2], vec![0, 4], vec![1, 3, 5], vec![0, 1, 2, 3, 4]] {
        let whole = standardizer.standardize(&machine.sample().map(f64::from))?;
        let mut sample = whole;
        let mut missing = [false; DIM];
        for &gap in &gaps {
            sample[gap] = f64::NAN;
            missing[gap] = true;
        }
        impute(&pca, &mut sample, &missing)?;
        // M is the density matrix times the number of dropped directions, four.
        let slope = density * SMatrix::<f64, DIM, 1>::from(sample) * 4.0;
        for i in 0..DIM {
            if missing[i] {
                assert!(slope[i].abs() < 1e-9, "{gaps:?}: slope {}", slope[i]);
                assert!(sample[i] != 0.0);
            } else {
                assert_eq!(sample[i], whole[i]);
            }
        }
    }
    Ok(())
}

#[test]
fn imputed_channels_do_not_depend_on_the_unit() -> Result<(), SampleError> {
    for unit in [1e-12_f32, 1e-6, 1e-3, 1e3, 1e9] {
        let mut machine = Machine::new(11);
        let settings = TrackingSettings::DEFAULT;
        let mut learners = [1.0, unit].map(|_| TrackingPca::<f32, DIM, 2, DIM>::new(settings));
        let mut deviations = || -> [f32; DIM] {
            let swings = [machine.normal(), machine.normal()];
            std::array::from_fn(|i| swings[0] * (i as f32 - 2.0) + swings[1] + 0.1 * machine.normal())
        };
        for _ in 0..400 {
            let sample = deviations();
            learners[0].learn(&sample)?;
            learners[1].learn(&sample.map(|value| unit * value))?;
        }
        for gaps in [vec![2], vec![0, 4], vec![1, 3, 5]] {
            let missing = std::array::from_fn(|channel| gaps.contains(&channel));
            let mut sample = deviations();
            let mut other = sample.map(|value| unit * value);
            impute(&learners[0], &mut sample, &missing)?;
            impute(&learners[1], &mut other, &missing)?;
            for (value, other) in sample.iter().zip(other) {
                assert!(
                    (value - other / unit).abs() < 1e-2,
                    "unit {unit}, {gaps:?}: {value}, {}",
                    other / unit
                );
            }
        }
    }
    Ok(())
}

/// The residual of `Lagged` is not linear in the sample, so the loss is compared with the losses after small steps.
#[test]
fn imputed_channels_minimise_the_loss_with_lags() -> Result<(), SampleError> {
    let mut machine = Machine::new(10);
    let mut standardizer = Standardizer::<f32, DIM>::new(StandardizerSettings::DEFAULT);
    let pca = TrackingPca::<f32, 18, 4, 18>::new(TrackingSettings::DEFAULT);
    let mut lagged = Lagged::<f32, _, DIM, 3, 18>::new(pca);
    for i in 0..800 {
        let sample = machine.sample();
        standardizer.learn(&sample)?;
        if i > 100 {
            lagged.learn(&standardizer.standardize(&sample)?)?;
        }
    }
    // A large fault gives a large loss; the steps must change the loss by more than its rounding error.
    for fault in [0.0_f32, 10.0, 10_000.0] {
        for gaps in [vec![2], vec![0, 4], vec![1, 3, 5]] {
            let mut sample = standardizer.standardize(&machine.sample())?;
            sample[if gaps.contains(&0) { 1 } else { 0 }] += fault;
            impute(
                &lagged,
                &mut sample,
                &std::array::from_fn(|channel| gaps.contains(&channel)),
            )?;
            let loss = lagged.score(&sample)?;
            for &gap in &gaps {
                for step in [-0.01, 0.01] {
                    let mut other = sample;
                    other[gap] += step * fault.max(10.0);
                    assert!(
                        lagged.score(&other)? > loss,
                        "{gaps:?}, fault {fault}: channel {gap} by {step}"
                    );
                }
            }
        }
    }
    Ok(())
}
