//! Draws directions as a map: a row for each, a column for each channel, red above zero, blue below.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use super::content::Model;
use super::directions;

const FONT: &str = "sans-serif";
const TEXT_SIZE: i32 = 14;
/// Height of a row, and room above the first and left of it.
const ROW: i32 = 34;
const TOP: i32 = 84;
const LEFT: i32 = 250;
const WIDTH: i32 = 900;

/// Writes the picture as SVG.
pub(super) fn draw(model: &Model, path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the built-in font is damaged: build the tool again"))?;
    let mut text = String::new();
    paint(model, &mut text).map_err(|error| anyhow!("cannot draw: {error}"))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn paint(model: &Model, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let Some((label, known)) = directions(model) else {
        return Ok(());
    };
    let channels = known.first().map_or(1, |direction| direction.entries.len().max(1)) as i32;
    let height = TOP + ROW * known.len().max(1) as i32 + 30;
    let area = SVGBackend::with_string(text, (WIDTH as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let words = |size: i32| (FONT, size).into_font().color(&BLACK);
    area.draw_text(&model.title, &words(18), (14, 14))?;
    let seen = model.count("samples seen").or_else(|| model.count("matrices seen"));
    let seen = seen.map_or(String::new(), |count| format!("learned from {count}; "));
    area.draw_text(
        &format!("{seen}red above zero, blue below"),
        &words(TEXT_SIZE),
        (14, 40),
    )?;
    let cell = ((WIDTH - LEFT - 14) / channels).clamp(2, 80);
    let centred = words(TEXT_SIZE).pos(Pos::new(HPos::Center, VPos::Bottom));
    // As many channel numbers as there is room for.
    let step = (28 / cell).max(1);
    for channel in (0..channels).step_by(step as usize) {
        area.draw_text(
            &channel.to_string(),
            &centred,
            (LEFT + cell * channel + cell / 2, TOP - 4),
        )?;
    }
    for (place, direction) in known.iter().enumerate() {
        let top = TOP + ROW * place as i32;
        let told = format!("{}: {label} {}", place + 1, super::number(direction.importance));
        area.draw_text(&told, &words(TEXT_SIZE), (14, top + 9))?;
        for (channel, &entry) in direction.entries.iter().enumerate() {
            let left = LEFT + cell * channel as i32;
            let colour = if entry < 0.0 { BLUE } else { RED }.mix(entry.abs().clamp(0.0, 1.0));
            area.draw(&Rectangle::new(
                [(left, top), (left + cell - 2, top + ROW - 4)],
                colour.filled(),
            ))?;
        }
    }
    area.present()?;
    Ok(())
}
