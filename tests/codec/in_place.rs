//! Tests of `decode_into`, which exchanges a learner with an image, and of `encode_mut`.

use eigenstream::rand_core::{Rng, SeedableRng};
use eigenstream_registry::{CHOICES, Subject};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, live, look};
use crate::round_trip::sample;
use crate::saved::{image, seal};

fn grown<L: Subject<DIM>>(choice: usize, samples: usize) -> L {
    let mut learner = L::fresh(choice);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(5);
    for _ in 0..samples {
        let sample = sample(&mut rng);
        assert!(live(&mut learner, &sample, &mut rng).is_ok());
    }
    learner
}

/// Compares all answers of two learners, now and while both learn 12 more samples.
fn assert_alike<L: Subject<DIM>>(left: &mut L, right: &mut L, what: &str) {
    let probe = [0.1, 0.2, 0.3, 0.4];
    assert_eq!(image(left), image(right), "{what}");
    assert_eq!(look(left, &probe), look(right, &probe), "{what}");
    let mut stream = Xoshiro128PlusPlus::seed_from_u64(17);
    let mut rngs = [3, 3].map(Xoshiro128PlusPlus::seed_from_u64);
    for _ in 0..12 {
        let sample = sample(&mut stream);
        let said = live(left, &sample, &mut rngs[0]);
        assert_eq!(said, live(right, &sample, &mut rngs[1]), "{what}");
    }
}

struct Exchanges;

impl Question for Exchanges {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        for choice in 0..CHOICES {
            for (before, saved) in [(0, 0), (0, 40), (40, 0), (7, 40), (40, 3)] {
                let what = format!("{name}, settings {choice}, {saved} samples in the place of {before}");
                let (mut learner, mut other) = (grown::<L>(0, before), grown::<L>(choice, saved));
                let (old, mut bytes) = (image(&learner), image(&other));
                assert_eq!(learner.decode_into(&mut bytes), Ok(()), "{what}");
                assert_eq!(bytes, old, "{what}");
                let mut twice = learner.clone();
                assert_alike(&mut learner, &mut other, &what);
                assert_eq!(twice.decode_into(&mut bytes), Ok(()), "{what}");
                assert_alike(&mut twice, &mut grown(0, before), &what);
            }
        }
    }
}

#[test]
fn restoring_in_place_leaves_the_old_learner_in_the_buffer() {
    ask_all(&mut Exchanges);
}

struct Writing;

impl Question for Writing {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        for choice in 0..CHOICES {
            for samples in [0, 3, 40] {
                let what = format!("{name}, settings {choice}, {samples} samples");
                let mut learner = grown::<L>(choice, samples);
                let whole = image(&learner);
                let mut short = vec![7; whole.len() - 1];
                assert!(learner.encode_mut(&mut short).is_err(), "{what}");
                assert!(short.iter().all(|&byte| byte == 7), "{what}");
                // A floating-point number that is read from these bytes is NaN.
                let mut bytes = vec![0xff; whole.len() + 5];
                assert_eq!(learner.encode_mut(&mut bytes), Ok(whole.len()), "{what}");
                assert_eq!(bytes[..whole.len()], whole, "{what}");
                assert_eq!(bytes[whole.len()..], [0xff; 5], "{what}");
                assert_alike(&mut learner, &mut grown(choice, samples), &what);
            }
        }
    }
}

#[test]
fn encode_mut_writes_the_image_of_encode_and_keeps_the_learner() {
    ask_all(&mut Writing);
}

struct Tampering {
    refused: usize,
    taken: usize,
}

impl Question for Tampering {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let whole = image(&grown::<L>(1, 40));
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(29);
        let before = grown::<L>(0, 25);
        for round in 0..300 {
            let mut tampered = whole.clone();
            let content = tampered.len() - 24;
            for _ in 0..1 + rng.next_u32() % 3 {
                let place = 20 + rng.next_u32() as usize % content;
                match rng.next_u32() % 3 {
                    0 => tampered[place] ^= 1 << (rng.next_u32() % 8),
                    1 => tampered[place] = 0xff,
                    _ => tampered[place] = rng.next_u32() as u8,
                }
            }
            seal(&mut tampered);
            let what = format!("{name}, round {round}");
            let decoded = L::decode(&tampered);
            let mut learner = before.clone();
            let mut bytes = tampered.clone();
            match (learner.decode_into(&mut bytes), decoded) {
                (Ok(()), Ok(decoded)) => {
                    self.taken += 1;
                    assert_eq!(bytes, image(&before), "{what}");
                    assert_eq!(image(&learner), image(&decoded), "{what}");
                    let probe = [0.1, 0.2, 0.3, 0.4];
                    assert_eq!(look(&learner, &probe), look(&decoded, &probe), "{what}");
                }
                (Err(error), Err(expected)) => {
                    self.refused += 1;
                    assert_eq!(error, expected, "{what}");
                    assert_eq!(bytes, tampered, "{what}");
                    assert_alike(&mut learner, &mut before.clone(), &what);
                }
                (in_place, decoded) => unreachable!("{what}: {in_place:?}, decoded {:?}", decoded.err()),
            }
        }
    }
}

#[test]
fn a_refused_image_changes_neither_the_learner_nor_the_buffer() {
    let mut tampering = Tampering { refused: 0, taken: 0 };
    ask_all(&mut tampering);
    assert!(
        tampering.refused > 1_000 && tampering.taken > 1_000,
        "{} and {}",
        tampering.refused,
        tampering.taken
    );
}
