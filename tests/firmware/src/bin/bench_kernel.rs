//! W2: instructions, stack and state of `OnlineKernelPca`, [KW07] Algorithm 6 in a window.
//! With the feature `naive`, the program also measures the algorithm on nalgebra's eigensolver. Each step replaces one
//! point. `row_mean` is the cost of the kernel values between a sample and the points; the cost of a step does not
//! include this cost.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::kernel::{Gaussian, GramWindow, Kernel, OnlineKernelPca, OnlineKernelSettings, Polynomial};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::{Scalar, SettingsError};
    use eigenstream_firmware::measure::{Cost, Meter, Sample};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::report::Naive;
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;

    const DIM: usize = 20;
    const KEEP: usize = 4;
    const RATE: f32 = 5.0;
    /// Number of measured steps, which begin when the window is full.
    const STEPS: usize = 200;
    /// Number of naive steps at windows of up to 32 points; larger windows have fewer steps, because each takes
    /// millions of instructions.
    #[cfg(feature = "naive")]
    const NAIVE_STEPS: usize = 50;
    /// Number of samples skipped at the start, so that the directions change during the measured steps.
    const UNSEEN: usize = 400;

    fn stream() -> Shift<DIM> {
        let mut stream = Shift::new(1);
        for _ in 0..UNSEEN {
            stream.next_sample();
        }
        stream
    }

    type Learner<K, const WINDOW: usize, const RANK: usize> = OnlineKernelPca<f32, K, DIM, KEEP, WINDOW, RANK>;

    struct Measured {
        step: Cost,
        row: Cost,
        /// Root mean square of the difference between these losses and those of [`reference`].
        rms_loss_error: f32,
        total_loss: f32,
    }

    /// The losses with RANK = WINDOW; before each one the learner is filled anew with the points of the window.
    fn reference<K: Kernel<f32, DIM> + Copy, const WINDOW: usize>(kernel: K) -> Result<[f32; STEPS], SettingsError> {
        let mut pca = Learner::<K, WINDOW, WINDOW>::new(kernel, OnlineKernelSettings::new(RATE)?);
        let mut window = GramWindow::<f32, K, DIM, WINDOW>::new(kernel);
        let mut losses = [0.0; STEPS];
        let mut stream = stream();
        for trial in 0..WINDOW + STEPS {
            let sample = stream.next_sample();
            if let Some(loss) = trial.checked_sub(WINDOW).and_then(|step| losses.get_mut(step)) {
                pca.reset();
                for point in window.oldest_first() {
                    let _ = pca.push(point);
                }
                pca.refresh();
                *loss = pca.score(&sample).unwrap_or(0.0);
            }
            let _ = window.push(&sample);
        }
        Ok(losses)
    }

    /// Measures the cost of the steps without the kernel values, the cost of the kernel values, and the losses.
    fn ours<K: Kernel<f32, DIM> + Copy, const WINDOW: usize, const RANK: usize>(
        meter: &mut Meter,
        kernel: K,
        expected: &[f32; STEPS],
    ) -> Result<Measured, SettingsError> {
        let settings = OnlineKernelSettings::new(RATE)?;
        let mut pca = Learner::<K, WINDOW, RANK>::new(kernel, settings);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        let mut stream = stream();
        let (mut step, mut row) = (Cost::default(), Cost::default());
        let (mut squares, mut total_loss) = (0.0, 0.0);
        for trial in 0..WINDOW + STEPS {
            let sample = stream.next_sample();
            let comparisons = meter.measure_aside(|| {
                let mut row = [0.0; WINDOW];
                let _ = black_box(pca.window().row(black_box(&sample), black_box(&mut row)));
            });
            let mut loss = 0.0;
            let work = || {
                if let Ok(trial) = black_box(&mut pca).step(black_box(&sample), &mut rng) {
                    loss = trial.expected_loss;
                }
            };
            let Some(expected) = trial.checked_sub(WINDOW).and_then(|step| expected.get(step)) else {
                meter.measure_aside(work);
                continue;
            };
            let whole = meter.measure(work);
            step.add(Sample {
                instructions: whole.instructions.saturating_sub(comparisons.instructions),
                stack: whole.stack,
            });
            row.add(comparisons);
            total_loss += loss;
            let error = loss - expected;
            squares += error * error;
        }
        Ok(Measured {
            step,
            row,
            rms_loss_error: Scalar::sqrt(squares / STEPS as f32),
            total_loss,
        })
    }

    /// [KW07] Algorithm 6 in a window, with given kernel values: decompose, find the threshold, score, replace a point.
    /// This is a macro, because generic code cannot call nalgebra's solver together with nalgebra's matrix products.
    #[cfg(feature = "naive")]
    macro_rules! naive {
        ($meter:expr, $kernel:expr, $window:literal) => {{
            use eigenstream::nalgebra::{SMatrix, SVector};
            use eigenstream::weights::{Bulk, threshold};
            use eigenstream_firmware::report::sort_descending;

            const WINDOW: usize = $window;
            #[inline(never)]
            fn naive(
                gram: &mut SMatrix<f32, WINDOW, WINDOW>,
                slot: usize,
                row: &SVector<f32, WINDOW>,
                norm: f32,
            ) -> f32 {
                let eigen = gram.symmetric_eigen();
                let mut values = [0.0; WINDOW];
                values.copy_from_slice((eigen.eigenvalues * RATE).as_slice());
                sort_descending(&mut values);
                let tau = Scalar::max(threshold(&values, Bulk::NONE, KEEP), 0.0);
                let coordinates = eigen.eigenvectors.transpose() * row;
                let mut loss = norm;
                for (value, coordinate) in eigen.eigenvalues.iter().zip(coordinates.iter()) {
                    if *value > 1e-6 * values[0] {
                        let kept = 1.0 - Scalar::exp(-Scalar::max(value * RATE - tau, 0.0));
                        loss -= kept * coordinate * coordinate / value;
                    }
                }
                gram.set_column(slot, row);
                gram.set_row(slot, &row.transpose());
                gram[(slot, slot)] = norm;
                loss
            }
            let kernel = $kernel;
            let meter: &mut Meter = $meter;
            let mut stream = stream();
            let mut points = [[0.0; DIM]; WINDOW];
            let mut gram = SMatrix::<f32, WINDOW, WINDOW>::zeros();
            let mut cost = Cost::default();
            for trial in 0..WINDOW + NAIVE_STEPS * 32 / WINDOW.max(32) {
                let sample = stream.next_sample();
                let slot = trial % WINDOW;
                let row = SVector::<f32, WINDOW>::from_fn(|i, _| {
                    if i < trial {
                        kernel.value(&points[i], &sample)
                    } else {
                        0.0
                    }
                });
                points[slot] = sample;
                let norm = kernel.norm_squared(&sample);
                if trial < WINDOW {
                    gram.set_column(slot, &row);
                    gram.set_row(slot, &row.transpose());
                    gram[(slot, slot)] = norm;
                } else {
                    cost.add(meter.measure_aside(|| {
                        black_box(naive(black_box(&mut gram), slot, black_box(&row), norm));
                    }));
                }
            }
            Naive(Some(cost))
        }};
    }

    #[cfg(not(feature = "naive"))]
    macro_rules! naive {
        ($meter:expr, $kernel:expr, $window:literal) => {
            Naive(None)
        };
    }

    macro_rules! workload {
        ($meter:expr, $name:literal, $kernel:expr, $window:literal, $rank:literal) => {{
            let kernel = $kernel;
            let naive = naive!($meter, kernel, $window);
            let Ok(expected) = reference::<_, $window>(kernel) else {
                semihosting::process::exit(1)
            };
            let Ok(measured) = ours::<_, $window, $rank>($meter, kernel, &expected) else {
                semihosting::process::exit(1)
            };
                print_row!(
                    "bench workload=W2 variant=exact dim={DIM} keep={KEEP} window={} rank={} eta={RATE:?} kernel={} instructions_mean={} instructions_max={} row_mean={}{naive} rms_loss_error={} state_bytes={} stack_bytes={} total_loss={}",
                    $window,
                    $rank,
                    $name,
                    measured.step.mean(),
                    measured.step.worst,
                    measured.row.mean(),
                    measured.rms_loss_error,
                    size_of_val(&Learner::<_, $window, $rank>::new(kernel, OnlineKernelSettings::DEFAULT)),
                    measured.step.stack,
                    measured.total_loss,
                );
        }};
    }

    eigenstream_firmware::measuring_program!(|meter| {
        let Ok(quadratic) = Polynomial::new(0.0, 2) else {
            semihosting::process::exit(1)
        };
        let Ok(gaussian) = Gaussian::new(0.5) else {
            semihosting::process::exit(1)
        };
        workload!(&mut meter, "gauss", gaussian, 32, 8);
        workload!(&mut meter, "gauss", gaussian, 8, 8);
        workload!(&mut meter, "gauss", gaussian, 16, 8);
        workload!(&mut meter, "gauss", gaussian, 64, 8);
        workload!(&mut meter, "quadratic", quadratic, 32, 10);
        workload!(&mut meter, "quadratic", quadratic, 64, 10);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
