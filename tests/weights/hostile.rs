//! Weights that are NaN, infinite, negative, subnormal or huge: no function panics or returns NaN.

use super::{Outcome, close, config, exact, tolerance};
use eigenstream::Scalar;
use eigenstream::weights::{
    Bulk, Corners, FollowTheLeader, Hedge, HedgeSettings, SubsetExperts, cap, cap_log, softmin, systematic, threshold,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn hostile<T: Scalar>(kind: usize) -> T {
    let subnormal = T::MIN_POSITIVE * T::EPSILON;
    let not_a_number = T::from_f64(f64::NAN);
    let kinds = [
        T::ZERO,
        -T::ZERO,
        T::ONE,
        T::HALF,
        T::EPSILON,
        T::MIN_POSITIVE,
        subnormal,
        T::MAX,
        -T::MAX,
        T::INFINITY,
        -T::INFINITY,
        not_a_number,
    ];
    kinds[kind % kinds.len()]
}

fn check_all_functions<T: Scalar>(kinds: &[usize], set_size: usize) -> Outcome {
    const N: usize = 9;
    let given: Vec<T> = kinds.iter().map(|&kind| hostile(kind)).collect();
    let number = |value: T| value.partial_cmp(&value).is_some();
    let uniform = given.first().copied().unwrap_or_default();

    for prior in [None, Some(&given[..])] {
        let mut out = vec![T::TWO; given.len()];
        match softmin(&given, T::ONE, prior, &mut out) {
            Ok(()) => close(exact(&out).iter().sum(), 1.0, tolerance::scaled::<T>(N))?,
            Err(_) => prop_assert!(out.iter().all(|&entry| entry == T::TWO)),
        }
    }
    let mut capped = given.clone();
    match cap(&mut capped, set_size) {
        Ok(_) => close(exact(&capped).iter().sum(), 1.0, tolerance::scaled::<T>(N))?,
        Err(_) => prop_assert!(
            capped
                .iter()
                .zip(&given)
                .all(|(after, before)| after == before || !number(*before))
        ),
    }
    let mut probabilities = vec![T::TWO; given.len()];
    match cap_log(&given, set_size, &mut probabilities) {
        Ok(()) => close(
            exact(&probabilities).iter().sum(),
            set_size as f64,
            tolerance::scaled::<T>(N),
        )?,
        Err(_) => prop_assert!(probabilities.iter().all(|&entry| entry == T::TWO)),
    }
    for corner in Corners::<T, N>::new(&given, set_size).into_iter().flatten() {
        prop_assert!(corner.members().len() == set_size && corner.probability() > T::ZERO);
    }
    let drawn = systematic::<T, N>(&given, set_size, uniform);
    prop_assert!(drawn.is_err() || drawn.is_ok_and(|set| set.len() == set_size));
    if let Ok(experts) = SubsetExperts::<T, N>::new(&given, set_size) {
        experts.marginals(&mut probabilities);
        close(
            exact(&probabilities).iter().sum(),
            set_size as f64,
            tolerance::scaled::<T>(N),
        )?;
        prop_assert!(experts.partition().is_finite() && experts.sample(|| uniform).len() == set_size);
    }
    let losses: [T; N] = core::array::from_fn(|index| given.get(index).copied().unwrap_or_default());
    let rate = given.last().copied().unwrap_or(T::ONE);
    if let Ok(settings) = HedgeSettings::new(rate).and_then(|settings| settings.with_set_size(set_size)) {
        let mut hedge = Hedge::<T, N>::new(settings);
        for _ in 0..3 {
            prop_assert!(hedge.step(&losses).map_or(true, number));
        }
        close(exact(&hedge.weights()).iter().sum(), 1.0, tolerance::scaled::<T>(N))?;
    }
    let mut follower = FollowTheLeader::<T, N>::new();
    prop_assert_eq!(
        follower.learn(&losses).is_ok(),
        losses.iter().all(|loss| loss.is_finite())
    );
    prop_assert_eq!(follower.perturbed_leaders(&losses, set_size).len(), set_size.min(N));

    let bulk = Bulk {
        value: uniform,
        multiplicity: set_size,
    };
    threshold(&given, bulk, 2);
    let mut finite: Vec<T> = given.into_iter().filter(|value| value.is_finite()).collect();
    finite.sort_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
    prop_assert!(number(threshold(&finite, Bulk::NONE, 2)));
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn extreme_numbers_cause_neither_a_panic_nor_nan(kinds in vec(0..12_usize, 0..=9), set_size in 0..=10_usize) {
        check_all_functions::<f32>(&kinds, set_size)?;
        check_all_functions::<f64>(&kinds, set_size)?;
    }

    #[test]
    fn extreme_weights_cause_neither_a_panic_nor_nan(kinds in vec(0..8_usize, 1..=9), set_size in 0..=9_usize) {
        check_all_functions::<f32>(&kinds, set_size)?;
        check_all_functions::<f64>(&kinds, set_size)?;
    }
}
