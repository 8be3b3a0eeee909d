//! The proof that no call of the crate can panic: the symbols of an image that makes them all.
//! The image of `tests/firmware/src/bin/no_panic` must have no panic symbol; that of `planted_panic.rs`, which reads
//! an array at an index known only at run time, must have one, or the proof proves nothing.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::cargo::{Linking, Optimisation, Program, link_image, root};
use crate::image::{panic_symbols, source_files, symbols};
use crate::install::Need;
use crate::machine::{Board, CORTEX_M4F, LINKED};

/// The number type of the calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Number {
    /// The environment variable that selects this number type when the image is compiled, if one is needed.
    const fn variable(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Single => None,
            Self::Double => Some(("NO_PANIC_WIDE", "1")),
        }
    }
}

/// Which of the sizes the calls have: 3, 20, 33 and 64 channels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sizes {
    /// The smallest and the largest size, and in `f32` the learners of the registry at the smallest.
    Ends,
    /// Every size, and in `f32` the learners of the registry at the smallest and the largest.
    All,
}

impl Sizes {
    /// The environment variable that selects these sizes when the image is compiled, if one is needed.
    const fn variable(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Ends => Some(("NO_PANIC_ENDS", "1")),
            Self::All => None,
        }
    }
}

/// Opt-levels of a user's profile.
const LEVELS: [&str; 5] = ["1", "2", "3", "s", "z"];

/// A way in which a user may build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Build {
    board: &'static Board,
    level: &'static str,
    linking: Linking,
    sums: Sums,
}

/// Whether a release build checks the arithmetic of whole numbers for overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sums {
    /// It does not, as is the default of cargo.
    Unchecked,
    /// It does, with `overflow-checks = true`.
    Checked,
}

impl Build {
    /// Every core of [`LINKED`], opt-level and way to link. Overflow is checked only in builds without LTO, because LTO
    /// can only remove checks.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let ways = [
            (Linking::Crates, Sums::Unchecked),
            (Linking::Whole, Sums::Unchecked),
            (Linking::Crates, Sums::Checked),
        ];
        LINKED.iter().flat_map(move |board| {
            LEVELS.into_iter().flat_map(move |level| {
                ways.map(|(linking, sums)| Self {
                    board,
                    level,
                    linking,
                    sums,
                })
            })
        })
    }

    /// The build that the gate checks besides the Cortex-M4F at opt-levels 3 and s: a core without a floating-point
    /// unit, without LTO.
    pub(super) fn main_rows() -> impl Iterator<Item = Self> {
        let wanted = ("Cortex-M0", "s", Linking::Crates, Sums::Unchecked);
        let main = move |build: &Self| (build.board.core, build.level, build.linking, build.sums) == wanted;
        Self::all().filter(main)
    }

    /// The build in words.
    pub(crate) fn words(self) -> String {
        let linking = match self.linking {
            Linking::Whole => "with",
            _ => "without",
        };
        let checks = match self.sums {
            Sums::Unchecked => "",
            Sums::Checked => ", with overflow checks",
        };
        format!("{}, opt-level {}, {linking} LTO{checks}", self.board.core, self.level)
    }

    /// The target that this build needs.
    pub(crate) fn need(self) -> Need {
        Need::Target(self.board.target)
    }

    /// All sizes; with overflow checks only the ends, to save time.
    pub(crate) fn sizes(self) -> Sizes {
        match self.sums {
            Sums::Unchecked => Sizes::All,
            Sums::Checked => Sizes::Ends,
        }
    }

    /// Fails if the image `no_panic` has a panic. With overflow checks, panics outside of this crate are allowed.
    pub(crate) fn is_free(self, sizes: Sizes) -> Result<()> {
        // Both ways to link use the profile `proof`: unlike `release`, it gives the random generator, which is a user's
        // code, its own opt-level.
        let lto = match self.linking {
            Linking::Whole => "fat",
            _ => "false",
        };
        let linking = Linking::Crates;
        let checked = if self.sums == Sums::Checked { "true" } else { "false" };
        let variables = [
            (linking.variable(), self.level),
            ("CARGO_PROFILE_PROOF_LTO", lto),
            ("CARGO_PROFILE_PROOF_OVERFLOW_CHECKS", checked),
        ];
        let variables: Vec<_> = variables.into_iter().chain(sizes.variable()).collect();
        let program = Program::Firmware("no_panic");
        let image = link_image(program, self.board, Optimisation::Size, linking, &variables)?;
        match self.sums {
            Sums::Unchecked => has_no_panic(&symbols(&image)?),
            Sums::Checked => has_no_panic_of_the_crate(&source_files(&image)?),
        }
    }
}

/// Fails if one of the files of panics is a file of the crate, named as `src/…` or with its whole path. An image that
/// names no file at all proves nothing, and fails too.
fn has_no_panic_of_the_crate(files: &[String]) -> Result<()> {
    if files.is_empty() {
        bail!("no_panic names no source file: its panics, which core has with overflow checks, were not seen")
    }
    // Another text may stand directly before a path, without a gap.
    let folder = root().join("src").display().to_string();
    let is_relative = |file: &str| {
        file.match_indices("src/")
            .any(|(place, _)| !file[..place].ends_with('/'))
    };
    let is_own = |file: &&str| is_relative(file) || file.contains(&folder);
    let own: Vec<&str> = files.iter().map(String::as_str).filter(is_own).collect();
    if own.is_empty() {
        Ok(())
    } else {
        bail!("no_panic can panic in\n{}", own.join("\n"))
    }
}

/// Fails if the image `no_panic` has a panic symbol.
pub(crate) fn image_is_free(optimisation: Optimisation, number: Number, sizes: Sizes) -> Result<()> {
    has_no_panic(&symbols(&image("no_panic", optimisation, number, sizes)?)?)
}

fn has_no_panic(names: &[String]) -> Result<()> {
    let panics = panic_symbols(names);
    if panics.is_empty() {
        Ok(())
    } else {
        bail!("no_panic can panic through\n{}", panics.join("\n"))
    }
}

/// Fails if the image `planted_panic` has no panic symbol.
pub(super) fn planted_panic_is_caught(optimisation: Optimisation) -> Result<()> {
    let names = symbols(&image("planted_panic", optimisation, Number::Single, Sizes::Ends)?)?;
    if panic_symbols(&names).is_empty() {
        bail!("the panic planted in planted_panic was not seen")
    } else {
        Ok(())
    }
}

/// Links an image without LTO, which could only remove panics.
pub(super) fn image(name: &str, optimisation: Optimisation, number: Number, sizes: Sizes) -> Result<PathBuf> {
    let variables = [number.variable(), sizes.variable()];
    link_image(
        Program::Firmware(name),
        &CORTEX_M4F,
        optimisation,
        Linking::Crates,
        &variables.into_iter().flatten().collect::<Vec<_>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_whole_and_the_gate_has_some_of_it() {
        assert_eq!(Build::all().count(), 4 * 5 * 3);
        let main: Vec<String> = Build::main_rows().map(Build::words).collect();
        assert_eq!(main, ["Cortex-M0, opt-level s, without LTO"]);
    }

    #[test]
    fn only_a_file_of_the_crate_counts_with_overflow_checks() {
        let others = ["/rustc/1/library/core/src/iter/traits/accum.rs".to_owned()];
        assert!(has_no_panic_of_the_crate(&others).is_ok());
        let whole = root().join("src/pca/rotation.rs").display().to_string();
        for ours in ["src/pca/rotation.rs", "overflowsrc/pca/rotation.rs", &whole] {
            assert!(has_no_panic_of_the_crate(&[others[0].clone(), ours.to_owned()]).is_err());
        }
        assert!(has_no_panic_of_the_crate(&[]).is_err());
    }
}
