//! ESP32-C3 (ESP32-C3-DevKitM-1, RISC-V): four analog inputs at 100 Hz in one loop, with a log over the serial line. The button
//! BOOT saves the monitor.
#![no_std]
#![no_main]

#[path = "../../watch.rs"]
mod watch;

use core::ops::Range;

use defmt::{error, info, warn};
use eigenstream::monitor::Counts;
use eigenstream::{constant, storage::Slots};
use esp_backtrace as _;
use esp_hal::analog::adc::{Adc, AdcConfig, Attenuation};
use esp_hal::gpio::{Input, InputConfig, Pull};
use esp_hal::main;
use esp_hal::rtc_cntl::{Rtc, RwdtStage};
use esp_hal::time::{Duration, Instant};
use esp_println as _;
use esp_storage::FlashStorage;
use watch::{CHANNELS, Reporter};

esp_bootloader_esp_idf::esp_app_desc!();

/// The partition `learner` of partitions.csv: two pages.
const REGION: Range<u32> = 0x3f_e000..0x40_0000;

const _: () = assert!(
    watch::has_room(&REGION),
    "the image is longer than a slot: REGION needs more pages, and partitions.csv must leave them free"
);

/// 12 bits for some 2.5 V, in volts.
const VOLTS: Counts<f32, CHANNELS> = constant!(Counts::new([2.5 / 4096.0; CHANNELS], [0; CHANNELS]));

/// Time between two samples.
const PERIOD: Duration = Duration::from_millis(10);

#[main]
fn main() -> ! {
    let chip = esp_hal::init(esp_hal::Config::default());
    let monitor = watch::MONITOR.take();
    let Ok(mut slots) = Slots::new(FlashStorage::new(chip.FLASH), REGION) else {
        defmt::panic!("REGION is not two slots of whole pages within the flash");
    };
    match watch::restore(monitor, &mut slots) {
        Ok(start) => info!("{}", start),
        Err(refusal) => warn!("a fresh monitor: {}", refusal),
    }

    let mut settings = AdcConfig::new();
    let mut a = settings.enable_pin(chip.GPIO0, Attenuation::_11dB);
    let mut b = settings.enable_pin(chip.GPIO1, Attenuation::_11dB);
    let mut c = settings.enable_pin(chip.GPIO3, Attenuation::_11dB);
    let mut d = settings.enable_pin(chip.GPIO4, Attenuation::_11dB);
    let mut converter = Adc::new(chip.ADC1, settings);
    let button = Input::new(chip.GPIO9, InputConfig::default().with_pull(Pull::Up));
    // A save takes some 0.2 s, and the loop does not feed the watchdog meanwhile.
    let mut clock = Rtc::new(chip.RTC_TIMER);
    clock.rwdt.set_timeout(RwdtStage::Stage0, Duration::from_secs(2));
    clock.rwdt.enable();

    let mut reporter = Reporter::new();
    let mut pressed = false;
    let mut next = Instant::now();
    loop {
        let read = [
            nb::block!(converter.read_oneshot(&mut a)).ok(),
            nb::block!(converter.read_oneshot(&mut b)).ok(),
            nb::block!(converter.read_oneshot(&mut c)).ok(),
            nb::block!(converter.read_oneshot(&mut d)).ok(),
        ];
        if let [Some(a), Some(b), Some(c), Some(d)] = read {
            match reporter.observe(monitor, &VOLTS.convert(&[a, b, c, d])) {
                Ok(Some(news)) => info!("{}", news),
                Ok(None) => {}
                Err(refusal) => warn!("{}", refusal),
            }
        } else {
            monitor.interrupt();
        }
        clock.rwdt.feed();
        let was_pressed = core::mem::replace(&mut pressed, button.is_low());
        if pressed && !was_pressed {
            match watch::save(monitor, &mut slots) {
                Ok(()) => info!("saved"),
                Err(refusal) => error!("not saved: {}", refusal),
            }
        }
        next += PERIOD;
        while Instant::now() < next {}
    }
}
