//! A monitor that answers questions through a pipe; `pipe.rs` is the other end.
//! In: questions, each a word and its arguments. Out: an answer to each. A word is four bytes, the lowest first: a count, a
//! choice or the bits of an `f32`. An image is its length and its bytes. The tool writes this file into the program of a
//! size, and its tests compile it.

use std::io::{self, Read, Write};

use eigenstream::monitor::{ChannelHealth, Monitor, MonitorSettings, Phase, SensorMonitor, State};
use eigenstream::{Codec, Learner, SampleError};

/// Words of a verdict without the contributions.
const VERDICT: usize = 12;

/// Learning rate, γ, stride, and the settings as the image of a monitor of one channel.
pub(crate) fn begin(input: &mut impl Read) -> io::Result<(f32, f32, u16, MonitorSettings<f32>)> {
    let [rate, gamma, stride] = [word(input)?, word(input)?, word(input)?];
    let monitor = SensorMonitor::<f32, 1>::decode(&bytes(input)?).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok((
        f32::from_bits(rate),
        f32::from_bits(gamma),
        stride as u16,
        *monitor.settings(),
    ))
}

/// Answers questions until the input ends.
pub(crate) fn serve<L, const DIM: usize>(
    mut monitor: Monitor<f32, L, DIM>,
    input: &mut impl Read,
    output: &mut impl Write,
) -> io::Result<()>
where
    L: Learner<f32, DIM>,
    Monitor<f32, L, DIM>: Codec,
{
    let mut answer: Vec<u32> = Vec::new();
    while let Some(question) = first_word(input)? {
        answer.clear();
        match question {
            0 => {
                // All samples are read before the first answer: otherwise both ends could wait with full pipes.
                let samples: Vec<[f32; DIM]> = (0..word(input)?).map(|_| sample(input)).collect::<io::Result<_>>()?;
                samples
                    .iter()
                    .for_each(|sample| observed(&mut monitor, sample, &mut answer));
            }
            1 => match monitor.score(&sample(input)?) {
                Ok(score) => answer.extend([0, 0, score.to_bits()]),
                Err(error) => answer.extend(refusal(error).into_iter().chain([0])),
            },
            2 => monitor.interrupt(),
            3 => answer.push(u32::from(monitor.acknowledge())),
            4 => monitor.recalibrate(),
            5 => {
                answer.push(monitor.threshold().to_bits());
                answer.extend(phase(monitor.phase()));
            }
            6 => {
                let health = monitor.health();
                answer.extend([health.watched, health.alarm_rate().to_bits()]);
                answer.push(u32::from(health.explained.is_some()));
                answer.extend(health.channels.map(channel));
                answer.extend(health.moved.map(f32::to_bits));
                answer.extend(health.explained.unwrap_or([0.0; DIM]).map(f32::to_bits));
            }
            7 => {
                let level = monitor.level();
                answer.extend(
                    level
                        .center()
                        .iter()
                        .chain(level.spread())
                        .map(|number| number.to_bits()),
                );
            }
            8 => send(&image(&monitor), output)?,
            9 => match Monitor::decode(&bytes(input)?) {
                Ok(restored) => {
                    monitor = restored;
                    answer.push(0);
                }
                Err(_) => answer.push(1),
            },
            10 => send(&image(&SensorMonitor::<f32, 1>::standard(*monitor.settings())), output)?,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        for word in &answer {
            output.write_all(&word.to_le_bytes())?;
        }
        output.flush()?;
    }
    Ok(())
}

/// Appends 12 words of the verdict and the contributions.
fn observed<L: Learner<f32, DIM>, const DIM: usize>(
    monitor: &mut Monitor<f32, L, DIM>,
    sample: &[f32; DIM],
    answer: &mut Vec<u32>,
) {
    match monitor.observe(sample) {
        Ok(verdict) => {
            answer.extend([0, 0, verdict.score.to_bits(), verdict.threshold.to_bits()]);
            answer.push(u32::from(verdict.alarm));
            answer.extend(phase(verdict.phase));
            answer.push(state(verdict.state));
            answer.push(verdict.stuck.map_or(u32::MAX, |channel| channel as u32));
            answer.extend([verdict.moved.to_bits(), verdict.guilty() as u32]);
            answer.extend(verdict.contribution.map(f32::to_bits));
        }
        Err(error) => {
            let length = answer.len() + VERDICT + DIM;
            answer.extend(refusal(error));
            answer.resize(length, 0);
        }
    }
}

fn image<C: Codec>(subject: &C) -> Vec<u8> {
    let mut image = vec![0; C::ENCODED_LEN];
    // The buffer has the required length.
    let _ = subject.encode(&mut image);
    image
}

fn send(image: &[u8], output: &mut impl Write) -> io::Result<()> {
    output.write_all(&(image.len() as u32).to_le_bytes())?;
    output.write_all(image)
}

/// `None` at the end of the input.
fn first_word(input: &mut impl Read) -> io::Result<Option<u32>> {
    match word(input) {
        Ok(word) => Ok(Some(word)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn word(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn bytes(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; word(input)? as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn sample<const DIM: usize>(input: &mut impl Read) -> io::Result<[f32; DIM]> {
    let mut sample = [0.0; DIM];
    for channel in &mut sample {
        *channel = f32::from_bits(word(input)?);
    }
    Ok(sample)
}

fn refusal(error: SampleError) -> [u32; 2] {
    match error {
        SampleError::NotANumber { channel } => [1, channel as u32],
        SampleError::TooLarge { channel } => [2, channel as u32],
        _ => [2, 0],
    }
}

fn phase(phase: Phase) -> [u32; 3] {
    match phase {
        Phase::Warmup { seen, need } => [0, seen, need],
        Phase::Standstill => [1, 0, 0],
        Phase::Unsettled => [3, 0, 0],
        Phase::Watching => [4, 0, 0],
        Phase::Frozen => [5, 0, 0],
        _ => [2, 0, 0],
    }
}

fn state(state: State) -> u32 {
    match state {
        State::Learning => 0,
        State::Normal => 1,
        State::SecondNormal => 2,
        State::Moving => 4,
        State::Steady => 5,
        State::Stuck => 6,
        _ => 3,
    }
}

fn channel(health: ChannelHealth) -> u32 {
    match health {
        ChannelHealth::Good => 0,
        ChannelHealth::Stuck => 2,
        ChannelHealth::Missing => 3,
        ChannelHealth::Quantised => 4,
        _ => 1,
    }
}
