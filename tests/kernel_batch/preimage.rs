//! Tests of pre-images: the iteration converges, and the result says how it ended.

use super::{close, filled, fitted, samples};
use eigenstream::kernel::{
    Ending, Expansion, Gaussian, GramEigen, KernelMean, KernelPca, Linear, OnlineKernelPca, OnlineKernelSettings,
    Polynomial, PreimageSettings,
};
use eigenstream::{Centering, SampleError, WeightsError};

const SETTINGS: PreimageSettings<f64> = PreimageSettings::DEFAULT;

#[test]
fn every_iteration_brings_the_preimage_nearer() {
    // With positive weights the iteration is the mean-shift method, which never increases the distance.
    for seed in 0..20 {
        let window = filled::<f64, _, 3, 12>(Gaussian::new(1.5).unwrap(), &samples::<f64, 3>(seed, 12));
        let weights: [f64; 12] = samples::<f64, 12>(100 + seed, 1)[0].map(|w| w.abs() + 0.01);
        let vector = Expansion::new(&window, &weights).unwrap();
        let start = samples::<f64, 3>(200 + seed, 1)[0];
        let mut before = f64::INFINITY;
        for passes in 1..30 {
            let settings = SETTINGS.with_iterations(passes).unwrap();
            let found = vector.preimage_from(&start, settings).unwrap();
            let objective = vector.distance_squared(&found.sample).unwrap();
            let value = vector.value(&found.sample).unwrap();
            assert!(
                value.is_finite() && objective <= before + 1e-12,
                "seed {seed}, pass {passes}"
            );
            before = objective;
        }
    }
}

#[test]
fn a_settled_preimage_is_a_fixed_point() {
    let points = samples::<f64, 2>(31, 10);
    let kernel = Gaussian::new(0.5).unwrap();
    let window = filled::<f64, _, 2, 10>(kernel, &points);
    let found = KernelMean::of(&window).preimage(SETTINGS.with_iterations(1_000).unwrap());
    assert_eq!(found.ending, Ending::Settled);
    // One more iteration, computed directly, must not move the sample.
    let near = |point: &[f64; 2]| (-0.5 * (0..2).map(|i| (point[i] - found.sample[i]).powi(2)).sum::<f64>()).exp();
    let total: f64 = points.iter().map(near).sum();
    for channel in 0..2 {
        let mean = points.iter().map(|point| near(point) * point[channel]).sum::<f64>() / total;
        close("fixed point", found.sample[channel], mean, 1.0, 1e-14);
    }
}

#[test]
fn the_ending_tells_a_bound_from_vanished_weights() {
    let window = filled::<f64, _, 1, 4>(Gaussian::DEFAULT, &[[0.0], [0.5], [2.0]]);
    let expansion = |weights| Expansion::new(&window, &weights).unwrap();
    let short = SETTINGS.with_iterations(2).unwrap();
    let found = expansion([1.0, 1.0, 1.0, 0.0]).preimage(short);
    assert_eq!((found.ending, found.iterations), (Ending::BoundHit, 2));

    let nothing = expansion([0.0; 4]).preimage(SETTINGS);
    assert_eq!(
        (nothing.sample, nothing.ending, nothing.iterations),
        ([0.0], Ending::Vanished, 0)
    );
    // At the start 1e9, the kernel values with all points round to zero.
    let lost = expansion([1.0, 0.0, 0.0, 0.0]).preimage_from(&[1e9], SETTINGS).unwrap();
    assert_eq!((lost.sample, lost.ending), ([1e9], Ending::Vanished));
    // At 0.25, halfway between the points 0 and 0.5, the two terms cancel.
    let torn = expansion([1.0, -1.0, 0.0, 0.0])
        .preimage_from(&[0.25], SETTINGS)
        .unwrap();
    assert_eq!((torn.sample, torn.ending), ([0.25], Ending::Vanished));
    // The sum of the three weights is only a rounding error.
    let copies = filled::<f64, _, 1, 3>(Gaussian::DEFAULT, &[[1.0]; 3]);
    let noise = Expansion::new(&copies, &[0.1, 0.2, -0.3]).unwrap().preimage(SETTINGS);
    assert_eq!(noise.ending, Ending::Vanished);
    let empty = filled::<f64, _, 1, 4>(Gaussian::DEFAULT, &[]);
    let found = KernelMean::of(&empty).preimage(SETTINGS);
    assert_eq!((found.sample, found.ending), ([0.0], Ending::Vanished));
}

#[test]
fn the_search_starts_at_the_point_with_the_largest_weight() {
    let window = filled::<f32, _, 1, 3>(Gaussian::DEFAULT, &[[-100.0], [0.0], [100.0]]);
    let found = |weights: [f32; 3]| {
        Expansion::new(&window, &weights)
            .unwrap()
            .preimage(PreimageSettings::DEFAULT)
            .sample
    };
    assert_eq!(found([1.0, 2.0, 3.0]), [100.0]);
    assert_eq!(found([1.0, 3.0, 2.0]), [0.0]);
    assert_eq!(found([2.0, 1.0, 2.0]), [-100.0], "the first of equal weights");
}

#[test]
fn scaling_all_weights_does_not_change_the_preimage() {
    let window = filled::<f32, _, 1, 2>(Gaussian::DEFAULT, &[[1.0], [1.5]]);
    let found = |scale: f32| {
        Expansion::new(&window, &[scale, 2.0 * scale])
            .unwrap()
            .preimage(PreimageSettings::DEFAULT)
    };
    let wanted = found(1.0);
    assert_eq!(wanted.ending, Ending::Settled);
    for scale in [2.0_f32.powi(-60), 2.0_f32.powi(-30), 2.0_f32.powi(30)] {
        assert_eq!(found(scale), wanted, "{scale}");
    }
}

#[test]
fn the_squared_length_of_a_preimage_is_finite() {
    // An iteration would give 1.9999·1e18/0.0001, whose square overflows `f32`.
    let window = filled::<f32, _, 1, 2>(Gaussian::new(1e-38).unwrap(), &[[1e18], [-1e18]]);
    let vector = Expansion::new(&window, &[1.0, -0.9999]).unwrap();
    for start in [0.0, 1e18, -1e18] {
        let found = vector.preimage_from(&[start], PreimageSettings::DEFAULT).unwrap();
        assert!((found.sample[0] * found.sample[0]).is_finite(), "{found:?}");
    }
}

#[test]
fn bad_starts_and_weights_are_refused() {
    let window = filled::<f32, _, 2, 3>(Gaussian::DEFAULT, &samples::<f32, 2>(32, 2));
    let mean = KernelMean::of(&window);
    let refused = mean.preimage_from(&[0.0, f32::NAN], PreimageSettings::DEFAULT);
    assert_eq!(refused, Err(SampleError::NotANumber { channel: 1 }));
    let refused = |weights| Expansion::new(&window, &weights).err();
    assert_eq!(
        refused([0.0, f32::INFINITY, 0.0]),
        Some(WeightsError::NotANumber { index: 1 })
    );
    assert_eq!(refused([1.0, -3e38, 0.0]), Some(WeightsError::NotANumber { index: 1 }));
    assert_eq!(refused([1.0, 1.0, f32::NAN]), None, "slot 2 is not in use");
}

#[test]
fn a_preimage_is_finite_for_any_weights_and_widths() {
    for seed in 0..200 {
        let points = samples::<f32, 2>(seed, 8);
        let exponent = (seed % 40) as i32 - 20;
        let kernel = Gaussian::new(10.0_f32.powi(exponent)).unwrap();
        let window = filled::<f32, _, 2, 8>(kernel, &points);
        let weights: [f32; 8] = samples::<f32, 8>(300 + seed, 1)[0];
        let vector = Expansion::new(&window, &weights).unwrap();
        let start = samples::<f32, 2>(400 + seed, 1)[0];
        for found in [
            vector.preimage(PreimageSettings::DEFAULT),
            vector.preimage_from(&start, PreimageSettings::DEFAULT).unwrap(),
        ] {
            assert!(found.sample.iter().all(|x| x.is_finite()), "seed {seed}: {found:?}");
            assert!(vector.distance_squared(&found.sample).is_ok());
        }
    }
}

#[test]
fn denoising_moves_a_sample_back_to_the_ring() {
    let ring = |angle: f64, radius: f64| [radius * angle.cos(), radius * angle.sin()];
    let step = core::f64::consts::TAU / 24.0;
    let points: Vec<[f64; 2]> = (0..24).map(|i| ring(f64::from(i) * step, 1.0)).collect();
    let kernel = Gaussian::new(1.0).unwrap();
    let pca = fitted::<f64, _, 2, 5, 24>(&filled(kernel, &points), Centering::Centered);
    let radius_of = |[x, y]: [f64; 2]| (x * x + y * y).sqrt();
    for i in 0..7 {
        for radius in [0.7, 1.3] {
            let found = pca.denoise(&ring(f64::from(i), radius), SETTINGS).unwrap();
            let error = (radius_of(found.sample) - 1.0).abs();
            assert!(error < 0.1, "{i}, {radius}: {error}");
        }
    }
}

/// The Lagrange weights γᵢ of the points xᵢ: Σ γᵢq(xᵢ) = q(z) for every polynomial q of degree below N.
fn lagrange<const N: usize>(points: &[[f64; 1]; N], z: f64) -> [f64; N] {
    std::array::from_fn(|i| {
        let others = (0..N).filter(|&j| j != i);
        others
            .map(|j| (z - points[j][0]) / (points[i][0] - points[j][0]))
            .product()
    })
}

#[test]
fn the_polynomial_preimage_finds_a_sample_from_its_features() {
    let points = [[-1.0], [-0.25], [0.5], [1.5], [2.0]];
    for degree in 1..=4 {
        let window = filled::<f64, _, 1, 5>(Polynomial::new(1.0, degree).unwrap(), &points);
        for z in [-0.75, 0.1, 1.25, 3.0] {
            let vector = Expansion::new(&window, &lagrange(&points, z)).unwrap();
            let found = vector
                .preimage_from(&[1.0], SETTINGS.with_iterations(2_000).unwrap())
                .unwrap();
            close("exact pre-image", found.sample[0], z, 1.0, 1e-6);
            assert!(
                vector.distance_squared(&found.sample).unwrap() < 1e-9,
                "degree {degree}, z {z}"
            );
        }
    }
}

#[test]
fn every_iteration_brings_the_polynomial_preimage_nearer() {
    for seed in 0..20 {
        let points = samples::<f64, 3>(seed, 8);
        for (coef0, degree) in [(0.0, 2), (1.0, 2), (0.5, 3), (0.0, 5)] {
            let window = filled::<f64, _, 3, 8>(Polynomial::new(coef0, degree).unwrap(), &points);
            let vector = Expansion::new(&window, &[0.5, -0.25, 0.125, 1.0, 0.0, 0.5, -0.5, 0.25]).unwrap();
            let start = [0.3, -0.4, 0.9];
            let mut before = vector.distance_squared(&start).unwrap();
            for passes in 1..30 {
                let settings = SETTINGS.with_iterations(passes).unwrap();
                let found = vector.preimage_from(&start, settings).unwrap();
                let distance = vector.distance_squared(&found.sample).unwrap();
                assert!(
                    distance <= before + 1e-11 * (1.0 + before),
                    "{seed} {degree} {passes}: {distance} {before}"
                );
                before = distance;
            }
        }
    }
}

#[test]
fn with_an_even_power_the_start_decides_the_sign_of_the_preimage() {
    let window = filled::<f64, _, 2, 1>(Polynomial::new(0.0, 2).unwrap(), &[[0.6, 0.8]]);
    let vector = Expansion::new(&window, &[4.0]).unwrap();
    for (start, sign) in [([1.0, 0.1], 1.0), ([-0.1, -1.0], -1.0)] {
        let found = vector.preimage_from(&start, SETTINGS).unwrap();
        close("first", found.sample[0], sign * 1.2, 1.0, 1e-7);
        close("second", found.sample[1], sign * 1.6, 1.0, 1e-7);
    }
    let lost = vector.preimage_from(&[0.0, 0.0], SETTINGS).unwrap();
    assert_eq!((lost.sample, lost.ending), ([0.0, 0.0], Ending::Vanished));
}

#[test]
fn the_preimage_of_the_linear_kernel_is_the_weighted_sum() {
    let window = filled::<f32, _, 2, 2>(Linear, &[[1.0, 0.0], [0.0, 2.0]]);
    let found = Expansion::new(&window, &[3.0, -1.0])
        .unwrap()
        .preimage(PreimageSettings::DEFAULT);
    assert_eq!((found.sample, found.ending), ([3.0, -2.0], Ending::Settled));
}

#[test]
fn a_polynomial_preimage_is_finite_from_any_start() {
    let window = filled::<f32, _, 2, 3>(Polynomial::DEFAULT, &[[1e6, -1e6], [1e-20, 0.0], [3.0, 4.0]]);
    let vector = Expansion::new(&window, &[1.0, -2.0, 1e-3]).unwrap();
    for start in [
        [0.0, 0.0],
        [1e-30, 1e-30],
        [1e18, 1e18],
        [-1e9, 1e-9],
        [f32::MIN_POSITIVE, 0.0],
    ] {
        let found = vector.preimage_from(&start, PreimageSettings::DEFAULT).unwrap();
        assert!(
            found.sample.iter().all(|channel| channel.is_finite()),
            "{start:?}: {found:?}"
        );
    }
}

#[test]
fn online_and_batch_kernel_pca_project_alike() {
    let points = samples::<f64, 2>(77, 12);
    let kernel = Gaussian::new(0.5).unwrap();
    for centering in [Centering::Centered, Centering::Uncentered] {
        // At this rate the leading directions are kept with probability one.
        let settings = OnlineKernelSettings::new(1e6).unwrap().with_centering(centering);
        let mut online = OnlineKernelPca::<f64, _, 2, 3, 12, 12>::new(kernel, settings);
        points.iter().for_each(|point| online.learn(point).unwrap());
        let window = filled::<f64, _, 2, 12>(kernel, &points);
        let mut batch = KernelPca::<f64, _, 2, 3, 12>::new(kernel, centering);
        let _ = batch.fit(&window, &mut GramEigen::new());
        let probe = [0.2, -0.3];
        let wanted = batch.expansion(&batch.transform(&probe).unwrap()).unwrap();
        let code = online.transform(&probe).unwrap();
        let given = online.expansion(&code).unwrap();
        for (&given, &wanted) in given.weights().iter().zip(wanted.weights()) {
            close("weight", given, wanted, 1.0, 1e-9);
        }
        let (given, wanted) = (
            online.denoise(&probe, SETTINGS).unwrap(),
            batch.denoise(&probe, SETTINGS).unwrap(),
        );
        for channel in 0..2 {
            close("sample", given.sample[channel], wanted.sample[channel], 1.0, 1e-7);
        }
    }
}
