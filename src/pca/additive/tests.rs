//! Tests of single functions of `additive/mod.rs`.

use super::*;
use crate::ScaleSettings;
use crate::spectrum::Eigen;
use rand_core::SeedableRng;

/// Learns one sample on the full matrix P, without stored directions and bulk: slow, but simple.
fn slowly(projection: &mut SMatrix<f64, 5, 5>, sample: &[f64; 5], rate: f64, keep: usize) {
    let x = SVector::from(*sample);
    *projection += x * x.transpose() * rate;
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(projection);
    // A bisection finds θ, the threshold with Σ clip(value − θ, 0, 1) = `keep`.
    let sum = |level: f64| {
        eigen
            .values()
            .iter()
            .map(|value| (value - level).clamp(0.0, 1.0))
            .sum::<f64>()
    };
    let (mut low, mut high) = (-2.0, 10.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if sum(middle) > keep as f64 {
            low = middle
        } else {
            high = middle
        }
    }
    let parts = eigen.values().map(|value| (value - low).clamp(0.0, 1.0));
    *projection = eigen.vectors() * SMatrix::from_diagonal(&parts) * eigen.vectors().transpose();
}

#[test]
fn with_room_for_all_it_is_the_whole_matrix() -> Result<(), SampleError> {
    let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(3);
    let settings = AdditiveSettings::unscaled(0.3).unwrap_or(AdditiveSettings::DEFAULT);
    let mut pca = AdditivePca::<f64, 5, 2, 5>::new(settings);
    let mut wanted = SMatrix::from_diagonal_element(0.4);
    for _ in 0..200 {
        let load = f64::uniform(&mut rng) - 0.5;
        let sample = core::array::from_fn(|i| load * i as f64 + 0.3 * (f64::uniform(&mut rng) - 0.5));
        let mut projection = SMatrix::zeros();
        pca.projection(&mut projection);
        assert!((projection - wanted).abs().max() < 1e-11);
        assert!((pca.keep_probabilities().iter().sum::<f64>() - 2.0).abs() < 1e-12);
        pca.learn(&sample)?;
        slowly(&mut wanted, &sample, 0.3, 2);
    }
    Ok(())
}

/// The learning rate times the factor of the scale overflows. At the second and the third sample the limit of the rate
/// overflows, too.
#[test]
fn an_overflowing_rate_stays_finite() -> Result<(), SampleError> {
    let scale = ScaleSettings::bound(2e-19_f32).unwrap_or(ScaleSettings::OFF);
    let settings = AdditiveSettings::new(1e30).map(|settings| settings.with_scale(scale));
    let mut pca = AdditivePca::<f32, 8, 1, 3>::new(settings.unwrap_or(AdditiveSettings::DEFAULT));
    assert_eq!(pca.settings.learning_rate * pca.scale.factor(), f32::INFINITY);
    for sample in [[1.0; 8], [0.0; 8], [1e-30; 8]] {
        pca.learn(&sample)?;
        assert!((pca.keep_probabilities().iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    Ok(())
}

#[test]
fn a_new_axis_can_be_lost_after_every_sample() -> Result<(), SampleError> {
    let settings = AdditiveSettings::new(0.01).unwrap_or(AdditiveSettings::DEFAULT);
    let mut pca = AdditivePca::<f32, 12, 2, 6>::new(settings);
    let mut tracking = crate::pca::TrackingPca::<f32, 12, 2, 6>::new(crate::pca::TrackingSettings::DEFAULT);
    let axis = |index: usize| core::array::from_fn(|i| if i == index { 1.0 } else { 0.0 });
    for turn in 0..3_000 {
        let sample = axis(if turn < 300 { turn % 6 } else { 6 });
        pca.learn(&sample)?;
        tracking.learn(&sample)?;
    }
    assert!((pca.score(&axis(6))? - 0.999).abs() < 1e-3 && tracking.score(&axis(6))? < 1e-5);
    Ok(())
}

#[test]
fn little_room_still_sums_to_keep_and_follows_the_stream() -> Result<(), SampleError> {
    let mut pca = AdditivePca::<f32, 8, 1, 3>::new(AdditiveSettings::DEFAULT);
    for turn in 0..400 {
        let mut sample = [0.0; 8];
        sample[if turn < 200 { turn % 3 } else { 5 }] = 1.0;
        sample[7] = 0.1;
        pca.learn(&sample)?;
        assert!((pca.keep_probabilities().iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(pca.score(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1])? < 0.01);
    Ok(())
}

#[test]
fn the_parts_sum_to_keep() {
    for keep in 1..6 {
        for values in [
            [0.9, 0.5, 0.3, 0.1],
            [7.0, 0.2, 0.2, 0.2],
            [1.5, 1.5, 1.5, 0.0],
            [1e6, 0.5, 0.5, 0.5],
        ] {
            let bulk = Bulk {
                value: 0.1_f64,
                multiplicity: 3,
            };
            let level = level(&values, bulk, keep);
            let all = values.iter().map(|&value| (value, 1)).chain([(bulk.value, 3)]);
            assert!((kept(all, level) - keep as f64).abs() < 1e-9, "{values:?} {keep}");
        }
    }
}

#[test]
fn a_level_by_hand() {
    // The part of the first value, 1.5 − θ, is limited to 1, and (0.75 − θ) + (0.5 − θ) = 1 gives θ = 1/8.
    let level = level(&[1.5_f32, 0.75, 0.5], Bulk::NONE, 2);
    assert_eq!(level, 0.125);
}
