//! Capping and the threshold, compared with sorting and bisection.

use super::{Outcome, accepted, close, config, convert, exact, tolerance, weights_and_set_size};
use eigenstream::Scalar;
use eigenstream::weights::{Bulk, cap, cap_log, keep_probability, threshold};
use proptest::collection::vec;
use proptest::prelude::*;

/// [WK08] Algorithm 4 as printed.
fn cap_by_sorting(weights: &[f64], set_size: usize) -> Vec<f64> {
    let cap = 1.0 / set_size as f64;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a])); // equal weights stay in the order of their indices
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
    let mut reference: Vec<f64> = logs.iter().map(|log| log.to_f64().exp()).collect();
    let mut probabilities = vec![T::ZERO; logs.len()];
    accepted(cap(&mut reference, set_size))?;
    accepted(cap_log(&logs, set_size, &mut probabilities))?;
    for (&probability, &weight) in probabilities.iter().zip(&reference) {
        // A weight 0.5³⁹ has the logarithm −27, but `exponential` is for at least −16, so its limit is doubled.
        let tolerance = 2.0 * tolerance::exponential::<T>(logs.len());
        close(probability.to_f64(), weight * set_size as f64, tolerance)?;
    }
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
    let without_bulk = threshold(&all, Bulk::NONE, keep);
    let all_exact = exact(&all);
    let sum: f64 = all.iter().map(|&value| keep_probability(value, found).to_f64()).sum();
    close(sum, keep as f64, tolerance * all.len() as f64)?;

    // The sum of the keep probabilities decreases with the threshold, so bisection finds the threshold.
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
        close(probability, keep_probability(value, without_bulk).to_f64(), tolerance)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn capped_weights_equal_those_of_the_paper((weights, set_size) in weights_and_set_size()) {
        capping_agrees_with_sorting::<f32>(&weights, set_size)?;
        capping_agrees_with_sorting::<f64>(&weights, set_size)?;
    }

    #[test]
    fn weights_and_their_logarithms_are_capped_alike((weights, set_size) in weights_and_set_size()) {
        log_capping_agrees_with_capping::<f32>(&weights, set_size)?;
        log_capping_agrees_with_capping::<f64>(&weights, set_size)?;
    }

    #[test]
    fn the_keep_probabilities_sum_to_the_requested_number(
        listed in vec(0.0..16.0, 0..12), value in 0.0..16.0, multiplicity in 0..20_usize, keep in 0..40_usize,
    ) {
        threshold_keeps_as_many_as_asked::<f32>(&listed, value, multiplicity, keep)?;
        threshold_keeps_as_many_as_asked::<f64>(&listed, value, multiplicity, keep)?;
    }
}

/// The weights are spread over 3, 30 or 300 powers of ten.
#[test]
fn weights_over_many_decades_are_capped_as_in_the_paper() -> Outcome {
    for (count, decades) in [(64, 30.0), (64, 300.0), (500, 300.0), (500, 3.0)] {
        let weight = |i: usize| 10_f64.powf(-decades * (i * 7_919 % count) as f64 / count as f64);
        let weights: Vec<f64> = (0..count).map(weight).collect();
        for set_size in [1, 2, count / 8, count / 2, count - 2] {
            let mut capped = weights.clone();
            accepted(cap(&mut capped, set_size))?;
            for (&fast, slow) in capped.iter().zip(cap_by_sorting(&weights, set_size)) {
                close(fast, slow, tolerance::scaled::<f64>(count) * slow)?;
            }
        }
    }
    Ok(())
}
