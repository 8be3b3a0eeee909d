//! Embeds the files of the crate and of its binding for C, so that the tool builds projects without a checkout. Out:
//! `carried.rs` and `carried_c.rs`, lists of file names and contents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// As `include` of Cargo.toml, without what a build does not need.
const CARRIED: [&str; 5] = ["src", "build.rs", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The needs of an archive for C beyond the crate; the lock file has the tested versions.
const CARRIED_FOR_C: [&str; 5] = [
    "bindings/c/Cargo.toml",
    "bindings/c/src",
    "bindings/c/include",
    "bindings/c/demo",
    "Cargo.lock",
];

/// Tables of Cargo.toml that do not refer to this workspace.
const TABLES: [&str; 3] = ["[package]", "[features]", "[dependencies]"];

/// Lint tables of the workspace become those of the package, because clippy in a project lints the crate too.
const LINTS: &str = "[workspace.lints.";

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = fs::canonicalize(here.join(".."))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    fs::write(out.join("Cargo.toml"), normalised(&manifest))?;

    let manifest = format!("    (\"Cargo.toml\", include_bytes!({:?})),\n", out.join("Cargo.toml"));
    let files = listed(&root, &CARRIED)?;
    fs::write(out.join("carried.rs"), format!("[\n{manifest}{files}]\n"))?;
    let files = listed(&root, &CARRIED_FOR_C)?;
    fs::write(out.join("carried_c.rs"), format!("[\n{files}]\n"))
}

fn listed(root: &Path, names: &[&str]) -> io::Result<String> {
    let mut files = Vec::new();
    for name in names {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
        collect(root, Path::new(name), &mut files)?;
    }
    files.sort();
    let mut list = String::new();
    for name in files {
        let shown = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({shown:?}, include_bytes!({:?})),", root.join(&name));
    }
    Ok(list)
}

/// Appends the names of all files below `name`, without unit tests.
fn collect(root: &Path, name: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let path = root.join(name);
    if !path.is_dir() {
        if !name.ends_with("tests.rs") {
            files.push(name.to_path_buf());
        }
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(root, &name.join(entry?.file_name()), files)?;
    }
    Ok(())
}

/// The manifest with the tables of `TABLES` and the lints, without `include`.
fn normalised(manifest: &str) -> String {
    let mut kept = String::from("# As packaged.\n");
    let mut keep = false;
    for line in manifest.lines() {
        let line = &line.replace(LINTS, "[lints.");
        if line.starts_with('[') {
            keep = TABLES.contains(&line.as_str()) || line.starts_with("[lints.");
        }
        if keep && !line.starts_with("include = ") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    // A comment at the end belongs to the next table.
    let mut lines: Vec<&str> = kept.lines().collect();
    while lines
        .last()
        .is_some_and(|line| line.is_empty() || line.starts_with('#'))
    {
        lines.pop();
    }
    lines.join("\n") + "\n"
}
