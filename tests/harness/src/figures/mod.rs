//! `figures`: draws figures 3 to 6 of [WK08], 1 to 3 of [KW07], the bounds and denoising, and checks their claims.
//! In: nothing, or a folder of recorded data. Out: SVG, PNG and CSV files, tables, and every claim with its result.
//! Each figure is in one module.

mod adversary;
mod cone;
mod data_set;
mod denoising;
mod faces;
mod kernel_faces;
mod losses;
mod returning;
mod shift;
mod stream;
mod transition;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::Verdict;
use crate::cargo::pictures;
use crate::plot::{chart::Chart, files};
use crate::progress::Progress;

/// Draws figures 3 to 6 of [WK08], 1 to 3 of [KW07], the bounds and denoising as SVG, PNG and CSV, and checks their
/// claims in numbers.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness figures --out target/harness/figures")]
pub(crate) struct Arguments {
    /// Folder for the files; it is created if missing.
    #[arg(long, value_name = "DIR", default_value = "target/harness/figures")]
    out: PathBuf,
    /// Folder with the Yale faces (yaleb_15x10.csv.gz, fig6_stream.csv) for figure 6 and for [KW07] section 5.
    /// Without it, figure 6 uses generated data.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Copy the pictures to examples/figures, which the README and the guides show.
    #[arg(long, conflicts_with = "data")]
    save: bool,
}

/// A picture with its claims.
struct Figure {
    name: &'static str,
    chart: Chart,
    report: Vec<String>,
    claims: Vec<Claim>,
}

impl Figure {
    fn without_claims(name: &'static str, chart: Chart) -> Self {
        Self {
            name,
            chart,
            report: Vec::new(),
            claims: Vec::new(),
        }
    }
}

/// A claim about a figure, and whether it holds here.
struct Claim {
    text: String,
    holds: bool,
}

#[cfg(test)]
fn assert_all_hold(claims: &[Claim]) {
    for claim in claims {
        assert!(claim.holds, "{}", claim.text);
    }
}

type Drawing<'a> = (&'static str, Box<dyn Fn() -> Result<Figure> + 'a>);

/// Runs `figures`.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let faces = arguments.data.as_deref().map(faces::read).transpose()?;
    let drawings = drawings(faces.as_ref());
    let progress = Progress::begin(drawings.len());
    let mut broken = 0;
    for (what, drawing) in &drawings {
        progress.doing(&format!("drawing {what}"));
        let figure = drawing()?;
        files::write(&figure.chart, &arguments.out, figure.name)?;
        if arguments.save {
            let picture = format!("{}.png", figure.name);
            fs::copy(arguments.out.join(&picture), pictures().join(&picture))?;
        }
        progress.aside(|| print(&figure))?;
        broken += figure.claims.iter().filter(|claim| !claim.holds).count();
        progress.done();
    }
    drop(progress);
    writeln!(
        io::stdout(),
        "wrote SVG, PNG and CSV files to {}",
        arguments.out.display()
    )?;
    Ok(Verdict::of_failures(broken))
}

/// Fails if a claim does not hold with generated data.
pub(crate) fn claims_hold() -> Result<()> {
    let mut broken = Vec::new();
    for (_, drawing) in drawings(None) {
        let claims = drawing()?.claims;
        broken.extend(claims.into_iter().filter(|claim| !claim.holds).map(|claim| claim.text));
    }
    if broken.is_empty() {
        Ok(())
    } else {
        bail!("{}", broken.join("\n"))
    }
}

fn drawings(faces: Option<&stream::Stream<{ eigenstream_soak::faces::PIXELS }>>) -> Vec<Drawing<'_>> {
    let mut drawings: Vec<Drawing<'_>> = vec![
        (
            "figure 3, the data set",
            Box::new(|| Ok(data_set::figure(&shift::stream(shift::SEEDS[0])))),
        ),
        ("figure 4, total losses", Box::new(shift::figure)),
        ("figure 5, a transition", Box::new(transition::figure)),
        (
            "figure 6, returning segments",
            Box::new(move || faces.map_or_else(returning::generated, returning::recorded)),
        ),
        ("the bounds and an adversary", Box::new(adversary::figure)),
        ("denoising by kernel PCA", Box::new(denoising::figure)),
        ("the cone", Box::new(|| Ok(cone::data()))),
        ("total losses on the cone", Box::new(cone::totals)),
        ("average regret on the cone", Box::new(cone::regret)),
    ];
    if let Some(faces) = faces {
        drawings.push((
            "faces with the Gaussian kernel",
            Box::new(move || kernel_faces::figure(faces)),
        ));
    }
    drawings
}

fn print(figure: &Figure) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", figure.name, figure.chart.title)?;
    for line in &figure.report {
        writeln!(out, "{}", format!("  {line}").trim_end())?;
    }
    for Claim { text, holds } in &figure.claims {
        writeln!(out, "  {}  {text}", if *holds { "holds" } else { "FAILS" })?;
    }
    writeln!(out)
}
