//! The learners of the hunt: `TrackingPca` of several sizes and ranks, and `DensityPca`, in `f32` and `f64`.

use eigenstream::pca::{DensityPca, DensitySettings, Share, TrackingPca, TrackingSettings};
use eigenstream::{Learner, Scalar, ScaleSettings, SettingsError};

use super::trial::{Outcome, follow};
use super::{Class, Dice, Scale, Setting};

/// A learner that counts its excess.
pub(super) trait Certified<T: Scalar, const DIM: usize>: Learner<T, DIM> + Clone {
    /// Directions kept.
    const KEEP: usize;
    /// Largest evidence.
    fn evidence(&self) -> T;
    /// The excess E of the bound.
    fn excess(&self) -> T;
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Certified<T, DIM>
    for TrackingPca<T, DIM, KEEP, RANK>
{
    const KEEP: usize = KEEP;

    fn evidence(&self) -> T {
        self.evidence()[0]
    }

    fn excess(&self) -> T {
        self.excess()
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Certified<T, DIM> for DensityPca<T, DIM, KEEP> {
    const KEEP: usize = KEEP;

    fn evidence(&self) -> T {
        self.evidence()[0]
    }

    fn excess(&self) -> T {
        self.excess()
    }
}

/// One learner of the hunt, with its sizes.
pub(super) struct Hunted {
    pub(super) name: &'static str,
    pub(super) dim: usize,
    pub(super) rank: usize,
    pub(super) has_scale: bool,
    pub(super) run: fn(Class, &Setting, &mut Dice) -> Outcome,
}

macro_rules! tracking {
    ($($number:ident $dim:literal $keep:literal [$($rank:literal)+],)+) => {
        &[
            $($(Hunted {
                name: concat!("TrackingPca<", stringify!($number), ", ", $dim, ", ", $keep, ", ", $rank, ">"),
                dim: $dim,
                rank: $rank,
                has_scale: true,
                run: track::<$number, $dim, $keep, $rank>,
            },)+)+
            Hunted { name: "DensityPca<f32, 5, 2>", dim: 5, rank: 5, has_scale: false, run: dense::<f32, 5, 2> },
            Hunted { name: "DensityPca<f64, 5, 2>", dim: 5, rank: 5, has_scale: false, run: dense::<f64, 5, 2> },
        ]
    };
}

/// Every learner of the hunt.
pub(super) const ALL: &[Hunted] = tracking! {
    f32 2 1 [2], f64 2 1 [2],
    f32 4 1 [3 4], f64 4 1 [3 4],
    f32 6 2 [4 5 6], f64 6 2 [4 5 6],
    f32 7 4 [6 7], f64 7 4 [6 7],
    f32 12 2 [4 5 6 7 8 9 10 11 12], f64 12 2 [4 5 6 7 8 9 10 11 12],
};

/// Unwraps settings; those drawn by the hunt are always valid.
fn good<S>(settings: Result<S, SettingsError>, otherwise: S) -> S {
    settings.unwrap_or(otherwise)
}

fn share_of<T: Scalar>(setting: &Setting) -> Share<T> {
    if setting.share > 0.0 {
        Share::Uniform(T::from_f64(setting.share))
    } else {
        Share::Nothing
    }
}

fn track<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize>(
    class: Class,
    setting: &Setting,
    dice: &mut Dice,
) -> Outcome {
    let rate = T::from_f64(setting.rate);
    let scale = match setting.scale {
        Scale::Off => ScaleSettings::OFF,
        Scale::Running => ScaleSettings::DEFAULT,
    };
    let settings = TrackingSettings::unscaled(rate)
        .and_then(|settings| settings.with_share(share_of(setting)))
        .and_then(|settings| match setting.ceiling {
            Some(ceiling) => settings.with_ceiling(T::from_f64(ceiling)),
            None => Ok(settings.without_ceiling()),
        })
        .map(|settings| settings.with_scale(scale));
    let learner = TrackingPca::<T, DIM, KEEP, RANK>::new(good(settings, TrackingSettings::DEFAULT));
    follow(learner, class, setting, scale, dice)
}

fn dense<T: Scalar, const DIM: usize, const KEEP: usize>(class: Class, setting: &Setting, dice: &mut Dice) -> Outcome {
    let settings = DensitySettings::new(T::from_f64(setting.rate))
        .and_then(|settings| settings.with_share(share_of(setting)))
        .and_then(|settings| match setting.ceiling {
            Some(ceiling) => settings.with_ceiling(T::from_f64(ceiling)),
            None => Ok(settings),
        });
    let learner = DensityPca::<T, DIM, KEEP>::new(good(settings, DensitySettings::DEFAULT));
    // This learner has no scale.
    follow(learner, class, setting, ScaleSettings::OFF, dice)
}
