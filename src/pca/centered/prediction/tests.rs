//! Tests of single functions of `prediction.rs`.

use super::*;
use crate::spectrum::symmetric::{add_outer, multiply, scale_upper};
use crate::spectrum::vector::{add_scaled, dot};

/// A change without content: with fewer than six channels `refresh` does not read it.
fn from_nothing<const DIM: usize>() -> Change<'static, f32, DIM> {
    Change {
        retention: 1.0,
        weight: 0.0,
        sample: &[0.0; DIM],
        energy: 0.0,
        number: 0,
    }
}

#[test]
fn evidence_far_beyond_its_own_rounding_still_sums_to_keep() {
    // Learning rate times eigenvalue is 7·10⁶ in all four directions. In `f32`, numbers of this size have a spacing of one
    // half. The keep probabilities must still be 2/4.
    let mut prediction = Prediction::<f32, 4, 2>::new(ReadOut::Randomized);
    prediction.refresh(&(SMatrix::identity() * 7.0), from_nothing(), 1e6);
    for probability in prediction.probabilities() {
        assert!((probability - 0.5).abs() < 1e-6);
    }
}

#[test]
fn values_are_followed_by_zeros_up_to_the_end() {
    let mut target = [7.0_f32; 3];
    overwrite(&mut target, &[1.0]);
    assert_eq!(target, [1.0, 0.0, 0.0]);
    overwrite(&mut target, &[1.0, 2.0, 3.0]);
    assert_eq!(target, [1.0, 2.0, 3.0]);
    overwrite(&mut target, &[]);
    assert_eq!(target, [0.0; 3]);
}

#[test]
fn a_reset_prediction_is_a_new_one() {
    for read_out in [ReadOut::Randomized, ReadOut::Leader] {
        let mut prediction = Prediction::<f32, 3, 1>::new(read_out);
        prediction.refresh(&SMatrix::repeat(1.0), from_nothing(), 1.0);
        prediction.reset();
        let fresh = Prediction::<f32, 3, 1>::new(read_out);
        assert_eq!(prediction.directions().count(), 3);
        assert!(prediction.directions().eq(fresh.directions()));
        assert_eq!(prediction.eigenvalues(), fresh.eigenvalues());
    }
}

/// Compares `follow` with `find` on a scatter that is updated sample by sample. The two strong directions of the samples
/// change after half of the trials.
fn followed_and_found_agree<T: Scalar>(read_out: ReadOut, retention: f64, tolerance: f64) {
    const DIM: usize = 16;
    let mut scatter = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM]));
    let mut followed = Prediction::<T, DIM, 2>::new(read_out);
    let mut found = Prediction::<T, DIM, 2>::new(read_out);
    let mut ways = 0;
    for trial in 0..300_u32 {
        // Noise that does not repeat: (k²·φ modulo one) − ½ with φ = 0.618…, where k counts all entries of all samples.
        let mut noise = (0..DIM as u32).map(|i| {
            let k = f64::from(trial * DIM as u32 + i);
            (k * k * 0.618_033_988_749_895).fract() - 0.5
        });
        let strong = usize::from(trial >= 150) * 4;
        let sample: [T; DIM] = core::array::from_fn(|i| {
            let size = if i == strong || i == strong + 1 { 2.0 } else { 0.1 };
            T::from_f64(size * noise.next().unwrap_or_default())
        });
        let retention = T::from_f64(retention);
        scale_upper(&mut scatter, retention);
        add_outer(&mut scatter, T::ONE, &sample);
        let change = Change {
            retention,
            weight: T::ONE,
            sample: &sample,
            energy: dot(&sample, &sample),
            number: trial.into(),
        };
        if followed.active <= MOST && followed.follow(&scatter, change, T::ONE) {
            ways += 1;
        } else {
            followed.find(&scatter, T::ONE);
        }
        found.find(&scatter, T::ONE);
        for ((p, v), (q, w)) in followed.directions().zip(found.directions()) {
            let off = (p - q).abs().to_f64();
            assert!(off < tolerance, "probability, trial {trial}: {off:e}");
            // The smaller the keep probability q of a direction, the larger is the allowed difference of the directions.
            let turned = q.to_f64() * (T::ONE - dot(v, w).abs()).abs().to_f64();
            assert!(turned < tolerance, "direction, trial {trial}: {turned:e}");
        }
        for (value, exact) in followed.eigenvalues().iter().zip(found.eigenvalues) {
            assert!((*value - exact).abs().to_f64() < tolerance * exact.to_f64());
        }
        // `follow` accepts a direction if its measured residual is at most 16·ε times the largest eigenvalue. After
        // some samples `follow` does not measure; the residual must then be within this limit, too.
        let largest = found.eigenvalues().first().copied().unwrap_or(T::ZERO);
        for (_, v) in followed.directions() {
            let mut missed = [T::ZERO; DIM];
            multiply(&scatter, v, &mut missed);
            let value = dot(&missed, v);
            add_scaled(&mut missed, -value, v);
            let residual = dot(&missed, &missed).sqrt() / (T::EPSILON * largest);
            assert!(residual.to_f64() <= 16.0, "residual, trial {trial}: {residual:?}·ε");
        }
    }
    // With fewer successful calls of `follow`, the test would compare too little.
    assert!(ways > 100, "followed {ways} times");
}

#[test]
fn directions_that_are_followed_are_those_of_the_whole_matrix() {
    for read_out in [ReadOut::Randomized, ReadOut::Leader] {
        for retention in [1.0, 0.97] {
            followed_and_found_agree::<f32>(read_out, retention, 1e-4);
            followed_and_found_agree::<f64>(read_out, retention, 1e-11);
        }
    }
}
