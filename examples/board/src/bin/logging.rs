//! A log by defmt: the chip sends an index and the bare numbers, the text stays in the image on the PC. The graph is sensor →
//! TrackingPca → trials and warnings → log.
//!
//! The crate's own types log themselves (`defmt::Format`), and with the feature on the crate says when it refuses a sample.
//! Built with `--features defmt` and `DEFMT_LOG=info`; `cargo harness log` runs it and shows the text and the bytes it took.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    // Linked for what it provides: a critical section, and where the log goes.
    use cortex_m as _;
    use defmt_semihosting as _;
    use eigenstream::Learner;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_board::{PCA, Pca, SEED, Sensor};
    use rand_xoshiro::Xoshiro128PlusPlus;
    use static_cell::ConstStaticCell;

    static LEARNER: ConstStaticCell<Pca> = ConstStaticCell::new(PCA);

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let pca = LEARNER.take();
        let mut sensor = Sensor::new();
        let mut chance = Xoshiro128PlusPlus::seed_from_u64(SEED);
        defmt::info!("seed {=u64}, {=usize} bytes", SEED, size_of::<Pca>());
        for t in 0..40_u32 {
            let mut sample = sensor.read();
            if t == 25 {
                // A wire comes loose.
                sample[3] = f32::NAN;
            }
            match pca.step(&sample, &mut chance) {
                Ok(trial) if t % 10 == 9 => defmt::info!("sample {=u32}: {}", t, trial),
                Ok(_) => {}
                Err(error) => defmt::error!("sample {=u32}: {}", t, error),
            }
        }
        match Learner::score(pca, &[0.5; 6]) {
            Ok(score) => defmt::info!("score of a sample that does not fit: {=f32}", score),
            Err(error) => defmt::error!("{}", error),
        }
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
