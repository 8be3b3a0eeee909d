//! The monitor of a new project.
//! In: channels, and the plan of a learner. Out: `src/watch.rs` for a real chip, or the program for the emulated chip. The
//! monitor is a `static`, never on the stack.

use anyhow::{Result, bail};

use crate::budget::monitor_bytes;
use crate::program::filled;
use crate::tune::Parts;
use crate::watching::{LARGEST, Model, ModelName, Plan, Size, refusal};

/// Four channels and the default learner.
const WATCH: &str = include_str!("../../../examples/chips/watch.rs");
/// The program for the emulated chip.
const PROGRAM: &str = include_str!("template/program.rs.txt");
/// Their fault begins after 300 watched samples, so after the calibration of every learner.
const SENSORS: &str = include_str!("template/sensors.rs.txt");

/// Channels if none are asked for.
const CHANNELS: usize = 4;

/// The sizes and the learner on the command line.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct Options {
    /// Channels of a sample; default 4. A project for a real chip reads as many analog inputs.
    #[arg(long, value_name = "N")]
    channels: Option<usize>,
    /// Directions that the learner keeps, fewer than channels; default 2, or 1 if there are two channels. Needs --learner,
    /// because the default learner keeps all directions.
    #[arg(long, value_name = "K")]
    keep: Option<usize>,
    /// The learner; default mahalanobis, the learner of the default monitor.
    #[arg(long)]
    learner: Option<ModelName>,
}

impl Options {
    #[cfg(test)]
    pub(super) fn of_channels(channels: usize) -> Self {
        Self {
            channels: Some(channels),
            ..Self::default()
        }
    }

    /// Whether none was given.
    pub(super) const fn is_empty(&self) -> bool {
        self.channels.is_none() && self.keep.is_none() && self.learner.is_none()
    }

    /// The error is a sentence that says why there is no such monitor.
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let mut plan = self.learner.map_or(Plan::DEFAULT, |name| Plan::of(name.0));
        let channels = self.channels.unwrap_or(CHANNELS);
        if self.keep.is_some() && !plan.model.keeps_directions() {
            bail!("--keep is for learners that keep directions: name one with --learner, tracking for one");
        }
        plan.keep = self.keep.unwrap_or(Plan::usual_keep(channels));
        // `refusal` speaks of --lags, which `new` does not have.
        if channels == 1 && plan.model.keeps_directions() {
            bail!("there is no learner of one channel alone: name 2 or more, or leave out --learner");
        }
        if !(1..=LARGEST).contains(&channels) {
            bail!("there is no monitor of {channels} channels: name 1 to {LARGEST}");
        }
        let size = Size {
            model: plan.model,
            channels,
            keep: plan.keep,
            lags: plan.lags,
            learning_rate: plan.rate,
        };
        match refusal(size) {
            Some(sentence) => bail!(sentence),
            None => Ok(Wanted { channels, plan }),
        }
    }
}

/// RAM of the emulated board, as in `template/memory.x`; its flash is as large.
const ROOM: usize = 4 << 20;
/// For stack and program.
const SPARE: usize = 64 << 10;
/// For each channel: more than `budget` prints for 64 channels, divided by 64.
const STACK: usize = 256;

/// `None` if it fits.
fn too_large(model: Model, channels: usize, keep: usize) -> Option<String> {
    let needed = |channels: usize| monitor_bytes(model, channels, keep) + SPARE + STACK * channels;
    let fits = |channels: usize| needed(channels) <= ROOM;
    if fits(channels) {
        return None;
    }
    let least = if model.keeps_directions() { keep + 1 } else { 1 };
    let advice = match (least..channels).rev().find(|&fewer| fits(fewer)) {
        Some(most) if matches!(model, Model::Tracking | Model::Hebbian) => {
            format!("ask for --channels {most} or fewer, or for fewer with --keep")
        }
        Some(most) => format!("ask for --channels {most} or fewer"),
        None => "ask for fewer with --channels or --keep".into(),
    };
    Some(format!(
        "a monitor of {channels} channels takes {} bytes with its stack, and the board has {ROOM}: {advice}",
        needed(channels)
    ))
}

/// A monitor that exists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) channels: usize,
    plan: Plan,
}

impl Wanted {
    pub(super) fn check_room(&self) -> Result<()> {
        match too_large(self.plan.model, self.channels, self.plan.keep) {
            Some(sentence) => bail!(sentence),
            None => Ok(()),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        monitor_bytes(self.plan.model, self.channels, self.plan.keep)
    }

    /// In the type, `CHANNELS` stands for the number of channels.
    fn parts(&self) -> Parts {
        let mut parts = Parts::of(&self.plan, self.channels);
        let number = self.channels.to_string();
        for before in ["f32, ", "Gaussian<f32>, "] {
            for after in [",", ">"] {
                let (old, new) = (format!("{before}{number}{after}"), format!("{before}CHANNELS{after}"));
                parts.name = parts.name.replace(&old, &new);
            }
        }
        if let Some(learner) = parts.name.strip_suffix(&format!(">, {number}>")) {
            parts.name = format!("{learner}>, CHANNELS>");
        }
        parts
    }

    pub(super) fn watch(&self) -> String {
        let text = WATCH
            .replace("cargo harness tune", "eigenstream tune")
            .replace("CHANNELS: usize = 4;", &format!("CHANNELS: usize = {};", self.channels));
        if !self.plan.model.keeps_directions() {
            return text;
        }
        let parts = self.parts();
        let imports = "use eigenstream::monitor::{Adaptation, MonitorSettings, Phase, SensorMonitor, Verdict};\n";
        text.replace(imports, &parts.imports(&["Adaptation", "Phase", "Verdict"]))
            .replace(
                "/// The monitor with its default learner.",
                "/// The monitor with its learner.",
            )
            .replace("SensorMonitor<f32, CHANNELS>;", &format!("{};", parts.name))
            .replace(
                "MonitorSettings::DEFAULT.with_training(2_048);",
                &format!("{};", parts.settings),
            )
            .replace("Watch::standard(SETTINGS)", &parts.value)
    }

    pub(super) fn program(&self) -> String {
        let parts = self.parts();
        // The scores of the kernel learner are far below one.
        let digits = match self.plan.model {
            Model::Kernel => ".2e",
            _ => ".2",
        };
        filled(
            PROGRAM,
            &[
                ("digits", digits),
                ("sensors", SENSORS),
                ("imports", &parts.imports(&["State"])),
                ("channels", &self.channels.to_string()),
                ("settings", &parts.settings),
                ("type", &parts.name),
                ("value", &parts.value),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use eigenstream::hebbian::Gha;
    use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
    use eigenstream::monitor::{Monitor, MonitorSettings, SensorMonitor, State};
    use eigenstream::pca::{CenteredPca, TrackingPca, TrackingSettings};
    use eigenstream::{Centering, Learner};

    use super::*;
    use crate::watching::kernel_numbers;

    fn options(channels: usize, keep: Option<usize>, learner: Option<Model>) -> Options {
        Options {
            channels: Some(channels),
            keep,
            learner: learner.map(ModelName),
        }
    }

    #[test]
    fn the_default_is_the_file_of_the_examples() -> Result<()> {
        let text = WATCH.replace("cargo harness tune", "eigenstream tune");
        assert_eq!(Options::default().wanted()?.watch(), text);
        assert!(Options::default().is_empty());
        Ok(())
    }

    #[test]
    fn the_monitor_has_the_asked_sizes_and_learner() -> Result<()> {
        for (learner, keep, name) in [
            (Model::Mahalanobis, None, "SensorMonitor<f32, CHANNELS>;"),
            (
                Model::Tracking,
                Some(3),
                "Monitor<f32, TrackingPca<f32, CHANNELS, 3, 6>, CHANNELS>;",
            ),
            (
                Model::Centered,
                None,
                "Monitor<f32, CenteredPca<f32, CHANNELS, 2>, CHANNELS>;",
            ),
            (
                Model::Hebbian,
                Some(1),
                "Monitor<f32, Gha<f32, CHANNELS, 1>, CHANNELS>;",
            ),
            (
                Model::Kernel,
                None,
                "Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, CHANNELS, 2, 32, 6>, CHANNELS>;",
            ),
        ] {
            let wanted = options(6, keep, Some(learner)).wanted()?;
            for text in [wanted.watch(), wanted.program()] {
                assert!(text.contains(name) && text.contains("CHANNELS: usize = 6;"), "{text}");
                assert!(text.contains("static MONITOR: ConstStaticCell<Watch>"), "{text}");
                assert_eq!(text.contains("SensorMonitor"), learner == Model::Mahalanobis, "{text}");
            }
        }
        Ok(())
    }

    /// Samples and monitor of one number of channels.
    macro_rules! wide {
        ($name:ident, $channels:literal) => {
            mod $name {
                pub(super) const CHANNELS: usize = $channels;
                include!("template/sensors.rs.txt");
                pub(super) fn samples(time: u32, watched: u32) -> [f32; CHANNELS] {
                    read_sensors(time, watched)
                }
            }
        };
    }
    wide!(four, 4);
    wide!(hundreds, 900);

    /// Returns the first watched sample, and each sample in alarm with its guilty channel.
    fn run<L: Learner<f32, DIM>, const DIM: usize>(
        monitor: &mut Monitor<f32, L, DIM>,
        samples: fn(u32, u32) -> [f32; DIM],
    ) -> Result<(u32, Vec<(u32, usize)>)> {
        let (mut watched, mut first, mut alarms) = (0, 0, Vec::new());
        for time in 0..10_000 {
            let verdict = monitor.observe(&samples(time, watched))?;
            if verdict.alarm {
                alarms.push((time, verdict.guilty()));
            }
            if verdict.state != State::Learning {
                watched += 1;
            }
            match watched {
                0 => first = time + 1,
                1_000 => break,
                _ => {}
            }
        }
        Ok((first, alarms))
    }

    /// The fault begins 300 samples after `first`.
    fn is_the_fault(first: u32, alarms: &[(u32, usize)], channels: usize) -> bool {
        let (begin, end) = (first + 300, first + 600);
        let [(from, guilty), .., (to, _)] = *alarms else {
            return false;
        };
        (begin..begin + 10).contains(&from) && (end - 10..end + 100).contains(&to) && guilty == channels - 1
    }

    #[test]
    fn the_program_shows_its_fault_with_the_kernel_learner() -> Result<()> {
        const CHANNELS: usize = four::CHANNELS;
        let plan = Plan::of(Model::Kernel);
        let (gamma, rate, stride, _) = kernel_numbers(CHANNELS, plan.rate);
        let settings = OnlineKernelSettings::new(rate)?.with_centering(Centering::Centered);
        let learner = OnlineKernelPca::new(Gaussian::new(gamma)?, settings.with_stride(stride.into())?);
        let mut monitor: Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, CHANNELS, 2, 32, 6>, CHANNELS> =
            Monitor::new(MonitorSettings::DEFAULT.with_training(plan.training), learner);
        let (first, alarms) = run(&mut monitor, four::samples)?;
        assert!(first > plan.training, "{first}");
        assert!(is_the_fault(first, &alarms, CHANNELS), "{first}, {alarms:?}");
        Ok(())
    }

    /// The learner calibrates three times at this size, and one of many channels is a small part.
    #[test]
    fn the_program_shows_its_fault_with_hundreds_of_channels() -> Result<()> {
        const CHANNELS: usize = hundreds::CHANNELS;
        let plan = Plan::of(Model::Tracking);
        let settings = MonitorSettings::DEFAULT
            .with_training(plan.training)
            .with_score(plan.score);
        let learner = TrackingPca::new(TrackingSettings::new(plan.rate)?);
        let mut monitor: Box<Monitor<f32, TrackingPca<f32, CHANNELS, 2, 6>, CHANNELS>> =
            Box::new(Monitor::new(settings, learner));
        let (first, alarms) = run(&mut monitor, hundreds::samples)?;
        assert!(first > 3_000, "{first}");
        assert!(is_the_fault(first, &alarms, CHANNELS), "{first}, {alarms:?}");
        Ok(())
    }

    /// [`run`] is the loop of the program.
    #[test]
    fn the_program_counts_the_samples_that_it_watches() -> Result<()> {
        let program = options(6, None, None).wanted()?.program();
        for line in [
            "for time in 0..10_000 {",
            "monitor.observe(&read_sensors(time, watched))?;",
            "if state != State::Learning {\n            watched += 1;",
            "if watched == 1_000 {\n            break;",
        ] {
            assert!(program.contains(line), "{line}: {program}");
        }
        Ok(())
    }

    #[test]
    fn the_program_prints_scores_that_are_not_all_zeros() -> Result<()> {
        for (learner, digits) in [(Model::Kernel, "{score:.2e}"), (Model::Tracking, "{score:.2}")] {
            let program = options(4, None, Some(learner)).wanted()?.program();
            assert!(program.contains(digits), "{program}");
        }
        Ok(())
    }

    #[test]
    fn the_room_is_that_of_the_board_and_the_bytes_are_those_of_the_types() {
        assert_eq!(super::super::MEMORY.matches("LENGTH = 4M").count(), 2);
        for (model, bytes) in [
            (Model::Mahalanobis, size_of::<SensorMonitor<f32, 24>>()),
            (
                Model::Tracking,
                size_of::<Monitor<f32, TrackingPca<f32, 24, 3, 8>, 24>>(),
            ),
            (Model::Centered, size_of::<Monitor<f32, CenteredPca<f32, 24, 3>, 24>>()),
            (Model::Hebbian, size_of::<Monitor<f32, Gha<f32, 24, 3>, 24>>()),
            (
                Model::Kernel,
                size_of::<Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, 24, 3, 32, 8>, 24>>(),
            ),
        ] {
            let computed = monitor_bytes(model, 24, 3);
            assert!(computed.abs_diff(bytes) < 64, "{model:?}: {computed}, not {bytes}");
        }
    }

    #[test]
    fn a_monitor_that_does_not_fit_into_the_board_is_refused() -> Result<()> {
        let sentence = |options: Options| {
            let checked = options.wanted()?.check_room();
            anyhow::Ok(checked.map_or_else(|error| error.to_string(), |()| String::new()))
        };
        for (options, says) in [
            (
                options(1_024, None, None),
                "takes 4656564 bytes with its stack, and the board has 4194304",
            ),
            (options(1_024, None, None), "ask for --channels 968 or fewer"),
            (
                options(1_024, None, Some(Model::Centered)),
                "ask for --channels 569 or fewer",
            ),
            (
                options(1_024, Some(1_023), Some(Model::Hebbian)),
                "ask for fewer with --channels or --keep",
            ),
            (
                options(1_024, Some(600), Some(Model::Tracking)),
                "or for fewer with --keep",
            ),
        ] {
            let sentence = sentence(options)?;
            assert!(sentence.contains(says), "{sentence}");
        }
        for options in [
            options(968, None, None),
            options(1_024, None, Some(Model::Tracking)),
            options(1_024, Some(200), Some(Model::Hebbian)),
            options(1_024, None, Some(Model::Kernel)),
        ] {
            assert_eq!(sentence(options)?, "");
        }
        Ok(())
    }

    #[test]
    fn a_monitor_that_cannot_be_is_refused_in_a_sentence() {
        for (options, says) in [
            (options(4, Some(2), None), "name one with --learner"),
            (options(4, Some(4), Some(Model::Tracking)), "fewer than 4"),
            (options(0, None, None), "1 to 1024"),
            (options(1, None, Some(Model::Tracking)), "2 or more"),
        ] {
            let sentence = options
                .wanted()
                .map_or_else(|error| error.to_string(), |_| String::new());
            assert!(sentence.contains(says), "{sentence}");
            assert!(!sentence.contains("--lags"), "there is no such option: {sentence}");
        }
    }
}
