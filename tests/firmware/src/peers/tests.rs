//! Each tracker works as published; the losses on W1 are those of independent implementations.

use super::*;
use crate::workload::Shift;

const DIM: usize = 20;

/// The total loss on W1 with seed 1.
fn total_loss(mut peer: impl Peer<DIM>) -> f32 {
    let mut stream = Shift::<DIM>::new(1);
    (0..Shift::<DIM>::LENGTH)
        .map(|_| peer.step(&stream.next_sample()))
        .sum()
}

#[test]
fn the_losses_are_those_of_other_implementations() {
    for (name, loss, expected) in [
        ("GROUSE", total_loss(Grouse::<DIM, 2>::new(0.2)), 91.0),
        ("OPAST", total_loss(Opast::<DIM, 2>::new(6.0)), 98.0),
        ("rank 2", total_loss(IncrementalSvd::<DIM, 2, 2, 3>::new(6.0)), 94.0),
        ("rank 3", total_loss(IncrementalSvd::<DIM, 2, 3, 4>::new(8.0)), 91.0),
        ("MSG", total_loss(CappedMsg::<DIM, 2, 3, 4>::new(0.4)), 103.0),
    ] {
        assert!(
            (loss / expected - 1.0).abs() < 0.03,
            "{name}: {loss}, expected {expected}"
        );
    }
}

/// The largest error of the dot products of the directions, compared with those of orthonormal directions.
fn orthogonality<const RANK: usize>(basis: &[[f32; DIM]; RANK]) -> f32 {
    let mut worst = 0.0_f32;
    for row in 0..RANK {
        for column in 0..RANK {
            let expected = if row == column { 1.0 } else { 0.0 };
            worst = worst.max((dot(&basis[row], &basis[column]) - expected).abs());
        }
    }
    worst
}

#[test]
fn directions_stay_orthonormal() {
    let (mut grouse, mut opast) = (Grouse::<DIM, 2>::new(0.2), Opast::<DIM, 2>::new(6.0));
    let (mut svd, mut msg) = (
        IncrementalSvd::<DIM, 2, 3, 4>::new(8.0),
        CappedMsg::<DIM, 2, 3, 4>::new(0.4),
    );
    let mut stream = Shift::<DIM>::new(1);
    for _ in 0..Shift::<DIM>::LENGTH {
        let sample = stream.next_sample();
        grouse.step(&sample);
        opast.step(&sample);
        svd.step(&sample);
        msg.step(&sample);
        let worst = [
            orthogonality(&grouse.basis),
            orthogonality(&opast.basis),
            orthogonality(&svd.basis),
            orthogonality(&msg.basis),
        ];
        assert!(worst.iter().all(|&error| error < 1e-4), "{worst:?}");
        assert!(
            (msg.weights.iter().sum::<f32>() - 2.0).abs() < 1e-4,
            "{:?}",
            msg.weights
        );
    }
}

#[test]
fn an_incremental_decomposition_that_forgets_nothing_has_the_energy_of_all_samples() {
    let mut svd = IncrementalSvd::<3, 1, 3, 4>::new(f32::INFINITY);
    let mut energy = 0.0;
    for sample in [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0], [0.3, 0.3, -2.0], [2.0, 0.0, 1.0]] {
        svd.step(&sample);
        // Three directions hold all three channels, so the learner drops no energy but rounding errors.
        energy += dot(&sample, &sample);
        assert!((svd.values.iter().sum::<f32>() / energy - 1.0).abs() < 1e-5);
    }
}

#[test]
fn opast_still_learns_after_a_thousand_zero_samples() {
    let mut opast = Opast::<DIM, 2>::new(6.0);
    for _ in 0..1_000 {
        assert_eq!(opast.step(&[0.0; DIM]), 0.0);
    }
    let mut sample = [0.0; DIM];
    // The sample has an entry along the first direction: a sample orthogonal to all directions would rotate none.
    [sample[0], sample[5]] = [0.1, 1.0];
    let first = opast.step(&sample);
    for _ in 0..20 {
        opast.step(&sample);
    }
    assert!(opast.step(&sample) < 0.05 * first);
}
