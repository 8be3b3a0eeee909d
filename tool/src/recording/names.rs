//! Lists of column names, typed after `--columns` and printed. A name with a comma is in quotes.

use super::cell::unquoted;

/// The names in the words of `--columns`, which are the text between commas.
pub fn typed(words: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in words {
        match names.last_mut().filter(|_| is_open) {
            Some(name) => *name += &format!(",{word}"),
            None => names.push(word.clone()),
        }
        // A quote inside a name, such as 12" pipe, opens nothing.
        is_open = (names.last()).is_some_and(|name| name.trim().starts_with('"') && name.matches('"').count() % 2 == 1);
    }
    names.iter().map(|name| unquoted(name).into_owned()).collect()
}

/// Names as a list, with `mark` between them.
pub fn listed<S: AsRef<str>>(names: &[S], mark: &str) -> String {
    let names = names.iter().map(|name| match name.as_ref() {
        name if name.contains(',') || name.starts_with('"') => format!("\"{}\"", name.replace('"', "\"\"")),
        name => name.to_owned(),
    });
    names.collect::<Vec<_>>().join(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_typed_as_it_is_printed() {
        for (list, names) in [
            ("a,b c", vec!["a", "b c"]),
            ("\"flow, l/min\",p", vec!["flow, l/min", "p"]),
            ("p,\"a,b,\"\"c\"\"\"", vec!["p", "a,b,\"c\""]),
            ("12\" pipe,b", vec!["12\" pipe", "b"]),
            ("\"\"\"x\"\" y\",b", vec!["\"x\" y", "b"]),
        ] {
            let words: Vec<String> = list.split(',').map(str::to_owned).collect();
            assert_eq!(typed(&words), names, "{list}");
            assert_eq!(listed(&names, ","), list);
        }
    }
}
