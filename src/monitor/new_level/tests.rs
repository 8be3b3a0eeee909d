//! Tests of single functions of `new_level.rs`.

use super::*;

/// Found by fuzzing the encoded bytes, with a correct checksum: `accept` took other numbers for a record, and the score was NaN.
#[test]
fn a_course_without_a_record_is_not_unused() {
    let mut episode = Episode::new(NewLevel::DEFAULT);
    assert!(episode.is_unused());
    episode.course = Course::Steady;
    assert!(!episode.is_unused());
}

#[test]
fn a_huge_deviation_leaves_a_valid_record() {
    let mut episode = Episode::new(NewLevel::DEFAULT);
    let mut rows = [[0.0_f32; ROWS]; 2];
    for _ in 0..3 * FEWEST {
        episode.push(&mut rows, &[1e6, -1e6]);
        assert_eq!(episode.check(&rows), Ok(()));
    }
}

#[test]
fn another_policy_begins_the_record_again() {
    let mut episode = Episode::new(NewLevel::Ask(64));
    let mut rows = [[0.0_f32; ROWS]; 1];
    for _ in 0..48 {
        episode.push(&mut rows, &[5.0]);
    }
    episode.set_policy(NewLevel::Accept(64));
    assert_eq!(episode.samples, 48);
    episode.set_policy(NewLevel::Ask(32));
    assert_eq!(episode.samples, 0);
    // A comparison with the first half of the old policy would find a level that moves.
    for _ in 0..32 {
        episode.push(&mut rows, &[9.0]);
    }
    assert_eq!(episode.course(), Course::Steady);
}

/// An episode with the policy `Ask(16)`, and its rows, after these deviations.
fn recorded(deviations: impl IntoIterator<Item = f32>) -> (Episode, Rows<f32, 1>) {
    let mut episode = Episode::new(NewLevel::Ask(16));
    let mut rows = [[0.0; ROWS]; 1];
    deviations
        .into_iter()
        .for_each(|deviation| episode.push(&mut rows, &[deviation]));
    (episode, rows)
}

#[test]
fn the_first_half_is_half_of_the_samples() {
    // The mean of 1 to 8 is 4.5. The ninth sample is not in the first half.
    let (episode, [[_, _, first_half, ..]]) = recorded((1..=9).map(|i| i as f32));
    assert_eq!((episode.course(), first_half), (Course::Young, 4.5));
}

#[test]
fn an_alarm_is_judged_at_the_sixteenth_sample_and_again_after_eight_more() {
    assert_eq!(recorded([5.0; 15]).0.course(), Course::Young);
    assert_eq!(recorded([5.0; 16]).0.course(), Course::Steady);
    // The last eight samples differ from the first sixteen.
    let late = [5.0; 16].into_iter().chain([50.0; 7]);
    assert_eq!(recorded(late.clone()).0.course(), Course::Steady);
    assert_eq!(recorded(late.chain([50.0])).0.course(), Course::Moving);
    // In the second comparison, the mean of the first 16 samples replaces that of the first half: a move that is over
    // no longer counts.
    let moved = [5.0; 8].into_iter().chain([50.0; 8]);
    assert_eq!(recorded(moved.clone()).0.course(), Course::Moving);
    assert_eq!(recorded(moved.chain([27.5; 8])).0.course(), Course::Steady);
}

#[test]
fn a_move_of_a_part_of_the_least_spread_is_steady() {
    // The record varies by less than `LEAST_SPREAD`, so the means may differ by `MOVES`·`LEAST_SPREAD` = 0.3.
    let halves = |apart: f32| recorded([0.0; 8].into_iter().chain([apart; 8])).0.course();
    assert_eq!([0.29, 0.31].map(halves), [Course::Steady, Course::Moving]);
}

#[test]
fn sixteen_quiet_samples_in_a_row_end_the_record() {
    let (mut episode, mut rows) = recorded([5.0; 20]);
    (0..15).for_each(|_| episode.rest());
    assert_eq!(episode.course(), Course::Steady);
    // A sample of the alarm starts the count of quiet samples again.
    episode.push(&mut rows, &[5.0]);
    (0..15).for_each(|_| episode.rest());
    assert_eq!((episode.course(), episode.samples), (Course::Steady, 13));
    episode.rest();
    assert_eq!((episode.course(), episode.samples), (Course::Young, 0));
}

#[test]
fn a_record_that_was_judged_can_be_accepted_at_once() {
    // After the comparison, counting continues from 8.
    let (mut episode, mut rows) = recorded([5.0; 16]);
    assert_eq!(episode.samples, 8);
    assert!(episode.accept(&mut rows));
    assert_eq!((rows[0][3], rows[0][4]), (5.0, 0.2));
    let (mut young, mut rows) = recorded([5.0; 15]);
    assert!(!young.accept(&mut rows));
}

#[test]
fn the_centre_follows_by_spreads_of_the_second_state() {
    let (mut episode, mut rows) = recorded([5.0; 16]);
    assert!(episode.accept(&mut rows));
    // The reach of 2 spreads is 0.4, and the step 0.5 moves the centre by half of this.
    Episode::follow(&mut rows, &[9.0], 0.5, 2.0);
    assert!((rows[0][3] - 5.2).abs() < 1e-6);
}

#[test]
fn an_impossible_record_is_refused() {
    let (mut episode, mut rows) = recorded([5.0; 16]);
    assert_eq!(episode.check(&rows), Ok(()));
    assert!(!episode.is_unused());
    rows[0][2] = 1e6;
    assert_eq!(episode.check(&rows), Err(CodecError::Range));
    episode.course = Course::Young;
    assert!(!episode.is_unused());
}
