//! Streams that are so long that rounding errors add up.
//! Out: the total loss of each learner and its certified bound.
//! Method: a learner in `f32` learns one axis until its evidence is large. Then come short samples between this axis and
//! the next. Each adds only a few ε times the largest evidence, so the learner can ignore it, although one direction
//! contains all these samples. Without the excess for rounding, the total loss would exceed the bound after some
//! million ignored samples.

use eigenstream::SettingsError;
use eigenstream::bounds::Bounds;
use eigenstream::pca::{DensityPca, DensitySettings, TrackingPca, TrackingSettings};

use super::subject::Certified;

/// One long stream and the learner that learned it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongStream {
    /// Learner and settings.
    pub learner: &'static str,
    /// Total expected loss.
    pub total: f64,
    /// Certified bound.
    pub bound: f64,
}

const RATE: f32 = 0.05;

/// Evidence that a short sample adds, in units of 1.4·ε times the evidence of the axis.
const PART: f64 = 3.6;

/// Plays a stream of `trials` short samples to each learner.
///
/// # Errors
/// None: all settings are valid.
pub fn long_streams(trials: u64) -> Result<Vec<LongStream>, SettingsError> {
    let plain = TrackingSettings::unscaled(RATE)?.without_ceiling();
    let (low, middle) = (plain.with_ceiling(14.0)?, plain.with_ceiling(36.0)?);
    let dense = DensitySettings::new(RATE)?;
    Ok(vec![
        played(
            "TrackingPca, 4 channels, ceiling 14",
            TrackingPca::<f32, 4, 1, 4>::new(low),
            13.9,
            trials,
        ),
        played(
            "TrackingPca, 4 channels, RANK 3, ceiling 14",
            TrackingPca::<f32, 4, 1, 3>::new(low),
            13.9,
            trials,
        ),
        played(
            "TrackingPca, 2 channels, ceiling 36",
            TrackingPca::<f32, 2, 1, 2>::new(middle),
            35.9,
            trials,
        ),
        played(
            "TrackingPca, 2 channels, no ceiling",
            TrackingPca::<f32, 2, 1, 2>::new(plain),
            200.0,
            trials,
        ),
        played(
            "DensityPca, 2 channels, no ceiling",
            DensityPca::<f32, 2, 1>::new(dense),
            200.0,
            trials,
        ),
    ])
}

/// Plays one axis until its evidence is `certain`, then `trials` short samples.
fn played<L: Certified<f32, DIM>, const DIM: usize>(
    name: &'static str,
    mut learner: L,
    certain: f32,
    trials: u64,
) -> LongStream {
    let mut total = 0.0_f64;
    let mut play = |learner: &mut L, sample: &[f32; DIM]| {
        total += learner.score(sample).map_or(f64::NAN, f64::from);
        if learner.learn(sample).is_err() {
            total = f64::NAN;
        }
    };
    let mut axis = [0.0; DIM];
    axis[0] = 1.0;
    let mut known = 0.0_f64;
    while Certified::evidence(&learner) < certain {
        play(&mut learner, &axis);
        known += 1.0;
    }
    let energy = PART * 1.4 * f64::from(f32::EPSILON) * f64::from(certain) / f64::from(RATE);
    let side = (energy / 2.0).sqrt() as f32;
    let mut short = [0.0; DIM];
    (short[0], short[1]) = (side, side);
    for _ in 0..trials {
        play(&mut learner, &short);
    }
    // The scatter matrix is (known + s, s; s, s), where s is the energy of all short samples on one axis. Its smaller
    // eigenvalue is the loss of the best direction.
    let s = trials as f64 * f64::from(side) * f64::from(side);
    let (middle, half) = (s + known / 2.0, known / 2.0);
    let best = middle - (half * half + s * s).sqrt();
    let evidence = f64::from(certain) + f64::from(RATE);
    let rounds = known as usize + trials as usize;
    let bounds = Bounds::<f64>::new(DIM, 1)
        .with_excess(f64::from(Certified::excess(&learner)))
        .with_rounding(f64::from(f32::EPSILON), evidence, rounds);
    LongStream {
        learner: name,
        total,
        bound: bounds.loss(best, f64::from(RATE)),
    }
}
