//! `budget`: the cost of a configuration, before any firmware is written.
//! In: sizes, optionally a clock and a sample rate. Out: RAM, flash, instructions, cycles and the part of the processor time that
//! a trial takes, for every learner of this size.
//! Method: the default monitor and every learner of the table of sizes are built and run in QEMU at the requested size. A model
//! gives all costs of the other learners, and the stack and the cycles of all learners. It is fitted to committed measurements
//! (`cargo harness bench --workload sizes --workload windows --save`, `cargo harness bench --cycles --save`).

mod chip;
mod fit;
mod learners;
mod measured;
mod model;
mod subjects;

use std::io::{self, Write};

use anyhow::{Result, bail};

use crate::Verdict;
use crate::watching::Plan;
pub(crate) use learners::monitor_bytes;
use learners::{Family, LARGEST, LEARNERS, Learner, MODELLED, MODELLED_KEEP, Size};
pub use measured::MODEL_ERROR;
use measured::committed;
use model::{Estimate, Model, STACK_BYTES, STACK_ERROR, WORST_ERROR};

/// Prints the RAM, flash and instructions that each learner needs at a size, and whether the learner keeps up with a sensor.
///
/// The default monitor and every learner of the table of sizes are built with cargo and run in QEMU at the requested size. The
/// results are cached: the next call with this size builds nothing. Whether a learner keeps up is computed in cycles of the
/// core, with a margin for the error of the model.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: eigenstream budget --channels 6 --clock 64MHz --rate 100Hz; eigenstream budget --channels 6 --keep 2 --window 32"
)]
pub struct Arguments {
    /// Channels of a sample, 2 to 256. Above 64 only the learners that can be built and run in QEMU are shown.
    // Scripts may use `--dim`, the old name of this option.
    #[arg(long, value_name = "N", alias = "dim")]
    channels: usize,
    /// Directions kept, fewer than channels, or for a kernel learner fewer than points; default 2, or 1 if there are two channels.
    /// The default monitor keeps all directions, so its cost does not depend on this number.
    #[arg(long, value_name = "K")]
    keep: Option<usize>,
    /// Points that a kernel learner keeps, 4 to 256; without this option no kernel learner is shown.
    #[arg(long, value_name = "POINTS")]
    window: Option<usize>,
    /// The clock of the core, like 64MHz.
    #[arg(long, value_parser = hertz, requires = "rate")]
    clock: Option<f64>,
    /// Samples a second, like 100Hz.
    #[arg(long, value_parser = hertz, requires = "clock")]
    rate: Option<f64>,
    /// Uses the model alone and builds nothing.
    #[arg(long)]
    estimate: bool,
    /// The optimisation level of the firmware.
    #[arg(long, default_value = "s", value_parser = ["s", "3"])]
    opt: String,
}

impl Arguments {
    /// The requested size.
    fn size(&self) -> Size {
        let dim = self.channels;
        Size {
            dim,
            keep: self.keep.unwrap_or(Plan::usual_keep(dim)),
            window: self.window,
        }
    }
}

/// A frequency with its unit.
fn hertz(text: &str) -> Result<f64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, scale) = [("mhz", 1e6), ("khz", 1e3), ("hz", 1.0)]
        .into_iter()
        .find_map(|(unit, scale)| lower.strip_suffix(unit).map(|digits| (digits, scale)))
        .ok_or("give a unit: Hz, kHz or MHz")?;
    match digits.trim().parse::<f64>().map(|number| number * scale) {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a positive number in Hz, kHz or MHz".into()),
    }
}

/// Runs the verb `budget`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let size = arguments.size();
    let Size { dim, keep, window } = size;
    let known: Vec<&Learner> = LEARNERS.iter().filter(|learner| learner.family.has(size)).collect();
    // With --window the kernel learners were asked for.
    let lacks_kernels = window.is_some() && !Family::Window.has(size);
    if known.is_empty() || lacks_kernels {
        bail!(
            "there is no such learner: --channels is from 2 to {LARGEST}; --keep from 1 to one less than --channels, or than --window; --window from 4 to {LARGEST}"
        );
    }
    let rows = committed()?;
    let measured = measured(arguments, size);
    if measured.is_empty() && !known.iter().any(|learner| learner.family.models(size)) {
        bail!("beyond {MODELLED} channels or points there is no model, and nothing was measured");
    }
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
        "{:<24}{:>9}{:>9}{:>9}{:>12}{:>12}{:>12}{:>12}  {}",
        "learner",
        "state",
        "stack",
        "flash",
        "mean",
        "worst",
        "cycles",
        "worst",
        heading(arguments)
    )?;
    for &learner in &known {
        let model = Model::new(&rows, learner, &arguments.opt)?;
        let found = measured.iter().find(|measured| measured.variant == learner.variant);
        let (estimate, mark) = match found {
            Some(measured) => (model.measured(size, measured), "*"),
            None if !learner.family.models(size) => continue,
            None => (model.estimate(size), ""),
        };
        writeln!(
            out,
            "{:<24}{:>9}{:>9.0}{:>9.0}{:>12.0}{:>12.0}{:>12.0}{:>12.0}  {}",
            format!("{}{mark}", learner.name),
            estimate.state,
            estimate.stack,
            estimate.flash,
            estimate.mean,
            estimate.worst,
            estimate.cycles_mean,
            estimate.cycles_worst,
            load(arguments, &estimate)
        )?;
    }
    if dim.max(window.unwrap_or(0)) > MODELLED {
        writeln!(
            out,
            "beyond {MODELLED} channels or points only learners that were measured are shown; their stack is a guess"
        )?;
    }
    if keep > MODELLED_KEEP {
        writeln!(out, "{}", many_directions(&known))?;
    }
    if window.is_none() {
        writeln!(out, "with --window, the kernel learners too")?;
    }
    if !measured.is_empty() {
        writeln!(
            out,
            "* was built and run in QEMU at this size. Its worst is the larger one of the worst call there and of the model's worst over\n  \
             several streams. Its stack and all other rows are a model."
        )?;
    }
    writeln!(
        out,
        "state, stack and flash are bytes. mean and worst are instructions of a trial, retired in QEMU. cycles are a model, good to {:.0} %:\n\
         the instructions priced by the manual of the core, without wait states of the flash.\n\
         SensorMonitor is counted while it watches, without Counts. BatchPca and KernelPca are fitted again at every sample,\n\
         KernelPca with its window and room. Kernel learners have a Gaussian kernel.\n\
         In a model, state is exact, mean is good to {:.0} % (a kernel learner: {:.0} %), worst to {:.0} %, stack to {:.0} % or {} bytes.",
        100.0 * MODEL_ERROR,
        100.0 * LEARNERS[0].family.mean_error(),
        100.0 * Family::Window.mean_error(),
        100.0 * WORST_ERROR,
        100.0 * STACK_ERROR,
        STACK_BYTES
    )?;
    Ok(Verdict::Holds)
}

/// The sentence about more directions than were measured for the model.
fn many_directions(known: &[&Learner]) -> String {
    let fixed = known
        .iter()
        .filter(|learner| !learner.keeps)
        .map(|learner| learner.name);
    let fixed = fixed.collect::<Vec<_>>().join(", ");
    format!(
        "beyond {MODELLED_KEEP} directions no learner was measured for the model: all but the state of its rows is a guess.\n\
         This does not hold for learners whose cost does not depend on --keep: {fixed}."
    )
}

/// The measurements on the chip at the requested size; empty if the chip cannot be measured here.
fn measured(arguments: &Arguments, size: Size) -> Vec<chip::Measured> {
    if arguments.estimate {
        return Vec::new();
    }
    chip::measure(size, &arguments.opt).unwrap_or_else(|error| {
        eprintln!("nothing was measured, the figures are a model: {error:#}");
        Vec::new()
    })
}

fn heading(arguments: &Arguments) -> &'static str {
    if arguments.rate.is_some() {
        "load, in cycles"
    } else {
        ""
    }
}

/// The part of the processor time that a trial takes, and the verdict whether the learner keeps up.
fn load(arguments: &Arguments, estimate: &Estimate) -> String {
    let (Some(clock), Some(rate)) = (arguments.clock, arguments.rate) else {
        return String::new();
    };
    let [mean, worst] = [estimate.cycles_mean, estimate.cycles_worst].map(|cycles| 100.0 * cycles * rate / clock);
    // The cycles may be too low by `MODEL_ERROR`. A learner that "keeps up" must keep up with this error included.
    let limit = 100.0 / (1.0 + MODEL_ERROR);
    let verdict = if 2.0 * worst <= limit {
        format!("keeps up, with {:.0} times the rate too", (limit / worst).floor())
    } else if worst <= limit {
        "keeps up".into()
    } else if mean <= limit {
        "does not always keep up: the worst trial needs a queue".into()
    } else {
        "does not keep up".into()
    };
    format!("{mean:.2} % mean, {worst:.2} % worst: {verdict}")
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::typed::Typed;

    #[test]
    fn frequencies_have_units() {
        assert_eq!(hertz("64MHz"), Ok(64e6));
        assert_eq!(hertz("1.5 kHz"), Ok(1500.0));
        assert_eq!(hertz("100Hz"), Ok(100.0));
        assert!(hertz("100").is_err());
        assert!(hertz("-1Hz").is_err());
        assert!(hertz("1GHz").is_err_and(|sentence| sentence.contains("MHz")));
        assert!(hertz("1e308MHz").is_err());
    }

    fn asked(channels: usize, keep: usize) -> Arguments {
        Arguments {
            channels,
            keep: Some(keep),
            window: None,
            clock: Some(64e6),
            rate: Some(100.0),
            opt: "s".into(),
            estimate: true,
        }
    }

    #[test]
    fn without_keep_two_directions_are_kept_or_one_of_two_channels() -> Result<()> {
        for (typed, keep) in [
            ("--channels 6", 2),
            ("--dim 6", 2),
            ("--channels 2", 1),
            ("--channels 6 --keep 3", 3),
            ("--channels 2 --window 8", 1),
        ] {
            let arguments = Typed::<Arguments>::try_parse_from(typed.split(' '))?.arguments;
            assert_eq!(arguments.size().keep, keep, "{typed}");
            assert!(
                LEARNERS.iter().any(|learner| learner.family.has(arguments.size())),
                "{typed}"
            );
        }
        Ok(())
    }

    #[test]
    fn the_help_names_the_largest_sizes() {
        let help = Typed::<Arguments>::command().render_help().to_string();
        for (option, says) in [
            ("--channels", format!("2 to {LARGEST}")),
            ("--window", format!("4 to {LARGEST}")),
        ] {
            let line = help.lines().find(|line| line.trim_start().starts_with(option));
            assert!(line.is_some_and(|line| line.contains(&says)), "{option}: {help}");
        }
        assert!(help.contains(&format!("Above {MODELLED}")), "{help}");
    }

    #[test]
    fn the_sentence_on_many_directions_leaves_out_learners_that_do_not_depend_on_them() {
        let size = asked(20, 5).size();
        let known: Vec<&Learner> = LEARNERS.iter().filter(|learner| learner.family.has(size)).collect();
        let said = many_directions(&known);
        assert!(
            said.ends_with("does not depend on --keep: VarianceMinimizer, Oja, SensorMonitor."),
            "{said}"
        );
    }

    #[test]
    fn a_window_without_a_kernel_learner_is_refused() {
        for (keep, window) in [(2, 0), (2, 3), (6, 5), (2, 257), (2, usize::MAX)] {
            let arguments = Arguments {
                window: Some(window),
                ..asked(20, keep)
            };
            let sentence = run(&arguments).map_or_else(|error| error.to_string(), |_| String::new());
            assert!(sentence.contains("--window from 4 to 256"), "{window}: {sentence}");
        }
    }

    #[test]
    fn a_size_without_model_and_measurement_is_refused() {
        let sentence = run(&asked(100, 2)).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(sentence.contains("beyond 64 channels"), "{sentence}");
    }

    /// 64 MHz and 128 Hz leave 500,000 cycles for each sample. The worst trial of `DensityPca` has fewer than 500,000
    /// instructions, but more than 500,000 cycles. At 100 Hz the worst trial leaves too little room for the error of the model.
    #[test]
    fn a_learner_that_fits_by_instructions_and_not_by_cycles_is_said_not_to() -> Result<()> {
        let rows = committed()?;
        let size = Size {
            dim: 20,
            keep: 2,
            window: None,
        };
        let density = LEARNERS.iter().find(|learner| learner.variant == "density");
        let density = density.context("no such learner")?;
        let estimate = Model::new(&rows, density, "s")?.estimate(size);
        assert!(estimate.worst < 500e3 && estimate.cycles_worst > 500e3, "{estimate:?}");
        for rate in [128.0, 100.0] {
            let arguments = Arguments {
                rate: Some(rate),
                ..asked(20, 2)
            };
            assert!(!load(&arguments, &estimate).contains("keeps up"), "{rate} Hz");
        }
        Ok(())
    }

    #[test]
    fn the_load_is_cycles_by_clock_and_the_verdict_leaves_room_for_the_model() {
        let estimate = |cycles_mean, cycles_worst| Estimate {
            state: 0,
            stack: 0.0,
            flash: 0.0,
            mean: 1.0,
            worst: 1.0,
            cycles_mean,
            cycles_worst,
        };
        let arguments = asked(20, 2);
        let said = |mean, worst| load(&arguments, &estimate(mean, worst));
        assert_eq!(
            said(6_400.0, 64_000.0),
            "1.00 % mean, 10.00 % worst: keeps up, with 8 times the rate too"
        );
        assert!(said(6_400.0, 480_000.0).ends_with(": keeps up"));
        // 90 % load. With 15 % more cycles the load would be above 100 %.
        assert!(said(6_400.0, 576_000.0).ends_with("the worst trial needs a queue"));
        assert!(said(576_000.0, 900_000.0).ends_with("does not keep up"));
    }
}
