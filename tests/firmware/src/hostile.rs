//! Streams that make a learner work hard: where the worst call is looked for.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// What a stream does to a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// Every direction alike: nothing to learn, nothing to drop.
    Isotropic,
    /// One channel after the other, so that each sample is orthogonal to the last.
    Axes,
    /// Small noise, and every 17th sample a hundred times louder.
    Spikes,
    /// The same sample over and over, then another.
    Stuck,
    /// Two samples that differ in the last bits: eigenvalues as close as they can be.
    Twins,
    /// Each sample a tenth louder than the last, up to 2¹⁶, then from the start.
    Growing,
    /// Silence, and now and then a sample.
    Silence,
    /// One direction, and a fiftieth of noise: a learner that keeps more directions keeps noise, and no closed form fits.
    Alone,
}

impl Hostile {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Isotropic,
        Self::Axes,
        Self::Spikes,
        Self::Stuck,
        Self::Twins,
        Self::Growing,
        Self::Silence,
        Self::Alone,
    ];

    /// Samples of each stream.
    pub const LENGTH: u32 = 120;

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Isotropic => "isotropic",
            Self::Axes => "axes",
            Self::Spikes => "spikes",
            Self::Stuck => "stuck",
            Self::Twins => "twins",
            Self::Growing => "growing",
            Self::Silence => "silence",
            Self::Alone => "alone",
        }
    }

    /// The stream.
    pub fn samples<const DIM: usize>(self) -> impl Iterator<Item = [f32; DIM]> {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(self as u64 + 1);
        let mut noise = move || -> [f32; DIM] { core::array::from_fn(|_| f32::uniform(&mut rng) - 0.5) };
        let mut held = noise();
        let mut loudness = 1.0_f32;
        (0..Self::LENGTH).map(move |t| match self {
            Self::Isotropic => noise(),
            Self::Axes => core::array::from_fn(|i| f32::from(u8::from(i == t as usize % DIM))),
            Self::Spikes => {
                let scale = if t % 17 == 16 { 1.0 } else { 0.01 };
                noise().map(|value| scale * value)
            }
            Self::Stuck => {
                if t % 40 == 0 {
                    held = noise();
                }
                held
            }
            Self::Twins => core::array::from_fn(|i| held[i] * (1.0 + f32::EPSILON * ((t + i as u32) % 2) as f32)),
            Self::Growing => {
                loudness = if loudness > 65_536.0 { 1.0 } else { loudness * 1.1 };
                noise().map(|value| loudness * value)
            }
            Self::Silence => {
                if t % 23 == 22 {
                    noise()
                } else {
                    [0.0; DIM]
                }
            }
            Self::Alone => {
                let (strengths, beside) = (noise(), noise());
                core::array::from_fn(|i| strengths[0] * held[i] + 0.02 * beside[i])
            }
        })
    }
}
