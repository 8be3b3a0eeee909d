//! The least program: what another `flash_` image is larger by is what its calls cost in flash.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image {
    use core::hint::black_box;
    use core::panic::PanicInfo;

    #[cortex_m_rt::entry]
    fn main() -> ! {
        loop {
            black_box(());
        }
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        loop {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
