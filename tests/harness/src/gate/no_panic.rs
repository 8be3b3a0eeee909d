//! The proof that no call of the crate can panic: the symbols of an image that makes them all.
//! `tests/firmware/src/bin/no_panic.rs` must have no panic symbol; `planted_panic.rs`, which indexes once with a bound
//! known only at run time, must have one, or the proof proves nothing.

use anyhow::{Result, bail};

use crate::cargo::{Optimisation, Program, build_image};
use crate::image::{panic_symbols, symbols};
use crate::machine::CORTEX_M4F;

/// The image without a panic path has none.
pub(super) fn image_is_free(optimisation: Optimisation) -> Result<()> {
    let names = image_symbols("no_panic", optimisation)?;
    let panics = panic_symbols(&names);
    if panics.is_empty() {
        Ok(())
    } else {
        bail!("no_panic can panic through\n{}", panics.join("\n"))
    }
}

/// The image with a panic path is told apart.
pub(super) fn planted_panic_is_caught(optimisation: Optimisation) -> Result<()> {
    let names = image_symbols("planted_panic", optimisation)?;
    if panic_symbols(&names).is_empty() {
        bail!("the panic planted in planted_panic was not seen")
    } else {
        Ok(())
    }
}

fn image_symbols(name: &str, optimisation: Optimisation) -> Result<Vec<String>> {
    symbols(&build_image(Program::Firmware(name), &CORTEX_M4F, optimisation)?)
}
