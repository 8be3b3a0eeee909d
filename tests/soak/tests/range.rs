//! Difference between `f32` and `f64` on samples of very different lengths, without a ceiling: the table of
//! `guide::mathematics`, "Without a ceiling in `f32`".
//! Evidence g has a rounding error of up to ε·g/2, with the ε of `f32`. The gain of a sample x is rate·‖x‖². In `f32` a
//! sample whose gain is below this error can be lost.

use eigenstream::Scalar;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Largest number of powers of ten between the lengths of two samples.
const DECADES: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
/// The gain of the longest sample, and the documented limit for each number of decades.
const TABLE: [(f64, [f64; 4]); 5] = [
    (0.5, [1e-6, 1e-6, 1e-6, 1e-6]),
    (50.0, [1e-6, 1e-6, 1e-5, 1e-5]),
    (5e3, [1e-6, 1e-5, 3e-4, 3e-4]),
    (5e5, [1e-6, 3e-5, 3e-3, 0.05]),
    (5e7, [1e-6, 3e-5, 0.03, 0.2]),
];
/// Number of streams for each entry and KEEP, fewer without the optimiser.
const STREAMS: u64 = if cfg!(debug_assertions) { 2 } else { 100 };
const SAMPLES: usize = 100;

fn settings<T: Scalar>(rate: f64) -> TrackingSettings<T> {
    let settings = TrackingSettings::unscaled(T::from_f64(rate)).unwrap_or(TrackingSettings::DEFAULT);
    settings.without_ceiling()
}

/// Difference of the total expected losses in `f32` and `f64`, relative to the energy of the stream; the samples are at
/// most 1 long.
fn difference<const KEEP: usize>(rate: f64, decades: f64, seed: u64) -> f64 {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(seed);
    let mut single = TrackingPca::<f32, 10, KEEP, 10>::new(settings(rate));
    let mut double = TrackingPca::<f64, 10, KEEP, 10>::new(settings(rate));
    let (mut difference, mut energy) = (0.0, 0.0);
    for _ in 0..SAMPLES {
        let direction: [f64; 10] = core::array::from_fn(|_| 2.0 * f64::uniform(&mut rng) - 1.0);
        let length = direction.iter().map(|value| value * value).sum::<f64>().sqrt();
        let size = 10.0_f64.powf(-decades * f64::uniform(&mut rng));
        // The sample is rounded to `f32`, so that both learners get the same stream.
        let sample = direction.map(|value| (value * size / length) as f32);
        let exact = sample.map(f64::from);
        difference += single.score(&sample).map_or(f64::NAN, f64::from) - double.score(&exact).unwrap_or(f64::NAN);
        energy += exact.iter().map(|value| value * value).sum::<f64>();
        assert!(single.learn(&sample).is_ok() && double.learn(&exact).is_ok());
    }
    assert!(difference.is_finite());
    difference.abs() / energy
}

#[test]
fn the_price_of_single_precision_is_the_documented_one() {
    for (gain, limits) in TABLE {
        let mut line = format!("{gain:>8.1e}");
        for (decades, limit) in DECADES.into_iter().zip(limits) {
            let differences = (0..STREAMS).flat_map(|seed| {
                [
                    difference::<1>(gain, decades, seed),
                    difference::<5>(gain, decades, seed),
                    difference::<9>(gain, decades, seed),
                ]
            });
            let worst = differences.fold(0.0, f64::max);
            line += &format!("  {worst:.1e}");
            assert!(
                worst <= limit,
                "gain {gain:.0e}, {decades} decades: {worst:.1e} above {limit:.0e}"
            );
            // The documented limits must not be far above the measured differences.
            if limit > 1e-4 && STREAMS > 50 {
                assert!(
                    worst > limit / 10.0,
                    "gain {gain:.0e}, {decades} decades: {worst:.1e} far below {limit:.0e}"
                );
            }
        }
        println!("{line}");
    }
}
