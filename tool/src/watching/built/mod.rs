//! Monitors of sizes that are not in the table.
//! In: a size. Out: a monitor of this size in a separate program. The tool writes the carried crate and a small program to
//! its cache, builds it with cargo and talks to it through pipes. Results and images are those of the chip.

mod pipe;
#[cfg(test)]
pub(super) mod serve;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, anyhow, bail};
use eigenstream::Codec;
use eigenstream::codec::{Header, Kind};
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream::pca::Mahalanobis;
use eigenstream_sizes::{AnyMonitor, rank};

use super::{Model, Size, kernel_numbers, learner_type};
use crate::carried;
use crate::counted;
use crate::process::{cargo, finish};
use crate::program::{self, cargo_in, filled};
use crate::progress::Progress;
use pipe::{Numbers, Piped};

const MAIN: &str = include_str!("main.rs.txt");
const SERVE: &str = include_str!("serve.rs");
const MANIFEST: &str = include_str!("manifest.txt");

pub(super) fn monitor(size: Size, settings: MonitorSettings<f32>) -> Result<Box<dyn AnyMonitor>> {
    let program = program_of(size)?;
    let monitor = Piped::start(&program, size.channels, numbers(size), settings)?;
    Ok(Box::new(monitor))
}

pub(super) fn monitor_of_image(image: &[u8]) -> Result<Box<dyn AnyMonitor>> {
    let size = size_of_image(image).context("it is no monitor that the tool can build")?;
    let mut monitor = monitor(size, MonitorSettings::DEFAULT)?;
    monitor.decode(image).map_err(|refusal| anyhow!("{refusal}"))?;
    Ok(monitor)
}

fn size_of_image(image: &[u8]) -> Option<Size> {
    let header = Header::read(image).ok()?;
    let [channels, median, ..] = header.sizes().map(usize::from);
    if header.kind() != Some(Kind::Monitor) || header.precision() != 4 || median != 1 {
        return None;
    }
    let tag = header.content(image).ok()?.get(fields(channels)..)?;
    let (kind, sizes) = inside(tag)?;
    let [wide, second, third, fourth] = sizes;
    let size = |model, keep| Size {
        model,
        channels,
        keep,
        lags: 1,
        learning_rate: 1.0,
    };
    let plain = match kind {
        Kind::Mahalanobis => Some(size(Model::Mahalanobis, 1)),
        Kind::Tracking if third == rank(wide, second) => Some(size(Model::Tracking, second)),
        Kind::Centered => Some(size(Model::Centered, second)),
        Kind::Parallel => Some(size(Model::Hebbian, second)),
        Kind::OnlineKernel if fourth == second + 4 && third == kernel_numbers(wide, 1.0).3 => {
            Some(size(Model::Kernel, second))
        }
        _ => None,
    };
    plain.filter(|_| wide == channels)
}

/// One byte each for kind, precision and kernel, then four sizes.
fn inside(tag: &[u8]) -> Option<(Kind, [usize; 4])> {
    let kind = Kind::of(*tag.first()?)?;
    let (sizes, _) = tag.get(3..11)?.as_chunks::<2>();
    let sizes: [[u8; 2]; 4] = sizes.try_into().ok()?;
    Some((kind, sizes.map(|size| usize::from(u16::from_le_bytes(size)))))
}

/// Bytes of an image before the learner: a constant, plus a constant for each channel.
fn fields(channels: usize) -> usize {
    let one = SensorMonitor::<f32, 1>::ENCODED_LEN - Mahalanobis::<f32, 1>::ENCODED_LEN;
    let two = SensorMonitor::<f32, 2>::ENCODED_LEN - Mahalanobis::<f32, 2>::ENCODED_LEN;
    // The learner's tag has 11 bytes.
    one + (two - one) * channels.saturating_sub(1) - 11
}

fn numbers(size: Size) -> Numbers {
    let rate = size.learning_rate;
    match size.model {
        Model::Kernel => {
            let (gamma, rate, stride, _) = kernel_numbers(size.channels * size.lags, rate);
            Numbers { rate, gamma, stride }
        }
        // As in the table of sizes.
        Model::Hebbian => Numbers {
            rate: rate / 32.0,
            gamma: 0.0,
            stride: 1,
        },
        _ => Numbers {
            rate,
            gamma: 0.0,
            stride: 1,
        },
    }
}

/// Cargo builds it if the cache does not have it.
fn program_of(size: Size) -> Result<PathBuf> {
    let name = name(size);
    let cache = carried::cache();
    let programs = cache.join("sizes").join("programs");
    // An earlier version of the tool may expect other messages.
    let version = carried::fingerprint_with(&[SERVE, MAIN, MANIFEST]);
    let kept = programs.join(format!("{name}-{version:016x}"));
    if kept.is_file() {
        return Ok(kept);
    }
    let words = words(size);
    let found = cargo()
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        bail!(
            "the tool has no monitor of {words} inside and builds one with cargo, which is not found: install Rust (https://rustup.rs), or ask for a smaller size"
        );
    }
    eprintln!(
        "the tool has no monitor of {words} inside: cargo builds it now, and it is kept in {} for the next time",
        programs.display()
    );
    let progress = Progress::begin(1);
    progress.doing(&format!("building a monitor of {words}"));
    let project = cache.join("sizes").join(&name);
    carried::write(&cache.join("crate"))?;
    let files = [
        ("Cargo.toml", filled(MANIFEST, &[("name", &name)])),
        ("src/main.rs", main(size)),
        ("src/serve.rs", SERVE.to_owned()),
    ];
    program::write(&project, files)?;
    // One target folder, so that common crates are built once.
    let target = cache.join("sizes").join("target");
    let mut build = cargo_in(&project, &["build", "--release", "--quiet"]);
    build.env("CARGO_TARGET_DIR", &target);
    finish(&mut build).with_context(|| format!("cargo could not build a monitor of {words}"))?;
    let built = target
        .join("release")
        .join(&name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    // The rename is atomic: another process of the tool finds the complete program or none.
    let half = programs.join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&programs)
        .and_then(|()| fs::copy(&built, &half))
        .and_then(|_| fs::rename(&half, &kept))
        .with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(kept)
}

/// A size in words.
fn words(size: Size) -> String {
    let Size {
        channels, keep, lags, ..
    } = size;
    let (channels, keep) = (counted(channels as u64, "channel"), counted(keep as u64, "direction"));
    match (size.model, lags) {
        (Model::Mahalanobis, _) => channels,
        (_, 1) => format!("{channels} that keeps {keep}"),
        _ => format!("{channels} that keeps {keep} of {lags} rows side by side"),
    }
}

/// The name of a program.
fn name(size: Size) -> String {
    let Size {
        channels, keep, lags, ..
    } = size;
    let model = super::ModelName(size.model).word();
    match size.model {
        Model::Mahalanobis => format!("{model}-{channels}"),
        _ => format!("{model}-{channels}-{keep}-{lags}"),
    }
}

fn main(size: Size) -> String {
    let Size {
        channels, keep, lags, ..
    } = size;
    let wide = channels * lags;
    let learner = learner_type(size.model, wide, keep, kernel_numbers(wide, 1.0).3);
    let settings = learner.settings_path();
    let arguments = match size.model {
        Model::Mahalanobis => format!("{settings}::DEFAULT"),
        Model::Tracking | Model::Centered | Model::Hebbian => format!("{settings}::new(rate)?"),
        Model::Kernel => format!(
            "\n        eigenstream::kernel::Gaussian::new(gamma)?,\n        {settings}::new(rate)?\
             .with_centering(eigenstream::Centering::Centered).with_stride(stride.into())?,\n    "
        ),
    };
    let (kind, value) = (
        learner.path("eigenstream"),
        format!("{}::new({arguments})", learner.constructor()),
    );
    let (kind, value) = match lags {
        1 => (kind, value),
        _ => (
            format!("eigenstream::monitor::Lagged<f32, {kind}, {channels}, {lags}, {wide}>"),
            format!("eigenstream::monitor::Lagged::new({value})"),
        ),
    };
    let dim = channels.to_string();
    filled(MAIN, &[("dim", &dim), ("type", &kind), ("value", &value)])
}
