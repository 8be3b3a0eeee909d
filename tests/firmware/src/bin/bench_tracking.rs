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
    use nalgebra::{Const, DefaultAllocator, DimDiff, DimSub, U1, allocator::Allocator};
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;

    const KEEP: usize = 2;
    /// 2k + 2.
    const RANK: usize = 6;

    /// The algorithm as printed, on the full matrix: G + ηxxᵀ, decompose, threshold, rebuild.
    struct Naive<const DIM: usize> {
        evidence: SMatrix<f32, DIM, DIM>,
        rate: f32,
    }

    impl<const DIM: usize> Naive<DIM>
    where
        Const<DIM>: DimSub<U1>,
        DefaultAllocator: Allocator<DimDiff<Const<DIM>, U1>> + Allocator<Const<DIM>>,
    {
        fn new(rate: f32) -> Self {
            let first = -Scalar::ln((DIM - KEEP) as f32 / DIM as f32);
            Self {
                evidence: SMatrix::identity() * first,
                rate,
            }
        }

        #[inline(never)]
        fn step(&mut self, sample: &[f32; DIM]) {
            let x = SVector::<f32, DIM>::from(*sample);
            self.evidence += x * x.transpose() * self.rate;
            let eigen = self.evidence.symmetric_eigen();
            let mut values = [0.0; DIM];
            values.copy_from_slice(eigen.eigenvalues.as_slice());
            for sorted in 1..DIM {
                for low in (0..sorted).rev() {
                    if values[low] >= values[low + 1] {
                        break;
                    }
                    values.swap(low, low + 1);
                }
            }
            let tau = threshold(&values, Bulk::NONE, KEEP);
            let settled = eigen
                .eigenvalues
                .map(|value| Scalar::min(Scalar::max(value - tau, 0.0), 14.0));
            self.evidence = eigen.eigenvectors * SMatrix::from_diagonal(&settled) * eigen.eigenvectors.transpose();
        }
    }

    #[inline(never)]
    fn size<const DIM: usize>(meter: &mut Meter, rate: f32)
    where
        Const<DIM>: DimSub<U1>,
        DefaultAllocator: Allocator<DimDiff<Const<DIM>, U1>> + Allocator<Const<DIM>>,
    {
        let Ok(settings) = TrackingSettings::new(rate) else {
            return;
        };
        let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(settings);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut stream = Shift::<DIM>::new(1);
        let (mut ours, mut loss) = (Cost::default(), 0.0);
        for _ in 0..Shift::<DIM>::LENGTH {
            let sample = stream.next_sample();
            ours.add(meter.measure(|| {
                if let Ok(trial) = black_box(&mut pca).step(black_box(&sample), &mut rng) {
                    loss += trial.expected_loss;
                }
            }));
        }
        let mut naive = Naive::<DIM>::new(rate);
        let mut stream = Shift::<DIM>::new(1);
        let mut theirs = Cost::default();
        for _ in 0..50 {
            let sample = stream.next_sample();
            theirs.add(meter.measure(|| black_box(&mut naive).step(black_box(&sample))));
        }
        println!(
            "bench workload=W1 variant=tracking dim={DIM} keep={KEEP} rank={RANK} eta={rate:?} instructions_mean={} instructions_max={} naive_mean={} naive_max={} state_bytes={} stack_bytes={} naive_stack_bytes={} total_loss={loss}",
            ours.mean(),
            ours.worst,
            theirs.mean(),
            theirs.worst,
            size_of::<TrackingPca<f32, DIM, KEEP, RANK>>(),
            ours.stack,
            theirs.stack,
        );
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let Some(peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        let mut meter = Meter::new(peripherals.SYST);
        size::<20>(&mut meter, 1.0);
        size::<20>(&mut meter, 0.12);
        size::<20>(&mut meter, 5.0);
        size::<8>(&mut meter, 1.0);
        size::<16>(&mut meter, 1.0);
        size::<32>(&mut meter, 1.0);
        size::<64>(&mut meter, 1.0);
        semihosting::process::exit(0)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
