//! p
#![cfg_attr(target_os = "none", no_std, no_main)]
#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::pca::{TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;
    #[cortex_m_rt::entry]
    fn main() -> ! {
        let mut pca = TrackingPca::<f32, 20, 2, 6>::new(TrackingSettings::DEFAULT);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut stream = Shift::<20>::new(1);
        let mut loss = 0.0;
        for _ in 0..100 {
            let sample = stream.next_sample();
            if let Ok(trial) = black_box(&mut pca).step(black_box(&sample), &mut rng) {
                loss += trial.expected_loss;
            }
        }
        black_box(loss);
        let _ = (Meter::new, Cost::default);
        println!("x");
        semihosting::process::exit(0)
    }
}
#[cfg(not(target_os = "none"))]
fn main() {}
