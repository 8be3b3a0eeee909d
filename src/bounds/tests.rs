//! Tests of single functions of `bounds/mod.rs`.

use super::*;

#[test]
fn the_exponential_minus_one_keeps_its_digits_for_small_powers() {
    assert_eq!(exp_minus_one(0.0_f32), 0.0);
    for step in 0..400_u16 {
        let power = 1e-12_f32 * 1.075_f32.powi(i32::from(step));
        let exact = f64::from(power).exp_m1();
        let error = f64::from(exp_minus_one(power)) / exact - 1.0;
        assert!(error.abs() < 4.0 * f64::from(f32::EPSILON), "{power}: {error}");
    }
}

#[test]
fn an_infinite_divergence_gives_an_infinite_bound() {
    let unknown = Bounds::<f64>::new(8, 3).with_excess(f64::NAN);
    assert_eq!([0.0, 1.0].map(|loss| unknown.tuned_loss(loss)), [f64::INFINITY; 2]);
    // The tuned learning rate is infinite too.
    let loss = |best| unknown.loss(best, unknown.learning_rate(best));
    assert_eq!([0.0, 1.0].map(loss), [f64::MAX; 2]);
}

#[test]
fn longer_samples_scale_every_bound_like_an_energy() {
    // If the samples are multiplied by 3, the losses are multiplied by 9 and the learning rates are divided by 9.
    let unit = Bounds::<f64>::new(8, 3);
    let long = Bounds {
        norm_bound: 3.0,
        ..unit
    };
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-14 * right;
    assert!(close(long.learning_rate(9.0 * 5.0), unit.learning_rate(5.0) / 9.0));
    assert!(close(long.tuned_loss(9.0 * 5.0), 9.0 * unit.tuned_loss(5.0)));
    assert!(close(long.loss(9.0 * 5.0, 0.7 / 9.0), 9.0 * unit.loss(5.0, 0.7)));
}

#[test]
fn the_tuned_rate_keeps_its_promise_wherever_it_is_tuned() {
    for (dim, keep) in [(2, 1), (20, 2), (20, 19), (400, 5)] {
        let bounds = Bounds::<f64>::new(dim, keep);
        for best_loss in [1e-6, 0.5, 30.0, 1e6] {
            let rate = bounds.learning_rate(best_loss);
            assert!(bounds.loss(best_loss, rate) <= bounds.tuned_loss(best_loss) * (1.0 + 1e-12));
        }
    }
}

#[test]
fn more_dimensions_never_cost_more_than_the_dimension_free_bound() {
    for dim in [3, 10, 1_000, 1_000_000] {
        assert!(Bounds::<f64>::new(dim, 2).divergence() < Bounds::<f64>::dimension_free(2).divergence());
        assert!(Bounds::<f32>::new(dim, 2).divergence() <= Bounds::<f32>::dimension_free(2).divergence());
    }
}

#[test]
fn the_printed_divergence_is_a_bound_for_half_of_the_directions_at_most() {
    for dim in [2, 4, 5, 20, 101] {
        for keep in 1..dim {
            let (printed, exact) = (Bounds::<f64>::printed(dim, keep), Bounds::<f64>::new(dim, keep));
            let is_bound = printed.divergence() >= exact.divergence() - 1e-12;
            assert_eq!(is_bound, 2 * keep <= dim, "{keep} of {dim}");
        }
    }
}

#[test]
fn single_precision_has_the_rate_of_double_for_any_loss() {
    for best_loss in [1e-30, 1.0, 1e6, 1e10, 1e16, 1e30] {
        let rate = Bounds::<f32>::new(20, 2).learning_rate(best_loss);
        let wanted = Bounds::<f64>::new(20, 2).learning_rate(f64::from(best_loss));
        let off = (f64::from(rate) / wanted - 1.0).abs();
        assert!(off < 1e-6, "loss {best_loss:e}: {rate:e}, not {wanted:e}");
    }
}

#[test]
fn a_centre_costs_what_the_formula_says() {
    let bounds = Bounds {
        norm_bound: 2.0,
        ..Bounds::<f64>::new(8, 3)
    };
    let start = CenterStart {
        inverse_rate: 4.0,
        distance: 3.0,
    };
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-13 * right;
    let moved = bounds.loss_from(bounds.divergence() + 0.7 * 4.0 * 3.0, 5.0, 0.7);
    // Q² = 4. The moving centre adds Q²·(1 + ln(1 + (trials − 1)/(η̃⁻¹ + 1))): for one trial the logarithm is zero, for
    // 11 trials it is ln(1 + 10/(4 + 1)) = ln 3.
    assert!(close(bounds.centered_loss(5.0, 0.7, start, 1), moved + 4.0));
    assert!(close(
        bounds.centered_loss(5.0, 0.7, start, 11),
        moved + 4.0 * (1.0 + 3.0_f64.ln())
    ));
    let mean = bounds.loss(5.0, 0.7) + 4.0 * 10.0_f64.ln() + 1.5 * 1.5;
    assert!(close(bounds.mean_centered_loss(5.0, 0.7, 1.5, 10), mean));
}

#[test]
fn a_share_costs_what_the_formula_says() {
    let (n, d, part, trials, segments) = (8.0_f64, 5.0, 0.01, 300, 4);
    let plain = Bounds::<f64>::new(8, 3);
    let shared = plain.with_share(part, trials, segments);
    let price = 3.0 * d * (n / (d * part)).ln() + 296.0 * d * (1.0 / (1.0 - part)).ln();
    assert!(shared.is_ok_and(|it| (it.divergence() - plain.divergence() - price).abs() < 1e-12));
    // The charge of the share α = 1e-9 is not lost, although 1 − α rounds to 1 in `f32`.
    let tiny = Bounds::<f32>::new(8, 3).with_share(1e-9, 1_000_000, 1);
    assert!(tiny.is_ok_and(|it| (it.divergence() - Bounds::<f32>::new(8, 3).divergence() - 5e-3).abs() < 1e-6));
}

#[test]
fn a_share_without_a_price_is_refused() {
    let bounds = Bounds::<f64>::new(8, 3);
    for part in [-0.1, 1.0, 2.0, f64::NAN] {
        assert_eq!(bounds.with_share(part, 10, 1), Err(SettingsError::Share));
    }
    assert_eq!(bounds.with_share(0.0, 10, 2), Err(SettingsError::Share));
    assert_eq!(bounds.with_share(0.0, 10, 1), Ok(bounds));
    assert_eq!(bounds.with_share(0.5, 0, 0), Ok(bounds));
    let free = Bounds::<f64>::dimension_free(3);
    assert_eq!(free.with_share(0.1, 10, 1), Err(SettingsError::Share));
    assert_eq!(
        Bounds::<f64>::new(3, 3)
            .with_share(0.1, 10, 2)
            .map(|it| it.divergence()),
        Ok(0.0)
    );
}

#[test]
fn an_energy_is_the_square_of_a_length() {
    let bounds = Bounds::<f64>::new(8, 3);
    let close = |left: f64, right: f64| (left - right).abs() <= 1e-14 * right;
    let by_length = bounds.with_norm_bound(3.0).map(|it| it.loss(5.0, 0.7));
    let by_energy = bounds.with_largest_energy(9.0).map(|it| it.loss(5.0, 0.7));
    assert!(by_length.is_ok_and(|length| by_energy.is_ok_and(|energy| close(energy, length))));
    for energy in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(bounds.with_largest_energy(energy), Err(SettingsError::NormBound));
    }
    assert_eq!(bounds.with_excess(-1.0), bounds);
    assert_eq!(bounds.with_excess(f64::NAN).loss(1.0, 0.5), f64::INFINITY);
}

#[test]
fn there_are_no_more_segments_than_trials() {
    let bounds = Bounds::<f64>::new(8, 3);
    assert_eq!(bounds.with_share(0.01, 2, 5), bounds.with_share(0.01, 2, 2));
}

#[test]
fn the_bound_of_the_energy_is_never_below_it() {
    for energy in (1..2_000).map(|i| 0.37 * i as f32) {
        let bounds = Bounds::<f32>::new(8, 3).with_largest_energy(energy);
        assert!(bounds.is_ok_and(|bounds| bounds.energy_bound() >= energy), "{energy}");
    }
}

#[test]
fn rounding_costs_as_much_as_with_sixteen_channels() {
    // The charge is the product of 10 trials, 2·5 dropped directions, the factor 16, ε and the evidence 3.
    let bounds = Bounds::<f64>::new(8, 3);
    let price = bounds.with_rounding(1e-3, 3.0, 10).divergence() - bounds.divergence();
    assert!((price - 10.0 * 10.0 * 16.0 * 1e-3 * 3.0).abs() < 1e-12, "{price}");
    let wide = Bounds::<f64>::new(20, 15);
    let price = wide.with_rounding(1e-3, 3.0, 10).divergence() - wide.divergence();
    assert!((price - 10.0 * 10.0 * 20.0 * 1e-3 * 3.0).abs() < 1e-12, "{price}");
}

#[test]
fn it_is_below_the_upper_bound_by_the_root_of_two_and_d() {
    let bounds = Bounds::<f64>::new(64, 60);
    for best_loss in [0.0, 1e-3, 10.0, 1e6] {
        let upper = bounds.tuned_loss(best_loss) - best_loss;
        let wanted = (upper - bounds.divergence()) / 2.0_f64.sqrt();
        assert!((bounds.lower(best_loss, 0.0) - wanted).abs() <= 1e-9 * (1.0 + wanted));
        assert!((bounds.lower(best_loss, 0.25) - 0.75 * wanted).abs() <= 1e-9 * (1.0 + wanted));
    }
    // The excess of a learner changes only the upper bounds.
    assert_eq!(bounds.with_excess(5.0).lower(10.0, 0.0), bounds.lower(10.0, 0.0));
    // The bound is zero if n/d < 2, if no direction is dropped, and if n is not known.
    let known = [Bounds::new(20, 2), Bounds::new(4, 4), Bounds::dimension_free(2)];
    assert_eq!(known.map(|it: Bounds<f64>| it.lower(10.0, 0.0)), [0.0; 3]);
    // The bound is zero for a slack of one or more, and for a negative loss.
    assert_eq!((bounds.lower(10.0, 2.0), bounds.lower(-1.0, 0.0)), (0.0, 0.0));
}
