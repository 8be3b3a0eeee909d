//! Draws directions as a map: a row for each direction, a column for each channel or point, red above zero, blue below.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use super::content::Model;
use super::{Directions, directions};

const FONT: &str = "sans-serif";
const TITLE_SIZE: i32 = 17;
const TEXT_SIZE: i32 = 14;
const MARGIN: i32 = 14;
/// Row height, space above, space to the left, width.
const ROW: u32 = 34;
const TOP: u32 = 130;
const LEFT: i32 = 260;
const WIDTH: u32 = 900;

pub(super) fn draw(model: &Model, path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the built-in font is damaged: build the tool again"))?;
    let Some(known) = directions(model) else {
        return Ok(());
    };
    let map = Map { model, known };
    let (width, height) = map.size();
    let save =
        |path: &Path, bytes: &[u8]| fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()));
    let mut text = String::new();
    map.paint(SVGBackend::with_string(&mut text, (width, height)))
        .map_err(|error| anyhow!("cannot draw: {error}"))?;
    save(&path.with_extension("svg"), text.as_bytes())?;
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    map.paint(BitMapBackend::with_buffer(&mut pixels, (width, height)))
        .map_err(|error| anyhow!("cannot draw: {error}"))?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    save(&path.with_extension("png"), &file)
}

/// The parts of the drawing.
struct Map<'model> {
    model: &'model Model,
    known: Directions<'model>,
}

impl Map<'_> {
    fn size(&self) -> (u32, u32) {
        (WIDTH, TOP + ROW * self.known.list.len().max(1) as u32 + 20)
    }

    fn paint<B: DrawingBackend>(&self, backend: B) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let area = backend.into_drawing_area();
        area.fill(&WHITE)?;
        let words = |size: i32| (FONT, size).into_font().color(&BLACK);
        // The outer learner, then the inner one.
        for (line, title) in self.model.title.split(" around ").take(3).enumerate() {
            area.draw_text(title, &words(TITLE_SIZE), (MARGIN, MARGIN + 20 * line as i32))?;
        }
        let seen = self
            .model
            .count("samples seen")
            .or_else(|| self.model.count("matrices seen"));
        let seen = seen.map_or(String::new(), |count| format!("learned from {count}; "));
        let told = format!("{seen}red above zero, blue below");
        area.draw_text(&told, &words(TEXT_SIZE), (MARGIN, TOP as i32 - 40))?;
        let channels = self
            .known
            .list
            .first()
            .map_or(1, |direction| direction.entries.len().max(1)) as i32;
        let cell = ((WIDTH as i32 - LEFT - MARGIN) / channels).clamp(2, 80);
        let centred = words(TEXT_SIZE).pos(Pos::new(HPos::Center, VPos::Bottom));
        // As many numbers as the width allows.
        for channel in (0..channels).step_by((28 / cell).max(1) as usize) {
            let place = (LEFT + cell * channel + cell / 2, TOP as i32 - 4);
            area.draw_text(&channel.to_string(), &centred, place)?;
        }
        for (place, direction) in self.known.list.iter().enumerate() {
            let top = (TOP + ROW * place as u32) as i32;
            let told = format!(
                "{}: {} {}",
                place + 1,
                self.known.label,
                super::number(direction.importance)
            );
            area.draw_text(&told, &words(TEXT_SIZE), (MARGIN, top + 8))?;
            for (channel, &entry) in direction.entries.iter().enumerate() {
                let left = LEFT + cell * channel as i32;
                let colour = if entry < 0.0 { BLUE } else { RED }.mix(entry.abs().clamp(0.0, 1.0));
                let corners = [(left, top), (left + cell - 2, top + ROW as i32 - 4)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
            }
        }
        area.present()
    }
}
