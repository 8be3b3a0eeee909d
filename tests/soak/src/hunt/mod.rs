//! A hunt for streams that break the certified bound.
//! In: a first seed and a number of streams. Out: for each class of streams and settings, the number tried and the
//! largest ratio of total loss and bound.
//! Method: each seed draws a class, a learner, a number type and settings. The total loss must not exceed
//! Q²·(η·L + D + E + share)/(1 − e^(−ηQ²)), with the rate η, the largest scaled energy Q², the loss L of the best
//! subspace from the scatter matrix in `f64`, the divergence D, the excess E and the charge for the share.

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
    /// Random directions.
    Random,
    /// Each of some axes in turn; from time to time, other axes.
    Cycling,
    /// Directions of a random orthonormal basis in turn, each for some samples.
    Orthogonal,
    /// Samples with a large loss, found by random search.
    Climbing,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 4] = [Self::Random, Self::Cycling, Self::Orthogonal, Self::Climbing];
}

/// Settings of one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Learning rate η, for energies in units of `scale`.
    pub rate: f64,
    /// Largest evidence.
    pub ceiling: Option<f64>,
    /// Weight of a uniform share; zero for no share.
    pub share: f64,
    /// Unit of the learning rate.
    pub scale: Scale,
}

/// Unit of energy for the learning rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The unit is energy 1.
    Off,
    /// The unit is the mean energy so far.
    Running,
}

/// Settings without their numbers, for the table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Whether RANK is below DIM.
    pub rank_cap: bool,
    /// Whether there is a ceiling.
    pub ceiling: bool,
    /// Whether there is a share.
    pub share: bool,
    /// Whether the scale is running.
    pub scale: bool,
}

impl Kind {
    /// Every kind; the first is the setting of the papers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16_u8).map(|bits| Self {
            rank_cap: bits & 1 > 0,
            ceiling: bits & 2 > 0,
            share: bits & 4 > 0,
            scale: bits & 8 > 0,
        })
    }
}

/// Results of one class and kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// Streams tried.
    pub streams: u64,
    /// Largest ratio of total loss and bound.
    pub worst: f64,
    /// Seed of the stream with this ratio.
    pub seed: u64,
}

/// A total loss above its bound.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Seed that makes the stream again.
    pub seed: u64,
    /// Learner, class and settings.
    pub learner: String,
    /// Total loss.
    pub total: f64,
    /// Certified bound.
    pub bound: f64,
}

/// Result of a hunt.
pub struct Findings {
    /// Rows in the order of [`Kind::all`], columns in that of [`Class::ALL`].
    pub cells: Vec<[Cell; 4]>,
    /// Every stream that broke its bound.
    pub violations: Vec<Violation>,
}

impl Findings {
    /// Largest ratio of total loss and bound, among the kinds with a rank cap or a ceiling.
    pub fn worst_of_restrained(&self) -> f64 {
        let restrained = Kind::all()
            .zip(&self.cells)
            .filter(|(kind, _)| kind.rank_cap || kind.ceiling);
        restrained
            .flat_map(|(_, cells)| cells.iter().map(|cell| cell.worst))
            .fold(0.0, f64::max)
    }
}

/// Tries `streams` seeds from the first on, wrapping after the largest; calls `done` after each.
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

/// Random numbers of one seed.
pub(crate) struct Dice {
    rng: Xoshiro128PlusPlus,
}

impl Dice {
    fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
        }
    }

    /// A random number between zero and one.
    fn uniform(&mut self) -> f64 {
        f64::uniform(&mut self.rng)
    }

    /// A whole number below `count`.
    fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// A random number, approximately normal, with variance 1.
    fn swing(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.uniform()).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }

    /// A random direction, approximately isotropic.
    fn direction<const DIM: usize>(&mut self) -> [f64; DIM] {
        unit(core::array::from_fn(|_| self.swing()))
    }
}

/// The vector scaled to length 1; the first axis if the length of the vector is at most 10⁻⁹.
fn unit<const DIM: usize>(vector: [f64; DIM]) -> [f64; DIM] {
    let length = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if length > 1e-9 {
        vector.map(|entry| entry / length)
    } else {
        axis(0)
    }
}

/// The unit vector of an axis.
fn axis<const DIM: usize>(index: usize) -> [f64; DIM] {
    core::array::from_fn(|i| f64::from(u8::from(i == index)))
}
