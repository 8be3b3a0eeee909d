//! Instructions, stack and state of `Oja` on the smallest chip: three channels, software floating point.
//! The samples are as in `examples/accelerometer.rs` before the screw comes loose.
//!
//! Board: microbit
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;
    use eigenstream::hebbian::{GhaSettings, Oja};
    use eigenstream_firmware::measure::Cost;
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::workload::Accelerometer;

    const SAMPLES: u32 = 600;

    eigenstream_firmware::measuring_program!(|meter| {
        let (mut stepping, mut scoring) = (Cost::default(), Cost::default());
        let mut oja = Oja::<f32, 3>::new(GhaSettings::DEFAULT);
        let mut sensor = Accelerometer::new();
        let mut total_loss = 0.0;
        for _ in 0..SAMPLES {
            let sample = sensor.next_sample();
            // Uses `measure_aside`, because a trace adds calls of `measure` to the row printed next, and that row is of
            // the steps.
            scoring.add(meter.measure_aside(|| {
                let _ = black_box(black_box(&oja).score(black_box(&sample)));
            }));
            stepping.add(meter.measure(|| {
                if let Ok(response) = black_box(&mut oja).step(black_box(&sample)) {
                    total_loss += response.loss;
                }
            }));
        }
        for (variant, cost) in [("step", &stepping), ("score", &scoring)] {
            print_row!(
                "bench workload=oja variant={variant} settings=default dim=3 keep=1 instructions_mean={} instructions_max={} state_bytes={} stack_bytes={} total_loss={total_loss}",
                cost.mean(),
                cost.worst,
                size_of_val(&oja),
                cost.stack,
            );
        }
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
