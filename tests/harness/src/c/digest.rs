//! The program of a generated folder beside the program in Rust: both must print the same digest.

use anyhow::{Result, bail};
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream_tool::c::{Configuration, Core};

/// Generates the program for a core, runs it and compares its digest with that of the program in Rust.
pub(crate) fn same_bits(core: Core) -> Result<()> {
    let out = std::env::temp_dir().join(format!("eigenstream-c-{}-{core:?}", std::process::id()));
    let configuration = Configuration::standard(6, core);
    configuration.write(&out)?;
    let printed = configuration.build_and_run(&out)?;
    std::fs::remove_dir_all(&out)?;
    expect_digest(&printed)
}

/// Fails if the program has not printed the digest of the one in Rust.
pub(super) fn expect_digest(printed: &str) -> Result<()> {
    let expected = format!("digest {:016x}", digest());
    if printed.lines().any(|line| line == expected) {
        Ok(())
    } else {
        bail!("the program in C does not print `{expected}`:\n{printed}")
    }
}

/// The digest of `bindings/c/demo/main.c`, from the crate itself.
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
        let score = monitor.observe(&sample).map_or(0.0, |verdict| verdict.score);
        for byte in score.to_bits().to_le_bytes() {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    digest
}
