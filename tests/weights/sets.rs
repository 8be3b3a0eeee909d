//! Sets drawn from weights, compared with enumerating all sets.

use super::{CAPACITY, Outcome, accepted, close, config, convert, exact, tolerance, weights_and_set_size};
use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream::weights::{Corners, Subset, SubsetExperts, cap, systematic};
use proptest::collection::vec;
use proptest::prelude::*;
use rand_xoshiro::Xoshiro128PlusPlus;

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
    // Each corner adds one rounding error.
    let tolerance = tolerance::scaled::<T>(capped.len() + corners);
    close(total, 1.0, tolerance)?;
    for (&mixed, &weight) in mixture.iter().zip(&capped) {
        close(mixed, weight.to_f64(), tolerance)?;
    }
    Ok(())
}

/// The decomposition into corners as in [WK08].
fn slow_corners<T: Scalar>(weights: &[T], set_size: usize) -> Vec<(T, Vec<usize>)> {
    let size = T::from_usize(set_size);
    let mut rest = weights.to_vec();
    let mut capped: Vec<usize> = (0..rest.len()).filter(|&i| rest[i] >= T::ONE / size).collect();
    let mut free: Vec<usize> = (0..rest.len())
        .filter(|&i| rest[i] != T::ZERO && !capped.contains(&i))
        .collect();
    let (mut mass, mut corners) = (T::ONE, Vec::new());
    while mass > T::ZERO {
        // Equal weights stay in the order of their indices.
        free.sort_unstable();
        free.sort_by(|&a, &b| rest[b].partial_cmp(&rest[a]).unwrap_or(std::cmp::Ordering::Equal));
        let inside = free.len().min(set_size - capped.len().min(set_size));
        let mut members: Vec<usize> = capped.iter().chain(&free[..inside]).copied().collect();
        let zeros = (0..rest.len()).filter(|i| !capped.contains(i) && !free.contains(i));
        members.extend(zeros.take(set_size.saturating_sub(members.len())));
        members.sort_unstable();
        if inside == 0 || inside == free.len() {
            corners.push((mass, members));
            break;
        }
        let (smallest, largest) = (rest[free[inside - 1]], rest[free[inside]]);
        let (used_up, needed) = (size * smallest, T::ZERO.max(mass - size * largest));
        let probability = used_up.min(needed);
        let settled = if used_up <= needed {
            free.iter().position(|&i| rest[i] == smallest).unwrap_or(inside - 1)
        } else {
            inside
        };
        let index = free.remove(settled);
        if used_up > needed {
            capped.push(index);
        }
        if probability > T::ZERO {
            for &member in members.iter().filter(|member| free.contains(member)) {
                rest[member] = T::ZERO.max(rest[member] - probability / size);
            }
            mass -= probability;
            corners.push((probability, members));
        }
    }
    corners
}

fn corners_are_those_of_the_slow_version<T: Scalar>(weights: &[f64], set_size: usize) -> Outcome {
    let mut capped: Vec<T> = convert(weights);
    accepted(cap(&mut capped, set_size))?;
    let mut fast = accepted(Corners::<T, CAPACITY>::new(&capped, set_size))?;
    for (probability, members) in slow_corners(&capped, set_size) {
        let corner = fast.next();
        prop_assert!(corner.is_some_and(|corner| corner.probability() == probability));
        prop_assert!(corner.is_some_and(|corner| corner.members().iter().eq(members.iter().copied())));
    }
    prop_assert!(fast.next().is_none());
    Ok(())
}

/// Probabilities with a whole sum, as numerators over the denominator 64.
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

/// The bit masks of all sets, each with the product of its weights.
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

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_corners_mix_to_the_capped_weights((weights, set_size) in weights_and_set_size()) {
        corners_mix_to_the_weights::<f32>(&weights, set_size)?;
        corners_mix_to_the_weights::<f64>(&weights, set_size)?;
    }

    #[test]
    fn corners_equal_those_of_the_slow_decomposition((weights, set_size) in weights_and_set_size()) {
        corners_are_those_of_the_slow_version::<f32>(&weights, set_size)?;
        corners_are_those_of_the_slow_version::<f64>(&weights, set_size)?;
    }

    #[test]
    fn systematic_sampling_draws_each_member_by_its_probability(numerators in sixty_fourths()) {
        systematic_marginals_are_exact::<f32>(&numerators)?;
        systematic_marginals_are_exact::<f64>(&numerators)?;
    }

    #[test]
    fn set_experts_agree_with_an_enumeration(
        weights in vec(prop_oneof![1 => Just(0.0), 4 => 0.001..1000.0, 1 => Just(1e-6)], 1..=8), set_size in 0..=8_usize,
    ) {
        let set_size = set_size.min(weights.len());
        set_marginals_agree_with_enumeration::<f32>(&weights, set_size)?;
        set_marginals_agree_with_enumeration::<f64>(&weights, set_size)?;
    }
}

/// With ten sets, the χ² of the draws exceeds 27.88 for one seed in a thousand.
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
