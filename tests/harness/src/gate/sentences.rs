//! The first paragraph of a public item, shown in lists of items, must be one sentence of at most 25 words.
//! In: the files of `src`. Out: nothing, or, if too many public items break this rule, the place of each.
//! Method: the first paragraph is the lines `///` before a line `pub …`, up to an empty line, a list, a table, a
//! heading or a code block.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cargo::root;

/// The largest number of words in a first paragraph.
const WORDS: usize = 25;
/// Percent of the public items that may have more words.
const MOST_LONG: usize = 2;
/// Percent of the public items that may have more than one sentence.
const MOST_MANY: usize = 3;

/// Beginnings of the items that are checked, after `pub`.
const ITEMS: [&str; 7] = ["fn ", "struct ", "enum ", "trait ", "type ", "mod ", "const "];

/// The first paragraph of a public item.
struct Summary {
    place: String,
    text: String,
}

impl Summary {
    fn is_long(&self) -> bool {
        self.text.split_whitespace().count() > WORDS
    }

    /// Whether the text has more than one sentence. A sentence ends at `.`, `!` or `?` if the next word begins with a
    /// capital letter, a backtick, a bracket or a backslash.
    fn has_many_sentences(&self) -> bool {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        words.windows(2).any(|pair| {
            let begins =
                |next: &str| next.starts_with(|first: char| first.is_ascii_uppercase() || "`[\\".contains(first));
            pair[0].ends_with(['.', '!', '?']) && begins(pair[1])
        })
    }
}

/// Fails if too many public items begin with a long paragraph or with more than one sentence.
pub(super) fn are_short() -> Result<()> {
    let mut summaries = Vec::new();
    for file in sources(&root().join("src"))? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        summaries.extend(summaries_of(&text, &file.display().to_string()));
    }
    complain(&summaries)
}

fn complain(summaries: &[Summary]) -> Result<()> {
    let long: Vec<&Summary> = summaries.iter().filter(|summary| summary.is_long()).collect();
    let many: Vec<&Summary> = summaries
        .iter()
        .filter(|summary| summary.has_many_sentences())
        .collect();
    let too_often = |found: &[&Summary], percent| found.len() * 100 > percent * summaries.len();
    if summaries.is_empty() {
        bail!("no public item was found: the check sees nothing");
    }
    if too_often(&long, MOST_LONG) || too_often(&many, MOST_MANY) {
        let list = |found: Vec<&Summary>| found.iter().map(|one| format!("  {}\n", one.place)).collect::<String>();
        bail!(
            "of {} public items {} begin with more than {WORDS} words ({MOST_LONG} % may) and {} with more than one sentence ({MOST_MANY} % may)\nlong:\n{}many:\n{}",
            summaries.len(),
            long.len(),
            many.len(),
            list(long),
            list(many)
        );
    }
    Ok(())
}

/// The source files of the crate, without the files `tests.rs`.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn summaries_of(text: &str, file: &str) -> Vec<Summary> {
    let mut summaries = Vec::new();
    let mut documentation: Vec<&str> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if let Some(words) = line.strip_prefix("///") {
            documentation.push(words.trim());
        } else if !line.starts_with("#[") {
            if is_public_item(line) && !documentation.is_empty() {
                let ends =
                    |line: &str| line.is_empty() || ["```", "#", "- ", "|"].iter().any(|mark| line.starts_with(mark));
                let first: Vec<&str> = documentation.iter().copied().take_while(|line| !ends(line)).collect();
                summaries.push(Summary {
                    place: format!("{file}:{number}"),
                    text: first.join(" "),
                });
            }
            documentation.clear();
        }
    }
    summaries
}

fn is_public_item(line: &str) -> bool {
    line.strip_prefix("pub ")
        .is_some_and(|rest| ITEMS.iter().any(|item| rest.starts_with(item)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(documentation: &str) -> Summary {
        let found = summaries_of(&format!("{documentation}\n#[inline]\npub fn x() {{}}\n"), "x.rs").pop();
        found.unwrap_or(Summary {
            place: String::new(),
            text: String::new(),
        })
    }

    #[test]
    fn the_first_paragraph_alone_is_counted() {
        let short = of("/// Twenty words at the most.\n///\n/// A second paragraph. It has sentences.");
        assert!(!short.is_long() && !short.has_many_sentences());
        assert_eq!(short.text, "Twenty words at the most.");
        assert_eq!(short.place, "x.rs:5");
        assert!(of(&format!("/// {}", "word ".repeat(26))).is_long());
        assert!(!of(&format!("/// {}", "word ".repeat(25))).is_long());
        assert!(of("/// One. Two.").has_many_sentences());
        assert!(of("/// One. `two` is the other.").has_many_sentences());
        assert!(!of("/// The rate, e.g. 0.5 of all.").has_many_sentences());
    }

    #[test]
    fn too_many_paragraphs_fail() {
        let many = |bad: usize, good: usize| -> Vec<Summary> {
            let bad = std::iter::repeat_with(|| of("/// One. Two.")).take(bad);
            bad.chain(std::iter::repeat_with(|| of("/// One.")).take(good))
                .collect()
        };
        assert!(complain(&many(3, 97)).is_ok());
        assert!(complain(&many(4, 96)).is_err());
        assert!(complain(&[]).is_err());
    }
}
