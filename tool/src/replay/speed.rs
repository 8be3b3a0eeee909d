//! How fast a recording is watched, compared with parsing all its cells to `f32`, and the largest memory of the program.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flate2::bufread::MultiGzDecoder;

use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};

/// A running measurement.
pub(super) struct Speed {
    /// `None` if the recording can be read only once.
    parsing: Option<Duration>,
    begin: Stopwatch,
}

impl Speed {
    pub(super) fn begin(path: &Path) -> Result<Self> {
        let start = Stopwatch::start();
        let parsing = match path == Path::new("-") {
            true => None,
            false => {
                parse(path)?;
                Some(start.elapsed())
            }
        };
        Ok(Self {
            parsing,
            begin: Stopwatch::start(),
        })
    }

    /// Cargo may have built the monitor before.
    pub(super) fn restart(&mut self) {
        self.begin = Stopwatch::start();
    }

    /// A monitor in another program must have ended, so that the system has counted its time.
    pub(super) fn print(&self, rows: u64) -> io::Result<()> {
        let watching = self.begin.elapsed();
        let alone = self.parsing.map_or(String::new(), |parsing| {
            let quotient = watching.as_secs_f64() / parsing.as_secs_f64().max(1e-9);
            format!(
                "; reading the numbers alone takes {:.2} s, {quotient:.2} times",
                parsing.as_secs_f64()
            )
        });
        let memory = peak().map_or(String::new(), |kilobytes| format!(", {} MB at most", kilobytes / 1_000));
        writeln!(
            io::stdout(),
            "speed: {:.0} rows/s in {:.2} s{alone}{memory}",
            rows as f64 / watching.as_secs_f64().max(1e-9),
            watching.as_secs_f64(),
        )
    }
}

/// Processor time of this thread and of programs that have ended, or else wall-clock time.
struct Stopwatch {
    processor: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            processor: processor_time(),
            wall: Instant::now(),
        }
    }

    fn elapsed(&self) -> Duration {
        let processor = processor_time().zip(self.processor);
        processor.map_or_else(|| self.wall.elapsed(), |(now, start)| now.saturating_sub(start))
    }
}

fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_ascii_whitespace().next()?.parse().ok()?;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The 14th and 15th word after the name in brackets are the time of ended programs (user and system), in hundredths of
    // a second.
    let (_, numbers) = text.rsplit_once(')')?;
    let ended = numbers.split_ascii_whitespace().skip(13).take(2);
    let hundredths: u64 = ended.filter_map(|number| number.parse::<u64>().ok()).sum();
    Some(Duration::from_nanos(nanoseconds) + Duration::from_millis(10 * hundredths))
}

fn parse(path: &Path) -> Result<()> {
    let unreadable = || format!("cannot read {}", path.display());
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).with_context(unreadable)?);
    let start = file.fill_buf().with_context(unreadable)?;
    let packed = start.starts_with(&[0x1f, 0x8b]);
    if start.starts_with(b"PAR1") {
        return read_table(path);
    }
    let source: Box<dyn Read> = match packed {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    let mut source = BufReader::with_capacity(1 << 16, source);
    let mut line = String::new();
    while source.read_line(&mut line).with_context(unreadable)? > 0 {
        let cells = line.trim_end().split([',', ';', '\t']);
        for cell in cells {
            black_box(cell.parse::<f32>().unwrap_or(f32::NAN));
        }
        line.clear();
    }
    Ok(())
}

fn read_table(path: &Path) -> Result<()> {
    let mut recording = Recording::open(path, &Progress::begin_reading(0))?;
    let mut complaints = Complaints::new(Strictness::Lenient);
    while let Some(row) = recording.next_row(&mut complaints)? {
        black_box(row.line);
    }
    Ok(())
}

/// In kilobytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}
