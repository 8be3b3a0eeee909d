//! A monitor whose sizes are chosen at run time.

use eigenstream::monitor::{ChannelHealth, Health, Monitor, MonitorSettings, Phase, State, Verdict};
use eigenstream::{Codec, SampleError};

use crate::learner_of::{BoxedLearner, StandIn, image_of, stand_in};
use crate::losses::Certificate;
use crate::refusal::Refusal;
use crate::splice::{self, FRAME};

/// A verdict without the contributions of the channels, so that the type has no `DIM`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainVerdict {
    /// How unusual the sample is.
    pub score: f32,
    /// A score above it is unusual; the largest finite number until it is computed.
    pub threshold: f32,
    /// Whether there is an alarm.
    pub alarm: bool,
    /// The phase of the monitor.
    pub phase: Phase,
    /// The state of the machine.
    pub state: State,
    /// The first channel whose value has stopped changing.
    pub stuck: Option<usize>,
    /// The largest move of the level of a channel, in spreads.
    pub moved: f32,
    /// The channel to look at.
    pub guilty: usize,
}

impl PlainVerdict {
    /// Copies the fields of a verdict.
    #[must_use]
    pub fn of<const DIM: usize>(verdict: &Verdict<f32, DIM>) -> Self {
        Self {
            score: verdict.score,
            threshold: verdict.threshold,
            alarm: verdict.alarm,
            phase: verdict.phase,
            state: verdict.state,
            stuck: verdict.stuck,
            moved: verdict.moved,
            guilty: verdict.guilty(),
        }
    }
}

/// The health of a monitor, with vectors in place of arrays, so that the type has no `DIM`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainHealth {
    /// The health of each channel.
    pub channels: Vec<ChannelHealth>,
    /// How far the level of each channel has moved since the calibration, in spreads of the channel.
    pub moved: Vec<f32>,
    /// The part of each channel that the other channels explain; `None` if the learner does not compute it.
    pub explained: Option<Vec<f32>>,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// The part of these samples that was in alarm.
    pub alarm_rate: f32,
}

impl PlainHealth {
    /// Copies the health of a monitor.
    #[must_use]
    pub fn of<const DIM: usize>(health: &Health<f32, DIM>) -> Self {
        Self {
            channels: health.channels.to_vec(),
            moved: health.moved.to_vec(),
            explained: health.explained.map(|parts| parts.to_vec()),
            watched: health.watched,
            alarm_rate: health.alarm_rate(),
        }
    }
}

/// A monitor of the table.
///
/// A slice of a sample has one number for each channel. [`observe`](Self::observe) and [`score`](Self::score) panic if a slice
/// has another length.
pub trait AnyMonitor: Send + Sync {
    /// Channels of a sample.
    fn channels(&self) -> usize;

    /// Observes a sample and writes the part of each channel in its score. Both slices have one number for each channel.
    ///
    /// # Errors
    /// A sample that the monitor refuses. The monitor is unchanged then.
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<PlainVerdict, SampleError>;

    /// Observes consecutive samples; `verdicts` gets one result for each.
    ///
    /// Both slices have one number for each channel of each sample. The earlier content of `verdicts` is dropped.
    fn observe_all(
        &mut self,
        samples: &[f32],
        contributions: &mut [f32],
        verdicts: &mut Vec<Result<PlainVerdict, SampleError>>,
    ) {
        let channels = self.channels();
        verdicts.clear();
        let rows = samples
            .chunks_exact(channels)
            .zip(contributions.chunks_exact_mut(channels));
        verdicts.extend(rows.map(|(sample, contribution)| self.observe(sample, contribution)));
    }

    /// The score of this sample alone, not smoothed; changes nothing.
    ///
    /// # Errors
    /// A sample that the monitor refuses.
    fn score(&self, sample: &[f32]) -> Result<f32, SampleError>;

    /// Tells the monitor that samples are missing between the last sample and the next.
    fn interrupt(&mut self);

    /// Accepts the state of the current alarm as normal; returns false if there is none.
    fn acknowledge(&mut self) -> bool;

    /// Starts a new calibration, which computes a new threshold.
    fn recalibrate(&mut self);

    /// The threshold of the alarm; the largest finite number until it is computed.
    fn threshold(&self) -> f32;

    /// The phase of the monitor.
    fn phase(&self) -> Phase;

    /// The settings of the monitor.
    fn settings(&self) -> MonitorSettings<f32>;

    /// How far the verdicts of the monitor can be trusted.
    fn health(&self) -> PlainHealth;

    /// Level and spread of each channel.
    fn level(&self) -> (Vec<f32>, Vec<f32>);

    /// The image of the monitor, which a monitor of the same type restores on a chip.
    fn encode(&self) -> Vec<u8>;

    /// Replaces the monitor by the monitor of an image of the same size.
    ///
    /// # Errors
    /// A damaged image, or an image of another type or size. The monitor is unchanged then.
    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal>;

    /// A copy in the same state.
    fn twin(&self) -> Box<dyn AnyMonitor>;

    /// Total loss of the learner and the bound on it, if its losses are summed.
    fn certificate(&self) -> Option<Certificate> {
        None
    }
}

#[derive(Clone)]
pub(crate) struct Around<const DIM: usize>(pub(crate) Monitor<f32, BoxedLearner<DIM>, DIM>);

impl<const DIM: usize> AnyMonitor for Around<DIM> {
    fn channels(&self) -> usize {
        DIM
    }

    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<PlainVerdict, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        let verdict = self.0.observe(&channels)?;
        contribution.copy_from_slice(&verdict.contribution);
        Ok(PlainVerdict::of(&verdict))
    }

    fn score(&self, sample: &[f32]) -> Result<f32, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        self.0.score(&channels)
    }

    fn interrupt(&mut self) {
        self.0.interrupt();
    }

    fn acknowledge(&mut self) -> bool {
        self.0.acknowledge()
    }

    fn recalibrate(&mut self) {
        self.0.recalibrate();
    }

    fn threshold(&self) -> f32 {
        self.0.threshold()
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }

    fn settings(&self) -> MonitorSettings<f32> {
        *self.0.settings()
    }

    fn health(&self) -> PlainHealth {
        PlainHealth::of(&self.0.health())
    }

    fn level(&self) -> (Vec<f32>, Vec<f32>) {
        let level = self.0.level();
        (level.center().to_vec(), level.spread().to_vec())
    }

    fn encode(&self) -> Vec<u8> {
        monitor_image(&self.0)
    }

    fn decode(&mut self, image: &[u8]) -> Result<(), Refusal> {
        self.0 = monitor_of(image, self.0.learner())?;
        Ok(())
    }

    fn twin(&self) -> Box<dyn AnyMonitor> {
        Box::new(self.clone())
    }

    fn certificate(&self) -> Option<Certificate> {
        self.0.learner().certificate()
    }
}

fn monitor_image<const DIM: usize>(monitor: &Monitor<f32, BoxedLearner<DIM>, DIM>) -> Vec<u8> {
    let outer = image_of(&monitor.clone().around(stand_in::<DIM>()));
    let inside = StandIn::<DIM>::ENCODED_LEN - FRAME;
    // `around` cannot fail: both images were made here and are complete.
    splice::around(&outer, inside, &monitor.learner().learner.image()).unwrap_or_default()
}

/// The learner in the image has the size of `learner`.
fn monitor_of<const DIM: usize>(
    image: &[u8],
    learner: &BoxedLearner<DIM>,
) -> Result<Monitor<f32, BoxedLearner<DIM>, DIM>, Refusal> {
    type Outer<const DIM: usize> = Monitor<f32, StandIn<DIM>, DIM>;
    let fields = splice::fields(Outer::<DIM>::ENCODED_LEN, StandIn::<DIM>::ENCODED_LEN);
    let inner = splice::inside(image, fields)?;
    let mut learner = learner.clone();
    learner.learner.restore(&inner)?;
    let found = inner.len() - FRAME;
    let outer = splice::around(image, found, &image_of(&stand_in::<DIM>()))?;
    Ok(Outer::<DIM>::decode(&outer)?.around(learner))
}
