//! Opens the report of `replay` in a browser without a network, and checks the page's data and a screenshot.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{recording, tool};
use crate::cargo::finish;
use crate::install::{Need, provide};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The name of an installed browser; if there is none, chromium is installed if possible.
fn browser() -> Result<&'static str, String> {
    let there = |program: &&&str| finish(Command::new(program).arg("--version")).is_ok();
    if let Some(program) = BROWSERS.iter().find(there) {
        return Ok(program);
    }
    provide(Need::Program {
        program: "chromium",
        packages: &["chromium"],
    })?;
    Ok("chromium")
}

const WINDOW: (u32, u32) = (1_000, 1_200);

/// Checks that the page lists the alarm and that its plot is shaded at the alarm.
pub(crate) fn report_in_a_browser(folder: &Path) -> Result<Result<String, String>> {
    let program = match browser() {
        Ok(program) => program,
        Err(sentence) => return Ok(Err(sentence)),
    };
    fs::create_dir_all(folder)?;
    fs::write(folder.join("motor.csv"), recording(0..4_000))?;
    let seen = tool(folder, &["replay", "motor.csv", "--out", "out"])?;
    let page = format!("file://{}", folder.canonicalize()?.join("out/replay.html").display());
    let picture = folder.join("page.png");
    let browse = |arguments: &[String]| {
        let mut command = Command::new(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
        command
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--window-size={},{}", WINDOW.0, WINDOW.1));
        command.arg(format!("--user-data-dir={}", folder.join("browser").display()));
        finish(command.args(arguments).arg(&page))
    };
    let dom = browse(&["--dump-dom".into()])?;
    if !dom.contains("data-drawn=\"yes\"")
        || !dom.contains("<td>temperature</td>")
        || !seen.contains("mostly temperature")
    {
        bail!("the page does not show the alarm that replay names:\n{seen}");
    }
    let row: f64 = dom
        .split("<tbody id=\"alarms\"><tr><td>")
        .nth(1)
        .and_then(|rest| rest.split('<').next())
        .unwrap_or("")
        .parse()?;
    browse(&[format!("--screenshot={}", picture.display())])?;
    let shaded = shaded(&picture)?;
    // The page has margins of 14 pixels, and states the distances of the plot from its margins.
    let (from, to) = shaded.context("nothing is shaded in the page")?;
    let side = |name: &str| -> Result<f64> {
        let rest = dom
            .split(&format!("data-{name}=\""))
            .nth(1)
            .context("the page has no side of the plot")?;
        Ok(rest.split('"').next().unwrap_or("").parse()?)
    };
    let (left, right) = (14.0 + side("left")?, f64::from(WINDOW.0) - 14.0 - side("right")?);
    let expected = left + row / 4_000.0 * (right - left);
    if (f64::from(from) - expected).abs() > 12.0 || from == to {
        bail!("the alarm of row {row} is shaded from {from} to {to}, expected at {expected:.0}");
    }
    Ok(Ok(format!(
        "{program} shows the alarm of row {row}, shaded from pixel {from} to {to}"
    )))
}

/// The first and the last pixel column with the colour of an alarm, below the legend.
fn shaded(picture: &Path) -> Result<Option<(u32, u32)>> {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(picture)?));
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().context("too large a picture")?];
    let frame = reader.next_frame(&mut bytes)?;
    let channels = frame.color_type.samples();
    let is_shaded = |pixel: &[u8]| {
        let near = |value: u8, wanted: u8| value.abs_diff(wanted) <= 4;
        near(pixel[0], 247) && near(pixel[1], 223) && near(pixel[2], 204)
    };
    let mut found: Option<(u32, u32)> = None;
    for (place, pixel) in bytes[..frame.buffer_size()].chunks_exact(channels).enumerate() {
        // The legend, in the uppermost 150 rows of pixels, also has this colour.
        let (x, y) = (place as u32 % frame.width, place as u32 / frame.width);
        if y > 150 && is_shaded(pixel) {
            found = Some(found.map_or((x, x), |(from, to)| (from.min(x), to.max(x))));
        }
    }
    Ok(found)
}
