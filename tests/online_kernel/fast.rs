//! The fast mode beside the exact one on the same stream.

use super::{rng, samples, settings, symmetric};
use eigenstream::kernel::{
    Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial, Refresh,
};
use eigenstream::{Centering, SampleError, Scalar};

/// Root of the mean squared difference of the losses, and the largest.
fn errors<T: Scalar, K: Kernel<T, 3> + Copy, const RANK: usize>(
    kernel: K,
    settings: OnlineKernelSettings<T>,
    stream: &[[T; 3]],
) -> (f64, f64) {
    let mut exact = OnlineKernelPca::<T, K, 3, 3, 24, 24>::new(kernel, settings);
    let mut fast = OnlineKernelPca::<T, K, 3, 3, 24, RANK>::new(kernel, settings.with_refresh(Refresh::Fast));
    let (mut squares, mut worst) = (0.0, 0.0_f64);
    for sample in stream {
        let error = exact.score(sample).unwrap().to_f64() - fast.score(sample).unwrap().to_f64();
        squares += error * error;
        worst = worst.max(error.abs());
        exact.learn(sample).unwrap();
        fast.learn(sample).unwrap();
        assert_eq!(exact.window().points(), fast.window().points(), "no sample is dropped");
    }
    ((squares / stream.len() as f64).sqrt(), worst)
}

fn near_the_exact_mode<T: Scalar>() {
    let stream = samples::<T, 3>(300, 1);
    for ambient in [Ambient::Infinite, Ambient::Finite(100), Ambient::Points, Ambient::Span] {
        for centering in [Centering::Uncentered, Centering::Centered] {
            let settings = settings(5.0).with_ambient(ambient).with_centering(centering);
            let (small, small_worst) = errors::<T, _, 8>(Gaussian::DEFAULT, settings, &stream);
            let (large, _) = errors::<T, _, 12>(Gaussian::DEFAULT, settings, &stream);
            assert!(
                small < 4e-3 && small_worst < 3e-2,
                "{ambient:?} {centering:?}: {small} {small_worst}"
            );
            assert!(large < 1e-3, "{ambient:?} {centering:?}: {large}");
            let quadratic = Polynomial::new(T::ZERO, 2).unwrap();
            let (quadratic, _) = errors::<T, _, 8>(quadratic, settings, &stream);
            assert!(quadratic < 4e-3, "{ambient:?} {centering:?}: {quadratic}");
        }
    }
}

#[test]
fn fast_losses_are_near_the_exact_ones() {
    near_the_exact_mode::<f64>();
    near_the_exact_mode::<f32>();
}

#[test]
fn the_fast_mode_is_taken_once_the_window_is_full() {
    // What is not carried shows: an exact answer is within 1e-9 of another, a fast one is not. Measured: 273 of 276.
    let settings = settings(5.0);
    let mut exact = OnlineKernelPca::<f64, _, 3, 3, 24, 8>::new(Gaussian::DEFAULT, settings);
    let mut fast = OnlineKernelPca::<f64, _, 3, 3, 24, 8>::new(Gaussian::DEFAULT, settings.with_refresh(Refresh::Fast));
    let mut taken = 0;
    for sample in samples::<f64, 3>(300, 1) {
        let error = exact.score(&sample).unwrap() - fast.score(&sample).unwrap();
        taken += usize::from(error.abs() > 1e-9);
        exact.learn(&sample).unwrap();
        fast.learn(&sample).unwrap();
    }
    assert!(taken > 250, "{taken} of 276");
}

#[test]
fn what_spans_less_than_is_carried_is_followed_exactly() {
    // Features of rank 3: nothing is ever left out.
    let stream = samples::<f32, 3>(200, 2);
    let (error, _) = errors::<f32, _, 8>(Linear, settings(1.0), &stream);
    assert!(error < 1e-5, "{error}");
}

#[test]
fn fast_mode_stays_finite_on_streams_that_stand_still() -> Result<(), SampleError> {
    let settings = settings(5.0).with_refresh(Refresh::Fast);
    let mut pca = OnlineKernelPca::<f32, _, 3, 2, 12, 7>::new(Gaussian::DEFAULT, settings);
    for trial in 0..400_u16 {
        let sample = match trial / 40 % 5 {
            0 => [0.0; 3],
            1 => [0.25, -0.5, 0.125],
            2 => [f32::from(trial % 2), 0.0, 1e-20],
            3 => [1e10, f32::from(trial), -1e-10],
            _ => [f32::from(trial % 7) * 0.1, f32::from(trial % 5) * 0.1, 0.3],
        };
        let score = pca.score(&sample)?;
        assert!((0.0..=1.0).contains(&score), "trial {trial}: {score}");
        pca.learn(&sample)?;
        let sum: f32 = pca.keep_probabilities().iter().sum();
        assert!(sum <= 2.0 + 1e-4 && sum.is_finite());
    }
    Ok(())
}

/// Far from zero, and with fewer directions than are carried: some of those are made of rounding, and need not sum to zero.
#[test]
fn about_their_centre_points_of_low_rank_are_followed_as_well() {
    for offset in [1.0, 10.0] {
        let rng = &mut rng(1);
        let settings = OnlineKernelSettings::new(5.0)
            .unwrap()
            .with_centering(Centering::Centered);
        let mut fast = OnlineKernelPca::<f32, Linear, 4, 2, 24, 6>::new(Linear, settings.with_refresh(Refresh::Fast));
        let mut exact = OnlineKernelPca::<f32, Linear, 4, 2, 24, 6>::new(Linear, settings);
        let mut squares = 0.0;
        for _ in 0..500 {
            let mut sample: [f32; 4] = std::array::from_fn(|_| (offset + symmetric(rng)) as f32);
            sample[3] = offset as f32;
            let difference = f64::from(fast.score(&sample).unwrap() - exact.score(&sample).unwrap());
            squares += difference * difference;
            fast.learn(&sample).unwrap();
            exact.learn(&sample).unwrap();
        }
        assert!((squares / 500.0).sqrt() <= 1e-4, "offset {offset}: {squares}");
    }
}
