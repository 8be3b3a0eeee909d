//! Reads an image of any learner by the layout of its type. Out: the type, and each field with its name and value.

use anyhow::{Context, Result, bail};
use eigenstream::CodecError;
use eigenstream::codec::{Field, Header, Kind, Layout};

use super::{layout, shown};

/// Bytes of an image before and after its content.
const HEADER_AND_CHECKSUM: usize = 24;

/// The content of an image.
pub(super) struct Model {
    /// With named sizes, as in `TrackingPca<f32, DIM = 5, KEEP = 1, RANK = 3>`; the learner inside follows ` around `.
    pub(super) title: String,
    /// The outer learner first.
    pub(super) channels: Vec<usize>,
    /// Bytes of one number.
    pub(super) precision: u8,
    /// With header and checksum.
    pub(super) length: usize,
    /// Fields of a group or of an inner learner have a prefix, as in `moments: mean`.
    pub(super) entries: Vec<Entry>,
}

/// A field of an image.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) value: Value,
}

/// The content of a field.
pub(super) enum Value {
    Number(f64),
    Numbers(Vec<f64>),
    /// Column by column.
    Matrix(Vec<Vec<f64>>),
    Count(u64),
    Counts(Vec<u64>),
    /// A choice in words.
    Words(String),
}

impl Model {
    /// Reads an image.
    pub(super) fn read(image: &[u8]) -> Result<Self> {
        let header = Header::read(image)?;
        let content = header.content(image)?;
        let mut reader = Reader {
            left: content,
            precision: header.precision(),
            kernel: header.kernel(),
            title: String::new(),
            channels: Vec::new(),
            entries: Vec::new(),
        };
        reader.learner(header.kind(), header.sizes(), "")?;
        if !reader.left.is_empty() {
            bail!("the image has {} bytes more than this learner takes", reader.left.len());
        }
        Ok(Self {
            title: reader.title,
            channels: reader.channels,
            precision: header.precision(),
            length: content.len() + HEADER_AND_CHECKSUM,
            entries: reader.entries,
        })
    }

    /// Of the innermost learner, if several fields have this name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.entry(name).map(|entry| &entry.value)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        let named = |entry: &&Entry| entry.name == name || entry.name.ends_with(&format!(": {name}"));
        self.entries.iter().rev().find(named)
    }

    /// A matrix and its full name.
    pub(super) fn matrix(&self, name: &str) -> Option<(&str, &[Vec<f64>])> {
        match self.entry(name)? {
            Entry {
                name,
                value: Value::Matrix(columns),
            } => Some((name, columns)),
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
    channels: Vec<usize>,
    entries: Vec<Entry>,
}

/// The size in the layout, and the size in the header.
type Sizes = [(usize, u16); 4];

impl Reader<'_> {
    fn learner(&mut self, kind: Option<Kind>, sizes: [u16; 4], prefix: &str) -> Result<()> {
        let known = kind.and_then(|kind| layout::of(kind, self.kernel));
        let learner = known.context("the image holds a learner that this tool does not know")?;
        let number = if self.precision == 4 { "f32" } else { "f64" };
        // A size of zero is no size of the learner.
        let sized = learner.sizes.iter().zip(sizes).filter(|&(_, size)| size > 0);
        let channels = sized.clone().filter(|((meaning, _), _)| *meaning == "DIM");
        self.channels.extend(channels.map(|(_, size)| usize::from(size)));
        let sized = sized.map(|((meaning, _), size)| format!("{meaning} = {size}"));
        let mut parameters: Vec<String> = std::iter::once(number.to_owned()).chain(sized).collect();
        if kind == Some(Kind::Kernel) {
            // The image has WINDOW before KEEP, the type after it.
            parameters.swap(2, 3);
        }
        let around = if self.title.is_empty() { "" } else { " around " };
        self.title = format!("{}{around}{}<{}>", self.title, learner.name, parameters.join(", "));
        let place = |place: usize| (learner.sizes.get(place).map_or(0, |&(_, size)| size), sizes[place]);
        self.part(prefix, &learner.content, &[0, 1, 2, 3].map(place))
    }

    fn fields(&mut self, prefix: &str, fields: &[Field], sizes: &Sizes) -> Result<()> {
        for field in fields {
            let before = if prefix.is_empty() { "" } else { ": " };
            let name = format!("{prefix}{before}{}", field.name.replace('_', " "));
            self.part(&name, &field.layout, sizes)
                .with_context(|| format!("the image ends before `{name}`"))?;
        }
        Ok(())
    }

    /// A group, an optional part and an inner learner append their own fields.
    fn part(&mut self, name: &str, layout: &Layout, sizes: &Sizes) -> Result<()> {
        let value = match *layout {
            Layout::Number { .. } => Value::Number(self.number()?),
            Layout::Count { bytes } => Value::Count(self.count(bytes)?),
            Layout::Choice { variants, payload } => Value::Words(self.choice(variants, payload, sizes)?),
            Layout::Repeated { times: 1, each } => return self.part(name, each, sizes),
            Layout::Repeated { times, each } => {
                let count = length(times, sizes);
                match *single(each) {
                    Layout::Number { .. } => Value::Numbers(self.several(count, Self::number)?),
                    Layout::Count { bytes } => Value::Counts(self.several(count, |reader| reader.count(bytes))?),
                    Layout::Choice { variants, payload } => {
                        let words = self.several(count, |reader| reader.choice(variants, payload, sizes))?;
                        Value::Words(words.join(", "))
                    }
                    Layout::Repeated { times, each } if matches!(single(each), Layout::Number { .. }) => {
                        let rows = length(times, sizes);
                        Value::Matrix(self.several(count, |reader| reader.several(rows, Self::number))?)
                    }
                    ref each => {
                        for place in 1..=count {
                            self.part(&format!("{name} {place}"), each, sizes)?;
                        }
                        return Ok(());
                    }
                }
            }
            Layout::Optional(value) => {
                let [there] = self.bytes()?;
                let before = self.entries.len();
                if there > 1 {
                    bail!(CodecError::Choice);
                }
                self.part(name, value, sizes)?;
                if there == 0 {
                    self.entries.truncate(before);
                }
                return Ok(());
            }
            Layout::Group(fields) => return self.fields(name, fields, sizes),
            Layout::Kernel { .. } => {
                let known = layout::kernel(self.kernel);
                let (kernel, parameters) = known.with_context(|| format!("there is no kernel {}", self.kernel))?;
                let parameters = self.payload(parameters, sizes)?;
                let words: Vec<String> = std::iter::once(kernel.to_owned()).chain(parameters).collect();
                Value::Words(words.join(", "))
            }
            Layout::Learner(_) => {
                let [kind, precision, kernel] = self.bytes()?;
                let mut sizes = [0; 4];
                for size in &mut sizes {
                    *size = u16::from_le_bytes(self.bytes()?);
                }
                self.precision = precision;
                self.kernel = kernel;
                return self.learner(Kind::of(kind), sizes, name);
            }
            other => bail!("this tool does not read {other:?}"),
        };
        let name = name.to_owned();
        self.entries.push(Entry { name, value });
        Ok(())
    }

    fn choice(&mut self, variants: &[(u8, &str)], payload: &[Field], sizes: &Sizes) -> Result<String> {
        let [code] = self.bytes()?;
        let variant = variants.iter().find(|&&(byte, _)| byte == code);
        let words = in_words(variant.context("there is no such choice")?.1);
        Ok(match self.payload(payload, sizes)?.as_slice() {
            [] => words,
            payload => format!("{words} ({})", payload.join(", ")),
        })
    }

    fn payload(&mut self, fields: &[Field], sizes: &Sizes) -> Result<Vec<String>> {
        let before = self.entries.len();
        self.fields("", fields, sizes)?;
        let precision = self.precision;
        let words = |Entry { name, value }| match value {
            Value::Number(number) if precision == 4 => format!("{name} {}", number as f32),
            Value::Number(number) => format!("{name} {number}"),
            other => format!("{name} {}", shown(&other)),
        };
        Ok(self.entries.split_off(before).into_iter().map(words).collect())
    }

    fn several<V>(&mut self, count: usize, read: impl Fn(&mut Self) -> Result<V>) -> Result<Vec<V>> {
        (0..count).map(|_| read(self)).collect()
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
        // No learner accepts such an image.
        if !number.is_finite() {
            bail!(CodecError::NotANumber);
        }
        Ok(number)
    }

    fn count(&mut self, bytes: usize) -> Result<u64> {
        Ok(match bytes {
            2 => u64::from(u16::from_le_bytes(self.bytes()?)),
            4 => u64::from(u32::from_le_bytes(self.bytes()?)),
            _ => u64::from_le_bytes(self.bytes()?),
        })
    }
}

/// If `times` is a size in the layout, the header gives the number.
fn length(times: usize, sizes: &Sizes) -> usize {
    let size = sizes.iter().find(|&&(made_for, _)| made_for == times);
    size.map_or(times, |&(_, size)| usize::from(size))
}

/// Of an array of length one, the layout of its element.
fn single(layout: &'static Layout) -> &'static Layout {
    match layout {
        Layout::Repeated { times: 1, each } => single(each),
        other => other,
    }
}

/// Converts `PastAverage` to `past average`.
fn in_words(variant: &str) -> String {
    let mut words = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
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
                channels: Vec::new(),
                entries: Vec::new(),
            };
            reader.number().ok()
        };
        assert_eq!([1.5, f32::NAN, f32::INFINITY].map(read), [Some(1.5), None, None]);
    }
}
