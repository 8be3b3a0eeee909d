//! The proof that no call of the crate can panic: the symbols of an image that makes them all.
//! `tests/firmware/src/bin/no_panic` must have no panic symbol; `planted_panic.rs`, which indexes once with a bound
//! known only at run time, must have one, or the proof proves nothing.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::cargo::{Linking, Optimisation, Program, link_image};
use crate::image::{panic_symbols, symbols};
use crate::machine::CORTEX_M4F;

/// The number type of the calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Number {
    /// As in Rust.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Single => "f32",
            Self::Double => "f64",
        }
    }

    /// What the image reads when it is compiled.
    const fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Single => &[],
            Self::Double => &[("NO_PANIC_WIDE", "1")],
        }
    }
}

/// The image without a panic path has none.
pub(super) fn image_is_free(optimisation: Optimisation, number: Number) -> Result<()> {
    let names = image_symbols("no_panic", optimisation, number)?;
    let panics = panic_symbols(&names);
    if panics.is_empty() {
        Ok(())
    } else {
        bail!("no_panic can panic through\n{}", panics.join("\n"))
    }
}

/// The image with a panic path is told apart.
pub(super) fn planted_panic_is_caught(optimisation: Optimisation) -> Result<()> {
    let names = image_symbols("planted_panic", optimisation, Number::Single)?;
    if panic_symbols(&names).is_empty() {
        bail!("the panic planted in planted_panic was not seen")
    } else {
        Ok(())
    }
}

fn image_symbols(name: &str, optimisation: Optimisation, number: Number) -> Result<Vec<String>> {
    symbols(&image(name, optimisation, number)?)
}

/// Without whole-program optimisation, which could only remove more.
pub(super) fn image(name: &str, optimisation: Optimisation, number: Number) -> Result<PathBuf> {
    link_image(
        Program::Firmware(name),
        &CORTEX_M4F,
        optimisation,
        Linking::Crates,
        number.variables(),
    )
}
