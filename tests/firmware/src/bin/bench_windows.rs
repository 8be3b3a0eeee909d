//! What every kernel learner takes at many windows: the mean of a trial after the window is full, and the worst of it, of the filling
//! and of seven hostile streams.
//! `cargo harness budget` is fitted to these rows. Some sizes are kept out of the fit, to see how wrong it is.
//! A new learner is one line in `learners`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::hebbian::{GhaSettings, KernelGha, KernelOja, PointBudget};
    use eigenstream::kernel::{
        Centering, Gaussian, GramEigen, GramWindow, KernelPca, OnlineKernelPca, OnlineKernelSettings, Refresh,
    };
    use eigenstream_firmware::hostile::Hostile;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::trials::{self, Lengths, Step};

    type Kernel = Gaussian<f32>;

    /// A window, the kernel PCA fitted to it anew at each sample once it is full, and the room that this takes.
    struct Refitted<const DIM: usize, const KEEP: usize, const WINDOW: usize> {
        window: GramWindow<f32, Kernel, DIM, WINDOW>,
        room: GramEigen<f32, WINDOW>,
        pca: KernelPca<f32, Kernel, DIM, WINDOW, KEEP>,
    }

    impl<const DIM: usize, const KEEP: usize, const WINDOW: usize> Refitted<DIM, KEEP, WINDOW> {
        fn new() -> Self {
            Self {
                window: GramWindow::new(Kernel::DEFAULT),
                room: GramEigen::new(),
                pca: KernelPca::new(Kernel::DEFAULT, Centering::Centered),
            }
        }

        fn step(&mut self, sample: &[f32; DIM]) {
            let _ = black_box(self.window.push(sample));
            if self.window.len() == WINDOW {
                let _ = black_box(self.pca.fit(&self.window, &mut self.room));
            }
        }
    }

    /// Samples after the window is full, of the standard stream and of each hostile one.
    const FEW: (u32, u32) = (40, 6);
    /// For a learner whose trials are cheap.
    const MANY: (u32, u32) = (200, Hostile::LENGTH);

    fn measure<L, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
        meter: &mut Meter,
        variant: &str,
        (standard, hostile): (u32, u32),
        start: fn() -> L,
        step: Step<L, DIM>,
    ) {
        let head =
            format_args!("bench workload=windows variant={variant} dim={DIM} keep={KEEP} window={WINDOW} kernel=gauss");
        let lengths = Lengths {
            filling: WINDOW as u32,
            standard,
            hostile,
        };
        trials::measure::<L, DIM, KEEP>(meter, head, lengths, start, step);
    }

    /// Every learner at one size. `$rank` is 2k + 2, or all directions.
    macro_rules! learners {
        ($meter:expr, $($dim:literal / $keep:literal / $rank:literal / $window:literal),* $(,)?) => { $(
            measure::<OnlineKernelPca<f32, Kernel, $dim, $keep, $window, $rank>, $dim, $keep, $window>($meter, "kernel_exact", FEW,
                || OnlineKernelPca::new(Kernel::DEFAULT, OnlineKernelSettings::DEFAULT.with_refresh(Refresh::Exact)),
                |pca, sample, rng| { let _ = black_box(pca.step(sample, rng)); });
            measure::<OnlineKernelPca<f32, Kernel, $dim, $keep, $window, $rank>, $dim, $keep, $window>($meter, "kernel_fast", FEW,
                || OnlineKernelPca::new(Kernel::DEFAULT, OnlineKernelSettings::DEFAULT.with_refresh(Refresh::Fast)),
                |pca, sample, rng| { let _ = black_box(pca.step(sample, rng)); });
            measure::<Refitted<$dim, $keep, $window>, $dim, $keep, $window>($meter, "kernel_batch", FEW,
                Refitted::new,
                |pca, sample, _| pca.step(sample));
            measure::<KernelOja<f32, Kernel, $dim, $window>, $dim, $keep, $window>($meter, "kernel_oja", MANY,
                || KernelOja::new(Kernel::DEFAULT, GhaSettings::DEFAULT, PointBudget::DEFAULT),
                |oja, sample, _| { let _ = black_box(oja.step(sample)); });
            measure::<KernelGha<f32, Kernel, $dim, $keep, $window>, $dim, $keep, $window>($meter, "kernel_gha", MANY,
                || KernelGha::new(Kernel::DEFAULT, GhaSettings::DEFAULT, PointBudget::DEFAULT),
                |gha, sample, _| { let _ = black_box(gha.step(sample)); });
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
            3 / 1 / 4 / 8,
            6 / 2 / 6 / 8,
            6 / 2 / 6 / 16,
            20 / 4 / 10 / 16,
            12 / 2 / 6 / 20,
            6 / 2 / 6 / 24,
            6 / 4 / 10 / 32,
            20 / 2 / 6 / 32,
            12 / 4 / 10 / 40,
            20 / 4 / 10 / 48,
            6 / 2 / 6 / 64,
            20 / 4 / 10 / 64,
        );
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
