//! Reads the faces of figure 6.
//! In: `yaleb_15x10.csv.gz` (or without `.gz`), with a row `person,image,p0,…,p149` for each image, and
//! `fig6_stream.csv` with person and image of each trial. Out: the stream, with every image scaled to length 1.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Result, anyhow};
use flate2::read::GzDecoder;

use eigenstream_soak::faces::PIXELS;

use super::stream::{Stream, energy};

const IMAGES: &str = "yaleb_15x10.csv";
const ORDER: &str = "fig6_stream.csv";

pub(super) fn read(directory: &Path) -> Result<Stream<PIXELS>> {
    stream(&text(directory, IMAGES)?, &text(directory, ORDER)?)
}

/// The text of a file, which may be compressed.
fn text(directory: &Path, name: &str) -> Result<String> {
    let plain = directory.join(name);
    let text = if plain.is_file() {
        fs::read_to_string(plain)
    } else {
        fs::File::open(directory.join(format!("{name}.gz")))
            .and_then(|packed| io::read_to_string(GzDecoder::new(packed)))
    };
    text.map_err(|error| {
        let directory = directory.display();
        anyhow!("cannot read {name} in {directory} ({error}): name the folder of the faces with --data")
    })
}

fn stream(images: &str, order: &str) -> Result<Stream<PIXELS>> {
    let images = Table::new(IMAGES, images);
    let [person, image, first] = images.columns(["person", "image", "p0"])?;
    let mut known = HashMap::new();
    for row in images.rows() {
        let row = row?;
        let pixels = row.get(first..).and_then(<[f64]>::first_chunk::<PIXELS>);
        let pixels =
            pixels.ok_or_else(|| anyhow!("a row of {IMAGES} has fewer than {PIXELS} pixels: use the 15x10 images"))?;
        known.insert(key(&row, person, image), unit(pixels));
    }
    let order = Table::new(ORDER, order);
    let [person, image] = order.columns(["person", "image"])?;
    let mut stream = Stream {
        samples: Vec::new(),
        sources: Vec::new(),
    };
    for row in order.rows() {
        let key = key(&row?, person, image);
        let sample = known.get(&key);
        let sample = sample.ok_or_else(|| {
            anyhow!(
                "{ORDER} asks for image {} of person {}, which is not in {IMAGES}",
                key.1,
                key.0
            )
        })?;
        stream.samples.push(*sample);
        stream.sources.push(key.0);
    }
    Ok(stream)
}

fn key(row: &[f64], person: usize, image: usize) -> (usize, usize) {
    let whole = |column: usize| row.get(column).copied().unwrap_or_default() as usize;
    (whole(person), whole(image))
}

fn unit(pixels: &[f64; PIXELS]) -> [f64; PIXELS] {
    // A black image stays zero.
    let length = energy(pixels).sqrt().max(f64::MIN_POSITIVE);
    pixels.map(|pixel| pixel / length)
}

/// Comma-separated numbers with a line of names above.
struct Table<'a> {
    name: &'static str,
    heading: &'a str,
    rest: std::str::Lines<'a>,
}

impl<'a> Table<'a> {
    fn new(name: &'static str, text: &'a str) -> Self {
        let mut rest = text.lines();
        let heading = rest.next().unwrap_or_default();
        Self { name, heading, rest }
    }

    /// The positions of the columns with these names.
    fn columns<const COUNT: usize>(&self, names: [&str; COUNT]) -> Result<[usize; COUNT]> {
        let mut columns = [0; COUNT];
        for (column, name) in columns.iter_mut().zip(names) {
            let position = self.heading.split(',').position(|cell| cell.trim() == name);
            *column =
                position.ok_or_else(|| anyhow!("{} has no column `{name}`: use the file as published", self.name))?;
        }
        Ok(columns)
    }

    fn rows(&self) -> impl Iterator<Item = Result<Vec<f64>>> {
        let name = self.name;
        self.rest.clone().map(move |line| {
            let cells = line.split(',').map(|cell| cell.trim().parse());
            cells
                .collect::<Result<_, _>>()
                .map_err(|_| anyhow!("{name} has a cell that is not a number in the row `{line:.40}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> String {
        let names: Vec<String> = (0..PIXELS).map(|pixel| format!("p{pixel}")).collect();
        let pixels = vec!["2"; PIXELS].join(",");
        format!("person,image,{}\n5,0,{pixels}\n", names.join(","))
    }

    #[test]
    fn images_come_in_the_order_of_the_stream_with_length_one() -> Result<()> {
        let stream = stream(&images(), "step,segment,person,image\n0,1,5,0\n1,1,5,0\n")?;
        assert_eq!(stream.sources, [5, 5]);
        assert!((energy(&stream.samples[1]) - 1.0).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn an_error_names_the_missing_image_or_column() {
        let message = |images: &str, order: &str| stream(images, order).err().map(|error| error.to_string());
        let lacking = message(&images(), "person,image\n5,9\n");
        assert_eq!(
            lacking.as_deref(),
            Some("fig6_stream.csv asks for image 9 of person 5, which is not in yaleb_15x10.csv")
        );
        let nameless = message("person,p0\n", "person,image\n");
        assert_eq!(
            nameless.as_deref(),
            Some("yaleb_15x10.csv has no column `image`: use the file as published")
        );
    }
}
