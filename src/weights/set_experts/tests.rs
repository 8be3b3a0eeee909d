//! Tests of single functions of `set_experts.rs`.

use super::*;
use crate::SettingsError;

#[test]
fn a_bound_that_overflows_is_the_largest_number() -> Result<(), SettingsError> {
    let slow = SetExperts::<f32, 4>::new(HedgeSettings::new(1e-39)?.with_set_size(2)?);
    assert_eq!(slow.loss_bound(0.0), f32::MAX);
    assert_eq!(slow.tuned_loss_bound(f32::MAX), f32::MAX);
    Ok(())
}

#[test]
fn the_expected_loss_is_a_number_for_the_largest_losses() -> Result<(), SettingsError> {
    let mut experts = SetExperts::<f32, 8>::new(HedgeSettings::new(1.0)?.with_set_size(4)?);
    let losses = [6.363, 4.208, 38.179, 13.599, 31.007, 32.125, 30.977, 25.174];
    assert!(experts.step(&losses).is_ok());
    // By rounding, two probabilities are above one, so their products with the largest losses overflow.
    assert!(experts.marginals().iter().take(2).all(|&probability| probability > 1.0));
    let mut largest = [0.0; 8];
    (largest[0], largest[1]) = (f32::MAX, -f32::MAX);
    assert_eq!(experts.step(&largest), Ok(0.0));
    Ok(())
}

/// The probability of each expert, from a list of all sets of `set_size` experts. Weights are relative to the heaviest set.
fn slowly<const N: usize>(log_weights: &[f64; N], set_size: u32) -> [f64; N] {
    let sets = || (0_u32..1 << N).filter(|set| set.count_ones() == set_size);
    let weight = |set: u32| {
        (0..N)
            .filter(|i| set >> i & 1 == 1)
            .map(|i| log_weights[i])
            .sum::<f64>()
    };
    let heaviest = sets().map(weight).fold(f64::MIN, f64::max);
    let total: f64 = sets().map(|set| (weight(set) - heaviest).exp()).sum();
    core::array::from_fn(|i| {
        let with = sets().filter(|set| set >> i & 1 == 1);
        with.map(|set| (weight(set) - heaviest).exp()).sum::<f64>() / total
    })
}

#[test]
fn weights_of_ten_to_the_minus_five_hundred_are_told_apart() -> Result<(), SettingsError> {
    // ln 10⁵⁰⁰ = 1151.3. Two experts are in the set with probability one up to rounding. The weights of the three others,
    // which decide the third member, underflow in `f64`.
    let settings = HedgeSettings::new(1.0)?.with_set_size(3)?;
    let mut experts = SetExperts::<f64, 5>::new(settings);
    let losses = [1151.0, 0.0, 1152.0, 0.5, 1151.5];
    assert!(experts.step(&losses).is_ok());
    let wanted = slowly(&losses.map(|loss| -loss), 3);
    for (got, wanted) in experts.marginals().into_iter().zip(wanted) {
        assert!((got - wanted).abs() < 1e-11, "{got} {wanted}");
    }
    let mut single = SetExperts::<f32, 5>::new(HedgeSettings::new(1.0)?.with_set_size(3)?);
    assert!(single.step(&losses.map(|loss| loss as f32)).is_ok());
    for (got, wanted) in single.marginals().into_iter().zip(wanted) {
        // Logarithms near 1151 have a spacing of 1.2·10⁻⁴ in f32.
        assert!((f64::from(got) - wanted).abs() < 3e-4, "{got} {wanted}");
    }
    Ok(())
}

#[test]
fn the_total_stays_below_both_bounds_against_an_adversary() -> Result<(), SettingsError> {
    // Every expert with at least the mean probability d/N = 0.4 has the loss 1. d = 2 of N = 5, η = 0.5, 400 trials.
    let mut experts = SetExperts::<f64, 5>::new(HedgeSettings::new(0.5)?.with_set_size(2)?);
    let (mut total, mut sums) = (0.0, [0.0; 5]);
    for _ in 0..400 {
        let marginals = experts.marginals();
        let losses = marginals.map(|probability| f64::from(u8::from(probability > 0.4 - 1e-12)));
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        total += experts.step(&losses).unwrap_or(f64::NAN);
    }
    sums.sort_by(f64::total_cmp);
    let best = sums[0] + sums[1];
    assert!(
        total <= experts.loss_bound(best),
        "{total} {}",
        experts.loss_bound(best)
    );
    // η = ln(1 + √(2dB/L*))/d is the rate of the second bound.
    let rate = (1.0 + (4.0 * 10.0_f64.ln() / best).sqrt()).ln() / 2.0;
    let tuned = SetExperts::<f64, 5>::new(HedgeSettings::new(rate)?.with_set_size(2)?);
    assert!(tuned.loss_bound(best) <= tuned.tuned_loss_bound(best));
    Ok(())
}

#[test]
fn the_largest_weight_is_one_and_all_logarithms_are_finite() -> Result<(), SettingsError> {
    let mut experts = SetExperts::<f32, 3>::new(HedgeSettings::new(1.0)?.with_set_size(2)?);
    assert!(experts.step(&[1.0, 2.0, 4.0]).is_ok());
    assert_eq!(experts.log_weights, [0.0, -1.0, -3.0]);
    assert!(experts.step(&[f32::MAX, -f32::MAX, 0.0]).is_ok());
    assert_eq!(experts.log_weights, [-f32::MAX, 0.0, -f32::MAX]);
    assert_eq!(experts.validate(), Ok(()));
    experts.log_weights[1] = 0.5;
    assert_eq!(experts.validate(), Err(CodecError::Range));
    Ok(())
}
