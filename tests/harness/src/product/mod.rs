//! The checks of `package` on the tool as a product: installed outside of this checkout, its image on the chip, its
//! report in a browser, and a very long recording.
//! Out: a sentence for each check, or an error.

mod report;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::cargo::{finish, root};
use crate::machine::CORTEX_M4F;
pub(crate) use report::report_in_a_browser;

/// A sample of a machine with four sensors and a common load; in rows 2,500 to 2,799 the third sensor reads too high.
fn motor(time: u32) -> [f32; 4] {
    let noise = |prime: u32| (time * prime % 1_009) as f32 / 1_009.0 - 0.5;
    let load = 8.0 * noise(613);
    let heat = if (2_500..2_800).contains(&time) { 9.0 } else { 0.0 };
    [
        3.0 + load + noise(71),
        20.0 - 2.0 * load + noise(97),
        40.0 + load + noise(113) + heat,
        0.1 * load + noise(131),
    ]
}

/// Rows of the machine as CSV, with times.
fn recording(rows: std::ops::Range<u32>) -> String {
    let mut text = "time,vibration,current,temperature,speed\n".to_owned();
    for time in rows {
        let [vibration, current, temperature, speed] = motor(time);
        let _ = writeln!(
            text,
            "{},{vibration},{current},{temperature},{speed}",
            1_714_737_601 + time
        );
    }
    text
}

/// A recording of a machine with many sensors; in rows 2,500 to 2,799 the fourth sensor reads too high.
fn wide(channels: u32) -> String {
    let names: Vec<String> = (0..channels).map(|channel| format!("sensor {channel}")).collect();
    let mut text = names.join(";") + "\n";
    for time in 0..3_000_u32 {
        let load = (time * 613 % 1_009) as f32 / 100.0;
        let row: Vec<String> = (0..channels)
            .map(|channel| {
                let noise = (time * (71 + 2 * channel) % 1_013) as f32 / 1_013.0;
                let fault = if channel == 3 && (2_500..2_800).contains(&time) {
                    9.0
                } else {
                    0.0
                };
                format!("{:.4}", load * (channel % 5) as f32 + noise + fault).replace('.', ",")
            })
            .collect();
        text += &(row.join(";") + "\n");
    }
    text
}

/// Installs the tool as a user does, once for all checks, into a folder beside `folder`.
fn program(folder: &Path) -> Result<PathBuf> {
    let place = folder.with_file_name("root");
    let program = place.join("bin/eigenstream");
    fs::create_dir_all(folder)?;
    if !program.is_file() {
        let mut install = Command::new("cargo");
        install.args(["install", "--locked", "--path"]).arg(root().join("tool"));
        install.arg("--root").arg(&place).current_dir(folder);
        finish(&mut install).context("cargo install")?;
    }
    Ok(program)
}

/// Runs a command of the installed tool in a folder, with a separate cache.
fn tool(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program(folder)?);
    command.env("EIGENSTREAM_CACHE", folder.join("cache"));
    finish(command.args(arguments).current_dir(folder)).with_context(|| arguments.join(" "))
}

/// Runs `replay`, `tune`, `inspect`, `budget`, `new` and `c` in an empty folder.
pub(crate) fn installed(folder: &Path) -> Result<String> {
    let verb = |arguments: &[&str]| tool(folder, arguments);
    program(folder)?;
    fs::write(folder.join("motor.csv"), recording(0..4_000))?;
    let seen = verb(&["replay", "motor.csv", "--image", "monitor.eigs"])?;
    if !seen.contains("1 alarm, ") || !seen.contains("mostly temperature") {
        bail!("replay prints\n{seen}");
    }
    verb(&["tune", "motor.csv", "--rows", "2000", "--out", "tuned"])?;
    verb(&["inspect", "monitor.eigs"])?;
    // A call of `BatchPca` can take more instructions than the 24-bit counter of the chip can count.
    let seen = verb(&["budget", "--channels", "64"])?;
    if mean_instructions(&seen, "BatchPca").is_none_or(|mean| mean <= 10_500_000) {
        bail!("budget of 64 channels prints\n{seen}");
    }
    verb(&["new", "firmware"])?;
    let sized = [
        "new",
        "--chip",
        "qemu",
        "--channels",
        "6",
        "--keep",
        "2",
        "--learner",
        "tracking",
        "sized",
    ];
    let seen = verb(&sized)?;
    if !seen.contains("ALARM, look at channel 5") {
        bail!("the project of six channels prints\n{seen}");
    }
    stands_alone(&folder.join("sized"))?;
    let in_c = archive_for_c(folder)?;
    // 66 channels are in no table, so the tool builds that size.
    for channels in [20, 52, 66] {
        fs::write(folder.join("wide.csv"), wide(channels))?;
        let seen = verb(&["replay", "wide.csv", "--image", "wide.eigs"])?;
        if !seen.contains("mostly sensor 3") {
            bail!("replay of {channels} channels prints\n{seen}");
        }
        verb(&["tune", "wide.csv", "--rows", "1000", "--out", "wide"])?;
        verb(&["replay", "wide.csv", "--start-from", "wide.eigs"])?;
        verb(&["inspect", "wide.eigs"])?;
    }
    Ok(format!(
        "new, replay, tune, budget and inspect work in an empty folder, on 4, 20, 52, 64 and 66 channels; new builds six channels with a learner; {in_c}"
    ))
}

/// The mean instructions of a learner in the table of `budget`.
fn mean_instructions(table: &str, learner: &str) -> Option<u64> {
    let row = table.lines().find(|line| line.starts_with(learner))?;
    row.split_whitespace().nth(4)?.parse().ok()
}

/// Makes an archive for C in a subfolder of `folder`; returns a sentence that says whether its program ran.
fn archive_for_c(folder: &Path) -> Result<String> {
    let sized = ["--channels", "6", "--keep", "2", "--learner", "tracking"];
    let seen = tool(
        folder,
        &[&["c"], &sized[..], &["--cpu", "cortex-m4f", "--out", "motor"]].concat(),
    )?;
    for file in ["lib/libeigenstream.a", "include/motor.h", "main.c"] {
        if !folder.join("motor").join(file).is_file() {
            bail!("c wrote no {file}:\n{seen}");
        }
    }
    if let Some((_, reason)) = seen.split_once("the program was not run: ") {
        return Ok(format!(
            "c writes an archive, its program was skipped: {}",
            reason.trim()
        ));
    }
    if !seen.contains("look at channel 5 of 6") {
        bail!("the program in C prints\n{seen}");
    }
    Ok("the program of c raises its alarm in QEMU".into())
}

const PROJECTS: [(&str, &str, &str); 4] = [
    ("qemu", "6", "centered"),
    ("nrf52840", "8", "tracking"),
    ("stm32f411", "6", "mahalanobis"),
    ("rp2040", "3", "hebbian"),
];

/// Makes a project for every chip that `new` knows: `new` builds it, clippy has no warnings, and [`stands_alone`]
/// accepts it.
pub(crate) fn projects_for_chips(folder: &Path) -> Result<String> {
    let mut built = Vec::new();
    for (chip, channels, learner) in PROJECTS {
        let mut arguments = vec![
            "new",
            "--chip",
            chip,
            "--channels",
            channels,
            "--learner",
            learner,
            chip,
        ];
        if learner != "mahalanobis" {
            arguments.extend(["--keep", "2"]);
        }
        let seen = tool(folder, &arguments)?;
        if !["it builds", "it ran on QEMU"].iter().any(|words| seen.contains(words)) {
            bail!("{chip} was not built:\n{seen}");
        }
        let project = folder.join(chip);
        stands_alone(&project)?;
        let mut lint = Command::new("cargo");
        lint.args(["clippy", "--release", "--", "--deny", "warnings"]);
        finish(lint.current_dir(&project).env("CARGO_TARGET_DIR", "target"))
            .with_context(|| format!("clippy on {chip}"))?;
        built.push(format!("{chip} with {channels} channels and the learner {learner}"));
    }
    Ok(format!("build and are clean: {}", built.join(", ")))
}

/// Fails if a project lacks one of six files, or one of these contains the path of the folder above the project or of
/// `tests/harness`.
fn stands_alone(project: &Path) -> Result<()> {
    let here = project.canonicalize()?;
    let above = here
        .parent()
        .context("a project has a folder above it")?
        .display()
        .to_string();
    for name in [
        ".gitignore",
        "rust-toolchain.toml",
        "Cargo.toml",
        ".cargo/config.toml",
        "memory.x",
        "src/main.rs",
    ] {
        let text = fs::read_to_string(project.join(name)).with_context(|| format!("{name} is missing"))?;
        if text.contains(&above) || text.contains(env!("CARGO_MANIFEST_DIR")) {
            bail!("{name} contains the path of a folder of this computer:\n{text}");
        }
    }
    Ok(())
}

/// The program for the chip that restores a monitor from an image.
const RESTORED: &str = r#"
use eigenstream::Codec;
use eigenstream::monitor::SensorMonitor;

static IMAGE: &[u8] = include_bytes!("../monitor.eigs");
static ROWS: &[[u32; 4]] = &include!("rows.in");

fn main() -> Result<(), eigenstream::CodecError> {
    let mut monitor = SensorMonitor::<f32, 4>::decode(IMAGE)?;
    for row in ROWS {
        if let Ok(verdict) = monitor.observe(&row.map(f32::from_bits)) {
            println!("{:08x} {}", verdict.score.to_bits(), u8::from(verdict.alarm));
        }
    }
    Ok(())
}
"#;

/// Trains a monitor here and lets it continue here and on the emulated chip; the bits must be equal.
pub(crate) fn image_on_the_chip(folder: &Path) -> Result<String> {
    let project = folder.join("firmware");
    fs::create_dir_all(folder)?;
    tool(folder, &["new", "firmware"])?;
    fs::write(folder.join("first.csv"), recording(0..2_400))?;
    fs::write(folder.join("second.csv"), recording(2_400..3_000))?;
    tool(folder, &["replay", "first.csv", "--image", "firmware/monitor.eigs"])?;
    let second = [
        "replay",
        "second.csv",
        "--start-from",
        "firmware/monitor.eigs",
        "--scores",
        "scores.csv",
    ];
    tool(folder, &second)?;
    let mut rows = "[\n".to_owned();
    for time in 2_400..3_000 {
        let _ = writeln!(rows, "{:?},", motor(time).map(f32::to_bits));
    }
    fs::write(project.join("src/rows.in"), rows + "]\n")?;
    let main = project.join("src/main.rs");
    let frame = fs::read_to_string(&main)?;
    let begin = frame
        .find("use semihosting::println;")
        .context("the template does not use println")?;
    let end = frame
        .rfind("#[cfg(target_os = \"none\")]\n#[cortex_m_rt::entry]")
        .context("the template has no entry")?;
    let (head, _) = frame.split_at(begin + "use semihosting::println;".len());
    fs::write(&main, format!("{head}\n{RESTORED}\n{}", &frame[end..]))?;
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--target", CORTEX_M4F.target]);
    finish(build.current_dir(&project).env("CARGO_TARGET_DIR", "target"))?;
    let image = project.join("target").join(CORTEX_M4F.target).join("release/watch");
    let chip = CORTEX_M4F.run(&image)?;
    let scores = fs::read_to_string(folder.join("scores.csv"))?;
    let mut here = String::new();
    for line in scores.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let _ = writeln!(here, "{:08x} {}", cells[2].parse::<f32>()?.to_bits(), cells[4]);
    }
    let alarms = here.lines().filter(|line| line.ends_with(" 1")).count();
    if chip != here || alarms == 0 {
        let differs = chip.lines().zip(here.lines()).position(|(one, other)| one != other);
        bail!("chip and tool differ, first in row {differs:?}; {alarms} rows in alarm here");
    }
    Ok(format!(
        "{} rows, {alarms} of them in alarm, the same bits on the chip",
        here.lines().count()
    ))
}

const ROWS: u32 = 100_000_000;
/// The most memory that the tool may take, in megabytes.
const MEMORY: u64 = 100;

/// Feeds a very long recording through a pipe; the tool must not take more than [`MEMORY`].
pub(crate) fn endless(folder: &Path) -> Result<String> {
    fs::create_dir_all(folder)?;
    let mut child = Command::new(program(folder)?)
        .args(["replay", "-", "--speed", "--out", "out"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut pipe = BufWriter::with_capacity(1 << 16, child.stdin.take().context("no pipe")?);
    // About a thousand lines are repeated, so that the reader is the bottleneck.
    let lines = recording(0..1_009);
    let (header, lines) = lines.split_once('\n').context("no header")?;
    let lines: String = lines
        .lines()
        .filter_map(|line| line.split_once(','))
        .map(|(_, rest)| rest.to_owned() + "\n")
        .collect();
    writeln!(pipe, "{}", header.trim_start_matches("time,"))?;
    for _ in 0..ROWS / 1_009 + 1 {
        pipe.write_all(lines.as_bytes())?;
    }
    pipe.flush()?;
    drop(pipe);
    let output = child.wait_with_output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let speed = printed
        .lines()
        .find(|line| line.starts_with("speed: "))
        .context("no speed was printed")?;
    let memory: u64 = speed
        .rsplit(", ")
        .next()
        .and_then(|words| words.split(' ').next())
        .unwrap_or("")
        .parse()?;
    if memory > MEMORY {
        bail!("{memory} MB, more than {MEMORY}");
    }
    Ok(speed.to_owned())
}
