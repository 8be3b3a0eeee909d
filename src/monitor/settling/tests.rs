//! Tests of the scale and of wild samples.

use super::*;

/// Judges samples with these largest deviations, for a training of 1,000 samples, and counts each kind of reading.
fn judged(wild: &mut WildSamples, deviations: impl IntoIterator<Item = f64>) -> [usize; 4] {
    let mut counts = [0; 4];
    for deviation in deviations {
        let place = match wild.judge(deviation, 1_000) {
            Reading::Usable => 0,
            Reading::HeldBack => 1,
            Reading::NewState => 2,
            Reading::WrongScale => 3,
        };
        counts[place] += 1;
    }
    counts
}

/// The counts of a training that has begun with 300 usual samples.
fn begun() -> WildSamples {
    let mut wild = WildSamples::new();
    assert_eq!(judged(&mut wild, [1.0; 300]), [300, 0, 0, 0]);
    wild
}

#[test]
fn the_first_two_far_samples_in_a_row_are_held_back() {
    let mut wild = begun();
    assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [1, 2, 0, 0]);
    // At most 2 + 300/50 far samples are held back.
    for _ in 0..3 {
        assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [1, 2, 0, 0]);
    }
    assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [3, 0, 0, 0]);
}

#[test]
fn the_first_run_is_held_back_and_the_second_is_learned() {
    let run = [9.0; 12].into_iter().chain([1.0; 20]);
    let mut wild = begun();
    // The run ends with the fifth usual sample.
    assert_eq!(judged(&mut wild, run.clone()), [15, 17, 0, 0]);
    assert_eq!(judged(&mut wild, run.clone()), [30, 2, 0, 0]);
    // A run that begins with the first sample does not count as the first run.
    let mut wild = WildSamples::new();
    assert_eq!(judged(&mut wild, run.clone()), [15, 17, 0, 0]);
    // 2 + ⌊32/50⌋ = 2 far samples were held back before, so the next run is held back from its third sample on.
    assert_eq!(judged(&mut wild, run.clone()), [17, 15, 0, 0]);
    assert_eq!(judged(&mut wild, run), [31, 1, 0, 0]);
}

#[test]
fn a_long_run_is_learned_or_needs_a_new_scale() {
    // For N = 1,000 training samples, N/50 = 20 and √N = 31.6.
    assert_eq!(judged(&mut begun(), [30.0; 60]), [39, 21, 0, 0]);
    assert_eq!(judged(&mut begun(), [32.0; 21]), [0, 20, 1, 0]);
    assert_eq!(judged(&mut begun(), [2e3; 101]), [0, 100, 1, 0]);
    assert_eq!(judged(&mut begun(), [2e3; 100]), [0, 100, 0, 0]);
}

#[test]
fn many_samples_beyond_the_limit_of_the_deviations_show_a_wrong_scale() {
    // Of the first N/5 = 200 samples, 16 above √N do not show a wrong scale, and 17 do.
    for (every, outcome) in [(13, [184, 16, 0, 0]), (12, [182, 17, 0, 1])] {
        let deviations = (1..=200).map(|n| if n % every == 1 { 40.0 } else { 1.0 });
        assert_eq!(judged(&mut WildSamples::new(), deviations), outcome);
    }
}

#[test]
fn a_scale_is_found_again_at_most_eight_times() {
    let mut wild = WildSamples::new();
    for _ in 0..8 {
        assert_eq!(judged(&mut wild, [50.0; 21]), [0, 20, 1, 0]);
    }
    assert_eq!(judged(&mut wild, [50.0; 21])[2], 0);
    assert_eq!(judged(&mut WildSamples::of_kept_scale(), [50.0; 21])[2], 0);
}

#[test]
fn a_state_that_stays_is_learned_if_the_scale_is_not_found_again() {
    // The first fifth of the N = 1,000 training samples is 200 samples.
    assert_eq!(judged(&mut WildSamples::of_kept_scale(), [2e3; 300]), [101, 199, 0, 0]);
    let mut wild = WildSamples::new();
    assert_eq!(judged(&mut wild, [2e3; 8 * 101]), [0, 800, 8, 0]);
    assert_eq!(judged(&mut wild, [2e3; 300]), [101, 199, 0, 0]);
    // After usual samples, a run of N/10 = 100 samples is held back.
    assert_eq!(judged(&mut wild, [1.0; 9]), [9, 0, 0, 0]);
    assert_eq!(judged(&mut wild, [2e3; 100]), [0, 100, 0, 0]);
}

#[test]
fn sixteen_samples_beyond_the_limit_show_no_wrong_scale_in_a_short_training() {
    // For N = 500 training samples, N/5 = 100 and √N = 22.4. A twelfth of 100 samples would be 8.
    let mut wild = WildSamples::new();
    for n in 1..=100 {
        let reading = wild.judge(if n % 8 == 1 { 40.0 } else { 1.0 }, 500);
        assert_ne!(reading, Reading::WrongScale, "{n}");
    }
    assert_eq!(wild.beyond, 13);
}

#[test]
fn readings_that_are_never_learned_use_up_no_place_of_the_others() {
    let mut wild = begun();
    // 2 + 300/50 far samples can be held back.
    for _ in 0..20 {
        assert_eq!(judged(&mut wild, [2e3, 1.0]), [1, 1, 0, 0]);
    }
    assert_eq!(judged(&mut wild, [7.0, 1.0]), [1, 1, 0, 0]);
}

fn settled(values: &[f32]) -> Settling<f32, 1> {
    let mut settling = Settling::new(values.len() as u32);
    values.iter().for_each(|&value| settling.push(&[value]));
    settling
}

#[test]
fn six_values_have_one_wild_value_on_each_side() {
    // With two wild values on each side, all values would count as 5, and the spread would be zero.
    assert!(settled(&[0.0, 0.0, 5.0, 5.0, 9.0, 9.0]).scale().spread[0] > 3.0);
    assert_eq!(settled(&[-1e6, 5.0, 5.0, 5.0, 5.0, 1e6]).scale().spread, [0.0]);
}

#[test]
fn a_value_whose_square_overflows_is_missing() {
    let settling = settled(&[1e30, 1.0, 2.0, 3.0, 4.0, -1e30]);
    assert_eq!((settling.values, settling.scale().center), ([4], [3.0]));
}

#[test]
fn long_schedules_store_samples_at_even_intervals() {
    // The sixteenth of 20 stored samples is due when `seen` is 225,000,000. 15·`need` is above 2³² and needs 64 bits.
    let mut settling = Settling::<f32, 1>::new(300_000_000);
    settling.kept = 15;
    for (seen, kept) in [(214_748_300, 15), (224_999_999, 15), (225_000_000, 16)] {
        settling.seen = seen;
        settling.push(&[1.0]);
        assert_eq!(settling.kept, kept, "{seen}");
    }
}

#[test]
fn counts_that_disagree_are_refused() {
    let settling = settled(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(settling.validate(), Ok(()));
    let fewer_seen = Settling {
        seen: 4,
        ..settling.clone()
    };
    assert_eq!(fewer_seen.validate(), Err(CodecError::Count));
    let more_values = Settling {
        values: [6],
        ..settling
    };
    assert_eq!(more_values.validate(), Err(CodecError::Count));
}
