//! The excess and the bound that TrackingPca and DensityPca report hold with every setting, also where the bound of the paper fails.

#![expect(clippy::unwrap_used, reason = "an error is a failed test")]

#[path = "firmware/src/streams.rs"]
#[expect(dead_code, unreachable_pub, reason = "the firmware uses all of them")]
mod streams;

use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{DensityPca, DensitySettings, Share, TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Eigen;
use eigenstream::weights::{Bulk, threshold};
use eigenstream::{Codec, EnergyScale, Learner, Scalar, ScaleSettings};
use rand_xoshiro::Xoshiro128PlusPlus;
use streams::{Observed, Stream};

fn regular<const DIM: usize>(observed: Observed<DIM>) -> [f32; DIM] {
    match observed {
        Observed::Counted(sample) | Observed::Uncounted(sample) => sample,
    }
}

fn axis<const DIM: usize>(index: usize) -> [f64; DIM] {
    core::array::from_fn(|i| f64::from(i == index))
}

fn energy(sample: &[f64]) -> f64 {
    sample.iter().map(|value| value * value).sum()
}

/// Sums of losses and scatters: multiplied by the factor of `scale`, and as they are (`plain`).
struct Totals<const DIM: usize> {
    scale: EnergyScale<f64>,
    total: f64,
    plain: f64,
    largest: f64,
    scatter: SMatrix<f64, DIM, DIM>,
    plain_scatter: SMatrix<f64, DIM, DIM>,
}

impl<const DIM: usize> Totals<DIM> {
    fn new(scale: ScaleSettings<f64>) -> Self {
        Self {
            scale: EnergyScale::new(scale),
            total: 0.0,
            plain: 0.0,
            largest: 0.0,
            scatter: SMatrix::zeros(),
            plain_scatter: SMatrix::zeros(),
        }
    }

    fn trial(&mut self, learner: &mut impl Learner<f64, DIM>, sample: &[f64; DIM]) {
        let loss = learner.score(sample).unwrap();
        learner.learn(sample).unwrap();
        self.scale.observe(energy(sample));
        let factor = self.scale.factor();
        self.total += factor * loss;
        self.plain += loss;
        self.largest = self.largest.max(factor * energy(sample));
        let vector = SMatrix::<f64, DIM, 1>::from(*sample);
        self.scatter += vector * vector.transpose() * factor;
        self.plain_scatter += vector * vector.transpose();
    }
}

fn best_loss<const DIM: usize>(scatter: &SMatrix<f64, DIM, DIM>, keep: usize) -> f64 {
    let mut eigen = Eigen::<f64, DIM>::new();
    let _ = eigen.decompose(scatter).unwrap();
    eigen.values().iter().skip(keep).sum()
}

/// The tracking learner, computed on the full evidence matrix. Its rank cap lets fewer than `rank` directions exceed
/// the smallest evidence.
struct FullMatrix<const DIM: usize> {
    evidence: SMatrix<f64, DIM, DIM>,
    keep: usize,
    rank: usize,
    rate: f64,
    ceiling: f64,
    excess: f64,
}

impl<const DIM: usize> FullMatrix<DIM> {
    /// Learns the sample; returns its expected loss.
    fn step(&mut self, sample: &[f64; DIM]) -> f64 {
        let x = SMatrix::<f64, DIM, 1>::from(*sample);
        let loss = (x.transpose() * self.map(|value| (-value).exp()) * x)[0];
        self.evidence += x * x.transpose() * self.rate;
        let dropped = (DIM - self.keep) as f64;
        let mut eigen = Eigen::<f64, DIM>::new();
        let _ = eigen.decompose(&self.evidence).unwrap();
        let mut values = *eigen.values();
        let lower = |values: &mut SMatrix<f64, DIM, 1>, keep| {
            let tau = threshold(values.as_slice(), Bulk::NONE, keep);
            *values = values.map(|value| (value - tau).max(0.0));
            tau
        };
        let _ = lower(&mut values, self.keep);
        let bulk = values[DIM - 1];
        let shift = values[self.rank - 1] - bulk;
        if self.rank < DIM && shift > 1e-12 {
            for value in values.iter_mut() {
                *value = (*value - shift).max(bulk);
            }
            // `lower` returns a threshold τ < 0: the cap has multiplied the sum of the drop probabilities by e^(−τ).
            self.excess += dropped * -lower(&mut values, self.keep);
        }
        let clipped = values.map(|value| value.min(self.ceiling));
        let rise: f64 = clipped.map(|value| (-value).exp()).sum() - values.map(|value| (-value).exp()).sum();
        self.excess += rise * (1.0 + 1.0 / dropped);
        self.evidence = eigen.vectors() * SMatrix::from_diagonal(&clipped) * eigen.vectors().transpose();
        loss
    }

    fn map(&self, function: impl Fn(f64) -> f64) -> SMatrix<f64, DIM, DIM> {
        let mut eigen = Eigen::<f64, DIM>::new();
        let _ = eigen.decompose(&self.evidence).unwrap();
        eigen.vectors() * SMatrix::from_diagonal(&eigen.values().map(function)) * eigen.vectors().transpose()
    }
}

fn caps_like_the_full_matrix<const DIM: usize, const KEEP: usize, const RANK: usize>(rate: f64, ceiling: f64) {
    let settings = TrackingSettings::unscaled(rate).unwrap().with_ceiling(ceiling).unwrap();
    let mut pca = TrackingPca::<f64, DIM, KEEP, RANK>::new(settings);
    let mut full = FullMatrix::<DIM> {
        evidence: SMatrix::identity() * (DIM as f64 / (DIM - KEEP) as f64).ln(),
        keep: KEEP,
        rank: RANK,
        rate,
        ceiling,
        excess: 0.0,
    };
    let mut stream = Stream::Noisy.samples::<DIM>(5);
    for trial in 0..200 {
        let sample = regular(stream.next_sample()).map(f64::from);
        let score = pca.score(&sample).unwrap();
        let wanted = full.step(&sample);
        pca.learn(&sample).unwrap();
        assert!((score - wanted).abs() < 1e-8, "trial {trial}: {score}, not {wanted}");
        let off = pca.excess() - full.excess;
        assert!(off.abs() < 1e-7, "trial {trial}: {}, not {}", pca.excess(), full.excess);
    }
    assert!(
        RANK == DIM || full.excess > 0.1,
        "the rank cap was hardly used: {}",
        full.excess
    );
}

#[test]
fn the_rank_cap_equals_that_of_the_full_matrix() {
    for ceiling in [1e9, 9.0, 2.0] {
        caps_like_the_full_matrix::<8, 2, 4>(0.4, ceiling);
        caps_like_the_full_matrix::<9, 1, 3>(0.2, ceiling);
        caps_like_the_full_matrix::<10, 3, 6>(0.1, ceiling);
        caps_like_the_full_matrix::<8, 2, 8>(0.5, ceiling);
    }
}

/// Learns six axes in rotation, then a seventh. Returns after how many samples of the seventh axis its loss is below
/// 1/2, at most 5,000.
fn samples_until_known<const RANK: usize>(settings: TrackingSettings<f64>, before: usize) -> usize {
    let mut pca = TrackingPca::<f64, 12, 2, RANK>::new(settings);
    for trial in 0..before {
        pca.learn(&axis(trial % 6)).unwrap();
    }
    let mut samples = 0;
    while samples < 5_000 && pca.score(&axis(6)).unwrap() >= 0.5 {
        pca.learn(&axis(6)).unwrap();
        samples += 1;
    }
    samples
}

#[test]
fn a_new_axis_is_learned_at_a_small_rank() {
    // A rank cap that removed only the last direction could remove the seventh axis again in every trial.
    let settings = TrackingSettings::unscaled(0.05).unwrap();
    for before in [60, 300, 600, 6_000] {
        for settings in [settings, settings.without_ceiling()] {
            let [four, six] = [
                samples_until_known::<4>(settings, before),
                samples_until_known::<6>(settings, before),
            ];
            assert!(four < 60 && six < 60, "{before} samples before: {four} and {six}");
        }
    }
}

#[test]
fn a_small_rank_loses_little_on_every_stream() {
    // Total losses on each stream at RANK 6 and RANK 4, with an earlier rank cap that removed only the last direction.
    let before: [[f64; 2]; 10] = [
        [104.04014, 104.14641],
        [484.65908, 484.64802],
        [687.22640, 687.12515],
        [83.16135, 83.12182],
        [281.31882, 281.26970],
        [113.34709, 113.33644],
        [55.90975, 55.96896],
        [55.96749, 56.04120],
        [33.92695, 34.07304],
        [33.81049, 33.95809],
    ];
    fn total<const RANK: usize>(stream: Stream) -> f64 {
        let mut pca = TrackingPca::<f32, 20, 2, RANK>::new(TrackingSettings::new(1.0).unwrap());
        let mut samples = stream.samples::<20>(3);
        let mut total = 0.0;
        for _ in 0..stream.length() {
            let sample = match samples.next_sample() {
                Observed::Counted(sample) => {
                    total += f64::from(pca.score(&sample).unwrap());
                    sample
                }
                Observed::Uncounted(sample) => sample,
            };
            pca.learn(&sample).unwrap();
        }
        total
    }
    for (kind, before) in Stream::ALL.into_iter().zip(before) {
        for (now, before) in [total::<6>(kind), total::<4>(kind)].into_iter().zip(before) {
            assert!(now <= 1.01 * before, "{kind:?}: {now}, before {before}");
        }
    }
}

#[test]
fn a_small_rank_stays_within_its_bound_after_a_new_axis() {
    let rate = 0.05;
    let mut pca = TrackingPca::<f64, 12, 2, 4>::new(TrackingSettings::unscaled(rate).unwrap());
    let mut totals = Totals::<12>::new(ScaleSettings::OFF);
    for trial in 0..5_600 {
        let sample = if trial < 600 { axis(trial % 6) } else { axis(6) };
        totals.trial(&mut pca, &sample);
    }
    let best = best_loss(&totals.scatter, 2);
    let bound = Bounds::<f64>::new(12, 2).with_excess(pca.excess()).loss(best, rate);
    assert!((best - 500.0).abs() < 1e-9, "{best}");
    assert!(
        totals.total <= bound && totals.total < 700.0,
        "{} against {bound}",
        totals.total
    );
}

#[test]
fn a_uniform_share_adds_to_the_bound() {
    // The best subspace loses nothing, so [WK08] Theorem 6, without a share, allows only the total loss 1.365.
    let share = Share::Uniform(1e-3);
    let trials = 10_000;
    let dense = DensitySettings::new(1.0).unwrap().with_share(share).unwrap();
    let lean = TrackingSettings::unscaled(1.0).unwrap().with_share(share).unwrap();
    let mut dense = DensityPca::<f64, 4, 1>::new(dense);
    let mut lean = TrackingPca::<f64, 4, 1, 3>::new(lean);
    let [mut dense_total, mut lean_total] = [0, 0].map(|_| Totals::<4>::new(ScaleSettings::OFF));
    for _ in 0..trials {
        dense_total.trial(&mut dense, &axis(0));
        lean_total.trial(&mut lean, &axis(0));
    }
    let paper = Bounds::<f64>::new(4, 1).loss(0.0, 1.0);
    assert!((paper - 1.365).abs() < 1e-3, "{paper}");
    for (total, excess) in [(dense_total.total, dense.excess()), (lean_total.total, lean.excess())] {
        assert!((total - 13.1).abs() < 1.5, "{total}");
        let bounds = Bounds::<f64>::new(4, 1).with_excess(excess);
        let certified = bounds.with_share(1e-3, trials, 1).unwrap().loss(0.0, 1.0);
        assert!(total > paper && total <= certified, "{total}, certified {certified}");
    }
}

#[test]
fn a_share_of_the_past_adds_as_much_to_the_bound_as_a_uniform_one() {
    for share in [Share::PastAverage(0.02), Share::PastPosteriors(0.02)] {
        for ceiling in [3.0, 14.0] {
            let settings = DensitySettings::new(0.7).unwrap().with_share(share).unwrap();
            let mut pca = DensityPca::<f64, 5, 2>::new(settings.with_ceiling(ceiling).unwrap());
            let mut totals = Totals::<5>::new(ScaleSettings::OFF);
            for trial in 0..400 {
                totals.trial(&mut pca, &axis(trial / 50 % 5));
            }
            let best = best_loss(&totals.scatter, 2);
            let bounds = Bounds::<f64>::new(5, 2).with_excess(pca.excess());
            let certified = bounds.with_share(0.02, 400, 1).unwrap().loss(best, 0.7);
            assert!(
                totals.total <= certified,
                "{share:?}: {} above {certified}",
                totals.total
            );
        }
    }
}

#[test]
fn with_a_running_scale_the_bound_holds_for_scaled_losses() {
    // Every tenth sample has length 1, the others 0.01. The plain losses, without the scale, exceed the bound.
    let mut pca = TrackingPca::<f64, 4, 2, 4>::new(TrackingSettings::DEFAULT);
    let mut totals = Totals::<4>::new(ScaleSettings::DEFAULT);
    for trial in 0..11_000 {
        let scores: [f64; 4] = core::array::from_fn(|i| pca.score(&axis(i)).unwrap());
        let worst = (0..4).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        let length = if trial % 10 == 9 { 1.0 } else { 1e-2 };
        totals.trial(&mut pca, &axis(worst).map(|entry| entry * length));
    }
    let bounds = Bounds::<f64>::new(4, 2);
    let paper = bounds.loss(best_loss(&totals.plain_scatter, 2), 1.0);
    assert!(totals.plain > paper, "{} is within {paper}", totals.plain);
    let certified = bounds.with_largest_energy(totals.largest).unwrap();
    let certified = certified
        .with_excess(pca.excess())
        .loss(best_loss(&totals.scatter, 2), 1.0);
    assert!(totals.total <= certified, "{} above {certified}", totals.total);
}

#[test]
fn a_tiny_share_of_the_past_stays_within_its_bound() {
    // The directions are slightly shorter than one, so that rounding makes no sample longer than one.
    let directions = [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]]
        .map(|signs| signs.map(|sign: f64| 0.499_999_9 * sign));
    for part in [1e-100, 1e-30, 1e-20] {
        let settings = DensitySettings::new(0.1).unwrap();
        let share = Share::PastAverage(part);
        let mut pca = DensityPca::<f64, 4, 2>::new(settings.with_share(share).unwrap());
        let (mut total, mut trials) = (0.0, 0);
        // In its 3,000 repetitions, the first direction falls in the density matrix to the tiny weight that the share
        // adds: `part` times the mean of the earlier density matrices.
        for (direction, count) in [(0, 380), (1, 380), (0, 3_000), (2, 1_500)] {
            for _ in 0..count {
                total += pca.score(&directions[direction]).unwrap();
                pca.learn(&directions[direction]).unwrap();
            }
            trials += count;
        }
        let bounds = Bounds::<f64>::new(4, 2).with_share(part, trials, 1).unwrap();
        let bound = bounds.with_excess(pca.excess()).loss(380.0, 0.1);
        assert!(total <= bound, "share {part}: {total} above {bound}");
    }
}

#[test]
fn the_excess_is_zero_without_ceiling_and_rank_cap() {
    fn none<T: Scalar>() {
        let settings = TrackingSettings::unscaled(T::HALF).unwrap().without_ceiling();
        let mut pca = TrackingPca::<T, 8, 2, 8>::new(settings);
        let mut dense = DensityPca::<T, 8, 2>::new(DensitySettings::DEFAULT);
        let mut stream = Stream::Shift.samples::<8>(2);
        for _ in 0..1_000 {
            let sample = regular(stream.next_sample()).map(|value| T::from_f64(f64::from(value)));
            pca.learn(&sample).unwrap();
            dense.learn(&sample).unwrap();
        }
        assert_eq!((pca.excess(), dense.excess()), (T::ZERO, T::ZERO));
    }
    none::<f32>();
    none::<f64>();
}

#[test]
fn both_learners_count_the_ceiling_alike() {
    // The ceiling raises the sum of exp(−evidence). The excess grows by 2 times this rise in `DensityPca`, and by 1 +
    // 1/4 times, for four dropped directions, in `TrackingPca`.
    let mut lean =
        TrackingPca::<f64, 6, 2, 6>::new(TrackingSettings::unscaled(0.8).unwrap().with_ceiling(3.0).unwrap());
    let mut dense = DensityPca::<f64, 6, 2>::new(DensitySettings::new(0.8).unwrap().with_ceiling(3.0).unwrap());
    let mut stream = Stream::Shift.samples::<6>(4);
    for _ in 0..300 {
        let sample = regular(stream.next_sample()).map(f64::from);
        lean.learn(&sample).unwrap();
        dense.learn(&sample).unwrap();
    }
    let (lean, dense) = (lean.excess() / 1.25, dense.excess() / 2.0);
    assert!(dense > 1.0 && (lean - dense).abs() < 1e-8, "{lean} and {dense}");
}

#[test]
fn the_excess_never_falls_is_saved_and_is_reset() {
    let settings = TrackingSettings::unscaled(1.0_f32).unwrap().with_ceiling(4.0).unwrap();
    let mut pca = TrackingPca::<f32, 6, 2, 4>::new(settings);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(8);
    let mut last = 0.0;
    for _ in 0..500 {
        let sample: [f32; 6] = core::array::from_fn(|_| f32::uniform(&mut rng) - 0.5);
        pca.learn(&sample).unwrap();
        assert!(pca.excess() >= last && pca.excess().is_finite());
        last = pca.excess();
    }
    assert!(last > 1.0);
    let mut image = [0; TrackingPca::<f32, 6, 2, 4>::ENCODED_LEN];
    pca.encode(&mut image).unwrap();
    let mut restored = TrackingPca::<f32, 6, 2, 4>::decode(&image).unwrap();
    assert_eq!(restored.excess(), last);
    restored.reset();
    assert_eq!(restored.excess(), 0.0);
}
