//! `bench --cycles`: cycles of W1 to W4 and of every learner that `budget` knows.
//! Out: rows of the workload `cycles` with the configuration of the traced row, its workload as `source`, and the
//! instructions and cycles of its calls. `price.rs` has the model of the cycles.
//! For W2 (`OnlineKernelPca`) these rows include the kernel values; `instructions_mean` of the workload W2 does not.

use anyhow::{Context, Result};
use serde_json::{Number, Value};

use super::images::Image;
use super::trace::{Calls, trace};
use super::{Row, keys, row_of};
use crate::cargo::{Optimisation, Program, build_image};
use crate::machine::{BOARDS, CORTEX_M4F};
use crate::progress::Progress;

pub(super) const WORKLOAD: &str = "cycles";

/// A program, its board, and how many of its first rows are traced.
struct Source {
    program: &'static str,
    workload: &'static str,
    machine: &'static str,
    rows: usize,
}

const fn source(program: &'static str, workload: &'static str, machine: &'static str, rows: usize) -> Source {
    Source {
        program,
        workload,
        machine,
        rows,
    }
}

/// The programs to trace. W1 is first, because the gate measures the first program again.
const SOURCES: [Source; 6] = [
    source("bench_tracking", "W1", "mps2-an386", 1),
    source("bench_kernel", "W2", "mps2-an386", 1),
    source("bench_centered", "W3", "mps2-an386", 1),
    source("bench_monitor", "W4", "mps2-an386", 1),
    source("bench_smallest", "smallest", "microbit", usize::MAX),
    source("cycles", WORKLOAD, "mps2-an386", usize::MAX),
];

pub(super) fn has(workload: &str) -> bool {
    SOURCES
        .iter()
        .any(|source| source.workload.eq_ignore_ascii_case(workload))
}

/// The names of all workloads with cycles.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|source| source.workload)
}

pub(super) fn measure(asked: &[String], optimisations: &[Optimisation]) -> Result<Vec<Row>> {
    let wanted =
        |source: &&Source| asked.is_empty() || asked.iter().any(|name| name.eq_ignore_ascii_case(source.workload));
    let sources: Vec<&Source> = SOURCES.iter().filter(wanted).collect();
    let progress = Progress::begin(sources.len() * optimisations.len());
    let mut rows = Vec::new();
    for source in sources {
        for &optimisation in optimisations {
            progress.doing(&format!(
                "tracing {} at opt-level {}",
                source.program,
                optimisation.level()
            ));
            rows.extend(traced(source, optimisation)?);
            progress.done();
        }
    }
    Ok(rows)
}

fn traced(source: &Source, optimisation: Optimisation) -> Result<Vec<Row>> {
    let board = BOARDS
        .iter()
        .find(|board| board.machine == source.machine)
        .unwrap_or(&CORTEX_M4F);
    let image = Image {
        program: source.program.to_owned(),
        workloads: Vec::new(),
        board,
        has_naive: false,
    };
    let linked = build_image(Program::Firmware(source.program), board, optimisation)?;
    let traced = trace(&image, &linked, source.rows)?;
    let lines = traced
        .printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("bench "));
    let rows = lines.map(|line| row_of(line, board, optimisation)).zip(&traced.rows);
    rows.map(|(printed, calls)| row(&printed, calls)).collect()
}

/// The configuration of a printed row, with the cycles of its calls.
fn row(printed: &Row, calls: &Calls) -> Result<Row> {
    let mut row: Row = keys::of_identity()
        .filter_map(|key| Some((key.to_owned(), printed.get(key)?.clone())))
        .collect();
    let source = row.insert("workload".into(), WORKLOAD.into());
    row.insert("source".into(), source.context("a row without a workload")?);
    let mean = |sum: u64| Value::from((sum + calls.count / 2) / calls.count.max(1));
    row.insert("instructions_mean".into(), mean(calls.total.instructions));
    row.insert("instructions_p99".into(), calls.instructions_p99.into());
    row.insert("instructions_max".into(), calls.instructions_max.into());
    row.insert("cycles_mean".into(), mean(calls.total.cycles));
    row.insert("cycles_max".into(), calls.worst.cycles.into());
    for (key, ratio) in [("cpi", calls.total.ratio()), ("cpi_worst", calls.worst.ratio())] {
        let rounded = Number::from_f64((1e3 * ratio).round() / 1e3);
        row.insert(key.into(), rounded.map_or(Value::Null, Value::Number));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::super::trace::Spent;
    use super::super::value_of;
    use super::*;

    #[test]
    fn a_row_has_the_configuration_that_was_printed_and_the_cycles_of_the_trace() -> Result<()> {
        let line = "workload=W1 variant=tracking dim=20 keep=2 rank=6 eta=1.0 instructions_mean=99 total_loss=7";
        let calls = Calls {
            count: 4,
            total: Spent {
                instructions: 1_000,
                cycles: 2_020,
            },
            worst: Spent {
                instructions: 400,
                cycles: 1_000,
            },
            instructions_max: 450,
            instructions_p99: 440,
            functions: Vec::new(),
        };
        let row = row(&row_of(line, &CORTEX_M4F, Optimisation::Speed), &calls)?;
        for (key, value) in [
            ("workload", "cycles"),
            ("source", "W1"),
            ("variant", "tracking"),
            ("dim", "20"),
            ("rank", "6"),
            ("opt", "3"),
            ("instructions_mean", "250"),
            ("instructions_p99", "440"),
            ("instructions_max", "450"),
            ("cycles_mean", "505"),
            ("cycles_max", "1000"),
            ("cpi", "2.02"),
            ("cpi_worst", "2.5"),
        ] {
            let expected = if key == "opt" { value.into() } else { value_of(value) };
            assert_eq!(row[key], expected, "{key}");
        }
        assert!(!row.contains_key("total_loss"));
        Ok(())
    }
}
