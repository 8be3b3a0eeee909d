//! Six strain gauges on a bridge, with unknown zeros. The graph is six channels → centered PCA → loss → guilty channel.
//!
//! Traffic bends the bridge in two ways, so two directions represent a healthy sample. At rest the gauges read up to 410 units.
//! `CenteredPca` learns the zeros together with the two directions. `TrackingPca` assumes samples around zero and needs one of
//! its two directions for the zeros. At the end gauge 4 comes loose, and its channel has the largest part of the loss.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::pca::{CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
use support::{Exact, Outcome, say};

support::entry!(centered);

const SAMPLES: u32 = 2_000;
/// Samples over which a loss is averaged.
const LAST: u32 = 200;
/// Readings of the gauges at rest.
const ZEROS: [f32; 6] = [120.0, -35.0, 80.0, 410.0, -260.0, 55.0];

fn centered() -> Outcome {
    let mut gauges = CenteredPca::<f32, 6, 2>::new(CenteredSettings::DEFAULT);
    let mut around_zero = TrackingPca::<f32, 6, 2, 6>::new(TrackingSettings::DEFAULT);
    let mut losses = [0.0_f32; 2];
    for time in 0..SAMPLES {
        let sample = read_gauges(time);
        if time >= SAMPLES - LAST {
            losses[0] += gauges.score(&sample)? / LAST as f32;
            losses[1] += around_zero.score(&sample)? / LAST as f32;
        }
        gauges.learn(&sample)?;
        around_zero.learn(&sample)?;
    }

    let mut worst = 0.0_f32;
    for (learned, zero) in gauges.mean().iter().zip(ZEROS) {
        worst = worst.max((learned - zero).abs());
    }
    say!("zeros learned, at most {} off", Exact(worst));
    say!("mean loss of a healthy sample, centered: {}", Exact(losses[0]));
    say!("mean loss of a healthy sample, around zero: {}", Exact(losses[1]));

    let mut loose = read_gauges(SAMPLES);
    loose[4] += 15.0;
    let loss = gauges.score(&loose)?;
    let (mut guilty, mut largest) = (0, 0.0);
    for (channel, part) in gauges.residual(&loose)?.iter().enumerate() {
        if part * part > largest {
            (guilty, largest) = (channel, part * part);
        }
    }
    say!(
        "a loose gauge: loss {}, {} times the usual one, look at gauge {guilty}",
        Exact(loss),
        (loss / losses[0]) as u32
    );
    Ok(())
}

fn read_gauges(time: u32) -> [f32; 6] {
    let noise = |prime: u32| (time * prime % 10_007) as f32 / 10_007.0 - 0.5;
    let (lorry, wind) = (40.0 * noise(6_131), 15.0 * noise(2_579));
    let bend = [0.5, 0.9, 1.0, 0.9, 0.5, 0.1];
    let twist = [1.0, 0.6, 0.2, -0.2, -0.6, -1.0];
    let primes = [719, 977, 4_111, 5_477, 8_353, 3_571];
    core::array::from_fn(|i| ZEROS[i] + bend[i] * lorry + twist[i] * wind + 0.5 * noise(primes[i]))
}
