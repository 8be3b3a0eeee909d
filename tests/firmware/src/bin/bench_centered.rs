//! W3: instructions, stack and state of `CenteredPca`, [WK08] Algorithm 6.
//! With the feature `naive`, the program also measures the algorithm on nalgebra's eigensolver.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::pca::{CenteredPca, CenteredSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::report::{Naive, print, run};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const KEEP: usize = 2;
    const RATE: f32 = 1.0;

    /// Measures the cost of a step, and sums the losses.
    fn ours<const DIM: usize>(meter: &mut Meter) -> (Cost, f32) {
        let Ok(settings) = CenteredSettings::unscaled(RATE) else {
            return (Cost::default(), 0.0);
        };
        let mut pca = CenteredPca::<f32, DIM, KEEP>::new(settings);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut loss = 0.0;
        let cost = run(meter, |sample: &[f32; DIM]| {
            if let Ok(trial) = black_box(&mut pca).step(sample, &mut rng) {
                loss += trial.expected_loss;
            }
        });
        (cost, loss)
    }

    /// [WK08] Algorithm 6 in its plain form: update mean and scatter matrix, decompose, find the threshold, score.
    /// This is a macro, because generic code cannot call nalgebra's solver together with nalgebra's matrix products.
    #[cfg(feature = "naive")]
    macro_rules! naive {
        ($meter:expr) => {{
            use eigenstream::Scalar;
            use eigenstream::nalgebra::{SMatrix, SVector};
            use eigenstream::weights::{Bulk, threshold};
            use eigenstream_firmware::report::{run_naive, sort_descending};

            struct State {
                mean: SVector<f32, DIM>,
                scatter: SMatrix<f32, DIM, DIM>,
                seen: f32,
            }
            #[inline(never)]
            fn naive(state: &mut State, sample: &[f32; DIM]) -> f32 {
                let deviation = SVector::<f32, DIM>::from(*sample) - state.mean;
                state.seen += 1.0;
                state.mean += deviation / state.seen;
                state.scatter += deviation * deviation.transpose() * ((state.seen - 1.0) / state.seen);
                let eigen = state.scatter.symmetric_eigen();
                let mut values = [0.0; DIM];
                values.copy_from_slice((eigen.eigenvalues * RATE).as_slice());
                sort_descending(&mut values);
                let tau = threshold(&values, Bulk::NONE, KEEP);
                let coordinates = eigen.eigenvectors.transpose() * deviation;
                let drops = eigen
                    .eigenvalues
                    .map(|value| Scalar::exp(-Scalar::max(value * RATE - tau, 0.0)));
                coordinates.component_mul(&coordinates).dot(&drops)
            }
            let mut state = State {
                mean: SVector::zeros(),
                scatter: SMatrix::zeros(),
                seen: 0.0,
            };
            Naive(Some(run_naive($meter, |sample: &[f32; DIM]| {
                black_box(naive(black_box(&mut state), sample));
            })))
        }};
    }

    #[cfg(not(feature = "naive"))]
    macro_rules! naive {
        ($meter:expr) => {
            Naive(None)
        };
    }

    macro_rules! workload {
        ($meter:expr, $dim:literal) => {{
            const DIM: usize = $dim;
            let meter: &mut Meter = $meter;
            let (ours, loss) = ours::<DIM>(meter);
            let theirs = naive!(meter);
            let head = format_args!("bench workload=W3 variant=centered dim={DIM} keep={KEEP} eta={RATE:?}");
            print(head, &ours, &theirs, size_of::<CenteredPca<f32, DIM, KEEP>>(), loss);
        }};
    }

    eigenstream_firmware::measuring_program!(|meter| {
        workload!(&mut meter, 20);
        workload!(&mut meter, 8);
        workload!(&mut meter, 16);
        workload!(&mut meter, 32);
        workload!(&mut meter, 64);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
