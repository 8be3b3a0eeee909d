//! Stack of restoring every learner of the registry, in place and by value; the gate allows one kilobyte in place.
//!
//! Board: mps2-an386. This command runs the program:
//! `cargo run --release -p eigenstream-firmware --target thumbv7em-none-eabihf --bin bench_restore`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::Scalar;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_firmware::print_row;
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Subject, learners};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const DIM: usize = 20;
    const KEEP: usize = 2;

    #[inline(never)]
    fn restore<L: Subject<DIM, Number = f32>>(name: &str, meter: &mut Meter) -> bool {
        let mut image = [0; 40 * 1024];
        let Some(image) = image.get_mut(..L::ENCODED_LEN) else {
            return false;
        };
        let mut learner = L::fresh(0);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
        for _ in 0..30 {
            let sample: [f32; DIM] = core::array::from_fn(|_| f32::uniform(&mut rng) - 0.5);
            let _ = learner.live(&sample, &mut rng, &mut Discard);
        }
        if learner.encode(image).is_err() {
            return false;
        }
        let mut worked = true;
        let in_place = meter.measure(|| worked &= black_box(&mut learner).decode_into(black_box(image)).is_ok());
        let by_value = meter.measure_aside(|| worked &= black_box(L::decode(black_box(image))).is_ok());
        print_row!(
            "bench workload=restore variant={name} dim={DIM} keep={KEEP} instructions_mean={} instructions_max={} state_bytes={} stack_bytes={} image_bytes={} by_value_stack_bytes={} by_value_instructions={}",
            in_place.instructions,
            in_place.instructions,
            size_of::<L>(),
            in_place.stack,
            L::ENCODED_LEN,
            by_value.stack,
            by_value.instructions,
        );
        worked
    }

    eigenstream_firmware::measuring_program!(|meter| {
        let mut passed = true;
        macro_rules! visit {
            ($name:literal, $learner:ty) => {
                passed &= restore::<$learner>($name, &mut meter);
            };
        }
        learners!(visit for f32, DIM = DIM, KEEP = KEEP, RANK = 6, WINDOW = 32, POINTS = 16, ROOM = 8, WIDE = 60);
        if !passed {
            semihosting::process::exit(1)
        }
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
