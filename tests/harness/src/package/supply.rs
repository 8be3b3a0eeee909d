//! The checks of `package` on dependencies and versions: oldest and newest, licences, advisories, and the public
//! interface.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Obstacle, cargo_of, manifest, unpacked};
use crate::cargo::{cargo, finish, root};

pub(super) fn oldest_compiler() -> Result<String, Obstacle> {
    let version = manifest("rust-version")?;
    let command = cargo_of(&version)?;
    let directory = unpacked("compiler")?;
    check(command, &directory)?;
    let _ = fs::remove_dir_all(&directory);
    Ok(format!("Rust {version}, all features"))
}

pub(super) fn oldest_dependencies() -> Result<String, Obstacle> {
    let mut lock = cargo_of("nightly")?;
    lock.arg("-Zdirect-minimal-versions");
    built_with(lock, "oldest")
}

/// Checks the newest versions that Cargo.toml allows: a user's cargo ignores the lock file of a library and chooses
/// these.
pub(super) fn newest_dependencies() -> Result<String, Obstacle> {
    built_with(cargo(&[]), "newest")
}

/// Checks the packaged crate with the dependencies that the command `lock` chooses; returns the versions of some of
/// them.
fn built_with(mut lock: Command, name: &str) -> Result<String, Obstacle> {
    let directory = unpacked(name)?;
    finish(lock.arg("generate-lockfile").current_dir(&directory))?;
    check(cargo(&[]), &directory)?;
    let lock = fs::read_to_string(directory.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let _ = fs::remove_dir_all(&directory);
    Ok(["nalgebra", "libm", "heapless", "rand_core", "defmt"]
        .map(|name| locked(&lock, name))
        .join(", "))
}

/// Checks the library in a folder, with every feature.
fn check(mut command: Command, directory: &Path) -> Result<()> {
    command
        .args(["check", "--lib", "--all-features"])
        .current_dir(directory);
    finish(command.env("CARGO_TARGET_DIR", directory.join("target"))).map(drop)
}

/// A crate and its version in a lock file; the newest if there are several.
fn locked(lock: &str, name: &str) -> String {
    let entry = lock.rsplit_once(&format!("name = \"{name}\"\nversion = \""));
    let version = entry
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("?", |(version, _)| version);
    format!("{name} {version}")
}

/// Fails if a subcommand of cargo is not installed.
fn installed(subcommand: &str) -> Result<(), Obstacle> {
    match finish(&mut cargo(&[subcommand, "--version"])) {
        Ok(_) => Ok(()),
        Err(_) => Err(Obstacle::Missing(format!(
            "type `cargo install --locked cargo-{subcommand}`"
        ))),
    }
}

pub(super) fn licences() -> Result<String, Obstacle> {
    installed("deny")?;
    finish(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    Ok("as .cargo/deny.toml requires".into())
}

/// Fails if there is an advisory against a dependency; the database of advisories is fetched, or read from a copy.
pub(super) fn advisories() -> Result<String, Obstacle> {
    installed("deny")?;
    let fetched = finish(&mut cargo(&["deny", "fetch", "db"])).is_ok();
    let copy = advisory_copy();
    if !fetched && !copy.is_dir() {
        return Err(Obstacle::Missing(format!(
            "the advisory database cannot be fetched, and there is no copy in {}",
            copy.display()
        )));
    }
    finish(&mut cargo(&["deny", "check", "--disable-fetch", "advisories"]))?;
    let age = if fetched {
        "fetched now"
    } else {
        "the copy on this computer"
    };
    Ok(format!("no advisory against a dependency; database: {age}"))
}

/// The folder in which cargo-deny keeps the database.
fn advisory_copy() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
    env::var_os("CARGO_HOME")
        .map_or_else(home, PathBuf::from)
        .join("advisory-dbs")
}

/// Fails if the public interface changed more than the version allows, compared with the last tag `v…`.
pub(super) fn public_interface() -> Result<String, Obstacle> {
    let mut describe = Command::new("git");
    describe
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .current_dir(root());
    let Ok(tag) = finish(&mut describe) else {
        return Err(Obstacle::Missing(
            "nothing is released: no tag `v…` to compare with, so every change of the interface is allowed".into(),
        ));
    };
    let tag = tag.trim();
    installed("semver-checks")?;
    finish(&mut cargo(&[
        "semver-checks",
        "--package",
        "eigenstream",
        "--all-features",
        "--baseline-rev",
        tag,
    ]))?;
    Ok(format!("changed since {tag} only as the version allows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_a_lock_file() {
        let lock = "[[package]]\nname = \"libm\"\nversion = \"0.2.16\"\nsource = \"x\"\n";
        assert_eq!(locked(lock, "libm"), "libm 0.2.16");
        assert_eq!(locked(lock, "nalgebra"), "nalgebra ?");
        let newer = lock.replace("0.2.16", "0.3.0");
        assert_eq!(locked(&format!("{lock}\n{newer}"), "libm"), "libm 0.3.0");
    }
}
