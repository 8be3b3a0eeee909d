//! Reads the golden files.
//! In: JSON text. Out: typed values, or a sentence about a key that is missing or has the wrong type.

use serde_json::Value;

/// A file: the name of an algorithm and its cases, which are not read yet.
pub(super) struct GoldenFile {
    /// The value of `algo` in the file.
    pub(super) algorithm: String,
    /// The cases. Each is read separately, so that a damaged one does not affect the others.
    pub(super) cases: Vec<Value>,
}

impl GoldenFile {
    /// Reads the outermost level.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: Value =
            serde_json::from_str(text).map_err(|error| format!("not valid JSON ({error}): copy the file again"))?;
        let algorithm = file["algo"].as_str().unwrap_or("unnamed").to_owned();
        match file.get("cases") {
            Some(Value::Array(cases)) => Ok(Self {
                algorithm,
                cases: cases.clone(),
            }),
            _ => Err("the list `cases` is missing: this is not a golden file".into()),
        }
    }
}

/// The name of a case, or its position in the file.
pub(super) fn case_name(case: &Value, position: usize) -> String {
    case["name"]
        .as_str()
        .map_or_else(|| format!("case {position}"), str::to_owned)
}

pub(super) struct Case<'file> {
    pub(super) input: Fields<'file>,
    pub(super) output: Fields<'file>,
    /// The tolerance in `f64`.
    pub(super) tolerance: f64,
}

impl<'file> Case<'file> {
    pub(super) fn new(case: &'file Value) -> Result<Self, String> {
        let fields = |place| {
            let values = case.get(place).filter(|values| values.is_object());
            values
                .map(|values| Fields { place, values })
                .ok_or_else(|| format!("the case has no `{place}`"))
        };
        let tolerance = case["tol"].as_f64().ok_or("the case has no number `tol`")?;
        Ok(Self {
            input: fields("in")?,
            output: fields("out")?,
            tolerance,
        })
    }

    /// Name of the operation; empty if the case names none.
    pub(super) fn operation(&self) -> &str {
        self.input.values["op"].as_str().unwrap_or_default()
    }
}

pub(super) struct Fields<'file> {
    place: &'static str,
    values: &'file Value,
}

impl Fields<'_> {
    /// Whether the key is present and not `null`.
    pub(super) fn has(&self, key: &str) -> bool {
        !self.values[key].is_null()
    }

    /// Reads a number; the files write infinity as a string.
    pub(super) fn number(&self, key: &str) -> Result<f64, String> {
        self.read(key, "a number", number)
    }

    pub(super) fn count(&self, key: &str) -> Result<usize, String> {
        self.read(key, "a whole number", count)
    }

    pub(super) fn truth(&self, key: &str) -> Result<bool, String> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(super) fn vector(&self, key: &str) -> Result<Vec<f64>, String> {
        self.read(key, "a list of numbers", |value| list(value, number))
    }

    pub(super) fn counts(&self, key: &str) -> Result<Vec<usize>, String> {
        self.read(key, "a list of whole numbers", |value| list(value, count))
    }

    /// A list of rows of numbers; the rows may differ in length.
    pub(super) fn rows(&self, key: &str) -> Result<Vec<Vec<f64>>, String> {
        self.read(key, "a list of rows of numbers", |value| {
            list(value, |row| list(row, number))
        })
    }

    /// A list of matrices, each a list of rows.
    pub(super) fn matrices(&self, key: &str) -> Result<Vec<Vec<Vec<f64>>>, String> {
        self.read(key, "a list of matrices", |value| {
            list(value, |matrix| list(matrix, |row| list(row, number)))
        })
    }

    pub(super) fn text(&self, key: &str) -> Result<&str, String> {
        let place = self.place;
        self.values[key]
            .as_str()
            .ok_or_else(|| format!("`{key}` under `{place}` is missing or not a word"))
    }

    /// The values of an object under a key.
    pub(super) fn fields(&self, key: &'static str) -> Result<Fields<'_>, String> {
        let values = self.read(key, "an object", |value| value.is_object().then_some(value))?;
        Ok(Fields { place: key, values })
    }

    pub(super) fn sets(&self, key: &str) -> Result<Vec<Vec<usize>>, String> {
        self.read(key, "a list of sets", |value| list(value, |set| list(set, count)))
    }

    fn read<'fields, V>(
        &'fields self,
        key: &str,
        kind: &str,
        parse: impl FnOnce(&'fields Value) -> Option<V>,
    ) -> Result<V, String> {
        let place = self.place;
        let value = self
            .values
            .get(key)
            .ok_or_else(|| format!("the key `{key}` is missing under `{place}`"))?;
        parse(value).ok_or_else(|| format!("`{key}` under `{place}` is not {kind}"))
    }
}

fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
        None => value.as_f64(),
    }
}

fn count(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|count| usize::try_from(count).ok())
}

fn list<V>(value: &Value, parse: impl Fn(&Value) -> Option<V>) -> Option<Vec<V>> {
    value.as_array()?.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinity_is_a_string_and_other_strings_are_not_numbers() {
        assert_eq!(number(&Value::from("-inf")), Some(f64::NEG_INFINITY));
        assert_eq!(number(&Value::from("many")), None);
        assert_eq!(number(&Value::from(2)), Some(2.0));
    }

    #[test]
    fn an_error_names_the_value_of_the_wrong_type() {
        let values = serde_json::json!({"w": [1.0, [2.0]]});
        let fields = Fields {
            place: "in",
            values: &values,
        };
        assert_eq!(
            fields.vector("w"),
            Err("`w` under `in` is not a list of numbers".into())
        );
    }

    #[test]
    fn a_file_without_cases_is_refused() {
        assert!(GoldenFile::parse("[]").is_err());
        assert!(GoldenFile::parse(r#"{"algo": "cap"}"#).is_err());
    }
}
