//! Keeps `TrackingPca` with one, two and three directions orthonormal for a million trials.

#[expect(dead_code, reason = "the limit of this test is its own")]
#[path = "../../support/orthonormal.rs"]
mod orthonormal;

use eigenstream::Scalar;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use orthonormal::known_error;
use rand_xoshiro::Xoshiro128PlusPlus;

type Failure = Box<dyn std::error::Error>;

/// Checks a million trials with new directions every 500 trials: |VᵀV − I| stays within 5e-6 for the components V.
fn stay_orthonormal_for_long<const KEEP: usize>() -> Result<(), Failure> {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(77);
    let mut symmetric = || 2.0 * f32::uniform(&mut rng) - 1.0;
    let mut pca = TrackingPca::<f32, 6, KEEP, 6>::new(TrackingSettings::new(3.0)?);
    // The signal has KEEP directions, or two for KEEP = 1.
    let mut bases = [[0.0; 6]; 3];
    let mut worst: f64 = 0.0;
    for trial in 0..1_000_000 {
        if trial % 500 == 0 {
            bases = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
        }
        let mut sample: [f32; 6] = core::array::from_fn(|_| 0.1 * symmetric());
        for basis in bases.iter().take(KEEP.max(2)) {
            let weight = symmetric();
            for (entry, &own) in sample.iter_mut().zip(basis) {
                *entry += weight * own;
            }
        }
        pca.learn(&sample)?;
        worst = worst.max(known_error(&pca.components()));
    }
    assert!(
        worst * f64::from(f32::EPSILON) <= 5e-6,
        "keep {KEEP}: {worst} ε after a million trials"
    );
    Ok(())
}

#[test]
fn a_million_trials_leave_the_directions_orthonormal() -> Result<(), Failure> {
    stay_orthonormal_for_long::<1>()?;
    stay_orthonormal_for_long::<2>()?;
    stay_orthonormal_for_long::<3>()
}
