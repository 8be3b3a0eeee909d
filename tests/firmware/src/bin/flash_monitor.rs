//! What W4 costs in flash: the least program that watches a six-axis inertial sensor, from counts to verdict.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;
    use eigenstream::monitor::{Counts, Monitor, MonitorSettings};
    use eigenstream::pca::{TrackingPca, TrackingSettings};

    type Pca = TrackingPca<f32, 6, 2, 6>;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let mut monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
        loop {
            if let Ok(counts) = Counts::<f32, 6>::new(black_box([1.0 / 16_384.0; 6]), [0; 6]) {
                let sample = counts.convert(&black_box([0_i16; 6]));
                let _ = black_box(monitor.observe(&sample));
            }
        }
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
