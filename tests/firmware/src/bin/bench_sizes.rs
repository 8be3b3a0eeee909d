//! What every learner takes at many sizes: the mean on a stream that fits the directions kept and changes once, and the worst of it
//! and of seven hostile ones.
//! `cargo harness budget` is fitted to these rows. Some sizes are kept out of the fit, to see how wrong it is.
//! A new learner is one line in `learners`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, Oja};
    use eigenstream::monitor::{Monitor, MonitorSettings};
    use eigenstream::nalgebra::SMatrix;
    use eigenstream::pca::{
        BatchPca, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, TrackingPca, TrackingSettings,
        VarianceMinimizer, VarianceSettings,
    };
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::trials::{self, Lengths, Step};
    use eigenstream_firmware::workload::Shift;

    /// The subspace changes once.
    const LENGTHS: Lengths = Lengths {
        filling: 0,
        standard: Shift::<2>::SEGMENT + 60,
        hostile: Hostile::LENGTH,
    };

    fn measure<L, const DIM: usize, const KEEP: usize>(
        meter: &mut Meter,
        variant: &str,
        start: fn() -> L,
        step: Step<L, DIM>,
    ) {
        let head = format_args!("bench workload=sizes variant={variant} dim={DIM} keep={KEEP}");
        trials::measure::<L, DIM, KEEP>(meter, head, LENGTHS, start, step);
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
            measure::<BatchPca<f32, $dim, $keep>, $dim, $keep>($meter, "batch",
                || BatchPca::new(Centering::Centered),
                |pca, sample, _| { let _ = black_box(pca.learn(sample)); let _ = black_box(pca.fit()); });
            measure::<VarianceMinimizer<f32, $dim>, $dim, $keep>($meter, "variance",
                || VarianceMinimizer::new(VarianceSettings::DEFAULT),
                |minimizer, sample, rng| {
                    let covariance = SMatrix::from_fn(|row, column| sample[row] * sample[column]);
                    let _ = black_box(minimizer.step(&covariance, rng));
                });
            measure::<Oja<f32, $dim>, $dim, $keep>($meter, "oja",
                || Oja::new(GhaSettings::DEFAULT),
                |oja, sample, _| { let _ = black_box(oja.step(sample)); });
            measure::<Gha<f32, $dim, $keep>, $dim, $keep>($meter, "gha",
                || Gha::new(GhaSettings::DEFAULT),
                |gha, sample, _| { let _ = black_box(gha.step(sample)); });
            measure::<Apex<f32, $dim, $keep>, $dim, $keep>($meter, "apex",
                || Apex::new(ApexSettings::DEFAULT),
                |apex, sample, _| { let _ = black_box(apex.step(sample)); });
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
