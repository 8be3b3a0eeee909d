//! Compares the digest of the generated C program with that of the crate, and runs the program `misuse.c`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream_tool::c::{Configuration, Core};

use crate::cargo::root;

/// Generates and runs the C program for a core, compares its digest, and runs `misuse.c`.
pub(crate) fn same_bits(core: Core) -> Result<()> {
    let out = std::env::temp_dir().join(format!("eigenstream-c-{}-{core:?}", std::process::id()));
    let configuration = Configuration::standard(6, core);
    configuration.write(&out)?;
    expect_digest(&configuration.build_and_run(&out)?)?;
    misuse_is_refused(&configuration, &out)?;
    fs::remove_dir_all(&out)?;
    Ok(())
}

/// Runs `misuse.c` in place of `main.c`, and restores `main.c` if `misuse.c` ends with success.
pub(super) fn misuse_is_refused(configuration: &Configuration, out: &Path) -> Result<()> {
    let (program, kept) = (out.join("main.c"), out.join("kept.c"));
    fs::rename(&program, &kept)?;
    fs::copy(root().join("bindings/c/demo/misuse.c"), &program)?;
    let printed = configuration.build_and_run(out).context("misuse.c")?;
    fs::rename(&kept, &program)?;
    if printed == "every misuse was refused\n" {
        Ok(())
    } else {
        bail!("misuse.c: {printed}")
    }
}

/// Fails unless the program has printed the digest of the crate.
pub(super) fn expect_digest(printed: &str) -> Result<()> {
    let expected = format!("digest {:016x}", digest());
    if printed.lines().any(|line| line == expected) {
        Ok(())
    } else {
        bail!("the program in C does not print `{expected}`:\n{printed}")
    }
}

/// The digest that `bindings/c/demo/main.c` must print, computed with the crate.
fn digest() -> u64 {
    const CHANNELS: usize = 6;
    const FAULT: u32 = 3_000;
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as f32 * (1.0 / 65_536.0) - 0.5
    };
    let mut monitor = SensorMonitor::<f32, CHANNELS>::standard(MonitorSettings::DEFAULT);
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for time in 0..4_000 {
        let load = noise();
        let mut sample: [f32; CHANNELS] =
            std::array::from_fn(|channel| (channel + 1) as f32 * 0.5 * load + 0.25 * noise());
        if time >= FAULT {
            sample[CHANNELS - 1] += 8.0 * noise();
        }
        let Ok(verdict) = monitor.observe(&sample) else {
            return 0;
        };
        for number in [verdict.score].into_iter().chain(verdict.contribution) {
            for byte in number.to_bits().to_le_bytes() {
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    digest
}
