//! Vibration of a gearbox on a chip with very little memory. The graph is eight channels → GHA and APEX → three components.
//!
//! Three shafts turn, each with its own pattern on the eight channels. `Gha` learns all three components at once, `Apex` one
//! after another, in some hundred bytes. `BatchPca` stores a matrix and shows the best possible result. At the end a tooth
//! breaks, which adds a new pattern. The program prints equal bits on a computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::Centering;
use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings};
use eigenstream::pca::BatchPca;
use support::{Exact, Outcome, say};

support::entry!(small_learners);

const SAMPLES: u32 = 8_000;
/// Samples over which a loss is averaged.
const LAST: u32 = 500;

fn small_learners() -> Outcome {
    let mut gha = Gha::<f32, 8, 3>::new(GhaSettings::new(0.01)?);
    let mut apex = Apex::<f32, 8, 3>::new(ApexSettings::new(0.02)?.with_span(2_000));
    let mut batch = BatchPca::<f32, 8, 3>::new(Centering::Uncentered);
    for time in 0..SAMPLES {
        let sample = read_gearbox(time, 0.0);
        gha.learn(&sample)?;
        apex.learn(&sample)?;
        batch.learn(&sample)?;
    }
    let _ = batch.fit();

    let (mut usual, mut broken) = ([0.0_f32; 3], [0.0_f32; 3]);
    for time in SAMPLES..SAMPLES + LAST {
        for (losses, tooth) in [(&mut usual, 0.0), (&mut broken, 1.0)] {
            let sample = read_gearbox(time, tooth);
            let scores = [gha.score(&sample)?, apex.score(&sample)?, batch.score(&sample)?];
            for (loss, score) in losses.iter_mut().zip(scores) {
                *loss += score / LAST as f32;
            }
        }
    }
    // Pointers are shorter on the chip. Rounding up gives equal output.
    let bytes = [size_of_val(&gha), size_of_val(&apex), size_of_val(&batch)].map(|bytes| bytes.next_multiple_of(64));
    for (index, name) in ["Gha", "Apex", "BatchPca"].into_iter().enumerate() {
        say!("{name} keeps at most {} bytes", bytes[index]);
        say!("  mean loss of a usual sample  {}", Exact(usual[index]));
        say!("  with a broken tooth          {}", Exact(broken[index]));
        say!("  factor                       {}", Exact(broken[index] / usual[index]));
    }
    Ok(())
}

/// `tooth` is not zero if a tooth is broken.
fn read_gearbox(time: u32, tooth: f32) -> [f32; 8] {
    let noise = |prime: u32| (time * prime % 10_007) as f32 / 10_007.0 - 0.5;
    let (motor, middle, wheel) = (6.0 * noise(6_131), 4.0 * noise(2_579), 2.5 * noise(7_703));
    let motor_pattern = [0.7, 0.5, 0.4, 0.3, 0.1, 0.0, 0.0, 0.0];
    let middle_pattern = [-0.1, 0.0, 0.3, 0.2, 0.6, 0.5, 0.4, 0.3];
    let wheel_pattern = [0.2, -0.4, 0.1, 0.3, -0.3, 0.0, 0.5, -0.6];
    let tooth_pattern = [0.3, -0.5, 0.4, -0.4, 0.2, -0.3, 0.1, 0.3];
    let primes = [719, 977, 4_111, 5_477, 8_353, 3_571, 2_203, 1_597];
    core::array::from_fn(|i| {
        motor_pattern[i] * motor
            + middle_pattern[i] * middle
            + wheel_pattern[i] * wheel
            + tooth_pattern[i] * tooth
            + 0.2 * noise(primes[i])
    })
}
