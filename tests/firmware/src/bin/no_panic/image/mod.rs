//! The calls, by room of the crate.

mod codec;
mod hebbian;
mod kernel;
mod linear;
mod monitor;
mod numbers;
mod registry;
mod spectrum;
mod storage;
mod weights;

use core::panic::PanicInfo;

type Number = <Width<{ option_env!("NO_PANIC_WIDE").is_some() }> as Numbers>::Number;

struct Width<const WIDE: bool>;

trait Numbers {
    type Number;
}

impl Numbers for Width<false> {
    type Number = f32;
}

impl Numbers for Width<true> {
    type Number = f64;
}

#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    loop {
        every_function::<3>();
        every_function::<64>();
        monitor::lagged::<3, 6>();
        monitor::lagged::<64, 128>();
        if const { option_env!("NO_PANIC_ENDS").is_none() } {
            every_function::<20>();
            every_function::<33>();
            monitor::lagged::<20, 40>();
            monitor::lagged::<33, 66>();
        }
        // The learners of the registry run only in `f32`, at 3 channels and, if NO_PANIC_ENDS is not set, at 64.
        if const { option_env!("NO_PANIC_WIDE").is_none() } {
            registry::every_learner::<3, 9>();
            if const { option_env!("NO_PANIC_ENDS").is_none() } {
                registry::every_learner::<64, 192>();
            }
        }
    }
}

fn every_function<const N: usize>() {
    numbers::scalar();
    weights::weights::<N>();
    weights::experts::<N>();
    spectrum::spectrum::<N>();
    linear::tracking::<N>();
    linear::density::<N>();
    linear::batch::<N>();
    linear::centered::<N>();
    linear::variance::<N>();
    linear::paired();
    kernel::kernels::<N>();
    kernel::window::<N>();
    kernel::kernel_pca::<N>();
    kernel::kernel_models::<N>();
    monitor::stages::<N>();
    monitor::monitor::<N>();
    hebbian::hebbian::<N>();
    hebbian::hebbian_kernels::<N>();
    kernel::online_kernel::<N>();
    numbers::bounds();
    codec::send();
    storage::slots();
}

#[panic_handler]
fn stop(_: &PanicInfo) -> ! {
    loop {}
}
