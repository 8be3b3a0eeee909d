//! Tests of single functions of `mahalanobis/mod.rs`.

use super::*;
use crate::spectrum::Cholesky;
use rand_core::SeedableRng;

/// Computes d² = xᵀS⁻¹x / DIM anew from C with a shrinkage of 0.005: slow, but simple.
fn slowly<const DIM: usize>(shape: &Mahalanobis<f64, DIM>, sample: &[f64; DIM]) -> f64 {
    let mut shrunk = shape.covariance() * 0.995;
    let mean = shape.covariance().trace() / DIM as f64;
    for i in 0..DIM {
        shrunk[(i, i)] += 0.005 * mean;
    }
    let mut cholesky = Cholesky::new();
    assert_eq!(cholesky.decompose(&shrunk), Ok(()));
    let mut solution = *sample;
    cholesky.solve(&mut solution);
    dot(sample, &solution) / DIM as f64
}

#[test]
fn the_distance_is_that_of_the_inverse_and_the_parts_sum_to_it() -> Result<(), SampleError> {
    let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(5);
    let mut shape = Mahalanobis::<f64, 5>::new(MahalanobisSettings::DEFAULT);
    let mut chance = || 2.0 * f64::uniform(&mut rng) - 1.0;
    let mut next = || {
        let load = chance();
        core::array::from_fn(|i| load * i as f64 + 0.2 * chance())
    };
    for _ in 0..100 {
        shape.learn(&next())?;
    }
    while shape.stale > 0 {
        shape.learn(&next())?;
    }
    for _ in 0..20 {
        let sample = next();
        let score = shape.score(&sample)?;
        assert!((score / slowly(&shape, &sample) - 1.0).abs() < 1e-12);
        let residual = shape.residual(&sample)?;
        assert!((dot(&residual, &residual) / score - 1.0).abs() < 1e-12);
        assert!((shape.parts(&sample)?.iter().sum::<f64>() / score - 1.0).abs() < 1e-12);
    }
    Ok(())
}

#[test]
fn a_fault_on_one_channel_is_blamed_on_it() -> Result<(), SampleError> {
    let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(9);
    let mut shape = Mahalanobis::<f32, 8>::new(MahalanobisSettings::DEFAULT);
    let mut chance = || 2.0 * f32::uniform(&mut rng) - 1.0;
    for _ in 0..500 {
        let (load, speed) = (chance(), chance());
        shape.learn(&core::array::from_fn(|i| {
            load * i as f32 - speed * (i % 3) as f32 + 0.3 * chance()
        }))?;
    }
    for guilty in 0..8 {
        let mut fault = [0.0; 8];
        fault[guilty] = 5.0;
        let parts = shape.parts(&fault)?;
        assert!(parts.iter().all(|part| *part <= parts[guilty]), "{guilty}: {parts:?}");
    }
    Ok(())
}

/// Fuzzing found this case: 32 samples after decoding, the learner had infinite numbers.
#[test]
fn entries_that_no_samples_have_are_refused_or_stay_finite() {
    let finite = |shape: &Mahalanobis<f32, 6>| {
        let numbers = shape.matrix.iter().chain(&shape.pivots).chain(&shape.alone);
        numbers.into_iter().all(|number| number.is_finite())
    };
    for (beside, diagonal) in [
        (1e30, 1.0),
        (-1e38, 1e-30),
        (0.4 * f32::MAX, 0.0),
        (1e38, f32::MAX),
        (3.0, 1.0),
    ] {
        let mut shape = Mahalanobis::<f32, 6>::new(MahalanobisSettings::DEFAULT);
        for (i, column) in shape.matrix.data.0.iter_mut().enumerate() {
            column[i] = diagonal;
            for entry in column.iter_mut().take(i) {
                *entry = beside;
            }
        }
        assert_eq!(shape.validate(), Ok(()));
        for i in 0..3_000_u32 {
            let sample = core::array::from_fn(|j| ((i as usize * (j + 3)) % 7) as f32 - 3.0);
            assert_eq!(shape.learn(&sample), Ok(()));
            assert!(finite(&shape), "{beside} {diagonal}, sample {i}: {shape:?}");
        }
    }
    let mut shape = Mahalanobis::<f32, 2>::new(MahalanobisSettings::DEFAULT);
    shape.matrix[(0, 1)] = f32::MAX;
    assert_eq!(shape.validate(), Err(CodecError::Range));
    shape.matrix[(0, 1)] = 0.0;
    shape.weight = u32::MAX;
    assert_eq!(shape.validate(), Err(CodecError::Count));
}
