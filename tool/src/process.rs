//! Runs other programs to their end.

use std::process::Command;

use anyhow::{Context, Result, bail};

const TAIL_LINES: usize = 40;

/// Runs a command and returns its standard output; the error has the last lines of all output.
pub fn finish(command: &mut Command) -> Result<String> {
    // A backtrace would fill the lines that are shown.
    command.env("RUST_BACKTRACE", "0");
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}: is it installed and in PATH?"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        // A failed test prints its reason to standard output, so that comes last.
        bail!(
            "{}",
            tail(&format!("{}{printed}", String::from_utf8_lossy(&output.stderr)))
        );
    }
    Ok(printed.into_owned())
}

/// The cargo of the user.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The last lines, without cargo's JSON messages.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(r#"{"reason":"#)).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
