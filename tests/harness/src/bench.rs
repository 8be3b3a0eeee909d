//! `bench`: counts instructions on the emulated board.
//! In: the programs `tests/firmware/src/bin/bench_*.rs`, which print lines `bench key=value key=value …`.
//! Out: one row per line and optimisation level, as a table or as JSON. A new workload is a new program there.

use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Number, Value};

use crate::Verdict;
use crate::cargo::{Optimisation, Program, build_image, root};
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;
use crate::progress::Progress;

/// What the name of a measuring program begins with.
const PREFIX: &str = "bench_";

/// The keys that every row has; a value that does not apply is null.
const KEYS: [&str; 17] = [
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
    "instructions_mean",
    "instructions_max",
    "naive_mean",
    "ratio",
    "state_bytes",
    "stack_bytes",
    "text_bytes",
];

/// The columns of the table: the rest is in the JSON.
const COLUMNS: [&str; 13] = [
    "workload",
    "variant",
    "opt",
    "dim",
    "keep",
    "window",
    "kernel",
    "instructions_mean",
    "instructions_max",
    "naive_mean",
    "ratio",
    "state_bytes",
    "stack_bytes",
];

/// Counts instructions, stack and state bytes on an emulated Cortex-M4F, ours and a naive implementation's side by side.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness bench --workload eigen")]
pub(crate) struct Arguments {
    /// Print one JSON array on standard output, and nothing else there.
    #[arg(long)]
    json: bool,
    /// Only this workload; may be given more than once.
    #[arg(long, value_name = "NAME")]
    workload: Vec<String>,
}

type Row = Map<String, Value>;

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let images = select(&workloads()?, &arguments.workload)?;
    for need in [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)] {
        provide(need).map_err(anyhow::Error::msg)?;
    }
    let rows = measure(&images)?;
    if arguments.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        print_table(&rows)?;
    }
    Ok(Verdict::Holds)
}

/// The names of all workloads, in order.
fn workloads() -> Result<Vec<String>> {
    let directory = root().join("tests/firmware/src/bin");
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let file = entry?.file_name().to_string_lossy().into_owned();
        names.extend(
            file.strip_suffix(".rs")
                .and_then(|stem| stem.strip_prefix(PREFIX))
                .map(str::to_owned),
        );
    }
    names.sort();
    Ok(names)
}

/// The workloads asked for; all without any.
fn select(existing: &[String], asked: &[String]) -> Result<Vec<String>> {
    if existing.is_empty() {
        bail!("there is nothing to measure: put a program {PREFIX}NAME.rs into tests/firmware/src/bin");
    }
    let unknown = asked.iter().find(|name| !existing.contains(&name.to_lowercase()));
    if let Some(unknown) = unknown {
        bail!("there is no workload {unknown}: choose from {}", existing.join(", "));
    }
    let asked_for = |name: &&String| asked.is_empty() || asked.iter().any(|asked| asked.to_lowercase() == **name);
    Ok(existing.iter().filter(asked_for).cloned().collect())
}

fn measure(workloads: &[String]) -> Result<Vec<Row>> {
    let progress = Progress::begin(workloads.len() * Optimisation::ALL.len());
    let mut rows = Vec::new();
    for workload in workloads {
        for optimisation in Optimisation::ALL {
            progress.doing(&format!("measuring {workload} at opt-level {}", optimisation.level()));
            let program = format!("{PREFIX}{workload}");
            let image = build_image(Program::Firmware(&program), &CORTEX_M4F, optimisation)?;
            let measured = rows_of(&CORTEX_M4F.run(&image)?, optimisation);
            if measured.is_empty() {
                bail!("{program} printed no line that begins with `bench `: print one for each measurement");
            }
            rows.extend(measured);
            progress.done();
        }
    }
    Ok(rows)
}

/// One row for each line `bench key=value …` of the text.
fn rows_of(printed: &str, optimisation: Optimisation) -> Vec<Row> {
    let lines = printed.lines().filter_map(|line| line.trim().strip_prefix("bench "));
    lines.map(|line| row_of(line, optimisation)).collect()
}

fn row_of(line: &str, optimisation: Optimisation) -> Row {
    let mut row: Row = KEYS.iter().map(|&key| (key.to_owned(), Value::Null)).collect();
    row.insert("machine".into(), CORTEX_M4F.machine.into());
    row.insert("opt".into(), optimisation.level().into());
    row.insert("precision".into(), "f32".into());
    for (key, value) in line.split_whitespace().filter_map(|pair| pair.split_once('=')) {
        row.insert(key.to_owned(), value_of(value));
    }
    if let (Some(naive), Some(ours)) = (row["naive_mean"].as_f64(), row["instructions_mean"].as_f64()) {
        row.insert(
            "ratio".into(),
            Number::from_f64(naive / ours).map_or(Value::Null, Value::Number),
        );
    }
    row
}

/// A number where it reads as one, else the word; `null` and `none` do not apply.
fn value_of(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return whole.into();
    }
    match text {
        "null" | "none" => Value::Null,
        _ => text
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| text.into(), Value::Number),
    }
}

fn print_table(rows: &[Row]) -> Result<()> {
    let cell = |row: &Row, column: &str| match &row[column] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if column == "ratio" => format!("{:.2}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    };
    let width = |column: &str| {
        rows.iter()
            .map(|row| cell(row, column).len())
            .max()
            .unwrap_or(0)
            .max(column.len())
    };
    let mut out = io::stdout().lock();
    let heading: Vec<String> = COLUMNS
        .iter()
        .map(|&column| format!("{column:>0$}", width(column)))
        .collect();
    writeln!(out, "{}", heading.join("  "))?;
    for row in rows {
        let cells: Vec<String> = COLUMNS
            .iter()
            .map(|&column| format!("{:>1$}", cell(row, column), width(column)))
            .collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
        starting\n\
        bench workload=eigen variant=full dim=8 instructions_mean=100 instructions_max=120 naive_mean=250 state_bytes=320 extra=7\n\
        bench workload=eigen variant=values dim=8 instructions_mean=50 eta=1.0 kernel=gauss window=none\n\
        done\n";

    #[test]
    fn lines_become_rows_and_other_lines_do_not() {
        let rows = rows_of(PRINTED, Optimisation::Size);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["variant"], "full");
        assert_eq!(rows[0]["dim"], 8);
        assert_eq!(rows[0]["opt"], "s");
        assert_eq!(rows[0]["machine"], "mps2-an386");
        // 250 / 100 instructions.
        assert_eq!(rows[0]["ratio"], 2.5);
    }

    #[test]
    fn missing_keys_are_null_and_unknown_ones_are_kept() {
        let rows = rows_of(PRINTED, Optimisation::Speed);
        assert!(KEYS.iter().all(|&key| rows.iter().all(|row| row.contains_key(key))));
        assert_eq!(rows[0]["extra"], 7);
        assert_eq!(rows[0]["text_bytes"], Value::Null);
        assert_eq!(rows[1]["ratio"], Value::Null);
        assert_eq!(rows[1]["eta"], 1.0);
        assert_eq!(rows[1]["kernel"], "gauss");
        assert_eq!(rows[1]["window"], Value::Null);
    }

    #[test]
    fn an_unknown_workload_is_refused_with_the_choice() {
        let existing = ["eigen".to_owned(), "w1".to_owned()];
        assert!(select(&existing, &["W9".to_owned()]).is_err_and(|error| error.to_string().ends_with("eigen, w1")));
        assert_eq!(select(&existing, &["W1".to_owned()]).ok(), Some(vec!["w1".to_owned()]));
    }
}
