//! Hedge, against a literal version of the paper's algorithm and its bound.

use super::{Outcome, accepted, close, config, tolerance};
use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream::weights::{Hedge, HedgeSettings, cap};
use proptest::collection::vec;
use proptest::prelude::*;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Runs `Hedge` beside a literal [WK08] Algorithm 3 in `f64`, and holds it to the bound of Theorem 3.
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

proptest! {
    #![proptest_config(config())]

    #[test]
    fn expected_losses_are_the_paper_s_and_within_its_bound(
        rows in vec(proptest::array::uniform6(0.0..1.0), 1..40), learning_rate in 0.01..2.0, set_size in 1..=6_usize,
    ) {
        hedge_follows_the_paper::<f32, 6>(&rows, learning_rate, set_size)?;
        hedge_follows_the_paper::<f64, 6>(&rows, learning_rate, set_size)?;
    }
}

/// The mean number of times an expert is drawn is N·d·w_i; 4.4 standard deviations are exceeded once in 10⁵ seeds.
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
