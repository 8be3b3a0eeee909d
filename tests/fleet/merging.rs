//! Learners that are merged from parts agree with one learner that saw all samples.

use eigenstream::kernel::{Gaussian, GramWindow, KernelMean};
use eigenstream::monitor::{Standardizer, StandardizerSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings,
};
use eigenstream::rand_core::Rng;
use eigenstream::{
    Centering, Codec, EnergyScale, Forgetting, Learner, MergeError, Scalar, ScaleSettings, SettingsError,
};

use super::{image, in_both_precisions, off, restarted, samples};
use crate::support::rng;

const DIM: usize = 6;
const SAMPLES: usize = 700;

/// Merges learners of random parts in random order; returns the result, and one learner that saw all samples.
fn merged<T: Scalar, L: Clone>(
    fresh: &L,
    stream: &[[T; DIM]],
    parts: usize,
    seed: u64,
    learn: impl Fn(&mut L, &[T; DIM]),
    merge: impl Fn(&mut L, &L),
) -> (L, L) {
    let rng = &mut rng(seed);
    let (mut pool, mut whole) = (vec![fresh.clone(); parts], fresh.clone());
    for sample in stream {
        let part = rng.next_u32() as usize % parts;
        learn(&mut pool[part], sample);
        learn(&mut whole, sample);
    }
    pool.push(fresh.clone());
    while pool.len() > 1 {
        let other = pool.swap_remove(rng.next_u32() as usize % pool.len());
        let into = rng.next_u32() as usize % pool.len();
        merge(&mut pool[into], &other);
    }
    (pool.remove(0), whole)
}

/// Checks that a merged learner differs from one that saw all samples by at most 10·√parts machine epsilons,
/// times the `size` of the numbers.
fn check_merged_parts<T: Scalar>() {
    for (parts, seed) in [(1_u8, 1), (2, 2), (2, 3), (7, 4), (7, 5), (100, 6), (100, 7)] {
        let allowed = 10.0 * T::EPSILON.to_f64() * f64::from(parts).sqrt();
        let stream = samples::<T, DIM>(SAMPLES, seed, 1.5);
        let parts = usize::from(parts);
        let close = |what: &str, off: f64, size: f64| {
            let ratio = off / (allowed * size);
            assert!(ratio <= 1.0, "{what}, {parts} parts: {ratio} of the allowance");
        };

        for centering in [Centering::Centered, Centering::Uncentered] {
            let fresh = BatchPca::<T, DIM, 2>::new(centering);
            let learn = |pca: &mut BatchPca<T, DIM, 2>, sample: &[T; DIM]| pca.learn(sample).unwrap();
            let (mut pca, mut whole) = merged(&fresh, &stream, parts, seed, learn, |pca, other| {
                pca.merge(other).unwrap()
            });
            assert_eq!(pca.samples_seen(), whole.samples_seen());
            let _ = (pca.fit(), whole.fit());
            close("batch mean", off(pca.mean(), whole.mean()), 1.5);
            let largest = whole.eigenvalues()[0].to_f64();
            close("eigenvalues", off(pca.eigenvalues(), whole.eigenvalues()), largest);
        }

        let weighted = CenteredSettings::unscaled(T::HALF)
            .unwrap()
            .with_center(Center::Weighted(T::TWO));
        for settings in [CenteredSettings::DEFAULT, weighted.unwrap()] {
            let fresh = CenteredPca::<T, DIM, 2>::new(settings);
            let learn = |pca: &mut CenteredPca<T, DIM, 2>, sample: &[T; DIM]| pca.learn(sample).unwrap();
            let (pca, whole) = merged(&fresh, &stream, parts, seed, learn, |pca, other| {
                pca.merge(other).unwrap()
            });
            let [mut scatter, mut wanted] = [SMatrix::repeat(T::ZERO); 2];
            pca.scatter(&mut scatter);
            whole.scatter(&mut wanted);
            let trace: f64 = (0..DIM).map(|i| wanted[(i, i)].to_f64()).sum();
            close("scatter", off(&scatter, &wanted), trace);
            close("centre", off(pca.mean(), whole.mean()), 1.5);
            pca.density(&mut scatter);
            whole.density(&mut wanted);
            // The evidence grows in proportion to SAMPLES, and with it the rounding error of the density.
            close("density", off(&scatter, &wanted), SAMPLES as f64);
            assert_eq!(pca.samples_seen(), whole.samples_seen());
            assert!(restarted(&pca).score(&stream[0]).is_ok());
        }

        let fresh = Standardizer::<T, DIM>::new(StandardizerSettings::DEFAULT);
        let learn = |one: &mut Standardizer<T, DIM>, sample: &[T; DIM]| one.learn(sample).unwrap();
        let (one, whole) = merged(&fresh, &stream, parts, seed, learn, |one, other| {
            one.merge(other).unwrap()
        });
        close("means", off(one.mean(), whole.mean()), 1.5);
        close("spreads", off(&one.spread(), &whole.spread()), 1.0);
        assert_eq!(one.samples_seen(), whole.samples_seen());

        let fresh = AverageDensity::<T, DIM, 1>::new();
        let learn = |average: &mut AverageDensity<T, DIM, 1>, sample: &[T; DIM]| {
            let length = sample.iter().fold(T::ZERO, |sum, &value| sum + value * value).sqrt();
            let direction = sample.map(|value| value / length);
            average
                .add(T::from_f64(0.0625), [(T::from_f64(0.6875), &direction)])
                .unwrap();
        };
        let (average, whole) = merged(&fresh, &stream, parts, seed, learn, |one, other| {
            one.merge(other).unwrap()
        });
        let [mut density, mut wanted] = [SMatrix::repeat(T::ZERO); 2];
        average.density(&mut density);
        whole.density(&mut wanted);
        close("average", off(&density, &wanted), 1.0);

        let fresh = EnergyScale::<T>::new(ScaleSettings::DEFAULT);
        let learn = |scale: &mut EnergyScale<T>, sample: &[T; DIM]| scale.observe(sample[0]);
        let (scale, whole) = merged(&fresh, &stream, parts, seed, learn, |one, other| {
            one.merge(other).unwrap()
        });
        close("factor", off(&[scale.factor()], &[whole.factor()]), 1.0);
    }
}

in_both_precisions!(merged_parts_equal_one_learner_of_all_samples, check_merged_parts);

#[test]
fn merging_with_an_empty_learner_changes_no_bit() {
    let stream = samples::<f32, DIM>(50, 8, 100.0);
    let mut batch = BatchPca::<f32, DIM, 2>::new(Centering::Centered);
    let mut one = Standardizer::<f32, DIM>::new(StandardizerSettings::DEFAULT);
    let mut average = AverageDensity::<f32, DIM, 1>::new();
    let settings = TrackingSettings::DEFAULT;
    let mut tracking = TrackingPca::<f32, DIM, 2, 4>::new(settings);
    let (mut all, mut ones, mut averages, mut trackers) =
        (batch.clone(), one.clone(), average.clone(), tracking.clone());
    for sample in &stream {
        batch.learn(sample).unwrap();
        one.learn(sample).unwrap();
        average.add(0.0, [(1.0, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])]).unwrap();
        tracking.learn(sample).unwrap();
    }
    all.merge(&batch).unwrap();
    ones.merge(&one).unwrap();
    averages.merge(&average).unwrap();
    trackers.merge(&tracking).unwrap();
    // Merging into a new learner sets the excess to zero, so the images of tracking learners can differ.
    let answers = |pca: &TrackingPca<f32, DIM, 2, 4>| (pca.components(), pca.evidence(), pca.samples_seen());
    let _ = (all.fit(), batch.fit());
    assert_eq!(image(&all), image(&batch));
    assert_eq!(image(&ones), image(&one));
    assert_eq!(image(&averages), image(&average));
    assert_eq!(answers(&trackers), answers(&tracking));
    batch.merge(&BatchPca::new(Centering::Centered)).unwrap();
    one.merge(&Standardizer::new(StandardizerSettings::DEFAULT)).unwrap();
    average.merge(&AverageDensity::new()).unwrap();
    tracking.merge(&TrackingPca::new(settings)).unwrap();
    assert_eq!(image(&all), image(&batch));
    assert_eq!(image(&ones), image(&one));
    assert_eq!(image(&averages), image(&average));
    assert_eq!(answers(&trackers), answers(&tracking));
}

#[test]
fn merged_kernel_windows_have_the_mean_of_all_points() {
    let stream = samples::<f64, 3>(12, 9, 0.0);
    let kernel = Gaussian::new(0.5).unwrap();
    let window = |points: &[[f64; 3]]| {
        let mut window = GramWindow::<f64, _, 3, 12>::new(kernel);
        for point in points {
            window.push(point).unwrap();
        }
        window
    };
    let whole = window(&stream);
    let whole = KernelMean::of(&whole);
    for cut in 0..=12 {
        let (left, right) = stream.split_at(cut);
        for (left, right) in [(left, right), (right, left)] {
            let mut merged = window(left);
            merged.merge(&window(right)).unwrap();
            let mean = KernelMean::of(&merged);
            for point in &stream {
                let off = mean.distance_squared(point).unwrap() - whole.distance_squared(point).unwrap();
                assert!(off.abs() < 1e-14, "cut {cut}: {off:e}");
            }
            assert!((mean.spread() - whole.spread()).abs() < 1e-14);
        }
    }
    let mut full = window(&stream);
    let before = image(&full);
    let room = MergeError::Room {
        needed: 13,
        capacity: 12,
    };
    assert_eq!(full.merge(&window(&stream[..1])), Err(room));
    let other = GramWindow::<f64, _, 3, 12>::new(Gaussian::new(0.25).unwrap());
    assert_eq!(full.merge(&other), Err(MergeError::Settings));
    assert_eq!(image(&full), before);
}

/// Checks that a merge is refused with the error `why` and changes nothing.
fn refused<L: Codec>(mut one: L, other: &L, merge: impl Fn(&mut L, &L) -> Result<(), MergeError>, why: MergeError) {
    let before = image(&one);
    assert_eq!(merge(&mut one, other), Err(why));
    assert_eq!(image(&one), before);
}

#[test]
fn learners_with_different_settings_are_not_merged() -> Result<(), SettingsError> {
    let memory = Forgetting::memory(50.0_f32)?;
    let centered = |settings| {
        let mut pca = CenteredPca::<f32, DIM, 2>::new(settings);
        samples(9, 40, 1.0).iter().for_each(|sample| pca.learn(sample).unwrap());
        pca
    };
    let default = CenteredSettings::DEFAULT;
    let merge = |one: &mut CenteredPca<_, DIM, 2>, other: &CenteredPca<_, DIM, 2>| one.merge(other);
    let other = centered(CenteredSettings::new(0.5)?);
    refused(centered(default), &other, merge, MergeError::Settings);
    let forgets = centered(default.with_forgetting(memory));
    refused(forgets.clone(), &forgets, merge, MergeError::Forgetting);
    let forgets = centered(default.with_scale(ScaleSettings::running(memory)));
    refused(forgets.clone(), &forgets, merge, MergeError::Forgetting);
    let weighted = default.with_center(Center::Weighted(1.0))?;
    let mut elsewhere = centered(weighted);
    elsewhere.reset_about(&[1.0; DIM]).unwrap();
    refused(centered(weighted), &elsewhere, merge, MergeError::Settings);

    let tracking = |settings| {
        let mut pca = TrackingPca::<f32, DIM, 2, 4>::new(settings);
        samples(9, 41, 1.0).iter().for_each(|sample| pca.learn(sample).unwrap());
        pca
    };
    let default = TrackingSettings::DEFAULT;
    let merge = |one: &mut TrackingPca<_, DIM, 2, 4>, other: &TrackingPca<_, DIM, 2, 4>| one.merge(other);
    refused(
        tracking(default),
        &tracking(TrackingSettings::new(0.5)?),
        merge,
        MergeError::Settings,
    );
    refused(
        tracking(default),
        &tracking(default.with_scale(ScaleSettings::OFF)),
        merge,
        MergeError::Settings,
    );
    let forgets = tracking(default.with_scale(ScaleSettings::running(memory)));
    refused(forgets.clone(), &forgets, merge, MergeError::Forgetting);

    let one = |settings| {
        let mut one = Standardizer::<f32, DIM>::new(settings);
        samples(9, 42, 1.0).iter().for_each(|sample| one.learn(sample).unwrap());
        one
    };
    let default = StandardizerSettings::DEFAULT;
    let merge = |one: &mut Standardizer<_, DIM>, other: &Standardizer<_, DIM>| one.merge(other);
    refused(
        one(default),
        &one(default.with_limit(50.0)?),
        merge,
        MergeError::Settings,
    );
    let forgets = one(default.with_forgetting(memory));
    refused(forgets.clone(), &forgets, merge, MergeError::Forgetting);
    // Two standardizers of one sample each can be merged even if the samples are far apart.
    let far = |value: f32| {
        let mut one = Standardizer::<f32, 1>::new(default);
        one.learn(&[value]).unwrap();
        one
    };
    let mut widest = far(9e18);
    widest.merge(&far(-9e18)).unwrap();
    assert_eq!(widest.spread(), [9e18]);

    let far = |value: f32| {
        let mut pca = BatchPca::<f32, 1, 1>::new(Centering::Centered);
        (0..2).for_each(|_| pca.learn(&[value]).unwrap());
        pca
    };
    refused(
        far(9e18),
        &far(-9e18),
        |one, other| one.merge(other),
        MergeError::Overflow,
    );
    Ok(())
}

#[test]
fn a_merged_learner_scores_like_one_that_saw_everything() {
    let stream = samples::<f64, DIM>(200, 50, 3.0);
    let mut whole = CenteredPca::<f64, DIM, 2>::new(CenteredSettings::DEFAULT);
    let (mut first, mut second) = (whole.clone(), whole.clone());
    for (step, sample) in stream.iter().enumerate() {
        whole.learn(sample).unwrap();
        if step % 3 == 0 { &mut first } else { &mut second }
            .learn(sample)
            .unwrap();
    }
    second.merge(&first).unwrap();
    for sample in samples::<f64, DIM>(50, 51, 3.0) {
        let (merged, wanted) = (second.score(&sample).unwrap(), Learner::score(&whole, &sample).unwrap());
        assert!((merged - wanted).abs() < 1e-10 * wanted.max(1.0), "{merged} {wanted}");
        whole.learn(&sample).unwrap();
        second.learn(&sample).unwrap();
    }
}
