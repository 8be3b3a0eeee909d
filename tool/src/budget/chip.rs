//! The cost of the default monitor and of `TrackingPca` at the asked size: built and run in QEMU, not computed.
//! In: a size and an optimisation level. Out: bytes of state and flash, instructions of a call on average and at most.
//! Method: a small program with the crate that the tool carries is linked for a Cortex-M4F and run over 3,000 samples. Its flash is that of
//! the image less that of an image without the learner. The measurements are kept in the cache of the tool.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use eigenstream_sizes::rank;
use object::{Object as _, ObjectSection as _, SectionKind};
use serde_json::{Value, json};

use super::learners::Size;
use crate::carried;
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;
use crate::process::finish;
use crate::progress::Progress;

const MAIN: &str = include_str!("template/main.rs.txt");
const MANIFEST: &str = include_str!("template/manifest.txt");
/// The memory of the emulated board, and the linker script: those of a new project.
const MEMORY: &str = include_str!("../firmware/template/memory.x");
const CONFIGURATION: &str = include_str!("../firmware/template/config.toml");

/// The measurements of one learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Bytes of the learner itself.
    pub(super) state: u64,
    /// Bytes of flash.
    pub(super) flash: u64,
    /// Instructions of a call.
    pub(super) mean: u64,
    /// Instructions of the worst call.
    pub(super) worst: u64,
}

/// The learners that are measured, by their variants in the committed measurements.
pub(super) const SUBJECTS: [&str; 2] = ["monitor", "tracking"];

/// Measures both, or reads what was measured before. An error says why it cannot be done here.
pub(super) fn measure(size: Size, opt: &str) -> Result<Vec<Measured>> {
    let cache = carried::cache();
    let name = format!("{}-{}-{opt}-{:016x}.json", size.dim, size.keep, carried::fingerprint());
    let answer = cache.join("budget").join(name);
    if let Some(known) = fs::read_to_string(&answer).ok().and_then(|text| parsed(&text)) {
        return Ok(known);
    }
    for need in [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)] {
        provide(need).map_err(anyhow::Error::msg)?;
    }
    let project = cache.join("project");
    carried::write(&cache.join("crate"))?;
    for (name, text) in [
        ("Cargo.toml", MANIFEST.replace("{{opt}}", opt)),
        ("memory.x", MEMORY.to_owned()),
        (".cargo/config.toml", CONFIGURATION.to_owned()),
        ("src/main.rs", program(size)),
    ] {
        let file = project.join(name);
        let written = fs::create_dir_all(file.parent().unwrap_or(&project)).and_then(|()| fs::write(&file, text));
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    let progress = Progress::begin(SUBJECTS.len() + 1);
    progress.doing("measuring in QEMU, once for this size");
    let empty = flash(&build(&project, "empty")?)?;
    progress.done();
    let mut measured = Vec::new();
    for subject in SUBJECTS {
        let image = build(&project, subject)?;
        let printed = CORTEX_M4F.run(Path::new(&image))?;
        let numbers: Option<Vec<u64>> = printed.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        let [state, mean, worst] = numbers
            .and_then(|numbers| numbers.try_into().ok())
            .with_context(|| format!("the chip printed {printed}"))?;
        measured.push(Measured {
            state,
            flash: flash(&image)?.saturating_sub(empty),
            mean,
            worst,
        });
        progress.done();
    }
    let rows: Vec<Value> = measured
        .iter()
        .map(|it| json!([it.state, it.flash, it.mean, it.worst]))
        .collect();
    fs::create_dir_all(cache.join("budget"))
        .and_then(|()| fs::write(&answer, Value::from(rows).to_string()))
        .with_context(|| format!("cannot write {}", answer.display()))?;
    Ok(measured)
}

fn program(size: Size) -> String {
    MAIN.replace("{{dim}}", &size.dim.to_string())
        .replace("{{keep}}", &size.keep.to_string())
        .replace("{{rank}}", &rank(size.dim, size.keep).to_string())
}

/// An answer from before.
fn parsed(text: &str) -> Option<Vec<Measured>> {
    let rows: Vec<[u64; 4]> = serde_json::from_str(text).ok()?;
    let measured = rows.iter().map(|&[state, flash, mean, worst]| Measured {
        state,
        flash,
        mean,
        worst,
    });
    Some(measured.collect()).filter(|measured: &Vec<Measured>| measured.len() == SUBJECTS.len())
}

/// Links the program with one subject.
fn build(project: &Path, subject: &str) -> Result<String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args([
        "build",
        "--release",
        "--target",
        CORTEX_M4F.target,
        "--features",
        subject,
    ]);
    command
        .current_dir(project)
        .stdin(Stdio::null())
        .env("CARGO_TARGET_DIR", "target");
    finish(&mut command)?;
    let image = project.join("target").join(CORTEX_M4F.target).join("release/measure");
    // The next subject is linked to the same place.
    let kept = image.with_extension(subject);
    fs::copy(&image, &kept).with_context(|| format!("cannot copy {}", image.display()))?;
    Ok(kept.display().to_string())
}

/// Bytes of an image that are in flash.
fn flash(image: &str) -> Result<u64> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {image}"))?;
    let file = object::File::parse(&*bytes).with_context(|| format!("{image} is no image"))?;
    let kinds = [SectionKind::Text, SectionKind::ReadOnlyData, SectionKind::Data];
    Ok(file
        .sections()
        .filter(|section| kinds.contains(&section.kind()))
        .map(|section| section.size())
        .sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_written_for_the_asked_size() {
        let size = Size {
            dim: 20,
            keep: 3,
            window: None,
        };
        let text = program(size);
        for line in [
            "const DIM: usize = 20;",
            "const KEEP: usize = 3;",
            "const RANK: usize = 8;",
        ] {
            assert!(text.contains(line), "{line}");
        }
    }

    #[test]
    fn an_answer_is_read_again() {
        let read = parsed("[[1,2,3,4],[5,6,7,8]]").unwrap_or_default();
        assert_eq!(
            read.get(1).map(|it| (it.state, it.flash, it.mean, it.worst)),
            Some((5, 6, 7, 8))
        );
        assert!(parsed("[[1,2,3,4]]").is_none() && parsed("x").is_none());
    }
}
