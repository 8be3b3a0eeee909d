//! [guides]: self
//! [sensor]: self::sensor
//! [tuning]: self::tuning
//! [learners]: self::learners
//! [algorithms]: self::algorithms
//! [memory]: self::memory
//! [saving]: self::saving
//! [board]: self::board
//! [c]: self::c
//! [python]: self::python
//! [researcher]: self::researcher
//! [ours]: self::ours
//! [trust]: self::trust
//! [mathematics]: self::mathematics
//! [extending]: self::extending
//! [gallery]: self::gallery
//!
#![doc = include_str!("index.md")]
//!
//! Documentation only: nothing of this module is in a firmware.

/// The links of the guides to each other and to the papers, for rustdoc. They come before the links that the Markdown files
/// define for GitHub, and rustdoc uses the first definition of a link.
macro_rules! links {
    () => {
        concat!(
            "[sensor]: crate::guide::sensor\n",
            "[tuning]: crate::guide::tuning\n",
            "[learners]: crate::guide::learners\n",
            "[algorithms]: crate::guide::algorithms\n",
            "[memory]: crate::guide::memory\n",
            "[saving]: crate::guide::saving\n",
            "[board]: crate::guide::board\n",
            "[c]: crate::guide::c\n",
            "[python]: crate::guide::python\n",
            "[researcher]: crate::guide::researcher\n",
            "[ours]: crate::guide::ours\n",
            "[trust]: crate::guide::trust\n",
            "[mathematics]: crate::guide::mathematics\n",
            "[extending]: crate::guide::extending\n",
            "[gallery]: crate::guide::gallery\n",
            "[WK08]: crate#references\n",
            "[WKs]: crate#references\n",
            "[KW07]: crate#references\n",
            "[K01]: crate#references\n",
            "[C15]: crate#references\n",
            "[BNR10]: crate#references\n",
            "[ACH00]: crate#references\n",
            "[B06]: crate#references\n",
            "[ACS13]: crate#references\n",
        )
    };
}

/// The link to one picture, relative to target/doc/eigenstream/guide/gallery. It comes before the link that the Markdown file
/// defines for GitHub, and rustdoc uses the first definition.
macro_rules! picture {
    ($name:literal) => {
        concat!("[", $name, "]: ../../../../../examples/figures/", $name, ".png\n")
    };
}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("sensor.md")]
pub mod sensor {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("tuning.md")]
pub mod tuning {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("learners.md")]
pub mod learners {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("algorithms.md")]
pub mod algorithms {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("memory.md")]
pub mod memory {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("saving.md")]
pub mod saving {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("board.md")]
pub mod board {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("c.md")]
pub mod c {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("python.md")]
pub mod python {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("researcher.md")]
pub mod researcher {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("ours.md")]
pub mod ours {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("trust.md")]
pub mod trust {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("mathematics.md")]
#[doc = include_str!("mathematics/weights.md")]
#[doc = include_str!("mathematics/spectrum.md")]
#[doc = include_str!("mathematics/bounds.md")]
#[doc = include_str!("mathematics/pca.md")]
#[doc = include_str!("mathematics/kernel.md")]
#[doc = include_str!("mathematics/hebbian.md")]
#[doc = include_str!("mathematics/regression.md")]
#[doc = include_str!("mathematics/monitor.md")]
pub mod mathematics {}

#[doc = links!()]
#[doc = ""]
#[doc = include_str!("extending.md")]
pub mod extending {}

#[doc = links!()]
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
