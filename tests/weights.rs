//! Properties of `eigenstream::weights`, each in `f32` and `f64` through one generic body.
//!
//! The generator's seed is fixed: a run either always passes or always fails.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream::weights::{
    Bulk, Corners, FollowTheLeader, Hedge, HedgeSettings, Subset, SubsetExperts, cap, cap_log, keep_probability,
    softmin, systematic, threshold,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand_xoshiro::Xoshiro128PlusPlus;

type Outcome = Result<(), TestCaseError>;

/// Largest vector that the tests use.
const CAPACITY: usize = 64;

/// How far a result may be from the exact one, in units of ε.
mod tolerance {
    use eigenstream::Scalar;

    /// A sum of `count` numbers of order one: one rounding per addition, as much again for the numbers themselves.
    pub(crate) fn sum<T: Scalar>(count: usize) -> f64 {
        2.0 * (count + 2) as f64 * T::EPSILON.to_f64()
    }

    /// A weight of order one after at most three scalings by such a sum.
    pub(crate) fn scaled<T: Scalar>(count: usize) -> f64 {
        3.0 * sum::<T>(count)
    }

    /// A probability exp(−x): an argument of up to 16 is rounded to 16 ε, and the threshold in it is such a sum.
    pub(crate) fn exponential<T: Scalar>(count: usize) -> f64 {
        16.0 * T::EPSILON.to_f64() + scaled::<T>(count)
    }

    /// Hedge after `trials` of loss at most one: the log weights are rounded in every trial.
    pub(crate) fn trials<T: Scalar>(count: usize, trials: usize) -> f64 {
        trials as f64 * exponential::<T>(count)
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 256,
        rng_seed: RngSeed::Fixed(2008),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn convert<T: Scalar>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

fn exact<T: Scalar>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

fn close(left: f64, right: f64, tolerance: f64) -> Outcome {
    prop_assert!(
        (left - right).abs() <= tolerance,
        "{left} and {right} differ by more than {tolerance}"
    );
    Ok(())
}

/// A call that must not be refused.
fn accepted<R, E: core::fmt::Debug>(result: Result<R, E>) -> Result<R, TestCaseError> {
    result.map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))
}

/// Weights with everything that is awkward: zeros, ties, nearly ties, and twelve orders of magnitude.
fn awkward_weights() -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![
        2 => Just(0.0),
        2 => Just(1.0),
        1 => Just(1.0 - f64::from(f32::EPSILON)),
        1 => Just(1.0 - f64::EPSILON),
        4 => 0.0..1.0,
        2 => (0..40).prop_map(|exponent| 0.5_f64.powi(exponent)),
    ];
    let length = prop_oneof![3 => 1..=12_usize, 1 => Just(CAPACITY)];
    length
        .prop_flat_map(move |length| vec(weight.clone(), length))
        .prop_filter("some weight", |weights| weights.iter().any(|&w| w > 0.0))
}

/// Awkward weights and a set size from 1 to their number.
fn weights_and_set_size() -> impl Strategy<Value = (Vec<f64>, usize)> {
    awkward_weights().prop_flat_map(|weights| {
        let sizes = 1..=weights.len();
        (Just(weights), sizes)
    })
}

/// [WK08] Algorithm 4 as printed: sort, then try i = 0, 1, … capped weights.
fn cap_by_sorting(weights: &[f64], set_size: usize) -> Vec<f64> {
    let cap = 1.0 / set_size as f64;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a])); // stable: the lower index goes first
    let mut capped = vec![0.0; weights.len()];
    for count in 0..=set_size {
        let (heavy, light) = order.split_at(count);
        let rest: f64 = light.iter().map(|&index| weights[index]).sum();
        let mass = 1.0 - count as f64 * cap;
        heavy.iter().for_each(|&index| capped[index] = cap);
        light
            .iter()
            .for_each(|&index| capped[index] = if rest > 0.0 { weights[index] / rest * mass } else { 0.0 });
        if count == set_size || (rest > 0.0 && light.iter().all(|&index| capped[index] <= cap)) {
            break;
        }
    }
    capped
}

fn capping_agrees_with_sorting<T: Scalar>(weights: &[f64], set_size: usize) -> Outcome {
    let given: Vec<T> = convert(weights);
    let mut capped = given.clone();
    let at_cap = accepted(cap(&mut capped, set_size))?;
    let limit = T::ONE / T::from_usize(set_size);
    let tolerance = tolerance::scaled::<T>(weights.len());

    close(exact(&capped).iter().sum(), 1.0, tolerance)?;
    prop_assert!(capped.iter().all(|&weight| T::ZERO <= weight && weight <= limit));
    prop_assert_eq!(at_cap, capped.iter().filter(|&&weight| weight == limit).count());
    for (i, j) in (0..given.len()).flat_map(|i| (0..given.len()).map(move |j| (i, j))) {
        prop_assert!(given[i] <= given[j] || capped[i] >= capped[j], "order of {i} and {j}");
    }
    for (&fast, &slow) in capped.iter().zip(&cap_by_sorting(&exact(&given), set_size)) {
        close(fast.to_f64(), slow, tolerance)?;
    }
    Ok(())
}

fn log_capping_agrees_with_capping<T: Scalar>(weights: &[f64], set_size: usize) -> Outcome {
    let logs: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight).ln()).collect();
    // The weights that these rounded logarithms stand for.
    let mut reference: Vec<f64> = logs.iter().map(|log| log.to_f64().exp()).collect();
    let mut probabilities = vec![T::ZERO; logs.len()];
    accepted(cap(&mut reference, set_size))?;
    accepted(cap_log(&logs, set_size, &mut probabilities))?;
    for (&probability, &weight) in probabilities.iter().zip(&reference) {
        // Logarithms down to −28 (forty halvings), twice the argument that the table counts on.
        let tolerance = 2.0 * tolerance::exponential::<T>(logs.len());
        close(probability.to_f64(), weight * set_size as f64, tolerance)?;
    }
    Ok(())
}

fn corners_mix_to_the_weights<T: Scalar>(weights: &[f64], set_size: usize) -> Outcome {
    let mut capped: Vec<T> = convert(weights);
    accepted(cap(&mut capped, set_size))?;
    let limit = T::ONE / T::from_usize(set_size);
    let free = capped
        .iter()
        .filter(|&&weight| T::ZERO < weight && weight < limit)
        .count();

    let mut mixture = vec![0.0; capped.len()];
    let mut total = 0.0;
    let mut corners = 0;
    for corner in accepted(Corners::<T, CAPACITY>::new(&capped, set_size))? {
        prop_assert!(corner.probability() > T::ZERO);
        prop_assert_eq!(corner.members().len(), set_size);
        for index in corner.members().iter() {
            mixture[index] += corner.probability().to_f64() / set_size as f64;
        }
        total += corner.probability().to_f64();
        corners += 1;
    }
    prop_assert!(corners <= free.max(1), "{corners} corners of {free} free weights");
    // Each corner rounds every member once more.
    let tolerance = tolerance::scaled::<T>(capped.len() + corners);
    close(total, 1.0, tolerance)?;
    for (&mixed, &weight) in mixture.iter().zip(&capped) {
        close(mixed, weight.to_f64(), tolerance)?;
    }
    Ok(())
}

/// Probabilities in 64ths that sum to a whole number, as numerators.
fn sixty_fourths() -> impl Strategy<Value = Vec<u32>> {
    vec(0..=64_u32, 1..CAPACITY).prop_map(|mut numerators| {
        let sum: u32 = numerators.iter().sum();
        numerators.push((64 - sum % 64) % 64);
        numerators
    })
}

fn systematic_marginals_are_exact<T: Scalar>(numerators: &[u32]) -> Outcome {
    let probabilities: Vec<T> = numerators
        .iter()
        .map(|&part| T::from_f64(f64::from(part) / 64.0))
        .collect();
    let set_size = (numerators.iter().sum::<u32>() / 64) as usize;
    let mut drawn = vec![0; numerators.len()];
    for step in 0..64 {
        let uniform = T::from_f64((f64::from(step) + 0.5) / 64.0);
        let chosen = accepted(systematic::<T, CAPACITY>(&probabilities, set_size, uniform))?;
        prop_assert_eq!(chosen.len(), set_size);
        chosen.iter().for_each(|index| drawn[index] += 1);
    }
    prop_assert_eq!(&drawn, numerators);
    Ok(())
}

fn expected_kept(evidence: &[f64], threshold: f64) -> f64 {
    evidence.iter().map(|&value| keep_probability(value, threshold)).sum()
}

fn threshold_keeps_as_many_as_asked<T: Scalar>(
    listed: &[f64],
    value: f64,
    multiplicity: usize,
    keep: usize,
) -> Outcome {
    let mut listed: Vec<T> = convert(listed);
    listed.sort_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
    let bulk = Bulk {
        value: T::from_f64(value),
        multiplicity,
    };
    let mut all = listed.clone();
    all.extend(std::iter::repeat_n(bulk.value, multiplicity));
    all.sort_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
    let keep = keep % (all.len() + 1);
    let tolerance = tolerance::exponential::<T>(all.len());

    let found = threshold(&listed, bulk, keep);
    let spelled_out = threshold(&all, Bulk::NONE, keep);
    let all_exact = exact(&all);
    let sum: f64 = all.iter().map(|&value| keep_probability(value, found).to_f64()).sum();
    close(sum, keep as f64, tolerance * all.len() as f64)?;

    // Σp falls as τ rises, so τ can be bisected; 200 halvings exhaust an `f64`.
    let (mut low, mut high) = (-100.0, 100.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if expected_kept(&all_exact, middle) > keep as f64 {
            low = middle
        } else {
            high = middle
        }
    }
    for &value in &all {
        let probability = keep_probability(value, found).to_f64();
        close(probability, keep_probability(value.to_f64(), low), tolerance)?;
        close(probability, keep_probability(value, spelled_out).to_f64(), tolerance)?;
    }
    Ok(())
}

/// Runs `Hedge` beside a literal [WK08] Algorithm 3 in `f64`, and holds it to the bound of Theorem 3.
fn hedge_follows_the_paper<T: Scalar, const N: usize>(
    rows: &[[f64; N]],
    learning_rate: f64,
    set_size: usize,
) -> Outcome {
    let mut hedge = Hedge::<T, N>::new(accepted(HedgeSettings::new(T::from_f64(learning_rate), set_size))?);
    let learning_rate = T::from_f64(learning_rate).to_f64();
    let tolerance = tolerance::trials::<T>(N, rows.len() + 1);
    let mut plain = [1.0 / N as f64; N];
    let mut totals = [0.0; N];
    let mut lost = 0.0;
    for row in rows {
        let losses: [T; N] = row.map(T::from_f64);
        let expected = accepted(hedge.step(&losses))?.to_f64();
        let by_hand: f64 = plain
            .iter()
            .zip(&losses)
            .map(|(weight, loss)| weight * loss.to_f64() * set_size as f64)
            .sum();
        close(expected, by_hand, tolerance)?;
        lost += expected;
        for ((weight, total), loss) in plain.iter_mut().zip(&mut totals).zip(losses) {
            *weight *= (-learning_rate * loss.to_f64()).exp();
            *total += loss.to_f64();
        }
        accepted(cap(&mut plain, set_size))?;
    }
    for (&weight, &by_hand) in hedge.weights().iter().zip(&plain) {
        close(weight.to_f64(), by_hand, tolerance)?;
    }
    totals.sort_by(f64::total_cmp);
    let best: f64 = totals[..set_size].iter().sum();
    let divergence = set_size as f64 * (N as f64 / set_size as f64).ln();
    let bound = (learning_rate * best + divergence) / (1.0 - (-learning_rate).exp());
    prop_assert!(
        lost <= bound + tolerance * rows.len() as f64,
        "lost {lost}, bound {bound}"
    );
    // One expert at a time, no capping: never better than the best in hindsight.
    prop_assert!(
        set_size > 1 || lost >= best - tolerance * rows.len() as f64,
        "lost {lost}, best {best}"
    );
    Ok(())
}

/// All sets of `set_size` out of the weights, as bit masks, with their product weights.
fn enumerated_sets(weights: &[f64], set_size: usize) -> Vec<(u32, f64)> {
    let masks = (0..1_u32 << weights.len()).filter(|mask| mask.count_ones() as usize == set_size);
    let member = |mask: u32, index: usize| mask >> index & 1 == 1;
    masks
        .map(|mask| {
            (
                mask,
                (0..weights.len())
                    .filter(|&i| member(mask, i))
                    .map(|i| weights[i])
                    .product(),
            )
        })
        .collect()
}

fn set_marginals_agree_with_enumeration<T: Scalar>(weights: &[f64], set_size: usize) -> Outcome {
    let weights: Vec<T> = convert(weights);
    let sets = enumerated_sets(&exact(&weights), set_size);
    let total: f64 = sets.iter().map(|(_, weight)| weight).sum();
    let experts = SubsetExperts::<T, CAPACITY>::new(&weights, set_size);
    if total == 0.0 {
        prop_assert!(experts.is_err());
        return Ok(());
    }
    let experts = accepted(experts)?;
    let tolerance = tolerance::scaled::<T>(weights.len());
    close(experts.partition().to_f64() / total, 1.0, 2.0 * tolerance)?;
    let mut marginals = vec![T::ZERO; weights.len()];
    experts.marginals(&mut marginals);
    for (index, marginal) in marginals.iter().enumerate() {
        let containing: f64 = sets
            .iter()
            .filter(|(mask, _)| mask >> index & 1 == 1)
            .map(|(_, weight)| weight)
            .sum();
        close(marginal.to_f64(), containing / total, tolerance)?;
    }
    Ok(())
}

/// Every kind of number that a sensor or a division can bring.
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

fn nothing_panics_and_no_nan_leaves<T: Scalar>(kinds: &[usize], set_size: usize) -> Outcome {
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
    if let Ok(settings) = HedgeSettings::new(given.last().copied().unwrap_or(T::ONE), set_size) {
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
    fn capped_weights_are_those_of_the_printed_algorithm((weights, set_size) in weights_and_set_size()) {
        capping_agrees_with_sorting::<f32>(&weights, set_size)?;
        capping_agrees_with_sorting::<f64>(&weights, set_size)?;
    }

    #[test]
    fn weights_and_their_logarithms_are_capped_alike((weights, set_size) in weights_and_set_size()) {
        log_capping_agrees_with_capping::<f32>(&weights, set_size)?;
        log_capping_agrees_with_capping::<f64>(&weights, set_size)?;
    }

    #[test]
    fn few_corners_mix_to_the_capped_weights((weights, set_size) in weights_and_set_size()) {
        corners_mix_to_the_weights::<f32>(&weights, set_size)?;
        corners_mix_to_the_weights::<f64>(&weights, set_size)?;
    }

    #[test]
    fn systematic_sampling_draws_each_member_in_proportion(numerators in sixty_fourths()) {
        systematic_marginals_are_exact::<f32>(&numerators)?;
        systematic_marginals_are_exact::<f64>(&numerators)?;
    }

    #[test]
    fn the_threshold_keeps_as_many_as_asked(
        listed in vec(0.0..16.0, 0..12), value in 0.0..16.0, multiplicity in 0..20_usize, keep in 0..40_usize,
    ) {
        threshold_keeps_as_many_as_asked::<f32>(&listed, value, multiplicity, keep)?;
        threshold_keeps_as_many_as_asked::<f64>(&listed, value, multiplicity, keep)?;
    }

    #[test]
    fn hedge_is_the_paper_s_and_within_its_bound(
        rows in vec(proptest::array::uniform6(0.0..1.0), 1..40), learning_rate in 0.01..2.0, set_size in 1..=6_usize,
    ) {
        hedge_follows_the_paper::<f32, 6>(&rows, learning_rate, set_size)?;
        hedge_follows_the_paper::<f64, 6>(&rows, learning_rate, set_size)?;
    }

    #[test]
    fn set_experts_are_those_of_an_enumeration(
        weights in vec(prop_oneof![1 => Just(0.0), 4 => 0.001..1000.0, 1 => Just(1e-6)], 1..=8), set_size in 0..=8_usize,
    ) {
        let set_size = set_size.min(weights.len());
        set_marginals_agree_with_enumeration::<f32>(&weights, set_size)?;
        set_marginals_agree_with_enumeration::<f64>(&weights, set_size)?;
    }

    #[test]
    fn hostile_numbers_neither_panic_nor_leak(kinds in vec(0..12_usize, 0..=9), set_size in 0..=10_usize) {
        nothing_panics_and_no_nan_leaves::<f32>(&kinds, set_size)?;
        nothing_panics_and_no_nan_leaves::<f64>(&kinds, set_size)?;
    }

    #[test]
    fn numbers_of_the_hostile_kind_that_are_weights_are_served(kinds in vec(0..8_usize, 1..=9), set_size in 0..=9_usize) {
        nothing_panics_and_no_nan_leaves::<f32>(&kinds, set_size)?;
        nothing_panics_and_no_nan_leaves::<f64>(&kinds, set_size)?;
    }
}

/// χ² with nine degrees of freedom exceeds 27.88 once in a thousand seeds; this seed is fixed.
fn drawn_sets_have_their_probabilities<T: Scalar>() -> Outcome {
    const DRAWS: u32 = 20_000;
    let weights = [0.5, 1.0, 2.0, 4.0, 0.75];
    let experts = accepted(SubsetExperts::<T, 5>::new(&convert(&weights), 2))?;
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(2008);
    let mut drawn = [0_u32; 32];
    for _ in 0..DRAWS {
        let set: Subset<5> = experts.draw(&mut rng);
        drawn[set.iter().map(|index| 1 << index).sum::<usize>()] += 1;
    }
    let sets = enumerated_sets(&weights, 2);
    let total: f64 = sets.iter().map(|(_, weight)| weight).sum();
    let chi_square: f64 = sets
        .iter()
        .map(|&(mask, weight)| {
            let expected = f64::from(DRAWS) * weight / total;
            (f64::from(drawn[mask as usize]) - expected).powi(2) / expected
        })
        .sum();
    prop_assert!(chi_square < 27.88, "chi-square {chi_square}");
    Ok(())
}

#[test]
fn set_experts_draw_sets_by_weight() -> Outcome {
    drawn_sets_have_their_probabilities::<f32>()?;
    drawn_sets_have_their_probabilities::<f64>()
}

/// The mean number of times an expert is drawn is N·d·w_i; 4.4 standard deviations are exceeded once in 10⁵ seeds.
fn drawn_experts_have_their_weights<T: Scalar>() -> Outcome {
    const DRAWS: u32 = 20_000;
    let mut hedge = Hedge::<T, 5>::new(accepted(HedgeSettings::new(T::ONE, 2))?);
    accepted(hedge.step(&[0.0, 0.25, 0.5, 1.0, 2.0].map(T::from_f64)))?;
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(2007);
    let mut drawn = [0_u32; 5];
    for _ in 0..DRAWS {
        hedge.draw(&mut rng).iter().for_each(|index| drawn[index] += 1);
    }
    for (&count, weight) in drawn.iter().zip(hedge.weights()) {
        let probability = 2.0 * weight.to_f64();
        let deviation = (f64::from(DRAWS) * probability * (1.0 - probability)).sqrt();
        close(f64::from(count), f64::from(DRAWS) * probability, 4.4 * deviation + 1.0)?;
    }
    Ok(())
}

#[test]
fn hedge_draws_experts_by_weight() -> Outcome {
    drawn_experts_have_their_weights::<f32>()?;
    drawn_experts_have_their_weights::<f64>()
}
