//! A tracker with an executor: embassy's channel from the interrupt to a task. The graph is SysTick at 1 kHz → channel →
//! TrackingPca.
//!
//! `try_send` in the interrupt never waits; samples that do not fit are counted. The task sleeps until a sample comes. The
//! program runs for two seconds.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::cell::RefCell;
    use core::sync::atomic::{AtomicU32, Ordering};

    use cortex_m::peripheral::syst::SystClkSource;
    use cortex_m_rt::exception;
    use critical_section::Mutex;
    use eigenstream_board::{Idle, PCA, Pca, SEED, Sample, Sensor};
    use embassy_executor::Spawner;
    use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
    use embassy_sync::channel::Channel;
    use semihosting::println;
    use static_cell::ConstStaticCell;

    /// Two seconds at 1 kHz.
    const SAMPLES: u32 = 2_000;

    /// Ticks of SysTick between two samples, 1 kHz: the clock of this board has 25 MHz.
    const PERIOD: u32 = 25_000;

    static LEARNER: ConstStaticCell<Pca> = ConstStaticCell::new(PCA);
    static WAITING: Channel<CriticalSectionRawMutex, Sample, 8> = Channel::new();
    static SENSOR: Mutex<RefCell<Option<Sensor>>> = Mutex::new(RefCell::new(None));
    static LOST: AtomicU32 = AtomicU32::new(0);

    #[exception]
    fn SysTick() {
        critical_section::with(|token| {
            if let Some(sensor) = SENSOR.borrow_ref_mut(token).as_mut()
                && WAITING.try_send(sensor.read()).is_err()
            {
                LOST.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    #[embassy_executor::main]
    async fn main(_spawner: Spawner) {
        let Some(mut peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        critical_section::with(|token| *SENSOR.borrow_ref_mut(token) = Some(Sensor::new()));
        let systick = &mut peripherals.SYST;
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(PERIOD - 1);
        systick.clear_current();
        systick.enable_interrupt();
        systick.enable_counter();

        let mut idle = Idle::new(LEARNER.take(), SEED);
        while idle.learned < SAMPLES {
            let sample = WAITING.receive().await;
            if idle.learn(&sample).is_err() {
                semihosting::process::exit(1)
            }
        }
        println!(
            "{} learned, {} lost, total loss {} ({:08x})",
            idle.learned,
            LOST.load(Ordering::Relaxed),
            idle.loss,
            idle.loss.to_bits()
        );
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
