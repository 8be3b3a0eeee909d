//! Online kernel PCA equals linear learners where the features are known, and a direct computation with a Gaussian kernel.

use super::{losses, samples, settings, tolerance};
use eigenstream::Centering;
use eigenstream::kernel::{Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, Polynomial};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{Center, CenteredPca, CenteredSettings};
use eigenstream::spectrum::Eigen;

#[test]
fn online_kernel_pca_with_the_linear_kernel_equals_linear_pca() {
    let samples = samples::<f64, 4>(32, 1);
    let linear_settings = CenteredSettings::unscaled(0.7)
        .unwrap()
        .with_center(Center::Fixed)
        .unwrap();
    let mut linear = CenteredPca::<f64, 4, 2>::new(linear_settings);
    let mut kernel =
        OnlineKernelPca::<f64, _, 4, 2, 32, 32>::new(Linear, settings(0.7).with_ambient(Ambient::Finite(4)));
    for (loss, sample) in losses(&mut kernel, &samples).iter().zip(&samples) {
        let wanted = linear.score(sample).unwrap();
        linear.learn(sample).unwrap();
        assert!((loss - wanted).abs() < 1e-10, "{loss} {wanted}");
    }
    for sample in &samples {
        let (code, wanted) = (kernel.transform(sample).unwrap(), linear.transform(sample).unwrap());
        for (code, wanted) in code.iter().zip(wanted) {
            assert!((code.abs() - wanted.abs()).abs() < 1e-8);
        }
    }
}

#[test]
fn the_quadratic_kernel_equals_linear_pca_of_the_products() {
    // The kernel (x·y)² is φ(x)·φ(y) with the features φ(x) = (x₁², x₂², √2·x₁x₂).
    let products = |[x, y]: [f64; 2]| [x * x, y * y, 2.0_f64.sqrt() * x * y];
    let samples = samples::<f64, 2>(60, 2);
    let features: Vec<[f64; 3]> = samples.iter().map(|&sample| products(sample)).collect();
    for ambient in [Ambient::Infinite, Ambient::Finite(3), Ambient::Points, Ambient::Span] {
        let settings = settings(2.0).with_ambient(ambient);
        let quadratic = Polynomial::new(0.0, 2).unwrap();
        let mut pca = OnlineKernelPca::<f64, _, 2, 2, 16, 16>::new(quadratic, settings);
        let mut explicit = OnlineKernelPca::<f64, _, 3, 2, 16, 16>::new(Linear, settings);
        let pairs = losses(&mut pca, &samples)
            .into_iter()
            .zip(losses(&mut explicit, &features));
        for (trial, (loss, wanted)) in pairs.enumerate() {
            assert!(
                (loss - wanted).abs() < 1e-8,
                "{ambient:?}, trial {trial}: {loss} {wanted}"
            );
        }
    }
}

/// The expected loss, computed from the centered Gram matrix.
fn direct_centered_loss<const WINDOW: usize>(points: &[[f64; 3]], sample: &[f64; 3], rate: f64, keep: usize) -> f64 {
    let kernel = Gaussian::<f64>::DEFAULT;
    let count = points.len();
    if count == 0 {
        return 1.0;
    }
    let value = |i: usize, j: usize| kernel.value(&points[i], &points[j]);
    let row_mean = |i: usize| (0..count).map(|j| value(i, j)).sum::<f64>() / count as f64;
    let means: Vec<f64> = (0..count).map(row_mean).collect();
    let mean = means.iter().sum::<f64>() / count as f64;
    let gram = SMatrix::<f64, WINDOW, WINDOW>::from_fn(|i, j| {
        if i < count && j < count {
            value(i, j) - means[i] - means[j] + mean
        } else {
            0.0
        }
    });
    let row: Vec<f64> = points.iter().map(|point| kernel.value(point, sample)).collect();
    let row_mean = row.iter().sum::<f64>() / count as f64;
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&gram).unwrap();
    let kept = |tau: f64| -> f64 {
        eigen
            .values()
            .iter()
            .map(|v| 1.0 - (-(rate * v - tau).max(0.0)).exp())
            .sum()
    };
    let (mut low, mut high) = (0.0, 100.0);
    if kept(0.0) > keep as f64 {
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if kept(middle) > keep as f64 {
                low = middle
            } else {
                high = middle
            }
        }
    } else {
        high = 0.0;
    }
    let mut loss = 1.0 - 2.0 * row_mean + mean;
    for (i, &value) in eigen.values().iter().enumerate().filter(|(_, value)| **value > 1e-11) {
        let overlap: f64 = (0..count)
            .map(|j| eigen.vectors()[(j, i)] * (row[j] - row_mean - means[j] + mean))
            .sum();
        loss -= (1.0 - (-(rate * value - high).max(0.0)).exp()) * overlap * overlap / value;
    }
    loss
}

#[test]
fn centered_losses_equal_those_of_a_direct_computation() {
    const WINDOW: usize = 12;
    let samples = samples::<f64, 3>(40, 3);
    let settings = settings(4.0).with_centering(Centering::Centered);
    let mut pca = OnlineKernelPca::<f64, _, 3, 2, WINDOW, WINDOW>::new(Gaussian::DEFAULT, settings);
    for sample in &samples {
        let points: Vec<[f64; 3]> = pca.window().oldest_first().copied().collect();
        let wanted = direct_centered_loss::<WINDOW>(&points, sample, 4.0, 2);
        let loss = pca.score(sample).unwrap();
        assert!((loss - wanted).abs() < 1e-9, "{loss} {wanted}");
        pca.learn(sample).unwrap();
    }
}

#[test]
fn a_small_rank_changes_no_loss_once_the_window_is_full() {
    let samples = samples::<f32, 3>(100, 4);
    let mut whole = OnlineKernelPca::<f32, _, 3, 2, 16, 16>::new(Gaussian::DEFAULT, settings(5.0));
    let mut small = OnlineKernelPca::<f32, _, 3, 2, 16, 6>::new(Gaussian::DEFAULT, settings(5.0));
    let (whole, small) = (losses(&mut whole, &samples), losses(&mut small, &samples));
    for (trial, (whole, small)) in whole.iter().zip(small).enumerate() {
        let rounding = tolerance::ROUNDING * f64::from(f32::EPSILON);
        assert!(trial < 16 || (whole - small).abs() <= rounding, "trial {trial}");
        // Before trial 16 the small rank may lose more, but it never loses less.
        assert!(small >= whole - rounding);
    }
}
