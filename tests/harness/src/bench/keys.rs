//! The keys of the rows of `bench`.

/// The keys of the configuration; every row has them, null if they do not apply.
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

const DETAILS: [&str; 4] = ["rank", "settings", "stream", "source"];

/// The keys of the results, null if they do not apply; rows of the workload `cycles` have only the first two.
const RESULTS: [&str; 6] = [
    "instructions_mean",
    "instructions_max",
    "naive_mean",
    "state_bytes",
    "stack_bytes",
    "text_bytes",
];

/// Further results that have a column in the table; only some workloads have them.
const FURTHER_RESULTS: [&str; 4] = ["naive_stack_bytes", "total_loss", "row_mean", "rms_loss_error"];

const CYCLES: [&str; 4] = ["cycles_mean", "cycles_max", "cpi", "cpi_worst"];

/// Keys that are compared when a row is measured again.
pub(super) const COMPARED: [&str; 6] = [
    "instructions_mean",
    "instructions_max",
    "cycles_mean",
    "cycles_max",
    "state_bytes",
    "stack_bytes",
];

/// Keys that are compared only if the new row has them: the gate measures no flash and no naive versions.
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

pub(super) fn of_every_row() -> impl Iterator<Item = &'static str> {
    CONFIGURATION.into_iter().chain(RESULTS)
}

/// The keys that distinguish one measurement from another.
pub(super) fn of_identity() -> impl Iterator<Item = &'static str> {
    CONFIGURATION.into_iter().chain(DETAILS)
}

/// The columns of the table; other keys are only in the JSON.
pub(super) fn of_the_table() -> impl Iterator<Item = &'static str> {
    of_identity().chain(RESULTS).chain(FURTHER_RESULTS)
}

pub(super) fn of_cycles() -> impl Iterator<Item = &'static str> {
    let instructions = ["instructions_mean", "instructions_p99", "instructions_max"];
    of_identity().chain(instructions).chain(CYCLES)
}
