//! Weight vectors, experts and sets.

use core::hint::black_box;

use eigenstream::pca::Share;
use eigenstream::rand_core::SeedableRng;
use eigenstream::weights::{
    Bulk, Corner, Corners, FollowTheLeader, Hedge, HedgeSettings, PerturbedLeader, Subset, SubsetExperts, cap, cap_log,
    keep_probability, softmin, systematic, threshold,
};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::Number;
use super::codec::save;

/// Functions on weight vectors whose length is known only at run time.
#[inline(never)]
pub(super) fn weights<const N: usize>() {
    let set_size = black_box(2_usize);
    let uniform = black_box::<Number>(0.5);
    let mut vector = black_box::<[Number; N]>([0.25; N]);
    let mut result = black_box::<[Number; N]>([0.0; N]);
    let (Some(vector), Some(result)) = (vector.get_mut(..black_box(N)), result.get_mut(..black_box(N))) else {
        return;
    };
    let _ = black_box(softmin(vector, uniform, None, result));
    let _ = black_box(softmin(vector, uniform, Some(&black_box([1.0; N])), result));
    let _ = black_box(cap_log(vector, set_size, result));
    let _ = black_box(cap(vector, set_size));
    let bulk = black_box(Bulk {
        value: 0.1,
        multiplicity: 3,
    });
    black_box(threshold(result, bulk, set_size));
    black_box(keep_probability(uniform, uniform));
    let _ = black_box(systematic::<Number, N>(vector, set_size, uniform)).map(|set| read(&set));
    if let Ok(corners) = black_box(Corners::<Number, N>::new(vector, set_size)) {
        read(&black_box(corners.clone().draw(uniform)));
        for corner in corners {
            let corner: Corner<Number, N> = black_box(corner);
            black_box(corner.probability());
            read(black_box(corner.members()));
        }
    }
    black_box((vector, result));
}

#[inline(never)]
pub(super) fn experts<const N: usize>() {
    let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
    let set_size = black_box(2_usize);
    let losses = black_box::<[Number; N]>([0.25; N]);
    let share = black_box(Share::PastAverage(0.125));
    if let Ok(settings) = black_box(
        HedgeSettings::new(black_box::<Number>(0.5))
            .and_then(|settings| settings.with_set_size(set_size)?.with_share(share)),
    ) {
        let mut hedge = black_box(Hedge::<Number, N>::new(settings));
        let _ = black_box(hedge.step(&losses));
        black_box(hedge.weights());
        let _ = black_box(hedge.start_from(&losses));
        read(&black_box(hedge.draw(&mut rng)));
        save(&hedge);
        hedge.reset();
        black_box(hedge);
    }
    if let Ok(experts) = black_box(SubsetExperts::<Number, N>::new(&losses, set_size)) {
        black_box(experts.partition());
        experts.marginals(&mut black_box([0.0; N]));
        read(&black_box(experts.sample(|| black_box(0.5))));
        read(&black_box(experts.draw(&mut rng)));
    }
    if let Ok(experts) = black_box(SubsetExperts::<Number, N>::from_logarithms(&losses, set_size)) {
        black_box(experts.partition());
    }
    let perturbed = black_box(PerturbedLeader::<Number, N>::new(HedgeSettings::DEFAULT));
    read(&black_box(perturbed.draw(&mut rng)));
    let mut leader = black_box(FollowTheLeader::<Number, N>::new());
    let _ = black_box(leader.learn(&losses));
    black_box(leader.cumulative_losses());
    read(&black_box(leader.leaders(set_size)));
    read(&black_box(leader.perturbed_leaders(&losses, set_size)));
    save(&leader);
    leader.reset();
    black_box(leader);
}

pub(super) fn read<const N: usize>(set: &Subset<N>) {
    let mut copy = black_box(Subset::<N>::new());
    for member in set.iter() {
        black_box(copy.insert(member));
    }
    black_box(copy.contains(black_box(1)));
    black_box(copy.is_empty());
    black_box(copy.len());
}
