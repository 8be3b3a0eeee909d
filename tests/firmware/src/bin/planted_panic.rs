//! An index that may panic, to show that the check of `no_panic` can fail.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;

    #[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
    #[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
    fn main() -> ! {
        let table = black_box([1_u32, 2, 3]);
        loop {
            black_box(table[black_box(1_usize)]);
        }
    }

    #[panic_handler]
    fn stop(_: &PanicInfo) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
