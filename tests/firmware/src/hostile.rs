//! Streams that make a step expensive, to find the worst call.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Kind of stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// Noise with equal energy in every direction.
    Isotropic,
    /// One channel is 1 and the others are 0, each channel in turn, so that each sample is orthogonal to the previous
    /// one.
    Axes,
    /// Small noise; every 17th sample is a hundred times larger.
    Spikes,
    /// Three samples, each 40 times in a row.
    Stuck,
    /// Two samples in turn that differ only in their last bits, so that eigenvalues are nearly equal.
    Twins,
    /// Noise times a factor that grows by 10 % per sample; after a factor above 2¹⁶ it starts again at 1.
    Growing,
    /// Samples of zeros; every 23rd sample is noise.
    Silence,
    /// One direction with 2 % of noise: a learner of more directions has to keep noise.
    Alone,
}

impl Hostile {
    /// Every kind.
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

    /// Number of samples of each stream.
    pub const LENGTH: u32 = 120;

    /// The name in printed rows.
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

    /// The samples of the stream.
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
