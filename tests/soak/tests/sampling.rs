//! Systematic sampling with every number that `f32::uniform` can return: 2²⁴ of them, evenly spaced.

use eigenstream::weights::systematic;

const LATTICE: u32 = 1 << 24;

/// How often each index is drawn, over all 2²⁴ numbers.
fn drawn<const N: usize>(probabilities: &[f32; N], set_size: usize) -> [u32; N] {
    let mut drawn = [0; N];
    for place in 0..LATTICE {
        let uniform = place as f32 / LATTICE as f32;
        // A refused call gives an empty set, which fails the assertion.
        let chosen = systematic::<f32, N>(probabilities, set_size, uniform).unwrap_or_default();
        assert_eq!(chosen.len(), set_size);
        for index in chosen.iter() {
            drawn[index] += 1;
        }
    }
    drawn
}

fn check<const N: usize>(probabilities: [f32; N], set_size: usize) {
    for (&probability, &count) in probabilities.iter().zip(&drawn(&probabilities, set_size)) {
        if probability >= 1.0 {
            assert_eq!(count, LATTICE, "a certain index was left out: {probabilities:?}");
        } else if probability == 0.0 {
            assert_eq!(count, 0, "an impossible index was drawn: {probabilities:?}");
        } else {
            // Each of the N additions rounds by at most ε·`set_size`/2. An index lies between two sums, so the errors
            // of both count.
            let off = (f64::from(count) / f64::from(LATTICE) - f64::from(probability)).abs();
            let most = (N * set_size) as f64 * f64::from(f32::EPSILON);
            assert!(off <= most, "{probability} was drawn {count} times of {LATTICE}");
        }
    }
}

#[test]
fn certain_members_are_always_drawn_and_impossible_ones_never() {
    // The certain indices are last, where rounding of the sum could skip them.
    let third = 1.0_f32 / 3.0;
    check([third, third, third, 0.0, 1.0, 1.0], 3);
    check([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0], 3);
}

#[test]
fn every_index_is_drawn_as_often_as_its_probability_says() {
    check([0.999_999_9, 0.000_000_1, 0.5, 0.5], 2);
}
