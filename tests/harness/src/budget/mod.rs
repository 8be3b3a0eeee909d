//! `budget`: what a configuration takes before one line of firmware is written.
//! In: sizes, and perhaps a clock and a rate. Out: RAM, flash, instructions and the room that is left, for every learner.
//! From committed measurements (`cargo harness bench --workload sizes --workload windows --save`) and a model fitted to them; nothing is built.

mod fit;
mod learners;
mod model;

use std::io::{self, Write};

use anyhow::{Result, bail};

use crate::Verdict;
use crate::bench::committed;
use learners::{Family, LEARNERS, Learner, Size};
use model::{Estimate, Model, STACK_BYTES, STACK_ERROR, WORST_ERROR};

/// Says what RAM, flash and instructions each learner takes at a size, and whether it keeps up with a sensor.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: cargo harness budget --dim 6 --keep 2 --clock 64MHz --rate 100Hz; cargo harness budget --dim 6 --keep 2 --window 32"
)]
pub(crate) struct Arguments {
    /// Channels of the sensor.
    #[arg(long)]
    dim: usize,
    /// Directions kept.
    #[arg(long)]
    keep: usize,
    /// Samples that a kernel learner keeps.
    #[arg(long)]
    window: Option<usize>,
    /// The clock of the core, like 64MHz.
    #[arg(long, value_parser = hertz, requires = "rate")]
    clock: Option<f64>,
    /// Samples a second, like 100Hz.
    #[arg(long, value_parser = hertz, requires = "clock")]
    rate: Option<f64>,
    /// The optimisation level of the firmware.
    #[arg(long, default_value = "s", value_parser = ["s", "3"])]
    opt: String,
}

/// A frequency with its unit.
fn hertz(text: &str) -> Result<f64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, scale) = [("mhz", 1e6), ("khz", 1e3), ("hz", 1.0)]
        .into_iter()
        .find_map(|(unit, scale)| lower.strip_suffix(unit).map(|digits| (digits, scale)))
        .ok_or("give a unit: Hz, kHz or MHz")?;
    match digits.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number * scale),
        _ => Err("give a positive number".into()),
    }
}

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let &Arguments { dim, keep, window, .. } = arguments;
    let size = Size { dim, keep, window };
    let known: Vec<&Learner> = LEARNERS.iter().filter(|learner| learner.family.has(size)).collect();
    if known.is_empty() {
        bail!(
            "there is no such learner: --dim is from 2 to 64; --keep from 1 to one less than --dim, or than --window; --window from 4 to 64"
        );
    }
    let rows = committed()?;
    let mut out = io::stdout().lock();
    let points = window.map_or(String::new(), |window| format!(", {window} points"));
    let directions = if keep == 1 { "direction" } else { "directions" };
    writeln!(
        out,
        "{dim} channels, {keep} {directions}{points}, f32, Cortex-M4F, opt-level {}",
        arguments.opt
    )?;
    writeln!(
        out,
        "{:<24}{:>9}{:>9}{:>9}{:>12}{:>12}  {}",
        "learner",
        "state",
        "stack",
        "flash",
        "mean",
        "worst",
        heading(arguments)
    )?;
    for learner in known {
        let estimate = Model::new(&rows, learner, &arguments.opt)?.estimate(size);
        writeln!(
            out,
            "{:<24}{:>9}{:>9.0}{:>9.0}{:>12.0}{:>12.0}  {}",
            learner.name,
            estimate.state,
            estimate.stack,
            estimate.flash,
            estimate.mean,
            estimate.worst,
            load(arguments, &estimate)
        )?;
    }
    if window.is_none() {
        writeln!(out, "with --window, the kernel learners too")?;
    }
    writeln!(
        out,
        "state, stack, flash: bytes; mean, worst: instructions of a trial, retired in QEMU, not cycles; BatchPca and KernelPca are\n\
         fitted anew at every sample, KernelPca with its window and room; kernel learners compare by a Gaussian\n\
         state is exact; mean is good to {:.0} %, that of a kernel learner to {:.0} %, worst to {:.0} %, stack to {:.0} % or {} bytes",
        100.0 * LEARNERS[0].family.mean_error(),
        100.0 * Family::Window.mean_error(),
        100.0 * WORST_ERROR,
        100.0 * STACK_ERROR,
        STACK_BYTES
    )?;
    Ok(Verdict::Holds)
}

fn heading(arguments: &Arguments) -> &'static str {
    if arguments.rate.is_some() {
        "load, at one instruction a cycle"
    } else {
        ""
    }
}

/// The part of the time that a trial takes, and what is left.
fn load(arguments: &Arguments, estimate: &Estimate) -> String {
    let (Some(clock), Some(rate)) = (arguments.clock, arguments.rate) else {
        return String::new();
    };
    let [mean, worst] = [estimate.mean, estimate.worst].map(|instructions| 100.0 * instructions * rate / clock);
    let verdict = if worst <= 100.0 {
        format!("keeps up, with {:.0} times the rate too", 100.0 / worst)
    } else if mean <= 100.0 {
        "the worst trial needs a queue".into()
    } else {
        "does not keep up".into()
    };
    format!("{mean:.2} % mean, {worst:.2} % worst: {verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_have_units() {
        assert_eq!(hertz("64MHz"), Ok(64e6));
        assert_eq!(hertz("1.5 kHz"), Ok(1500.0));
        assert_eq!(hertz("100Hz"), Ok(100.0));
        assert!(hertz("100").is_err());
        assert!(hertz("-1Hz").is_err());
    }
}
