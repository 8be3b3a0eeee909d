//! Draws a chart with plotters, on any of its backends. The font is compiled in: all machines draw the same pictures.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use crate::recording::time;

use super::chart::{Axis, Chart, Colour, Layout, Legend, Look, Panel, Series};

/// Width, and height of a picture with panels side by side.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 560;
/// Height of one of several panels above each other.
const STACKED_HEIGHT: u32 = 250;

/// A program that shows the SVG uses its own nearest font.
const FONT: &str = "sans-serif";
const TITLE_SIZE: i32 = 21;
const TEXT_SIZE: i32 = 14;
const MARGIN: i32 = 14;
const LINE_HEIGHT: i32 = 19;
const NUMBERS: i32 = 58;
const LANE_NAMES: i32 = 180;
const LONGEST_NAME: usize = 20;
/// Below a line of text.
const LEGEND_PLACE: (i32, i32) = (588, 32);

type Area<B> = DrawingArea<B, Shift>;
type Plane<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn<B, R = ()> = Result<R, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// No text can be drawn before.
pub(super) fn load_font() -> Result<()> {
    register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the built-in font is damaged: build the tool again"))
}

pub(super) fn size(chart: &Chart) -> (u32, u32) {
    match chart.layout {
        Layout::Beside => (WIDTH, HEIGHT),
        Layout::Stacked => {
            let words = 2 * MARGIN + TITLE_SIZE + LINE_HEIGHT * chart.caption.len() as i32;
            (WIDTH, STACKED_HEIGHT * chart.panels.len() as u32 + words as u32)
        }
    }
}

/// Draws the whole chart.
pub(super) fn draw<B: DrawingBackend>(chart: &Chart, backend: B) -> Drawn<B> {
    let whole = backend.into_drawing_area();
    whole.fill(&WHITE)?;
    let caption_top = size(chart).1 as i32 - MARGIN - LINE_HEIGHT * chart.caption.len() as i32;
    let (body, caption) = whole.split_vertically(caption_top);
    let body = titled(&chart.title, &body)?;
    let areas = body.split_evenly(match chart.layout {
        Layout::Beside => (1, chart.panels.len()),
        Layout::Stacked => (chart.panels.len(), 1),
    });
    // Panels above each other share the time axis, so their planes begin at one position.
    let has_lanes = |panel: &Panel| !panel.vertical.names.is_empty();
    let stacked_lanes = chart.layout == Layout::Stacked && chart.panels.iter().any(has_lanes);
    for (panel, area) in chart.panels.iter().zip(&areas) {
        let left = if stacked_lanes || has_lanes(panel) {
            LANE_NAMES
        } else {
            NUMBERS
        };
        draw_panel(panel, area, left)?;
    }
    let style = (FONT, TEXT_SIZE).into_font().color(&BLACK.mix(0.75));
    for (line, top) in chart.caption.iter().zip((0..).step_by(LINE_HEIGHT as usize)) {
        caption.draw_text(line, &style, (MARGIN, top))?;
    }
    whole.present()
}

/// Returns the remaining area.
fn titled<B: DrawingBackend>(title: &str, area: &Area<B>) -> Drawn<B, Area<B>> {
    let style = (FONT, TITLE_SIZE)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(HPos::Center, VPos::Top));
    area.draw_text(title, &style, (WIDTH as i32 / 2, MARGIN))?;
    Ok(area.split_vertically(MARGIN + TITLE_SIZE + MARGIN / 2).1)
}

fn draw_panel<B: DrawingBackend>(panel: &Panel, area: &Area<B>, left: i32) -> Drawn<B> {
    let Panel {
        horizontal, vertical, ..
    } = panel;
    let (bottom, top) = (vertical.from, vertical.to);
    let above = matches!(panel.legend, Legend::Above);
    if above {
        draw_legend_above(panel, area, left)?;
    }
    let mut plane = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_top(if above { MARGIN + LINE_HEIGHT / 2 } else { MARGIN })
        .margin_right(2 * MARGIN)
        .set_label_area_size(LabelAreaPosition::Left, left)
        .set_label_area_size(LabelAreaPosition::Bottom, 42)
        .build_cartesian_2d(horizontal.from..horizontal.to, bottom..top)?;
    plane
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .x_label_formatter(&|value| moment(horizontal, *value))
        .x_labels(if horizontal.times.is_empty() { 11 } else { 7 })
        .y_labels(if vertical.names.is_empty() {
            11
        } else {
            2 * vertical.names.len()
        })
        .y_label_formatter(&|value| tick(vertical, *value))
        .x_desc(horizontal.label)
        .y_desc(vertical.label)
        .label_style((FONT, TEXT_SIZE))
        .axis_desc_style((FONT, TEXT_SIZE + 1))
        .draw()?;
    for &mark in &panel.marks {
        let line = DashedLineSeries::new([(mark, bottom), (mark, top)], 4, 4, BLACK.mix(0.45).into());
        plane.draw_series(line)?;
    }
    let note = (FONT, TITLE_SIZE)
        .into_font()
        .color(&BLACK.mix(0.6))
        .pos(Pos::new(HPos::Center, VPos::Top));
    plane.draw_series(
        panel
            .notes
            .iter()
            .map(|(x, text)| Text::new(text.clone(), (*x, top), note.clone())),
    )?;
    for series in &panel.series {
        draw_series(&mut plane, series)?;
    }
    let corner = match panel.legend {
        Legend::Hidden | Legend::Above => return Ok(()),
        Legend::UpperLeft => SeriesLabelPosition::UpperLeft,
        Legend::UpperRight => SeriesLabelPosition::UpperRight,
        Legend::MiddleLeft => SeriesLabelPosition::MiddleLeft,
        Legend::LowerRight => SeriesLabelPosition::LowerRight,
        Legend::BelowNotes => SeriesLabelPosition::Coordinate(LEGEND_PLACE.0, LEGEND_PLACE.1),
    };
    plane
        .configure_series_labels()
        .position(corner)
        .background_style(WHITE.mix(0.88))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, TEXT_SIZE))
        .draw()
}

/// In one line above the data.
fn draw_legend_above<B: DrawingBackend>(panel: &Panel, area: &Area<B>, left: i32) -> Drawn<B> {
    let style = (FONT, TEXT_SIZE).into_font().color(&BLACK);
    let mut place = left + MARGIN;
    let middle = MARGIN / 2 + 1;
    for series in &panel.series {
        let colour = rgb(series.colour);
        match series.look {
            Look::Bands => area.draw(&Rectangle::new(
                [(place, middle - 5), (place + 18, middle + 5)],
                colour.mix(0.3).filled(),
            ))?,
            Look::Thin => area.draw(&PathElement::new(
                [(place, middle), (place + 18, middle)],
                colour.stroke_width(1),
            ))?,
            _ => area.draw(&PathElement::new(
                [(place, middle), (place + 18, middle)],
                colour.stroke_width(2),
            ))?,
        }
        area.draw_text(&series.name, &style, (place + 24, middle - TEXT_SIZE / 2))?;
        place += 48 + 8 * series.name.chars().count() as i32;
    }
    Ok(())
}

fn draw_series<'a, B: DrawingBackend + 'a>(plane: &mut Plane<'a, B>, series: &Series) -> Drawn<B> {
    let colour = rgb(series.colour);
    let stroke = colour.stroke_width(2);
    let thin = colour.stroke_width(1);
    let points = series.points.iter().map(|point| (point.x, point.y));
    let (bottom, top) = (plane.y_range().start, plane.y_range().end);
    let drawn = match series.look {
        Look::Line => plane.draw_series(LineSeries::new(points, stroke))?,
        Look::Thin => plane.draw_series(LineSeries::new(points, thin))?,
        Look::Bands => plane.draw_series(series.points.chunks_exact(2).map(|ends| {
            let (from, to) = (ends[0].x, ends[1].x);
            Rectangle::new([(from, bottom), (to, top)], colour.mix(0.16).filled())
        }))?,
        Look::Dashed => plane.draw_series(DashedLineSeries::new(points, 8, 5, stroke))?,
        Look::Dots => plane.draw_series(points.map(|point| Circle::new(point, 2, colour.mix(0.55).filled())))?,
        Look::ErrorBars => plane.draw_series(series.points.iter().map(|point| {
            let (low, high) = (point.y - point.deviation, point.y + point.deviation);
            ErrorBar::new_vertical(point.x, low, point.y, high, colour.filled(), 7)
        }))?,
    };
    let drawn = drawn.label(&series.name);
    match series.look {
        Look::Line => drawn.legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], stroke)),
        Look::Thin => drawn.legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], thin)),
        Look::Bands => {
            drawn.legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 18, y + 5)], colour.mix(0.3).filled()))
        }
        Look::Dashed => drawn.legend(move |place| {
            let dash = |from: i32| PathElement::new([(from, 0), (from + 7, 0)], stroke);
            EmptyElement::at(place) + dash(0) + dash(11)
        }),
        Look::Dots | Look::ErrorBars => drawn.legend(move |(x, y)| Circle::new((x + 9, y), 3, colour.filled())),
    };
    Ok(())
}

fn tick(axis: &Axis, value: f64) -> String {
    if axis.names.is_empty() {
        return short(value);
    }
    let lane = (-value).round();
    let name = (axis.names.iter().enumerate()).find(|&(index, _)| index as f64 == lane && (value + lane).abs() < 1e-6);
    name.map_or(String::new(), |(_, name)| name.chars().take(LONGEST_NAME).collect())
}

fn moment(axis: &Axis, value: f64) -> String {
    let ends = (axis.times.first(), axis.times.last());
    match (axis.time_at(value), ends) {
        (Some(seconds), (Some(first), Some(last))) => time::shown(seconds, axis.clock, last.1 - first.1),
        _ => short(value),
    }
}

/// As few digits as possible: 500 and 0.25.
fn short(value: f64) -> String {
    // Decimals beyond the sixth are rounding errors; adding 0.0 turns −0 into 0.
    let rounded = (value * 1e6).round() / 1e6 + 0.0;
    rounded.to_string()
}

const fn rgb(colour: Colour) -> RGBColor {
    match colour {
        Colour::Black => RGBColor(0, 0, 0),
        Colour::Blue => RGBColor(0, 114, 178),
        Colour::Green => RGBColor(0, 158, 115),
        Colour::Orange => RGBColor(213, 94, 0),
        Colour::Purple => RGBColor(204, 121, 167),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_no_digits_to_spare() {
        assert_eq!([500.0, 0.25, -0.0, 0.1 + 0.2].map(short), ["500", "0.25", "0", "0.3"]);
    }
}
