//! The machine of the demo: a motor with six sensors, made on the chip from a seed. Load and speed wander, the windings warm up
//! behind the load, every sensor has noise of its own. One reading is wild while the monitor still learns, the motor idles for a
//! while, and three faults set in one after the other.

use core::ops::Range;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

/// Sensors.
pub const DIM: usize = 6;

/// What each sensor measures, in the order of the channels.
pub const CHANNELS: [&str; DIM] = [
    "radial vibration",
    "axial vibration",
    "current",
    "winding temperature",
    "bearing temperature",
    "speed",
];

/// Samples of a whole run.
pub const LENGTH: u32 = 7_600;

/// Samples that the monitor is given to learn what is normal.
pub const TRAINING: u32 = 2_000;

/// A loose plug: in this one sample the winding temperature reads [`WILD_READING`].
pub const LOOSE_PLUG: u32 = 900;

/// The reading of a loose plug.
pub const WILD_READING: f32 = -9_999.0;

/// The motor idles in these samples: load and speed stand still, only the noise of the sensors is left. No fault.
pub const IDLE: Range<u32> = 2_100..2_500;

/// A fault, from one sample to another, on one channel.
pub struct Fault {
    /// What people call it.
    pub name: &'static str,
    /// Its first sample.
    pub from: u32,
    /// The first sample without it.
    pub to: u32,
    /// So many samples after its first one it must be in alarm, and stay in alarm until its end.
    pub found_within: u32,
    /// The channel that shows it.
    pub channel: usize,
}

/// Everything that goes wrong.
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
    /// The load as the windings feel it.
    heat: f32,
    /// The last healthy reading of the current, at which its sensor gets stuck.
    current: f32,
    time: u32,
}

impl Motor {
    /// The motor at its start.
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
            // An imbalance shakes at once, and the more the faster.
            radial
                + if imbalance.is_some() {
                    0.5 + 0.1 * self.speed
                } else {
                    0.0
                },
            axial,
            self.current,
            winding,
            // Wear heats the bearing little by little.
            bearing + 24.0 * wear.unwrap_or(0.0),
            1_480.0 + 10.0 * self.speed + 2.0 * noise[5],
        ]
    }

    /// Between −1 and 1.
    fn chance(&mut self) -> f32 {
        2.0 * f32::uniform(&mut self.rng) - 1.0
    }

    /// How much of a fault has passed, from 0 to 1, while it is there.
    fn progress(&self, fault: &Fault) -> Option<f32> {
        (fault.from..fault.to)
            .contains(&self.time)
            .then(|| (self.time - fault.from) as f32 / (fault.to - fault.from) as f32)
    }
}
