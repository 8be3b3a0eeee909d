//! A virtual sensor: predicts the temperature of a bearing from five other channels, with error bars. The graph is five
//! channels → batch PCA → two coordinates → recursive least squares → temperature ± error bar.
//!
//! The PCA learns the first 1,000 samples, the regression the next ones. At sample 3,000 the temperature sensor comes loose and
//! measures the air. These values are outside the error bars and are not learned. At sample 4,000 the motor has a load that it
//! never had before, and the error bar grows.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::pca::BatchPca;
use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
use eigenstream::{Centering, Forgetting};
use support::{Exact, Outcome, say};

support::entry!(virtual_sensor);

const TAUGHT: u32 = 1_000;
const LOOSE: u32 = 3_000;
const STRANGE: u32 = 4_000;
/// A measured value is wrong if it is off by so many error bars: by chance one Gaussian value in 16,000.
const BARS: f32 = 4.0;

fn virtual_sensor() -> Outcome {
    let mut code = BatchPca::<f32, 5, 2>::new(Centering::Centered);
    for time in 0..TAUGHT {
        code.learn(&channels(time, load(time)))?;
    }
    let _ = code.fit();

    let settings = LeastSquaresSettings::DEFAULT.with_forgetting(Forgetting::memory(500.0)?);
    let mut sensor = RecursiveLeastSquares::<f32, 2>::new(settings);
    let mut found = None;
    let mut worst = 0.0_f32;
    for time in TAUGHT..STRANGE {
        let features = code.transform(&channels(time, load(time)))?;
        let true_value = temperature(time, load(time));
        let measured = if time < LOOSE {
            true_value
        } else {
            24.0 + noise(time, 3_571)
        };
        let prediction = sensor.predict(&features)?;
        let off = (measured - prediction.value).abs();
        let wrong = prediction.deviation.is_some_and(|deviation| off > BARS * deviation);
        if wrong && found.is_none() {
            found = Some(time);
        }
        if !wrong {
            sensor.learn(&features, measured)?;
        }
        if time >= LOOSE {
            worst = worst.max((true_value - prediction.value).abs());
        }
        if let (Some(deviation), true) = (prediction.deviation, matches!(time, 1_010 | 1_100 | 2_999 | 3_000)) {
            let (value, deviation, measured) = (Exact(prediction.value), Exact(deviation), Exact(measured));
            say!("sample {time}: predicted {value}, error bar {deviation}, measured {measured}");
        }
    }
    match found {
        Some(time) if time >= LOOSE => say!("loose sensor found {} samples after it came loose", time - LOOSE),
        Some(time) => say!("false alarm at sample {time}"),
        None => say!("loose sensor not found"),
    }
    say!(
        "{} samples without the sensor: at most {} off",
        STRANGE - LOOSE,
        Exact(worst)
    );

    let usual = sensor.predict(&code.transform(&channels(STRANGE, load(STRANGE)))?)?;
    let strange = sensor.predict(&code.transform(&channels(STRANGE, [40.0, -30.0]))?)?;
    for (name, prediction) in [("usual", usual), ("strange", strange)] {
        if let Some(deviation) = prediction.deviation {
            say!(
                "{name} load: predicted {}, error bar {}",
                Exact(prediction.value),
                Exact(deviation)
            );
        }
    }
    Ok(())
}

fn noise(time: u32, prime: u32) -> f32 {
    (time * prime % 10_007) as f32 / 10_007.0 - 0.5
}

/// Torque and speed, relative to their means.
fn load(time: u32) -> [f32; 2] {
    [4.0 * noise(time, 6_131), 3.0 * noise(time, 2_579)]
}

/// Current, voltage, vibration, power and sound.
fn channels(time: u32, [torque, speed]: [f32; 2]) -> [f32; 5] {
    let own = |prime| 0.1 * noise(time, prime);
    [
        5.0 + torque + own(719),
        24.0 + 0.8 * speed + 0.1 * torque + own(977),
        1.0 + 0.3 * torque + 0.5 * speed + own(4_111),
        20.0 + 0.7 * torque + 0.7 * speed + own(5_477),
        60.0 + 0.2 * torque + 0.9 * speed + own(8_353),
    ]
}

fn temperature(time: u32, [torque, speed]: [f32; 2]) -> f32 {
    55.0 + 2.0 * torque + 1.5 * speed + 0.5 * noise(time, 7_703)
}
