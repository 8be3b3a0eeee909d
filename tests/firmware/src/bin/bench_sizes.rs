//! What every learner takes at many sizes: the mean on a stream that fits the directions kept and changes once, and the worst of it
//! and of seven hostile ones.
//! `cargo harness budget` is fitted to these rows. Some sizes are kept out of the fit, to see how wrong it is.
//! A new learner is one line in `learners`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::monitor::{Monitor, MonitorSettings};
    use eigenstream::pca::{CenteredPca, CenteredSettings, DensityPca, DensitySettings, TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::workload::{Shift, Sources};
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;

    /// Samples of the stream; the subspace changes once.
    const STANDARD: u32 = Shift::<2>::SEGMENT + 60;

    /// Runs a fresh learner on every stream.
    #[inline(never)]
    fn measure<L, const DIM: usize, const KEEP: usize>(
        meter: &mut Meter,
        variant: &str,
        start: fn() -> L,
        step: fn(&mut L, &[f32; DIM], &mut Xoshiro128PlusPlus),
    ) {
        let mut run = |samples: &mut dyn Iterator<Item = [f32; DIM]>| {
            let mut learner = start();
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
            let mut cost = Cost::default();
            for sample in samples {
                cost.add(meter.measure(|| step(black_box(&mut learner), black_box(&sample), &mut rng)));
            }
            cost
        };
        let mut stream = Sources::<DIM, KEEP>::new(1);
        let standard = run(&mut (0..STANDARD).map(|_| stream.next_sample()));
        let mut worst = (standard.worst, "shift");
        let (mut mean, mut stack) = (0, standard.stack);
        for hostile in Hostile::ALL {
            let cost = run(&mut hostile.samples());
            mean = mean.max(cost.mean());
            stack = stack.max(cost.stack);
            if cost.worst > worst.0 {
                worst = (cost.worst, hostile.name());
            }
        }
        println!(
            "bench workload=sizes variant={variant} dim={DIM} keep={KEEP} instructions_mean={} instructions_max={} hostile_mean={mean} worst_stream={} state_bytes={} stack_bytes={stack}",
            standard.mean(),
            worst.0,
            worst.1,
            size_of::<L>(),
        );
    }

    /// Every learner at one size. `$rank` is 2k + 2, or all directions.
    macro_rules! learners {
        ($meter:expr, $($dim:literal / $keep:literal / $rank:literal),* $(,)?) => { $(
            measure::<TrackingPca<f32, $dim, $keep, $rank>, $dim, $keep>($meter, "tracking",
                || TrackingPca::new(TrackingSettings::DEFAULT),
                |pca, sample, rng| { let _ = black_box(pca.step(sample, rng)); });
            measure::<CenteredPca<f32, $dim, $keep>, $dim, $keep>($meter, "centered",
                || CenteredPca::new(CenteredSettings::DEFAULT),
                |pca, sample, rng| { let _ = black_box(pca.step(sample, rng)); });
            measure::<DensityPca<f32, $dim, $keep>, $dim, $keep>($meter, "density",
                || DensityPca::new(DensitySettings::DEFAULT),
                |pca, sample, rng| { let _ = black_box(pca.step(sample, rng)); });
            measure::<Monitor<f32, TrackingPca<f32, $dim, $keep, $rank>, $dim>, $dim, $keep>($meter, "monitor",
                || Monitor::new(MonitorSettings::DEFAULT, TrackingPca::new(TrackingSettings::DEFAULT)),
                |monitor, sample, _| { let _ = black_box(monitor.observe(sample)); });
        )* };
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let Some(peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        // No call of a learner of these sizes goes deeper.
        let mut meter = Meter::new(peripherals.SYST).with_depth(16 * 1024);
        learners!(
            &mut meter,
            3 / 1 / 3,
            4 / 1 / 4,
            6 / 2 / 6,
            8 / 2 / 6,
            12 / 2 / 6,
            12 / 4 / 10,
            16 / 3 / 8,
            20 / 2 / 6,
            24 / 4 / 10,
            32 / 2 / 6,
            32 / 4 / 10,
        );
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
