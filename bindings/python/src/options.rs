//! Reads settings by name, from the keyword arguments of Python. Out: settings that the crate has checked. A name that the
//! learner does not read is refused.

use std::collections::BTreeMap;

use eigenstream::hebbian::{Deflation, GhaSettings, RateSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelSettings};
use eigenstream::monitor::{
    DecisionSettings, Learning, Missing, MonitorSettings, NewLevel, Schedule, Score, Threshold,
};
use eigenstream::pca::{Center, CenteredSettings, DensitySettings, PairedSettings, ReadOut, Share, TrackingSettings};
use eigenstream::{Centering, Forgetting, Scalar, ScaleSettings, SettingsError};

use crate::refusal::Refusal;

/// A number or a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Word(String),
}

/// A word and its value.
type Choice<C> = (&'static str, C);

/// Makes a share from a part.
type OfPart<T> = fn(T) -> Share<T>;

/// Makes settings from a rate.
type OfRate<T> = fn(T) -> Result<RateSettings<T>, SettingsError>;

/// Each is removed when it is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    values: BTreeMap<String, Value>,
    /// Whether numbers are rounded to `f32`.
    is_single: bool,
}

/// If `f32` rounds the number to 0, 1 or an infinity, the words say so.
fn in_words(number: f64, is_single: bool) -> String {
    let rounded = number as f32;
    let is_other = f64::from(rounded) != number && (rounded == 0.0 || rounded == 1.0 || rounded.is_infinite());
    if is_single && is_other {
        format!("{number:?}, which float32 rounds to {rounded}")
    } else {
        format!("{number:?}")
    }
}

fn names_of(error: SettingsError) -> &'static [&'static str] {
    match error {
        SettingsError::LearningRate => &["learning_rate"],
        SettingsError::Ceiling => &["ceiling"],
        SettingsError::Share => &["share", "share_of"],
        SettingsError::NormBound => &["norm_bound"],
        SettingsError::CenterRate => &["center_weight"],
        SettingsError::Forgetting => &["memory", "scale_memory"],
        SettingsError::Gamma => &["gamma"],
        SettingsError::Quantile => &["quantile", "false_alarms"],
        SettingsError::Threshold => &["threshold", "threshold_factor", "threshold_floor"],
        SettingsError::Hysteresis => &["release"],
        SettingsError::Schedule => &["settle", "learn", "calibrate"],
        SettingsError::Stride => &["stride"],
        SettingsError::Novelty => &["novelty"],
        _ => &[],
    }
}

impl Options {
    pub(crate) fn new(values: BTreeMap<String, Value>, bytes: u8) -> Self {
        Self {
            values,
            is_single: bytes == 4,
        }
    }

    fn number<T: Scalar>(&mut self, name: &str) -> Result<Option<T>, Refusal> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(T::from_f64(number))),
            Some(Value::Word(word)) => Err(Refusal::Option(format!("{name} has to be a number, not {word:?}"))),
        }
    }

    fn count(&mut self, name: &str) -> Result<Option<u32>, Refusal> {
        match self.number::<f64>(name)? {
            None => Ok(None),
            Some(number) if (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0 => {
                Ok(Some(number as u32))
            }
            Some(number) => Err(Refusal::Option(format!(
                "{name} has to be a whole number from 0 to {}, not {number}",
                u32::MAX
            ))),
        }
    }

    fn choice<C: Copy>(&mut self, name: &str, choices: &[Choice<C>]) -> Result<Option<C>, Refusal> {
        let word = match self.values.remove(name) {
            None => return Ok(None),
            Some(Value::Word(word)) => word,
            Some(Value::Number(number)) => number.to_string(),
        };
        let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
        match choices.iter().find(|&&(known, _)| known == word) {
            Some(&(_, choice)) => Ok(Some(choice)),
            None => Err(Refusal::Option(format!("{name} is one of {words:?}, not {word:?}"))),
        }
    }

    /// Checks that every setting was read.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal::Option(format!("this learner has no setting {name:?}"))),
        }
    }

    /// The refusal of the crate names no value.
    pub(crate) fn with_values(&self, refusal: Refusal) -> Refusal {
        let Refusal::Settings(error) = refusal else {
            return refusal;
        };
        let given = names_of(error)
            .iter()
            .filter_map(|&name| Some((name, self.values.get(name)?)));
        let values: Vec<String> = given
            .map(|(name, value)| match value {
                Value::Number(number) => format!("{name} is {}", in_words(*number, self.is_single)),
                Value::Word(word) => format!("{name} is {word:?}"),
            })
            .collect();
        if values.is_empty() {
            return refusal;
        }
        Refusal::Option(format!("{error}: {}", values.join(", ")))
    }

    fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    fn refuse_if(condition: bool, sentence: &str) -> Result<(), Refusal> {
        if condition {
            return Err(Refusal::Option(sentence.into()));
        }
        Ok(())
    }

    /// From `norm_bound`, a bound on the length of a sample, or `scale`, "off" or "running" with `scale_memory`.
    fn scale<T: Scalar>(&mut self) -> Result<Option<ScaleSettings<T>>, Refusal> {
        let memory = self.number::<T>("scale_memory")?;
        if let Some(bound) = self.number::<T>("norm_bound")? {
            let two = memory.is_some() || self.has("scale");
            Self::refuse_if(two, "norm_bound sets the scale: leave out scale and scale_memory")?;
            return Ok(Some(ScaleSettings::bound(bound)?));
        }
        let running = match memory {
            Some(memory) => ScaleSettings::running(Forgetting::memory(memory)?),
            None => ScaleSettings::DEFAULT,
        };
        let chosen = self.choice("scale", &[("off", ScaleSettings::OFF), ("running", running)])?;
        let unused = memory.is_some() && chosen == Some(ScaleSettings::OFF);
        Self::refuse_if(
            unused,
            "scale_memory is the memory of the running scale: leave out scale=\"off\"",
        )?;
        Ok(chosen.or(memory.map(|_| running)))
    }

    fn share<T: Scalar>(&mut self) -> Result<Option<Share<T>>, Refusal> {
        let part = self.number::<T>("share")?;
        Self::refuse_if(part.is_none() && self.has("share_of"), "share_of needs share")?;
        let kinds: [Choice<OfPart<T>>; 3] = [
            ("uniform", Share::Uniform),
            ("past_average", Share::PastAverage),
            ("past_posteriors", Share::PastPosteriors),
        ];
        let kind = self.choice("share_of", &kinds)?.unwrap_or(Share::Uniform);
        Ok(part.map(kind))
    }

    pub(crate) fn tracking<T: Scalar>(&mut self) -> Result<TrackingSettings<T>, Refusal> {
        let mut settings = match self.number("learning_rate")? {
            Some(rate) => TrackingSettings::new(rate)?,
            None => TrackingSettings::DEFAULT,
        };
        if let Some(ceiling) = self.number::<T>("ceiling")? {
            settings = if ceiling == T::INFINITY {
                settings.without_ceiling()
            } else {
                settings.with_ceiling(ceiling)?
            };
        }
        if let Some(share) = self.share()? {
            settings = settings.with_share(share)?;
        }
        if let Some(scale) = self.scale()? {
            settings = settings.with_scale(scale);
        }
        Ok(settings)
    }

    pub(crate) fn density<T: Scalar>(&mut self) -> Result<DensitySettings<T>, Refusal> {
        let mut settings = match self.number("learning_rate")? {
            Some(rate) => DensitySettings::new(rate)?,
            None => DensitySettings::DEFAULT,
        };
        if let Some(ceiling) = self.number("ceiling")? {
            settings = settings.with_ceiling(ceiling)?;
        }
        if let Some(share) = self.share()? {
            settings = settings.with_share(share)?;
        }
        Ok(settings)
    }

    pub(crate) fn centered<T: Scalar>(&mut self) -> Result<CenteredSettings<T>, Refusal> {
        let mut settings = match self.number("learning_rate")? {
            Some(rate) => CenteredSettings::new(rate)?,
            None => CenteredSettings::DEFAULT,
        };
        let weight = self.number("center_weight")?;
        let two = weight.is_some() && self.has("center");
        Self::refuse_if(two, "give one of center and center_weight")?;
        let centers = [("mean", Center::Mean), ("fixed", Center::Fixed)];
        if let Some(center) = self.choice("center", &centers)?.or(weight.map(Center::Weighted)) {
            settings = settings.with_center(center)?;
        }
        if let Some(memory) = self.number("memory")? {
            settings = settings.with_forgetting(Forgetting::memory(memory)?);
        }
        let read_outs = [("randomized", ReadOut::Randomized), ("leader", ReadOut::Leader)];
        if let Some(read_out) = self.choice("read_out", &read_outs)? {
            settings = settings.with_read_out(read_out);
        }
        if let Some(scale) = self.scale()? {
            settings = settings.with_scale(scale);
        }
        Ok(settings)
    }

    pub(crate) fn gha<T: Scalar>(&mut self) -> Result<GhaSettings<T>, Refusal> {
        let mut settings = GhaSettings::DEFAULT;
        let unused = self.has("rate") && !self.has("learning_rate");
        Self::refuse_if(unused, "rate is the kind of learning_rate, and needs it")?;
        let rates: [Choice<OfRate<T>>; 3] = [
            ("relative", RateSettings::new),
            ("constant", RateSettings::constant),
            ("falling", RateSettings::falling),
        ];
        let kind = self.choice("rate", &rates)?.unwrap_or(RateSettings::new);
        if let Some(rate) = self.number("learning_rate")? {
            settings = settings.with_rate(kind(rate)?);
        }
        let deflations = [
            ("sanger", Deflation::Sanger),
            ("gradient_ascent", Deflation::GradientAscent),
        ];
        let deflation = self.choice("deflation", &deflations)?;
        Ok(deflation.map_or(settings, |deflation| settings.with_deflation(deflation)))
    }

    pub(crate) fn paired<T: Scalar>(&mut self) -> Result<PairedSettings<T>, Refusal> {
        let mut settings = match self.number("learning_rate")? {
            Some(rate) => PairedSettings::new(rate)?,
            None => PairedSettings::DEFAULT,
        };
        if let Some(memory) = self.number("memory")? {
            settings = settings.with_forgetting(Forgetting::memory(memory)?);
        }
        Ok(self.scale()?.map_or(settings, |scale| settings.with_scale(scale)))
    }

    pub(crate) fn centering(&mut self) -> Result<Option<Centering>, Refusal> {
        let choices = [("centered", Centering::Centered), ("uncentered", Centering::Uncentered)];
        self.choice("centering", &choices)
    }

    pub(crate) fn gaussian<T: Scalar>(&mut self) -> Result<Gaussian<T>, Refusal> {
        Ok(match self.number("gamma")? {
            Some(gamma) => Gaussian::new(gamma)?,
            None => Gaussian::DEFAULT,
        })
    }

    pub(crate) fn online_kernel<T: Scalar>(&mut self) -> Result<OnlineKernelSettings<T>, Refusal> {
        let mut settings = match self.number("learning_rate")? {
            Some(rate) => OnlineKernelSettings::new(rate)?,
            None => OnlineKernelSettings::DEFAULT,
        };
        if let Some(centering) = self.centering()? {
            settings = settings.with_centering(centering);
        }
        if let Some(stride) = self.count("stride")? {
            settings = settings.with_stride(stride)?;
        }
        if let Some(novelty) = self.number("novelty")? {
            settings = settings.with_novelty(novelty)?;
        }
        Ok(settings)
    }

    pub(crate) fn monitor<T: Scalar>(&mut self) -> Result<MonitorSettings<T>, Refusal> {
        let mut settings = MonitorSettings::DEFAULT;
        let two = self.has("training") && self.has("settle");
        Self::refuse_if(two, "give training, or settle, learn and calibrate")?;
        if let Some(samples) = self.count("training")? {
            settings = settings.with_training(samples);
        }
        let phases = [self.count("settle")?, self.count("learn")?, self.count("calibrate")?];
        match phases {
            [None, None, None] => {}
            [Some(settle), Some(learn), Some(calibrate)] => {
                settings = settings.with_schedule(Schedule::new(settle, learn, calibrate)?);
            }
            _ => return Err(Refusal::Option("settle, learn and calibrate belong together".into())),
        }
        if let Some(samples) = self.count("level_memory")? {
            settings = settings.with_level_memory(samples);
        }
        if let Some(samples) = self.count("input_smoothing")? {
            settings = settings.with_input_smoothing(samples);
        }
        if let Some(samples) = self.count("smoothing")? {
            settings = settings.with_smoothing(samples);
        }
        let scores = [
            ("loss", Score::Loss),
            ("relative", Score::Relative),
            ("leverage", Score::Leverage),
            ("combined", Score::Combined),
        ];
        if let Some(score) = self.choice("score", &scores)? {
            settings = settings.with_score(score);
        }
        let learnings = [
            ("always", Learning::Always),
            ("while_normal", Learning::WhileNormal),
            ("frozen", Learning::Frozen),
        ];
        if let Some(learning) = self.choice("learning", &learnings)? {
            settings = settings.with_learning(learning);
        }
        if let Some(missing) = self.choice("missing", &[("refuse", Missing::Refuse), ("impute", Missing::Impute)])? {
            settings = settings.with_missing(missing);
        }
        let after = self.count("new_level_after")?;
        let samples = after.unwrap_or(2_000);
        let levels = [
            ("accept", NewLevel::Accept(samples)),
            ("ask", NewLevel::Ask(samples)),
            ("never", NewLevel::Never),
        ];
        let level = self.choice("new_level", &levels)?;
        let unused = after.is_some() && level == Some(NewLevel::Never);
        Self::refuse_if(unused, "new_level_after has no effect with new_level=\"never\"")?;
        if let Some(level) = level.or(after.map(NewLevel::Accept)) {
            settings = settings.with_new_level(level);
        }
        settings = settings.with_threshold(self.threshold()?);
        Ok(settings.with_decision(self.decision()?))
    }

    fn threshold<T: Scalar>(&mut self) -> Result<Threshold<T>, Refusal> {
        let unused = self.has("threshold") && (self.has("threshold_factor") || self.has("threshold_floor"));
        Self::refuse_if(
            unused,
            "threshold_factor and threshold_floor have no effect on a fixed threshold",
        )?;
        let rules = [
            self.number("threshold")?.map(Threshold::fixed),
            self.number("quantile")?.map(Threshold::quantile),
            self.number("false_alarms")?.map(Threshold::false_alarms),
        ];
        let mut threshold = Threshold::DEFAULT;
        let mut given = 0;
        for rule in rules.into_iter().flatten() {
            threshold = rule?;
            given += 1;
        }
        if given > 1 {
            return Err(Refusal::Option(
                "give one of threshold, quantile and false_alarms".into(),
            ));
        }
        if let Some(factor) = self.number("threshold_factor")? {
            threshold = threshold.with_factor(factor)?;
        }
        if let Some(floor) = self.number("threshold_floor")? {
            threshold = threshold.with_floor(floor)?;
        }
        Ok(threshold)
    }

    fn decision<T: Scalar>(&mut self) -> Result<DecisionSettings<T>, Refusal> {
        let mut decision = match self.number("release")? {
            Some(release) => DecisionSettings::new(release)?,
            None => DecisionSettings::DEFAULT,
        };
        if let Some(samples) = self.count("confirm")? {
            decision = decision.with_confirm(samples);
        }
        if let Some(samples) = self.count("hold_off")? {
            decision = decision.with_hold_off(samples);
        }
        Ok(decision)
    }
}
