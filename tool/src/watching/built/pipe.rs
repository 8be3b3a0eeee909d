//! A monitor in another program, called through pipes; `serve.rs` is the other end.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use eigenstream::monitor::{ChannelHealth, MonitorSettings, Phase, State};
use eigenstream::{CodecError, SampleError};
use eigenstream_sizes::{AnyMonitor, PlainHealth, PlainVerdict, Refusal, monitor_of_image, standard};

/// Of a verdict without the contributions, as in `serve.rs`.
const VERDICT: usize = 12;

/// The numbers of a learner that the program gets at run time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) rate: f32,
    pub(super) gamma: f32,
    pub(super) stride: u16,
}

/// The two ends of the pipes.
pub(super) struct Ends {
    to: Box<dyn Write + Send>,
    from: Box<dyn Read + Send>,
    /// Reused for every row.
    words: Vec<u8>,
}

/// A monitor in another program.
pub(super) struct Piped {
    ends: Mutex<Ends>,
    channels: usize,
    numbers: Numbers,
    program: PathBuf,
    /// `None` in tests, where a thread replaces the program.
    child: Option<Child>,
}

impl Piped {
    /// Starts the program.
    pub(super) fn start(
        program: &Path,
        channels: usize,
        numbers: Numbers,
        settings: MonitorSettings<f32>,
    ) -> Result<Self> {
        let broken = || format!("cannot run {}", program.display());
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(broken)?;
        let to = child.stdin.take().with_context(broken)?;
        let from = child.stdout.take().with_context(broken)?;
        let mut monitor = Self::over(Box::new(to), Box::new(from), channels, numbers, settings).with_context(broken)?;
        monitor.program = program.to_path_buf();
        monitor.child = Some(child);
        Ok(monitor)
    }

    /// A monitor that uses these pipes.
    pub(super) fn over(
        to: Box<dyn Write + Send>,
        from: Box<dyn Read + Send>,
        channels: usize,
        numbers: Numbers,
        settings: MonitorSettings<f32>,
    ) -> Result<Self> {
        let mut ends = Ends {
            to: Box::new(BufWriter::new(to)),
            from: Box::new(BufReader::new(from)),
            words: Vec::new(),
        };
        let holder = standard(1, settings).context("the table has no monitor of one channel")?;
        let Numbers { rate, gamma, stride } = numbers;
        let first = [rate.to_bits(), gamma.to_bits(), stride.into()];
        first
            .iter()
            .try_for_each(|word| ends.to.write_all(&word.to_le_bytes()))?;
        ends.send(&holder.encode())?;
        Ok(Self {
            ends: Mutex::new(ends),
            channels,
            numbers,
            program: PathBuf::new(),
            child: None,
        })
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, question: u32, sample: &[f32], answer: usize) -> Vec<u32> {
        let mut ends = self.ends();
        let asked = ends.ask(&[question], sample, answer);
        asked.unwrap_or_else(|error| self.give_up(&error))
    }

    /// One message for many samples: one for each would take several times as long as the monitor.
    fn ask_verdicts(&self, samples: &[f32], rows: usize) -> Vec<u32> {
        let mut ends = self.ends();
        let asked = ends.ask(&[0, rows as u32], samples, rows * (VERDICT + self.channels));
        asked.unwrap_or_else(|error| self.give_up(&error))
    }

    fn ask_image(&self, question: u32) -> Vec<u8> {
        let mut ends = self.ends();
        let answer = ends.ask(&[question], &[], 1).and_then(|length| {
            let mut image = vec![0; length.first().map_or(0, |&length| length as usize)];
            ends.from.read_exact(&mut image)?;
            Ok(image)
        });
        answer.unwrap_or_else(|error| self.give_up(&error))
    }

    /// Ends the tool: a monitor cannot return this error, and rows that were not watched must not count as normal.
    fn give_up(&self, error: &io::Error) -> ! {
        eprintln!("error: {} has stopped ({error}): start again", self.program.display());
        std::process::exit(1)
    }
}

impl Ends {
    fn ask(&mut self, question: &[u32], numbers: &[f32], answer: usize) -> io::Result<Vec<u32>> {
        self.words.clear();
        self.words.extend(question.iter().flat_map(|word| word.to_le_bytes()));
        self.words
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.to.write_all(&self.words)?;
        self.to.flush()?;
        self.words.resize(4 * answer, 0);
        self.from.read_exact(&mut self.words)?;
        let (words, _) = self.words.as_chunks::<4>();
        Ok(words.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    fn send(&mut self, image: &[u8]) -> io::Result<()> {
        self.to.write_all(&(image.len() as u32).to_le_bytes())?;
        self.to.write_all(image)
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // The program ends when its input is closed.
        self.ends().to = Box::new(io::sink());
        if let Some(child) = &mut self.child {
            let _ = child.wait();
        }
    }
}

impl AnyMonitor for Piped {
    fn channels(&self) -> usize {
        self.channels
    }

    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<PlainVerdict, SampleError> {
        let words = self.ask_verdicts(sample, 1);
        verdict(&words, contribution)
    }

    fn observe_all(
        &mut self,
        samples: &[f32],
        contributions: &mut [f32],
        verdicts: &mut Vec<Result<PlainVerdict, SampleError>>,
    ) {
        let rows = samples.len() / self.channels;
        let words = self.ask_verdicts(samples, rows);
        let rows = words.chunks_exact(VERDICT + self.channels);
        let contributions = contributions.chunks_exact_mut(self.channels);
        verdicts.clear();
        verdicts.extend(
            rows.zip(contributions)
                .map(|(words, contribution)| verdict(words, contribution)),
        );
    }

    fn score(&self, sample: &[f32]) -> Result<f32, SampleError> {
        let words = self.ask(1, sample, 3);
        refused(&words)?;
        Ok(f32::from_bits(words[2]))
    }

    fn interrupt(&mut self) {
        self.ask(2, &[], 0);
    }

    fn acknowledge(&mut self) -> bool {
        self.ask(3, &[], 1)[0] != 0
    }

    fn recalibrate(&mut self) {
        self.ask(4, &[], 0);
    }

    fn threshold(&self) -> f32 {
        f32::from_bits(self.ask(5, &[], 4)[0])
    }

    fn phase(&self) -> Phase {
        phase(&self.ask(5, &[], 4)[1..])
    }

    fn settings(&self) -> MonitorSettings<f32> {
        // The image is complete.
        let holder = monitor_of_image(&self.ask_image(10));
        holder.map_or(MonitorSettings::DEFAULT, |holder| holder.settings())
    }

    fn health(&self) -> PlainHealth {
        let words = self.ask(6, &[], 3 + 3 * self.channels);
        let mut parts = words[3..].chunks_exact(self.channels);
        let mut part = || parts.next().unwrap_or_default();
        let numbers = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect::<Vec<f32>>();
        PlainHealth {
            channels: part().iter().map(|&word| channel(word)).collect(),
            moved: numbers(part()),
            explained: (words[2] != 0).then(|| numbers(part())),
            watched: words[0],
            alarm_rate: f32::from_bits(words[1]),
        }
    }

    fn level(&self) -> (Vec<f32>, Vec<f32>) {
        let words = self.ask(7, &[], 2 * self.channels);
        let mut center: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
        let spread = center.split_off(self.channels);
        (center, spread)
    }

    fn encode(&self) -> Vec<u8> {
        self.ask_image(8)
    }

    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal> {
        let mut ends = self.ends();
        let sent = ends.to.write_all(&9_u32.to_le_bytes()).and_then(|()| ends.send(image));
        let mut answer = [0; 4];
        let sent = sent.and_then(|()| ends.to.flush());
        let answered = sent.and_then(|()| ends.from.read_exact(&mut answer));
        match answered {
            Err(error) => self.give_up(&error),
            Ok(()) if answer == [0; 4] => Ok(()),
            Ok(()) => Err(Refusal::Image(CodecError::Count)),
        }
    }

    fn twin(&self) -> Box<dyn AnyMonitor> {
        let started = Self::start(&self.program, self.channels, self.numbers, self.settings());
        let mut twin = started.unwrap_or_else(|error| self.give_up(&io::Error::other(format!("{error:#}"))));
        // The image is that of this program.
        let _ = twin.decode(&self.encode());
        Box::new(twin)
    }
}

fn verdict(words: &[u32], contribution: &mut [f32]) -> Result<PlainVerdict, SampleError> {
    refused(words)?;
    for (part, &word) in contribution.iter_mut().zip(&words[VERDICT..]) {
        *part = f32::from_bits(word);
    }
    Ok(PlainVerdict {
        score: f32::from_bits(words[2]),
        threshold: f32::from_bits(words[3]),
        alarm: words[4] != 0,
        phase: phase(&words[5..8]),
        state: state(words[8]),
        stuck: (words[9] != u32::MAX).then_some(words[9] as usize),
        moved: f32::from_bits(words[10]),
        guilty: words[11] as usize,
    })
}

fn refused(words: &[u32]) -> Result<(), SampleError> {
    let channel = words[1] as usize;
    match words[0] {
        0 => Ok(()),
        1 => Err(SampleError::NotANumber { channel }),
        _ => Err(SampleError::TooLarge { channel }),
    }
}

fn phase(words: &[u32]) -> Phase {
    match words[0] {
        0 => Phase::Warmup {
            seen: words[1],
            need: words[2],
        },
        1 => Phase::Standstill,
        2 => Phase::Calibrating,
        3 => Phase::Unsettled,
        4 => Phase::Watching,
        _ => Phase::Frozen,
    }
}

fn state(word: u32) -> State {
    match word {
        0 => State::Learning,
        1 => State::Normal,
        2 => State::SecondNormal,
        3 => State::Unusual,
        4 => State::Moving,
        5 => State::Steady,
        _ => State::Stuck,
    }
}

fn channel(word: u32) -> ChannelHealth {
    match word {
        0 => ChannelHealth::Good,
        1 => ChannelHealth::Unknown,
        2 => ChannelHealth::Stuck,
        3 => ChannelHealth::Missing,
        _ => ChannelHealth::Quantised,
    }
}
