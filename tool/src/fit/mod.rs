//! `fit`: fits a model on this computer; the chip loads it. Out: the scale of the channels and the model, as images and as
//! Rust constants, and the lines of firmware that load them. A file is read twice, first for the scale; samples of standard
//! input and pipes are held in memory.

mod models;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::inspect;
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness, names};
use crate::{Verdict, counted};
use models::{Fitted, Kind};

/// Fits a standardiser and PCA or kernel PCA to a recording, and writes both as images and as Rust constants.
///
/// A row with a gap, or with a cell that is not a number, is left out and counted. The chip continues from the fitted model:
/// `BatchPca` can learn more samples, `KernelPca` scores and cleans samples.
#[derive(clap::Args)]
#[command(after_help = "Example: eigenstream fit machine.csv --columns current,pressure,flow --keep 2")]
pub struct Arguments {
    /// The recording: a CSV file, or a Parquet file if the tool was built with the feature `parquet`. `-` is standard input, for
    /// CSV only; its samples are held in memory.
    file: PathBuf,
    /// The 1 to 16 columns to learn, in the order of the channels; default: all columns of numbers that change. A
    /// name with a comma is in quotes: '"flow, l/min",pressure'.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// The model to fit.
    #[arg(long, value_enum, default_value_t)]
    model: Kind,
    /// Directions kept: 1, 2 or 4; at most the number of channels.
    #[arg(long, value_name = "N", default_value_t = 2)]
    keep: usize,
    /// gamma of the Gaussian kernel exp(-gamma |x - y|²) of standardised samples; default: 1 / number of channels. Refused
    /// with another model than kernel.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    gamma: Option<f32>,
    /// A cell that is neither a number nor a gap (empty, NaN, n/a, -) is an error, and so is a damaged line.
    #[arg(long)]
    strict: bool,
    /// Folder for scale.eigs, model.eigs and model.rs; it is created if it does not exist.
    #[arg(long, value_name = "DIR", default_value = "eigenstream-fit")]
    out: PathBuf,
}

#[derive(Default)]
struct Count {
    learned: u64,
    /// Rows with a gap.
    gaps: u64,
    /// Their numbers are too large.
    large: u64,
}

impl Count {
    /// `is_learned` is false for a row that the model left out.
    fn add(&mut self, sample: &[f32], is_learned: bool) {
        if is_learned {
            self.learned += 1;
        } else if sample.iter().any(|value| value.is_nan()) {
            self.gaps += 1;
        } else {
            self.large += 1;
        }
    }

    /// The counts in words.
    fn words(&self) -> String {
        let mut words = format!("{} rows", self.learned);
        for (count, why) in [(self.gaps, "for gaps"), (self.large, "for numbers that are too large")] {
            if count > 0 {
                words += &format!(", {count} left out {why}");
            }
        }
        words
    }
}

/// Runs the verb `fit`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let (recording, progress) = open(arguments)?;
    // Named first: without the column, the size of the model means nothing.
    let named = names::typed(&arguments.columns);
    let (columns, names) = recording.watched(&named)?;
    let left_out = recording.left_out(&named);
    let channels = names.len();
    if arguments.gamma.is_some() && arguments.model != Kind::Kernel {
        bail!("--gamma is for the model kernel: leave out --gamma, or take --model kernel");
    }
    let gamma = arguments.gamma.unwrap_or(1.0 / channels as f32);
    let mut fit = models::of(arguments.model, channels, arguments.keep, gamma)?;
    let file = arguments.file.display();
    let strictness = Strictness::of_option(arguments.strict);
    let mut complaints = Complaints::new(strictness);
    let is_read_twice = can_be_read_twice(&arguments.file);
    // One after the other, if the recording can be read only once.
    let mut held = Vec::new();
    progress.doing(&format!("fitting the scale to {file}"));
    read(recording, &columns, &names, &mut complaints, |sample| {
        if !is_read_twice {
            held.extend_from_slice(sample);
        }
        fit.settle(sample);
    })?;
    drop(progress);
    let mut count = Count::default();
    if is_read_twice {
        let (recording, progress) = open(arguments)?;
        progress.doing(&format!("fitting the model to {file}"));
        // The first pass has collected the bad cells.
        let mut said = Complaints::new(strictness);
        read(recording, &columns, &names, &mut said, |sample| {
            count.add(sample, fit.learn(sample));
        })?;
    } else {
        for sample in held.chunks_exact(channels) {
            count.add(sample, fit.learn(sample));
        }
    }
    for line in complaints.lines() {
        eprintln!("{line}");
    }
    if count.learned < 2 && count.large > 0 {
        bail!(
            "{file}: the numbers of {} are too large for a model",
            counted(count.large, "row")
        );
    }
    if count.learned < 2 {
        let rows = counted(count.learned, "whole row");
        bail!("{file} has {rows}: a model takes two at least");
    }
    let fitted = fit.finish();
    save(&fitted, &arguments.out)?;
    print(&arguments.out, &names, left_out.as_deref(), &count, &fitted)?;
    Ok(Verdict::Holds)
}

/// Standard input and a pipe cannot.
fn can_be_read_twice(path: &Path) -> bool {
    path != Path::new("-") && fs::metadata(path).is_ok_and(|file| file.is_file())
}

/// Opens the recording at its beginning.
fn open(arguments: &Arguments) -> Result<(Recording, Progress)> {
    let size = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    let progress = Progress::begin_reading(size);
    let recording = Recording::open(&arguments.file, &progress)?;
    Ok((recording, progress))
}

/// `learn` gets the sample of every row.
fn read(
    mut recording: Recording,
    columns: &[usize],
    names: &[String],
    complaints: &mut Complaints,
    mut learn: impl FnMut(&[f32]),
) -> Result<()> {
    let mut sample = vec![0.0; columns.len()];
    let path = recording.path().to_path_buf();
    while let Some(row) = recording.next_row(complaints)? {
        row.channels(columns, names, &path, &mut sample, complaints)?;
        learn(&sample);
    }
    Ok(())
}

/// Writes `scale.eigs`, `model.eigs` and `model.rs`.
fn save(fitted: &Fitted, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let constants = format!(
        "/// Mean and spread of the channels.\npub mod scale {{\n{}}}\n\n/// The model of the standardised samples.\npub mod model {{\n{}}}\n",
        inspect::constants_of(&fitted.scale)?,
        inspect::constants_of(&fitted.model)?,
    );
    let files: [(&str, &[u8]); 3] = [
        ("scale.eigs", &fitted.scale),
        ("model.eigs", &fitted.model),
        ("model.rs", constants.as_bytes()),
    ];
    for (name, bytes) in files {
        let file = folder.join(name);
        fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// `points` is the number of samples in a kernel model.
fn fitted_to(count: &Count, points: Option<usize>) -> String {
    let kernel = points.map_or(String::new(), |points| {
        format!("; {points} of the fitted rows are in the kernel model")
    });
    format!("fitted to {}{kernel}", count.words())
}

fn print(
    folder: &Path,
    names: &[String],
    columns_left_out: Option<&str>,
    count: &Count,
    fitted: &Fitted,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let folder = folder.display();
    writeln!(out, "channels: {}", names::listed(names, ", "))?;
    if let Some(sentence) = columns_left_out {
        writeln!(out, "{sentence}")?;
    }
    writeln!(out, "{}", fitted_to(count, fitted.points))?;
    for (place, share) in fitted.explained.iter().enumerate() {
        writeln!(
            out,
            "direction {} explains {:.1} % of the variance",
            place + 1,
            100.0 * share
        )?;
    }
    writeln!(
        out,
        "{folder}: scale.eigs ({} bytes), model.eigs ({} bytes), model.rs\n",
        fitted.scale.len(),
        fitted.model.len()
    )?;
    let channels = names.len();
    let (kind, uses) = (&fitted.kind, fitted.uses);
    writeln!(out, "use eigenstream::{{Codec, monitor::Standardizer, {uses}}};\n")?;
    writeln!(
        out,
        "let scale = Standardizer::<f32, {channels}>::decode(include_bytes!(\"scale.eigs\"))?;"
    )?;
    writeln!(out, "let model = {kind}::decode(include_bytes!(\"model.eigs\"))?;")?;
    writeln!(out, "let score = model.score(&scale.standardize(&sample)?)?;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use eigenstream::Codec;
    use eigenstream::kernel::{Gaussian, KernelPca};
    use eigenstream::monitor::Standardizer;
    use eigenstream::pca::BatchPca;

    use super::models::LARGEST;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// Returns the folder, or removes it and returns the error.
    fn fit(name: &str, text: &str, options: &str) -> Result<PathBuf, String> {
        let folder = std::env::temp_dir().join(format!("eigenstream-fit-{}-{name}", std::process::id()));
        let file = folder.join("machine.csv");
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
        written.map_err(|error| error.to_string())?;
        let paths = [file.display().to_string(), format!("--out={}", folder.display())];
        let words = std::iter::once("fit".to_owned())
            .chain(paths)
            .chain(options.split_whitespace().map(str::to_owned));
        let line = CommandLine::try_parse_from(words).map_err(|error| error.to_string())?;
        match run(&line.arguments) {
            Ok(_) => Ok(folder),
            Err(error) => {
                fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
                Err(format!("{error:#}"))
            }
        }
    }

    /// The third channel is the sum of the others, and one row has a gap.
    fn recording() -> String {
        let mut text = "a,b,c\n1,,2\n".to_owned();
        for row in 0..200 {
            let (a, b) = (f64::from(row % 7), f64::from(row * row % 11));
            text += &format!("{a},{b},{}\n", a + b);
        }
        text
    }

    #[test]
    fn what_the_chip_loads_is_what_the_crate_learns() {
        let folder = fit("batch", &recording(), "--columns a,b,c").unwrap_or_else(|error| unreachable!("{error}"));
        let bytes = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
        let (scale, model) = (
            Standardizer::<f32, 3>::decode(&bytes("scale.eigs")),
            BatchPca::<f32, 3, 2>::decode(&bytes("model.eigs")),
        );
        let (Ok(scale), Ok(model)) = (scale, model) else {
            unreachable!("an image is refused")
        };
        assert_eq!((scale.samples_seen(), model.samples_seen()), (200, 200));
        let score = |sample| scale.standardize(&sample).and_then(|sample| model.score(&sample));
        assert!(score([2.0, 3.0, 5.0]).is_ok_and(|score| score < 1e-5));
        assert!(score([2.0, 3.0, 9.0]).is_ok_and(|score| score > 0.1));
        let constants = String::from_utf8(bytes("model.rs")).unwrap_or_default();
        assert!(
            constants.contains("pub mod scale") && constants.contains("COMPONENTS"),
            "{constants}"
        );
        assert!(fs::remove_dir_all(folder).is_ok());
    }

    #[test]
    fn a_kernel_model_keeps_points_of_the_whole_recording() {
        let options = "--columns a,b,c --model kernel --gamma 0.5";
        let folder = fit("kernel", &recording(), options).unwrap_or_else(|error| unreachable!("{error}"));
        let model =
            KernelPca::<f32, Gaussian<f32>, 3, 2, 32>::decode(&fs::read(folder.join("model.eigs")).unwrap_or_default());
        assert_eq!(model.map(|model| model.fitted().len), Ok(25));
        let count = Count {
            learned: 200,
            ..Count::default()
        };
        assert_eq!(
            fitted_to(&count, Some(25)),
            "fitted to 200 rows; 25 of the fitted rows are in the kernel model"
        );
        assert_eq!(fitted_to(&count, None), "fitted to 200 rows");
        let kind = models::of(models::Kind::Kernel, 3, 2, 0.5).map(|mut fit| fit.finish().kind);
        assert_eq!(kind.ok().as_deref(), Some("KernelPca::<f32, Gaussian<f32>, 3, 2, 32>"));
        assert!(fs::remove_dir_all(folder).is_ok());
    }

    #[test]
    fn the_default_folder_is_in_the_current_folder() -> Result<()> {
        let line = CommandLine::try_parse_from(["fit", "machine.csv", "--columns", "a"])?;
        assert_eq!(line.arguments.out, Path::new("eigenstream-fit"));
        Ok(())
    }

    #[test]
    fn without_names_the_columns_of_numbers_that_change_are_learned() {
        let text = "time,a,b,constant,name\n0,1,2,7,x\n1,2,5,7,y\n2,4,3,7,x\n3,3,3,7,y\n";
        let folder = fit("all", text, "").unwrap_or_else(|error| unreachable!("{error}"));
        let scale = Standardizer::<f32, 2>::decode(&fs::read(folder.join("scale.eigs")).unwrap_or_default());
        assert_eq!(scale.map(|scale| *scale.mean()), Ok([2.5, 3.25]));
        assert!(fs::remove_dir_all(folder).is_ok());
        // Two columns may have one name.
        let folder = fit("twins", "a,a\n1,2\n3,5\n5,3\n", "").unwrap_or_else(|error| unreachable!("{error}"));
        let scale = Standardizer::<f32, 2>::decode(&fs::read(folder.join("scale.eigs")).unwrap_or_default());
        assert_eq!(scale.map(|scale| *scale.mean()), Ok([3.0, 10.0 / 3.0]));
        assert!(fs::remove_dir_all(folder).is_ok());
        let said = fit("none", "a,b\nx,y\nx,z\n", "").err().unwrap_or_default();
        assert!(said.contains("no column of numbers") && said.contains("a, b"), "{said}");
    }

    #[test]
    fn the_help_says_how_many_columns_there_can_be() {
        let help = CommandLine::command().render_help().to_string();
        assert!(help.contains(&format!("The 1 to {LARGEST} columns")), "{help}");
    }

    #[test]
    fn what_cannot_be_fitted_is_said_in_a_sentence() {
        let sentence = |name, text: &str, options| fit(name, text, options).err().unwrap_or_default();
        let text = recording();
        let header: Vec<String> = (0..=LARGEST).map(|channel| format!("c{channel}")).collect();
        let header = header.join(",");
        let said = fit("wide", &format!("{header}\n"), &format!("--columns {header}")).err();
        assert!(said.is_some_and(|said| said.contains(&format!("name up to {LARGEST}"))));
        assert!(sentence("unknown", &text, "--columns a,x").starts_with("no column `x`"));
        for options in [
            "--columns zz",
            "--columns a,zz --keep 4",
            "--columns zz --model kernel --gamma -1",
        ] {
            let said = sentence("missing", &text, options);
            assert!(said.starts_with("no column `zz`") && said.contains("a, b, c"), "{said}");
        }
        assert!(sentence("keep", &text, "--columns a,b --keep 3").contains("ask for 1, 2 or 4 with --keep"));
        assert!(sentence("many", &text, "--columns a,b --keep 4").contains("no more directions than channels"));
        assert!(sentence("no kernel", &text, "--columns a,b --gamma 1").contains("--gamma is for the model kernel"));
        let large = "a,b\n1e30,2e30\n2e30,1e30\n3e30,5e30\n";
        assert!(sentence("large", large, "").contains("the numbers of 3 rows are too large"));
        assert!(sentence("gamma", &text, "--columns a,b --model kernel --gamma -1").contains("--gamma"));
        assert!(sentence("short", "a,b\n1,2\n", "--columns a,b").contains("1 whole row: a model takes two"));
        assert!(sentence("empty", "", "--columns a,b").contains("is empty"));
        assert!(sentence("strict", "a,b\n1,x\n", "--columns a,b --strict").contains("`x` in column b is not a number"));
    }
}
