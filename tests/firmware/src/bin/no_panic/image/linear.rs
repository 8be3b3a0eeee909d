//! The linear learners.

use core::hint::black_box;

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AdditivePca, AdditiveSettings, AverageDensity, AverageSubspace, BatchPca, Center, CenteredPca, CenteredSettings,
    DensityPca, DensitySettings, PairedPca, PairedSettings, ReadOut, Share, TrackingPca, TrackingSettings,
    VarianceMinimizer, VarianceSettings, exponentiated_gradient,
};
use eigenstream::rand_core::SeedableRng;
use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
use eigenstream::spectrum::{Eigen, matrix_exp, matrix_log};
use eigenstream::{Centering, EnergyScale, Forgetting, Learner, ScaleSettings, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::Number;
use super::codec::save;

#[inline(never)]
pub(super) fn tracking<const N: usize>() {
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let sample = black_box::<[Number; N]>([0.5; N]);
    let settings = TrackingSettings::unscaled(black_box(0.5))
        .and_then(|settings| settings.with_share(black_box(Share::Uniform(0.001))))
        .and_then(|settings| settings.with_ceiling(black_box(14.0)))
        .map(|settings| settings.without_ceiling())
        .map(|settings| settings.with_scale(black_box(ScaleSettings::DEFAULT)));
    let mut pca = black_box(TrackingPca::<Number, N, 1, 3>::new(
        settings.unwrap_or(TrackingSettings::DEFAULT),
    ));
    let _ = black_box(pca.step(&sample, &mut rng));
    let _ = black_box(pca.step_with_corners(&sample, &mut rng));
    let _ = black_box(pca.learn(&sample));
    let _ = black_box((pca.score(&sample), pca.residual(&sample)));
    if let Ok(code) = black_box(pca.transform(&sample)) {
        let _ = black_box(pca.inverse_transform(&code));
    }
    black_box((
        pca.components(),
        pca.keep_probabilities(),
        pca.evidence(),
        pca.excess(),
        pca.samples_seen(),
    ));
    pca.density(&mut black_box(SMatrix::<Number, N, N>::from_element(0.0)));
    save(&pca);
    let other = black_box(pca.clone());
    let _ = black_box(pca.merge(&other));
    let _ = black_box(pca.start_from(&black_box(SMatrix::from_element(0.5)), &black_box([0.5])));
    let _ = black_box(pca.start_from_batch(&black_box(BatchPca::<Number, N, 2>::new(Centering::Centered))));
    pca.reset();
    black_box(pca);
}

/// Functions of matrices, and online PCA on the full density matrix, with arguments known only at run time.
#[inline(never)]
pub(super) fn density<const N: usize>() {
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let (sample, matrix) = (
        black_box([0.5; N]),
        black_box(SMatrix::<Number, N, N>::from_element(0.5)),
    );
    let mut eigen = black_box(Eigen::<Number, N>::new());
    let mut result = black_box(SMatrix::<Number, N, N>::from_element(0.0));
    let _ = black_box(matrix_exp(&matrix, &mut eigen, &mut result));
    let _ = black_box(matrix_log(&matrix, &mut eigen, &mut result));
    let _ = black_box(exponentiated_gradient::<Number, N, 2>(
        &matrix,
        &matrix,
        black_box(0.5),
        &mut eigen,
        &mut result,
    ));

    let settings = DensitySettings::new(black_box(0.5))
        .and_then(|settings| settings.with_share(black_box(Share::PastPosteriors(0.5))))
        .and_then(|settings| settings.with_ceiling(black_box(14.0)))
        .map(|settings| settings.without_ceiling());
    let mut pca = black_box(DensityPca::<Number, N, 2>::new(
        settings.unwrap_or(DensitySettings::DEFAULT),
    ));
    let _ = black_box(pca.start_from(&matrix, &mut eigen));
    let _ = black_box(pca.step(&sample, &mut rng));
    let _ = black_box(pca.step_with_corners(&sample, &mut rng));
    let _ = black_box(pca.learn(&sample));
    let _ = black_box(pca.learn_instance(&matrix));
    let _ = black_box(pca.score(&sample));
    let _ = black_box(pca.score_instance(&matrix));
    let _ = black_box(pca.residual(&sample));
    if let Ok(code) = black_box(pca.transform(&sample)) {
        let _ = black_box(pca.inverse_transform(&code));
    }
    black_box((
        pca.components(),
        pca.keep_probabilities(),
        pca.evidence(),
        pca.excess(),
        pca.samples_seen(),
    ));
    pca.density(&mut result);
    save(&pca);
    pca.reset();
    black_box((pca, result));
}

#[inline(never)]
pub(super) fn batch<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let mut pca = black_box(BatchPca::<Number, N, 2>::new(black_box(Centering::Centered)));
    let _ = black_box(pca.learn(&sample));
    let _ = black_box(pca.fit());
    let _ = black_box(pca.transform(&sample));
    let _ = black_box(pca.inverse_transform(&black_box([0.5; 2])));
    let _ = black_box((pca.score(&sample), pca.residual(&sample)));
    black_box((pca.components(), pca.mean(), pca.eigenvalues(), pca.samples_seen()));
    black_box((pca.explained_variance(), pca.explained_variance_ratio(), pca.loss()));
    save(&pca);
    let other = black_box(pca.clone());
    let _ = black_box(pca.merge(&other));
    pca.reset();
    black_box(pca);
}

/// Centered online PCA with every setting, least squares, and the average of the predictions of the PCA.
#[inline(never)]
pub(super) fn centered<const N: usize>() {
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let sample = black_box::<[Number; N]>([0.5; N]);
    let Ok(settings) = every_setting() else {
        return;
    };
    let mut pca = black_box(CenteredPca::<Number, N, 2>::new(settings));
    let _ = black_box(pca.reset_about(&sample));
    let _ = black_box(pca.step(&sample, &mut rng));
    let _ = black_box(pca.step_with_corners(&sample, &mut rng));
    let _ = black_box(pca.learn(&sample));
    let _ = black_box((pca.score(&sample), pca.residual(&sample), pca.transform(&sample)));
    let _ = black_box(pca.inverse_transform(&black_box([0.5; 2])));
    black_box((
        pca.components(),
        pca.keep_probabilities(),
        pca.mean(),
        pca.samples_seen(),
    ));
    black_box((pca.explained_variance(), pca.explained_variance_ratio()));

    let settings = LeastSquaresSettings::new(black_box(0.5)).unwrap_or_default();
    let mut sensor = black_box(RecursiveLeastSquares::<Number, N>::new(
        settings.with_forgetting(black_box(Forgetting::NONE)),
    ));
    let _ = black_box(sensor.learn(&sample, black_box(0.5)));
    black_box(sensor);

    let mut matrix = black_box(SMatrix::<Number, N, N>::from_element(0.0));
    let mut average = black_box(AverageDensity::<Number, N, 2>::new());
    let _ = black_box(average.add(black_box(0.25), pca.directions()));
    pca.scatter(&mut matrix);
    pca.density(&mut matrix);
    let _ = black_box(average.add_density(&matrix));
    average.density(&mut matrix);
    let _ = black_box(average.expected_loss(&sample));
    black_box(average.loss_bound(black_box(1.0)));
    let mut subspace = black_box(AverageSubspace::<Number, N, 2>::new());
    let _ = black_box(subspace.fit(&average));
    black_box((
        subspace.keep_probabilities(),
        subspace.components(),
        subspace.draw(&mut rng),
    ));
    save(&average);
    let other = black_box(average.clone());
    let _ = black_box(average.merge(&other));
    average.reset();
    save(&pca);
    let other = black_box(pca.clone());
    let _ = black_box(pca.merge(&other));
    let _ = black_box(pca.start_from(&black_box(SMatrix::from_element(0.5)), &black_box([0.5; 2])));
    let _ = black_box(pca.start_from_batch(&black_box(BatchPca::<Number, N, 2>::new(Centering::Centered))));
    pca.reset();
    black_box((average, pca, matrix));
}

fn every_setting() -> Result<CenteredSettings<Number>, SettingsError> {
    let forgetting = if black_box(true) {
        Forgetting::memory(black_box(100.0))?
    } else {
        Forgetting::factor(black_box(0.5))?
    };
    let mut scale = EnergyScale::new(ScaleSettings::bound(black_box(2.0))?);
    scale.observe(black_box(1.0));
    black_box(scale.factor());
    let other = black_box(scale);
    let _ = black_box(scale.merge(&other));
    save(&scale);
    scale.reset();
    black_box(scale);
    Ok(CenteredSettings::unscaled(black_box(0.5))?
        .with_center(black_box(Center::Weighted(1.0)))?
        .with_forgetting(forgetting)
        .with_read_out(black_box(ReadOut::Randomized))
        .with_scale(black_box(ScaleSettings::running(forgetting))))
}

#[inline(never)]
pub(super) fn variance<const N: usize>() {
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let mut matrix = black_box(SMatrix::<Number, N, N>::from_element(0.5));
    let Ok(settings) = VarianceSettings::new(black_box(0.5)) else {
        return;
    };
    let mut minimizer = black_box(VarianceMinimizer::<Number, N>::new(settings));
    let _ = black_box(minimizer.step(&matrix, &mut rng));
    let _ = black_box(minimizer.learn(&matrix));
    let _ = black_box(minimizer.expected_variance(&matrix));
    black_box((
        minimizer.weights(),
        minimizer.best_variance(),
        minimizer.matrices_seen(),
    ));
    minimizer.density(&mut matrix);
    let _ = black_box(minimizer.start_from(&matrix, &mut black_box(Eigen::new())));
    save(&minimizer);
    minimizer.reset();
    black_box((minimizer, matrix));
}

#[inline(never)]
pub(super) fn paired() {
    let settings = PairedSettings::unscaled(black_box(0.5)).map(|settings| settings.with_forgetting(Forgetting::NONE));
    let mut pairs = black_box(PairedPca::<Number, 3, 2, 2>::new(
        settings.unwrap_or(PairedSettings::DEFAULT),
    ));
    let sample = black_box::<[Number; 5]>([0.5; 5]);
    let _ = black_box(Learner::learn(&mut pairs, &sample));
    let _ = black_box((Learner::score(&pairs, &sample), Learner::residual(&pairs, &sample)));
    black_box((pairs.samples_seen(), pairs));
    let settings = AdditiveSettings::DEFAULT.with_scale(black_box(ScaleSettings::OFF));
    black_box(AdditivePca::<Number, 4, 1, 3>::new(settings).samples_seen());
}
