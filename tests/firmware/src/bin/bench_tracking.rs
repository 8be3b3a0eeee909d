//! W1: instructions, stack and state of TrackingPca, beside the same algorithm on nalgebra's eigensolver in the same run.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::Scalar;
    use eigenstream::nalgebra::{SMatrix, SVector};
    use eigenstream::pca::{TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::weights::{Bulk, threshold};
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;

    const KEEP: usize = 2;
    /// 2k + 2.
    const RANK: usize = 6;
    /// The naive step costs the same at every sample; a few show it.
    const NAIVE_STEPS: u32 = 50;

    fn ours<const DIM: usize>(meter: &mut Meter, rate: f32) -> (Cost, f32) {
        let (mut cost, mut loss) = (Cost::default(), 0.0);
        let Ok(settings) = TrackingSettings::new(rate) else {
            return (cost, loss);
        };
        let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(settings);
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

    /// The algorithm as printed, on the full matrix: G + ηxxᵀ, decompose, threshold, rebuild. A macro, since nalgebra's
    /// solver and its products cannot be called together from code that is generic in the size.
    macro_rules! workload {
        ($meter:expr, $dim:literal, $rate:literal) => {{
            const DIM: usize = $dim;
            #[inline(never)]
            fn naive(evidence: &mut SMatrix<f32, DIM, DIM>, sample: &[f32; DIM]) {
                let x = SVector::<f32, DIM>::from(*sample);
                *evidence += x * x.transpose() * $rate;
                let eigen = evidence.symmetric_eigen();
                let mut values = [0.0; DIM];
                values.copy_from_slice(eigen.eigenvalues.as_slice());
                sort_descending(&mut values);
                let tau = threshold(&values, Bulk::NONE, KEEP);
                let settled = eigen.eigenvalues.map(|value| Scalar::min(Scalar::max(value - tau, 0.0), 14.0));
                *evidence = eigen.eigenvectors * SMatrix::from_diagonal(&settled) * eigen.eigenvectors.transpose();
            }
            let meter: &mut Meter = $meter;
            let (ours, loss) = ours::<DIM>(meter, $rate);
            let first = -Scalar::ln((DIM - KEEP) as f32 / DIM as f32);
            let mut evidence = SMatrix::<f32, DIM, DIM>::identity() * first;
            let mut stream = Shift::<DIM>::new(1);
            let mut theirs = Cost::default();
            for _ in 0..NAIVE_STEPS {
                let sample = stream.next_sample();
                theirs.add(meter.measure(|| naive(black_box(&mut evidence), black_box(&sample))));
            }
            println!(
                "bench workload=W1 variant=tracking dim={DIM} keep={KEEP} rank={RANK} eta={:?} instructions_mean={} instructions_max={} naive_mean={} naive_max={} state_bytes={} stack_bytes={} naive_stack_bytes={} total_loss={loss}",
                $rate,
                ours.mean(),
                ours.worst,
                theirs.mean(),
                theirs.worst,
                size_of::<TrackingPca<f32, DIM, KEEP, RANK>>(),
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
        workload!(&mut meter, 20, 0.12);
        workload!(&mut meter, 20, 5.0);
        workload!(&mut meter, 8, 1.0);
        workload!(&mut meter, 16, 1.0);
        workload!(&mut meter, 32, 1.0);
        workload!(&mut meter, 64, 1.0);
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
