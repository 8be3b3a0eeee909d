//! The fast mode beside the exact one on the same stream.

use super::{clusters, rng, samples, settings, symmetric};
use eigenstream::kernel::{
    Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial, Refresh,
};
use eigenstream::{Centering, SampleError, Scalar};

/// How far a loss may be off, as a part of k(x, x): the promise of [`Refresh::Fast`] for `RANK` = `KEEP` + 4.
const PROMISED: f64 = 1e-3;

/// The largest difference of the losses, as a part of k(x, x), from the exact mode with room for as many directions.
fn error<T: Scalar, K: Kernel<T, 3> + Copy, const KEEP: usize, const WINDOW: usize, const RANK: usize>(
    kernel: K,
    settings: OnlineKernelSettings<T>,
    stream: &[[T; 3]],
) -> f64 {
    let mut exact = OnlineKernelPca::<T, K, 3, KEEP, WINDOW, RANK>::new(kernel, settings);
    let mut fast = OnlineKernelPca::<T, K, 3, KEEP, WINDOW, RANK>::new(kernel, settings.with_refresh(Refresh::Fast));
    let mut worst = 0.0_f64;
    for sample in stream {
        let error = exact.score(sample).unwrap().to_f64() - fast.score(sample).unwrap().to_f64();
        worst = worst.max(error.abs() / kernel.norm_squared(sample).to_f64().max(1e-30));
        exact.learn(sample).unwrap();
        fast.learn(sample).unwrap();
        assert_eq!(exact.window().points(), fast.window().points(), "no sample is dropped");
    }
    worst
}

fn near_the_exact_mode<T: Scalar>() {
    let stream = samples::<T, 3>(150, 1);
    for ambient in [Ambient::Infinite, Ambient::Finite(100), Ambient::Points, Ambient::Span] {
        for centering in [Centering::Uncentered, Centering::Centered] {
            let settings = settings(5.0).with_ambient(ambient).with_centering(centering);
            let gaussian = error::<T, _, 3, 24, 7>(Gaussian::DEFAULT, settings, &stream);
            assert!(gaussian < PROMISED, "{ambient:?} {centering:?}: {gaussian}");
            let quadratic = Polynomial::new(T::ZERO, 2).unwrap();
            let quadratic = error::<T, _, 3, 24, 7>(quadratic, settings, &stream);
            assert!(quadratic < PROMISED, "{ambient:?} {centering:?}: {quadratic}");
        }
    }
}

#[test]
fn fast_losses_are_near_the_exact_ones() {
    near_the_exact_mode::<f64>();
    near_the_exact_mode::<f32>();
}

/// Settings with clusters and with changes of regime: 2 precisions × 3 streams × 3 γ × 8 sizes, 144 in all.
fn near_on_clusters<T: Scalar>() -> f64 {
    let mut worst = 0.0_f64;
    // Clusters of five; of forty, more than a window, which are regimes; and a spread that makes most clusters alike.
    for (seed, (size, spread)) in (1..).zip([(5, 1.0), (40, 2.0), (5, 3.0)]) {
        let stream = clusters::<T>(160, size, spread, seed);
        for gamma in [0.1, 0.5, 2.0] {
            let (kernel, settings) = (Gaussian::new(T::from_f64(gamma)).unwrap(), settings(1.0));
            let errors = [
                error::<T, _, 1, 16, 5>(kernel, settings, &stream),
                error::<T, _, 1, 32, 5>(kernel, settings, &stream),
                error::<T, _, 2, 16, 6>(kernel, settings, &stream),
                error::<T, _, 2, 32, 6>(kernel, settings, &stream),
                error::<T, _, 3, 16, 7>(kernel, settings, &stream),
                error::<T, _, 3, 32, 7>(kernel, settings, &stream),
                error::<T, _, 4, 16, 8>(kernel, settings, &stream),
                error::<T, _, 4, 32, 8>(kernel, settings, &stream),
            ];
            for error in errors {
                assert!(
                    error < PROMISED,
                    "clusters of {size} within {spread}, γ = {gamma}: {errors:?}"
                );
                worst = worst.max(error);
            }
        }
    }
    worst
}

#[test]
fn fast_losses_are_near_the_exact_ones_on_clusters_and_changes_of_regime() {
    let worst = near_on_clusters::<f64>().max(near_on_clusters::<f32>());
    println!("largest error over 144 settings: {worst:.1e} of k(x, x)");
}

#[test]
fn the_fast_mode_is_taken_once_the_window_is_full() {
    // An exact answer is within 1e-9 of another, a fast one is not. Measured: 564 of 584.
    let settings = settings(1.0);
    let kernel = Gaussian::new(0.5).unwrap();
    let mut exact = OnlineKernelPca::<f64, _, 3, 1, 16, 5>::new(kernel, settings);
    let mut fast = OnlineKernelPca::<f64, _, 3, 1, 16, 5>::new(kernel, settings.with_refresh(Refresh::Fast));
    let mut taken = 0;
    for sample in clusters::<f64>(600, 5, 1.0, 1) {
        let error = exact.score(&sample).unwrap() - fast.score(&sample).unwrap();
        taken += usize::from(error.abs() > 1e-9);
        exact.learn(&sample).unwrap();
        fast.learn(&sample).unwrap();
    }
    assert!(taken > 500, "{taken} of 584");
}

#[test]
fn what_spans_less_than_is_carried_is_followed_exactly() {
    // Features of rank 3: nothing is ever left out.
    let stream = samples::<f32, 3>(200, 2);
    let error = error::<f32, _, 3, 24, 8>(Linear, settings(1.0), &stream);
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
