//! A log with defmt: the chip sends an index and the raw numbers; the text stays in the image on the PC. The graph is sensor →
//! TrackingPca → trials and warnings → log.
//!
//! The types of the crate implement `defmt::Format`. With the feature `defmt` the crate also logs refused samples. `cargo harness
//! log` runs the program and shows the text and the number of bytes sent.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    // Linked for their side effects: a critical section, and the output of the log.
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
                // A broken wire.
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
