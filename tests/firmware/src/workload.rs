//! The standard streams of the benchmarks, made on the chip, so that every run has the same bits.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// W1, "shift": Gaussian samples of rank 2 in DIM channels.
pub type Shift<const DIM: usize> = Sources<DIM, 2>;

/// Gaussian samples of rank SOURCES, shortened to length 1 if longer, plus noise of 0.05 in each channel; the
/// directions change every [`Sources::SEGMENT`] samples.
pub struct Sources<const DIM: usize, const SOURCES: usize> {
    rng: Xoshiro128PlusPlus,
    basis: [[f32; DIM]; SOURCES],
    made: u32,
}

impl<const DIM: usize, const SOURCES: usize> Sources<DIM, SOURCES> {
    /// Samples between two changes of the directions.
    pub const SEGMENT: u32 = 500;
    /// Number of samples of a run of W1.
    pub const LENGTH: u32 = 3 * Self::SEGMENT;
    const NOISE: f32 = 0.05;

    /// Creates the stream.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            basis: [[0.0; DIM]; SOURCES],
            made: 0,
        }
    }

    /// An approximately normal number: the sum of twelve uniform numbers, minus 6.
    fn normal(&mut self) -> f32 {
        let mut sum = -6.0;
        for _ in 0..12 {
            sum += f32::uniform(&mut self.rng);
        }
        sum
    }

    /// The next sample.
    pub fn next_sample(&mut self) -> [f32; DIM] {
        if self.made.is_multiple_of(Self::SEGMENT) {
            for column in 0..SOURCES {
                for row in 0..DIM {
                    self.basis[column][row] = self.normal();
                }
            }
        }
        self.made += 1;
        let strengths: [f32; SOURCES] = core::array::from_fn(|_| self.normal());
        let mut sample = [0.0; DIM];
        let mut energy = 0.0;
        for row in 0..DIM {
            for source in 0..SOURCES {
                sample[row] += strengths[source] * self.basis[source][row];
            }
            energy += sample[row] * sample[row];
        }
        let scale = if energy > 1.0 { 1.0 / Scalar::sqrt(energy) } else { 1.0 };
        for value in &mut sample {
            *value = *value * scale + Self::NOISE * self.normal();
        }
        sample
    }
}

/// W4, "imu": a six-axis inertial sensor on a rotating machine, in raw counts. From sample [`Imu::FAULT`] on, one
/// gyroscope axis has additional noise of ±400 counts.
pub struct Imu {
    rng: Xoshiro128PlusPlus,
    /// Angle of the shaft, as a point on the unit circle.
    phase: [f32; 2],
    made: u32,
}

impl Imu {
    /// Channels: three of acceleration, three of rotation.
    pub const DIM: usize = 6;
    /// Number of samples of a run.
    pub const LENGTH: u32 = 2_000;
    /// First sample of the fault.
    pub const FAULT: u32 = 1_800;
    /// Channel of the fault.
    pub const GUILTY: usize = 4;

    /// Creates the stream.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            phase: [1.0, 0.0],
            made: 0,
        }
    }

    /// The next sample: 16,384 counts are 1 g, 131 counts are one degree per second.
    pub fn next_sample(&mut self) -> [i16; Self::DIM] {
        let [x, y] = self.phase;
        // A rotation by 0.3 radians; the division keeps the point on the circle.
        let (cosine, sine) = (0.955_336_5, 0.295_520_2);
        let turned = [x * cosine - y * sine, x * sine + y * cosine];
        let length = Scalar::sqrt(turned[0] * turned[0] + turned[1] * turned[1]);
        self.phase = turned.map(|entry| entry / length);
        let rattle = if self.made >= Self::FAULT {
            800.0 * (f32::uniform(&mut self.rng) - 0.5)
        } else {
            0.0
        };
        self.made += 1;
        let shapes = [
            [900.0, 0.0],
            [0.0, 700.0],
            [300.0, 200.0],
            [0.0, 250.0],
            [220.0, 40.0],
            [60.0, -180.0],
        ];
        let rest = [120.0, -340.0, 16_300.0, 15.0, -22.0, 4.0];
        core::array::from_fn(|channel| {
            let [along, across] = shapes[channel];
            let noise = 40.0 * (f32::uniform(&mut self.rng) - 0.5);
            let fault = if channel == Self::GUILTY { rattle } else { 0.0 };
            (rest[channel] + along * x + across * y + noise + fault) as i16
        })
    }
}

/// The stream of `examples/accelerometer.rs` before the screw comes loose: a machine shakes along one direction, with
/// uniform noise of ±0.02.
pub struct Accelerometer {
    rng: Xoshiro128PlusPlus,
}

impl Accelerometer {
    const DIRECTION: [f32; 3] = [0.48, 0.6, 0.64];
    const NOISE: f32 = 0.02;

    /// Creates the stream.
    #[expect(clippy::new_without_default, reason = "a stream has a start and no default")]
    pub fn new() -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(1),
        }
    }

    /// The next sample.
    pub fn next_sample(&mut self) -> [f32; 3] {
        let mut signal = || 2.0 * f32::uniform(&mut self.rng) - 1.0;
        let swing = signal();
        Self::DIRECTION.map(|part| swing * part + Self::NOISE * signal())
    }
}
