//! Pictures as text, for the documentation: a page of rustdoc cannot show a file of the repository, so it carries the picture in it.
//! In: the pictures in examples/figures. Out: src/guide/pictures/NAME.txt, each in base 64 on one line.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::cargo::root;

/// The pictures that the documentation shows.
const PICTURES: [&str; 9] = [
    "demo",
    "denoising",
    "figure3",
    "figure4",
    "figure5",
    "figure6",
    "kernel_figure1",
    "kernel_figure2",
    "kernel_figure3",
];

/// Where the committed pictures are.
pub(crate) fn directory() -> PathBuf {
    root().join("examples/figures")
}

/// Writes the text of every picture.
pub(crate) fn write() -> Result<()> {
    for name in PICTURES {
        fs::write(text_file(name), text_of(name)?).with_context(|| format!("cannot write the text of {name}.png"))?;
    }
    Ok(())
}

fn text_file(name: &str) -> PathBuf {
    root().join(format!("src/guide/pictures/{name}.txt"))
}

fn text_of(name: &str) -> Result<String> {
    let file = directory().join(format!("{name}.png"));
    Ok(base64(
        &fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?,
    ))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place > chunk.len() { '=' } else { digit.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_the_standard_has_it() {
        // The examples of section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_documentation_shows_the_committed_pictures() -> Result<()> {
        for name in PICTURES {
            let same = fs::read_to_string(text_file(name))? == text_of(name)?;
            assert!(same, "{name} is stale: type `cargo harness figures --save`");
        }
        Ok(())
    }
}
