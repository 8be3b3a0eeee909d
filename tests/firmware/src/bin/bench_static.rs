//! Stack that it takes to place a learner into a `static`: `CenteredPca` with 20 channels, 5.5 kB.
//! - `constant`, `shared_constant`: the initial value of the static is a constant, which takes its whole size in flash.
//! - `built_in_place`: `StaticCell::init_with` calls `new` at run time. This takes no flash for the value.
//! - `moved`: a local variable is moved into the static, so the learner is on the stack first. Avoid this.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod chip {
    use core::cell::RefCell;
    use core::hint::black_box;

    use critical_section::Mutex;
    use eigenstream::pca::{CenteredPca, CenteredSettings};
    use eigenstream_firmware::measure::Sample;
    use eigenstream_firmware::print_row;
    use static_cell::{ConstStaticCell, StaticCell};

    type Pca = CenteredPca<f32, 20, 2>;

    /// A learner that an interrupt and the main loop can share; the `Mutex` needs no compare-and-swap, which a
    /// Cortex-M0 does not have.
    static SHARED: Mutex<RefCell<Pca>> = Mutex::new(RefCell::new(CenteredPca::new(CenteredSettings::DEFAULT)));
    static CONSTANT: ConstStaticCell<Pca> = ConstStaticCell::new(CenteredPca::new(CenteredSettings::DEFAULT));
    static IN_PLACE: StaticCell<Pca> = StaticCell::new();
    static MOVED: StaticCell<Pca> = StaticCell::new();

    fn print(variant: &str, sample: &Sample) {
        print_row!(
            "bench workload=static variant={variant} dim=20 keep=2 instructions_mean={} state_bytes={} stack_bytes={}",
            sample.instructions,
            size_of::<Pca>(),
            sample.stack,
        );
    }

    eigenstream_firmware::measuring_program!(|meter| {
        let sample = meter.measure(|| {
            critical_section::with(|token| black_box(SHARED.borrow_ref_mut(token).samples_seen()));
        });
        print("shared_constant", &sample);
        let sample = meter.measure(|| {
            black_box(CONSTANT.take());
        });
        print("constant", &sample);
        let sample = meter.measure(|| {
            black_box(IN_PLACE.init_with(|| CenteredPca::new(CenteredSettings::DEFAULT)));
        });
        print("built_in_place", &sample);
        let sample = meter.measure(|| {
            let local = black_box(Pca::new(CenteredSettings::DEFAULT));
            black_box(MOVED.init(local));
        });
        print("moved", &sample);
    });
}

#[cfg(not(target_os = "none"))]
fn main() {}
