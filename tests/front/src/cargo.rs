//! The only place that starts cargo.
//! In: arguments, as one would type them. Out: what cargo printed, or the program it built.
//! Exceptions: `hand_over`, the tool, and checks that install it or build projects outside of the workspace. A command
//! runs in the root of the workspace unless the caller changes this.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use eigenstream_tool::machine::Board;
pub use eigenstream_tool::process::finish;

/// The folder of the committed pictures.
#[must_use]
pub fn pictures() -> PathBuf {
    root().join("examples/figures")
}

/// The root of the workspace, where `memory.x` and `.cargo/config.toml` are found.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_path_buf()
}

/// Cargo with these arguments, ready to run.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

/// The goal of the optimisation in a build for a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimisation {
    /// Speed: `opt-level = 3`.
    Speed,
    /// Size: `opt-level = "s"`.
    Size,
}

impl Optimisation {
    /// Both goals.
    pub const ALL: [Self; 2] = [Self::Speed, Self::Size];

    /// The opt-level as cargo and the rows of `bench` spell it.
    pub const fn level(self) -> &'static str {
        match self {
            Self::Speed => "3",
            Self::Size => "s",
        }
    }
}

/// How a program for a board is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// The profile `release`, as in a user's firmware, with whole-program optimisation: for programs that are measured
    /// or must fit.
    Whole,
    /// The profile `proof`, without whole-program optimisation: a property that holds there does not depend on that
    /// optimisation.
    Crates,
    /// The profile `optimised`, which builds faster: for checks of results.
    Parts,
}

impl Linking {
    const fn profile(self) -> &'static str {
        match self {
            Self::Whole => "release",
            Self::Crates => "proof",
            Self::Parts => "optimised",
        }
    }

    /// The environment variable that sets the opt-level of the profile.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Whole => "CARGO_PROFILE_RELEASE_OPT_LEVEL",
            Self::Crates => "CARGO_PROFILE_PROOF_OPT_LEVEL",
            Self::Parts => "CARGO_PROFILE_OPTIMISED_OPT_LEVEL",
        }
    }
}

/// Builds `tests/conformance` without the learners of the registry.
pub const WITHOUT_REGISTRY: &[&str] = &["--no-default-features"];

/// A program of this workspace that can be linked for a board.
#[derive(Clone, Copy, Debug)]
pub enum Program<'name> {
    /// `examples/NAME.rs`.
    Example(&'name str),
    /// `tests/firmware/src/bin/NAME.rs`.
    Firmware(&'name str),
    /// A measuring program of `tests/firmware`, with the naive versions compiled in.
    Naive(&'name str),
    /// `tests/conformance`.
    Conformance,
    /// `tests/conformance` without the learners of the registry.
    ShortConformance,
    /// `examples/board/src/bin/NAME.rs`.
    Board(&'name str),
    /// `examples/board/src/bin/logging.rs`, with the log compiled in.
    Logging,
}

impl<'name> Program<'name> {
    fn name(self) -> &'name str {
        match self {
            Self::Example(name) | Self::Firmware(name) | Self::Naive(name) | Self::Board(name) => name,
            Self::Conformance | Self::ShortConformance => "conformance",
            Self::Logging => "logging",
        }
    }

    fn selection(self) -> [&'name str; 4] {
        match self {
            Self::Example(name) => ["--package", "eigenstream", "--example", name],
            Self::Firmware(name) | Self::Naive(name) => ["--package", "eigenstream-firmware", "--bin", name],
            Self::Conformance | Self::ShortConformance => {
                ["--package", "eigenstream-conformance", "--bin", self.name()]
            }
            Self::Board(_) | Self::Logging => ["--package", "eigenstream-board", "--bin", self.name()],
        }
    }

    /// The features to build with.
    fn features(self) -> &'static [&'static str] {
        match self {
            Self::Logging => &["--features", "defmt"],
            Self::ShortConformance => WITHOUT_REGISTRY,
            Self::Naive(_) => &["--features", "naive"],
            _ => &[],
        }
    }

    /// Flags of the linker in addition to those of the board. The image `no_panic` is never run, so it may be larger
    /// than the flash of the board.
    fn linker_flags(self) -> &'static [&'static str] {
        match self {
            Self::Logging => &["-Clink-arg=-Tdefmt.x"],
            Self::Firmware("no_panic") => &["-Clink-arg=--defsym=board_flash_size=16M"],
            _ => &[],
        }
    }
}

/// Links a release image for the board and returns its path.
pub fn build_image(program: Program, board: &Board, optimisation: Optimisation) -> Result<PathBuf> {
    build_image_with(program, board, optimisation, &[])
}

/// Like [`build_image`], with environment variables that the program reads when it is compiled.
pub fn build_image_with(
    program: Program,
    board: &Board,
    optimisation: Optimisation,
    variables: &[(&str, &str)],
) -> Result<PathBuf> {
    link_image(program, board, optimisation, Linking::Whole, variables)
}

/// Like [`build_image_with`], linked in one of three ways.
pub fn link_image(
    program: Program,
    board: &Board,
    optimisation: Optimisation,
    linking: Linking,
    variables: &[(&str, &str)],
) -> Result<PathBuf> {
    let mut command = cargo(&["rustc", "--message-format", "json-render-diagnostics"]);
    command.args(["--profile", linking.profile()]);
    command.args(program.selection()).args(program.features());
    command.args(["--target", board.target]);
    command.env(linking.variable(), optimisation.level());
    // Only the program gets the linker's arguments, so that boards with one target but different memory share the
    // compiled dependencies. For this, the empty variable replaces `target.*.rustflags` of .cargo/config.toml.
    command.env("CARGO_ENCODED_RUSTFLAGS", "");
    command
        .arg("--")
        .args(board.linker_flags())
        .args(program.linker_flags());
    command.envs(variables.iter().copied());
    let messages = finish(&mut command)?;
    executable(&messages, program.name()).with_context(|| format!("cargo built no program named {}", program.name()))
}

/// Builds the program `front`, which has the verbs of the tool, and returns its path.
pub fn front() -> Result<PathBuf> {
    let mut command = cargo(&["build", "--message-format", "json-render-diagnostics"]);
    command.args([
        "--profile",
        "harness",
        "--package",
        "eigenstream-front",
        "--features",
        "few",
    ]);
    executable(&finish(&mut command)?, "front").context("cargo built no program named front")
}

/// The path that cargo's messages give for the program `name`.
pub fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream_tool::process::tail;

    #[test]
    fn the_executable_is_found_among_other_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"libm"},"executable":null}"#,
            "\nnot JSON at all\n",
            r#"{"reason":"compiler-artifact","target":{"name":"quickstart"},"executable":"/x/quickstart"}"#,
        );
        assert_eq!(executable(messages, "quickstart"), Some(PathBuf::from("/x/quickstart")));
        assert_eq!(executable(messages, "libm"), None);
    }

    #[test]
    fn a_tail_keeps_the_last_lines() {
        let text = (0..100).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
        assert!(tail(&text).starts_with("60\n"));
        assert!(tail(&text).ends_with("\n99"));
        assert_eq!(tail("error: no\n{\"reason\":\"build-finished\"}"), "error: no");
    }
}
