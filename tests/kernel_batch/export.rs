//! A fitted model as a Rust constant: printed, compiled in, and refused if it was changed.

use super::{close, filled, fitted, samples};
use eigenstream::Centering::{self, *};
use eigenstream::FitError;
use eigenstream::kernel::{FittedKernelPca, Gaussian, KernelPca, Linear};

/// The fitted [`model`], as `{:?}` printed it.
const EXPORTED: FittedKernelPca<f32, 2, 2, 6> = include!("exported.in");

fn model<const WINDOW: usize>(centering: Centering) -> KernelPca<f32, Gaussian<f32>, 2, 2, WINDOW> {
    fitted(&filled(Gaussian::DEFAULT, &samples::<f32, 2>(21, 5)), centering)
}

#[test]
fn the_printed_model_compiles_to_the_same_model() {
    assert_eq!(format!("{EXPORTED:?}"), include_str!("exported.in").trim());
    let fitted = model::<6>(Centered);
    let compiled_in = KernelPca::from_fitted(Gaussian::DEFAULT, &EXPORTED).unwrap();
    let rebuilt = KernelPca::from_fitted(Gaussian::DEFAULT, fitted.fitted()).unwrap();
    for sample in &samples::<f32, 2>(22, 10) {
        assert_eq!(rebuilt.transform(sample), fitted.transform(sample));
        assert_eq!(rebuilt.score(sample), fitted.score(sample));
        // `exported.in` may come from a platform that rounds differently.
        let score = f64::from(fitted.score(sample).unwrap());
        close("score", compiled_in.score(sample).unwrap(), score, 1.0, 1e-5);
    }
}

#[test]
fn a_changed_model_is_refused() {
    for centering in [Centered, Uncentered] {
        let parts = model::<6>(centering).fitted().clone();
        let damages: [fn(&mut FittedKernelPca<f32, 2, 2, 6>); 8] = [
            |parts| parts.points[2][1] += 0.1,
            |parts| parts.coefficients[1][3] *= 1.01,
            |parts| parts.coefficients[0] = parts.coefficients[1],
            |parts| parts.coefficients[0][5] = 0.5,
            |parts| parts.eigenvalues[0] *= 1.01,
            |parts| parts.eigenvalues.swap(0, 1),
            |parts| parts.left_out = -1.0,
            |parts| parts.mean += 0.01,
        ];
        for (position, damage) in damages.iter().enumerate() {
            let mut broken = parts.clone();
            damage(&mut broken);
            let refused = KernelPca::from_fitted(Gaussian::DEFAULT, &broken).err();
            assert_eq!(refused, Some(FitError::NotAFit), "damage {position}, {centering:?}");
        }
        let other = Gaussian::new(1.05).unwrap();
        assert_eq!(KernelPca::from_fitted(other, &parts).err(), Some(FitError::NotAFit));
        assert_eq!(KernelPca::from_fitted(Linear, &parts).err(), Some(FitError::NotAFit));
    }
}

#[test]
fn a_model_with_nan_or_too_many_points_is_refused() {
    let parts = model::<6>(Centered).fitted().clone();
    let refused = |damage: fn(&mut FittedKernelPca<f32, 2, 2, 6>)| {
        let mut broken = parts.clone();
        damage(&mut broken);
        KernelPca::from_fitted(Gaussian::DEFAULT, &broken).err()
    };
    assert_eq!(
        refused(|parts| parts.points[5][0] = f32::NAN),
        Some(FitError::NotANumber)
    );
    assert_eq!(refused(|parts| parts.points[0][0] = 1e30), Some(FitError::NotANumber));
    assert_eq!(
        refused(|parts| parts.coefficients[0][0] = f32::INFINITY),
        Some(FitError::NotANumber)
    );
    assert_eq!(
        refused(|parts| parts.eigenvalues[1] = f32::NAN),
        Some(FitError::NotANumber)
    );
    let length = FitError::Length { given: 7, capacity: 6 };
    assert_eq!(refused(|parts| parts.len = 7), Some(length));
}

#[test]
fn every_fitted_model_is_accepted() {
    for seed in 30..36 {
        let points = samples::<f64, 3>(seed, 24);
        for gamma in [1e-6, 0.05, 1.0, 50.0] {
            let kernel = Gaussian::new(gamma).unwrap();
            for centering in [Centered, Uncentered] {
                let pca = fitted::<f64, _, 3, 6, 24>(&filled(kernel, &points), centering);
                assert!(
                    KernelPca::from_fitted(kernel, pca.fitted()).is_ok(),
                    "f64, {seed}, {gamma}"
                );
                // A small `gamma` can give eigenvalues below the rounding error of `f32`; such a model can be refused.
                let small = Gaussian::new(gamma as f32).unwrap();
                let converted = KernelPca::from_fitted(small, &pca.fitted().cast());
                assert!(gamma < 0.05 || converted.is_ok(), "cast, {seed}, {gamma}");
                let points: Vec<[f32; 3]> = points.iter().map(|point| point.map(|x| x as f32)).collect();
                let pca = fitted::<f32, _, 3, 6, 24>(&filled(small, &points), centering);
                assert!(
                    KernelPca::from_fitted(small, pca.fitted()).is_ok(),
                    "f32, {seed}, {gamma}"
                );
            }
        }
    }
}
