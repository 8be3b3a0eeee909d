//! A recording from standard input gives the same result as a recording from a file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Runs the command in a folder with this text as standard input. Returns its standard output.
fn eigenstream(folder: &Path, words: &[&str], input: &str) -> Result<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_eigenstream"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut pipe = child.stdin.take().context("no pipe")?;
    pipe.write_all(input.as_bytes())?;
    drop(pipe);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

fn folder(name: &str) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("eigenstream-input-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Three channels, the third the sum of the others, and one row with a gap.
fn recording() -> String {
    let mut text = "a,b,c\n1,,2\n".to_owned();
    for row in 0..200 {
        let (a, b) = (row % 7, row * row % 11);
        text += &format!("{a},{b},{}\n", a + b);
    }
    text
}

#[test]
fn fit_reads_standard_input() -> Result<()> {
    let folder = folder("fit")?;
    let text = recording();
    fs::write(folder.join("machine.csv"), &text)?;
    for model in ["batch", "kernel"] {
        let fit = |file, out, input: &str| {
            let words = ["fit", file, "--columns", "a,b,c", "--model", model, "--out", out];
            eigenstream(&folder, &words, input)
        };
        let from_file = fit("machine.csv", "file", "")?;
        let from_input = fit("-", "input", &text)?;
        assert_eq!(from_input.replace("input:", "file:"), from_file);
        assert!(
            from_file.contains("fitted to 200 rows, 1 left out for gaps"),
            "{from_file}"
        );
        for image in ["scale.eigs", "model.eigs"] {
            let image_in = |out: &str| fs::read(folder.join(out).join(image));
            assert_eq!(image_in("input")?, image_in("file")?, "{image} of {model}");
        }
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}
