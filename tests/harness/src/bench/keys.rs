//! What the rows of `bench` say, key by key.

/// What was measured: in every row, null where it does not apply.
const CONFIGURATION: [&str; 10] = [
    "workload",
    "variant",
    "machine",
    "opt",
    "precision",
    "dim",
    "keep",
    "window",
    "eta",
    "kernel",
];

/// What tells some rows apart in addition.
const DETAILS: [&str; 4] = ["rank", "settings", "stream", "source"];

/// What came out: in every row, null where it does not apply.
const RESULTS: [&str; 6] = [
    "instructions_mean",
    "instructions_max",
    "naive_mean",
    "state_bytes",
    "stack_bytes",
    "text_bytes",
];

/// What came out of some workloads and is worth a column.
const FURTHER_RESULTS: [&str; 4] = ["naive_stack_bytes", "total_loss", "row_mean", "rms_loss_error"];

/// The keys that a trace adds.
const CYCLES: [&str; 4] = ["cycles_mean", "cycles_max", "cpi", "cpi_worst"];

/// What is compared when a row is measured again.
pub(super) const COMPARED: [&str; 6] = [
    "instructions_mean",
    "instructions_max",
    "cycles_mean",
    "cycles_max",
    "state_bytes",
    "stack_bytes",
];

/// Numbers and words that are compared only if the new row has them. The gate leaves out flash and the naive versions.
pub(super) const COMPARED_IF_MEASURED: [&str; 11] = [
    "text_bytes",
    "naive_mean",
    "naive_stack_bytes",
    "total_loss",
    "lost_percent",
    "rms_loss_error",
    "row_mean",
    "hostile_mean",
    "image_bytes",
    "by_value_stack_bytes",
    "false_alarms",
];

/// The keys that every row has.
pub(super) fn of_every_row() -> impl Iterator<Item = &'static str> {
    CONFIGURATION.into_iter().chain(RESULTS)
}

/// What tells one measurement from another.
pub(super) fn of_identity() -> impl Iterator<Item = &'static str> {
    CONFIGURATION.into_iter().chain(DETAILS)
}

/// The columns of the table; the rest is in the JSON.
pub(super) fn of_the_table() -> impl Iterator<Item = &'static str> {
    of_identity().chain(RESULTS).chain(FURTHER_RESULTS)
}

/// The columns of the table of cycles.
pub(super) fn of_cycles() -> impl Iterator<Item = &'static str> {
    let instructions = ["instructions_mean", "instructions_p99", "instructions_max"];
    of_identity().chain(instructions).chain(CYCLES)
}
