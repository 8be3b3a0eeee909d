//! The number of directions that `Ambient::Span` and `Ambient::Points` count.
//! With a rate near zero and KEEP = 1, each direction has the keep probability 1/(number of directions).

use super::{rng, symmetric};
use eigenstream::kernel::{Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::{Centering, Scalar};

const WINDOW: usize = 8;

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
fn duplicates_count_as_points_but_not_in_the_span() {
    let three = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]];
    for copies in 1..=2 {
        let points: Vec<[f64; 2]> = (0..3 * copies).map(|place| three[place % 3]).collect();
        check::<f32, _>(Gaussian::DEFAULT, &points, 3);
        check::<f64, _>(Gaussian::DEFAULT, &points, 3);
        // Centering removes one of the three directions.
        let centred = counted::<f64, _>(Gaussian::DEFAULT, Ambient::Span, Centering::Centered, &points).0;
        assert!((centred - 2.0).abs() < 1e-3, "{centred}");
    }
    check::<f32, _>(Linear, &[[1.0, 2.0]; 5], 1);
    // Points on a line through zero span one direction, other points of the plane two.
    check::<f32, _>(Linear, &[[1.0, 2.0], [-0.5, -1.0], [3.0, 6.0]], 1);
    check::<f32, _>(Linear, &[[1.0, 2.0], [-0.5, 1.0], [3.0, 6.0], [2.0, -5.0]], 2);
}

/// Two points at a small distance δ have eigenvalues in the ratio δ²/2. The second direction counts if this ratio is
/// above 10⁻⁶ (`f32`) or 10⁻¹¹ (`f64`).
#[test]
fn near_duplicates_count_above_the_documented_distance() {
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

/// Whether a direction counts depends only on the ratio of its eigenvalue to the largest, if the eigenvalues are normal
/// numbers.
#[test]
fn the_unit_of_the_samples_does_not_change_the_rank() {
    let scaled = |points: &[[f64; 2]], unit: f64| points.iter().map(|point| point.map(|value| unit * value)).collect();
    let plane = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
    // These points are within 10⁻⁴ of a line; the ratio of their eigenvalues is about 5·10⁻¹⁰.
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
    // The eigenvalues are about 10⁻⁴⁰, subnormal in `f32`, so no direction counts.
    let tiny: Vec<[f64; 2]> = scaled(&plane, 1e-20);
    assert_eq!(
        counted::<f32, _>(Linear, Ambient::Span, Centering::Uncentered, &tiny).0,
        0.0
    );
}

#[test]
fn the_rank_counts_eigenvalues_above_the_documented_ratio() {
    let rng = &mut rng(23);
    let mut seen = [0; WINDOW + 1];
    for _ in 0..400 {
        let mut points: Vec<[f64; 2]> = Vec::new();
        for _ in 0..WINDOW {
            let fresh = [symmetric(rng), symmetric(rng)];
            let origin = points.get((symmetric(rng) * 8.0).abs() as usize).copied();
            let distance = 10.0_f64.powf(-4.0 + 3.5 * symmetric(rng));
            let point = origin.map_or(fresh, |it| [it[0] + distance * fresh[0], it[1] + distance * fresh[1]]);
            // The points are exact in `f32`.
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
