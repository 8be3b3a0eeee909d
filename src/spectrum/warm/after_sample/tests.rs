//! Compares the update of eigenvectors after one sample with a whole decomposition.

use super::*;
use crate::spectrum::PartialEigen;
use crate::spectrum::symmetric::{add_diagonal, add_outer, scale_upper};
use nalgebra::ArrayStorage;

const DIM: usize = 16;
type Matrix<T> = SMatrix<T, DIM, DIM>;

fn scatter() -> Matrix<f64> {
    let mut matrix = SMatrix::zeros();
    add_diagonal(&mut matrix, 1.0 / 16.0);
    for (position, strength) in [8.0, 4.0, 1.0, 0.5].into_iter().enumerate() {
        add_outer(&mut matrix, strength / 8.0, &sample(position + 1));
    }
    matrix
}

/// A direction that is not an axis. Two numbers that differ by 7 give the same direction.
fn sample(number: usize) -> [f64; DIM] {
    core::array::from_fn(|i| if (i * number) % 7 < 3 { 1.0 } else { -0.5 })
}

fn exact(matrix: &Matrix<f64>) -> ([f64; DIM], [[f64; DIM]; 2]) {
    let mut eigen = PartialEigen::new();
    assert!(eigen.decompose(matrix).is_ok());
    let mut vectors = SMatrix::<f64, DIM, 2>::from_array_storage(ArrayStorage([[0.0; DIM]; 2]));
    let _ = eigen.vectors(&[0, 1], &mut vectors);
    (eigen.values().data.0[0], vectors.data.0)
}

fn change(retention: f64, weight: f64, met: &[f64; DIM]) -> Change<'_, f64, DIM> {
    Change {
        retention,
        weight,
        sample: met,
        energy: dot(met, met),
        number: 0,
    }
}

/// Computes two pairs after the sample `met` and compares them with those of the decomposed matrix. Returns the number
/// of calls of `grow`, or `None` if the pairs were rejected.
fn follow(old: &Matrix<f64>, guesses: &[[f64; DIM]; 2], values: &[f64], met: [f64; DIM]) -> Option<usize> {
    let mut matrix = *old;
    scale_upper(&mut matrix, 0.9);
    add_outer(&mut matrix, 0.25, &met);
    let change = change(0.9, 0.25, &met);
    let (all_values, directions) = exact(&matrix);
    // The old content of `basis` does not matter.
    let mut basis = [[f64::NAN; DIM]; DIM];
    let mut tracker = RankOneTracker::new(&matrix, guesses, &mut basis);
    tracker.begin(values, change);
    let mut found = [[f64::NAN; DIM]; 2];
    for images in 1.. {
        let grown = tracker.grow();
        assert!(
            tracker.bound() >= all_values[2],
            "beyond the bound with {images} images"
        );
        if let Some(mut values) = tracker.values()
            && tracker.vectors(&mut found, &mut values)
        {
            for (pair, vector) in found.iter().enumerate() {
                assert!((values[pair] - all_values[pair]).abs() < 1e-13);
                for (entry, exact) in vector.iter().zip(&directions[pair]) {
                    assert!((entry - exact).abs() < 1e-13);
                }
            }
            return Some(images);
        }
        assert!(!tracker.stays_too_small());
        if !grown {
            break;
        }
    }
    None
}

#[test]
fn pairs_are_those_of_the_whole_matrix_and_nothing_exceeds_the_bound() {
    let old = scatter();
    let (values, directions) = exact(&old);
    // In the complement of the two eigenvectors, A is a multiple of the identity plus a few directions: few products suffice.
    let images = follow(&old, &directions, &values, sample(9));
    assert!(images.is_some_and(|images| images <= 5), "{images:?}");
    // In the next call the sample is an eigenvector, in the call after that the sample is zero.
    assert!(follow(&old, &directions, &values, directions[1]).is_some());
    assert!(follow(&old, &directions, &values, [0.0; DIM]).is_some());
}

#[test]
fn pairs_that_were_none_are_seen_to_be_none() {
    let old = scatter();
    let (values, mut directions) = exact(&old);
    directions[1] = [0.0; DIM];
    directions[1][0] = 1.0;
    directions[1][5] = -1.0;
    let first = directions[0];
    part_outside(&mut directions[1], 1.0, [first].iter());
    assert_eq!(follow(&old, &directions, &values, sample(9)), None);
}

#[test]
fn every_second_sample_measures_every_pair() {
    // The second vector has a small error, which only a product with the whole matrix shows, not the arrow matrix.
    let old = scatter();
    let (values, mut directions) = exact(&old);
    let first = directions[0];
    add_scaled(&mut directions[1], 1e-4, &sample(9));
    part_outside(&mut directions[1], 1.0, [first].iter());
    // A sample of zeros cannot be used, so its pairs are always measured.
    for (number, met, expected) in [(7, first, true), (8, first, false), (7, [0.0; DIM], false)] {
        let mut matrix = old;
        add_outer(&mut matrix, 1.0, &met);
        let change = Change {
            number,
            ..change(1.0, 1.0, &met)
        };
        let mut basis = [[0.0; DIM]; DIM];
        let mut tracker = RankOneTracker::new(&matrix, &directions, &mut basis);
        tracker.begin(&values, change);
        let mut found = [[0.0; DIM]; 2];
        let accepted = tracker
            .values()
            .is_some_and(|mut values| tracker.vectors(&mut found, &mut values));
        assert_eq!(accepted, expected, "sample {number}");
    }
}

#[test]
fn a_direction_that_nothing_leads_to_is_within_the_bound() {
    let mut old = Matrix::<f64>::zeros();
    (old[(0, 0)], old[(1, 1)], old[(2, 2)]) = (9.0, 8.0, 2.0);
    let (values, directions) = exact(&old);
    // The matrix is diagonal and the sample is an axis: the basis contains only axes.
    let mut met = [0.0; DIM];
    met[5] = 1.0;
    assert!(follow(&old, &directions, &values, met).is_some());
}

#[test]
fn steps_end_early_if_the_rest_of_the_trace_stays_above_the_pairs() {
    // The old eigenvalues are 1, 1.1, …, 2.5. The trace outside two pairs is far above both eigenvalues, and `TAIL`
    // vectors q do not change that.
    let old = Matrix::<f64>::from_fn(|i, j| if i == j { 1.0 + 0.1 * i as f64 } else { 0.0 });
    let (values, guesses) = exact(&old);
    let met = sample(2).map(|entry| 0.1 * entry);
    let mut matrix = old;
    add_outer(&mut matrix, 1.0, &met);
    let mut basis = [[0.0; DIM]; DIM];
    let mut tracker = RankOneTracker::new(&matrix, &guesses, &mut basis);
    tracker.begin(&values, change(1.0, 1.0, &met));
    for known in 1..TAIL {
        assert!(tracker.grow());
        assert_eq!(
            tracker.stays_too_small(),
            known >= STEPS_BEFORE_ESTIMATE,
            "{known} known"
        );
    }
    assert!(tracker.bound() > exact(&matrix).0[1]);
}

#[test]
fn eigenvalues_of_the_last_decomposition_tell_whether_steps_are_worth_it() {
    type Tracker<'a> = RankOneTracker<'a, f64, DIM>;
    // Of the 16 eigenvalues, 2 are wanted. Of the other 14, the estimate counts the first TAIL − 1 = 8 as seen and the
    // last 6 as unseen.
    let with_others = |other: f64| core::array::from_fn::<_, DIM, _>(|i| if i < 2 { 10.0 } else { other });
    // With x = `other`, √(6·x · 6/14·14·x) = 6·x is above 10 if x is above 5/3.
    assert!(!Tracker::would_stay_too_small(&with_others(1.66), 2));
    assert!(Tracker::would_stay_too_small(&with_others(1.67), 2));
    // At first all other eigenvalues are zero, as if they were not known. Then six are large: they count as seen, so
    // the unseen ones are still zero.
    let mut few = with_others(0.0);
    assert!(!Tracker::would_stay_too_small(&few, 2));
    few[2..8].fill(9.0);
    assert!(!Tracker::would_stay_too_small(&few, 2));
    // In the first call no eigenvalue is wanted, in the second all are.
    assert!(!Tracker::would_stay_too_small(&few, 0));
    assert!(!Tracker::would_stay_too_small(&few, DIM));
}
