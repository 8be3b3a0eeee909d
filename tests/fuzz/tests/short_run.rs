//! Runs every target on a fixed range of seeds.

use eigenstream_fuzz::dice::Dice;
use eigenstream_fuzz::targets;

/// Number of executions of each target, fewer without the optimiser.
const EXECUTIONS: u64 = if cfg!(debug_assertions) { 20 } else { 250 };

#[test]
fn hostile_input_breaks_no_promise() {
    let mut findings = Vec::new();
    for target in targets() {
        for seed in 0..EXECUTIONS {
            if let Err(what) = (target.execute)(&mut Dice::new(seed)) {
                findings.push(format!("{}, seed {seed}: {what}", target.name));
                break;
            }
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Targets and seeds that once broke a promise.
const FOUND: [(&str, u64); 11] = [
    ("calls_density_f32", 1_000_005_670),
    ("images_centered_f32", 2_000_002_874),
    ("images_centered_f32", 4_427),
    ("images_standardizer_f32", 9_890),
    ("images_monitor_f32", 10_162),
    ("calls_online_kernel_f32", 783),
    ("images_batch_f32", 20_310_434),
    ("images_lagged_f32", 1_129),
    ("images_sensor_monitor_f64", 1_137),
    ("images_density_f32", 663),
    ("images_hedge_f64", 76),
];

#[test]
fn every_seed_that_once_broke_a_promise_passes() {
    for target in targets() {
        for (_, seed) in FOUND.iter().filter(|(name, _)| target.name == *name) {
            let outcome = (target.execute)(&mut Dice::new(*seed));
            assert_eq!(outcome, Ok(()), "{}, seed {seed}", target.name);
        }
    }
}
