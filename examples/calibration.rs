//! Calibrates a thermistor with twelve points. The graph is voltage → kernel ridge regression → temperature ± error bar.
//!
//! The voltage of a thermistor falls along a curve. Twelve pairs of voltage and temperature are measured once. `KernelRidge`
//! fits a curve to them and predicts the temperature for every other voltage. A straight line is fitted for comparison. Outside
//! the calibrated range the error bar grows, because the prediction is only a guess there. The program prints equal bits on a
//! computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::Scalar;
use eigenstream::kernel::{Gaussian, GramWindow, KernelRidge, RidgeSettings};
use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
use eigenstream::spectrum::Cholesky;
use support::{Exact, Outcome, say};

support::entry!(calibration);

const POINTS: usize = 12;
/// The curve is fitted to (temperature − `MIDDLE`) / `RANGE`.
const MIDDLE: f32 = 50.0;
const RANGE: f32 = 50.0;

fn calibration() -> Outcome {
    let kernel = Gaussian::new(2.0)?;
    let mut window = GramWindow::<f32, _, 1, POINTS>::new(kernel);
    let mut targets = [0.0; POINTS];
    let mut line = RecursiveLeastSquares::<f32, 1>::new(LeastSquaresSettings::DEFAULT);
    for point in 0..POINTS {
        let temperature = 100.0 * point as f32 / (POINTS - 1) as f32;
        let sample = [voltage(temperature)];
        targets[window.push(&sample)?] = (temperature - MIDDLE) / RANGE;
        line.learn(&sample, temperature)?;
    }
    let mut curve = KernelRidge::new(kernel, RidgeSettings::new(1e-4)?);
    let mut factor = Cholesky::new();
    curve.fit(&window, &targets, &mut factor)?;

    let (mut worst_curve, mut worst_line) = (0.0_f32, 0.0_f32);
    for tenth in 0..=1_000 {
        let temperature = 0.1 * tenth as f32;
        let sample = [voltage(temperature)];
        let predicted = MIDDLE + RANGE * curve.predict(&sample)?;
        worst_curve = worst_curve.max((predicted - temperature).abs());
        worst_line = worst_line.max((line.predict(&sample)?.value - temperature).abs());
    }
    say!(
        "between 0 and 100 degrees, the curve is at most {} off",
        Exact(worst_curve)
    );
    say!("a straight line is at most {} off", Exact(worst_line));

    for temperature in [5.0, 37.0, 95.0, 160.0, -60.0] {
        let sample = [voltage(temperature)];
        let predicted = MIDDLE + RANGE * curve.predict(&sample)?;
        let bar = RANGE * Scalar::sqrt(curve.variance(&sample, &factor)?);
        let name = if bar < 2.0 { "trusted" } else { "a guess" };
        say!(
            "true {temperature}: predicted {}, error bar {}, {name}",
            Exact(predicted),
            Exact(bar)
        );
    }
    Ok(())
}

fn voltage(temperature: f32) -> f32 {
    let ratio = (temperature + 90.0) / 115.0;
    3.3 / (1.0 + ratio * ratio * ratio)
}
