//! Compares the closed forms with the general solver, trial by trial, on streams that reach every path and the limits
//! of every path.

use super::*;
use crate::rand_core::SeedableRng;
use nalgebra::SMatrix;
use rand_xoshiro::Xoshiro128PlusPlus;

const DIM: usize = 7;
const RANK: usize = 6;

/// The number of trials on each path. In closed form: `stayed` (KEEP directions are stored before and after the trial), `opened`
/// (KEEP before, KEEP + 1 after), `contested` (KEEP + 1 before and after), `settled` (KEEP + 1 before, KEEP after). With the
/// general solver: `general`.
#[derive(Default)]
struct Paths {
    stayed: u32,
    opened: u32,
    contested: u32,
    settled: u32,
    general: u32,
    /// The number of trials after which the closed form and the general solver store different numbers of directions.
    unlike: u32,
}

/// Returns the evidence matrix G.
fn whole<T: Scalar>(evidence: &Evidence<T, DIM, RANK>) -> SMatrix<f64, DIM, DIM> {
    let mut whole = SMatrix::<f64, DIM, DIM>::identity() * evidence.bulk().to_f64();
    for (value, direction) in evidence.values().iter().zip(evidence.directions()) {
        let direction = SMatrix::<f64, DIM, 1>::from(direction.map(Scalar::to_f64));
        whole += direction * direction.transpose() * (*value - evidence.bulk()).to_f64();
    }
    whole
}

/// Learns a sample in closed form, as a trial does. Returns false if a condition of the closed forms does not hold.
fn learn<T: Scalar, const KEEP: usize>(
    evidence: &mut Evidence<T, DIM, RANK>,
    sample: &[T; DIM],
    energy: T,
    update: &Update<T>,
    factor: T,
) -> bool {
    evidence.bulk_drop() >= T::ONE
        && (evidence.follow::<KEEP>(sample, energy, update, factor).is_some()
            || evidence
                .glance::<KEEP>(sample, energy)
                .is_some_and(|glance| evidence.learn_closed::<KEEP>(sample, &glance, energy, update, factor)))
}

/// Runs a stream of 900 samples. Compares each trial in closed form with the general solver, both from the same state.
/// `tolerance` is the largest allowed difference of the evidence matrices G, in units of ε·(m + η‖x‖²), where m is the largest
/// magnitude of an entry of G.
fn agree<T: Scalar, const KEEP: usize>(update: &Update<T>, size: f64, noise: f64, tolerance: f64) -> Paths {
    let mut paths = Paths::default();
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(11);
    let mut symmetric = move || 2.0 * f64::uniform(&mut rng) - 1.0;
    let mut evidence = Evidence::<T, DIM, RANK>::new();
    evidence.begin(KEEP);
    let mut bases = [[0.0; DIM]; 3];
    let factor = T::from_f64(1.0 / (size * size));
    for trial in 0..900 {
        if trial % 150 == 0 {
            bases = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
        }
        // The samples have two strong directions and a third one, which is strong for KEEP = 3 and otherwise at most a
        // fifth of the noise. For KEEP = 2 the noise makes the learner store one more direction, in some trials or in
        // most.
        let third = if KEEP == 3 { 0.9 } else { 0.2 * noise };
        let weights = [symmetric(), 0.8 * symmetric(), third * symmetric()];
        let sample: [T; DIM] = core::array::from_fn(|i| {
            let clean: f64 = (0..3).map(|j| weights[j] * bases[j][i]).sum();
            T::from_f64(size * (clean + noise * symmetric()))
        });
        let energy = sample.iter().fold(T::ZERO, |sum, &entry| sum + entry * entry);
        let mut split = evidence.split(&sample, energy);
        let mut general = evidence.clone();
        general.learn(&mut split, energy, KEEP, update, factor);
        let before = evidence.rank();
        let closed = learn::<T, KEEP>(&mut evidence, &sample, energy, update, factor);
        if closed {
            let (new, old) = (whole(&evidence), whole(&general));
            // The rounding error is relative to G + ηxxᵀ, before the threshold is subtracted.
            let largest = old.abs().max() + (update.rate * factor * energy).to_f64();
            let error = (new - old).abs().max() / (T::EPSILON.to_f64() * largest);
            assert!(
                error <= tolerance,
                "rate {}, size {size}, noise {noise}, trial {trial}, {before} directions: G differs by {error} ε",
                update.rate
            );
            // Merging removes a stored direction with negligible evidence and adds to the excess. Near the limit of merging,
            // rounding can have the effect that only one of the two solvers merges the direction.
            let charge = (evidence.excess() - general.excess()).to_f64().abs();
            let rounding = 8.0 * T::EPSILON.to_f64() * (1.0 + general.excess().to_f64());
            let merging = 8.0 * update.ceiling_drop.to_f64();
            let alike = evidence.rank() == general.rank();
            assert!(
                charge <= if alike { rounding } else { merging },
                "trial {trial}: {charge}"
            );
            paths.unlike += u32::from(!alike);
            match (before == KEEP, evidence.rank() == KEEP) {
                (true, true) => paths.stayed += 1,
                (true, false) => paths.opened += 1,
                (false, false) => paths.contested += 1,
                (false, true) => paths.settled += 1,
            }
        } else {
            paths.general += 1;
        }
        // Continue from the state of the general solver, so that errors do not add up. Both solvers then have the same excess.
        evidence = general;
        if trial % 32 == 0 {
            evidence.tidy();
        }
    }
    paths
}

fn update<T: Scalar>(rate: f64, ceiling: f64) -> Update<T> {
    let ceiling = T::from_f64(ceiling);
    Update {
        rate: T::from_f64(rate),
        ceiling,
        ceiling_drop: (-ceiling).exp(),
        share: T::ZERO,
    }
}

#[test]
fn every_closed_form_is_the_general_solver_to_rounding() {
    let (mut stayed, mut opened, mut contested, mut settled, mut general, mut unlike) = (0, 0, 0, 0, 0, 0);
    let mut three_stayed = 0;
    for (rate, noise) in [
        (1.0, 0.1),
        (3.0, 0.05),
        (3.0, 0.3),
        (0.3, 0.2),
        (30.0, 0.1),
        (3.0, 1e-3),
        (3.0, 0.0),
    ] {
        for size in [1.0, 1e-6, 1e7] {
            for paths in [
                agree::<f32, 1>(&update(rate, 14.0), size, noise, 256.0),
                agree::<f32, 2>(&update(rate, 14.0), size, noise, 256.0),
                agree::<f64, 1>(&update(rate, 14.0), size, noise, 1024.0),
                agree::<f64, 2>(&update(rate, 14.0), size, noise, 1024.0),
                // With a ceiling of 36, e^(−ceiling) is about ε of `f64`. With 14, e^(−ceiling) is about 7 ε of `f32`.
                agree::<f64, 2>(&update(rate, 36.0), size, noise, 1024.0),
            ] {
                stayed += paths.stayed;
                opened += paths.opened;
                contested += paths.contested;
                settled += paths.settled;
                general += paths.general;
                unlike += paths.unlike;
            }
            // For KEEP = 3 there is only the closed form `steady`.
            for paths in [
                agree::<f32, 3>(&update(rate, 14.0), size, noise, 256.0),
                agree::<f64, 3>(&update(rate, 14.0), size, noise, 1024.0),
                agree::<f64, 3>(&update(rate, 36.0), size, noise, 1024.0),
            ] {
                assert_eq!((paths.opened, paths.contested, paths.settled), (0, 0, 0));
                assert!(
                    100 * paths.unlike <= paths.stayed,
                    "{} of {}",
                    paths.unlike,
                    paths.stayed
                );
                three_stayed += paths.stayed;
            }
        }
    }
    let all = [stayed, opened, contested, settled, general];
    assert!(all.into_iter().all(|count| count > 150), "{all:?}");
    let total: u32 = all.into_iter().sum();
    assert!(100 * unlike < total, "{unlike} of {total}");
    assert!(three_stayed > 5_000, "{three_stayed}");
}

#[test]
fn conditions_that_do_not_hold_change_nothing() {
    let update = update::<f32>(3.0, 14.0);
    let mut evidence = Evidence::<f32, DIM, RANK>::new();
    evidence.begin(1);
    for _ in 0..40 {
        let sample = [0.6, 0.0, 0.8, 0.01, 0.0, 0.0, 0.0];
        let mut split = evidence.split(&sample, 1.0001);
        evidence.learn(&mut split, 1.0001, 1, &update, 1.0);
    }
    let shared = Update { share: 0.1, ..update };
    for (size, update, factor) in [
        (1e25, update, 1.0),
        (1e-25, update, 1e25),
        (1.0, update, 1e30),
        (1.0, shared, 1.0),
    ] {
        let sample = [size, size, 0.0, 0.0, 0.0, 0.0, 0.0];
        let energy = (2.0 * size * size).min(f32::MAX);
        let before = (whole(&evidence), evidence.excess(), evidence.rank());
        let learned = learn::<f32, 1>(&mut evidence, &sample, energy, &update, factor);
        assert!(!learned, "size {size}, factor {factor}");
        assert_eq!(before, (whole(&evidence), evidence.excess(), evidence.rank()));
    }
}

#[test]
fn a_third_direction_of_the_size_of_rounding_needs_no_general_solver() {
    // Without noise, two directions at the ceiling can leave a third one with less evidence than the threshold would subtract.
    let update = update::<f32>(3.0, 14.0);
    let mut evidence = Evidence::<f32, DIM, RANK>::new();
    evidence.begin(2);
    (evidence.bulk, evidence.bulk_drop, evidence.rank) = (0.0, 1.0, 3);
    for (i, value) in [14.0, 13.5, 4.0 * f32::EPSILON].into_iter().enumerate() {
        evidence.directions[(i, i)] = 1.0;
        (evidence.values[i], evidence.drops[i]) = (value, (-value).exp());
    }
    let sample = [0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut general = evidence.clone();
    general.learn(&mut general.split(&sample, 1.0), 1.0, 2, &update, 1.0);
    assert!(learn::<f32, 2>(&mut evidence, &sample, 1.0, &update, 1.0));
    assert!((whole(&evidence) - whole(&general)).abs().max() < 64.0 * f64::from(f32::EPSILON));
    assert_eq!((evidence.rank, general.rank, evidence.bulk_drop), (3, 3, 1.0));
    assert!((evidence.values[2] - general.values[2]).abs() < 2.0 * f32::EPSILON);
    assert!((evidence.excess() - general.excess()).abs() < 4.0 * f32::EPSILON);
}

#[test]
fn a_sample_inside_the_kept_directions_needs_no_general_solver() {
    // The checks take one, two or three kept directions and a sample in their span. The column after these directions
    // is not in use, so NaN in it must not matter.
    fn check<const KEEP: usize>() {
        let update = update::<f32>(3.0, 14.0);
        let mut evidence = Evidence::<f32, DIM, RANK>::new();
        evidence.begin(KEEP);
        (evidence.bulk, evidence.bulk_drop, evidence.rank) = (0.0, 1.0, KEEP as u32);
        let mut sample = [0.0; DIM];
        for i in 0..KEEP {
            let value = 14.0 - 0.01 * i as f32;
            evidence.directions[(i, i)] = 1.0;
            (evidence.values[i], evidence.drops[i]) = (value, (-value).exp());
            sample[i] = 0.5;
        }
        evidence.directions.data.0[KEEP] = [f32::NAN; DIM];
        let energy = 0.25 * KEEP as f32;
        let mut general = evidence.clone();
        general.learn(&mut general.split(&sample, energy), energy, KEEP, &update, 1.0);
        assert!(learn::<f32, KEEP>(&mut evidence, &sample, energy, &update, 1.0));
        let difference = (whole(&evidence) - whole(&general)).abs().max();
        assert!(difference < 64.0 * f64::from(f32::EPSILON), "{KEEP}: {difference}");
        assert_eq!(evidence.rank(), KEEP);
    }
    check::<1>();
    check::<2>();
    check::<3>();
}
