//! Windows of equal, zero, tiny or huge points, extreme kernel widths, and bad samples.

use super::{filled, fitted, in_both_precisions, samples};
use eigenstream::kernel::{
    Cosine, Gaussian, GramWindow, Kernel, KernelMean, KernelPca, KernelRidge, Laplacian, Linear, Polynomial,
    PreimageSettings, RidgeSettings,
};
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, RidgeError, SampleError, Scalar};

fn windows<T: Scalar>() -> Vec<Vec<[T; 2]>> {
    let number = |value: f64| T::from_f64(value);
    let plain = samples::<T, 2>(1, 8);
    vec![
        vec![],
        vec![plain[0]],
        vec![[T::ZERO; 2]],
        vec![[T::ZERO; 2]; 8],
        vec![plain[0]; 8],
        plain.iter().flat_map(|&point| [point, point]).take(8).collect(),
        vec![plain[0], [T::ZERO; 2], plain[1], [T::ZERO; 2]],
        plain.iter().map(|point| point.map(|x| x * number(1e-15))).collect(),
        plain.iter().map(|point| point.map(|x| x * number(1e15))).collect(),
        plain.iter().map(|point| point.map(|x| number(256.0) + x)).collect(),
        vec![[number(1e-30), T::ZERO]; 3],
        plain,
    ]
}

fn every_window<T: Scalar, K: Kernel<T, 2> + Clone>(name: &str, kernel: K) {
    for (position, points) in windows::<T>().into_iter().enumerate() {
        let mut window = GramWindow::<T, K, 2, 8>::new(kernel.clone());
        for point in &points {
            let _ = window.push(point);
        }
        let place = format!("{name}, window {position}");
        for centering in [Centering::Centered, Centering::Uncentered] {
            check(&place, &fitted::<T, K, 2, 8, 8>(&window, centering), &window, centering);
            check(&place, &fitted::<T, K, 2, 1, 8>(&window, centering), &window, centering);
        }
        let mean = KernelMean::of(&window);
        for sample in &samples::<T, 2>(2, 3) {
            let answers = [mean.value(sample), mean.distance_squared(sample), mean.score(sample)];
            assert!(
                answers.iter().all(|answer| answer.is_ok_and(Scalar::is_finite)),
                "{place}"
            );
        }
        let mut ridge = KernelRidge::<T, K, 2, 8>::new(kernel.clone(), RidgeSettings::DEFAULT);
        if ridge.fit(&window, &[T::ONE; 8], &mut Cholesky::new()).is_ok() {
            for sample in points.iter().chain(&samples::<T, 2>(2, 3)) {
                assert!(!ridge.predict(sample).is_ok_and(|value| !value.is_finite()), "{place}");
            }
        }
    }
}

fn check<T: Scalar, K: Kernel<T, 2> + Clone, const KEEP: usize>(
    place: &str,
    pca: &KernelPca<T, K, 2, KEEP, 8>,
    window: &GramWindow<T, K, 2, 8>,
    centering: Centering,
) {
    let numbers = [
        pca.explained_variance(),
        pca.explained_variance_ratio(),
        *pca.eigenvalues(),
    ];
    for number in numbers.into_iter().flatten().chain([pca.loss()]) {
        assert!(number.is_finite() && number >= T::ZERO, "{place}: {number}");
    }
    assert!(pca.eigenvalues().is_sorted_by(|left, right| left >= right), "{place}");
    let largest = window
        .norms()
        .iter()
        .fold(T::ZERO, |largest, &norm| Scalar::max(largest, norm));
    for (stored, sample) in (window.points().iter().map(|point| (true, point)))
        .chain(samples::<T, 2>(3, 3).iter().map(|sample| (false, sample)))
    {
        let (code, score) = (pca.transform(sample).unwrap(), pca.score(sample).unwrap());
        assert!(
            code.iter().all(|value| value.is_finite()) && score.is_finite(),
            "{place}"
        );
        if stored && KEEP == 8 {
            // Eigenvalues below 1e-6 (`f32`) or 1e-11 (`f64`) of the largest are dropped; `part` is 100 times this.
            let part = if T::EPSILON.to_f64() > 1e-10 { 1e-4 } else { 1e-9 };
            assert!(
                score.to_f64() <= part * largest.to_f64(),
                "{place}: a stored point has the score {score}"
            );
        }
    }
    assert!(
        KernelPca::<T, K, 2, KEEP, 8>::from_fitted(window.kernel().clone(), pca.fitted()).is_ok(),
        "{place}, {centering:?}"
    );
}

fn every_kernel<T: Scalar>() {
    every_window::<T, _>("linear", Linear);
    every_window::<T, _>("cosine", Cosine);
    every_window::<T, _>("cubic", Polynomial::new(T::ONE, 3).unwrap());
    for gamma in [1e-30, 1e-6, 1.0, 1e6, 1e30] {
        every_window(
            &format!("gaussian {gamma:e}"),
            Gaussian::new(T::from_f64(gamma)).unwrap(),
        );
        every_window(
            &format!("laplacian {gamma:e}"),
            Laplacian::new(T::from_f64(gamma)).unwrap(),
        );
    }
}

in_both_precisions!(every_window_of_every_kernel_gives_finite_numbers, every_kernel);

#[test]
fn a_function_that_is_not_a_kernel_gives_finite_numbers() {
    // The sum of all k(x, x) is finite, but the square of k(x, y) overflows if x and y differ.
    for norm in [1e-30, 1.0, 1e20, 1e30] {
        let kernel = move |left: &[f32; 2], right: &[f32; 2]| if left == right { norm } else { f32::MAX };
        let window = filled::<f32, _, 2, 8>(kernel, &samples(1, 8));
        for centering in [Centering::Centered, Centering::Uncentered] {
            let pca = fitted::<f32, _, 2, 2, 8>(&window, centering);
            for sample in window.points().iter().chain(&samples(3, 3)) {
                let (code, score) = (pca.transform(sample).unwrap(), pca.score(sample).unwrap());
                assert!(
                    code.iter().all(|value| value.is_finite()) && score.is_finite(),
                    "k(x, x) = {norm:e}, {centering:?}: {code:?}, {score}"
                );
            }
        }
    }
}

#[test]
fn every_batch_kernel_method_refuses_bad_samples() {
    let window = filled::<f32, _, 2, 8>(Gaussian::DEFAULT, &samples::<f32, 2>(4, 8));
    let pca = fitted::<f32, _, 2, 3, 8>(&window, Centering::Centered);
    let mean = KernelMean::of(&window);
    let mut ridge = KernelRidge::new(Gaussian::DEFAULT, RidgeSettings::DEFAULT);
    ridge.fit(&window, &[0.5; 8], &mut Cholesky::new()).unwrap();
    let bad = [
        ([0.0, f32::NAN], SampleError::NotANumber { channel: 1 }),
        ([f32::NEG_INFINITY, 0.0], SampleError::NotANumber { channel: 0 }),
        ([1.0, 3e19], SampleError::TooLarge { channel: 1 }),
    ];
    for (sample, error) in bad {
        assert_eq!(pca.transform(&sample), Err(error));
        assert_eq!(pca.score(&sample), Err(error));
        assert_eq!(pca.denoise(&sample, PreimageSettings::DEFAULT), Err(error));
        assert_eq!(mean.value(&sample), Err(error));
        assert_eq!(mean.score(&sample), Err(error));
        assert_eq!(ridge.predict(&sample), Err(error));
    }
    let refused = pca.expansion(&[0.0, 1.0, f32::NAN]).err();
    assert_eq!(refused, Some(SampleError::NotANumber { channel: 2 }));
    let refused = pca.expansion(&[0.0, 3e38, 0.0]).err();
    assert_eq!(refused, Some(SampleError::TooLarge { channel: 1 }));
}

#[test]
fn a_refused_ridge_fit_keeps_the_previous_one() {
    let points = samples::<f32, 2>(5, 6);
    let window = filled::<f32, _, 2, 8>(Gaussian::DEFAULT, &points);
    let mut ridge = KernelRidge::new(Gaussian::DEFAULT, RidgeSettings::new(0.0).unwrap());
    let mut room = Cholesky::new();
    ridge.fit(&window, &[0.5; 8], &mut room).unwrap();
    let before = *ridge.coefficients();

    let mut targets = [0.5; 8];
    targets[4] = f32::NAN;
    assert_eq!(
        ridge.fit(&window, &targets, &mut room),
        Err(RidgeError::Target { slot: 4 })
    );
    assert_eq!(ridge.fit(&window, &[3e38; 8], &mut room), Err(RidgeError::Overflow));
    let mut copies = window.clone();
    copies.push(&points[0]).unwrap();
    assert_eq!(ridge.fit(&copies, &[0.5; 8], &mut room), Err(RidgeError::Singular));
    assert_eq!(ridge.coefficients(), &before);
    targets[4] = 0.5;
    targets[7] = f32::NAN;
    assert_eq!(ridge.fit(&window, &targets, &mut room), Ok(()), "slot 7 is not in use");
}

#[test]
fn after_a_constant_stream_every_other_sample_has_the_largest_score() {
    let window = filled::<f32, _, 2, 8>(Gaussian::DEFAULT, &[[0.3, 0.4]; 8]);
    let mean = KernelMean::of(&window);
    assert_eq!(mean.score(&[0.3, 0.4]), Ok(0.0));
    assert_eq!(mean.score(&[0.4, 0.4]), Ok(f32::MAX));
}
