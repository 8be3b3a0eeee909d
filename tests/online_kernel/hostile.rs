//! Online kernel PCA on difficult and extreme streams, with functions that are not kernels, and with bad samples.

use super::{rng, samples, settings};
use eigenstream::kernel::{
    Ambient, Cosine, Gaussian, Intake, Kernel, Laplacian, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial,
};
use eigenstream::{Centering, Codec, SampleError, Scalar};

const AMBIENTS: [Ambient; 6] = [
    Ambient::Infinite,
    Ambient::Finite(0),
    Ambient::Finite(2),
    Ambient::Finite(1_000_000),
    Ambient::Points,
    Ambient::Span,
];

/// All combinations of `Ambient` and `Centering`.
fn every_setting(rate: f64) -> Vec<OnlineKernelSettings<f32>> {
    let mut all = Vec::new();
    for ambient in AMBIENTS {
        for centering in [Centering::Centered, Centering::Uncentered] {
            all.push(settings(rate).with_ambient(ambient).with_centering(centering));
        }
    }
    all
}

/// Runs a stream; all results must be finite, and no loss may be negative.
fn survives<K: Kernel<f32, 2> + Copy, const WINDOW: usize, const RANK: usize>(
    kernel: K,
    settings: OnlineKernelSettings<f32>,
    stream: &[[f32; 2]],
) {
    let mut pca = OnlineKernelPca::<f32, K, 2, 2, WINDOW, RANK>::new(kernel, settings);
    let mut rng = rng(1);
    for sample in stream {
        let score = pca.score(sample).unwrap();
        let residual = pca.residual(sample).unwrap();
        let code = pca.transform(sample).unwrap();
        let trial = pca.step(sample, &mut rng).unwrap();
        assert_eq!(trial.expected_loss, score);
        let numbers = [trial.loss, score]
            .into_iter()
            .chain(trial.code)
            .chain(code)
            .chain(residual);
        let state = pca
            .components()
            .iter()
            .copied()
            .chain(*pca.keep_probabilities())
            .collect::<Vec<_>>();
        assert!(numbers.chain(state).all(f32::is_finite), "{settings:?} {sample:?}");
        assert!(trial.loss >= 0.0 && score >= 0.0);
        assert!(pca.spectrum().iter().all(|value| value.is_finite()));
    }
}

#[test]
fn difficult_streams_give_finite_results_with_every_setting() {
    let constant = [[0.5, -0.25]; 14];
    let zeros = [[0.0, 0.0]; 14];
    let duplicates: Vec<[f32; 2]> = (0..14_u8).map(|i| [f32::from(i % 3), 1.0]).collect();
    let line: Vec<[f32; 2]> = (0..14_u8).map(|i| [f32::from(i), -f32::from(i)]).collect();
    let mixed: Vec<[f32; 2]> = samples::<f32, 2>(14, 1)
        .into_iter()
        .chain(constant)
        .chain(zeros)
        .collect();
    for rate in [1e-6, 1.0, 1e6] {
        for settings in every_setting(rate) {
            for stream in [&constant[..], &zeros, &duplicates, &line, &mixed] {
                for gamma in [1e-30, 1.0, 1e30] {
                    survives::<_, 6, 5>(Gaussian::new(gamma).unwrap(), settings, stream);
                }
                survives::<_, 6, 4>(Linear, settings, stream);
                survives::<_, 6, 6>(Cosine, settings, stream);
                survives::<_, 1, 1>(Laplacian::DEFAULT, settings, stream);
                survives::<_, 2, 2>(Polynomial::new(1.0, 5).unwrap(), settings, stream);
            }
        }
    }
}

#[test]
fn huge_and_tiny_numbers_give_finite_results() {
    let huge: Vec<[f32; 2]> = (0..14_u8).map(|i| [1e18, f32::from(i) * 1e17]).collect();
    let tiny: Vec<[f32; 2]> = (0..14_u8).map(|i| [1e-22, f32::from(i) * 1e-23]).collect();
    let wild: Vec<[f32; 2]> = (0..14_i32)
        .map(|i| [10.0_f32.powi(2 * i - 18), 10.0_f32.powi(9 - 2 * i)])
        .collect();
    for settings in every_setting(1.0) {
        for stream in [&huge[..], &tiny, &wild] {
            survives::<_, 5, 5>(Linear, settings, stream);
            survives::<_, 6, 4>(Linear, settings, stream);
            survives::<_, 5, 5>(Gaussian::DEFAULT, settings, stream);
        }
    }
}

#[test]
fn a_function_that_is_not_a_kernel_gives_finite_results() {
    // This function is neither symmetric nor positive definite, and sometimes returns NaN.
    let broken = |left: &[f32; 2], right: &[f32; 2]| {
        if left[0] > right[0] {
            f32::NAN
        } else {
            left[0] - 3.0 * right[1] * left[1]
        }
    };
    let stream = samples::<f32, 2>(40, 2);
    let usable: Vec<[f32; 2]> = stream
        .into_iter()
        .filter(|sample| broken(sample, sample).is_finite())
        .collect();
    for settings in every_setting(1.0) {
        survives::<_, 6, 6>(broken, settings, &usable);
        survives::<_, 8, 4>(broken, settings, &usable);
    }
}

#[test]
fn a_refused_sample_changes_neither_learner_nor_generator() {
    let mut pca = OnlineKernelPca::<f32, _, 2, 1, 4, 4>::new(Polynomial::new(0.0, 3).unwrap(), settings(1.0));
    let mut chance = rng(3);
    for sample in samples::<f32, 2>(9, 3) {
        pca.step(&sample, &mut chance).unwrap();
    }
    let (before, chance_before) = (format!("{pca:?}"), chance.clone());
    let bad = [
        ([f32::NAN, 0.0], SampleError::NotANumber { channel: 0 }),
        ([0.0, f32::INFINITY], SampleError::NotANumber { channel: 1 }),
        ([1e30, 0.0], SampleError::TooLarge { channel: 0 }),
        ([0.0, 1e10], SampleError::TooLarge { channel: 1 }),
    ];
    for (sample, reason) in bad {
        assert_eq!(pca.step(&sample, &mut chance).map(|trial| trial.loss), Err(reason));
        assert_eq!(pca.learn(&sample), Err(reason));
        assert_eq!(pca.push(&sample), Err(reason) as Result<Intake, _>);
        assert_eq!(pca.score(&sample), Err(reason));
        assert_eq!(pca.residual(&sample), Err(reason));
        assert_eq!(pca.transform(&sample), Err(reason));
    }
    assert_eq!(format!("{pca:?}"), before);
    assert_eq!(chance, chance_before);
}

#[test]
fn a_window_smaller_than_keep_loses_nothing_of_its_points() {
    let mut pca =
        OnlineKernelPca::<f64, _, 2, 4, 3, 3>::new(Gaussian::DEFAULT, settings(1.0).with_ambient(Ambient::Points));
    for sample in samples::<f64, 2>(10, 4) {
        pca.learn(&sample).unwrap();
        let points: Vec<[f64; 2]> = pca.window().points().to_vec();
        for point in points {
            assert!(pca.score(&point).unwrap() < 1e-9, "a stored point has no loss");
        }
    }
}

#[test]
fn a_window_of_one_point_has_one_direction() {
    let mut pca = OnlineKernelPca::<f32, _, 2, 1, 1, 1>::new(Gaussian::DEFAULT, settings(2.0));
    for sample in samples::<f32, 2>(5, 5) {
        pca.learn(&sample).unwrap();
        // The only eigenvalue is one, so the loss is exp(−rate).
        assert!((pca.score(&sample).unwrap().to_f64() - (-2.0_f64).exp()).abs() < 1e-6);
    }
}

/// The fourth sample adds an eigenvalue of about 5·10⁴ to eigenvalues near one.
#[test]
fn after_a_large_sample_the_learner_can_be_saved_and_restored() {
    type Pca = OnlineKernelPca<f32, Linear, 3, 2, 32, 8>;
    let mut image = [0; Pca::ENCODED_LEN];
    for seed in 0..200 {
        let mut pca = Pca::new(Linear, OnlineKernelSettings::DEFAULT);
        for (step, sample) in samples::<f32, 3>(9, seed).into_iter().enumerate() {
            let size = if step == 3 { 300.0 } else { 1.0 };
            pca.learn(&sample.map(|value| size * value)).unwrap();
            pca.encode(&mut image).unwrap();
            assert_eq!(Pca::decode(&image).err(), None, "seed {seed}, step {step}");
        }
    }
}
