//! Ten streams for the comparison of trackers, each with one difficulty.
//! In: a seed. Out: samples of two random directions with noise in each channel, and whether the loss of the sample
//! counts. The strength along each direction is normal with variance 1/2, so that the mean energy of a sample without
//! noise is 1. Unless stated otherwise the directions change every 500 samples, both have equal strength on average,
//! and the standard deviation of the noise is 0.05.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// The stream, named by its difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The directions change every 500 samples, and there is no other difficulty.
    Shift,
    /// The directions change only every 5,000 samples.
    Long,
    /// Noise of 0.15 instead of 0.05.
    Noisy,
    /// The second direction has 0.3 of the strength of the first.
    Weak,
    /// Every 50th sample has a random direction and an energy of 20; its loss does not count.
    Outliers,
    /// The directions rotate a little at every sample instead of changing at once.
    Drift,
    /// 250 samples of the directions and 250 samples of zeros in turn.
    Silence,
    /// 25 unchanged samples and 25 samples divided by ten in turn.
    Bursts,
    /// Noise of 0.002 instead of 0.05.
    Quiet,
    /// No noise.
    Clean,
}

impl Stream {
    /// Every stream.
    pub const ALL: [Self; 10] = [
        Self::Shift,
        Self::Long,
        Self::Noisy,
        Self::Weak,
        Self::Outliers,
        Self::Drift,
        Self::Silence,
        Self::Bursts,
        Self::Quiet,
        Self::Clean,
    ];

    /// The name in printed rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Long => "long",
            Self::Noisy => "noisy",
            Self::Weak => "weak",
            Self::Outliers => "outliers",
            Self::Drift => "drift",
            Self::Silence => "silence",
            Self::Bursts => "bursts",
            Self::Quiet => "quiet",
            Self::Clean => "clean",
        }
    }

    /// Number of samples of a run.
    pub const fn length(self) -> u32 {
        match self {
            Self::Long => 10_000,
            _ => 1_500,
        }
    }

    /// Samples between two changes of the directions.
    const fn segment(self) -> u32 {
        match self {
            Self::Long => 5_000,
            Self::Drift => u32::MAX,
            _ => 500,
        }
    }

    const fn noise(self) -> f32 {
        match self {
            Self::Noisy => 0.15,
            Self::Quiet => 0.002,
            Self::Clean => 0.0,
            _ => 0.05,
        }
    }

    /// The generator of the samples, at the start of the stream.
    pub fn samples<const DIM: usize>(self, seed: u64) -> Samples<DIM> {
        Samples {
            stream: self,
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            directions: [[0.0; DIM]; 2],
            made: 0,
        }
    }
}

/// Generator of the samples.
pub struct Samples<const DIM: usize> {
    stream: Stream,
    rng: Xoshiro128PlusPlus,
    directions: [[f32; DIM]; 2],
    made: u32,
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed<const DIM: usize> {
    /// A sample whose loss counts.
    Counted([f32; DIM]),
    /// A sample whose loss does not count, because it says nothing about the directions.
    Uncounted([f32; DIM]),
}

impl<const DIM: usize> Samples<DIM> {
    /// Standard deviation of the number added to each entry of a direction at each sample of [`Stream::Drift`].
    const DRIFT: f32 = 0.01;

    /// An approximately normal number: the sum of twelve uniform numbers, minus 6.
    fn normal(&mut self) -> f32 {
        let mut sum = -6.0;
        for _ in 0..12 {
            sum += f32::uniform(&mut self.rng);
        }
        sum
    }

    /// The next sample.
    pub fn next_sample(&mut self) -> Observed<DIM> {
        let time = self.made;
        self.made += 1;
        if time.is_multiple_of(self.stream.segment()) {
            self.turn(0.0, 1.0);
        } else if self.stream == Stream::Drift {
            self.turn(1.0, Self::DRIFT);
        }
        let outlier = self.stream == Stream::Outliers && time % 50 == 49;
        if outlier {
            return Observed::Uncounted(self.isotropic(20.0));
        }
        let sample = self.regular();
        let factor = match self.stream {
            Stream::Silence if (time / 250) % 2 == 1 => 0.0,
            Stream::Bursts if (time / 25) % 2 == 1 => 0.1,
            _ => 1.0,
        };
        Observed::Counted(sample.map(|entry| factor * entry))
    }

    /// Replaces each direction d by `kept`·d + `new`·(normal numbers), scaled to length 1.
    fn turn(&mut self, kept: f32, new: f32) {
        for direction in 0..2 {
            let mut energy = 0.0;
            for channel in 0..DIM {
                let entry = kept * self.directions[direction][channel] + new * self.normal();
                self.directions[direction][channel] = entry;
                energy += entry * entry;
            }
            let scale = 1.0 / Scalar::sqrt(energy);
            for entry in &mut self.directions[direction] {
                *entry *= scale;
            }
        }
    }

    /// A sample along a random direction, with this energy.
    fn isotropic(&mut self, energy: f32) -> [f32; DIM] {
        let mut sample = [0.0; DIM];
        let mut sum = 0.0;
        for entry in &mut sample {
            *entry = self.normal();
            sum += *entry * *entry;
        }
        let scale = Scalar::sqrt(energy / sum);
        sample.map(|entry| scale * entry)
    }

    /// A sample of the two directions, with noise.
    fn regular(&mut self) -> [f32; DIM] {
        let weaker = if self.stream == Stream::Weak { 0.3 } else { 1.0 };
        let root_of_half = 0.707_106_77;
        let strengths = [root_of_half * self.normal(), weaker * root_of_half * self.normal()];
        let mut sample = [0.0; DIM];
        for channel in 0..DIM {
            for direction in 0..2 {
                sample[channel] += strengths[direction] * self.directions[direction][channel];
            }
            sample[channel] += self.stream.noise() * self.normal();
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energies(stream: Stream) -> impl Iterator<Item = (bool, f32)> {
        let mut samples = stream.samples::<20>(1);
        (0..stream.length()).map(move |_| match samples.next_sample() {
            Observed::Counted(sample) => (true, sample.iter().map(|entry| entry * entry).sum()),
            Observed::Uncounted(sample) => (false, sample.iter().map(|entry| entry * entry).sum()),
        })
    }

    #[test]
    fn outliers_are_every_fiftieth_sample_and_have_their_energy() {
        for (time, (counted, energy)) in energies(Stream::Outliers).enumerate() {
            assert_eq!(counted, time % 50 != 49);
            assert!(counted || (energy - 20.0).abs() < 1e-3);
        }
    }

    #[test]
    fn silence_and_bursts_last_as_long_as_documented() {
        for (time, (_, energy)) in energies(Stream::Silence).enumerate() {
            assert_eq!(energy == 0.0, (time / 250) % 2 == 1);
        }
        let quiet: f32 = energies(Stream::Bursts)
            .skip(25)
            .take(25)
            .map(|(_, energy)| energy)
            .sum();
        assert!(quiet < 0.5, "{quiet}");
    }

    #[test]
    fn each_stream_has_the_noise_of_its_name() {
        // On average the noise adds 20 · 0.15² or 20 · 0.05² to the energy of 20 channels.
        let mean = |stream: Stream| energies(stream).map(|(_, energy)| energy).sum::<f32>() / stream.length() as f32;
        // Both streams have the same seed, so they have equal directions and strengths.
        assert!((mean(Stream::Noisy) - mean(Stream::Shift) - 0.4).abs() < 0.03);
        // On average the directions give an energy of 1 and the noise gives 0.05.
        assert!((mean(Stream::Long) - 1.05).abs() < 0.05);
    }
}
