//! The machine of the demo: a motor with six sensors, simulated on the chip from a seed.
//! Load and speed vary, the temperature of the windings follows the load with a delay, and every sensor has noise. One
//! reading is wrong during the training, the motor idles for a time, and three faults follow.

use core::ops::Range;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Number of sensors.
pub const DIM: usize = 6;

/// Names of the channels.
pub const CHANNELS: [&str; DIM] = [
    "radial vibration",
    "axial vibration",
    "current",
    "winding temperature",
    "bearing temperature",
    "speed",
];

/// Number of samples of a run.
pub const LENGTH: u32 = 7_600;

/// Number of samples of the training.
pub const TRAINING: u32 = 2_000;

/// In this sample a loose plug makes the winding temperature read [`WILD_READING`].
pub const LOOSE_PLUG: u32 = 900;

/// The reading of a loose plug.
pub const WILD_READING: f32 = -9_999.0;

/// The motor idles in these samples, which is not a fault: load and speed return to their means.
pub const IDLE: Range<u32> = 2_100..2_500;

/// A fault on one channel.
pub struct Fault {
    /// Name in the output.
    pub name: &'static str,
    /// First sample of the fault.
    pub from: u32,
    /// First sample after the fault.
    pub to: u32,
    /// The alarm must start within this many samples after `from` and last until the end of the fault.
    pub found_within: u32,
    /// The channel with the fault.
    pub channel: usize,
}

/// The three faults.
pub const FAULTS: [Fault; 3] = [
    Fault {
        name: "imbalance",
        from: 3_000,
        to: 3_300,
        found_within: 100,
        channel: 0,
    },
    Fault {
        name: "bearing wear",
        from: 3_600,
        to: 6_200,
        found_within: 300,
        channel: 4,
    },
    Fault {
        name: "stuck sensor",
        from: 6_600,
        to: 7_100,
        found_within: 100,
        channel: 2,
    },
];

/// The motor.
pub struct Motor {
    rng: Xoshiro128PlusPlus,
    load: f32,
    speed: f32,
    /// The delayed load, which heats windings and bearing.
    heat: f32,
    /// The last reading of the current while its sensor was not stuck.
    current: f32,
    time: u32,
}

impl Motor {
    /// Creates the motor at time 0.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
            load: 0.0,
            speed: 0.0,
            heat: 0.0,
            current: 0.0,
            time: 0,
        }
    }

    /// The next reading of all sensors.
    pub fn read(&mut self) -> [f32; DIM] {
        let drive = if IDLE.contains(&self.time) { 0.0 } else { 1.0 };
        self.load = 0.97 * self.load + 0.4 * drive * self.chance();
        self.speed = 0.95 * self.speed + 0.5 * drive * self.chance();
        self.heat += (self.load - self.heat) / 4.0;
        let noise: [f32; DIM] = core::array::from_fn(|_| self.chance());
        let [imbalance, wear, stuck] = FAULTS.each_ref().map(|fault| self.progress(fault));
        let radial = 1.2 + 0.25 * self.speed + 0.1 * self.load + 0.1 * noise[0];
        let axial = 0.8 + 0.2 * self.speed - 0.15 * self.load + 0.1 * noise[1];
        let current = 8.0 + 1.5 * self.load + 0.5 * self.speed + 0.2 * noise[2];
        if stuck.is_none() {
            self.current = current;
        }
        let winding = if self.time == LOOSE_PLUG {
            WILD_READING
        } else {
            60.0 + 3.0 * self.heat + 2.0 * noise[3]
        };
        let bearing = 45.0 + self.heat + 1.0 * self.speed + 1.0 * noise[4];
        self.time += 1;
        [
            // An imbalance adds vibration at once, more at higher speed.
            radial
                + if imbalance.is_some() {
                    0.5 + 0.1 * self.speed
                } else {
                    0.0
                },
            axial,
            self.current,
            winding,
            // Wear heats the bearing slowly.
            bearing + 24.0 * wear.unwrap_or(0.0),
            1_480.0 + 10.0 * self.speed + 2.0 * noise[5],
        ]
    }

    /// A random number between −1 and 1.
    fn chance(&mut self) -> f32 {
        2.0 * f32::uniform(&mut self.rng) - 1.0
    }

    /// The part of the fault's duration that has passed, from 0 to 1; `None` outside of the fault.
    fn progress(&self, fault: &Fault) -> Option<f32> {
        (fault.from..fault.to)
            .contains(&self.time)
            .then(|| (self.time - fault.from) as f32 / (fault.to - fault.from) as f32)
    }
}
