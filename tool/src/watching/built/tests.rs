//! Tests that a monitor behind pipes gives the results of the monitor of the table.

use std::io::{self, BufReader, BufWriter};
use std::thread;

use anyhow::{Context, Result};
use eigenstream::monitor::{Missing, Monitor};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream_sizes::{Shape, standard, tracking};

use super::*;

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(300)
    .with_missing(Missing::Impute);

/// The monitor of three channels behind pipes. A thread of this test is the other end.
fn piped() -> Result<Piped> {
    let (question, asked) = io::pipe()?;
    let (answer, answered) = io::pipe()?;
    thread::spawn(move || -> io::Result<()> {
        let (mut input, mut output) = (BufReader::new(question), BufWriter::new(answered));
        let (rate, _, _, settings) = serve::begin(&mut input)?;
        let learner = TrackingSettings::new(rate).map_err(io::Error::other)?;
        let monitor = Monitor::<f32, TrackingPca<f32, 3, 1, 3>, 3>::new(settings, TrackingPca::new(learner));
        serve::serve(monitor, &mut input, &mut output)
    });
    let numbers = Numbers {
        rate: 0.5,
        gamma: 0.0,
        stride: 1,
    };
    Piped::over(Box::new(asked), Box::new(answer), 3, numbers, SETTINGS)
}

fn sample(time: u32) -> [f32; 3] {
    let noise = |prime: u32| (time * prime % 1_009) as f32 / 1_009.0 - 0.5;
    let fault = if time > 700 { 9.0 } else { 0.0 };
    let gap = if time % 97 == 5 { f32::NAN } else { 0.0 };
    [noise(613), noise(613) + noise(71) + gap, 5.0 + 0.1 * noise(97) + fault]
}

#[test]
fn one_direction_is_singular() {
    let size = Size {
        model: Model::Tracking,
        channels: 3,
        keep: 1,
        lags: 1,
        learning_rate: 1.0,
    };
    assert_eq!(words(size), "3 channels that keeps 1 direction");
    assert_eq!(
        words(Size {
            keep: 2,
            lags: 4,
            ..size
        }),
        "3 channels that keeps 2 directions of 4 rows side by side"
    );
}

#[test]
fn a_monitor_behind_pipes_has_the_bits_of_the_table() -> Result<()> {
    let learner = tracking(Shape::new(3, 1), TrackingSettings::new(0.5)?).context("no such size")?;
    let (mut inside, mut outside) = (learner.monitored(SETTINGS), piped()?);
    let (mut parts, mut others) = ([0.0; 3], [0.0; 3]);
    let mut alarms = 0;
    for time in 0..900 {
        if time == 500 {
            inside.interrupt();
            outside.interrupt();
        }
        let seen = inside.observe(&sample(time), &mut parts);
        assert_eq!(seen, outside.observe(&sample(time), &mut others), "row {time}");
        assert_eq!(parts.map(f32::to_bits), others.map(f32::to_bits), "row {time}");
        alarms += u32::from(seen.is_ok_and(|verdict| verdict.alarm));
    }
    assert!(alarms > 100, "{alarms}");
    assert_eq!(inside.encode(), outside.encode());
    assert_eq!(inside.health(), outside.health());
    assert_eq!(inside.level(), outside.level());
    assert_eq!(
        (inside.phase(), inside.threshold()),
        (outside.phase(), outside.threshold())
    );
    assert_eq!(outside.settings(), SETTINGS);
    assert_eq!(inside.score(&sample(3)), outside.score(&sample(3)));
    assert_eq!(inside.score(&[f32::INFINITY; 3]), outside.score(&[f32::INFINITY; 3]));
    assert_eq!(inside.acknowledge(), outside.acknowledge());
    inside.recalibrate();
    outside.recalibrate();
    assert_eq!(inside.phase(), outside.phase());
    let mut other = piped()?;
    assert!(other.decode(b"no image").is_err());
    assert_eq!(other.decode(&inside.encode()), Ok(()));
    assert_eq!(other.encode(), inside.encode());
    Ok(())
}

#[test]
fn many_rows_in_one_message_have_the_bits_of_single_rows() -> Result<()> {
    let (mut single, mut together) = (piped()?, piped()?);
    let mut verdicts = Vec::new();
    for rows in [0..1, 1..301, 301..301, 301..800] {
        let samples: Vec<f32> = rows.clone().flat_map(sample).collect();
        let mut parts = vec![0.0; samples.len()];
        together.observe_all(&samples, &mut parts, &mut verdicts);
        assert_eq!(verdicts.len(), rows.len());
        for (place, time) in rows.enumerate() {
            let mut part = [0.0; 3];
            assert_eq!(verdicts[place], single.observe(&sample(time), &mut part), "row {time}");
            let others = &parts[3 * place..3 * place + 3];
            assert!(
                part.iter()
                    .zip(others)
                    .all(|(one, other)| one.to_bits() == other.to_bits())
            );
        }
    }
    assert_eq!(single.encode(), together.encode());
    let mut parts = [0.0; 6];
    let samples = [1.0, 2.0, f32::INFINITY, 1.0, 2.0, 5.0];
    together.observe_all(&samples, &mut parts, &mut verdicts);
    assert!(verdicts.first().is_some_and(Result::is_err) && verdicts.last().is_some_and(Result::is_ok));
    Ok(())
}

#[test]
fn the_size_of_an_image_is_found() -> Result<()> {
    for channels in [1, 3, 8, 20] {
        let image = standard(channels, SETTINGS).context("no such size")?.encode();
        let size = size_of_image(&image).context("no size")?;
        assert_eq!((size.model, size.channels), (Model::Mahalanobis, channels));
    }
    let learner = tracking(Shape::new(5, 2), TrackingSettings::DEFAULT).context("no such size")?;
    let size = size_of_image(&learner.monitored(SETTINGS).encode()).context("no size")?;
    assert_eq!((size.model, size.channels, size.keep), (Model::Tracking, 5, 2));
    assert_eq!(size_of_image(b"eigs and nothing else of use"), None);
    Ok(())
}

#[test]
fn a_program_is_written_for_the_asked_size() {
    let size = |model, keep, lags| Size {
        model,
        channels: 70,
        keep,
        lags,
        learning_rate: 1.0,
    };
    for (size, named, parts) in [
        (
            size(Model::Mahalanobis, 2, 1),
            "mahalanobis-70",
            "Mahalanobis<f32, 70>;",
        ),
        (
            size(Model::Tracking, 5, 1),
            "tracking-70-5-1",
            "TrackingPca<f32, 70, 5, 12>;",
        ),
        (
            size(Model::Tracking, 5, 2),
            "tracking-70-5-2",
            "TrackingPca<f32, 140, 5, 12>, 70, 2, 140>;",
        ),
        (size(Model::Kernel, 3, 1), "kernel-70-3-1", ", 70, 3, 32, 7>;"),
    ] {
        assert_eq!(name(size), named);
        let text = main(size);
        assert!(
            text.contains("const DIM: usize = 70;") && text.contains(parts),
            "{text}"
        );
        assert!(!text.contains("{{"), "{text}");
    }
}
