//! Tests that every size gives the results of the crate's own monitor or learner, bit for bit.
//! Two sizes are compared with the crate: the default monitor of 3 channels, and a monitor with lags of 2 channels. The other
//! tests build the sizes, open images and merge.

use eigenstream::Codec;
use eigenstream::hebbian::GhaSettings;
use eigenstream::kernel::{Gaussian, OnlineKernelSettings};
use eigenstream::monitor::{ChannelHealth, Lagged, Monitor, MonitorSettings, Phase, SensorMonitor, State};
use eigenstream::pca::{CenteredSettings, TrackingPca, TrackingSettings};

use super::*;

/// A sample of a made-up machine.
fn sample(channels: usize, time: u32) -> Vec<f32> {
    (0..channels as u32)
        .map(|channel| (time * time % (97 + channel) * 37 % 1_009) as f32 / 1_009.0 + channel as f32)
        .collect()
}

#[test]
fn every_size_observes_as_many_channels_as_it_says() {
    for channels in 1..=MOST_CHANNELS {
        let mut contribution = vec![f32::NAN; channels];
        let monitor = standard(channels, MonitorSettings::DEFAULT);
        if cfg!(feature = "few") && monitor.is_none() {
            continue;
        }
        let seen = monitor.map(|mut monitor| monitor.observe(&vec![1.0; channels], &mut contribution));
        assert!(seen.is_some_and(|seen| seen.is_ok()), "{channels}");
        assert_eq!(contribution, vec![0.0; channels]);
    }
    assert!(standard(0, MonitorSettings::DEFAULT).is_none());
    assert!(standard(MOST_CHANNELS + 1, MonitorSettings::DEFAULT).is_none());
}

#[test]
fn the_verdict_and_the_health_are_those_of_the_monitor() {
    let settings = MonitorSettings::DEFAULT.with_training(100);
    let mut plain = SensorMonitor::<f32, 3>::standard(settings);
    let Some(mut monitor) = standard(3, settings) else {
        unreachable!("three channels were built")
    };
    let mut contribution = [0.0; 3];
    for time in 0..400_u32 {
        let noise = |prime: u32| (time * time * prime % 1_009) as f32 / 1_009.0;
        // The last channel is stuck after a while. The second channel is constant from the beginning.
        let last = if time < 200 { noise(53) } else { 0.5 };
        let sample = [noise(37), 5.0, last];
        let (Ok(verdict), Ok(seen)) = (plain.observe(&sample), monitor.observe(&sample, &mut contribution)) else {
            unreachable!("a sample was refused")
        };
        assert_eq!((seen.score, seen.alarm), (verdict.score, verdict.alarm));
        assert_eq!(contribution, verdict.contribution);
    }
    let seen = monitor.twin().observe(&[0.5, 5.0, 0.5], &mut contribution);
    assert!(seen.is_ok_and(|seen| {
        seen.state == State::Stuck && seen.stuck == Some(2) && seen.guilty == 2 && seen.phase == Phase::Watching
    }));
    let health = monitor.health();
    let expected = [ChannelHealth::Good, ChannelHealth::Unknown, ChannelHealth::Stuck];
    assert_eq!(health.channels, expected);
    assert_eq!(health.watched, 300);
}

/// A boxed learner with lags before it and a monitor around it has the same image as the types of the crate.
#[test]
fn an_image_is_that_of_the_crate_bit_for_bit() -> Result<(), Refusal> {
    type Pca = TrackingPca<f32, 8, 2, 6>;
    type Lags = Lagged<f32, Pca, 2, 4, 8>;
    let settings = MonitorSettings::DEFAULT.with_training(100);
    let mut plain = Monitor::<f32, Lags, 2>::new(settings, Lags::new(Pca::new(TrackingSettings::DEFAULT)));
    let shape = Shape {
        channels: 2,
        lags: LAGS,
        keep: 2,
    };
    let mut learner = tracking(shape, TrackingSettings::DEFAULT).ok_or(Refusal::Size)?;
    learner.sum_losses(1.0);
    let mut monitor = learner.monitored(settings);
    let mut contribution = [0.0; 2];
    for time in 0..300 {
        let sample = sample(2, time);
        let verdict = plain.observe(&[sample[0], sample[1]])?;
        let seen = monitor.observe(&sample, &mut contribution)?;
        assert_eq!((seen.score, seen.threshold), (verdict.score, verdict.threshold));
        assert_eq!(contribution, verdict.contribution);
    }
    assert!(monitor.certificate().is_some_and(|it| it.loss <= it.bound));
    let mut image = vec![0; Monitor::<f32, Lags, 2>::ENCODED_LEN];
    plain.encode(&mut image)?;
    assert_eq!(monitor.encode(), image);

    // The restored monitor continues exactly as the monitor of the crate.
    let mut restored = monitor_of_image(&image)?;
    assert_eq!(restored.encode(), image);
    for time in 300..400 {
        let sample = sample(2, time);
        let verdict = plain.observe(&[sample[0], sample[1]])?;
        assert_eq!(restored.observe(&sample, &mut contribution)?.score, verdict.score);
    }
    // A damaged image is refused and changes nothing.
    let before = restored.encode();
    for place in [3, 12, 60, image.len() - 30, image.len() - 2] {
        let mut wrong = image.clone();
        wrong[place] ^= 1;
        assert!(restored.decode(&wrong).is_err(), "byte {place}");
        assert!(monitor_of_image(&wrong).is_err(), "byte {place}");
    }
    assert_eq!(restored.encode(), before);
    Ok(())
}

/// Every kind of learner with codes comes back from its own image at 4 channels and 2 directions, alone and inside a monitor.
#[test]
fn every_kind_of_learner_is_opened_from_its_image() -> Result<(), Box<dyn std::error::Error>> {
    let shape = Shape::new(4, 2);
    let kernel_settings = OnlineKernelSettings::new(1.0)?;
    let learners = [
        tracking(shape, TrackingSettings::DEFAULT),
        centered(shape, CenteredSettings::DEFAULT),
        hebbian(shape, GhaSettings::DEFAULT),
        density(shape, eigenstream::pca::DensitySettings::DEFAULT),
        batch(shape, eigenstream::Centering::Centered),
        kernel(shape, POINTS, Gaussian::DEFAULT, kernel_settings),
    ];
    for learner in learners {
        let mut learner = learner.ok_or(Refusal::Size)?;
        for time in 0..40 {
            learner.learn(&sample(4, time))?;
        }
        learner.fit();
        let image = learner.encode();
        let restored = learner_of_image(&image)?;
        assert_eq!(restored.encode(), image);
        assert_eq!(
            (restored.channels(), restored.keep(), restored.samples_seen()),
            (4, 2, 40)
        );
        let strange = [3.0, -1.0, 0.5, 2.0];
        assert_eq!(restored.score(&strange)?, learner.score(&strange)?);
        let (mut code, mut same) = ([0.0; 2], [0.0; 2]);
        learner.transform(&strange, &mut code)?;
        restored.transform(&strange, &mut same)?;
        assert_eq!(code, same);
        assert!(matches!(
            learner.score(&[0.0; 3]),
            Err(Refusal::Length { needed: 4, found: 3 })
        ));
        assert!(learner.transform(&strange, &mut [0.0; 3]).is_err());
        if learner.components().is_some() {
            let mut back = [0.0; 4];
            learner.inverse_transform(&code, &mut back)?;
            assert!(back.iter().all(|value| value.is_finite()));
        }
        let image = learner.monitored(MonitorSettings::DEFAULT).encode();
        assert_eq!(monitor_of_image(&image)?.encode(), image);
    }
    Ok(())
}

#[test]
fn two_learners_become_one() -> Result<(), Refusal> {
    let mut first = tracking(Shape::new(4, 2), TrackingSettings::DEFAULT).ok_or(Refusal::Size)?;
    let mut second = first.twin();
    for _ in 0..20 {
        first.learn(&[1.0, 0.0, 0.0, 0.0])?;
        second.learn(&[0.0, 0.0, 1.0, 0.0])?;
    }
    first.merge(&second.encode())?;
    assert!(first.score(&[1.0, 0.0, 1.0, 0.0])? < 1e-4);
    assert!(matches!(first.merge(&[0; 9]), Err(Refusal::Image(_))));
    let mut hebbian = hebbian(Shape::new(4, 2), GhaSettings::DEFAULT).ok_or(Refusal::Size)?;
    assert_eq!(hebbian.merge(&second.encode()), Err(Refusal::Verb));
    Ok(())
}

#[test]
fn the_table_has_the_sizes_that_it_promises() {
    let has = |channels, keep| tracking(Shape::new(channels, keep), TrackingSettings::DEFAULT).is_some();
    let sizes = (0..=70).flat_map(|channels| (0..=16).map(move |keep| (channels, keep)));
    let found = sizes.filter(|&(channels, keep)| has(channels, keep)).count();
    assert_eq!(found, if cfg!(feature = "few") { 12 } else { 220 });
}

#[test]
fn a_learner_keeps_within_its_certificate() -> Result<(), Refusal> {
    // Three directions stored of four: the rank limit adds to the excess.
    let mut learner = learner_of::BoxedLearner::new(TrackingPca::<f32, 4, 1, 3>::new(TrackingSettings::DEFAULT));
    learner.sum_losses(1.0);
    assert!(learner.certificate().is_none());
    for trial in 0..300_u16 {
        let mut sample = [0.1; 4];
        sample[usize::from(trial % 4).min(usize::from(trial % 3))] = f32::from(trial % 7);
        AnyLearner::learn(&mut learner, &sample)?;
    }
    let certificate = learner.certificate();
    assert!(certificate.is_some_and(|it| it.excess > 0.0 && it.best < it.loss && it.loss < it.bound));
    Ok(())
}

#[test]
fn a_learner_without_an_excess_has_no_certificate() -> Result<(), Refusal> {
    let mut learner = mahalanobis(2, MahalanobisSettings::DEFAULT).ok_or(Refusal::Size)?;
    learner.sum_losses(1.0);
    learner.learn(&[1.0, 2.0])?;
    assert!(learner.certificate().is_none());
    Ok(())
}
