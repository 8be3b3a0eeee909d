//! Tests of single functions of `keeping.rs`.

use super::*;

/// The sum of the keep probabilities of `scores`, in `f64`.
fn sum<T: Scalar>(keeping: &Keeping<T>, scores: &[T]) -> f64 {
    scores.iter().map(|&score| keeping.probability(score).to_f64()).sum()
}

#[test]
fn probabilities_sum_to_keep_for_every_keep_and_rate() {
    let scores = [9.0_f64, 4.0, 4.0, 2.5, 1.0, 0.25, 0.0];
    for keep in 0..=scores.len() {
        for rate in [1e-6, 0.1, 1.0, 30.0, 1e6] {
            let keeping = Keeping::of(&scores, Bulk::NONE, rate, keep);
            let off = sum(&keeping, &scores) - keep as f64;
            // The sum has seven probabilities. Each has a rounding error of a few ε, with ε = 2.2·10⁻¹⁶.
            assert!(off.abs() < 1e-14, "keep {keep}, rate {rate}: {off:e}");
        }
    }
}

#[test]
fn evidence_and_probability_belong_together() {
    // Two scores and k = 1: e^(−g₁) + e^(−g₂) = 1 and g₁ − g₂ = η(λ₁ − λ₂) = ln 3, so p = 3/4 and 1/4.
    let (scores, rate) = ([3.0_f64, 1.0], 3.0_f64.ln() / 2.0);
    let keeping = Keeping::of(&scores, Bulk::NONE, rate, 1);
    assert!((keeping.probability(3.0) - 0.75).abs() < 1e-15);
    assert!((keeping.probability(1.0) - 0.25).abs() < 1e-15);
    assert!((keeping.evidence(3.0) - 4.0_f64.ln()).abs() < 1e-15);
    assert_eq!((keeping.evidence(-1.0), keeping.probability(-1.0)), (0.0, 0.0));
    assert!(keeping.excess(-1.0) < 0.0 && keeping.excess(keeping.least_score()).abs() < 1e-15);
}

#[test]
fn scores_far_beyond_their_own_rounding_sum_to_keep() {
    // ηλ = 7·10⁶ has a spacing of one half in `f32`. Four equal scores and k = 2: p = 1/2.
    let scores = [7.0_f32, 7.0, 7.0, 7.0];
    let keeping = Keeping::of(&scores, Bulk::NONE, 1e6, 2);
    assert!(
        scores
            .iter()
            .all(|&score| (keeping.probability(score) - 0.5).abs() < 1e-6)
    );
    // The two scores differ by one rounding step, 2⁻²¹. Their evidence differs by 10⁶·2⁻²¹ = 0.477, so the ratio of 1 −
    // p is e^(−0.477) = 0.6207.
    let above = 7.0 + 4.0 * f32::EPSILON;
    let keeping = Keeping::of(&[above, 7.0], Bulk::NONE, 1e6, 1);
    let ratio = (1.0 - keeping.probability(above)) / (1.0 - keeping.probability(7.0));
    assert!((ratio - 0.620_7).abs() < 1e-4, "{ratio}");
}

#[test]
fn products_beyond_the_largest_number_stay_finite() {
    let scores = [f32::MAX, 1.0, 1.0, 0.0, -f32::MAX];
    for rate in [1.0, f32::MAX] {
        let keeping = Keeping::of(&scores, Bulk::NONE, rate, 2);
        assert_eq!(
            scores.map(|score| keeping.probability(score)),
            [1.0, 0.5, 0.5, 0.0, 0.0]
        );
        assert!(scores.iter().all(|&score| keeping.excess(score).is_finite()));
    }
}

#[test]
fn tied_scores_share_places_evenly() {
    // p = k/n for n equal scores. Scores below τ/η = λ − ln(n/(n−k))/η have p = 0.
    for keep in 1..5 {
        let scores = [2.0_f64, 2.0, 2.0, 2.0, 2.0, 0.3];
        let keeping = Keeping::of(&scores, Bulk::NONE, 1.0, keep);
        assert!((keeping.probability(2.0) - keep as f64 / 5.0).abs() < 1e-15);
        assert_eq!(keeping.probability(0.3), 0.0);
    }
}

#[test]
fn keeping_none_and_keeping_all() {
    let scores = [3.0_f32, 1.0, 0.0];
    let none = Keeping::of(&scores, Bulk::NONE, 2.0, 0);
    assert_eq!(scores.map(|score| none.probability(score)), [0.0; 3]);
    for keep in 3..5 {
        let all = Keeping::of(&scores, Bulk::NONE, 2.0, keep);
        assert_eq!(scores.map(|score| all.probability(score)), [1.0; 3]);
    }
    assert_eq!(Keeping::of(&[], Bulk::NONE, 2.0_f32, 0).probability(0.0), 1.0);
}

#[test]
fn a_bulk_of_scores_counts_with_its_multiplicity() {
    let bulk = Bulk {
        value: 0.5_f64,
        multiplicity: 4,
    };
    let keeping = Keeping::of(&[3.0, 1.0, 0.25], bulk, 0.7, 2);
    let spelled_out = Keeping::of(&[3.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25], Bulk::NONE, 0.7, 2);
    for score in [3.0, 1.0, 0.5, 0.25] {
        assert!((keeping.probability(score) - spelled_out.probability(score)).abs() < 1e-15);
    }
}

#[test]
fn a_threshold_of_zero_leaves_the_scores_alone() {
    let keeping = Keeping::with_zero_threshold(2.0_f32);
    assert_eq!(keeping.evidence(1.5), 3.0);
    assert_eq!(keeping.probability(1e-20), 2e-20);
}

#[test]
fn a_threshold_near_zero_has_the_digits_that_a_large_one_lacks() {
    let off = |evidence: &[f32], keep: usize| {
        let tau = threshold(evidence, Bulk::NONE, keep);
        let sum: f32 = evidence.iter().map(|&value| keep_probability(value, tau)).sum();
        (tau, (sum - keep as f32).abs())
    };
    let large = [70_000.5_f32, 70_000.25, 70_000.0, 70_000.0, 69_999.5, 3.0, 0.0];
    for keep in 1..5 {
        let near = large.map(|value| value - large[keep]);
        let (tau, sum_off) = off(&near, keep);
        assert!(tau <= 0.0 && tau >= -(keep as f32 + 1.0).ln(), "{keep}: {tau}");
        assert!(sum_off < 1e-6 && off(&large, keep).1 > 1e-4, "{keep}: {sum_off}");
    }
}

#[test]
fn two_equal_values_share_one_place() {
    // exp(τ) = (2 − 1) / (2 exp(−1)), so τ = 1 − ln 2 and p = 1 − exp(−ln 2) = 1/2.
    let tau = threshold(&[1.0_f64, 1.0], Bulk::NONE, 1);
    assert!((tau - (1.0 - core::f64::consts::LN_2)).abs() < 1e-15);
    assert!((keep_probability(1.0, tau) - 0.5).abs() < 1e-15);
}

#[test]
fn a_value_below_the_threshold_stays_out() {
    // The two equal values are above τ: exp(τ) = 1 / (exp(−1) + exp(−1)) gives τ = 0.307. The third value, 0.3, is
    // below τ and does not count.
    let with = threshold(&[1.0_f64, 1.0, 0.3], Bulk::NONE, 1);
    let without = threshold(&[1.0_f64, 1.0], Bulk::NONE, 1);
    assert_eq!(with, without);
}

#[test]
fn the_ends_keep_none_and_all() {
    let bulk = Bulk {
        value: 5.0_f32,
        multiplicity: 2,
    };
    assert_eq!(threshold(&[3.0, 1.0], bulk, 0), 5.0);
    assert_eq!(keep_probability(5.0_f32, 5.0), 0.0);
    let all = threshold(&[3.0, 1.0], bulk, 4);
    assert_eq!(all, -f32::MAX);
    assert_eq!(keep_probability(-f32::MAX / 2.0, all), 1.0);
    assert_eq!(threshold::<f32>(&[], Bulk::NONE, 0), -f32::MAX);
}

#[test]
fn the_bulk_may_sit_anywhere_in_the_order() {
    let bulk = Bulk {
        value: 1.0_f32,
        multiplicity: 3,
    };
    let spelled_out = threshold(&[2.0_f32, 1.0, 1.0, 1.0, 0.5], Bulk::NONE, 2);
    assert!((threshold(&[2.0, 0.5], bulk, 2) - spelled_out).abs() < 1e-6);
}

#[test]
fn evidence_far_beyond_the_exponential_is_harmless() {
    // Three directions have so much evidence that p = 1. The p of the last two sum to one.
    let tau = threshold(&[9e4_f32, 9e4, 5e4, 0.0, 0.0], Bulk::NONE, 4);
    assert!((keep_probability(0.0, tau) - 0.5).abs() < 1e-6);
}
