//! Every learner of the registry, with all its verbs.

use core::hint::black_box;

use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::types::*;
use eigenstream_registry::{Discard, Subject, learners};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::Number;
use super::codec::save;

/// Calls all learners with `N` channels, `N` stored points and `N` stored directions; `WIDE` = 3·`N`.
pub(super) fn every_learner<const N: usize, const WIDE: usize>() {
    macro_rules! run {
        ($name:literal, $learner:ty) => {
            subject::<$learner, N>();
        };
    }
    learners!(run for Number, DIM = N, KEEP = 1, RANK = N, WINDOW = N, POINTS = N, ROOM = N, WIDE = WIDE);
}

#[inline(never)]
fn subject<L: Subject<N, Number = Number>, const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let mut learner = black_box(L::fresh(black_box(0)));
    let _ = black_box(learner.trial(&sample, &mut rng, &mut Discard));
    let _ = black_box(learner.live(&sample, &mut rng, &mut Discard));
    let _ = black_box(learner.look(&sample, &mut Discard));
    let other = black_box(learner.clone());
    let _ = black_box(learner.join(&other));
    let _ = black_box(learner.start(&sample));
    save(&learner);
    black_box(learner.forget());
    black_box(learner);
}
