//! W3: instructions, stack and state of CenteredPca, [WK08] Algorithm 6, beside the same algorithm on nalgebra's eigensolver in the same run.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::Scalar;
    use eigenstream::nalgebra::{SMatrix, SVector};
    use eigenstream::pca::{CenteredPca, CenteredSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::weights::{Bulk, threshold};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;

    const KEEP: usize = 2;
    /// The naive step costs the same at every sample; a few show it.
    const NAIVE_STEPS: u32 = 50;

    fn ours<const DIM: usize>(meter: &mut Meter, rate: f32) -> (Cost, f32) {
        let (mut cost, mut loss) = (Cost::default(), 0.0);
        let Ok(settings) = CenteredSettings::new(rate) else {
            return (cost, loss);
        };
        let mut pca = CenteredPca::<f32, DIM, KEEP>::new(settings);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut stream = Shift::<DIM>::new(1);
        for _ in 0..Shift::<DIM>::LENGTH {
            let sample = stream.next_sample();
            cost.add(meter.measure(|| {
                if let Ok(trial) = black_box(&mut pca).step(black_box(&sample), &mut rng) {
                    loss += trial.expected_loss;
                }
            }));
        }
        (cost, loss)
    }

    /// The algorithm as printed: mean and covariance, decompose, threshold. A macro, since nalgebra's solver and its products
    /// cannot be called together from code that is generic in the size.
    macro_rules! workload {
        ($meter:expr, $dim:literal, $rate:literal) => {{
            const DIM: usize = $dim;
            struct Naive {
                mean: SVector<f32, DIM>,
                scatter: SMatrix<f32, DIM, DIM>,
                seen: f32,
            }
            #[inline(never)]
            fn naive(state: &mut Naive, sample: &[f32; DIM]) -> f32 {
                let deviation = SVector::<f32, DIM>::from(*sample) - state.mean;
                state.seen += 1.0;
                state.mean += deviation / state.seen;
                state.scatter += deviation * deviation.transpose() * ((state.seen - 1.0) / state.seen);
                let eigen = state.scatter.symmetric_eigen();
                let mut values = [0.0; DIM];
                values.copy_from_slice((eigen.eigenvalues * $rate).as_slice());
                sort_descending(&mut values);
                let tau = threshold(&values, Bulk::NONE, KEEP);
                let coordinates = eigen.eigenvectors.transpose() * deviation;
                let drops = eigen.eigenvalues.map(|value| Scalar::exp(-Scalar::max(value * $rate - tau, 0.0)));
                coordinates.component_mul(&coordinates).dot(&drops)
            }
            let meter: &mut Meter = $meter;
            let (ours, loss) = ours::<DIM>(meter, $rate);
            let mut state = Naive { mean: SVector::zeros(), scatter: SMatrix::zeros(), seen: 0.0 };
            let mut stream = Shift::<DIM>::new(1);
            let mut theirs = Cost::default();
            for _ in 0..NAIVE_STEPS {
                let sample = stream.next_sample();
                theirs.add(meter.measure(|| { black_box(naive(black_box(&mut state), black_box(&sample))); }));
            }
            println!(
                "bench workload=W3 variant=centered dim={DIM} keep={KEEP} eta={:?} instructions_mean={} instructions_max={} naive_mean={} naive_max={} state_bytes={} stack_bytes={} naive_stack_bytes={} total_loss={loss}",
                $rate,
                ours.mean(),
                ours.worst,
                theirs.mean(),
                theirs.worst,
                size_of::<CenteredPca<f32, DIM, KEEP>>(),
                ours.stack,
                theirs.stack,
            );
        }};
    }

    fn sort_descending(values: &mut [f32]) {
        for sorted in 1..values.len() {
            for low in (0..sorted).rev() {
                if values[low] >= values[low + 1] {
                    break;
                }
                values.swap(low, low + 1);
            }
        }
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let Some(peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        let mut meter = Meter::new(peripherals.SYST);
        workload!(&mut meter, 20, 1.0);
        workload!(&mut meter, 8, 1.0);
        workload!(&mut meter, 16, 1.0);
        workload!(&mut meter, 32, 1.0);
        workload!(&mut meter, 64, 1.0);
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
