//! Tests of `Clipped`, which shortens samples of unusually large energy before another learner learns them.

#![expect(clippy::unwrap_used, reason = "an error is a failed test")]

#[expect(dead_code, reason = "no image is changed here")]
#[path = "support/images.rs"]
mod images;
#[path = "firmware/src/streams.rs"]
#[expect(unreachable_pub, reason = "the firmware uses all of them")]
mod streams;

use eigenstream::bounds::Bounds;
use eigenstream::monitor::{Lagged, Monitor, MonitorSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{ClipSettings, Clipped, DensityPca, DensitySettings, TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Eigen;
use eigenstream::{EnergyScale, Forgetting, Learner, SampleError, Scalar, ScaleSettings};
use images::image;
use rand_xoshiro::Xoshiro128PlusPlus;
use streams::{Observed, Stream};

const DIM: usize = 20;
type Pca<T> = TrackingPca<T, DIM, 2, 6>;
type Clip<T> = Clipped<T, Pca<T>>;

fn clip<T: Scalar>(settings: ClipSettings<T>) -> Clip<T> {
    Clipped::new(settings, Pca::new(TrackingSettings::DEFAULT))
}

fn samples(stream: Stream, seed: u64) -> Vec<Observed<DIM>> {
    let mut samples = stream.samples::<DIM>(seed);
    (0..stream.length()).map(|_| samples.next_sample()).collect()
}

fn sample_of(observed: &Observed<DIM>) -> [f32; DIM] {
    let (Observed::Counted(sample) | Observed::Uncounted(sample)) = observed;
    *sample
}

fn energy<const N: usize>(sample: &[f64; N]) -> f64 {
    sample.iter().map(|value| value * value).sum()
}

struct Stored {
    ratio: f64,
    factor: f64,
    energies: Vec<f64>,
}

impl Stored {
    fn limit(&self) -> f64 {
        if self.energies.len() < 16 {
            return f64::MAX;
        }
        let (mut sum, mut weight) = (0.0, 0.0);
        for (age, energy) in self.energies.iter().rev().enumerate() {
            sum += self.factor.powi(age as i32) * energy;
            weight += self.factor.powi(age as i32);
        }
        self.ratio * sum / weight
    }

    fn learn(&mut self, sample: &[f64; DIM]) -> [f64; DIM] {
        let limit = self.limit();
        let energy = energy(sample);
        if energy > 0.0 {
            self.energies.push(energy.min(limit));
        }
        let factor = if energy > limit { (limit / energy).sqrt() } else { 1.0 };
        sample.map(|value| factor * value)
    }
}

#[test]
fn the_limit_follows_from_the_mean_of_all_clipped_energies() {
    for (ratio, factor) in [(4.0, 0.99), (1.5, 0.5), (2.0, 1.0), (10.0, 0.9)] {
        let settings = ClipSettings::new(ratio).unwrap();
        let mut clipped = clip(settings.with_forgetting(Forgetting::factor(factor).unwrap()));
        let mut stored = Stored {
            ratio,
            factor,
            energies: Vec::new(),
        };
        let mut fired = 0;
        for stream in [Stream::Outliers, Stream::Bursts, Stream::Silence] {
            for observed in samples(stream, 5).iter().take(600) {
                let sample = sample_of(observed).map(f64::from);
                let wanted_limit = stored.limit();
                assert!((clipped.limit() / wanted_limit - 1.0).abs() < 1e-11);
                let learned = clipped.clip(&sample).unwrap();
                let wanted = stored.learn(&sample);
                for (one, other) in learned.iter().zip(&wanted) {
                    assert!((one - other).abs() < 1e-11, "{one} {other}");
                }
                fired += usize::from(learned != sample);
                clipped.learn(&sample).unwrap();
            }
        }
        assert!(fired >= 20, "{ratio} {factor}: {fired}");
    }
}

#[test]
fn the_inner_learner_learns_exactly_the_clipped_samples() {
    let mut clipped = clip(ClipSettings::DEFAULT);
    let mut alone = Pca::new(TrackingSettings::DEFAULT);
    for observed in samples(Stream::Outliers, 3) {
        let sample = sample_of(&observed);
        alone.learn(&clipped.clip(&sample).unwrap()).unwrap();
        clipped.learn(&sample).unwrap();
        assert_eq!(image(clipped.learner()), image(&alone));
    }
}

#[test]
fn a_clip_that_never_fires_changes_no_bit() {
    for stream in Stream::ALL {
        // Without forgetting, no sample has more than a thousand times the mean energy.
        let settings = ClipSettings::new(1e3).unwrap().with_forgetting(Forgetting::NONE);
        let mut clipped = clip(settings);
        let mut bare = Pca::new(TrackingSettings::DEFAULT);
        let [mut one, mut other] = [1, 1].map(Xoshiro128PlusPlus::seed_from_u64);
        for observed in samples(stream, 1).iter().take(1_500) {
            let sample = sample_of(observed);
            let trial = clipped.step(&sample, &mut one).unwrap();
            assert_eq!(trial, bare.step(&sample, &mut other).unwrap());
            assert_eq!(clipped.residual(&sample), bare.residual(&sample));
        }
        assert_eq!(image(clipped.learner()), image(&bare), "{}", stream.name());
    }
}

#[test]
fn a_monitor_works_around_a_clip() {
    let settings = MonitorSettings::<f32>::DEFAULT.with_training(300);
    let never = ClipSettings::new(1e30).unwrap();
    let mut bare = Monitor::<f32, _, DIM>::new(settings, Pca::new(TrackingSettings::DEFAULT));
    let mut clipped = Monitor::<f32, _, DIM>::new(settings, clip(never));
    for observed in samples(Stream::Drift, 2) {
        let sample = sample_of(&observed);
        let (one, other) = (bare.observe(&sample).unwrap(), clipped.observe(&sample).unwrap());
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }
    assert!(clipped.phase().is_watching());
    assert_eq!(image(bare.learner()), image(clipped.learner().learner()));
}

#[test]
fn lags_work_around_a_clip_and_inside_it() {
    let wide = TrackingPca::<f64, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    let mut outside = Lagged::<f64, _, 2, 2, 4>::new(Clipped::new(ClipSettings::DEFAULT, wide.clone()));
    let mut inside = Clipped::new(ClipSettings::DEFAULT, Lagged::<f64, _, 2, 2, 4>::new(wide));
    for _ in 0..40 {
        outside.learn(&[0.6, 0.8]).unwrap();
        inside.learn(&[0.6, 0.8]).unwrap();
    }
    assert!((outside.learner().limit() - 8.0).abs() < 1e-12);
    let usual = inside.score(&[0.6, 0.8]).unwrap();
    inside.pass(&[-300.0, 400.0]).unwrap();
    assert!(
        (inside.limit() - 4.0).abs() < 1e-12,
        "a sample that is not learned is not counted"
    );
    let after = inside.score(&[0.6, 0.8]).unwrap();
    // `pass` clipped the sample to the energy 4 and stored it as a lag.
    assert!(usual < 1e-5 && after > 1.0 && after < 5.0, "{usual} {after}");
    inside.interrupt();
    assert_eq!(inside.score(&[0.6, 0.8]), Ok(0.0));
}

#[test]
fn a_step_reports_code_and_losses_of_the_sample_before_clipping() {
    let mut clipped = clip::<f64>(ClipSettings::DEFAULT);
    let [mut one, mut other] = [4, 4].map(Xoshiro128PlusPlus::seed_from_u64);
    let mut fired = 0;
    for observed in samples(Stream::Outliers, 7) {
        let sample = sample_of(&observed).map(f64::from);
        let energy = energy(&sample);
        fired += usize::from(energy > clipped.limit());
        let mut inner = clipped.learner().clone();
        let wanted = inner.step(&sample, &mut other).unwrap();
        let expected = clipped.score(&sample).unwrap();
        let trial = clipped.step(&sample, &mut one).unwrap();
        assert!((trial.expected_loss - expected).abs() < 1e-12 * energy);
        assert!((trial.expected_loss - wanted.expected_loss).abs() < 1e-12 * energy);
        assert!((trial.loss - wanted.loss).abs() < 1e-12 * energy);
        for (entry, wanted) in trial.code.iter().zip(&wanted.code) {
            assert!((entry - wanted).abs() < 1e-12 * energy.sqrt());
        }
    }
    assert!(fired >= 29, "{fired}");
}

/// The total loss of the counted samples, in percent of their energy.
fn lost(stream: Stream, seed: u64, outliers: f32, learner: &mut impl Learner<f32, DIM>) -> f64 {
    let (mut lost, mut total) = (0.0, 0.0);
    for observed in samples(stream, seed) {
        let sample = match observed {
            Observed::Counted(sample) => {
                lost += f64::from(learner.score(&sample).unwrap());
                total += energy(&sample.map(f64::from));
                sample
            }
            Observed::Uncounted(sample) => sample.map(|value| outliers * value),
        };
        learner.learn(&sample).unwrap();
    }
    100.0 * lost / total
}

#[test]
fn clipping_helps_with_outliers_and_changes_other_streams_little() {
    let mean = |stream, outliers, clipped: bool| {
        let losses = (101..105).map(|seed| {
            if clipped {
                lost(stream, seed, outliers, &mut clip(ClipSettings::DEFAULT))
            } else {
                lost(stream, seed, outliers, &mut Pca::new(TrackingSettings::DEFAULT))
            }
        });
        losses.sum::<f64>() / 4.0
    };
    for stream in Stream::ALL {
        let (bare, clipped) = (mean(stream, 1.0, false), mean(stream, 1.0, true));
        println!("{} {bare:.2} {clipped:.2}", stream.name());
        if stream == Stream::Outliers {
            assert!(bare > 14.0 && clipped < 8.0, "{bare} {clipped}");
            let larger = mean(stream, 1e3, true);
            assert!((larger - clipped).abs() < 1e-3, "{larger} {clipped}");
        } else {
            assert!(clipped < bare + 0.1, "{} {bare} {clipped}", stream.name());
        }
    }
}

/// The numbers follow from `guide::mathematics`, "The mean energy of a clip".
#[test]
fn a_lasting_change_of_scale_is_followed() {
    for (factor, forgetting, wanted) in [(100.0_f64, 0.99, 109.0), (1e4, 0.99, 265.0), (100.0, 0.9, 12.0)] {
        let mut clipped = clip(ClipSettings::DEFAULT.with_forgetting(Forgetting::factor(forgetting).unwrap()));
        let axis = |energy: f64| core::array::from_fn(|i| if i == 3 { energy.sqrt() } else { 0.0 });
        (0..5_000).for_each(|_| clipped.learn(&axis(1.0)).unwrap());
        let mut needed = 0.0;
        while clipped.limit() < factor {
            clipped.learn(&axis(factor)).unwrap();
            needed += 1.0;
        }
        assert!((needed - wanted).abs() <= 1.0_f64, "{factor} {forgetting}: {needed}");
    }
    for (every, ratio) in [(50, 4.0), (10, 4.0), (10, 8.0)] {
        let settings = ClipSettings::new(ratio).unwrap();
        let mut clipped = clip(settings.with_forgetting(Forgetting::memory(1_000.0).unwrap()));
        for time in 0..40_000 {
            let outlier = time > 100 && time % every == every - 1;
            let length = if outlier { 1e3 } else { 1.0 };
            clipped
                .learn(&core::array::from_fn(|i| if i == 0 { length } else { 0.0 }))
                .unwrap();
        }
        let part = 1.0 / f64::from(every);
        let wanted = ratio * (1.0 - part) / (1.0 - part * ratio);
        assert!((clipped.limit() / wanted - 1.0).abs() < 0.03, "{}", clipped.limit());
    }
}

/// The first 16 samples are not clipped, so an outlier among them raises the limit for some time.
#[test]
fn an_outlier_at_the_start_is_forgotten() {
    let mut clipped = clip::<f64>(ClipSettings::DEFAULT);
    let unit: [f64; DIM] = core::array::from_fn(|i| f64::from(i == 2));
    for time in 0..700 {
        let factor = if time == 5 { 100.0 } else { 1.0 };
        clipped.learn(&unit.map(|value| factor * value)).unwrap();
        match time {
            15 => assert!(clipped.limit() > 2_000.0),
            // The outlier, of energy 10⁴, has about the weight 0.99⁶⁹⁴/100 in the mean.
            699 => assert!((clipped.limit() - 4.4).abs() < 0.1, "{}", clipped.limit()),
            _ => {}
        }
    }
}

#[test]
fn the_bound_holds_for_the_clipped_stream() {
    let mut clipped = clip::<f64>(ClipSettings::DEFAULT);
    let mut scale = EnergyScale::new(ScaleSettings::DEFAULT);
    let (mut total, mut largest) = (0.0, 0.0_f64);
    let [mut scatter, mut unclipped] = [SMatrix::<f64, DIM, DIM>::zeros(); 2];
    for observed in samples(Stream::Outliers, 9) {
        let sample = sample_of(&observed).map(f64::from);
        let learned = clipped.clip(&sample).unwrap();
        scale.observe(energy(&learned));
        let factor = scale.factor();
        total += factor * clipped.score(&learned).unwrap();
        largest = largest.max(factor * energy(&learned));
        for (matrix, sample) in [(&mut scatter, learned), (&mut unclipped, sample)] {
            let vector = SMatrix::<f64, DIM, 1>::from(sample);
            *matrix += vector * vector.transpose() * factor;
        }
        clipped.learn(&sample).unwrap();
    }
    let best = |matrix: &SMatrix<f64, DIM, DIM>| {
        let mut eigen = Eigen::<f64, DIM>::new();
        let _ = eigen.decompose(matrix).unwrap();
        eigen.values().iter().skip(2).sum::<f64>()
    };
    let bounds = Bounds::<f64>::new(DIM, 2)
        .with_largest_energy(largest)
        .unwrap()
        .with_excess(clipped.learner().excess());
    let bound = bounds.loss(best(&scatter), 3.0);
    assert!(total <= bound && bound.is_finite(), "{total} {bound}");
    assert!(best(&scatter) <= best(&unclipped));
}

#[test]
fn a_refused_sample_does_not_change_the_clip() {
    let mut clipped = clip::<f32>(ClipSettings::DEFAULT);
    for observed in samples(Stream::Shift, 1).iter().take(40) {
        clipped.learn(&sample_of(observed)).unwrap();
    }
    let before = image(&clipped);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
    for (value, wanted) in [
        (f32::NAN, SampleError::NotANumber { channel: 4 }),
        (f32::INFINITY, SampleError::NotANumber { channel: 4 }),
        (1e30, SampleError::TooLarge { channel: 4 }),
    ] {
        let mut bad = [0.1; DIM];
        bad[4] = value;
        assert_eq!(clipped.learn(&bad), Err(wanted));
        assert_eq!(clipped.refine(&bad, 10), Err(wanted));
        assert_eq!(clipped.pass(&bad), Err(wanted));
        assert_eq!(clipped.clip(&bad), Err(wanted));
        assert_eq!(clipped.score(&bad), Err(wanted));
        assert_eq!(clipped.step(&bad, &mut rng), Err(wanted));
    }
    let refused = clipped.learn_by(&[0.1; DIM], |_, _| Err::<(), _>(SampleError::TooLarge { channel: 0 }));
    assert_eq!(refused, Err(SampleError::TooLarge { channel: 0 }));
    assert_eq!(image(&clipped), before);
}

#[test]
fn samples_of_zeros_do_not_change_the_limit() {
    let mut clipped = clip::<f32>(ClipSettings::DEFAULT);
    for _ in 0..100 {
        clipped.learn(&[0.0; DIM]).unwrap();
        clipped.learn(&[1e-25; DIM]).unwrap();
    }
    assert_eq!((clipped.limit(), clipped.learner().samples_seen()), (f32::MAX, 200));
    let constant = [0.5; DIM];
    for seen in 0..100 {
        assert_eq!(clipped.limit() == f32::MAX, seen < 16);
        assert_eq!(clipped.clip(&constant).unwrap(), constant);
        clipped.learn(&constant).unwrap();
    }
    assert!((clipped.limit() - 20.0).abs() < 1e-4);
    (0..1_000).for_each(|_| clipped.learn(&[0.0; DIM]).unwrap());
    assert!(
        (clipped.limit() - 20.0).abs() < 1e-4,
        "samples of zeros do not lower the limit"
    );
}

#[test]
fn the_clip_stays_finite_at_every_scale() {
    for forgetting in [1.0, 0.99, 1e-30] {
        let mut clipped = clip(ClipSettings::DEFAULT.with_forgetting(Forgetting::factor(forgetting).unwrap()));
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
        for (time, length) in [1e-19_f32, 4e18, 1.2e-19, 1.0, 4e18, 1e-30, 3.0]
            .iter()
            .cycle()
            .take(700)
            .enumerate()
        {
            let sample = core::array::from_fn(|i| if i == (time / 100) % DIM { *length } else { 0.1 * length });
            let limit = clipped.limit();
            let learned = clipped.clip(&sample).unwrap();
            let energy: f32 = learned.iter().map(|value| value * value).sum();
            assert!(energy <= limit * (1.0 + 1e-5), "{energy} {limit}");
            assert!(learned[(time / 100) % DIM] > 0.0);
            let trial = clipped.step(&sample, &mut rng).unwrap();
            assert!(trial.loss.is_finite() && trial.expected_loss.is_finite());
            assert!(trial.code.iter().all(|entry| entry.is_finite()));
            assert!(clipped.limit() >= f32::MIN_POSITIVE);
        }
    }
    let mut clipped = clip::<f32>(ClipSettings::new(1e30).unwrap());
    (0..20).for_each(|_| clipped.learn(&[1e15; DIM]).unwrap());
    assert_eq!(clipped.limit(), f32::MAX);
}

#[test]
fn any_learner_can_be_clipped() {
    // `DensityPca` has no ceiling by default; `TrackingPca` has the ceiling 14.
    let mut bare = DensityPca::<f32, DIM, 2>::new(DensitySettings::DEFAULT.with_ceiling(14.0).unwrap());
    let mut clipped = Clipped::new(ClipSettings::DEFAULT, bare.clone());
    let (with, without) = (
        lost(Stream::Outliers, 11, 1.0, &mut clipped),
        lost(Stream::Outliers, 11, 1.0, &mut bare),
    );
    assert!(with < 0.6 * without, "{with} {without}");
}
