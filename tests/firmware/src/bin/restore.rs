//! The stack that restoring takes: every learner of the registry, in place and by value. Fails if a restoring in place takes more
//! than a kilobyte.
//!
//! Board: mps2-an386. `cargo run --release -p eigenstream-firmware --target thumbv7em-none-eabihf --bin restore`
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::hint::black_box;

    use eigenstream::Scalar;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream_firmware::measure::Meter;
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Nobody, Subject, learners};
    use rand_xoshiro::Xoshiro128PlusPlus;
    use semihosting::println;

    /// Channels.
    const DIM: usize = 20;
    /// The most bytes of stack that restoring in place may take.
    const LIMIT: u32 = 1024;

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
            let _ = learner.live(&sample, &mut rng, &mut Nobody);
        }
        if learner.encode(image).is_err() {
            return false;
        }
        let mut worked = true;
        let in_place = meter.measure(|| worked &= black_box(&mut learner).decode_into(black_box(image)).is_ok());
        let by_value = meter.measure(|| worked &= black_box(L::decode(black_box(image))).is_ok());
        println!(
            "restore learner={name} state_bytes={} image_bytes={} stack_in_place={} stack_by_value={} instructions_in_place={} instructions_by_value={}",
            size_of::<L>(),
            L::ENCODED_LEN,
            in_place.stack,
            by_value.stack,
            in_place.instructions,
            by_value.instructions,
        );
        worked && in_place.stack <= LIMIT
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        let Some(peripherals) = cortex_m::Peripherals::take() else {
            semihosting::process::exit(1)
        };
        let mut meter = Meter::new(peripherals.SYST);
        let mut passed = true;
        macro_rules! visit {
            ($name:literal, $learner:ty) => {
                passed &= restore::<$learner>($name, &mut meter);
            };
        }
        learners!(visit for f32, DIM = DIM, KEEP = 2, RANK = 6, WINDOW = 32, POINTS = 16, ROOM = 8, WIDE = 60);
        semihosting::process::exit(i32::from(!passed))
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
