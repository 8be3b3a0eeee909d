//! Reads the settings of a learner from its image: the group `settings` at its start, whose fields the layout names. A
//! restored learner has its settings only there.

use eigenstream::codec::{Field, Header, ImageLayout, Layout};
use pyo3::IntoPyObject;

use crate::refusal::Refusal;

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, IntoPyObject)]
pub(crate) enum Setting {
    Number(f64),
    Count(u64),
    Word(String),
}

/// Of a setting in a group the name is `group.setting`.
pub(crate) type Settings = Vec<(String, Setting)>;

pub(crate) fn of(image: &[u8], layout: &ImageLayout) -> Result<Settings, Refusal> {
    let Layout::Group([first @ Field { name: "settings", .. }, ..]) = layout.content else {
        return Err(Refusal::Absent("settings"));
    };
    let mut reader = Reader {
        left: Header::read(image)?.content(image)?,
        found: Vec::new(),
    };
    reader.part("", &first.layout)?;
    Ok(reader.found)
}

struct Reader<'image> {
    left: &'image [u8],
    found: Settings,
}

impl Reader<'_> {
    fn part(&mut self, name: &str, layout: &Layout) -> Result<(), Refusal> {
        let value = match *layout {
            Layout::Group(fields) => return self.fields(name, fields),
            Layout::Number { bytes: 4 } => Setting::Number(shortest(f32::from_le_bytes(self.bytes()?))),
            Layout::Number { bytes: 8 } => Setting::Number(f64::from_le_bytes(self.bytes()?)),
            Layout::Count { bytes: 4 } => Setting::Count(u32::from_le_bytes(self.bytes()?).into()),
            Layout::Choice { variants, payload } => {
                let [code] = self.bytes()?;
                let variant = variants.iter().find(|&&(number, _)| number == code);
                let (_, word) = variant.ok_or_else(|| unreadable(name))?;
                self.found
                    .push((name.to_owned(), Setting::Word(in_small_letters(word))));
                return self.fields(name, payload);
            }
            _ => return Err(unreadable(name)),
        };
        self.found.push((name.to_owned(), value));
        Ok(())
    }

    fn fields(&mut self, group: &str, fields: &[Field]) -> Result<(), Refusal> {
        let before = if group.is_empty() { "" } else { "." };
        fields
            .iter()
            .try_for_each(|field| self.part(&format!("{group}{before}{}", field.name), &field.layout))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (&first, rest) = self.left.split_first_chunk().ok_or_else(|| unreadable("the end"))?;
        self.left = rest;
        Ok(first)
    }
}

/// A bug in this crate: the image was made here.
fn unreadable(name: &str) -> Refusal {
    Refusal::Type(format!("{name} of the settings cannot be read"))
}

/// The fewest digits that `f32` rounds to this number: 0.8, not 0.800000011920929.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| number.into())
}

/// `while_normal` for `WhileNormal`.
fn in_small_letters(variant: &str) -> String {
    let mut word = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
