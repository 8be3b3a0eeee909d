//! `python`: builds the Python package as a wheel and tests it.
//! In: this checkout, Python 3.11 or later, and an index of packages for the first run. Out: the wheel, and the output
//! of pytest.
//! Virtual environment and wheels are in `target/python`.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::cargo::{finish, front, root};

/// Builds the Python package as a wheel in a virtual environment, and runs its tests.
///
/// Without `--all` the command builds few sizes, and leaves out long tests and those with river, Dask, C or the
/// emulated chip. The first run installs the Python packages.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness python --all")]
pub(crate) struct Arguments {
    /// Build every size of the table, and run every test.
    #[arg(long)]
    all: bool,
}

/// Extent of the build and of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Few sizes, and the tests that are not marked `whole`.
    Few,
    /// Every size and every test.
    Whole,
}

/// An error: something is not on this computer and could not be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let extent = if arguments.all { Extent::Whole } else { Extent::Few };
    let start = Instant::now();
    let wheel = built(extent)?;
    let building = start.elapsed().as_secs_f64();
    writeln!(io::stdout(), "{}", wheel.display())?;
    let said = tested(extent)?;
    writeln!(io::stdout(), "{}", said.trim_end())?;
    let testing = start.elapsed().as_secs_f64() - building;
    eprintln!("{building:.0} s to build, {testing:.0} s to test");
    Ok(Verdict::Holds)
}

/// Builds and tests the package; returns the last line of pytest.
pub(crate) fn check(extent: Extent) -> Result<String> {
    built(extent)?;
    let said = tested(extent)?;
    Ok(said.lines().last().unwrap_or("pytest printed nothing").to_owned())
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("python")
}

fn sources() -> PathBuf {
    root().join("bindings/python")
}

fn program(name: &str) -> PathBuf {
    let scripts = if cfg!(windows) { "Scripts" } else { "bin" };
    folder().join("venv").join(scripts).join(name)
}

/// Makes the virtual environment; the tests of a release need more packages.
fn environment(extent: Extent) -> Result<()> {
    install("requirements.txt")?;
    match extent {
        Extent::Few => Ok(()),
        Extent::Whole => install("requirements-whole.txt"),
    }
}

/// Installs the packages of a list, unless this list was installed before.
fn install(list: &str) -> Result<()> {
    let packages = fs::read_to_string(sources().join(list)).with_context(|| format!("no {list}"))?;
    let installed = folder().join(list);
    if fs::read_to_string(&installed).is_ok_and(|text| text == packages) {
        return Ok(());
    }
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let new_enough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    if finish(Command::new(&python).args(["-c", new_enough])).is_err() {
        return Err(Missing(format!(
            "`{python}` is not Python 3.11 or later with venv: install one (Debian: python3-venv), or name it in the variable PYTHON"
        ))
        .into());
    }
    eprintln!("installing bindings/python/{list} into {}", folder().display());
    fs::create_dir_all(folder())?;
    finish(Command::new(&python).args(["-m", "venv"]).arg(folder().join("venv")))?;
    let install = finish(
        Command::new(program("python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(sources().join(list)),
    );
    if let Err(error) = install {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or("no message");
        return Err(Missing(format!("the Python packages could not be installed: {last}")).into());
    }
    fs::write(installed, packages)?;
    Ok(())
}

/// Builds the wheel and installs it in the virtual environment.
fn built(extent: Extent) -> Result<PathBuf> {
    environment(extent)?;
    // With few sizes, the profile `harness` is used, so that the built dependencies are shared with the tool.
    let (wheels, profile) = match extent {
        Extent::Few => ("few", "harness"),
        Extent::Whole => ("all", "optimised"),
    };
    let wheels = folder().join(wheels);
    // A wheel of another version could be mistaken for the new one.
    if wheels.is_dir() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(program("maturin"));
    build
        .args(["build", "--quiet", "--strip", "--profile", profile, "--manifest-path"])
        .arg(sources().join("Cargo.toml"))
        .arg("--interpreter")
        .arg(program("python"))
        .arg("--out")
        .arg(&wheels)
        .current_dir(root());
    if extent == Extent::Few {
        build.args(["--features", "few"]);
    }
    finish(&mut build).context("the wheel was not built")?;
    let wheel = only_file(&wheels)?;
    finish(
        Command::new(program("python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["--force-reinstall", "--no-deps"])
            .arg(&wheel),
    )?;
    Ok(wheel)
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?;
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file?.path()),
        _ => bail!("{} should hold one wheel", folder.display()),
    }
}

fn tested(extent: Extent) -> Result<String> {
    let mut tests = Command::new(program("python"));
    tests
        .args(["-m", "pytest", "--color=no", "-c"])
        .arg(sources().join("pyproject.toml"))
        .arg(sources().join("tests"))
        .current_dir(folder())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("EIGENSTREAM_ROOT", root());
    match extent {
        Extent::Few => tests.args(["-m", "not whole"]),
        // These tests exchange images with the program `front`, which has the commands of the tool.
        Extent::Whole => tests.env("EIGENSTREAM_HARNESS", front()?),
    };
    finish(&mut tests)
}
