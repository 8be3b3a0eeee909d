//! What one learner takes in flash: the least program that calls it. `cargo harness bench` links it with the call and
//! without, and takes the difference.
//! The call and its sizes are environment variables at compile time: FLASH_CALL=tracking FLASH_DIM=20 FLASH_KEEP=2.
//! A new learner is a new function and its name in `main`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;

    use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, KernelGha, KernelOja, Oja, PointBudget};
    use eigenstream::kernel::{
        Gaussian, GramEigen, GramWindow, KernelPca, OnlineKernelPca, OnlineKernelSettings, Refresh,
    };
    use eigenstream::monitor::{Counts, Monitor, MonitorSettings};
    use eigenstream::nalgebra::SMatrix;
    use eigenstream::pca::{
        BatchPca, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, TrackingPca, TrackingSettings,
        VarianceMinimizer, VarianceSettings,
    };
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::spectrum::{Eigen, PartialEigen};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const CALL: &[u8] = match option_env!("FLASH_CALL") {
        Some(name) => name.as_bytes(),
        None => b"nothing",
    };
    const DIM: usize = number(option_env!("FLASH_DIM"), 6);
    const KEEP: usize = number(option_env!("FLASH_KEEP"), 2);
    const WINDOW: usize = number(option_env!("FLASH_WINDOW"), 16);
    /// 2k + 2, or all directions.
    const RANK: usize = if 2 * KEEP + 2 < DIM { 2 * KEEP + 2 } else { DIM };
    /// The same for a window.
    const WINDOW_RANK: usize = if 2 * KEEP + 2 < WINDOW { 2 * KEEP + 2 } else { WINDOW };

    const fn number(text: Option<&str>, otherwise: usize) -> usize {
        let Some(text) = text else { return otherwise };
        let mut number = 0;
        let mut place = 0;
        while place < text.len() {
            number = 10 * number + (text.as_bytes()[place] - b'0') as usize;
            place += 1;
        }
        number
    }

    /// Known when the program is compiled: what is not called is not linked.
    const fn is(name: &[u8]) -> bool {
        let mut same = name.len() == CALL.len();
        let mut place = 0;
        while same && place < name.len() {
            same = name[place] == CALL[place];
            place += 1;
        }
        same
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        // Both are in the program without the call too.
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let sample = black_box([0.5_f32; DIM]);
        macro_rules! calls {
            ($($learner:ident),* $(,)?) => { $(
                if const { is(stringify!($learner).as_bytes()) } {
                    $learner(&sample, &mut rng);
                }
            )* };
        }
        calls![
            tracking,
            centered,
            density,
            batch,
            variance,
            oja,
            gha,
            apex,
            monitor,
            full,
            values,
            kernel_exact,
            kernel_fast,
            kernel_batch,
            kernel_oja,
            kernel_gha,
        ];
        loop {
            black_box((&sample, &rng));
        }
    }

    type Sample = [f32; DIM];

    fn tracking(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        let mut pca = black_box(TrackingPca::<f32, DIM, KEEP, RANK>::new(TrackingSettings::DEFAULT));
        let _ = black_box(pca.step(sample, rng));
    }

    fn centered(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        let mut pca = black_box(CenteredPca::<f32, DIM, KEEP>::new(CenteredSettings::DEFAULT));
        let _ = black_box(pca.step(sample, rng));
    }

    fn density(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        let mut pca = black_box(DensityPca::<f32, DIM, KEEP>::new(DensitySettings::DEFAULT));
        let _ = black_box(pca.step(sample, rng));
    }

    fn batch(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut pca = black_box(BatchPca::<f32, DIM, KEEP>::new(Centering::Centered));
        let _ = black_box(pca.learn(sample));
        let _ = black_box(pca.fit());
        let _ = black_box(pca.score(sample));
    }

    fn variance(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        let mut minimizer = black_box(VarianceMinimizer::<f32, DIM>::new(VarianceSettings::DEFAULT));
        let covariance = SMatrix::from_fn(|row, column| sample[row] * sample[column]);
        let _ = black_box(minimizer.step(&covariance, rng));
    }

    fn oja(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut oja = black_box(Oja::<f32, DIM>::new(GhaSettings::DEFAULT));
        let _ = black_box(oja.step(sample));
    }

    fn gha(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut gha = black_box(Gha::<f32, DIM, KEEP>::new(GhaSettings::DEFAULT));
        let _ = black_box(gha.step(sample));
    }

    fn apex(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut apex = black_box(Apex::<f32, DIM, KEEP>::new(ApexSettings::DEFAULT));
        let _ = black_box(apex.step(sample));
    }

    fn kernel_exact(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        online_kernel(Refresh::Exact, sample, rng);
    }

    fn kernel_fast(sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        online_kernel(Refresh::Fast, sample, rng);
    }

    fn online_kernel(refresh: Refresh, sample: &Sample, rng: &mut Xoshiro128PlusPlus) {
        type Pca = OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, WINDOW_RANK>;
        let settings = OnlineKernelSettings::DEFAULT.with_refresh(refresh);
        let mut pca = black_box(Pca::new(Gaussian::DEFAULT, settings));
        let _ = black_box(pca.step(sample, rng));
    }

    fn kernel_batch(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut window = black_box(GramWindow::<f32, _, DIM, WINDOW>::new(Gaussian::DEFAULT));
        let mut room = black_box(GramEigen::<f32, WINDOW>::new());
        let mut pca = black_box(KernelPca::<f32, _, DIM, WINDOW, KEEP>::new(
            Gaussian::DEFAULT,
            Centering::Centered,
        ));
        let _ = black_box(window.push(sample));
        let _ = black_box(pca.fit(&window, &mut room));
        let _ = black_box(pca.score(sample));
    }

    fn kernel_oja(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut oja = black_box(KernelOja::<f32, _, DIM, WINDOW>::new(
            Gaussian::DEFAULT,
            GhaSettings::DEFAULT,
            PointBudget::DEFAULT,
        ));
        let _ = black_box(oja.step(sample));
    }

    fn kernel_gha(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut gha = black_box(KernelGha::<f32, _, DIM, KEEP, WINDOW>::new(
            Gaussian::DEFAULT,
            GhaSettings::DEFAULT,
            PointBudget::DEFAULT,
        ));
        let _ = black_box(gha.step(sample));
    }

    fn monitor(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        type Pca = TrackingPca<f32, DIM, KEEP, RANK>;
        let mut monitor = black_box(Monitor::<f32, Pca, DIM>::new(
            MonitorSettings::DEFAULT,
            Pca::new(TrackingSettings::DEFAULT),
        ));
        if let Ok(counts) = Counts::<f32, DIM>::new(*sample, [0; DIM]) {
            let _ = black_box(monitor.observe(&counts.convert(&black_box([0_i16; DIM]))));
        }
    }

    fn full(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut eigen = black_box(Eigen::<f32, DIM>::new());
        let _ = black_box(eigen.decompose(&SMatrix::from_fn(|row, column| sample[row] * sample[column])));
    }

    fn values(sample: &Sample, _: &mut Xoshiro128PlusPlus) {
        let mut eigen = black_box(PartialEigen::<f32, DIM>::new());
        let _ = black_box(eigen.decompose(&SMatrix::from_fn(|row, column| sample[row] * sample[column])));
    }

    #[panic_handler]
    fn stop(_: &PanicInfo) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
