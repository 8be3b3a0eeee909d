//! Phrases that a reader has to decode: none of them in comments, documentation and guides.
//! In: the files of the repository that users and contributors read. Out: nothing, or every place with such a phrase.
//! Method: each line is searched for the phrases below. A sentence names its subject: it does not begin with "What" or "The same".

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{finish, root};

/// Where people read, and the endings of files that hold text.
const PLACES: [&str; 8] = [
    "src",
    "examples",
    "tool",
    "bindings",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
];
const ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".c", ".h", ".py", ".pyi"];

/// Phrases that are riddles wherever they stand.
const ANYWHERE: [&str; 5] = ["nobody", "no number", "has had its part", "the former", "the latter"];

/// Words that no sentence begins with.
const BEGINNINGS: [&str; 2] = ["What ", "The same "];

/// Marks before the first word of a line.
const MARKS: [char; 8] = ['/', '!', '#', '*', '|', '-', '>', ' '];

/// So many may stay, each with a reason.
const MOST: usize = 5;

/// Fails if more than a few lines hold such a phrase.
pub(super) fn are_plain() -> Result<()> {
    let mut listing = std::process::Command::new("git");
    let listed = finish(listing.args(["ls-files", "--"]).args(PLACES).current_dir(root()))?;
    let mut places = Vec::new();
    for file in listed
        .lines()
        .filter(|file| ENDINGS.iter().any(|ending| file.ends_with(ending)))
    {
        let text = fs::read_to_string(root().join(file)).with_context(|| format!("cannot read {file}"))?;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_riddle(line)) {
            places.push(format!("{file}:{number}: {}", line.trim()));
        }
    }
    if places.len() > MOST {
        bail!(
            "{} lines must be decoded, {MOST} may\n{}",
            places.len(),
            places.join("\n")
        );
    }
    Ok(())
}

fn is_riddle(line: &str) -> bool {
    let first = line.trim_start_matches(MARKS);
    // A string in code is no comment; a line of code is searched after its comment mark.
    let is_code = line.trim_start() == first && line.contains(['"', ';']);
    let text = match (is_code, line.split_once("// ")) {
        (true, Some((_, comment))) => comment,
        (true, None) => return false,
        (false, _) => first,
    };
    let lower = text.to_lowercase();
    ANYWHERE.iter().any(|phrase| lower.contains(phrase))
        || BEGINNINGS.iter().any(|words| {
            text.starts_with(words)
                || [". ", ": ", "; "]
                    .iter()
                    .any(|end| text.contains(&format!("{end}{words}")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_riddle_is_found_where_it_stands() {
        for line in [
            "/// What a direction has more than the bulk.",
            "//! In: samples. The same for a slice.",
            "## What it costs",
            "    let x = 1; // known to nobody",
            "a cell that is no number is a gap",
        ] {
            assert!(is_riddle(line), "{line}");
        }
    }

    #[test]
    fn plain_lines_and_strings_are_left_alone() {
        for line in [
            "/// Whatever the stream does, the loss stays below the bound.",
            "/// Says what that code loses.",
            "    let words = \"What now\";",
            "/// The sample is the same one.",
        ] {
            assert!(!is_riddle(line), "{line}");
        }
    }
}
