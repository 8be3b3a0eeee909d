//! The monitor around every learner, with every score.

use crate::machine::{DIM, Machine, SHORT, TRAINING, off};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::monitor::stages::{LagEmbedding, Scorer};
use eigenstream::monitor::{Lagged, Missing, Monitor, Score};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    BatchPca, CenteredPca, CenteredSettings, DensityPca, DensitySettings, Mahalanobis, MahalanobisSettings,
    TrackingPca, TrackingSettings,
};
use eigenstream::{Centering, Learner, SampleError};

const SCORES: [Score; 4] = [Score::Loss, Score::Relative, Score::Leverage, Score::Combined];

/// Watches a stream with a fault; the contributions of the channels must sum to the score.
fn every_score<L: Learner<f32, DIM> + Clone>(learner: &L, caught_by: &[Score]) -> Result<(), SampleError> {
    for score in SCORES {
        let mut machine = Machine::new(21);
        let settings = SHORT.with_score(score);
        let mut monitor = Monitor::<f32, L, DIM>::new(settings, learner.clone());
        let mut caught = 0;
        for i in 0..TRAINING + 400 {
            let fault = if (700..732).contains(&i) { 4.0 } else { 0.0 };
            let verdict = monitor.observe(&off(machine.sample(), 3, fault))?;
            assert!(verdict.contribution.iter().all(|&part| part >= 0.0 && part.is_finite()));
            assert_eq!(verdict.contribution.iter().sum::<f32>(), verdict.score);
            assert_eq!(monitor.contribution(), &verdict.contribution);
            if verdict.alarm {
                assert!((700..780).contains(&i), "{score:?}: alarm at {i}");
                caught += usize::from(verdict.guilty() == 3);
            }
        }
        if caught_by.contains(&score) {
            assert!(caught > 16, "{score:?}: {caught}");
        }
    }
    Ok(())
}

#[test]
fn the_monitor_works_with_every_linear_learner_and_score() -> Result<(), SampleError> {
    let catching = [Score::Loss, Score::Combined];
    every_score(
        &TrackingPca::<f32, DIM, 2, DIM>::new(TrackingSettings::DEFAULT),
        &catching,
    )?;
    every_score(&CenteredPca::<f32, DIM, 2>::new(CenteredSettings::DEFAULT), &catching)?;
    every_score(&DensityPca::<f32, DIM, 2>::new(DensitySettings::DEFAULT), &catching)?;
    let lagged = Lagged::<f32, _, DIM, 2, 12>::new(TrackingPca::<f32, 12, 4, 10>::new(TrackingSettings::DEFAULT));
    every_score(&lagged, &catching)
}

#[test]
fn leverage_is_the_mahalanobis_distance_in_the_subspace() -> Result<(), SampleError> {
    let mut machine = Machine::new(22);
    let mut centered = CenteredPca::<f64, DIM, 2>::new(CenteredSettings::DEFAULT);
    let mut batch = BatchPca::<f64, DIM, 2>::new(Centering::Centered);
    assert_eq!(centered.leverage(&[1.0; DIM])?, Some([0.0; DIM]));
    let samples: Vec<[f64; DIM]> = (0..500).map(|_| machine.sample().map(f64::from)).collect();
    for sample in &samples {
        centered.learn(sample)?;
        batch.learn(sample)?;
    }
    let _ = batch.fit();
    let mut covariance = SMatrix::<f64, DIM, DIM>::zeros();
    centered.scatter(&mut covariance);
    covariance /= 499.0;
    let mut mean_square = 0.0;
    for sample in &samples {
        let deviation = SMatrix::<f64, DIM, 1>::from(*sample) - centered.mean();
        let basis = centered.components();
        let code = basis.transpose() * deviation;
        let inner = basis.transpose() * covariance * basis;
        let adjugate = SMatrix::<f64, 2, 2>::new(inner.m22, -inner.m12, -inner.m21, inner.m11);
        let determinant = inner.m11 * inner.m22 - inner.m12 * inner.m21;
        let wanted = (code.transpose() * adjugate * code)[0] / determinant;
        for learner in [&centered as &dyn Learner<f64, DIM>, &batch] {
            let got: f64 = learner
                .leverage(sample)?
                .unwrap_or_default()
                .iter()
                .map(|w| w * w)
                .sum();
            assert!((got - wanted).abs() < 1e-6 * wanted.max(1.0), "{got} {wanted}");
        }
        mean_square += wanted / 500.0;
    }
    // The sum of two squared coordinates, each with sample variance one, has the mean 2·499/500 over 500 samples.
    assert!((mean_square - 1.996).abs() < 1e-6);
    Ok(())
}

#[test]
fn lags_pass_parts_and_memory_to_the_inner_learner() -> Result<(), SampleError> {
    let mut machine = Machine::new(24);
    let shape = Mahalanobis::<f32, 12>::new(MahalanobisSettings::DEFAULT);
    let mut lagged = Lagged::<f32, _, DIM, 2, 12>::new(shape);
    let mut last = machine.sample();
    lagged.learn(&last)?;
    for _ in 0..200 {
        let sample = machine.sample();
        let wide: [f32; 12] = std::array::from_fn(|i| if i < DIM { sample[i] } else { last[i - DIM] });
        let mut inner = lagged.learner().clone();
        let parts = inner.parts(&wide)?;
        let folded: [f32; DIM] = std::array::from_fn(|i| parts[i] + parts[i + DIM]);
        assert_eq!(lagged.parts(&sample)?, folded);
        inner.refine(&wide, 50)?;
        lagged.refine(&sample, 50)?;
        assert_eq!(lagged.learner().covariance(), inner.covariance());
        last = sample;
    }
    Ok(())
}

#[test]
fn a_lagged_residual_sums_to_the_lagged_score() -> Result<(), SampleError> {
    let mut machine = Machine::new(23);
    let mut lagged = Lagged::<f64, _, DIM, 3, 18>::new(TrackingPca::<f64, 18, 4, 18>::new(TrackingSettings::DEFAULT));
    for _ in 0..200 {
        let sample = machine.sample().map(f64::from);
        let score = lagged.score(&sample)?;
        let residual = lagged.residual(&sample)?;
        let sum: f64 = residual.iter().map(|r| r * r).sum();
        assert!((sum - score).abs() <= 1e-9 * score.max(1.0));
        assert!(score <= lagged.energy(&sample)? * (1.0 + 1e-12));
        lagged.learn(&sample)?;
    }
    let mut bad = machine.sample().map(f64::from);
    bad[4] = f64::NAN;
    assert_eq!(lagged.learn(&bad), Err(SampleError::NotANumber { channel: 4 }));
    Ok(())
}

#[test]
fn the_leverage_of_a_channel_is_summed_over_its_lags() -> Result<(), SampleError> {
    let mut machine = Machine::new(26);
    let mut lagged = Lagged::<f64, _, DIM, 3, 18>::new(TrackingPca::<f64, 18, 4, 18>::new(TrackingSettings::DEFAULT));
    let mut embedding = LagEmbedding::<f64, DIM, 3, 18>::new();
    let scorer = Scorer::new(Score::Leverage, 1);
    for i in 0..200 {
        let sample = machine.sample().map(f64::from);
        let parts = scorer.contributions(&lagged, &sample)?;
        let wide = embedding.embed(&sample);
        let unexpected = lagged.learner().residual(&wide)?;
        for channel in 0..DIM {
            let lags = (channel..18).step_by(DIM);
            let wanted: f64 = lags.map(|entry| (wide[entry] - unexpected[entry]).powi(2)).sum();
            let wanted = if i < 2 { 0.0 } else { wanted };
            assert!(
                (parts[channel] - wanted).abs() <= 1e-9 * wanted,
                "sample {i}, channel {channel}"
            );
        }
        embedding.push(&sample);
        lagged.learn(&sample)?;
    }
    Ok(())
}

#[test]
fn a_relative_score_does_not_depend_on_the_length_of_a_sample() -> Result<(), SampleError> {
    let mut machine = Machine::new(24);
    let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);
    for _ in 0..100 {
        pca.learn(&machine.sample().map(f64::from))?;
    }
    let scorer = Scorer::new(Score::Relative, 1);
    let sample = machine.sample().map(f64::from);
    let once: f64 = scorer.contributions(&pca, &sample)?.iter().sum();
    let tenfold: f64 = scorer.contributions(&pca, &sample.map(|x| 10.0 * x))?.iter().sum();
    assert!((once - tenfold).abs() < 1e-12 && (0.0..=1.0).contains(&once));
    assert_eq!(scorer.contributions(&pca, &[0.0; DIM])?, [0.0; DIM]);
    Ok(())
}

#[test]
fn normal_samples_have_a_combined_score_of_two() -> Result<(), SampleError> {
    // Loss and leverage are divided by their usual values. These come from few samples, so the mean is not exactly two.
    let mut machine = Machine::new(25);
    let settings = SHORT.with_score(Score::Combined).with_smoothing(1);
    let pca = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::DEFAULT);
    let mut monitor = Monitor::<f32, _, DIM>::new(settings, pca);
    let mut total = 0.0;
    for i in 0..2_000 + TRAINING {
        let score = monitor.observe(&machine.sample())?.score;
        total += if i < TRAINING { 0.0 } else { score };
    }
    let mean = total / 2_000.0;
    assert!((1.6..2.6).contains(&mean), "{mean}");
    Ok(())
}

/// Lags that join the samples before and after a dropped one would look like a fault and raise the threshold.
#[test]
fn lags_never_join_the_samples_around_a_dropped_one() -> Result<(), SampleError> {
    type Wave = Lagged<f32, TrackingPca<f32, 6, 2, 6>, 2, 3, 6>;
    let threshold = |dropped: Option<f32>| {
        let wave = Wave::new(TrackingPca::new(TrackingSettings::DEFAULT));
        let settings = SHORT
            .with_training(2_000)
            .with_missing(Missing::Impute)
            .with_input_smoothing(1);
        let mut monitor = Monitor::<f32, Wave, 2>::new(settings, wave);
        let mut machine = Machine::new(31);
        for i in 0..2_000 {
            let (sine, cosine) = (1.3 * i as f32).sin_cos();
            let mut sample = [sine + 0.01 * machine.normal(), cosine + 0.01 * machine.normal()];
            if i > 300 && i % 60 == 59 {
                sample[0] = dropped.unwrap_or(sample[0]);
            }
            monitor.observe(&sample)?;
        }
        Ok(monitor.threshold())
    };
    let complete = threshold(None)?;
    for dropped in [f32::NAN, 30.0] {
        let found = threshold(Some(dropped))?;
        let near = complete / 1.5..1.5 * complete;
        assert!(near.contains(&found), "{dropped}: {found} instead of {complete}");
    }
    Ok(())
}

#[test]
fn a_huge_sample_does_not_cause_later_samples_to_be_refused() {
    for loud in [1e18, 7e18, 1.5e19, 1.8e19] {
        let mut lagged = Lagged::<f32, _, 1, 3, 3>::new(TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT));
        for _ in 0..4 {
            let _ = lagged.learn(&[loud]);
        }
        assert_eq!(lagged.learn(&[1.0]), Ok(()), "after {loud}");
        assert!(lagged.score(&[1.0]).is_ok(), "after {loud}");
    }
}

#[test]
fn a_relative_score_with_a_kernel_is_at_most_one() -> Result<(), SampleError> {
    let kernel = Gaussian::new(1.0).map_err(|_| SampleError::NotANumber { channel: 0 })?;
    let scorer = Scorer::new(Score::Relative, 1);
    for centering in [Centering::Uncentered, Centering::Centered] {
        let settings = OnlineKernelSettings::DEFAULT.with_centering(centering);
        let mut pca = OnlineKernelPca::<f64, _, 2, 1, 8, 4>::new(kernel, settings);
        for i in 0..20 {
            let sample = [0.01 * f64::from(i), 0.01];
            let score: f64 = scorer.contributions(&pca, &sample)?.iter().sum();
            assert!(
                (0.0..=1.0 + 1e-9).contains(&score),
                "{centering:?}, sample {i}: {score}"
            );
            pca.learn(&sample)?;
        }
    }
    Ok(())
}
