//! Smallest program that calls one learner. `cargo harness bench` links it with and without the call; the difference is
//! the flash of the learner.
//! Environment variables at compile time name the call and its sizes, for example FLASH_CALL=tracking FLASH_DIM=20
//! FLASH_KEEP=2.
//! The calls are the learners of `timed_by_channels`, `timed_by_window` and `timed_beside` in `tests/registry`, the
//! eigensolvers, and restoring.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;

    use eigenstream::Codec;
    use eigenstream::nalgebra::SMatrix;
    use eigenstream::rand_core::SeedableRng;
    use eigenstream::spectrum::{Eigen, PartialEigen};
    use eigenstream_registry::types::*;
    use eigenstream_registry::{Discard, Steps, timed_beside, timed_by_channels, timed_by_window};
    use rand_xoshiro::Xoshiro128PlusPlus;

    const CALL: &[u8] = match option_env!("FLASH_CALL") {
        Some(name) => name.as_bytes(),
        None => b"nothing",
    };
    const DIM: usize = number(option_env!("FLASH_DIM"), 6);
    const KEEP: usize = number(option_env!("FLASH_KEEP"), 2);
    const WINDOW: usize = number(option_env!("FLASH_WINDOW"), 16);
    /// Number of stored directions of the learners without a window: 2·KEEP + 2, or DIM if that is smaller.
    const RANK: usize = if 2 * KEEP + 2 < DIM { 2 * KEEP + 2 } else { DIM };
    /// Number of stored directions of the learners with a window: 2·KEEP + 2, or WINDOW if that is smaller.
    const WINDOW_RANK: usize = if 2 * KEEP + 2 < WINDOW { 2 * KEEP + 2 } else { WINDOW };

    const fn number(text: Option<&str>, otherwise: usize) -> usize {
        let Some(text) = text else { return otherwise };
        let mut number = 0;
        let mut place = 0;
        while place < text.len() {
            number = 10 * number + (text.as_bytes()[place] - b'0') as usize;
            place += 1;
        }
        number
    }

    /// Whether this call is asked for. The function is constant, so that no other call is in the program.
    const fn is(name: &[u8]) -> bool {
        let mut same = name.len() == CALL.len();
        let mut place = 0;
        while same && place < name.len() {
            same = name[place] == CALL[place];
            place += 1;
        }
        same
    }

    #[cortex_m_rt::entry]
    fn main() -> ! {
        // The program without a call also contains these two values.
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let sample = black_box([0.5_f32; DIM]);
        // The function `monitor` calls the monitor, because its samples come from the counts of a converter.
        macro_rules! call {
            (monitor, $learner:ty, $choice:literal) => {};
            ($name:ident, $learner:ty, $choice:literal $(, $trials:ident)?) => {
                if const { is(stringify!($name).as_bytes()) } {
                    let mut learner = black_box(<$learner>::fresh($choice));
                    let _ = learner.trial(&sample, &mut rng, &mut Discard);
                }
            };
        }
        timed_by_channels!(call, DIM = DIM, KEEP = KEEP, RANK = RANK);
        timed_by_window!(call, DIM = DIM, KEEP = KEEP, RANK = WINDOW_RANK, WINDOW = WINDOW);
        timed_beside!(call, DIM = DIM, KEEP = KEEP, RANK = RANK);
        if const { is(b"monitor") } {
            monitor(&sample);
        }
        if const { is(b"restoring") } {
            restoring(&sample);
        }
        if const { is(b"restoring_by_value") } {
            restoring_by_value(&sample);
        }
        if const { is(b"full") } {
            full(&sample);
        }
        if const { is(b"values") } {
            values(&sample);
        }
        loop {
            black_box((&sample, &rng));
        }
    }

    type Sample = [f32; DIM];

    fn monitor(sample: &Sample) {
        watch(
            &mut black_box(SensorMonitor::standard(MonitorSettings::DEFAULT)),
            sample,
        );
    }

    fn watch(monitor: &mut SensorMonitor<f32, DIM>, sample: &Sample) {
        if let Ok(counts) = Counts::<f32, DIM>::new(*sample, [0; DIM]) {
            let _ = black_box(monitor.observe(&counts.convert(&black_box([0_i16; DIM]))));
        }
    }

    /// Restores a monitor in place, and lets it watch a sample.
    fn restoring(sample: &Sample) {
        let mut monitor = black_box(SensorMonitor::<f32, DIM>::standard(MonitorSettings::DEFAULT));
        let _ = black_box(monitor.decode_into(black_box(&mut [0; SensorMonitor::<f32, DIM>::ENCODED_LEN])));
        watch(&mut monitor, sample);
    }

    fn restoring_by_value(sample: &Sample) {
        let image = [0; SensorMonitor::<f32, DIM>::ENCODED_LEN];
        if let Ok(mut monitor) = SensorMonitor::decode(black_box(&image)) {
            watch(&mut monitor, sample);
        }
    }

    fn full(sample: &Sample) {
        let mut eigen = black_box(Eigen::<f32, DIM>::new());
        let _ = black_box(eigen.decompose(&SMatrix::from_fn(|row, column| sample[row] * sample[column])));
    }

    fn values(sample: &Sample) {
        let mut eigen = black_box(PartialEigen::<f32, DIM>::new());
        let _ = black_box(eigen.decompose(&SMatrix::from_fn(|row, column| sample[row] * sample[column])));
    }

    #[panic_handler]
    fn stop(_: &PanicInfo) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
