//! Samples in the interrupt, learns in idle time. The graph is SysTick at 1 kHz → sensor → queue → TrackingPca.
//!
//! The interrupt never waits: it reads the sensor and puts the sample into a queue of fixed length, or counts it as lost if the
//! queue is full. The idle loop takes samples out and learns. The program runs ten seconds without a loss, then a tenth of a
//! second with a learner that takes two milliseconds a sample. On a computer it gives equal bits.
#![cfg_attr(target_os = "none", no_std, no_main)]

/// Ten seconds at 1 kHz.
const SAMPLES: u32 = 10_000;

#[cfg(target_os = "none")]
mod chip {
    use core::cell::RefCell;

    use cortex_m::asm;
    use cortex_m::peripheral::SYST;
    use cortex_m::peripheral::syst::SystClkSource;
    use cortex_m_rt::{entry, exception};
    use critical_section::Mutex;
    use eigenstream_board::{Idle, PCA, Pca, SEED, Sample, Sensor};
    use heapless::spsc::{Consumer, Producer, Queue};
    use semihosting::println;
    use static_cell::{ConstStaticCell, StaticCell};

    use super::SAMPLES;

    /// Ticks of SysTick between two samples, 1 kHz: the clock of this board has 25 MHz.
    const PERIOD: u32 = 25_000;

    /// Rounds of `asm::delay` in two milliseconds. A round has two instructions; the emulated board takes 64 ns an instruction.
    const TWO_MILLISECONDS: u32 = 2_000_000 / 64 / 2;

    /// The queue holds one sample less, so a trial may take seven periods.
    const WAITING: usize = 8;

    /// `take` returns a reference to this memory, so the learner is never on the stack.
    static LEARNER: ConstStaticCell<Pca> = ConstStaticCell::new(PCA);
    static QUEUE: StaticCell<Queue<Sample, WAITING>> = StaticCell::new();

    /// State of the interrupt.
    static INPUT: Mutex<RefCell<Option<Input>>> = Mutex::new(RefCell::new(None));

    struct Input {
        sensor: Sensor,
        queue: Producer<'static, Sample>,
        /// Samples that the interrupt still has to take.
        wanted: u32,
        lost: u32,
    }

    #[exception]
    fn SysTick() {
        critical_section::with(|token| {
            if let Some(input) = INPUT.borrow_ref_mut(token).as_mut()
                && input.wanted > 0
            {
                input.wanted -= 1;
                if input.queue.enqueue(input.sensor.read()).is_err() {
                    input.lost += 1;
                }
            }
        });
    }

    fn ask<R: Default>(question: impl FnOnce(&mut Input) -> R) -> R {
        critical_section::with(|token| INPUT.borrow_ref_mut(token).as_mut().map(question)).unwrap_or_default()
    }

    #[entry]
    fn main() -> ! {
        let Some(mut peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        let (producer, mut consumer) = QUEUE.init(Queue::new()).split();
        let mut idle = Idle::new(LEARNER.take(), SEED);
        critical_section::with(|token| {
            *INPUT.borrow_ref_mut(token) = Some(Input {
                sensor: Sensor::new(),
                queue: producer,
                wanted: 0,
                lost: 0,
            });
        });
        start(&mut peripherals.SYST);

        println!("seed {SEED}");
        watch(&mut idle, &mut consumer, SAMPLES, 0);
        println!(
            "{} samples, total loss {} ({:08x})",
            idle.learned,
            idle.loss,
            idle.loss.to_bits()
        );
        println!("two milliseconds a sample:");
        watch(&mut idle, &mut consumer, 100, TWO_MILLISECONDS);
        semihosting::process::exit(0)
    }

    /// Learns while the interrupt takes `samples` more samples, then prints the counts; waits `delay` rounds after each trial.
    fn watch(idle: &mut Idle, queue: &mut Consumer<Sample>, samples: u32, delay: u32) {
        let learned = idle.learned;
        let mut waiting = 0;
        ask(|input| (input.wanted, input.lost) = (samples, 0));
        while ask(|input| input.wanted) > 0 || queue.ready() {
            waiting = waiting.max(queue.len());
            match queue.dequeue() {
                Some(sample) => {
                    if idle.learn(&sample).is_err() {
                        semihosting::process::exit(1)
                    }
                    asm::delay(delay);
                }
                None => asm::wfi(),
            }
        }
        println!(
            "{samples} taken, {} learned, {} lost, at most {waiting} waiting",
            idle.learned - learned,
            ask(|input| input.lost)
        );
    }

    fn start(systick: &mut SYST) {
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(PERIOD - 1);
        systick.clear_current();
        systick.enable_interrupt();
        systick.enable_counter();
    }
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), eigenstream::SampleError> {
    use eigenstream_board::{Idle, PCA, SEED, Sensor};

    let mut pca = PCA;
    let (mut sensor, mut idle) = (Sensor::new(), Idle::new(&mut pca, SEED));
    for _ in 0..SAMPLES {
        idle.learn(&sensor.read())?;
    }
    println!(
        "{} samples, total loss {} ({:08x})",
        idle.learned,
        idle.loss,
        idle.loss.to_bits()
    );
    Ok(())
}
