//! Runs other programs to their end.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// The number of lines that are shown of a failed command.
const TAIL_LINES: usize = 40;

/// Runs a command to its end and returns its standard output. The error contains the last lines of all output.
pub fn finish(command: &mut Command) -> Result<String> {
    // The error shows the last lines of the output; a backtrace would fill all of them.
    command.env("RUST_BACKTRACE", "0");
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}: is it installed and in PATH?"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        // Standard output comes last, because a failed test prints its reason there.
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

/// The last lines of a long text, without cargo's JSON messages.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(r#"{"reason":"#)).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
