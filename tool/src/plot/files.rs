//! Writes a chart as SVG, as PNG and as a table of its points (`panel,series,x,y,deviation`).

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::{BitMapBackend, SVGBackend};

use super::chart::Chart;
use super::draw::{draw, load_font, size};

/// Writes all three files.
pub fn write(chart: &Chart, directory: &Path, name: &str) -> Result<()> {
    write_picture(chart, directory, name)?;
    save(directory, name, "csv", csv(chart)?.as_bytes())
}

/// Writes the pictures without the table.
pub fn write_picture(chart: &Chart, directory: &Path, name: &str) -> Result<()> {
    load_font()?;
    save(directory, name, "svg", svg(chart)?.as_bytes())?;
    save(directory, name, "png", &png(chart)?)
}

fn save(directory: &Path, name: &str, extension: &str, bytes: &[u8]) -> Result<()> {
    let refused = |what: &str, path: &Path, error: io::Error| {
        anyhow!(
            "cannot {what} {} ({error}): name another folder with --out",
            path.display()
        )
    };
    fs::create_dir_all(directory).map_err(|error| refused("make the folder", directory, error))?;
    let path = directory.join(name).with_extension(extension);
    fs::write(&path, bytes).map_err(|error| refused("write", &path, error))
}

fn svg(chart: &Chart) -> Result<String> {
    let mut text = String::new();
    draw(chart, SVGBackend::with_string(&mut text, size(chart)))
        .map_err(|error| anyhow!("cannot draw `{}`: {error}", chart.title))?;
    Ok(text)
}

fn png(chart: &Chart) -> Result<Vec<u8>> {
    let (width, height) = size(chart);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    draw(chart, BitMapBackend::with_buffer(&mut pixels, (width, height)))
        .map_err(|error| anyhow!("cannot draw `{}`: {error}", chart.title))?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(file)
}

fn csv(chart: &Chart) -> Result<String> {
    let mut text = "panel,series,x,y,deviation\n".to_owned();
    for (position, panel) in chart.panels.iter().enumerate() {
        for series in &panel.series {
            for point in &series.points {
                let (name, panel) = (&series.name, position + 1);
                writeln!(text, "{panel},\"{name}\",{},{},{}", point.x, point.y, point.deviation)?;
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::chart::{Axis, Colour, Layout, Legend, Look, Panel, Series};
    use super::*;

    fn chart() -> Chart {
        let panel = Panel {
            horizontal: Axis::up_to("trial", 2.0),
            vertical: Axis::up_to("loss", 1.0),
            series: vec![Series::over_trials(
                "loss, η = 1",
                Colour::Blue,
                Look::Line,
                1,
                &[1.0, 0.5],
            )],
            marks: vec![1.5],
            notes: vec![(1.0, "A".into())],
            legend: Legend::UpperRight,
        };
        Chart {
            title: "A chart".into(),
            panels: vec![panel],
            layout: Layout::Beside,
            caption: vec!["Two points.".into()],
        }
    }

    #[test]
    fn a_table_holds_every_point() -> Result<()> {
        let table = csv(&chart())?;
        assert_eq!(table.lines().nth(1), Some("1,\"loss, η = 1\",1,1,0"));
        assert_eq!(table.lines().count(), 3);
        Ok(())
    }

    #[test]
    fn words_are_in_both_pictures() -> Result<()> {
        load_font()?;
        assert!(svg(&chart())?.contains("A chart"));
        let without = Chart {
            title: String::new(),
            ..chart()
        };
        assert_ne!(png(&chart())?, png(&without)?);
        Ok(())
    }
}
