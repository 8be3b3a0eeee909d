//! `c`: a monitor for a C program. Out: a folder with the archive, its headers, a CMake package and a program, which is
//! built and run if the cross compiler and QEMU are there.

mod archive;
mod core;
mod demo;
mod project;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::install::provide;
use crate::program::LearnerType;
use crate::progress::Progress;
use crate::watching::{Model, ModelName, Plan, SPARE, WINDOW, learner_type};
use crate::{Verdict, counted};
pub use archive::Sizes;
pub use core::Core;
pub use demo::flash;

/// Writes a monitor for a C program: archive, headers, CMake package and a program that runs as it is.
///
/// The cross compiler and QEMU are installed if that is allowed. If both are there, the program is built and run on an emulated
/// board.
#[derive(clap::Args)]
#[command(
    after_help = "Example: eigenstream c --channels 6 --keep 2 --learner tracking --cpu cortex-m4f --out ../motor"
)]
pub struct Arguments {
    /// Channels of a sample, 1 to 64.
    #[arg(long, value_name = "N", default_value_t = 6)]
    channels: usize,
    /// Directions that the learner keeps, fewer than channels; default 2, or 1 if there are two channels. Refused with the learner
    /// mahalanobis, which keeps all directions.
    #[arg(long, value_name = "K")]
    keep: Option<usize>,
    /// Points of the learner kernel, from 4 more than --keep to 128; default 32. Refused with another learner.
    #[arg(long, value_name = "POINTS")]
    window: Option<usize>,
    /// The learner inside the monitor; mahalanobis is the learner of the default monitor.
    #[arg(long, default_value = "mahalanobis")]
    learner: ModelName,
    /// The core that the archive is for.
    #[arg(long, value_enum, default_value_t)]
    cpu: Core,
    /// The prefix of all names in C.
    #[arg(long, default_value = "motor")]
    name: String,
    /// The folder to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Headers of eigenstream, of C and of POSIX: another of such a name would hide them.
const HEADERS: &str = "\
    eigenstream assert complex ctype errno fcntl fenv float inttypes iso646 limits locale malloc math \
    memory pthread sched semaphore setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio \
    stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar";

/// Types of C without `_t` at their end: the storage of a monitor would have such a name again.
const TYPES: &str = "\
    char8 char16 char32 clock div double fpos int8 int16 int32 int64 int_fast8 int_fast16 int_fast32 \
    int_fast64 int_least8 int_least16 int_least32 int_least64 intmax intptr max_align off ptrdiff size \
    ssize uint8 uint16 uint32 uint64 uint_fast8 uint_fast16 uint_fast32 uint_fast64 uint_least8 \
    uint_least16 uint_least32 uint_least64 uintmax uintptr";

/// The choices for one archive.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The prefix of all names in C.
    name: String,
    channels: usize,
    learner: LearnerType,
    core: Core,
}

impl Configuration {
    /// The default monitor.
    pub fn standard(channels: usize, core: Core) -> Self {
        Self {
            name: "motor".into(),
            channels,
            learner: learner_type(Model::Mahalanobis, channels, 0, 0),
            core,
        }
    }

    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    fn of(arguments: &Arguments) -> Result<Self> {
        let Arguments {
            channels,
            learner: ModelName(model),
            ref name,
            ..
        } = *arguments;
        let is_identifier = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && name
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        if !is_identifier {
            bail!("`{name}` is no name for C: take small letters, digits and _, a letter first");
        }
        if name == "eig" {
            bail!("the names with `eig_` are those of eigenstream.h: take another --name");
        }
        if HEADERS.split(' ').any(|header| header == name) {
            bail!("there is a header {name}.h already: take another --name");
        }
        if TYPES.split(' ').any(|one| one == name) {
            bail!("C has a type {name}_t already: take another --name");
        }
        if !(1..=64).contains(&channels) {
            bail!("{channels} channels: take 1 to 64");
        }
        let keeps = model.keeps_directions();
        if arguments.keep.is_some() && !keeps {
            bail!("--keep is for learners that keep directions: name one with --learner, tracking for one");
        }
        if arguments.window.is_some() && model != Model::Kernel {
            bail!("--window is for the learner kernel: leave out --window, or take --learner kernel");
        }
        if keeps && channels == 1 {
            bail!("there is no such learner of one channel: take 2 or more, or the learner mahalanobis");
        }
        let keep = arguments.keep.unwrap_or(Plan::usual_keep(channels));
        let window = arguments.window.unwrap_or(WINDOW);
        if keeps && (keep == 0 || keep >= channels) {
            bail!(
                "--keep {keep} of {channels} channels: take 1 to {}",
                channels.saturating_sub(1)
            );
        }
        if model == Model::Kernel && !(keep + SPARE..=128).contains(&window) {
            bail!("--window {window}: take {} to 128 points", keep + SPARE);
        }
        Ok(Self {
            name: name.clone(),
            channels,
            learner: learner_type(model, channels, keep, window),
            core: arguments.cpu,
        })
    }

    pub fn write(&self, out: &Path) -> Result<Sizes> {
        let sizes = archive::build(self, out)?;
        project::write(self, sizes, out)?;
        Ok(sizes)
    }

    /// Returns the text that the program printed.
    pub fn build_and_run(&self, out: &Path) -> Result<String> {
        demo::run(self, out)
    }
}

/// The words of `demo/cortex_m.ld`.
const NO_ROOM: &str = "the program does not fit into the RAM of the board";

/// The verb.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let configuration = Configuration::of(arguments)?;
    let out = &arguments.out;
    if out.exists() && !out.is_dir() {
        bail!("{} is a file: name a new folder", out.display());
    }
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty: name a new folder", out.display());
    }
    // Before the build, which takes minutes.
    fs::create_dir_all(out).with_context(|| format!("cannot write {}", out.display()))?;
    if let Some(need) = configuration.core.target_need()
        && let Err(sentence) = provide(need)
    {
        bail!("{sentence}");
    }
    let progress = Progress::begin(2);
    progress.doing("building the archive");
    let sizes = configuration.write(out)?;
    progress.done();
    progress.doing("building and running the program");
    let missing = configuration
        .core
        .needs()
        .into_iter()
        .find_map(|need| provide(need).err());
    let (ran, flash) = match missing {
        Some(sentence) => (Err(sentence), None),
        None => {
            let ran = match configuration.build_and_run(out) {
                Err(error) if format!("{error:#}").contains(NO_ROOM) => {
                    Err("its two monitors and the image do not fit into the RAM of QEMU's board".into())
                }
                ran => Ok(ran?),
            };
            (ran, flash(&configuration, out)?)
        }
    };
    drop(progress);
    let text = summary(&configuration, out, sizes, flash, ran);
    io::stdout().write_all(text.as_bytes())?;
    Ok(Verdict::Holds)
}

/// The flash is measured without a run.
fn summary(
    configuration: &Configuration,
    out: &Path,
    sizes: Sizes,
    flash: Option<[u64; 2]>,
    ran: Result<String, String>,
) -> String {
    let Configuration { name, channels, .. } = configuration;
    let channels = counted(*channels as u64, "channel");
    let mut text = format!("wrote to {}\n", out.display());
    let mut row = |file: &str, content: &str| text += &format!("  {file:<24}  {content}\n");
    row(archive::ARCHIVE, &format!("for {}", configuration.core.words()));
    row(
        &format!("include/{name}.h"),
        &format!(
            "{channels}, {} bytes of storage (the monitor and two magic words), {} bytes of image",
            sizes.storage, sizes.image
        ),
    );
    row(
        "main.c, Makefile",
        "a program to begin with: `make run` builds and runs it",
    );
    if let Some([watching, saving]) = flash {
        text += &format!("  flash: {watching} bytes with init and observe, {saving} with save and load, too\n");
    }
    match ran {
        Ok(printed) => text + "the program ran, and printed\n" + &printed,
        Err(sentence) => text + "the program was not run: " + &sentence + "\n",
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::typed::Typed;

    fn asked(change: impl FnOnce(&mut Arguments)) -> Arguments {
        let mut arguments = Arguments {
            channels: 6,
            keep: None,
            window: None,
            learner: ModelName(Model::Mahalanobis),
            cpu: Core::Host,
            name: "motor".into(),
            out: PathBuf::new(),
        };
        change(&mut arguments);
        arguments
    }

    #[test]
    fn what_cannot_be_is_refused_before_anything_is_written() {
        let file = crate::repository().join("Cargo.toml");
        for (arguments, says) in [
            (asked(|it| it.name = "eig".into()), "take another --name"),
            (asked(|it| it.name = "1st".into()), "is no name for C"),
            (
                asked(|it| it.name = "eigenstream".into()),
                "a header eigenstream.h already",
            ),
            (asked(|it| it.name = "stdint".into()), "a header stdint.h already"),
            (asked(|it| it.name = "size".into()), "a type size_t already"),
            (asked(|it| it.channels = 65), "take 1 to 64"),
            (
                asked(|it| (it.channels, it.learner) = (1, ModelName(Model::Hebbian))),
                "take 2 or more",
            ),
            (
                asked(|it| (it.keep, it.learner) = (Some(6), ModelName(Model::Hebbian))),
                "take 1 to 5",
            ),
            (asked(|it| it.out = file.clone()), "is a file: name a new folder"),
            (asked(|it| it.out = file.join("below")), "Cargo.toml/below"),
        ] {
            let sentence = run(&arguments).map_or_else(|error| error.to_string(), |_| String::new());
            assert!(sentence.contains(says), "{sentence}");
        }
    }

    fn typed(words: &str) -> Result<Configuration> {
        let line = Typed::<Arguments>::try_parse_from(words.split(' ').chain(["--out", "motor"]))?;
        Configuration::of(&line.arguments)
    }

    #[test]
    fn the_learners_have_the_names_of_the_other_verbs() -> Result<()> {
        for (name, learner) in [
            ("mahalanobis", "Mahalanobis<f32, 6>"),
            ("tracking", "TrackingPca<f32, 6, 2, 6>"),
            ("centered", "CenteredPca<f32, 6, 2>"),
            ("hebbian", "Gha<f32, 6, 2>"),
            ("kernel", "OnlineKernelPca<f32, Gaussian<f32>, 6, 2, 32, 6>"),
        ] {
            let configuration = typed(&format!("--channels 6 --learner {name}"))?;
            assert_eq!(configuration.learner.short(), learner);
        }
        assert_eq!(
            typed("--channels 6")?.learner.short(),
            Configuration::standard(6, Core::Host).learner.short()
        );
        assert_eq!(
            typed("--channels 2 --learner hebbian")?.learner.short(),
            "Gha<f32, 2, 1>"
        );
        Ok(())
    }

    #[test]
    fn an_option_without_effect_is_refused() {
        for (words, says) in [
            ("--channels 6 --keep 2", "--keep is for learners that keep directions"),
            (
                "--channels 6 --keep 2 --learner mahalanobis",
                "--keep is for learners that keep directions",
            ),
            (
                "--channels 6 --window 16 --learner tracking",
                "--window is for the learner kernel",
            ),
        ] {
            let sentence = typed(words).map_or_else(|error| error.to_string(), |_| String::new());
            assert!(sentence.contains(says), "{words}: {sentence}");
        }
    }

    #[test]
    fn the_flash_is_told_even_if_the_program_was_not_run() {
        let sizes = Sizes {
            storage: 568,
            image: 564,
        };
        let configuration = Configuration::standard(1, Core::CortexM0);
        let why = Err("it does not fit".to_string());
        let text = summary(&configuration, Path::new("out"), sizes, Some([1_000, 2_000]), why);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[2],
            "  include/motor.h           1 channel, 568 bytes of storage (the monitor and two magic words), 564 bytes of image"
        );
        assert_eq!(
            lines[4],
            "  flash: 1000 bytes with init and observe, 2000 with save and load, too"
        );
        assert_eq!(lines[5..], ["the program was not run: it does not fit"]);
    }

    #[test]
    fn the_linker_says_that_a_program_is_too_large() {
        assert!(crate::carried::text("bindings/c/demo/cortex_m.ld").contains(NO_ROOM));
    }
}
