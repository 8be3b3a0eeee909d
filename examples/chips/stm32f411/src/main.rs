//! STM32F411 (Nucleo-F411RE): a timer interrupt reads four analog inputs at 1 kHz, the main thread learns, the log goes over
//! RTT. The blue button saves the monitor.
//!
//! The interrupt never waits for the thread: it puts the counts into a queue, and counts the samples that do not fit.
#![no_std]
#![no_main]

#[path = "../../watch.rs"]
mod watch;

use core::cell::RefCell;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use critical_section::Mutex;
use defmt::{error, info, warn};
use defmt_rtt as _;
use eigenstream::monitor::Counts;
use eigenstream::{constant, storage::Slots};
use heapless::spsc::{Producer, Queue};
use panic_probe as _;
use static_cell::StaticCell;
use stm32f4xx_hal::adc::{Adc, config::AdcConfig, config::SampleTime};
use stm32f4xx_hal::flash::{FlashExt, LockedFlash, UnlockedFlash};
use stm32f4xx_hal::gpio::{Analog, PA0, PA1, PA4, PB0};
use stm32f4xx_hal::pac::{ADC1, Interrupt, Peripherals, TIM2, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::timer::{CounterUs, Event};
use stm32f4xx_hal::watchdog::IndependentWatchdog;
use watch::{CHANNELS, Refusal, Reporter};

/// The last two sectors of the flash, 128 kB each. memory.x leaves them free.
const REGION: Range<u32> = 0x4_0000..0x8_0000;

const _: () = assert!(
    watch::has_room(&REGION),
    "the image is longer than a slot: REGION needs more pages, and memory.x must leave them free"
);

/// 12 bits for 3.3 V, in volts.
const VOLTS: Counts<f32, CHANNELS> = constant!(Counts::new([3.3 / 4096.0; CHANNELS], [0; CHANNELS]));

/// A sample as the converter gives it.
type Raw = [u16; CHANNELS];

/// The queue holds one sample less. Sometimes the monitor takes longer than a millisecond.
const WAITING: usize = 16;

static QUEUE: StaticCell<Queue<Raw, WAITING>> = StaticCell::new();
static SAMPLER: Mutex<RefCell<Option<Sampler>>> = Mutex::new(RefCell::new(None));
static LOST: AtomicU32 = AtomicU32::new(0);

type Inputs = (PA0<Analog>, PA1<Analog>, PA4<Analog>, PB0<Analog>);

struct Sampler {
    timer: CounterUs<TIM2>,
    converter: Adc<ADC1>,
    inputs: Inputs,
    queue: Producer<'static, Raw>,
}

impl Sampler {
    fn read(&mut self) -> Raw {
        let (a, b, c, d) = &self.inputs;
        let time = SampleTime::Cycles_84;
        [
            self.converter.convert(a, time),
            self.converter.convert(b, time),
            self.converter.convert(c, time),
            self.converter.convert(d, time),
        ]
    }
}

#[interrupt]
fn TIM2() {
    critical_section::with(|token| {
        if let Some(sampler) = SAMPLER.borrow_ref_mut(token).as_mut() {
            let _ = sampler.timer.wait();
            let counts = sampler.read();
            if sampler.queue.enqueue(counts).is_err() {
                LOST.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
}

fn with_slots<R>(
    flash: &mut LockedFlash,
    work: impl FnOnce(&mut Slots<UnlockedFlash<'_>>) -> Result<R, Refusal>,
) -> Result<R, Refusal> {
    let mut slots = Slots::new(flash.unlocked(), REGION)?;
    work(&mut slots)
}

#[entry]
fn main() -> ! {
    let chip = defmt::unwrap!(Peripherals::take());
    let mut clocks = chip.RCC.freeze(Config::hsi().sysclk(84.MHz()));
    let monitor = watch::MONITOR.take();
    let mut flash = LockedFlash::new(chip.FLASH);
    match with_slots(&mut flash, |slots| watch::restore(monitor, slots)) {
        Ok(start) => info!("{}", start),
        Err(refusal) => warn!("a fresh monitor: {}", refusal),
    }

    let (a, b, c) = (
        chip.GPIOA.split(&mut clocks),
        chip.GPIOB.split(&mut clocks),
        chip.GPIOC.split(&mut clocks),
    );
    let button = c.pc13.into_pull_up_input();
    let mut timer = chip.TIM2.counter_us(&mut clocks);
    defmt::unwrap!(timer.start(1.millis()));
    timer.listen(Event::Update);
    let (queue, mut samples) = QUEUE.init(Queue::new()).split();
    let sampler = Sampler {
        timer,
        converter: Adc::new(chip.ADC1, true, AdcConfig::default(), &mut clocks),
        inputs: (
            a.pa0.into_analog(),
            a.pa1.into_analog(),
            a.pa4.into_analog(),
            b.pb0.into_analog(),
        ),
        queue,
    };
    critical_section::with(|token| SAMPLER.borrow_ref_mut(token).replace(sampler));

    // Erasing a sector takes up to four seconds, and the core stops meanwhile.
    let mut watchdog = IndependentWatchdog::new(chip.IWDG);
    watchdog.stop_on_debug(&chip.DBGMCU, true);
    watchdog.start(8_000.millis());
    // SAFETY: no critical section relies on the mask of TIM2, because `critical_section::with` disables all interrupts.
    unsafe { NVIC::unmask(Interrupt::TIM2) };

    let mut reporter = Reporter::new();
    let mut pressed = false;
    loop {
        // Not more than the queue holds: if the monitor is too slow, the queue never empties, and the watchdog must still be fed.
        for counts in core::iter::from_fn(|| samples.dequeue()).take(WAITING) {
            match reporter.observe(monitor, &VOLTS.convert(&counts)) {
                Ok(Some(news)) => info!("{}", news),
                Ok(None) => {}
                Err(refusal) => warn!("{}", refusal),
            }
        }
        let lost = LOST.swap(0, Ordering::Relaxed);
        if lost > 0 {
            warn!("{} samples lost", lost);
            monitor.interrupt();
        }
        watchdog.feed();
        let was_pressed = core::mem::replace(&mut pressed, button.is_low());
        if pressed && !was_pressed {
            match with_slots(&mut flash, |slots| watch::save(monitor, slots)) {
                Ok(()) => info!("saved"),
                Err(refusal) => error!("not saved: {}", refusal),
            }
        }
        cortex_m::asm::wfi();
    }
}
