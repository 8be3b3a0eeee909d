//! The examples for one board, each beside what it prints; and what a log costs an image: nothing where it is off.

use std::fs;

use anyhow::{Context, Result, bail};

use super::examples::first_difference;
use super::no_panic::{self, Number, Sizes};
use crate::cargo::{Optimisation, Program, build_image, cargo, finish, root};
use crate::image::{section_names, symbols};
use crate::log;
use crate::machine::CORTEX_M4F;

/// Fails unless `examples/board/src/bin/NAME.rs` prints on the board the text of `examples/board/NAME.out`.
pub(super) fn matches(name: &str) -> Result<()> {
    compare(name, &on_board(name)?)
}

/// Fails unless the chip also prints the output of `interrupt` on this computer, from the same samples and seed.
pub(super) fn log_is_replayed() -> Result<()> {
    // The program is built with a feature that the tests also use, so that the dependencies are built only once.
    let replayed = finish(&mut cargo(&[
        "run",
        "--package",
        "eigenstream-board",
        "--bin",
        "interrupt",
        "--features",
        "defmt",
    ]))?;
    let printed = on_board("interrupt")?;
    if !replayed.is_empty() && printed.contains(&replayed) {
        Ok(())
    } else {
        bail!("the chip printed\n{printed}and this computer, from the same samples and seed,\n{replayed}")
    }
}

/// Fails unless the defmt log of the chip, decoded, is the text of `examples/board/logging.out`.
pub(crate) fn log_is_readable() -> Result<()> {
    compare("logging", &log::decoded()?)
}

/// Fails if an image without the feature `defmt` has a trace of defmt. An image with the feature must have a trace, or
/// the check proves nothing.
pub(crate) fn log_leaves_no_trace() -> Result<()> {
    let traces = |image| -> Result<Vec<String>> {
        let mut names = section_names(image)?;
        names.extend(symbols(image)?);
        names.retain(|name| name.contains("defmt"));
        Ok(names)
    };
    let on = log::image()?;
    if !traces(&on)?.iter().any(|name| name.starts_with(".defmt")) {
        bail!("the image with the log has no section .defmt: the check sees nothing");
    }
    // This image calls every public function of the crate.
    let found = traces(&no_panic::image(
        "no_panic",
        Optimisation::Size,
        Number::Single,
        Sizes::Ends,
    )?)?;
    if found.is_empty() {
        Ok(())
    } else {
        bail!("built without the feature, the image has\n{}", found.join("\n"))
    }
}

fn on_board(name: &str) -> Result<String> {
    CORTEX_M4F.run(&build_image(Program::Board(name), &CORTEX_M4F, Optimisation::Speed)?)
}

fn compare(name: &str, printed: &str) -> Result<()> {
    let file = root().join(format!("examples/board/{name}.out"));
    let expected = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    match first_difference(printed, &expected) {
        None => Ok(()),
        Some(difference) => bail!("{name} printed something else than {name}.out, in whole:\n{printed}{difference}"),
    }
}
