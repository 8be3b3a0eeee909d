//! Phrases that a reader has to decode: none of them in comments, documentation and guides. And the README stays short.
//! In: the files of the repository that users and contributors read. Out: nothing, or every line with such a phrase if
//! these lines are too many, or the size of the README if it is wrong.
//! Method: each line is searched for the phrases below. A sentence names its subject: it does not begin with "What" or "The same".
//! Words of the README are counted outside code, tables, links and the list of papers.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{finish, root};

/// Files and folders that people read.
const PLACES: [&str; 9] = [
    "src",
    "examples",
    "tests",
    "tool",
    "bindings",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
];
/// Endings of the files that are searched.
const ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".c", ".h", ".py", ".pyi"];

/// Phrases that are searched for anywhere in a line.
const ANYWHERE: [&str; 5] = ["nobody", "no number", "has had its part", "the former", "the latter"];

/// Words with which no sentence may begin.
const BEGINNINGS: [&str; 2] = ["What ", "The same "];

/// Marks before the first word of a line.
const MARKS: [char; 8] = ['/', '!', '#', '*', '|', '-', '>', ' '];

/// The largest number of lines with such a phrase that may stay.
const MOST: usize = 5;

/// Fails if more than [`MOST`] lines hold such a phrase.
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

/// The largest number of words in the README outside code, tables, links and the list of papers.
const MOST_WORDS: usize = 1_000;
/// The number of tables in the README: the choice of an algorithm, the costs, and detection.
const TABLES: usize = 3;

/// The heading of the list of papers.
const PAPERS: &str = "## References";

/// Fails if the README has too many words, or another number of tables.
pub(super) fn readme_is_short() -> Result<()> {
    let text = fs::read_to_string(root().join("README.md")).context("cannot read README.md")?;
    let (words, tables) = size(&text);
    if words > MOST_WORDS || tables != TABLES {
        bail!(
            "README.md has {words} words and {tables} tables: at most {MOST_WORDS} words outside code, tables and the list of papers, and {TABLES} tables. The guides take the rest"
        );
    }
    Ok(())
}

/// The words outside code, tables, links and the list of papers, and the number of tables.
fn size(text: &str) -> (usize, usize) {
    let (mut words, mut tables) = (0, 0);
    let (mut in_code, mut in_table, mut in_papers) = (false, false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        if line.starts_with("## ") {
            in_papers = line == PAPERS;
        }
        let is_row = line.starts_with('|');
        tables += usize::from(is_row && !in_table);
        in_table = is_row;
        let is_link = line.starts_with('[') && line.contains("]: ");
        if !(is_row || in_papers || is_link || line.starts_with("<!--")) {
            words += (line.split_whitespace())
                .filter(|word| word.contains(char::is_alphanumeric))
                .count();
        }
    }
    (words, tables)
}

fn is_riddle(line: &str) -> bool {
    let first = line.trim_start_matches(MARKS);
    // A line without a mark at its start, but with a quote or a semicolon, is code; only its comment is searched.
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
    fn words_are_counted_outside_code_tables_links_and_papers() {
        let text = "# One two\n\nThree — `four`.\n```text\nnot counted\n```\n<!-- table a -->\n| not | counted |\n|---|---|\n<!-- end -->\n\n\
            | a second table |\n\n## References\n- not counted\n## Licence\nfive\n[link]: not/counted\n";
        assert_eq!(size(text), (6, 2));
        assert_eq!(size(""), (0, 0));
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
