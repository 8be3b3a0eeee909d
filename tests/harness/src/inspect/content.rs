//! Reads an image of any learner, by the table of `layout`.
//! In: bytes. Out: what it is an image of, and each field with its name and its value.

use anyhow::{Context, Result, bail};
use eigenstream::CodecError;
use eigenstream::codec::{Header, Kind};

use super::layout::{self, Field, Shape, Size};

/// An image, read.
pub(super) struct Model {
    /// The learner's type as one writes it, and that of the learner inside it.
    pub(super) title: String,
    /// Bytes of a number.
    pub(super) precision: u8,
    /// All fields, in their order; those of a group or an inner learner have its name before theirs.
    pub(super) entries: Vec<Entry>,
}

/// A field of an image.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) value: Value,
}

/// What a field holds.
pub(super) enum Value {
    Number(f64),
    Numbers(Vec<f64>),
    /// Columns.
    Matrix(Vec<Vec<f64>>),
    Count(u64),
    Counts(Vec<u64>),
    /// In words.
    Words(String),
}

impl Model {
    /// Reads an image.
    pub(super) fn read(image: &[u8]) -> Result<Self> {
        let header = Header::read(image)?;
        let mut reader = Reader {
            left: header.content(image)?,
            precision: header.precision(),
            kernel: header.kernel(),
            title: String::new(),
            entries: Vec::new(),
        };
        reader.learner(header.kind(), header.sizes(), "")?;
        if !reader.left.is_empty() {
            bail!("the image has {} bytes more than this learner takes", reader.left.len());
        }
        Ok(Self {
            title: reader.title,
            precision: header.precision(),
            entries: reader.entries,
        })
    }

    /// The value of a field; of several of the same name that of the innermost learner.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let named = |entry: &&Entry| entry.name == name || entry.name.ends_with(&format!(": {name}"));
        self.entries.iter().rev().find(named).map(|entry| &entry.value)
    }

    pub(super) fn matrix(&self, name: &str) -> Option<&[Vec<f64>]> {
        match self.get(name)? {
            Value::Matrix(columns) => Some(columns),
            _ => None,
        }
    }

    pub(super) fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.get(name)? {
            Value::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    pub(super) fn count(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            Value::Count(count) => Some(*count),
            _ => None,
        }
    }
}

struct Reader<'image> {
    left: &'image [u8],
    precision: u8,
    kernel: u8,
    title: String,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    fn learner(&mut self, kind: Option<Kind>, sizes: [u16; 4], prefix: &str) -> Result<()> {
        let known = kind.and_then(|kind| layout::of(kind, self.kernel));
        let (name, meanings, fields) = known.context("the image holds a learner that this tool does not know")?;
        let number = if self.precision == 4 { "f32" } else { "f64" };
        let sized = meanings
            .iter()
            .zip(sizes)
            .map(|(meaning, size)| format!("{meaning} = {size}"));
        let parameters: Vec<String> = std::iter::once(number.to_owned()).chain(sized).collect();
        let around = if self.title.is_empty() { "" } else { " around " };
        self.title = format!("{}{around}{name}<{}>", self.title, parameters.join(", "));
        self.fields(fields, sizes, prefix)
    }

    fn fields(&mut self, fields: &[Field], sizes: [u16; 4], prefix: &str) -> Result<()> {
        for field in fields {
            self.field(field, sizes, prefix)
                .with_context(|| format!("the image ends before `{}`", field.name))?;
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, sizes: [u16; 4], prefix: &str) -> Result<()> {
        let name = format!("{prefix}{}", field.name);
        let length = |size: Size| match size {
            Size::Of(place) => usize::from(sizes[place]),
            Size::Always(length) => length,
        };
        let value = match field.shape {
            Shape::Number => Value::Number(self.number()?),
            Shape::Numbers(size) => Value::Numbers(self.numbers(length(size))?),
            Shape::Matrix(rows, columns) => {
                let columns = (0..length(columns)).map(|_| self.numbers(length(rows)));
                Value::Matrix(columns.collect::<Result<_>>()?)
            }
            Shape::Count => Value::Count(self.count()?),
            Shape::Counts(size) => Value::Counts((0..length(size)).map(|_| self.count()).collect::<Result<_>>()?),
            Shape::LongCount => Value::Count(u64::from_le_bytes(self.bytes()?)),
            Shape::Choice(words) => Value::Words(self.choice(words)?.to_owned()),
            Shape::ChoiceOf(words) => {
                let word = self.choice(words)?;
                Value::Words(format!("{word} ({})", self.number()?))
            }
            Shape::ChoiceOfCounts(words) => {
                let word = self.choice(words)?;
                Value::Words(format!("{word} ({}, {})", self.count()?, self.count()?))
            }
            Shape::Maybe(fields) => {
                let there = self.choice(&["not yet", "there"])? == "there";
                let before = self.entries.len();
                self.fields(fields, sizes, prefix)?;
                if !there {
                    self.entries.truncate(before);
                }
                return Ok(());
            }
            Shape::Group(fields) => return self.fields(fields, sizes, &format!("{name}: ")),
            Shape::Kernel => Value::Words(match self.kernel {
                1 => "linear".into(),
                2 => format!("polynomial, coef0 {}, degree {}", self.number()?, self.count()?),
                3 => format!("Gaussian, gamma {}", self.number()?),
                4 => format!("Laplacian, gamma {}", self.number()?),
                5 => "cosine".into(),
                other => bail!("there is no kernel {other}"),
            }),
            Shape::Repeat(count, fields) => {
                for place in 1..=length(count) {
                    self.fields(fields, sizes, &format!("{name} {place}: "))?;
                }
                return Ok(());
            }
            Shape::Inner => {
                let [kind, precision, kernel] = self.bytes()?;
                let mut sizes = [0; 4];
                for size in &mut sizes {
                    *size = u16::from_le_bytes(self.bytes()?);
                }
                self.precision = precision;
                self.kernel = kernel;
                return self.learner(Kind::of(kind), sizes, &format!("{name}: "));
            }
        };
        self.entries.push(Entry { name, value });
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (&first, rest) = self.left.split_first_chunk().context("there are too few bytes")?;
        self.left = rest;
        Ok(first)
    }

    fn number(&mut self) -> Result<f64> {
        let number = match self.precision {
            4 => f64::from(f32::from_le_bytes(self.bytes()?)),
            8 => f64::from_le_bytes(self.bytes()?),
            other => bail!("there are no numbers of {other} bytes"),
        };
        // What no learner takes is not shown as if one had learned it.
        if !number.is_finite() {
            bail!(CodecError::NotANumber);
        }
        Ok(number)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<f64>> {
        (0..count).map(|_| self.number()).collect()
    }

    fn count(&mut self) -> Result<u64> {
        Ok(u64::from(u32::from_le_bytes(self.bytes()?)))
    }

    fn choice(&mut self, words: &'static [&'static str]) -> Result<&'static str> {
        let [code] = self.bytes()?;
        words.get(usize::from(code)).copied().context("there is no such choice")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_not_shown() {
        let read = |number: f32| {
            let image = number.to_le_bytes();
            let mut reader = Reader {
                left: &image,
                precision: 4,
                kernel: 0,
                title: String::new(),
                entries: Vec::new(),
            };
            reader.number().ok()
        };
        assert_eq!([1.5, f32::NAN, f32::INFINITY].map(read), [Some(1.5), None, None]);
    }
}
