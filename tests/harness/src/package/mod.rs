//! `package`: checks the package that a user gets from the registry.
//! Out: the result of each check; last a line `N passed, N failed, N skipped`. A check whose tool is missing and cannot
//! be fetched is skipped.
//! The checks of compilers, of versions of dependencies and of a firmware project build the packaged crate, not the
//! sources of this checkout.

mod supply;
mod whole;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::Verdict;
use crate::cargo::{cargo, finish, root};
use crate::firmware::{Library, Place, Project};
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;
use crate::product;
use crate::progress::Progress;

/// The path of every file of the package must begin with one of these.
const WANTED: [&str; 10] = [
    "src/",
    "build.rs",
    "examples/",
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo_vcs_info.json",
];

/// Largest size of the unpacked package, in bytes; a package with the golden files would exceed it.
const LARGEST: u64 = 2 << 20;

/// Checks the package that a user gets from the registry.
///
/// The checks include its content, a dry run of its publication, a firmware project built against it, the oldest
/// compiler, the oldest and the newest dependencies that Cargo.toml allows, licences, advisories, and the tool:
/// installed outside of this checkout, its image on the chip, its report in a browser, and a recording of 10⁸ rows.
///
/// rustup fetches toolchains if allowed; a check whose tool is missing is skipped. Nothing is published.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness package")]
pub(crate) struct Arguments {
    /// Run only checks whose name contains this text.
    #[arg(long, value_name = "WORDS")]
    only: Option<String>,
}

/// Why a check did not pass.
enum Obstacle {
    Wrong(anyhow::Error),
    /// A tool, a database or a release is missing; the text says which.
    Missing(String),
}

impl<E: Into<anyhow::Error>> From<E> for Obstacle {
    fn from(error: E) -> Self {
        Self::Wrong(error.into())
    }
}

type Check = (&'static str, fn() -> Result<String, Obstacle>);

const CHECKS: &[Check] = &[
    ("only what a user needs", || Ok(content()?)),
    ("cargo publish --dry-run", dry_run),
    ("a firmware project outside of the workspace", template),
    ("the oldest compiler", supply::oldest_compiler),
    ("the oldest dependencies", supply::oldest_dependencies),
    ("the newest dependencies", supply::newest_dependencies),
    ("licences, bans and sources", supply::licences),
    ("advisories against dependencies", supply::advisories),
    ("the public interface since the last release", supply::public_interface),
    ("equal bits on other processors", whole::foreign_processors),
    ("equal bits on every board", whole::bits_on_every_board),
    ("equal bits at every optimisation", whole::every_optimisation),
    ("the tool installed outside of this checkout", || {
        Ok(product::installed(&scratch("installed"))?)
    }),
    ("a project of the tool for every chip", projects_for_chips),
    ("an image of the tool on the chip", image_on_the_chip),
    ("the report in a browser", report_in_a_browser),
    ("a recording of 10⁸ rows through a pipe", || {
        Ok(product::endless(&scratch("endless"))?)
    }),
    ("the tool and the table with every size", whole::every_size),
    ("recordings as Parquet", whole::parquet),
    ("the examples on every board", whole::every_board),
    ("the committed cost of every workload", whole::every_workload),
    ("the programs for real chips", whole::real_chips),
    ("the log through defmt", whole::log),
    ("no panic path in any build", whole::no_panic),
    ("C in a customer's build, every core", whole::every_core_in_c),
    ("the tests of the C crate under valgrind", whole::c_under_valgrind),
    ("the Python package, every size", whole::in_python),
];

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let wanted = |name: &str| {
        arguments
            .only
            .as_ref()
            .is_none_or(|words| name.contains(words.as_str()))
    };
    let progress = Progress::begin(CHECKS.len());
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for &(name, check) in CHECKS.iter().filter(|(name, _)| wanted(name)) {
        progress.doing(name);
        let (word, count, text) = match check() {
            Ok(sentence) => ("ok     ", &mut passed, sentence),
            Err(Obstacle::Missing(sentence)) => ("skipped", &mut skipped, sentence),
            Err(Obstacle::Wrong(error)) => ("FAILED ", &mut failed, format!("{error:#}")),
        };
        *count += 1;
        progress.aside(|| writeln!(io::stdout(), "{word}  {name}: {text}"))?;
        progress.done();
    }
    drop(progress);
    let _ = fs::remove_dir_all(scratch(""));
    writeln!(io::stdout(), "{passed} passed, {failed} failed, {skipped} skipped")?;
    Ok(Verdict::of_failures(failed))
}

fn image_on_the_chip() -> Result<String, Obstacle> {
    provide(Need::Target(CORTEX_M4F.target)).map_err(Obstacle::Missing)?;
    provide(Need::Emulator(CORTEX_M4F.emulator)).map_err(Obstacle::Missing)?;
    Ok(product::image_on_the_chip(&scratch("image"))?)
}

/// Makes a project for every chip with the installed tool; the emulator counts as a chip.
fn projects_for_chips() -> Result<String, Obstacle> {
    for target in [CORTEX_M4F.target, "thumbv6m-none-eabi"] {
        provide(Need::Target(target)).map_err(Obstacle::Missing)?;
    }
    provide(Need::Emulator(CORTEX_M4F.emulator)).map_err(Obstacle::Missing)?;
    provide(Need::LINTER).map_err(Obstacle::Missing)?;
    Ok(product::projects_for_chips(&scratch("projects"))?)
}

fn report_in_a_browser() -> Result<String, Obstacle> {
    product::report_in_a_browser(&scratch("report"))?.map_err(Obstacle::Missing)
}

/// The value of a line `key = "value"` in Cargo.toml.
fn manifest(key: &str) -> Result<String> {
    let text = fs::read_to_string(root().join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    let value = lines
        .filter(|(name, _)| *name == key)
        .map(|(_, value)| value.trim_matches('"'))
        .next();
    value
        .map(str::to_owned)
        .with_context(|| format!("Cargo.toml has no key {key}"))
}

/// The folder of the crate that cargo has packaged.
fn packaged() -> Result<PathBuf> {
    let directory = target().join(format!("package/eigenstream-{}", manifest("version")?));
    if directory.is_dir() {
        Ok(directory)
    } else {
        bail!("there is no packaged crate, because `cargo publish --dry-run` has failed")
    }
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A temporary folder for the builds of one check.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir()
        .join(format!("eigenstream-package-{}", std::process::id()))
        .join(name)
}

/// Checks the files of the package, and their size.
///
/// Cargo writes some files, such as the final `Cargo.toml`, only when it builds the package; [`dry_run`] measures these
/// too.
pub(crate) fn content() -> Result<String> {
    let listed = finish(&mut cargo(&[
        "package",
        "--list",
        "--allow-dirty",
        "--package",
        "eigenstream",
    ]))?;
    let files: Vec<&str> = listed.lines().collect();
    let strangers = strangers(&files);
    if !strangers.is_empty() {
        bail!("no user needs {}: see `include` in Cargo.toml", strangers.join(", "));
    }
    let ours = files.iter().filter(|file| **file != "Cargo.lock");
    let bytes = ours
        .filter_map(|file| fs::metadata(root().join(file)).ok())
        .map(|file| file.len())
        .sum();
    is_small(bytes)?;
    Ok(format!("{} files", files.len()))
}

/// Fails if the package is too large.
fn is_small(bytes: u64) -> Result<()> {
    if bytes > LARGEST {
        bail!(
            "the package has {bytes} bytes, more than {LARGEST}: move long unit tests to a file `tests.rs`, which is left out"
        );
    }
    Ok(())
}

fn strangers<'file>(files: &[&'file str]) -> Vec<&'file str> {
    let wanted =
        |file: &&str| WANTED.iter().any(|beginning| file.starts_with(beginning)) && !file.ends_with("/tests.rs");
    files.iter().copied().filter(|file| !wanted(file)).collect()
}

fn dry_run() -> Result<String, Obstacle> {
    finish(&mut cargo(&[
        "publish",
        "--dry-run",
        "--allow-dirty",
        "--package",
        "eigenstream",
    ]))?;
    let bytes = bytes(&packaged()?)?;
    is_small(bytes)?;
    let note = match manifest("repository") {
        Ok(_) => "",
        Err(_) => "; Cargo.toml names no repository, from which crates.io would show the pictures of the README",
    };
    Ok(format!("{} kB unpacked{note}", bytes / 1000))
}

/// The bytes of all files in a folder.
fn bytes(directory: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let entry = entry?;
        sum += match entry.file_type()?.is_dir() {
            true => bytes(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(sum)
}

/// Builds a firmware project against the package; it must print the same lines on this computer and in QEMU.
fn template() -> Result<String, Obstacle> {
    let directory = scratch("firmware");
    let project = Project::write(&directory, Library::At(&packaged()?))?;
    let here = project.run(Place::Host)?;
    provide(Need::Target(CORTEX_M4F.target)).map_err(Obstacle::Missing)?;
    provide(Need::Emulator(CORTEX_M4F.emulator)).map_err(Obstacle::Missing)?;
    let there = project.run(Place::Chip)?;
    fs::remove_dir_all(&directory)?;
    if here != there || here.is_empty() {
        return Err(anyhow!("it printed\n{here}on this computer and\n{there}in QEMU").into());
    }
    Ok(format!(
        "built against the package, the same {} lines here and in QEMU",
        here.lines().count()
    ))
}

/// The command `cargo` of a toolchain; a missing toolchain is fetched.
fn cargo_of(toolchain: &str) -> Result<Command, Obstacle> {
    let there = || finish(Command::new("rustup").args(["run", toolchain, "cargo", "--version"])).is_ok();
    let fetch = [
        "toolchain",
        "install",
        toolchain,
        "--profile",
        "minimal",
        "--no-self-update",
    ];
    if !there() && (finish(Command::new("rustup").args(fetch)).is_err() || !there()) {
        return Err(Obstacle::Missing(format!(
            "type `rustup {}`, which failed here",
            fetch.join(" ")
        )));
    }
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    Ok(command)
}

/// Makes a copy of the packaged crate, without its lock file.
fn unpacked(name: &str) -> Result<PathBuf> {
    let directory = scratch(name);
    copy(&packaged()?, &directory)?;
    // Without the lock file, cargo chooses the dependencies as for a user.
    let _ = fs::remove_file(directory.join("Cargo.lock"));
    Ok(directory)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), &place).with_context(|| format!("cannot write {}", place.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_no_user_needs_are_listed() {
        let files = [
            "src/lib.rs",
            "src/bounds/tests.rs",
            "build.rs",
            "tests/data/golden/a.json",
            "README.md",
            "memory.x",
        ];
        assert_eq!(
            strangers(&files),
            ["src/bounds/tests.rs", "tests/data/golden/a.json", "memory.x"]
        );
    }

    #[test]
    fn a_package_above_two_mebibytes_is_refused() {
        assert!(is_small(LARGEST).is_ok() && is_small(LARGEST + 1).is_err());
    }

    #[test]
    fn a_value_of_the_manifest_is_read() -> Result<()> {
        assert_eq!(manifest("name")?, "eigenstream");
        assert!(manifest("nonsense").is_err());
        Ok(())
    }
}
