//! Writes a learner as Rust constants, for a program that does not learn. Parsing them gives the same bits.

use std::fmt::Write;

use super::content::{Model, Value};

/// Counts and choices are left out.
pub(super) fn of(model: &Model) -> String {
    let number = if model.precision == 4 { "f32" } else { "f64" };
    let mut text = format!("// {}\n", model.title);
    for entry in &model.entries {
        let name = constant_name(&entry.name);
        // Writing to a string does not fail.
        let _ = match &entry.value {
            Value::Numbers(numbers) => {
                writeln!(
                    text,
                    "pub const {name}: [{number}; {}] = {};",
                    numbers.len(),
                    array(numbers, model.precision)
                )
            }
            Value::Matrix(columns) => {
                let rows = columns.first().map_or(0, Vec::len);
                let columns_text: Vec<String> = columns.iter().map(|column| array(column, model.precision)).collect();
                let count = columns.len();
                writeln!(
                    text,
                    "pub const {name}: [[{number}; {rows}]; {count}] = [{}];",
                    columns_text.join(", ")
                )
            }
            Value::Number(value) => writeln!(
                text,
                "pub const {name}: {number} = {};",
                literal(*value, model.precision)
            ),
            Value::Count(_) | Value::Counts(_) | Value::Words(_) => Ok(()),
        };
    }
    text
}

/// Converts `mean at the fit` to `MEAN_AT_THE_FIT`.
fn constant_name(name: &str) -> String {
    let words = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_uppercase).collect::<Vec<_>>().join("_")
}

fn literal(value: f64, precision: u8) -> String {
    if precision == 4 {
        format!("{:?}", value as f32)
    } else {
        format!("{value:?}")
    }
}

fn array(numbers: &[f64], precision: u8) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&value| literal(value, precision)).collect();
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_constants() {
        assert_eq!(constant_name("moments: mean at the fit"), "MOMENTS_MEAN_AT_THE_FIT");
    }

    #[test]
    fn numbers_come_back_to_the_same_bits() {
        let value = f64::from(0.1_f32);
        let text = array(&[value], 4);
        assert_eq!(text, "[0.1]");
        let back = text.trim_matches(['[', ']']).parse::<f32>();
        assert_eq!(back.map(f32::to_bits), Ok(0.1_f32.to_bits()));
    }
}
