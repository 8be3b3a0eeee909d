//! A hunt for streams that break the certified bound.
//! In: a first seed and a number of streams. Out: for each class of streams and settings, how many were tried and the largest
//! total loss as a part of its bound.
//! Method: each seed draws a class of streams, the sizes of a learner, a number type and settings. The total loss is held against
//! (η·L + D + E + share)/(1 − e^(−η)) in the units of the learner's scale, with L from the scatter in `f64`.
//! Cost: some milliseconds a stream.

mod adversary;
mod long;
mod subject;
mod trial;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

pub use long::{LongStream, long_streams};

/// How a stream is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Directions without order.
    Random,
    /// Some axes in turn, then others.
    Cycling,
    /// One direction after the other of a random basis, each for a while.
    Orthogonal,
    /// The sample that costs the learner most, found by climbing from one sample to a better one.
    Climbing,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 4] = [Self::Random, Self::Cycling, Self::Orthogonal, Self::Climbing];
}

/// What one stream is learned with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// η·q at the largest energy q that is expected.
    pub rate: f64,
    /// Largest evidence.
    pub ceiling: Option<f64>,
    /// α of a uniform share; zero for none.
    pub share: f64,
    /// Whether the rate is measured against the running energy.
    pub scale: Scale,
}

/// Against what the learning rate is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The unit of energy.
    Off,
    /// The mean energy so far.
    Running,
}

/// How the outcomes are counted: everything of a setting but its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// RANK < DIM.
    pub rank_cap: bool,
    /// Some ceiling.
    pub ceiling: bool,
    /// Some share.
    pub share: bool,
    /// A running scale.
    pub scale: bool,
}

impl Kind {
    /// Every kind: the papers' own setting first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16_u8).map(|bits| Self {
            rank_cap: bits & 1 > 0,
            ceiling: bits & 2 > 0,
            share: bits & 4 > 0,
            scale: bits & 8 > 0,
        })
    }
}

/// Outcomes of one class and kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// How many streams there were.
    pub streams: u64,
    /// Largest total loss as a part of its bound.
    pub worst: f64,
    /// The seed of that stream.
    pub seed: u64,
}

/// A total loss above its bound.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What makes the stream again.
    pub seed: u64,
    /// Learner, class and settings.
    pub learner: String,
    /// Total loss
    pub total: f64,
    /// and its bound.
    pub bound: f64,
}

/// What a hunt has found.
pub struct Findings {
    /// In the order of [`Kind::all`], then of [`Class::ALL`].
    pub cells: Vec<[Cell; 4]>,
    /// Every stream that broke its bound.
    pub violations: Vec<Violation>,
}

impl Findings {
    /// Largest part of a bound that was reached with a rank cap or a ceiling.
    pub fn worst_of_restrained(&self) -> f64 {
        let restrained = Kind::all()
            .zip(&self.cells)
            .filter(|(kind, _)| kind.rank_cap || kind.ceiling);
        restrained
            .flat_map(|(_, cells)| cells.iter().map(|cell| cell.worst))
            .fold(0.0, f64::max)
    }
}

/// Tries so many streams from the first seed on; after the largest seed comes 0. `done` is called after each.
pub fn hunt(first_seed: u64, streams: u64, done: &mut dyn FnMut()) -> Findings {
    let mut findings = Findings {
        cells: vec![[Cell::default(); 4]; 16],
        violations: Vec::new(),
    };
    for seed in (0..streams).map(|place| first_seed.wrapping_add(place)) {
        let mut dice = Dice::new(seed);
        let class = Class::ALL[dice.below(4)];
        let setting = Setting {
            rate: 0.05 * 100.0_f64.powf(dice.uniform()),
            ceiling: [None, Some(36.0), Some(14.0), Some(3.0)][dice.below(4)],
            share: [0.0, 0.0, 1e-3, 0.03][dice.below(4)],
            scale: [Scale::Off, Scale::Running][dice.below(2)],
        };
        let learner = &subject::ALL[dice.below(subject::ALL.len())];
        let outcome = (learner.run)(class, &setting, &mut dice);
        let kind = Kind {
            rank_cap: learner.rank < learner.dim,
            ceiling: setting.ceiling.is_some(),
            share: setting.share > 0.0,
            scale: setting.scale == Scale::Running && learner.has_scale,
        };
        let ratio = outcome.total / outcome.bound;
        for (_, cells) in Kind::all().zip(&mut findings.cells).filter(|(it, _)| *it == kind) {
            let cell = &mut cells[class as usize];
            cell.streams += 1;
            if ratio > cell.worst {
                (cell.worst, cell.seed) = (ratio, seed);
            }
        }
        if !outcome.holds() {
            findings.violations.push(Violation {
                seed,
                learner: format!("{} {class:?} {setting:?}", learner.name),
                total: outcome.total,
                bound: outcome.bound,
            });
        }
        done();
    }
    findings
}

/// Chance from one seed.
pub(crate) struct Dice {
    rng: Xoshiro128PlusPlus,
}

impl Dice {
    fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
        }
    }

    /// Between zero and one.
    fn uniform(&mut self) -> f64 {
        f64::uniform(&mut self.rng)
    }

    /// A whole number below `count`.
    fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// Near a normal number of variance one.
    fn swing(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.uniform()).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }

    /// A direction without preference, nearly.
    fn direction<const DIM: usize>(&mut self) -> [f64; DIM] {
        unit(core::array::from_fn(|_| self.swing()))
    }
}

/// The vector at length one; the first axis for a vector of zeros.
fn unit<const DIM: usize>(vector: [f64; DIM]) -> [f64; DIM] {
    let length = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if length > 1e-9 {
        vector.map(|entry| entry / length)
    } else {
        axis(0)
    }
}

/// One axis.
fn axis<const DIM: usize>(index: usize) -> [f64; DIM] {
    core::array::from_fn(|i| f64::from(u8::from(i == index)))
}
