//! Hedge equals the algorithm of the paper and stays within its bound.

use super::{Outcome, accepted, close, config, tolerance};
use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::pca::Share;
use eigenstream::rand_core::{Rng, SeedableRng};
use eigenstream::weights::{Hedge, HedgeSettings, PerturbedLeader, SetExperts, SubsetExperts, cap};
use proptest::collection::vec;
use proptest::prelude::*;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Compares `Hedge` with [WK08] Algorithm 3 and Theorem 3.
fn hedge_follows_the_paper<T: Scalar, const N: usize>(
    rows: &[[f64; N]],
    learning_rate: f64,
    set_size: usize,
) -> Outcome {
    let mut hedge = Hedge::<T, N>::new(accepted(
        HedgeSettings::new(T::from_f64(learning_rate)).and_then(|settings| settings.with_set_size(set_size)),
    )?);
    let learning_rate = T::from_f64(learning_rate).to_f64();
    let tolerance = tolerance::trials::<T>(N, rows.len() + 1);
    let mut plain = [1.0 / N as f64; N];
    let mut totals = [0.0; N];
    let mut lost = 0.0;
    for row in rows {
        let losses: [T; N] = row.map(T::from_f64);
        let expected = accepted(hedge.step(&losses))?.to_f64();
        let wanted: f64 = plain
            .iter()
            .zip(&losses)
            .map(|(weight, loss)| weight * loss.to_f64() * set_size as f64)
            .sum();
        close(expected, wanted, tolerance)?;
        lost += expected;
        for ((weight, total), loss) in plain.iter_mut().zip(&mut totals).zip(losses) {
            *weight *= (-learning_rate * loss.to_f64()).exp();
            *total += loss.to_f64();
        }
        accepted(cap(&mut plain, set_size))?;
    }
    for (&weight, &wanted) in hedge.weights().iter().zip(&plain) {
        close(weight.to_f64(), wanted, tolerance)?;
    }
    totals.sort_by(f64::total_cmp);
    let best: f64 = totals[..set_size].iter().sum();
    let divergence = set_size as f64 * (N as f64 / set_size as f64).ln();
    let bound = (learning_rate * best + divergence) / (1.0 - (-learning_rate).exp());
    prop_assert!(
        lost <= bound + tolerance * rows.len() as f64,
        "lost {lost}, bound {bound}"
    );
    // Without capping, the loss is never below that of the best expert.
    prop_assert!(
        set_size > 1 || lost >= best - tolerance * rows.len() as f64,
        "lost {lost}, best {best}"
    );
    Ok(())
}

/// The part of the weights that is shared, exact in `f32`.
const PART: f64 = 0.0625;

/// Compares `Hedge` with [WK08] section 8, which stores all past weights.
fn sharing_follows_the_paper<T: Scalar, const N: usize>(
    rows: &[[f64; N]],
    share: Share<T>,
    set_size: usize,
) -> Outcome {
    let mut hedge = Hedge::<T, N>::new(accepted(
        HedgeSettings::new(T::ONE)
            .and_then(|settings| settings.with_set_size(set_size))
            .and_then(|settings| settings.with_share(share)),
    )?);
    let tolerance = 4.0 * tolerance::trials::<T>(N, rows.len() + 1);
    let mut plain = [1.0 / N as f64; N];
    let mut past = vec![plain];
    for row in rows {
        let losses: [T; N] = row.map(T::from_f64);
        let expected = accepted(hedge.step(&losses))?.to_f64();
        let wanted: f64 = (plain.iter().zip(&losses))
            .map(|(weight, loss)| weight * loss.to_f64() * set_size as f64)
            .sum();
        close(expected, wanted, tolerance)?;
        for (weight, loss) in plain.iter_mut().zip(losses) {
            *weight *= (-loss.to_f64()).exp();
        }
        accepted(cap(&mut plain, set_size))?;
        let posterior = plain;
        for (expert, weight) in plain.iter_mut().enumerate() {
            let mean = past.iter().map(|weights| weights[expert]).sum::<f64>() / past.len() as f64;
            let shared = match share {
                Share::Nothing => *weight,
                Share::Uniform(_) => 1.0 / N as f64,
                Share::PastAverage(_) | Share::PastPosteriors(_) => mean,
            };
            *weight = (1.0 - PART) * *weight + PART * shared;
        }
        past.push(if matches!(share, Share::PastPosteriors(_)) {
            posterior
        } else {
            plain
        });
    }
    for (&weight, &wanted) in hedge.weights().iter().zip(&plain) {
        close(weight.to_f64(), wanted, tolerance)?;
    }
    Ok(())
}

/// Checks the bound against two sets of experts, one before `shift` and one after.
fn sharing_keeps_its_bound<T: Scalar, const N: usize>(
    rows: &[[f64; N]],
    learning_rate: f64,
    part: f64,
    set_size: usize,
    shift: usize,
) -> Outcome {
    let mut hedge = Hedge::<T, N>::new(accepted(
        HedgeSettings::new(T::from_f64(learning_rate))
            .and_then(|settings| settings.with_set_size(set_size))
            .and_then(|settings| settings.with_share(Share::Uniform(T::from_f64(part)))),
    )?);
    let mut lost = 0.0;
    for row in rows {
        lost += accepted(hedge.step(&row.map(T::from_f64)))?.to_f64();
    }
    let best = |rows: &[[f64; N]]| {
        let mut totals: [f64; N] = std::array::from_fn(|expert| rows.iter().map(|row| row[expert]).sum());
        totals.sort_by(f64::total_cmp);
        totals[..set_size].iter().sum::<f64>()
    };
    let (before, after) = rows.split_at(shift.min(rows.len()));
    let bounds = Bounds::<f64>::new(N, N - set_size);
    let shared = accepted(bounds.with_share(part, rows.len(), 2))?;
    let bound = shared.loss(best(before) + best(after), learning_rate);
    let rounding = tolerance::trials::<T>(N, rows.len() + 1) * rows.len() as f64;
    prop_assert!(lost <= bound + rounding, "lost {lost}, bound {bound}");
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn shared_weights_equal_those_of_the_paper(
        rows in vec(proptest::array::uniform6(0.0..1.0), 1..40), set_size in 1..=6_usize,
    ) {
        for share in [Share::Uniform, Share::PastAverage, Share::PastPosteriors] {
            sharing_follows_the_paper::<f32, 6>(&rows, share(PART as f32), set_size)?;
        }
        for share in [Share::Uniform, Share::PastAverage, Share::PastPosteriors] {
            sharing_follows_the_paper::<f64, 6>(&rows, share(PART), set_size)?;
        }
    }

    #[test]
    fn a_uniform_share_stays_within_its_bound_against_two_segments(
        rows in vec(proptest::array::uniform6(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]), 2..40),
        learning_rate in 0.05..5.0, part in 0.001..0.5, set_size in 1..6_usize, shift in 1..40_usize,
    ) {
        sharing_keeps_its_bound::<f32, 6>(&rows, learning_rate, part, set_size, shift)?;
        sharing_keeps_its_bound::<f64, 6>(&rows, learning_rate, part, set_size, shift)?;
    }

    #[test]
    fn expected_losses_equal_those_of_the_paper_and_stay_within_its_bound(
        rows in vec(proptest::array::uniform6(0.0..1.0), 1..40), learning_rate in 0.01..2.0, set_size in 1..=6_usize,
    ) {
        hedge_follows_the_paper::<f32, 6>(&rows, learning_rate, set_size)?;
        hedge_follows_the_paper::<f64, 6>(&rows, learning_rate, set_size)?;
    }
}

/// A count is off by more than 4.4 standard deviations for one seed in 10⁵.
fn drawn_experts_have_their_weights<T: Scalar>() -> Outcome {
    const DRAWS: u32 = 20_000;
    let mut hedge = Hedge::<T, 5>::new(accepted(
        HedgeSettings::new(T::ONE).and_then(|settings| settings.with_set_size(2)),
    )?);
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

#[test]
fn without_a_share_the_loss_exceeds_the_bound_against_two_segments() -> Outcome {
    // One expert has no loss in the first 200 trials, another in the last 200.
    let rows: Vec<[f64; 6]> = (0..400)
        .map(|trial| std::array::from_fn(|expert| if expert == trial / 200 { 0.0 } else { 1.0 }))
        .collect();
    let part = 1.0 / 399.0;
    let total = |share| -> Result<f64, TestCaseError> {
        let settings = accepted(HedgeSettings::new(1.0).and_then(|settings| settings.with_share(share)))?;
        let mut hedge = Hedge::<f64, 6>::new(settings);
        rows.iter().map(|row| accepted(hedge.step(row))).sum()
    };
    let bound = accepted(Bounds::<f64>::new(6, 5).with_share(part, rows.len(), 2))?.loss(0.0, 1.0);
    let (sharing, without) = (total(Share::Uniform(part))?, total(Share::Nothing)?);
    prop_assert!(sharing <= bound && bound < without, "{sharing}, {bound}, {without}");
    prop_assert!(3.0 * sharing > bound, "{sharing} of {bound}");
    Ok(())
}

#[test]
fn a_share_of_the_past_finds_a_returning_expert_faster_than_a_uniform_share() -> Outcome {
    // Every 100 trials, the expert without loss changes between the first two of sixteen experts.
    let rows = (0..600).map(|trial: usize| {
        std::array::from_fn::<f32, 16, _>(|expert| if expert == (trial / 100) % 2 { 0.0 } else { 1.0 })
    });
    let total = |share| -> Result<f32, TestCaseError> {
        let settings = accepted(HedgeSettings::new(2.0).and_then(|settings| settings.with_share(share)))?;
        let mut hedge = Hedge::<f32, 16>::new(settings);
        rows.clone().map(|row| accepted(hedge.step(&row))).sum()
    };
    let (past, uniform) = (total(Share::PastAverage(0.01))?, total(Share::Uniform(0.01))?);
    prop_assert!(past < uniform, "{past}, {uniform}");
    Ok(())
}

#[test]
fn experts_can_be_drawn_with_a_generator_behind_a_trait_object() -> Outcome {
    let settings = accepted(HedgeSettings::new(1.0_f32).and_then(|settings| settings.with_set_size(2)))?;
    let subsets = accepted(SubsetExperts::<f32, 4>::new(&[1.0, 2.0, 3.0, 4.0], 2))?;
    let draw = |rng: &mut dyn Rng| {
        let mut leader = PerturbedLeader::<f32, 4>::new(settings);
        let loss = leader.step(&[0.0, 1.0, 2.0, 3.0], rng);
        let sets = [
            Hedge::<f32, 4>::new(settings).draw(rng),
            SetExperts::<f32, 4>::new(settings).draw(rng),
            leader.draw(rng),
            subsets.draw(rng),
        ];
        (loss, sets)
    };
    let (loss, sets) = draw(&mut Xoshiro128PlusPlus::seed_from_u64(7));
    prop_assert!(loss.is_ok() && sets.iter().all(|set| set.len() == 2));
    Ok(())
}
