//! `bench --profile`: where the instructions of a workload go.
//! In: a measuring program. Out: for the first of its measurements, each function with the instructions of a call that it takes.
//! Method: the emulator says which instructions a block has when it translates one (`in_asm`), and which block it runs each time
//! it runs one (`exec`). Counted is what runs from the entry of `measure::call` until the function that measures goes on: exact to
//! the last instruction. What the compiler inlined is part of the function that it was inlined into.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::images::Image;
use crate::cargo::{Optimisation, Program, build_image};
use crate::image::{Function, functions};
use crate::progress::Progress;

/// The function that every measured call goes through.
const CALL: &str = "::measure::call";

/// All functions that measure; none of them is part of a call.
const METER: &str = "::measure::";

/// Those that walk the whole stack before and after each call: a trace of them would be most of it.
const LONG: [&str; 2] = ["::measure::paint", "::measure::used"];

/// The instructions of all calls of one measurement.
#[derive(Debug, Default, PartialEq)]
struct Profile {
    calls: u64,
    /// By function.
    instructions: BTreeMap<String, u64>,
}

/// Prints the profile of each program's first measurement.
pub(super) fn run(images: &[Image]) -> Result<()> {
    let progress = Progress::begin(images.len());
    let mut out = io::stdout().lock();
    for image in images {
        progress.doing(&format!("tracing {}", image.program));
        let linked = build_image(Program::Firmware(&image.program), image.board, Optimisation::Speed)?;
        let profile = trace(image, &linked)?;
        progress.done();
        print(&image.program, &profile, &mut out)?;
    }
    Ok(())
}

/// Runs the program until its first measurement is over.
fn trace(image: &Image, linked: &Path) -> Result<Profile> {
    let functions = functions(linked)?;
    let mut emulator = image.board.command(linked);
    emulator.args(["-d", "in_asm,exec,nochain", "-dfilter", &ranges(&functions)]);
    let mut child = emulator
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}: is it installed and in PATH?", image.board.emulator))?;
    let profile = child
        .stderr
        .take()
        .map(|trace| count(BufReader::new(trace), &functions));
    // It may have ended by itself, which is as good.
    let _ = child.kill();
    child.wait()?;
    let profile = profile.unwrap_or_else(|| Ok(Profile::default()))?;
    if profile.calls == 0 {
        bail!("{} measured nothing: does it call `Meter::measure`?", image.program);
    }
    Ok(profile)
}

/// The addresses to trace: all but the long functions.
fn ranges(functions: &[Function]) -> String {
    let mut ranges = Vec::new();
    let mut from = 0;
    for function in functions
        .iter()
        .filter(|one| LONG.iter().any(|name| one.name.contains(name)))
    {
        ranges.push(format!("{from:#x}..{:#x}", function.address.saturating_sub(1)));
        from = function.address + function.size;
    }
    ranges.push(format!("{from:#x}..{:#x}", u32::MAX));
    ranges.join(",")
}

/// A run of instructions that the emulator executes as one.
#[derive(Clone, Copy)]
struct Block<'functions> {
    instructions: u64,
    function: &'functions Function,
    /// Whether a call of the function begins here.
    entry: bool,
}

/// Reads a trace up to the end of the first measurement of more than one call; the very first, of nothing, is the meter's own.
fn count(mut trace: impl BufRead, functions: &[Function]) -> Result<Profile> {
    let mut blocks: HashMap<u64, Block<'_>> = HashMap::new();
    let mut translated = 0;
    let mut profile = Profile::default();
    let mut measured = None;
    let mut inside = false;
    let mut line = Vec::new();
    while trace.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"0x") {
            translated += 1;
        } else if let Some((id, address)) = executed(&line) {
            // A block is executed right after it was translated.
            if translated > 0 {
                let last = functions.partition_point(|function| function.address <= address);
                let function = functions
                    .get(last.wrapping_sub(1))
                    .context("the trace is of another image")?;
                let entry = function.address == address;
                let instructions = std::mem::take(&mut translated);
                blocks.insert(
                    id,
                    Block {
                        instructions,
                        function,
                        entry,
                    },
                );
            }
            let block = blocks.get(&id).context("the trace runs a block that it never showed")?;
            if block.function.name.contains(CALL) {
                if block.entry {
                    if measured != Some(block.function.address) {
                        if profile.calls > 1 {
                            break;
                        }
                        profile = Profile::default();
                        measured = Some(block.function.address);
                    }
                    profile.calls += 1;
                    inside = true;
                }
            } else if block.function.name.contains(METER) {
                inside = false;
            }
            if inside {
                *profile.instructions.entry(block.function.name.clone()).or_default() += block.instructions;
            }
        }
        line.clear();
    }
    Ok(profile)
}

/// The block of a line `Trace 0: ID [STATE/ADDRESS/FLAGS/FLAGS] NAME`, by its identity and its address in the image.
fn executed(line: &[u8]) -> Option<(u64, u64)> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("Trace ")?;
    let mut words = line.split_whitespace().skip(1);
    let id = words.next()?.strip_prefix("0x")?;
    let address = words.next()?.split('/').nth(1)?;
    Some((
        u64::from_str_radix(id, 16).ok()?,
        u64::from_str_radix(address, 16).ok()?,
    ))
}

fn print(program: &str, profile: &Profile, out: &mut impl Write) -> Result<()> {
    let total: u64 = profile.instructions.values().sum();
    let a_call = |instructions: u64| instructions as f64 / profile.calls as f64;
    writeln!(
        out,
        "{program}, first measurement, {} calls of {:.1} instructions at opt-level 3",
        profile.calls,
        a_call(total)
    )?;
    let mut rows: Vec<(&String, &u64)> = profile.instructions.iter().collect();
    rows.sort_by_key(|&(_, instructions)| std::cmp::Reverse(instructions));
    for (name, &instructions) in rows {
        let share = 100.0 * instructions as f64 / total as f64;
        writeln!(out, "{:>12.1} {share:>6.2} %  {name}", a_call(instructions))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(address: u64, name: &str) -> Function {
        Function {
            address,
            size: 16,
            name: name.to_owned(),
        }
    }

    fn image() -> [Function; 6] {
        [
            function(0x100, "firmware::measure::Meter::measure"),
            function(0x200, "firmware::measure::call"),
            function(0x300, "firmware::measure::call"),
            function(0x400, "firmware::measure::paint"),
            function(0x500, "crate::step"),
            function(0x600, "crate::elsewhere"),
        ]
    }

    #[test]
    fn instructions_between_call_and_meter_are_counted_and_no_others() -> Result<()> {
        let trace = "\
            IN: call\n0x00000200:  b580  push\n0x00000202:  bd80  bl\n\
            Trace 0: 0x70 [00/00000200/01/ff] call\n\
            IN: step\n0x00000500:  b580  one\n0x00000502:  bd80  two\n0x00000504:  bd80  three\n\
            Trace 0: 0x71 [00/00000500/01/ff] step\n\
            Trace 0: 0x71 [00/00000500/01/ff] step\n\
            IN: measure\n0x00000108:  bd80  add\n\
            Trace 0: 0x72 [00/00000108/01/ff] measure\n\
            IN: elsewhere\n0x00000600:  bd80  add\n\
            Trace 0: 0x73 [00/00000600/01/ff] elsewhere\n\
            Trace 0: 0x70 [00/00000200/01/ff] call\n\
            Trace 0: 0x72 [00/00000108/01/ff] measure\n\
            IN: call\n0x00000300:  b580  push\n\
            Trace 0: 0x74 [00/00000300/01/ff] call\n\
            Trace 0: 0x71 [00/00000500/01/ff] step\n";
        let profile = count(trace.as_bytes(), &image())?;
        let wanted = [("crate::step", 6), ("firmware::measure::call", 4)];
        assert_eq!(profile.calls, 2);
        assert_eq!(
            profile.instructions,
            wanted.map(|(name, count)| (name.to_owned(), count)).into()
        );
        Ok(())
    }

    #[test]
    fn long_functions_are_left_out_of_the_trace() {
        assert_eq!(ranges(&image()), "0x0..0x3ff,0x410..0xffffffff");
    }

    #[test]
    fn a_block_that_was_never_shown_is_an_error() {
        let trace = "Trace 0: 0x70 [00/00000200/01/ff] call\n";
        assert!(count(trace.as_bytes(), &image()).is_err());
    }
}
