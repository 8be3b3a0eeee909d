//! [`sensor`]: self::sensor
//! [`tuning`]: self::tuning
//! [`learners`]: self::learners
//! [`memory`]: self::memory
//! [`saving`]: self::saving
//! [`mathematics`]: self::mathematics
//! [`board`]: self::board
//! [`c`]: self::c
//! [`python`]: self::python
//! [`extending`]: self::extending
//! [`gallery`]: self::gallery
//!
#![doc = include_str!("index.md")]
//!
//! Documentation only: nothing of this module is in a firmware.

#[doc = include_str!("sensor.md")]
pub mod sensor {}

#[doc = include_str!("tuning.md")]
pub mod tuning {}

#[doc = include_str!("learners.md")]
pub mod learners {}

#[doc = include_str!("memory.md")]
pub mod memory {}

#[doc = include_str!("saving.md")]
pub mod saving {}

#[doc = "[WK08]: crate#references"]
#[doc = "[WKs]: crate#references"]
#[doc = "[KW07]: crate#references"]
#[doc = "[K01]: crate#references"]
#[doc = "[C15]: crate#references"]
#[doc = ""]
#[doc = include_str!("mathematics.md")]
pub mod mathematics {}

#[doc = include_str!("board.md")]
pub mod board {}

#[doc = include_str!("c.md")]
pub mod c {}

#[doc = include_str!("python.md")]
pub mod python {}

#[doc = include_str!("extending.md")]
pub mod extending {}

/// The link to one picture, relative to target/doc/eigenstream/guide/gallery: the first definition of a link counts.
macro_rules! picture {
    ($name:literal) => {
        concat!("[", $name, "]: ../../../../../examples/figures/", $name, ".png\n")
    };
}

#[doc = "[WK08]: crate#references"]
#[doc = "[KW07]: crate#references"]
#[doc = picture!("figure3")]
#[doc = picture!("figure4")]
#[doc = picture!("figure5")]
#[doc = picture!("figure6")]
#[doc = picture!("bounds")]
#[doc = picture!("kernel_figure1")]
#[doc = picture!("kernel_figure2")]
#[doc = picture!("kernel_figure3")]
#[doc = picture!("denoising")]
#[doc = ""]
#[doc = include_str!("gallery.md")]
pub mod gallery {}
