//! Tests of single functions of `sturm.rs`.

use super::*;
use crate::spectrum::whole::{ql::eigenvalues, selected::sort_descending};

/// Compares the six largest eigenvalues of a graded matrix (entries of very different sizes), found from guesses, with the
/// eigenvalues that QL finds.
fn check<T: Scalar, const N: usize>(scale: f64, guesses: impl Fn(T) -> T) {
    let mut phase = 0.5;
    let mut next = || {
        phase = 3.99 * phase * (1.0 - phase);
        phase
    };
    for _ in 0..20 {
        let mut tridiagonal = Tridiagonal {
            diagonal: [T::ZERO; N],
            coupling: [T::ZERO; N],
        };
        let mut size = scale;
        for i in 0..N {
            tridiagonal.diagonal[i] = T::from_f64(size * next());
            if i + 1 < N && i % 7 != 5 {
                tridiagonal.coupling[i] = T::from_f64(0.3 * size * next());
            }
            size *= 0.8;
        }
        let norm = tridiagonal.drop_negligible();
        let mut values = [T::ZERO; N];
        let _ = eigenvalues(&tridiagonal, T::EPSILON * norm, &mut values);
        sort_descending(&mut values);
        let mut bracket = Bracket::new(norm);
        for (position, &value) in values.iter().enumerate().take(6) {
            let after = values.get(position + 1).copied().unwrap_or(T::ZERO);
            let separator = T::HALF * (guesses(value) + guesses(after));
            let found = tridiagonal.value_at(position, guesses(value), separator, norm, &mut bracket);
            assert!((found - value).abs() <= T::from_f64(8.0) * T::EPSILON * norm);
            let margin = T::from_f64(16.0) * T::EPSILON * norm;
            assert!(tridiagonal.count_above(found - margin, norm) > position);
            assert!(tridiagonal.count_above(found + margin, norm) <= position);
        }
    }
}

#[test]
fn good_guesses_bad_guesses_and_none_end_at_the_same_values() {
    check::<f32, 24>(1.0, |value| value);
    check::<f32, 24>(1.0, |value| value * 1.1);
    check::<f64, 24>(1.0, |value| value * 0.7);
    check::<f32, 8>(1.0, |_| 0.0);
    check::<f64, 24>(1.0, |_| -1.0);
    check::<f32, 24>(1.0, |_| f32::NAN);
    check::<f32, 24>(1e-12, |value| value * 1.05);
}

#[test]
fn a_guess_beside_the_next_value_does_not_end_there() {
    // In kernel PCA a sample far from all others adds an eigenvalue 1. The guesses for the second and the third eigenvalue
    // are both close to 1, although only the third eigenvalue is 1.
    let tridiagonal = Tridiagonal {
        diagonal: [2.0_f32, 1.5, 1.0],
        coupling: [0.4, 0.0, 0.0],
    };
    let (norm, mut bracket) = (2.5, Bracket::new(2.5));
    let mut found = [2.2, 1.000_000_4, 1.000_000_1];
    for position in 0..3 {
        let next = found.get(position + 1).copied().unwrap_or(0.5);
        let separator = 0.5 * (found[position] + next);
        found[position] = tridiagonal.value_at(position, found[position], separator, norm, &mut bracket);
    }
    for (found, wanted) in found.into_iter().zip([2.221_699, 1.278_301, 1.0]) {
        assert!((found - wanted).abs() < 1e-5, "{found}, not {wanted}");
    }
}

#[test]
fn an_eigenvalue_of_a_leading_block_is_not_taken_for_one_of_the_matrix() {
    // The guess 1.5 is an eigenvalue of the block of the first two rows; its eigenvalues are 1 ± ½. A kernel learner makes
    // such a guess if it stored one sample less before.
    let tridiagonal = Tridiagonal {
        diagonal: [1.0_f64, 1.0, 0.75],
        coupling: [0.5, 0.25, 0.0],
    };
    let norm = 2.0;
    let mut bracket = Bracket::new(norm);
    let value = tridiagonal.value_at(0, 1.5, 1.2, norm, &mut bracket);
    assert_eq!(tridiagonal.count_above(value - 1e-12, norm), 1);
    assert_eq!(tridiagonal.count_above(value + 1e-12, norm), 0);
}

#[test]
fn equal_values_are_found_one_after_the_other() {
    let tridiagonal = Tridiagonal {
        diagonal: [0.5_f32; 8],
        coupling: [0.0; 8],
    };
    let mut bracket = Bracket::new(0.5);
    for position in 0..8 {
        let value = tridiagonal.value_at(position, 0.5, 0.5, 0.5, &mut bracket);
        assert!((value - 0.5).abs() <= 4.0 * f32::EPSILON);
    }
    assert_eq!(
        (tridiagonal.count_above(0.4, 0.5), tridiagonal.count_above(0.6, 0.5)),
        (8, 0)
    );
}
