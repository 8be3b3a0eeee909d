//! Images and kernels that components of points must refuse or survive.

use super::*;
use crate::hebbian::{GhaSettings, KernelGha, RateSettings};
use crate::kernel::{Gaussian, Linear, Polynomial};
use crate::{Codec, SettingsError};
use rand_core::SeedableRng;

/// If the stored √k(z, z) is too small, the limit of |A|·√k(z, z) accepts a huge coefficient A, and a later step can
/// overflow.
#[test]
fn lengths_that_are_not_those_of_the_points_are_refused_since_they_hide_what_is_loud() {
    let mut vectors = FeatureVectors::<f32, _, 2, 2, 3>::new(Linear, PointBudget::DEFAULT);
    assert_eq!(vectors.push(&[3.0, 4.0], [0.5, 0.25]), Ok(()));
    assert_eq!(vectors.validate(), Ok(()));
    vectors.lengths[0] = 1e-30;
    vectors.coefficients[0][0] = 1e30;
    assert_eq!(vectors.validate(), Err(CodecError::Range));
}

/// At a point z of length zero, |A|·√k(z, z) is zero for every coefficient A, so the limit of |A|·√k(z, z) alone would
/// accept a large A. A later step could overflow.
#[test]
fn a_point_without_length_has_no_coefficient() {
    let mut vectors = FeatureVectors::<f32, _, 2, 2, 3>::new(Linear, PointBudget::DEFAULT);
    assert_eq!(vectors.push(&[0.0, 0.0], [1e18, 2.0]), Ok(()));
    assert_eq!(vectors.column(0), [0.0, 0.0]);
    assert_eq!(vectors.validate(), Ok(()));
    vectors.coefficients[0][0] = 3e38;
    assert_eq!(vectors.validate(), Err(CodecError::Range));
}

#[test]
fn a_point_that_another_kernel_makes_zero_loses_its_coefficients() -> Result<(), SettingsError> {
    let of_degree = |degree| {
        let kernel = Polynomial::new(0.0_f32, degree)?;
        Ok(FeatureVectors::<_, _, 2, 1, 3>::new(kernel, PointBudget::DEFAULT))
    };
    let (mut second, mut eighth) = (of_degree(2)?, of_degree(8)?);
    assert_eq!(second.push(&[1e-6, 0.0], [1.0]), Ok(()));
    // k(z, z) = (z·z)⁸ underflows to zero.
    Representation::replace(&mut eighth, second);
    assert_eq!((eighth.count, eighth.column(0)), (1, [0.0]));
    assert_eq!(eighth.validate(), Ok(()));
    // In the first case the component would get the length 3⁶; in the second case the inner product would overflow.
    for (entry, offset) in [(3.0_f32, 0.0), (1e-3, 3e4)] {
        let mut second = of_degree(2)?;
        assert_eq!(second.push(&[entry, 0.0], [1.0 / (entry * entry)]), Ok(()));
        let kernel = Polynomial::new(offset, 8)?;
        let mut eighth = FeatureVectors::<_, _, 2, 1, 3>::new(kernel, PointBudget::DEFAULT);
        Representation::replace(&mut eighth, second);
        assert!((eighth.column(0)[0] * eighth.lengths[0] - 4.0).abs() < 1e-4);
        assert_eq!(eighth.validate(), Ok(()));
    }
    Ok(())
}

/// With an inner product near `MAX`, a step could make coefficients infinite. The limit is 1/ε.
#[test]
fn an_inner_product_that_no_components_have_is_refused() {
    let mut vectors = FeatureVectors::<f32, _, 2, 2, 3>::new(Linear, PointBudget::DEFAULT);
    vectors.products = InnerProducts::from_table([[1.0, f32::MAX], [f32::MAX, 1.0]]);
    assert_eq!(vectors.validate(), Err(CodecError::Range));
}

/// If the inner products were never computed again, their rounding errors could grow until the weights are NaN.
#[test]
fn a_huge_deflation_factor_keeps_the_inner_products_in_their_range() -> Result<(), SettingsError> {
    type Learner = KernelGha<f32, Gaussian<f32>, 3, 4, 5>;
    let settings = GhaSettings::DEFAULT
        .with_rate(RateSettings::falling(1e-3)?)
        .with_deflation_factor(1e15)?;
    let budget = PointBudget::new(Eviction::Fifo, Norm::Reduced);
    let mut image = [0; Learner::ENCODED_LEN];
    for seed in 0..20 {
        let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(seed);
        let mut learner = Learner::new(Gaussian::DEFAULT, settings, budget);
        for _ in 0..50 {
            let sample = core::array::from_fn(|_| 2.0 * f32::uniform(&mut rng) - 1.0);
            assert_eq!(learner.learn(&sample), Ok(()));
            assert!(learner.encode(&mut image).is_ok());
            assert_eq!(Learner::decode(&image).map(|_| ()), Ok(()));
        }
    }
    Ok(())
}

#[test]
fn the_image_after_a_reset_is_that_of_a_new_learner() {
    let fresh = KernelGha::<f32, _, 2, 1, 3>::new(Linear, GhaSettings::DEFAULT, PointBudget::DEFAULT);
    let mut used = fresh.clone();
    assert!(used.learn(&[3.0, 4.0]).is_ok());
    used.reset();
    let (mut before, mut after) = ([0; 512], [0; 512]);
    assert!(fresh.encode(&mut before).is_ok() && used.encode(&mut after).is_ok());
    assert_eq!(before, after);
}

#[test]
fn the_loss_is_shared_out_by_blame() {
    // The loss is x₀² + x₁²; the third channel has no effect.
    let loss_of = |x: &[f64; 3]| x[0] * x[0] + x[1] * x[1];
    let residual = by_replacement(&[-2.0, 1.0, 7.0], &[0.0; 3], 5.0, loss_of);
    assert_eq!(residual, [-2.0, 1.0, 0.0]);
}

#[test]
fn a_loss_that_no_single_channel_explains_is_shared_by_distance() {
    let residual = by_replacement(&[3.0_f64, 1.0], &[0.0; 2], 4.0, |_| 4.0);
    assert_eq!(residual, [3.0_f64.sqrt(), 1.0]);
    let residual = by_replacement(&[0.0_f64, 0.0], &[0.0; 2], 4.0, |_| 4.0);
    assert!((residual[0] - residual[1]).abs() < 1e-12 && (residual[0].powi(2) - 2.0).abs() < 1e-12);
}
