//! W1: instructions, stack and state of `TrackingPca`; with the feature `naive` also the algorithm on nalgebra's
//! eigensolver.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::SettingsError;
    use eigenstream::pca::{TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::report::{Naive, print, run};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const KEEP: usize = 2;
    /// Number of stored directions, 2·KEEP + 2.
    const RANK: usize = 6;

    /// Measures the cost of a step, and sums the losses.
    fn ours<const DIM: usize>(meter: &mut Meter, settings: TrackingSettings<f32>) -> (Cost, f32) {
        let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(settings);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut loss = 0.0;
        let cost = run(meter, |sample: &[f32; DIM]| {
            if let Ok(trial) = black_box(&mut pca).step(sample, &mut rng) {
                loss += trial.expected_loss;
            }
        });
        (cost, loss)
    }

    /// [WK08] Algorithm 5 on the full matrix, with a ceiling of 14: a step adds `$rate`·xxᵀ for the sample x,
    /// decomposes, subtracts the threshold, clips and rebuilds the matrix.
    /// This is a macro, because generic code cannot call nalgebra's solver together with nalgebra's matrix products.
    #[cfg(feature = "naive")]
    macro_rules! naive {
        ($meter:expr, $rate:literal) => {{
            use eigenstream::Scalar;
            use eigenstream::nalgebra::{SMatrix, SVector};
            use eigenstream::weights::{Bulk, threshold};
            use eigenstream_firmware::report::{run_naive, sort_descending};

            #[inline(never)]
            fn naive(evidence: &mut SMatrix<f32, DIM, DIM>, sample: &[f32; DIM]) {
                let x = SVector::<f32, DIM>::from(*sample);
                *evidence += x * x.transpose() * $rate;
                let eigen = evidence.symmetric_eigen();
                let mut values = [0.0; DIM];
                values.copy_from_slice(eigen.eigenvalues.as_slice());
                sort_descending(&mut values);
                let tau = threshold(&values, Bulk::NONE, KEEP);
                let settled = eigen
                    .eigenvalues
                    .map(|value| Scalar::min(Scalar::max(value - tau, 0.0), 14.0));
                *evidence = eigen.eigenvectors * SMatrix::from_diagonal(&settled) * eigen.eigenvectors.transpose();
            }
            let first = -Scalar::ln((DIM - KEEP) as f32 / DIM as f32);
            let mut evidence = SMatrix::<f32, DIM, DIM>::identity() * first;
            Naive(Some(run_naive($meter, |sample: &[f32; DIM]| {
                naive(black_box(&mut evidence), sample)
            })))
        }};
    }

    #[cfg(not(feature = "naive"))]
    macro_rules! naive {
        ($meter:expr, $rate:literal) => {
            Naive(None)
        };
    }

    /// Measures the default settings, or an unscaled rate. Beside the default settings the naive version has rate 1;
    /// at the other rates its cost differs by less than 4 %.
    macro_rules! workload {
        ($meter:expr, $dim:literal) => {
            workload!(@ $meter, $dim, Ok::<_, SettingsError>(TrackingSettings::DEFAULT), 1.0, "")
        };
        ($meter:expr, $dim:literal, $rate:literal) => {
            workload!(@ $meter, $dim, TrackingSettings::unscaled($rate), $rate, concat!(" eta=", stringify!($rate)))
        };
        (@ $meter:expr, $dim:literal, $settings:expr, $rate:literal, $eta:expr) => {{
            const DIM: usize = $dim;
            let meter: &mut Meter = $meter;
            let (ours, loss) = $settings.map_or_else(|_| Default::default(), |settings| ours::<DIM>(meter, settings));
            let theirs = naive!(meter, $rate);
            let head = format_args!(
                "bench workload=W1 variant=tracking dim={DIM} keep={KEEP} rank={RANK}{}",
                $eta
            );
            print(
                head,
                &ours,
                &theirs,
                size_of::<TrackingPca<f32, DIM, KEEP, RANK>>(),
                loss,
            );
        }};
    }

    eigenstream_firmware::measuring_program!(|meter| {
        workload!(&mut meter, 20);
        workload!(&mut meter, 20, 1.0);
        workload!(&mut meter, 20, 0.12);
        workload!(&mut meter, 20, 5.0);
        workload!(&mut meter, 8);
        workload!(&mut meter, 16);
        workload!(&mut meter, 32);
        workload!(&mut meter, 64);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
