//! `inspect`: shows the learner in an image, of any kind and size: its type, directions in words and a picture; on request
//! all numbers, or Rust constants.

mod constants;
mod content;
mod layout;
mod picture;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::recording::names;
use crate::replay::kept;
use crate::watching::USUAL_RATE;
use crate::{Verdict, counted};
use content::{Model, Value};

/// Shows the learner in an image that a device has saved, in words and as a picture.
///
/// The picture has one row for each direction, in the order of the image, and one column for each channel. For a kernel learner
/// it has one column for each stored point. `--rust` prints the numbers as Rust constants instead, for a program that does not
/// learn.
#[derive(clap::Args)]
#[command(after_help = "Example: eigenstream inspect monitor.eigs")]
pub struct Arguments {
    /// The image.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Every field of the image.
    #[arg(long, conflicts_with = "rust")]
    all: bool,
    /// Rust constants, without text and picture: refused with --all, --columns and --out.
    #[arg(long)]
    rust: bool,
    /// Names of the channels, in their order; default: the names in the file FILE.channels. Refused if the text names
    /// no channel.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', conflicts_with = "rust")]
    columns: Vec<String>,
    /// The file of the picture, which is written as SVG and as PNG; default inspect.svg and inspect.png in the current folder.
    #[arg(long, value_name = "FILE", conflicts_with = "rust")]
    out: Option<PathBuf>,
}

pub(super) struct Directions<'model> {
    entries: Entries,
    /// The meaning of `importance` in words.
    label: &'static str,
    list: Vec<Direction<'model>>,
}

/// The meaning of the entries of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entries {
    /// One entry for each channel.
    Channels,
    /// One entry for each stored point of a kernel learner.
    Points,
}

/// A direction and its importance.
pub(super) struct Direction<'model> {
    entries: &'model [f64],
    /// A probability, the scatter along the direction, or its length.
    importance: f64,
}

const PICTURE: &str = "inspect.svg";

/// Runs the verb `inspect`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    show(arguments, &mut io::stdout().lock())
}

fn show(arguments: &Arguments, out: &mut impl Write) -> Result<Verdict> {
    let file = arguments.file.display();
    let image = fs::read(&arguments.file).with_context(|| format!("cannot read {file}"))?;
    let model = Model::read(&image).with_context(|| format!("{file} cannot be shown"))?;
    let columns = names::typed(&arguments.columns);
    let named = columns.len();
    if named > 0 && !shows_channels(&model) {
        let learner = model.title.split('<').next().unwrap_or_default();
        bail!("the text on {learner} names no channel: leave out --columns");
    }
    // With lags the inner learner has more channels, and all can be named.
    if let [channels, ..] = model.channels[..]
        && named > 0
        && !model.channels.contains(&named)
    {
        let channels = counted(channels as u64, "channel");
        bail!("the learner has {channels} and --columns has names for {named}: name each channel once");
    }
    if arguments.rust {
        return write!(out, "{}", constants::of(&model))
            .map(|()| Verdict::Holds)
            .map_err(Into::into);
    }
    writeln!(out, "{}", model.title)?;
    // A dump of a flash page has other bytes after the image.
    let dump = match image.len() == model.length {
        true => String::new(),
        false => format!("; the file has {} bytes", image.len()),
    };
    writeln!(out, "{} bytes, checksum fits{dump}", model.length)?;
    let names = match columns.is_empty() {
        true => kept::names(&arguments.file).unwrap_or_default(),
        false => columns,
    };
    summarise(&model, &names, out)?;
    if arguments.all {
        writeln!(out, "\nevery field:")?;
        let width = model.entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
        for entry in &model.entries {
            let value = match &entry.value {
                Value::Words(words) => without_zeros(words).to_owned(),
                other => shown(other),
            };
            writeln!(out, "  {:<width$} {value}", entry.name)?;
        }
    }
    if directions(&model).is_some() {
        let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from(PICTURE));
        picture::draw(&model, &path)?;
        writeln!(out, "\npicture: {} and .png", path.with_extension("svg").display())?;
    } else if arguments.out.is_some() {
        writeln!(out, "\nno picture: the learner of this image has no directions to draw")?;
    }
    Ok(Verdict::Holds)
}

pub fn constants_of(image: &[u8]) -> Result<String> {
    Ok(constants::of(&Model::read(image)?))
}

/// The rate of false alarms in the settings; `None` if the threshold is fixed or can be changed by a factor or a floor.
pub(crate) fn expected_rate(image: &[u8]) -> Option<f32> {
    let model = Model::read(image).ok()?;
    let number = |name: &str| match model.get(name) {
        Some(&Value::Number(number)) => Some(number),
        _ => None,
    };
    if number("threshold: factor")? != 1.0 || number("threshold: floor")? != 0.0 {
        return None;
    }
    let Value::Words(rule) = model.get("threshold: rule")? else {
        return None;
    };
    // As in `false alarms (at 0.001)`: the text parses to the same bits.
    let (rule, at) = rule.strip_suffix(')')?.split_once(" (at ")?;
    let at: f64 = at.parse().ok()?;
    match rule {
        "usual" => Some(USUAL_RATE),
        "false alarms" => Some(at as f32),
        // 1 − 0.99 is 0.01 only in `f64`, rounded to `f32` afterwards.
        "quantile" => Some((1.0 - at) as f32),
        _ => None,
    }
}

/// Reads and shows an image without printing, for tests with arbitrary bytes.
pub fn examine(image: &[u8]) {
    if let Ok(model) = Model::read(image) {
        // Writing to a sink always succeeds.
        let _ = summarise(&model, &[], &mut io::sink());
        let _ = constants::of(&model);
    }
}

/// A choice without numbers has zeros in their places.
fn without_zeros(words: &str) -> &str {
    match words.split_once(" (") {
        Some((choice, counts)) if !counts.contains(|letter| matches!(letter, '1'..='9')) => choice,
        _ => words,
    }
}

fn shows_channels(model: &Model) -> bool {
    model.numbers("level: sum").is_some()
        || mean(model).is_some_and(|mean| model.channels.contains(&mean.len()))
        || directions(model).is_some_and(|directions| directions.entries == Entries::Channels)
}

fn mean(model: &Model) -> Option<&[f64]> {
    match past(model) {
        Some(_) => None,
        None => model.numbers("moments: mean: sum").or(model.numbers("mean: sum")),
    }
}

/// The mean probability of each expert of `Hedge`, and the trials in it; zero if it is not computed.
fn past(model: &Model) -> Option<(&[f64], u64)> {
    Some((model.numbers("past: mean")?, model.count("past: count")?))
}

/// `None` for a learner without directions.
fn directions(model: &Model) -> Option<Directions<'_>> {
    let names = [
        ("directions", Entries::Channels),
        ("components", Entries::Channels),
        ("eigen: vectors", Entries::Channels),
        ("directions: columns", Entries::Points),
    ];
    let (name, columns, entries) = names.iter().find_map(|&(name, entries)| {
        let (name, columns) = model.matrix(name)?;
        Some((name, columns, entries))
    })?;
    // The number in use is in the group of the directions.
    let group = name.rfind(':').map_or("", |end| &name[..end + 2]);
    let counts = ["rank", "active", "started", "count"];
    let used = counts.iter().find_map(|count| model.count(&format!("{group}{count}")));
    let used = used.map_or(columns.len(), |used| used as usize);
    let (label, importance): (_, Vec<f64>) = if let Some(probabilities) = model.numbers("probabilities") {
        ("kept with probability", probabilities.to_vec())
    } else if let Some(drops) = model.numbers("drops") {
        ("kept with probability", drops.iter().map(|drop| 1.0 - drop).collect())
    } else if let Some(weights) = model.numbers("weights") {
        ("drawn with probability", weights.to_vec())
    } else if let Some(eigenvalues) = model.numbers("eigen: values") {
        ("scatter along it", eigenvalues.to_vec())
    } else {
        let length = |column: &Vec<f64>| column.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        ("of length", columns.iter().map(length).collect())
    };
    let known = columns.iter().zip(importance).take(used);
    let list = known.map(|(entries, importance)| Direction { entries, importance });
    Some(Directions {
        entries,
        label,
        list: list.collect(),
    })
}

const UNNAMED: usize = 11;

fn summarise(model: &Model, names: &[String], out: &mut impl Write) -> io::Result<()> {
    let name = |channel: usize| {
        names
            .get(channel)
            .cloned()
            .unwrap_or_else(|| format!("channel {channel}"))
    };
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(UNNAMED);
    for name in ["samples seen", "matrices seen", "trials"] {
        if let Some(Value::Count(count)) = model.get(name) {
            writeln!(out, "{name}: {count}")?;
        }
    }
    if let (Some(phase), Some(state)) = (model.get("phase"), model.get("decision: state")) {
        let state = shown(state).replacen("quiet", "no alarm", 1);
        writeln!(
            out,
            "phase: {}, {}",
            without_zeros(&shown(phase)),
            without_zeros(&state)
        )?;
    }
    for name in ["threshold", "alarms"] {
        if let Some(value) = model.get(name) {
            writeln!(out, "{name}: {}", without_zeros(&shown(value)))?;
        }
    }
    // A monitor has a level and several means; other learners have one mean, or none.
    if let (Some(level), Some(spread)) = (model.numbers("level: sum"), model.numbers("level: spread")) {
        writeln!(out, "{:<width$} {:>11} {:>11}", "", "level", "spread")?;
        for (channel, (&level, &spread)) in level.iter().zip(spread).enumerate() {
            writeln!(
                out,
                "{:<width$} {:>11} {:>11}",
                name(channel),
                number(level),
                number(spread)
            )?;
        }
    } else if let Some(mean) = mean(model) {
        let named = names.len() == mean.len() && model.channels.contains(&mean.len());
        let entry = |(channel, &entry): (usize, &f64)| match named {
            true => format!("{} {}", name(channel), number(entry)),
            false => number(entry),
        };
        let entries: Vec<String> = mean.iter().enumerate().map(entry).collect();
        writeln!(out, "mean: {}", entries.join("  "))?;
    } else if let Some((mean, trials @ 1..)) = past(model) {
        let mean = row(mean);
        writeln!(
            out,
            "mean probability of each expert in {trials} earlier trials: {mean}"
        )?;
    }
    let Some(Directions { entries, label, list }) = directions(model) else {
        return Ok(());
    };
    if list.is_empty() {
        return writeln!(out, "no direction is known yet");
    }
    let name = |place: usize| match entries {
        Entries::Channels => name(place),
        Entries::Points => format!("point {place}"),
    };
    let width = match entries {
        Entries::Channels => width,
        Entries::Points => UNNAMED,
    };
    for (place, direction) in list.iter().enumerate() {
        writeln!(out, "direction {}, {label} {}", place + 1, number(direction.importance))?;
        let energy: f64 = direction.entries.iter().map(|entry| entry * entry).sum();
        for (channel, entry) in direction.entries.iter().enumerate() {
            let percent = 100.0 * entry * entry / energy.max(f64::MIN_POSITIVE);
            let (name, entry) = (name(channel), *entry);
            writeln!(
                out,
                "  {name:<width$} {:>9} {percent:>4.0} % {}",
                number(entry),
                bar(entry)
            )?;
        }
    }
    Ok(())
}

/// Between −1 and 1, to the left or to the right of a middle line.
fn bar(entry: f64) -> String {
    const HALF: usize = 16;
    let length = (entry.abs().min(1.0) * HALF as f64).round() as usize;
    let marks = "#".repeat(length);
    if entry < 0.0 {
        format!("{marks:>HALF$}|")
    } else {
        format!("{:HALF$}|{marks}", "")
    }
}

fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

fn row(numbers: &[f64]) -> String {
    numbers
        .iter()
        .map(|&value| number(value))
        .collect::<Vec<_>>()
        .join("  ")
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(value) => number(*value),
        Value::Numbers(numbers) => row(numbers),
        Value::Matrix(columns) => columns.iter().map(|column| row(column)).collect::<Vec<_>>().join(" | "),
        Value::Count(count) => count.to_string(),
        Value::Counts(counts) => format!("{counts:?}"),
        Value::Words(words) => words.clone(),
    }
}

#[cfg(test)]
mod tests;
