//! A reset forgets all of a life: what comes after it is what comes after nothing, bit for bit.

use eigenstream::Scalar;
use eigenstream::hebbian::{Apex, Gha, KernelApex, KernelGha};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, Polynomial};
use eigenstream::monitor::Standardizer;
use eigenstream::pca::{
    AverageDensity, BatchPca, CenteredPca, DensityPca, EnergyScale, TrackingPca, VarianceMinimizer,
};
use eigenstream::rand_core::SeedableRng;
use eigenstream::weights::{FollowTheLeader, Hedge};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Life};
use crate::round_trip::sample;

/// Samples before the reset, and after it: more than any window holds.
const LENGTH: usize = 30;

fn is_as_new<L: Life>(reset: fn(&mut L)) {
    let name = core::any::type_name::<L>();
    for choice in 0..4 {
        let (mut used, mut new) = (L::fresh(choice), L::fresh(choice));
        let mut stream = Xoshiro128PlusPlus::seed_from_u64(12);
        for _ in 0..LENGTH {
            let said = used.live(&sample(&mut stream), &mut Xoshiro128PlusPlus::seed_from_u64(3));
            assert!(said.is_ok(), "{name}");
        }
        reset(&mut used);
        let probe = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(used.look(&probe), new.look(&probe), "{name}, settings {choice}");
        let mut rngs = [7, 7].map(Xoshiro128PlusPlus::seed_from_u64);
        for step in 0..LENGTH {
            let sample = sample(&mut stream);
            let said = used.live(&sample, &mut rngs[0]);
            assert_eq!(
                said,
                new.live(&sample, &mut rngs[1]),
                "{name}, settings {choice}, step {step}"
            );
        }
    }
}

fn all_are_as_new<T: Scalar>() {
    is_as_new::<TrackingPca<T, DIM, 2, DIM>>(TrackingPca::reset);
    is_as_new::<DensityPca<T, DIM, 2>>(DensityPca::reset);
    is_as_new::<CenteredPca<T, DIM, 2>>(CenteredPca::reset);
    is_as_new::<BatchPca<T, DIM, 2>>(BatchPca::reset);
    is_as_new::<VarianceMinimizer<T, DIM>>(VarianceMinimizer::reset);
    is_as_new::<AverageDensity<T, DIM, 2>>(AverageDensity::reset);
    is_as_new::<EnergyScale<T>>(EnergyScale::reset);
    is_as_new::<Hedge<T, DIM>>(Hedge::reset);
    is_as_new::<FollowTheLeader<T, DIM>>(FollowTheLeader::reset);
    is_as_new::<Standardizer<T, DIM>>(Standardizer::reset);
    is_as_new::<Gha<T, DIM, 2>>(Gha::reset);
    is_as_new::<Apex<T, DIM, 2>>(Apex::reset);
    is_as_new::<KernelGha<T, Gaussian<T>, DIM, 2, 6>>(KernelGha::reset);
    is_as_new::<KernelApex<T, Polynomial<T>, DIM, 2, 6>>(KernelApex::reset);
    is_as_new::<OnlineKernelPca<T, Gaussian<T>, DIM, 2, 6, 5>>(OnlineKernelPca::reset);
}

#[test]
fn a_learner_that_was_reset_lives_on_like_a_new_one() {
    all_are_as_new::<f32>();
    all_are_as_new::<f64>();
}
