//! `hunt`: looks for a stream whose total loss is above the certified bound.
//! In: a number of streams and the first seed. Out: for each class of streams and each kind of settings the largest
//! ratio of total loss to bound, with its seed; up to 20 violations; total loss and bound of each long stream; last a
//! line `N passed, N failed`.

use std::io::{self, Write};

use anyhow::Result;

use crate::Verdict;
use crate::progress::Progress;
use eigenstream_soak::hunt::{Class, Findings, Kind, hunt, long_streams};

/// With fewer streams than this, no stream needs to come near its bound.
const ENOUGH: u64 = 10_000;
/// With a rank cap or a ceiling, some stream must reach this fraction of its bound; otherwise the hunt fails.
const NEAR: f64 = 0.9;
/// A long stream has this many short samples for each stream of the hunt, but at most `LONGEST`.
const LONG: u64 = 1_000;
const LONGEST: u64 = 8_000_000;
/// The largest number of violations that are listed.
const LISTED: usize = 20;

/// Looks for a stream whose total loss is above the certified bound; ends with `N passed, N failed`.
///
/// Each seed draws a class of streams (random, cycling, orthogonal, climbing), a learner (TrackingPca of 2 to 12
/// channels at every RANK, DensityPca; f32 and f64), a rate from 0.05 to 5, a ceiling (none, 36, 14, 3), a uniform
/// share (none, 0.001, 0.03) and a scale (off, running). A climbing stream reads the learner and searches for samples
/// that bring the total loss close to the bound. The bound is that of \[WK08\] Theorem 6 with the learner's excess;
/// with a share it is the smaller of the bounds for one and for three segments. Finally five learners in f32 get long
/// streams of very short samples, to check the excess for rounding.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness hunt --streams 100000 --seed 1")]
pub(crate) struct Arguments {
    /// Number of streams.
    #[arg(long, value_name = "N", default_value_t = ENOUGH, value_parser = clap::value_parser!(u64).range(1..))]
    streams: u64,
    /// The seed of the first stream; the other seeds follow and wrap after the largest number.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let progress = Progress::begin(arguments.streams as usize);
    progress.doing(&format!("{} streams from seed {}", arguments.streams, arguments.seed));
    let findings = hunt(arguments.seed, arguments.streams, &mut || progress.done());
    drop(progress);
    print(&findings)?;
    let mut out = io::stdout().lock();
    for violation in findings.violations.iter().take(LISTED) {
        writeln!(
            out,
            "FAILED: seed {}, {}: total {} above the bound {}",
            violation.seed, violation.learner, violation.total, violation.bound
        )?;
    }
    let mut rounded = 0;
    for long in long_streams(LONG.saturating_mul(arguments.streams).min(LONGEST))? {
        let kept = long.total <= long.bound;
        let word = if kept { "rounding" } else { "FAILED: rounding" };
        writeln!(
            out,
            "{word}, {}: total {:.1}, bound {:.1}",
            long.learner, long.total, long.bound
        )?;
        rounded += usize::from(!kept);
    }
    let nearest = findings.worst_of_restrained();
    writeln!(out, "largest total/bound with a rank cap or a ceiling: {nearest:.4}")?;
    let empty = arguments.streams >= ENOUGH && nearest < NEAR;
    if empty {
        writeln!(out, "FAILED: no stream has reached {NEAR} of its bound")?;
    }
    let broken = findings.violations.len();
    let failed = broken + rounded + usize::from(empty);
    writeln!(out, "{} passed, {failed} failed", arguments.streams - broken as u64)?;
    Ok(Verdict::of_failures(failed))
}

fn print(findings: &Findings) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "largest total/bound and its seed, of so many streams")?;
    write!(out, "{:<34}", "settings")?;
    for class in Class::ALL {
        write!(out, "{:>28}", format!("{class:?}").to_lowercase())?;
    }
    writeln!(out)?;
    for (kind, cells) in Kind::all().zip(&findings.cells) {
        write!(out, "{:<34}", words(kind))?;
        for cell in cells {
            let text = if cell.streams == 0 {
                "-".to_owned()
            } else {
                format!("{:.4} ({}) of {}", cell.worst, cell.seed, cell.streams)
            };
            write!(out, "{text:>28}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn words(kind: Kind) -> String {
    let named = [
        (kind.rank_cap, "rank cap"),
        (kind.ceiling, "ceiling"),
        (kind.share, "share"),
        (kind.scale, "running scale"),
    ];
    let words: Vec<&str> = named.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    if words.is_empty() {
        "as in the paper".to_owned()
    } else {
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_have_equal_words() {
        let mut all: Vec<String> = Kind::all().map(words).collect();
        assert_eq!(all[0], "as in the paper");
        assert_eq!(all[3], "rank cap, ceiling");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 16);
    }
}
