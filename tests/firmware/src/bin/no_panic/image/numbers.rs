//! The number type, learning rates and bounds.

use core::hint::black_box;

use eigenstream::bounds::{Bounds, CenterStart, RegretMeter};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{RandomWords, Scalar, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::Number;
use super::codec::save;

#[inline(never)]
pub(super) fn scalar() {
    let (one, other) = (
        black_box(<Number as Scalar>::from_f64(black_box(0.5))),
        black_box(Number::from_usize(3)),
    );
    black_box((
        one.to_f64(),
        black_box(SettingsError::Share).message(),
        Scalar::abs(one),
        Scalar::sqrt(one),
        one.inverse_sqrt(),
        Scalar::is_finite(one),
    ));
    black_box(Number::uniform(&mut RandomWords::new(|| black_box(7))));
    black_box((
        Scalar::exp(one),
        Scalar::exp_m1(one),
        Scalar::ln(one),
        Scalar::floor(one),
    ));
    black_box((Scalar::max(one, other), Scalar::min(one, other), one.power_of_two()));
    black_box(one.is_within(black_box(Number::MIN_POSITIVE), other));
    black_box(Number::uniform(&mut black_box(Xoshiro128PlusPlus::seed_from_u64(1))));
}

#[inline(never)]
pub(super) fn bounds() {
    let (dim, keep, trials, loss): (_, _, _, Number) = black_box((20, 2, 100, 0.5));
    black_box((
        Bounds::<Number>::printed(dim, keep),
        Bounds::<Number>::dimension_free(keep),
    ));
    let _ = black_box(Bounds::<Number>::from_divergence(loss));
    let Ok(bounds) = Bounds::new(dim, keep).with_norm_bound(loss) else {
        return;
    };
    let _ = black_box(bounds.with_largest_energy(loss));
    let _ = black_box(
        bounds
            .with_excess(loss)
            .with_rounding(loss, loss, trials)
            .with_share(loss, trials, keep),
    );
    let start = black_box(CenterStart {
        inverse_rate: 1.0,
        distance: 0.5,
    });
    black_box((bounds.divergence(), bounds.learning_rate(loss), bounds.tuned_loss(loss)));
    black_box((bounds.loss(loss, loss), bounds.centered_loss(loss, loss, start, trials)));
    black_box(bounds.mean_centered_loss(loss, loss, loss, trials));
    black_box((bounds.lower(loss, loss), bounds.fresh_loss(loss, loss, trials)));
    let mut meter = black_box(RegretMeter::<Number>::new());
    meter.record(loss);
    save(&meter);
    black_box((
        meter.total_loss(),
        meter.mean_loss(),
        meter.trials(),
        meter.regret(loss),
        meter.within(loss),
    ));
}
