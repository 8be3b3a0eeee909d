//! Measures the default monitor and the learners of `subjects` at the requested size, as far as they exist at this size. Each
//! learner is built and run in QEMU; no value is estimated.
//! In: a size and an optimisation level. Out: bytes of state and of flash; the mean and the largest number of instructions of a
//! call.
//! Method: for each learner a small program is linked for a Cortex-M4F against the crate that the tool carries, and is run. The
//! samples that train a monitor or fill a window do not count for the mean. The flash of a learner is the flash of its image
//! minus the flash of an image without a learner. The results are stored in the cache of the tool.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::learners::Size;
use super::subjects::{EMPTY, Stream, Subject, subjects};
use crate::carried;
use crate::install::{Need, provide};
use crate::machine::{CORTEX_M4F, flash_bytes};
use crate::process::finish;
use crate::program::{self, cargo_in, filled};
use crate::progress::Progress;

const MAIN: &str = include_str!("template/main.rs.txt");
const MANIFEST: &str = include_str!("template/manifest.txt");
/// The memory of the emulated board. This file and `CONFIGURATION` (emulator and linker script) are those of a new project.
const MEMORY: &str = include_str!("../firmware/template/memory.x");
const CONFIGURATION: &str = include_str!("../firmware/template/config.toml");

/// The measurements of one learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Name of the learner's variant in the committed measurements.
    pub(super) variant: &'static str,
    /// Bytes of the learner itself.
    pub(super) state: u64,
    /// Bytes of flash.
    pub(super) flash: u64,
    /// Mean number of instructions of a call.
    pub(super) mean: u64,
    /// Largest number of instructions of a call.
    pub(super) worst: u64,
}

/// Measures every learner of the table of sizes, or reads the measurements from the cache. The error says why the measurement
/// is not possible.
pub(super) fn measure(size: Size, opt: &str) -> Result<Vec<Measured>> {
    let subjects = subjects(size);
    let manifest = manifest(opt);
    let programs: Vec<String> = subjects.iter().map(|subject| program_of(size, subject)).collect();
    let mut texts: Vec<&str> = programs.iter().map(String::as_str).collect();
    texts.push(&manifest);
    let cache = carried::cache();
    let window = size.window.map_or(String::new(), |window| format!("-{window}"));
    let name = format!(
        "{}-{}{window}-{opt}-{:016x}.json",
        size.dim,
        size.keep,
        carried::fingerprint_with(&texts)
    );
    let answer = cache.join("budget").join(name);
    if let Some(known) = fs::read_to_string(&answer)
        .ok()
        .and_then(|text| parsed(&text, &subjects))
    {
        return Ok(known);
    }
    for need in [Need::Target(CORTEX_M4F.target), Need::Emulator(CORTEX_M4F.emulator)] {
        provide(need).map_err(anyhow::Error::msg)?;
    }
    let project = cache.join("project");
    carried::write(&cache.join("crate"))?;
    // `src` may contain the programs of another size.
    let _ = fs::remove_dir_all(project.join("src"));
    let mut files = vec![
        ("Cargo.toml".to_owned(), manifest),
        ("memory.x".to_owned(), MEMORY.to_owned()),
        (".cargo/config.toml".to_owned(), CONFIGURATION.to_owned()),
    ];
    let names = subjects.iter().map(|subject| format!("src/bin/{}.rs", subject.variant));
    files.extend(names.zip(programs));
    program::write(&project, files)?;
    let progress = Progress::begin(subjects.len() + 1);
    progress.doing("building every learner of this size for QEMU, once");
    finish(&mut cargo_in(
        &project,
        &["build", "--release", "--target", CORTEX_M4F.target],
    ))?;
    progress.done();
    let image = |subject: &Subject| {
        project
            .join("target")
            .join(CORTEX_M4F.target)
            .join("release")
            .join(subject.variant)
    };
    let mut empty = 0;
    let mut measured = Vec::new();
    for subject in &subjects {
        progress.doing(&format!("measuring {}", subject.variant));
        let image = image(subject);
        let flash = flash_bytes(&image)?;
        if subject.variant == EMPTY {
            empty = flash;
            continue;
        }
        let printed = CORTEX_M4F.run(&image)?;
        let numbers: Option<Vec<u64>> = printed.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        let [state, mean, worst] = numbers
            .and_then(|numbers| numbers.try_into().ok())
            .with_context(|| format!("the chip printed {printed}"))?;
        measured.push(Measured {
            variant: subject.variant,
            state,
            flash: flash.saturating_sub(empty),
            mean,
            worst,
        });
        progress.done();
    }
    let rows = measured
        .iter()
        .map(|it| (it.variant.to_owned(), json!([it.state, it.flash, it.mean, it.worst])));
    fs::create_dir_all(cache.join("budget"))
        .and_then(|()| fs::write(&answer, Value::Object(rows.collect()).to_string()))
        .with_context(|| format!("cannot write {}", answer.display()))?;
    Ok(measured)
}

/// The manifest of the programs. In a manifest the level `3` is a number and the level `s` is a text.
fn manifest(opt: &str) -> String {
    let level = opt
        .parse()
        .map_or_else(|_| format!("\"{opt}\""), |level: u8| level.to_string());
    filled(MANIFEST, &[("opt", &level)])
}

fn program_of(size: Size, subject: &Subject) -> String {
    let Stream {
        sources,
        level,
        segment,
        filling,
        calls,
        fault,
    } = subject.stream;
    let amplitude = 2.0 / (size.dim as f32).sqrt();
    filled(
        MAIN,
        &[
            ("dim", &size.dim.to_string()),
            ("type", &subject.kind),
            ("fresh", &subject.fresh),
            ("call", subject.call),
            ("sources", &sources.to_string()),
            ("amplitude", &format!("{amplitude:?}")),
            ("level", &format!("{level:?}")),
            ("segment", &segment.to_string()),
            ("filling", &filling.to_string()),
            ("calls", &calls.to_string()),
            ("fault", &fault.to_string()),
        ],
    )
}

/// Parses cached measurements; `None` if a learner is missing.
fn parsed(text: &str, subjects: &[Subject]) -> Option<Vec<Measured>> {
    let rows: HashMap<String, [u64; 4]> = serde_json::from_str(text).ok()?;
    let asked = subjects.iter().filter(|subject| subject.variant != EMPTY);
    let measured = asked.map(|subject| {
        let &[state, flash, mean, worst] = rows.get(subject.variant)?;
        Some(Measured {
            variant: subject.variant,
            state,
            flash,
            mean,
            worst,
        })
    });
    measured.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        dim: 20,
        keep: 3,
        window: Some(32),
    };

    #[test]
    fn a_program_is_written_for_the_asked_size() {
        let subjects = subjects(SIZE);
        for (variant, line) in [
            ("monitor", "SensorMonitor<f32, 20>;"),
            ("tracking", "TrackingPca<f32, 20, 3, 8>;"),
            ("density", "DensityPca<f32, 20, 3>;"),
            ("kernel_exact", "Gaussian<f32>, 20, 3, 32, 8>;"),
        ] {
            let text: String = subjects
                .iter()
                .filter(|subject| subject.variant == variant)
                .map(|subject| program_of(SIZE, subject))
                .collect();
            assert!(text.contains("const DIM: usize = 20;") && text.contains(line), "{text}");
            assert!(!text.contains("{{"), "{text}");
        }
    }

    /// SysTick counts 24 bits, 10.5 million instructions. `BatchPca` of 64 channels takes more in a call.
    #[test]
    fn a_program_counts_how_often_its_counter_began_anew() {
        assert!(MAIN.contains("#[exception]\nfn SysTick()") && MAIN.contains("systick.enable_interrupt()"));
        assert!(
            !MAIN.contains("& RELOAD"),
            "a difference of the counter alone is short of its rounds"
        );
    }

    #[test]
    fn the_manifest_has_a_level_that_cargo_reads() {
        assert!(manifest("3").contains("opt-level = 3\n") && manifest("s").contains("opt-level = \"s\"\n"));
    }

    #[test]
    fn an_answer_is_read_again() {
        let subjects: Vec<Subject> = subjects(SIZE).into_iter().take(3).collect();
        let read = parsed(r#"{"monitor":[1,2,3,4],"tracking":[5,6,7,8]}"#, &subjects).unwrap_or_default();
        assert_eq!(
            read.get(1)
                .map(|it| (it.variant, it.state, it.flash, it.mean, it.worst)),
            Some(("tracking", 5, 6, 7, 8))
        );
        assert!(parsed(r#"{"monitor":[1,2,3,4]}"#, &subjects).is_none() && parsed("x", &subjects).is_none());
    }
}
