//! A short run of `cargo harness hunt`.

use eigenstream_soak::hunt::hunt;

/// Number of streams to try, fewer without the optimiser.
const STREAMS: u64 = if cfg!(debug_assertions) { 200 } else { 3_000 };

#[test]
fn no_stream_breaks_the_certified_bound() {
    let mut tried = 0;
    let findings = hunt(1, STREAMS, &mut || tried += 1);
    assert_eq!(tried, STREAMS);
    assert!(findings.violations.is_empty(), "{:?}", findings.violations);
    // Some stream must come near the bound; otherwise the hunt proves little.
    let worst = findings.worst_of_restrained();
    assert!(cfg!(debug_assertions) || worst >= 0.9, "{worst}");
}

#[test]
fn the_hunt_wraps_from_the_largest_seed_to_zero() {
    let mut tried = 0;
    let findings = hunt(u64::MAX, 3, &mut || tried += 1);
    let counted: u64 = findings.cells.iter().flatten().map(|cell| cell.streams).sum();
    assert_eq!((tried, counted), (3, 3));
}
