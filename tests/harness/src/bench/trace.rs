//! Instructions and cycles of the measured calls of a program, by function, for each row that it prints.
//! Method: the emulator shows the instructions of a block when it translates it (`in_asm`), and names the block each
//! time it runs (`exec`). A call is every block from the entry of `measure::call` until a measuring function continues.
//! Inlined code belongs to the function that it was inlined into. `price.rs` has the cycles.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::images::Image;
use super::price::{Core, Priced};
use crate::image::{Function, functions};

const CALL: &str = "::measure::call";

/// Part of the name of the function that is called after a row was printed.
const END_OF_ROW: &str = "::measure::end_row";

/// Part of the name of every measuring function; all but `call` end a measured call.
const METER: &str = "::measure::";

/// Measuring functions that run over the painted stack before and after each call; the trace leaves them out.
const LONG: [&str; 2] = ["::measure::paint", "::measure::used"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) instructions: u64,
    pub(super) cycles: u64,
}

impl Spent {
    fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
    }

    pub(super) fn ratio(self) -> f64 {
        self.cycles as f64 / self.instructions.max(1) as f64
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) count: u64,
    pub(super) total: Spent,
    /// The call with the most cycles.
    pub(super) worst: Spent,
    /// Most instructions of one call.
    pub(super) instructions_max: u64,
    /// 99th percentile of the instructions of a call.
    pub(super) instructions_p99: u64,
    /// Instructions and cycles by function; functions that did not run are left out.
    pub(super) functions: Vec<(String, Spent)>,
}

/// The output of a program, and its calls for each row.
pub(super) struct Traced {
    pub(super) printed: String,
    pub(super) rows: Vec<Calls>,
}

/// Runs the program until it has printed `rows` rows, or to its end.
pub(super) fn trace(image: &Image, linked: &Path, rows: usize) -> Result<Traced> {
    let core = Core::of(image.board)?;
    let functions = functions(linked)?;
    let mut emulator = image.board.command(linked);
    emulator.args(["-d", "in_asm,exec,nochain", "-dfilter", &ranges(&functions)]);
    let mut child = emulator
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}: is it installed and in PATH?", image.board.emulator))?;
    let traced = child
        .stderr
        .take()
        .map(|trace| Reader::new(core, &functions).read(BufReader::with_capacity(1 << 20, trace), rows));
    // An error only means that the program has already ended. Its few lines of output fit into the pipe.
    let _ = child.kill();
    let mut printed = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut printed)?;
    }
    child.wait()?;
    let rows = traced.unwrap_or_else(|| Ok(Vec::new()))?;
    if rows.first().is_none_or(|calls| calls.count == 0) {
        bail!("{} measured no call: does it use `Meter::measure`?", image.program);
    }
    Ok(Traced { printed, rows })
}

/// The addresses to trace: all except those of [`LONG`].
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

/// Kind of the function that a block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The block belongs to `measure::call`; `entry` says whether it begins a measured call.
    Call {
        entry: bool,
    },
    EndOfRow,
    Meter,
    Elsewhere,
}

/// A sequence of instructions that the emulator translates and executes as one unit.
#[derive(Clone, Copy)]
struct Block {
    /// Instructions and cycles, without the extra cycles of a jump at the end. The model lets no block wait for a
    /// floating-point result of the block before.
    spent: Spent,
    last: Priced,
    /// Address after the block.
    behind: u64,
    function: usize,
    place: Place,
}

/// The instruction that ran last within a call.
struct Before {
    last: Priced,
    behind: u64,
    function: usize,
}

struct Reader<'image> {
    core: Core,
    functions: &'image [Function],
    blocks: HashMap<u64, Block>,
    /// Instructions of the block that is being shown: cycles, address and bytes.
    shown: Vec<(Priced, u64, u64)>,
    spent: Vec<Spent>,
    calls: Calls,
    call: Spent,
    /// The instructions of each call of this row.
    instructions: Vec<u64>,
    before: Option<Before>,
    inside: bool,
}

impl<'image> Reader<'image> {
    fn new(core: Core, functions: &'image [Function]) -> Self {
        Self {
            core,
            functions,
            blocks: HashMap::new(),
            shown: Vec::new(),
            spent: vec![Spent::default(); functions.len()],
            calls: Calls::default(),
            call: Spent::default(),
            instructions: Vec::new(),
            before: None,
            inside: false,
        }
    }

    /// Returns the calls of each row, up to the end of the trace or `most` rows.
    fn read(mut self, mut trace: impl BufRead, most: usize) -> Result<Vec<Calls>> {
        let mut rows = Vec::new();
        let mut line = Vec::new();
        while rows.len() < most && trace.read_until(b'\n', &mut line)? > 0 {
            if line.starts_with(b"0x") {
                self.shown.push(self.instruction(&line)?);
            } else if let Some((id, address)) = executed(&line) {
                // The emulator executes a block for the first time directly after it has shown its instructions.
                if !self.shown.is_empty() {
                    let block = self.block(address)?;
                    self.blocks.insert(id, block);
                }
                let block = *(self.blocks.get(&id)).context("the trace runs a block that was not translated")?;
                if self.step(&block, address) {
                    rows.push(self.end_row());
                }
            }
            line.clear();
        }
        Ok(rows)
    }

    /// Counts one block; returns true at the end of a row.
    fn step(&mut self, block: &Block, address: u64) -> bool {
        if let Some(before) = self.before.take()
            && before.behind != address
        {
            self.add(before.function, before.last.jump);
        }
        match block.place {
            Place::Call { entry: true } => {
                self.end_call();
                self.calls.count += 1;
                self.inside = true;
            }
            Place::Meter | Place::EndOfRow => self.end_call(),
            Place::Call { entry: false } | Place::Elsewhere => (),
        }
        if self.inside {
            self.spent[block.function].add(block.spent);
            self.call.add(block.spent);
            self.before = Some(Before {
                last: block.last,
                behind: block.behind,
                function: block.function,
            });
        }
        block.place == Place::EndOfRow
    }

    fn add(&mut self, function: usize, cycles: u64) {
        let more = Spent {
            instructions: 0,
            cycles,
        };
        self.spent[function].add(more);
        self.call.add(more);
    }

    fn end_call(&mut self) {
        let call = std::mem::take(&mut self.call);
        if self.inside {
            self.instructions.push(call.instructions);
        }
        self.calls.total.add(call);
        self.calls.instructions_max = self.calls.instructions_max.max(call.instructions);
        if call.cycles > self.calls.worst.cycles {
            self.calls.worst = call;
        }
        self.inside = false;
    }

    fn end_row(&mut self) -> Calls {
        let mut calls = std::mem::take(&mut self.calls);
        let mut instructions = std::mem::take(&mut self.instructions);
        instructions.sort_unstable();
        let place = (instructions.len() * 99).div_ceil(100).saturating_sub(1);
        calls.instructions_p99 = instructions.get(place).copied().unwrap_or(0);
        let spent = self.spent.iter_mut().map(std::mem::take);
        for (function, spent) in self.functions.iter().zip(spent) {
            if spent == Spent::default() {
                continue;
            }
            // All instances of a generic function have the same name.
            match calls.functions.iter_mut().find(|(name, _)| *name == function.name) {
                Some((_, sum)) => sum.add(spent),
                None => calls.functions.push((function.name.clone(), spent)),
            }
        }
        calls
    }

    /// The instruction of a line `0xADDRESS:  HALFWORD [HALFWORD]  MNEMONIC  OPERANDS`.
    fn instruction(&self, line: &[u8]) -> Result<(Priced, u64, u64)> {
        let text = std::str::from_utf8(line)?;
        let (address, rest) = text.split_once(':').context("an instruction without an address")?;
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16)?;
        let mut rest = rest.trim();
        let mut bytes = 0;
        while let Some((word, behind)) = rest.split_once(' ')
            && word.len() == 4
            && bytes < 4
            && word.bytes().all(|digit| digit.is_ascii_hexdigit())
        {
            bytes += 2;
            rest = behind.trim_start();
        }
        let (mnemonic, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok((self.core.price(mnemonic, operands.trim())?, address, bytes))
    }

    /// The block of the instructions that were shown.
    fn block(&mut self, address: u64) -> Result<Block> {
        let place = self.functions.partition_point(|function| function.address <= address);
        let function = place.checked_sub(1).context("the trace is of another image")?;
        let Function {
            name, address: entry, ..
        } = &self.functions[function];
        let place = match () {
            () if name.contains(CALL) => Place::Call {
                entry: *entry == address,
            },
            () if name.contains(END_OF_ROW) => Place::EndOfRow,
            () if name.contains(METER) => Place::Meter,
            () => Place::Elsewhere,
        };
        let &(last, at, bytes) = self.shown.last().context("the trace shows an empty block")?;
        let alone: u64 = self.shown.iter().map(|(price, ..)| price.cycles).sum();
        let pairs = self.shown.windows(2);
        let between: i64 = pairs.map(|pair| self.core.between(&pair[0].0, &pair[1].0)).sum();
        let instructions = self.shown.len() as u64;
        self.shown.clear();
        Ok(Block {
            spent: Spent {
                instructions,
                cycles: alone.saturating_add_signed(between),
            },
            last,
            behind: at + bytes,
            function,
            place,
        })
    }
}

/// The id and the address of the block in a line `Trace 0: ID [STATE/ADDRESS/FLAGS/FLAGS] NAME`.
fn executed(line: &[u8]) -> Option<(u64, u64)> {
    let line = line.strip_prefix(b"Trace ")?;
    let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).skip(1);
    let id = words.next()?.strip_prefix(b"0x")?;
    let address = words.next()?.split(|&byte| byte == b'/').nth(1)?;
    let number = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    Some((number(id)?, number(address)?))
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

    fn image() -> [Function; 7] {
        [
            function(0x100, "firmware::measure::Meter::count"),
            function(0x200, "firmware::measure::call"),
            function(0x300, "firmware::measure::aside"),
            function(0x400, "firmware::measure::paint"),
            function(0x500, "crate::step"),
            function(0x600, "crate::elsewhere"),
            function(0x700, "firmware::measure::end_row"),
        ]
    }

    const TRACE: &str = "\
        IN: call\n0x00000200:  b580       push     {r7, lr}\n0x00000202:  f05b fd17  bl       #0x500\n\
        Trace 0: 0x70 [00/00000200/01/ff] call\n\
        IN: step\n0x00000500:  ee30 0a20  vadd.f32 s0, s0, s1\n0x00000504:  ee80 0a20  vdiv.f32 s0, s0, s1\n0x00000508:  d001       beq      #0x50e\n\
        Trace 0: 0x71 [00/00000500/01/ff] step\n\
        IN: step\n0x0000050a:  4770       bx       lr\n\
        Trace 0: 0x75 [00/0000050a/01/ff] step\n\
        IN: count\n0x00000108:  3001       adds     r0, #1\n\
        Trace 0: 0x72 [00/00000108/01/ff] count\n\
        IN: elsewhere\n0x00000600:  3001       adds     r0, #1\n\
        Trace 0: 0x73 [00/00000600/01/ff] elsewhere\n\
        Trace 0: 0x70 [00/00000200/01/ff] call\n\
        Trace 0: 0x72 [00/00000108/01/ff] count\n\
        IN: aside\n0x00000300:  b580       push     {r7, lr}\n\
        Trace 0: 0x74 [00/00000300/01/ff] aside\n\
        Trace 0: 0x71 [00/00000500/01/ff] step\n\
        IN: end_row\n0x00000700:  4770       bx       lr\n\
        Trace 0: 0x76 [00/00000700/01/ff] end_row\n\
        Trace 0: 0x70 [00/00000200/01/ff] call\n\
        Trace 0: 0x76 [00/00000700/01/ff] end_row\n";

    fn spent(instructions: u64, cycles: u64) -> Spent {
        Spent { instructions, cycles }
    }

    #[test]
    fn only_measured_calls_are_counted_for_each_row() -> Result<()> {
        let rows = Reader::new(Core::M4F, &image()).read(TRACE.as_bytes(), usize::MAX)?;
        assert_eq!(rows.len(), 2);
        // The cycles of the call: push 3, bl 1, jump 2. The cycles of the step: sum 1, division 14 and 1 of waiting,
        // branch not taken 1, return 1, jump 2.
        assert_eq!(rows[0].count, 2);
        assert_eq!(rows[0].worst, spent(6, 26));
        assert_eq!(rows[0].total, spent(8, 26 + 6));
        let wanted = [("firmware::measure::call", spent(4, 12)), ("crate::step", spent(4, 20))];
        assert_eq!(rows[0].functions, wanted.map(|(name, spent)| (name.to_owned(), spent)));
        assert_eq!((rows[1].count, rows[1].total), (1, spent(2, 6)));
        assert_eq!(rows.iter().map(|row| row.instructions_p99).collect::<Vec<_>>(), [6, 2]);
        Ok(())
    }

    #[test]
    fn no_more_rows_are_read_than_asked_for() -> Result<()> {
        let rows = Reader::new(Core::M4F, &image()).read(TRACE.as_bytes(), 1)?;
        assert_eq!(rows.len(), 1);
        Ok(())
    }

    #[test]
    fn long_functions_are_left_out_of_the_trace() {
        assert_eq!(ranges(&image()), "0x0..0x3ff,0x410..0xffffffff");
    }

    #[test]
    fn a_trace_with_an_unknown_block_is_refused() {
        let trace = "Trace 0: 0x70 [00/00000200/01/ff] call\n";
        let read = Reader::new(Core::M4F, &image()).read(trace.as_bytes(), 1);
        assert!(read.is_err());
    }
}
