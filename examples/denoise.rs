//! Removes the noise from the sensors of a motor. The graph is sensors → KernelPca → projection → pre-image → clean sensors.
//!
//! Four channels measure the angle of a shaft and its second harmonic, a closed curve that needs all four dimensions. Kernel
//! PCA learns the curve from one slow turn. The fitted model is then copied as plain numbers, as from a host to the flash of a
//! chip, and the copy moves noisy samples back to the curve.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca, PreimageSettings};
use eigenstream::pca::BatchPca;
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Centering, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(denoise);

/// Channels of the sensor.
const DIM: usize = 4;
/// Samples of the slow turn.
const WINDOW: usize = 16;
/// Directions kept in the feature space.
const KEEP: usize = 8;
/// Samples to denoise.
const TESTS: usize = 48;
/// The noise of each channel, uniform between − and + this value: first while learning, then in the test.
const NOISE: [f32; 2] = [0.05, 0.3];

fn denoise() -> Outcome {
    let kernel = Gaussian::new(0.5)?;
    let mut sensor = Xoshiro128PlusPlus::seed_from_u64(1);
    let mut window = GramWindow::<f32, _, DIM, WINDOW>::new(kernel);
    let mut linear = BatchPca::<f32, DIM, 2>::new(Centering::Centered);
    // Sixteen steps of 22.5 degrees.
    let mut shaft = Shaft::turning_by([0.923_879_5, 0.382_683_43]);
    for _ in 0..WINDOW {
        let sample = noisy(shaft.turn(), NOISE[0], &mut sensor);
        window.push(&sample)?;
        linear.learn(&sample)?;
    }
    let _ = linear.fit();
    let mut fitted = KernelPca::<f32, _, DIM, KEEP, WINDOW>::new(kernel, Centering::Centered);
    let _ = fitted.fit(&window, &mut GramEigen::new());
    let explained: f32 = fitted.explained_variance_ratio().iter().sum();
    say!("{KEEP} directions explain {} of the features", Exact(explained));

    // The numbers that the chip would read from flash.
    let pca = KernelPca::from_fitted(kernel, fitted.fitted())?;

    say!("distance to the truth: noisy, clean, passes");
    let mut squares = [0.0; 3];
    // Steps of 137.5 degrees cover the circle evenly and never repeat an angle.
    let mut shaft = Shaft::turning_by([-0.737_277_3, 0.675_590_2]);
    for count in 0..TESTS {
        let truth = shaft.turn();
        let sample = noisy(truth, NOISE[1], &mut sensor);
        let clean = pca.denoise(&sample, PreimageSettings::DEFAULT)?;
        let flat = linear.inverse_transform(&linear.transform(&sample)?)?;
        let errors = [sample, clean.sample, flat].map(|answer| distance_squared(&answer, &truth));
        for (sum, error) in squares.iter_mut().zip(errors) {
            *sum += error / TESTS as f32;
        }
        if count < 8 {
            let [before, after, _] = errors.map(Scalar::sqrt);
            say!("  {}  {}  {:3}", Exact(before), Exact(after), clean.iterations);
        }
    }
    let [before, after, flat] = squares.map(Scalar::sqrt);
    say!("root mean square of {TESTS}:");
    say!("  noisy                     {}", Exact(before));
    say!("  kernel PCA, pre-image     {}", Exact(after));
    say!("  linear PCA, 2 directions  {}", Exact(flat));
    Ok(())
}

struct Shaft {
    angle: [f32; 2],
    step: [f32; 2],
}

impl Shaft {
    fn turning_by(step: [f32; 2]) -> Self {
        Self {
            angle: [1.0, 0.0],
            step,
        }
    }

    /// Turns by one step; returns cosine and sine of the angle and of twice the angle.
    fn turn(&mut self) -> [f32; DIM] {
        let ([cosine, sine], [along, across]) = (self.angle, self.step);
        self.angle = [cosine * along - sine * across, sine * along + cosine * across];
        let [cosine, sine] = self.angle;
        let size = core::f32::consts::FRAC_1_SQRT_2;
        [
            size * cosine,
            size * sine,
            size * (cosine * cosine - sine * sine),
            size * 2.0 * cosine * sine,
        ]
    }
}

fn noisy(sample: [f32; DIM], size: f32, rng: &mut Xoshiro128PlusPlus) -> [f32; DIM] {
    sample.map(|channel| channel + size * (2.0 * f32::uniform(rng) - 1.0))
}

fn distance_squared(left: &[f32; DIM], right: &[f32; DIM]) -> f32 {
    let mut sum = 0.0;
    for (left, right) in left.iter().zip(right) {
        sum += (left - right) * (left - right);
    }
    sum
}
