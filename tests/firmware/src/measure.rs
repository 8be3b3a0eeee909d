//! Instructions and stack of one call, on the emulated chip.
//! Instructions: with `-icount shift=6` QEMU's clock advances 64 ns per instruction, and SysTick counts that time. The
//! counts are exact and repeatable. They are not cycles: a division counts as one instruction.
//! Stack: the unused stack is painted before the call and searched for the lowest changed word after it.

use core::hint::black_box;
use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::exception;
use semihosting::println;

/// A panic ends the program with a failure.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}

/// SysTick has 24 bits, enough for 10.5 million instructions on the mps2-an386; its interrupt counts the overflows.
const RELOAD: u32 = 0x00ff_ffff;
static WRAPS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    // A load and a store are enough: only this handler writes the variable, and a Cortex-M0 has no atomic addition.
    WRAPS.store(WRAPS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// A time in ticks, for differences only; SysTick itself counts down.
fn ticks() -> u64 {
    loop {
        let wraps = WRAPS.load(Ordering::Relaxed);
        let current = SYST::get_current();
        if wraps == WRAPS.load(Ordering::Relaxed) {
            return u64::from(wraps) * (u64::from(RELOAD) + 1) + u64::from(RELOAD - current);
        }
    }
}

/// Nanoseconds per instruction with `-icount shift=6`.
const NANOSECONDS: u64 = 64;

/// Most bytes painted below the stack pointer: more than any call of the crate uses.
///
/// A naive step of 64 channels or points uses more and is reported as using `PAINTED` + `GAP` bytes.
pub const PAINTED: usize = 128 * 1024;
const PAINT: u32 = 0x57ac_c0de;
/// Bytes below the stack pointer that are not painted; a call that uses fewer is reported as using `GAP` bytes.
const GAP: usize = 96;

/// Cost of one call.
pub struct Sample {
    /// Executed instructions.
    pub instructions: u32,
    /// Bytes of stack.
    pub stack: u32,
}

/// Cost of several calls.
#[derive(Default)]
pub struct Cost {
    total: u64,
    calls: u32,
    /// Most instructions of one call.
    pub worst: u32,
    /// Most bytes of stack of one call.
    pub stack: u32,
}

impl Cost {
    /// Adds one call.
    pub fn add(&mut self, sample: Sample) {
        self.total += u64::from(sample.instructions);
        self.calls += 1;
        self.worst = self.worst.max(sample.instructions);
        self.stack = self.stack.max(sample.stack);
    }

    /// Mean instructions of a call.
    pub fn mean(&self) -> u64 {
        self.total / u64::from(self.calls.max(1))
    }
}

/// Measures calls with SysTick.
pub struct Meter {
    systick: SYST,
    megahertz: u64,
    empty: u32,
    depth: usize,
}

impl Meter {
    /// Starts the counter.
    pub fn new(mut systick: SYST) -> Self {
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(RELOAD);
        systick.clear_current();
        systick.enable_interrupt();
        systick.enable_counter();
        let mut meter = Self {
            systick,
            megahertz: clock(),
            empty: 0,
            depth: PAINTED,
        };
        meter.empty = meter.measure(|| {}).instructions;
        meter
    }

    /// Sets the number of bytes of stack to paint; with fewer bytes, many short calls are faster.
    #[must_use]
    pub fn with_depth(mut self, bytes: usize) -> Self {
        self.depth = bytes;
        self
    }

    /// Measures one call; a trace counts this call in the row printed next.
    pub fn measure(&mut self, work: impl FnOnce()) -> Sample {
        self.count(|| call(work))
    }

    /// Measures one call that is not part of the row, such as filling a learner; a trace leaves the call out.
    pub fn measure_aside(&mut self, work: impl FnOnce()) -> Sample {
        self.count(|| aside(work))
    }

    #[inline(never)]
    fn count(&mut self, work: impl FnOnce()) -> Sample {
        let top = cortex_m::register::msp::read() as usize;
        paint(top, self.depth);
        // Restarts the counter, so that its interrupt, which takes stack, does not come soon.
        self.systick.clear_current();
        while SYST::get_current() == 0 {}
        let before = ticks();
        work();
        let passed = ticks() - before;
        let ticks_per_thousand = NANOSECONDS * self.megahertz;
        let instructions = ((passed * 1000 + ticks_per_thousand / 2) / ticks_per_thousand) as u32;
        Sample {
            instructions: instructions.saturating_sub(self.empty),
            stack: used(top, self.depth),
        }
    }
}

/// Clock of the board in MHz, measured with a loop of a known number of instructions.
fn clock() -> u64 {
    const ROUNDS: u32 = 100_000;
    let before = ticks();
    cortex_m::asm::delay(ROUNDS);
    let passed = ticks() - before;
    // A round of `delay` is two instructions.
    let nanoseconds = u64::from(ROUNDS) * 2 * NANOSECONDS;
    (passed * 1000 + nanoseconds / 2) / nanoseconds
}

/// Runs a measured call; not inlined, so that the stack of `work` lies in the painted part.
#[inline(never)]
fn call(work: impl FnOnce()) {
    work();
}

/// Runs a call that is not part of the row; not inlined, so that a trace can leave it out.
#[inline(never)]
fn aside(work: impl FnOnce()) {
    work();
}

/// The trace ends a row here; the value keeps the call from being optimised away.
#[inline(never)]
pub fn end_row() {
    black_box(0_u8);
}

/// Prints one row and marks its end for the trace.
#[macro_export]
macro_rules! print_row {
    ($($text:tt)*) => {{
        semihosting::println!($($text)*);
        $crate::measure::end_row();
    }};
}

/// The entry of a measuring program: runs the body with a [`Meter`] that paints `$depth` bytes, by default [`PAINTED`],
/// then exits.
#[macro_export]
macro_rules! measuring_program {
    (|$meter:ident| $body:block) => {
        $crate::measuring_program!($crate::measure::PAINTED, |$meter| $body);
    };
    ($depth:expr, |$meter:ident| $body:block) => {
        #[cortex_m_rt::entry]
        fn main() -> ! {
            let Some(peripherals) = cortex_m::Peripherals::take() else {
                semihosting::process::exit(1)
            };
            let mut $meter = $crate::measure::Meter::new(peripherals.SYST).with_depth($depth);
            $body;
            semihosting::process::exit(0)
        }
    };
}

/// Paints the stack below `top`.
#[inline(never)]
#[allow(unsafe_code)]
fn paint(top: usize, depth: usize) {
    let top = top - GAP;
    for address in (bottom(top, depth)..top).step_by(4) {
        // SAFETY: the addresses are RAM below the stack pointer, which nothing else uses.
        unsafe { write_volatile(address as *mut u32, PAINT) };
    }
}

/// Lowest painted address: at most `depth` bytes below `top`, and above the program's variables.
fn bottom(top: usize, depth: usize) -> usize {
    (top - depth).max(cortex_m_rt::heap_start() as usize).min(top)
}

/// Bytes from `top` down to the lowest changed word.
#[inline(never)]
#[allow(unsafe_code)]
fn used(top: usize, depth: usize) -> u32 {
    let painted = top - GAP;
    let lowest = (bottom(painted, depth)..painted)
        .step_by(4)
        // SAFETY: as in `paint`.
        .find(|&address| unsafe { read_volatile(address as *const u32) } != PAINT);
    (top - lowest.unwrap_or(painted)) as u32
}
