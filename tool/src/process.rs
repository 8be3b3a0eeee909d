//! Other programs, run to their end.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// How many lines of a failed command are worth showing.
const TAIL_LINES: usize = 40;

/// Runs to the end and returns standard output; a failure carries the last lines of everything that was printed.
pub fn finish(command: &mut Command) -> Result<String> {
    // A failure is shown by the tail of its output, and a backtrace would be all of it.
    command.env("RUST_BACKTRACE", "0");
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}: is it installed and in PATH?"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        // Standard output last: that is where a failed test says why.
        bail!(
            "{}",
            tail(&format!("{}{printed}", String::from_utf8_lossy(&output.stderr)))
        );
    }
    Ok(printed.into_owned())
}

/// Cargo, as the user has it.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The last lines of a long text, without those that cargo writes for programs.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(r#"{"reason":"#)).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
