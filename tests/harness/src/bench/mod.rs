//! `bench`: counts instructions on the emulated board.
//! In: the programs `tests/firmware/src/bin/bench_*.rs`, which print lines `bench key=value key=value …`. Out: a row
//! for each line and optimisation level, as a table or as JSON.
//! `--profile` counts by function, `--cycles` counts cycles by a model. `--save` writes `tests/data/bench.json` and the
//! tables of the README and the guides.

mod choice_tables;
mod cycles;
mod flash;
mod growth;
mod images;
mod keys;
mod price;
mod profile;
mod readme;
mod record;
mod restoring_table;
mod speed_tables;
mod tables;
mod trace;

pub(crate) use record::load as committed_rows;

use std::io::{self, Write};

use anyhow::{Result, bail};
use serde_json::{Map, Number, Value};

use crate::Verdict;
use crate::cargo::{Optimisation, Program, build_image};
use crate::install::{Need, provide};
use crate::machine::{BOARDS, Board, CORTEX_M4F};
use crate::progress::Progress;
use flash::Flash;
use images::Image;

/// Counts instructions, stack, state and flash on emulated boards, of this crate and of naive implementations.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: cargo harness bench --workload eigen; cargo harness bench --profile --workload W3; cargo harness bench --save"
)]
pub(crate) struct Arguments {
    /// Print only a JSON array on standard output.
    #[arg(long)]
    json: bool,
    /// Measure only this workload; may be given several times. An unknown name lists all workloads.
    #[arg(long, value_name = "NAME")]
    workload: Vec<String>,
    /// Write the results to tests/data/bench.json, the tables of the README and the guides, and the plot of growth.
    #[arg(long)]
    save: bool,
    /// Print the instructions and cycles of each program's first row by function, instead of the table.
    #[arg(long, conflicts_with_all = ["json", "save"])]
    profile: bool,
    /// Count cycles of W1 to W4 and of the learners of `budget`, by a trace and the instruction timings of the core.
    #[arg(long, conflicts_with = "profile")]
    cycles: bool,
    /// Fail if a result differs by more than 2 % from tests/data/bench.json, or a table of the README or the guides is
    /// not up to date.
    #[arg(long, conflicts_with_all = ["json", "save", "profile"])]
    check: bool,
}

pub(crate) type Row = Map<String, Value>;

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.check {
        // This check is first, because it measures nothing.
        readme::check()?;
    }
    if arguments.cycles {
        return run_cycles(arguments);
    }
    let images = images::select(images::all()?, &arguments.workload)?;
    for Image { board, .. } in &images {
        for need in [Need::Target(board.target), Need::Emulator(board.emulator)] {
            provide(need).map_err(anyhow::Error::msg)?;
        }
    }
    if arguments.profile {
        profile::run(&images)?;
        return Ok(Verdict::Holds);
    }
    let mut rows = measure(&images, &Optimisation::ALL)?;
    measure_naive(&images, &mut rows)?;
    measure_flash(&mut rows)?;
    if arguments.check {
        record::compare(&record::load()?, &rows)?;
        record::covers(&images, &rows)?;
        writeln!(
            io::stdout(),
            "{} rows measured as committed, and the README shows them",
            rows.len()
        )?;
        return Ok(Verdict::Holds);
    }
    if arguments.save {
        record::save(&rows)?;
        readme::write()?;
        growth::draw(&record::load()?)?;
    }
    if arguments.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        print_table(&rows)?;
    }
    Ok(Verdict::Holds)
}

fn run_cycles(arguments: &Arguments) -> Result<Verdict> {
    if let Some(unknown) = arguments.workload.iter().find(|name| !cycles::has(name)) {
        let choice: Vec<&str> = cycles::names().collect();
        bail!("there are no cycles of {unknown}: choose from {}", choice.join(", "));
    }
    if arguments.save && !arguments.workload.is_empty() {
        bail!("the rows of cycles are committed together: leave out --workload");
    }
    for board in [&BOARDS[0], &CORTEX_M4F] {
        for need in [Need::Target(board.target), Need::Emulator(board.emulator)] {
            provide(need).map_err(anyhow::Error::msg)?;
        }
    }
    let rows = cycles::measure(&arguments.workload, &Optimisation::ALL)?;
    if arguments.check {
        record::compare(&record::load()?, &rows)?;
    }
    if arguments.save {
        commit(&rows)?;
    }
    if arguments.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        print_columns(&rows, keys::of_cycles)?;
        writeln!(
            io::stdout(),
            "cycles: a model, the instructions of a trace in QEMU priced by the manual of the core; with an error of about {:.0} %; no board was measured",
            100.0 * price::MODEL_ERROR
        )?;
    }
    Ok(Verdict::Holds)
}

/// Replaces the committed rows of the measured workloads, and updates the tables.
pub(crate) fn commit(rows: &[Row]) -> Result<()> {
    record::save(rows)?;
    readme::write()
}

/// Writes the tables of the README and the guides from the committed rows.
pub(crate) fn write_readme() -> Result<()> {
    readme::write()
}

/// Fails if a table of the README or the guides differs from the committed rows.
pub(crate) fn check_readme() -> Result<()> {
    readme::check()
}

/// The workloads that the gate measures; with `--all` it also measures [`OTHERS`], among them `restore`, whose stack
/// has a limit.
const FIRST: [&str; 2] = ["W1", "W4"];
const OTHERS: [&str; 3] = ["W2", "W3", "restore"];

/// Measures the workloads [`FIRST`] again at opt-level 3 and compares them with the committed rows.
pub(crate) fn check_first_measurements() -> Result<()> {
    check_measurements(|image| is_one_of(image, &FIRST))
}

/// Measures the workloads [`OTHERS`] again, for `--all`.
pub(crate) fn check_other_measurements() -> Result<()> {
    check_measurements(|image| is_one_of(image, &OTHERS) && !is_one_of(image, &FIRST))
}

fn is_one_of(image: &Image, workloads: &[&str]) -> bool {
    workloads.iter().any(|name| image.prints(name))
}

/// Measures every workload again, except `sizes` and `windows`.
pub(crate) fn check_all_measurements() -> Result<()> {
    check_measurements(|image| !["sizes", "windows"].iter().any(|name| image.prints(name)))
}

fn check_measurements(wanted: impl Fn(&Image) -> bool) -> Result<()> {
    let mut images = images::all()?;
    images.retain(wanted);
    let committed = record::load()?;
    let measured = measure(&images, &[Optimisation::Speed])?;
    restoring_table::check_stack(&measured)?;
    record::compare(&committed, &measured)?;
    // Of the cycles, only the rows of the first program are measured again: cycles follow from the instructions and
    // their prices.
    let first: Vec<String> = cycles::names().take(1).map(str::to_owned).collect();
    record::compare(&committed, &cycles::measure(&first, &[Optimisation::Speed])?)
}

fn measure(images: &[Image], optimisations: &[Optimisation]) -> Result<Vec<Row>> {
    let progress = Progress::begin(images.len() * optimisations.len());
    let mut rows = Vec::new();
    for image in images {
        let (program, board) = (image.program.as_str(), image.board);
        for &optimisation in optimisations {
            progress.doing(&format!("measuring {program} at opt-level {}", optimisation.level()));
            let linked = build_image(Program::Firmware(program), board, optimisation)?;
            let measured = rows_of(&board.run(&linked)?, board, optimisation);
            if measured.is_empty() {
                bail!("{program} printed no line that begins with `bench `: print one for each measurement");
            }
            rows.extend(measured);
            progress.done();
        }
    }
    Ok(rows)
}

/// Adds the columns of the naive versions, from separate builds, because only these need nalgebra's eigensolver.
fn measure_naive(images: &[Image], rows: &mut [Row]) -> Result<()> {
    let images: Vec<&Image> = images.iter().filter(|image| image.has_naive).collect();
    let progress = Progress::begin(images.len() * Optimisation::ALL.len());
    for image in images {
        let (program, board) = (image.program.as_str(), image.board);
        for optimisation in Optimisation::ALL {
            progress.doing(&format!(
                "measuring {program} beside naive versions at opt-level {}",
                optimisation.level()
            ));
            let linked = build_image(Program::Naive(program), board, optimisation)?;
            add_naive(rows, &rows_of(&board.run(&linked)?, board, optimisation));
            progress.done();
        }
    }
    Ok(())
}

/// Copies the columns of the naive versions to the rows of the same measurements.
fn add_naive(rows: &mut [Row], with_naive: &[Row]) {
    for row in rows {
        let Some(other) = with_naive.iter().find(|other| record::same(row, other)) else {
            continue;
        };
        let columns = other.iter().filter(|(key, _)| key.starts_with("naive_"));
        row.extend(columns.map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Adds `text_bytes`, the flash, to the rows whose flash is measured.
fn measure_flash(rows: &mut [Row]) -> Result<()> {
    let mut flash = Flash::new();
    let progress = Progress::begin(rows.len());
    for row in rows {
        if flash.is_for(row) {
            progress.doing(&format!("linking {} of {} channels alone", row["variant"], row["dim"]));
            let board = BOARDS.iter().find(|board| row["machine"] == board.machine);
            let optimisation = Optimisation::ALL.into_iter().find(|level| row["opt"] == level.level());
            if let (Some(board), Some(optimisation)) = (board, optimisation) {
                let bytes = flash.bytes(row, board, optimisation)?;
                row.insert("text_bytes".into(), bytes.into());
            }
        }
        progress.done();
    }
    Ok(())
}

/// One row for each line `bench key=value …` of the text.
fn rows_of(printed: &str, board: &Board, optimisation: Optimisation) -> Vec<Row> {
    let lines = printed.lines().filter_map(|line| line.trim().strip_prefix("bench "));
    lines.map(|line| row_of(line, board, optimisation)).collect()
}

fn row_of(line: &str, board: &Board, optimisation: Optimisation) -> Row {
    let mut row: Row = keys::of_every_row().map(|key| (key.to_owned(), Value::Null)).collect();
    row.insert("machine".into(), board.machine.into());
    row.insert("opt".into(), optimisation.level().into());
    row.insert("precision".into(), "f32".into());
    for (key, value) in line.split_whitespace().filter_map(|pair| pair.split_once('=')) {
        row.insert(key.to_owned(), value_of(value));
    }
    row
}

/// A number if the text is one, null for `null` and `none`, otherwise the text.
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
    print_columns(rows, keys::of_the_table)?;
    writeln!(
        io::stdout(),
        "instructions: retired in QEMU, not cycles; naive: the algorithm as printed, on nalgebra's eigensolver"
    )?;
    Ok(())
}

/// Prints the rows with these columns, without columns that are empty in every row.
fn print_columns<Columns: Iterator<Item = &'static str>>(rows: &[Row], columns: fn() -> Columns) -> Result<()> {
    let cell = |row: &Row, column: &str| match row.get(column).unwrap_or(&Value::Null) {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let width = |column: &str| {
        rows.iter()
            .map(|row| cell(row, column).len())
            .max()
            .unwrap_or(0)
            .max(column.len())
    };
    let known = |column: &&str| {
        rows.iter()
            .any(|row| row.get(*column).is_some_and(|value| !value.is_null()))
    };
    let mut out = io::stdout().lock();
    let heading: Vec<String> = columns()
        .filter(known)
        .map(|column| format!("{column:>0$}", width(column)))
        .collect();
    writeln!(out, "{}", heading.join("  "))?;
    for row in rows {
        let cells: Vec<String> = columns()
            .filter(known)
            .map(|column| format!("{:>1$}", cell(row, column), width(column)))
            .collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    Ok(())
}

#[cfg(test)]
fn row(value: Value) -> Row {
    value.as_object().cloned().unwrap_or_default()
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
    fn only_lines_that_begin_with_bench_become_rows() {
        let rows = rows_of(PRINTED, &CORTEX_M4F, Optimisation::Size);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["variant"], "full");
        assert_eq!(rows[0]["dim"], 8);
        assert_eq!(rows[0]["opt"], "s");
        assert_eq!(rows[0]["machine"], "mps2-an386");
        assert_eq!(rows[0]["naive_mean"], 250);
    }

    #[test]
    fn columns_of_naive_versions_are_added_to_the_row_of_the_same_size() {
        let ours = "bench workload=eigen variant=full dim=8 instructions_mean=90\nbench workload=eigen variant=full dim=4 instructions_mean=9";
        let mut rows = rows_of(ours, &CORTEX_M4F, Optimisation::Size);
        add_naive(&mut rows, &rows_of(PRINTED, &CORTEX_M4F, Optimisation::Size));
        assert_eq!(
            (&rows[0]["instructions_mean"], &rows[0]["naive_mean"]),
            (&90.into(), &250.into())
        );
        assert_eq!(rows[1]["naive_mean"], Value::Null);
    }

    #[test]
    fn missing_keys_are_null_and_unknown_ones_are_kept() {
        let rows = rows_of(PRINTED, &CORTEX_M4F, Optimisation::Speed);
        assert!(keys::of_every_row().all(|key| rows.iter().all(|row| row.contains_key(key))));
        assert_eq!(rows[0]["extra"], 7);
        assert_eq!(rows[0]["text_bytes"], Value::Null);
        assert_eq!(rows[1]["naive_mean"], Value::Null);
        assert_eq!(rows[1]["eta"], 1.0);
        assert_eq!(rows[1]["kernel"], "gauss");
        assert_eq!(rows[1]["window"], Value::Null);
    }
}
