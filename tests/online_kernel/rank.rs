//! The numerical rank: how many directions `Ambient::Span` and `Ambient::Points` count.
//! With a rate near zero every direction has the same probability, 1/(number of directions) for `KEEP` = 1. So the probability of the
//! first direction shows the number.

use super::{rng, symmetric};
use eigenstream::kernel::{Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::{Centering, Scalar};

const WINDOW: usize = 8;

/// The number of directions that are counted, and all eigenvalues of the Gram matrix.
fn counted<T: Scalar, K: Kernel<T, 2> + Copy>(
    kernel: K,
    ambient: Ambient,
    centering: Centering,
    points: &[[f64; 2]],
) -> (f64, [f64; WINDOW]) {
    let settings = OnlineKernelSettings::new(T::MIN_POSITIVE).unwrap();
    let settings = settings.with_ambient(ambient).with_centering(centering);
    let mut pca = OnlineKernelPca::<T, K, 2, 1, WINDOW, WINDOW>::new(kernel, settings);
    for point in points {
        pca.learn(&point.map(T::from_f64)).unwrap();
    }
    let probability = pca.keep_probabilities()[0].to_f64();
    let number = if probability > 0.0 { 1.0 / probability } else { 0.0 };
    (number, pca.spectrum().map(|value| value.to_f64()))
}

/// Both choices of `Ambient`: the rank of the span, and the number of points.
fn check<T: Scalar, K: Kernel<T, 2> + Copy>(kernel: K, points: &[[f64; 2]], rank: usize) {
    for (ambient, wanted) in [(Ambient::Span, rank), (Ambient::Points, points.len())] {
        let (number, _) = counted::<T, K>(kernel, ambient, Centering::Uncentered, points);
        assert!(
            (number - wanted as f64).abs() < 1e-3,
            "{ambient:?} of {points:?}: {number}, not {wanted}"
        );
    }
}

#[test]
fn duplicates_are_points_but_add_nothing_to_the_span() {
    let three = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]];
    for copies in 1..=2 {
        let points: Vec<[f64; 2]> = (0..3 * copies).map(|place| three[place % 3]).collect();
        check::<f32, _>(Gaussian::DEFAULT, &points, 3);
        check::<f64, _>(Gaussian::DEFAULT, &points, 3);
        // The mean is subtracted: one direction less, and a point at the mean of all has none.
        let centred = counted::<f64, _>(Gaussian::DEFAULT, Ambient::Span, Centering::Centered, &points).0;
        assert!((centred - 2.0).abs() < 1e-3, "{centred}");
    }
    check::<f32, _>(Linear, &[[1.0, 2.0]; 5], 1);
    // Points on a line through zero have one direction with the linear kernel, other points of the plane have two.
    check::<f32, _>(Linear, &[[1.0, 2.0], [-0.5, -1.0], [3.0, 6.0]], 1);
    check::<f32, _>(Linear, &[[1.0, 2.0], [-0.5, 1.0], [3.0, 6.0], [2.0, -5.0]], 2);
}

/// Two points at the distance δ have the eigenvalues 1 ± e^(−δ²), so the smaller one is about δ²/2 of the larger one. It counts above
/// 10⁻⁶ in `f32` and above 10⁻¹¹ in `f64`: from δ = 1.4·10⁻³ and from δ = 4.5·10⁻⁶ on.
#[test]
fn near_duplicates_count_from_a_stated_distance_on() {
    let pair = |distance: f64| [[0.0, 0.0], [distance, 0.0]];
    for (distance, single, double) in [
        (0.0, 1, 1),
        (1e-7, 1, 1),
        (4e-6, 1, 1),
        (5e-6, 1, 2),
        (1e-4, 1, 2),
        (1.3e-3, 1, 2),
        (1.6e-3, 2, 2),
        (1e-2, 2, 2),
        (1.0, 2, 2),
    ] {
        check::<f32, _>(Gaussian::DEFAULT, &pair(distance), single);
        check::<f64, _>(Gaussian::DEFAULT, &pair(distance), double);
    }
}

/// Only the ratio to the largest eigenvalue counts, as long as the eigenvalues themselves are normal numbers.
#[test]
fn the_unit_of_the_samples_does_not_change_the_rank() {
    let scaled = |points: &[[f64; 2]], unit: f64| points.iter().map(|point| point.map(|value| unit * value)).collect();
    let plane = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
    // Across the line these points lie within 10⁻⁴ of its length: a ratio of eigenvalues of 10⁻⁸.
    let line = [[1.0, 0.0], [2.0, 1e-4], [3.0, 0.0]];
    for exponent in [-15, -6, 0, 6, 15] {
        let unit = 10.0_f64.powi(exponent);
        let (plane, line): (Vec<_>, Vec<_>) = (scaled(&plane, unit), scaled(&line, unit));
        check::<f32, _>(Linear, &plane, 2);
        check::<f32, _>(Linear, &line, 1);
        check::<f64, _>(Linear, &line, 2);
    }
    check::<f64, _>(Linear, &scaled(&plane, 1e-150) as &Vec<_>, 2);
    check::<f64, _>(Linear, &scaled(&plane, 1e150) as &Vec<_>, 2);
    // Eigenvalues of 10⁻⁴⁰ are no normal numbers in `f32`: nothing is known of the span.
    let tiny: Vec<[f64; 2]> = scaled(&plane, 1e-20);
    assert_eq!(
        counted::<f32, _>(Linear, Ambient::Span, Centering::Uncentered, &tiny).0,
        0.0
    );
}

/// On random points with copies at many distances, the number is the one that the definition gives for the eigenvalues in `f64`.
#[test]
fn the_rank_is_the_number_of_eigenvalues_above_the_stated_part_of_the_largest() {
    let rng = &mut rng(23);
    let mut seen = [0; WINDOW + 1];
    for _ in 0..400 {
        let mut points: Vec<[f64; 2]> = Vec::new();
        for _ in 0..WINDOW {
            let fresh = [symmetric(rng), symmetric(rng)];
            let origin = points.get((symmetric(rng) * 8.0).abs() as usize).copied();
            let distance = 10.0_f64.powf(-4.0 + 3.5 * symmetric(rng));
            let point = origin.map_or(fresh, |it| [it[0] + distance * fresh[0], it[1] + distance * fresh[1]]);
            // Exact in `f32`, so that both precisions see the same points.
            points.push(point.map(|value| f64::from(value as f32)));
        }
        let (double, values) = counted::<f64, _>(Gaussian::DEFAULT, Ambient::Span, Centering::Uncentered, &points);
        let above = |part: f64| values.iter().filter(|&&value| value > part * values[0]).count();
        let is_clear = |part: f64| above(part / 1.3) == above(1.3 * part);
        if is_clear(1e-11) {
            assert!((double - above(1e-11) as f64).abs() < 1e-3, "{double}: {values:?}");
        }
        if is_clear(1e-6) {
            let single = counted::<f32, _>(Gaussian::DEFAULT, Ambient::Span, Centering::Uncentered, &points).0;
            assert!((single - above(1e-6) as f64).abs() < 1e-3, "{single}: {values:?}");
            seen[above(1e-6)] += 1;
        }
    }
    assert!(seen.iter().filter(|&&times| times > 5).count() >= 4, "{seen:?}");
}
