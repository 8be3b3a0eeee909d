//! The functions below the learners, and the learners over experts.

use eigenstream::bounds::{Bounds, CenterStart, RegretMeter};
use eigenstream::kernel::{Cosine, Gaussian, GramWindow, Kernel, Laplacian, Linear, Polynomial};
use eigenstream::nalgebra::SMatrix;
use eigenstream::rand_core::Rng;
use eigenstream::spectrum::{
    Eigen, PartialEigen, RankOne, matrix_exp, matrix_log, orthogonality_error, orthonormalize,
};
use eigenstream::weights::{
    Bulk, Corners, FollowTheLeader, Hedge, HedgeSettings, SubsetExperts, cap, cap_log, keep_probability, softmin,
    systematic, threshold,
};

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, generator, samples, signal};

/// The functions of [`Scalar`] over many magnitudes.
pub(crate) fn numbers<T: Number>(digest: &mut Digest) {
    let mut rng = generator(5);
    for _ in 0..200 {
        let number = T::from_f64(8.0) * signal::<T>(&mut rng);
        let positive = number.exp();
        digest.note(&[number.exp_m1(), number.floor(), positive, positive.ln()]);
        digest.note(&[positive.sqrt(), positive.inverse_sqrt(), positive.power_of_two()]);
    }
}

/// Losses between 0 and 1, from the finite samples.
fn losses<T: Number>() -> impl Iterator<Item = [T; DIM]> {
    samples::<T>()
        .filter(|sample| sample.iter().all(|value| value.is_finite()))
        .map(|sample| sample.map(|value| value.abs().min(T::ONE)))
}

pub(crate) fn weights<T: Number>(digest: &mut Digest) {
    let mut rng = generator(7);
    for loss in losses::<T>() {
        let mut weights = [T::ZERO; DIM];
        digest.note(&softmin(&loss, T::TWO, None, &mut weights));
        let mut logarithms = [T::ZERO; DIM];
        digest.note(&cap_log(&loss.map(|value| -value), KEEP, &mut logarithms));
        digest.note(&cap(&mut weights, KEEP));
        digest.note(&(weights, logarithms));
        let uniform = T::uniform(&mut rng);
        digest.note(&systematic::<T, DIM>(
            &weights.map(|weight| weight * T::TWO),
            KEEP,
            uniform,
        ));
        if let Ok(corners) = Corners::<T, DIM>::new(&weights, KEEP) {
            digest.note(&corners.clone().draw(uniform));
            for corner in corners {
                digest.note(&(corner.probability(), corner.members()));
            }
        }
        let mut evidence = loss;
        evidence.sort_unstable_by(|one, other| other.partial_cmp(one).unwrap_or(core::cmp::Ordering::Equal));
        let bulk = Bulk {
            value: T::from_f64(0.1),
            multiplicity: 3,
        };
        let tau = threshold(&evidence, bulk, KEEP);
        digest.note(&(tau, keep_probability(evidence[0], tau)));
    }
}

pub(crate) fn spectrum<T: Number>(digest: &mut Digest) {
    let mut rng = generator(8);
    let mut eigen = Eigen::<T, DIM>::new();
    let mut partial = PartialEigen::<T, DIM>::new();
    let mut update = RankOne::<T, DIM>::new();
    for _ in 0..12 {
        let mut matrix = zeros();
        for column in 0..DIM {
            for row in 0..=column {
                let entry = signal(&mut rng);
                matrix[(row, column)] = entry;
                matrix[(column, row)] = entry;
            }
        }
        digest.note(&eigen.decompose(&matrix));
        digest.note(&(eigen.values(), eigen.vectors()));
        let mut vectors = SMatrix::<T, DIM, 3>::from_element(T::ZERO);
        digest.note(&partial.decompose(&matrix));
        digest.note(&partial.vectors(&[0, 2, 5], &mut vectors));
        digest.note(&(partial.values(), vectors, orthogonality_error(&vectors, 3)));
        vectors[(0, 0)] += T::HALF;
        digest.note(&orthonormalize(&mut vectors, 3));
        digest.note(&vectors);
        digest.note(&update.update(
            eigen.values().as_slice(),
            &core::array::from_fn::<T, DIM, _>(|_| signal(&mut rng)),
            T::HALF,
        ));
        digest.note(&(update.values(), update.vectors()));
        let (mut exponential, mut logarithm) = (zeros(), zeros());
        digest.note(&matrix_exp(&matrix, &mut eigen, &mut exponential));
        digest.note(&matrix_log(&exponential, &mut eigen, &mut logarithm));
        digest.note(&(exponential, logarithm));
    }
}

pub(crate) fn kernels<T: Number>(digest: &mut Digest) {
    fn values<T: Number>(digest: &mut Digest, kernel: &impl Kernel<T, DIM>) {
        let mut last = [T::HALF; DIM];
        for sample in losses::<T>() {
            digest.note(&(
                kernel.value(&sample, &last),
                kernel.norm_squared(&sample),
                kernel.norm_bound(),
            ));
            last = sample;
        }
    }
    values::<T>(digest, &Linear);
    values::<T>(digest, &Cosine);
    let kernels = (
        Polynomial::new(T::HALF, 3),
        Gaussian::from_sigma(T::HALF),
        Laplacian::new(T::TWO),
    );
    if let (Ok(polynomial), Ok(gaussian), Ok(laplacian)) = kernels {
        values(digest, &polynomial);
        values(digest, &gaussian);
        values(digest, &laplacian);
    }
}

pub(crate) fn window<T: Number>(digest: &mut Digest) {
    let Ok(kernel) = Gaussian::new(T::HALF) else { return };
    let mut window = GramWindow::<T, _, DIM, 8>::new(kernel);
    for sample in samples() {
        let mut row = [T::ZERO; 8];
        digest.note(&window.row(&sample, &mut row));
        digest.note(&(row, window.push(&sample)));
    }
    digest.note_image::<1024>(&window);
}

pub(crate) fn bounds<T: Number>(digest: &mut Digest) {
    let start = CenterStart {
        inverse_rate: T::ONE,
        distance: T::HALF,
    };
    let mut meter = RegretMeter::<T>::new();
    for loss in losses::<T>() {
        let loss = loss[0];
        meter.record(loss);
        for bounds in [
            Bounds::<T>::new(DIM, KEEP),
            Bounds::printed(DIM, KEEP),
            Bounds::dimension_free(KEEP),
        ] {
            digest.note(&(bounds.divergence(), bounds.learning_rate(loss), bounds.tuned_loss(loss)));
            digest.note(&(
                bounds.loss(loss, T::ONE),
                bounds.centered_loss(loss, T::ONE, start, 100),
            ));
            digest.note(&bounds.mean_centered_loss(loss, T::ONE, T::TWO, 100));
        }
    }
    digest.note(&(meter.total_loss(), meter.regret(T::ONE)));
}

pub(crate) fn hedge<T: Number>(digest: &mut Digest) {
    let Ok(settings) = HedgeSettings::new(T::HALF).and_then(|settings| settings.with_set_size(KEEP)) else {
        return;
    };
    let mut hedge = Hedge::<T, DIM>::new(settings);
    let mut rng = generator(9);
    for loss in samples::<T>() {
        digest.note(&hedge.draw(&mut rng));
        digest.note(&hedge.step(&loss));
        digest.note(&hedge.weights());
    }
    digest.note_image::<256>(&hedge);
    digest.note(&rng.next_u32());
}

pub(crate) fn subset_experts<T: Number>(digest: &mut Digest) {
    let mut rng = generator(10);
    for loss in losses::<T>() {
        let experts = SubsetExperts::<T, DIM>::new(&loss.map(|value| (-value).exp()), KEEP);
        digest.note(&experts.as_ref().map(drop).map_err(|&error| error));
        if let Ok(experts) = experts {
            let mut marginals = [T::ZERO; DIM];
            experts.marginals(&mut marginals);
            digest.note(&(experts.partition(), marginals, experts.draw(&mut rng)));
        }
    }
}

pub(crate) fn leaders<T: Number>(digest: &mut Digest) {
    let mut leader = FollowTheLeader::<T, DIM>::new();
    let mut rng = generator(11);
    for loss in samples::<T>() {
        let perturbation: [T; DIM] = core::array::from_fn(|_| signal(&mut rng));
        digest.note(&(leader.leaders(KEEP), leader.perturbed_leaders(&perturbation, KEEP)));
        digest.note(&leader.learn(&loss));
    }
    digest.note_image::<128>(&leader);
}

fn zeros<T: Number>() -> SMatrix<T, DIM, DIM> {
    SMatrix::from_element(T::ZERO)
}
