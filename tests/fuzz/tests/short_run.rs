//! A short run of every target, always the same.

use eigenstream_fuzz::dice::Dice;
use eigenstream_fuzz::targets;

/// Without the optimiser an execution takes thirty times as long.
const EXECUTIONS: u64 = if cfg!(debug_assertions) { 20 } else { 2_000 };

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
