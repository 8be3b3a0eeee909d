//! The smallest useful configuration, three channels and one direction, on a Cortex-M0 with 16 kB of RAM and no
//! floating-point unit.
//! Board: microbit.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::pca::{CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::{Cost, Meter};
    use eigenstream_firmware::print_row;
    use eigenstream_firmware::workload::Shift;
    use rand_xoshiro::Xoshiro128PlusPlus;

    fn measure(mut step: impl FnMut(&[f32; 3], &mut Xoshiro128PlusPlus), meter: &mut Meter) -> Cost {
        let mut cost = Cost::default();
        let mut stream = Shift::<3>::new(1);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(2);
        for _ in 0..Shift::<3>::SEGMENT {
            let sample = stream.next_sample();
            cost.add(meter.measure(|| step(black_box(&sample), &mut rng)));
        }
        cost
    }

    fn print(variant: &str, state_bytes: usize, cost: &Cost) {
        print_row!(
            "bench workload=smallest variant={variant} dim=3 keep=1 instructions_mean={} instructions_max={} state_bytes={state_bytes} stack_bytes={}",
            cost.mean(),
            cost.worst,
            cost.stack,
        );
    }

    eigenstream_firmware::measuring_program!(|meter| {
        let mut tracking = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
        let cost = measure(
            |sample, rng| {
                let _ = black_box(black_box(&mut tracking).step(sample, rng));
            },
            &mut meter,
        );
        print("tracking", size_of_val(&tracking), &cost);
        let mut centered = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
        let cost = measure(
            |sample, rng| {
                let _ = black_box(black_box(&mut centered).step(sample, rng));
            },
            &mut meter,
        );
        print("centered", size_of_val(&centered), &cost);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
