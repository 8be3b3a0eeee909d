//! nRF52840 (nRF52840-DK): four analog inputs by SAADC at 100 Hz, with the executor of embassy and a log over RTT. Button 1
//! saves the monitor.
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
use embassy_nrf::gpio::{Input, Pull};
use embassy_nrf::nvmc::Nvmc;
use embassy_nrf::saadc::{self, ChannelConfig, Saadc};
use embassy_nrf::{bind_interrupts, wdt};
use embassy_time::{Duration, Ticker};
use panic_probe as _;
use watch::{CHANNELS, Reporter};

/// The last two pages of the flash. memory.x leaves them free.
const REGION: Range<u32> = 0xf_e000..0x10_0000;

const _: () = assert!(
    watch::has_room(&REGION),
    "the image is longer than a slot: REGION needs more pages, and memory.x must leave them free"
);

/// 12 bits for 3.6 V, in volts.
const VOLTS: Counts<f32, CHANNELS> = constant!(Counts::new([3.6 / 4096.0; CHANNELS], [0; CHANNELS]));

bind_interrupts!(struct Interrupts {
    SAADC => saadc::InterruptHandler;
});

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let chip = embassy_nrf::init(embassy_nrf::config::Config::default());
    let monitor = watch::MONITOR.take();
    let Ok(mut slots) = Slots::new(Nvmc::new(chip.NVMC), REGION) else {
        defmt::panic!("REGION is not two slots of whole pages within the flash");
    };
    match watch::restore(monitor, &mut slots) {
        Ok(start) => info!("{}", start),
        Err(refusal) => warn!("a fresh monitor: {}", refusal),
    }

    let inputs = [
        ChannelConfig::single_ended(chip.P0_02),
        ChannelConfig::single_ended(chip.P0_03),
        ChannelConfig::single_ended(chip.P0_04),
        ChannelConfig::single_ended(chip.P0_05),
    ];
    let mut converter = Saadc::new(chip.SAADC, Interrupts, saadc::Config::default(), inputs);
    converter.calibrate().await;
    let button = Input::new(chip.P0_11, Pull::Up);

    // A save takes some 0.2 s, and the loop does not feed the watchdog meanwhile.
    let mut settings = wdt::Config::default();
    settings.timeout_ticks = 2 * 32_768;
    settings.action_during_debug_halt = wdt::HaltConfig::Pause;
    let Ok((_, [mut watchdog])) = wdt::Watchdog::try_new(chip.WDT, settings) else {
        defmt::panic!("the boot loader has started the watchdog with other settings");
    };

    let mut reporter = Reporter::new();
    let mut pressed = false;
    let mut ticker = Ticker::every(Duration::from_hz(100));
    loop {
        let mut counts = [0; CHANNELS];
        converter.sample(&mut counts).await;
        match reporter.observe(monitor, &VOLTS.convert(&counts)) {
            Ok(Some(news)) => info!("{}", news),
            Ok(None) => {}
            Err(refusal) => warn!("{}", refusal),
        }
        watchdog.pet();
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
