//! RP2040 (Raspberry Pi Pico): three analog inputs and the temperature of the chip at 100 Hz, with the executor of embassy and
//! a log over RTT. A button between GPIO 15 and ground saves the monitor.
#![no_std]
#![no_main]

#[path = "../../watch.rs"]
mod watch;

use core::ops::Range;

use defmt::{error, info, warn};
use defmt_rtt as _;
use eigenstream::monitor::Counts;
use eigenstream::{constant, storage::Slots};
use embassy_executor::Spawner;
use embassy_rp::adc::{self, Adc, Channel};
use embassy_rp::flash::{Blocking, Flash};
use embassy_rp::gpio::{Input, Pull};
use embassy_rp::peripherals::FLASH;
use embassy_rp::{bind_interrupts, watchdog::Watchdog};
use embassy_time::{Duration, Ticker};
use panic_probe as _;
use watch::{CHANNELS, Reporter};

const FLASH_BYTES: usize = 2 * 1024 * 1024;

/// The last two pages of the flash, sectors of 4 KiB. memory.x leaves them free.
const REGION: Range<u32> = 0x1f_e000..0x20_0000;

const _: () = assert!(
    watch::has_room(&REGION),
    "the image is longer than a slot: REGION needs more pages, and memory.x must leave them free"
);

/// 12 bits for 3.3 V, in volts.
const VOLTS: Counts<f32, CHANNELS> = constant!(Counts::new([3.3 / 4096.0; CHANNELS], [0; CHANNELS]));

/// Timeout of the watchdog. A save takes some 0.2 s, and the loop does not feed the watchdog meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);

bind_interrupts!(struct Interrupts {
    ADC_IRQ_FIFO => adc::InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let chip = embassy_rp::init(embassy_rp::config::Config::default());
    let monitor = watch::MONITOR.take();
    let flash = Flash::<FLASH, Blocking, FLASH_BYTES>::new_blocking(chip.FLASH);
    let Ok(mut slots) = Slots::new(flash, REGION) else {
        defmt::panic!("REGION is not two slots of whole pages within the flash");
    };
    match watch::restore(monitor, &mut slots) {
        Ok(start) => info!("{}", start),
        Err(refusal) => warn!("a fresh monitor: {}", refusal),
    }

    let mut inputs = [
        Channel::new_pin(chip.PIN_26, Pull::None),
        Channel::new_pin(chip.PIN_27, Pull::None),
        Channel::new_pin(chip.PIN_28, Pull::None),
        Channel::new_temp_sensor(chip.ADC_TEMP_SENSOR),
    ];
    let mut converter = Adc::new(chip.ADC, Interrupts, adc::Config::default());
    let button = Input::new(chip.PIN_15, Pull::Up);
    let mut watchdog = Watchdog::new(chip.WATCHDOG);
    watchdog.pause_on_debug(true);
    watchdog.start(PATIENCE);

    let mut reporter = Reporter::new();
    let mut pressed = false;
    let mut ticker = Ticker::every(Duration::from_hz(100));
    loop {
        let mut counts = [0_u16; CHANNELS];
        let mut converted = true;
        for (count, input) in counts.iter_mut().zip(&mut inputs) {
            match converter.read(input).await {
                Ok(read) => *count = read,
                Err(_) => converted = false,
            }
        }
        if converted {
            match reporter.observe(monitor, &VOLTS.convert(&counts)) {
                Ok(Some(news)) => info!("{}", news),
                Ok(None) => {}
                Err(refusal) => warn!("{}", refusal),
            }
        } else {
            monitor.interrupt();
        }
        watchdog.feed(PATIENCE);
        let was_pressed = core::mem::replace(&mut pressed, button.is_low());
        if pressed && !was_pressed {
            match watch::save(monitor, &mut slots) {
                Ok(()) => info!("saved"),
                Err(refusal) => error!("not saved: {}", refusal),
            }
        }
        ticker.next().await;
    }
}
