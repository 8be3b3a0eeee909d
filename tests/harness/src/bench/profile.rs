//! `bench --profile`: instructions and cycles per call of each function, for the first row of a program.

use std::io::{self, Write};

use anyhow::Result;

use super::images::Image;
use super::trace::{Calls, Spent, trace};
use crate::cargo::{Optimisation, Program, build_image};
use crate::progress::Progress;

/// Prints the profile of the first row of each program.
pub(super) fn run(images: &[Image]) -> Result<()> {
    let progress = Progress::begin(images.len());
    let mut out = io::stdout().lock();
    for image in images {
        progress.doing(&format!("tracing {}", image.program));
        let linked = build_image(Program::Firmware(&image.program), image.board, Optimisation::Speed)?;
        let traced = trace(image, &linked, 1)?;
        progress.done();
        for calls in &traced.rows {
            print(&image.program, calls, &mut out)?;
        }
    }
    Ok(())
}

fn print(program: &str, calls: &Calls, out: &mut impl Write) -> Result<()> {
    let a_call = |count: u64| count as f64 / calls.count as f64;
    let Spent { instructions, cycles } = calls.total;
    writeln!(
        out,
        "{program}, first row, {} calls of {:.1} instructions and {:.1} cycles at opt-level 3, {:.2} cycles an instruction",
        calls.count,
        a_call(instructions),
        a_call(cycles),
        calls.total.ratio(),
    )?;
    writeln!(out, "instructions       %        cycles       %  function")?;
    let mut rows: Vec<&(String, Spent)> = calls.functions.iter().collect();
    rows.sort_by_key(|(_, spent)| std::cmp::Reverse(spent.cycles));
    for (name, spent) in rows {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        writeln!(
            out,
            "{:>12.1} {:>6.2} %  {:>12.1} {:>6.2} %  {name}",
            a_call(spent.instructions),
            share(spent.instructions, instructions),
            a_call(spent.cycles),
            share(spent.cycles, cycles),
        )?;
    }
    Ok(())
}
