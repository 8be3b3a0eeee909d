//! An image that is damaged, or belongs to another learner, is refused, and the error says why.

use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{CenteredPca, DensityPca, DensitySettings, TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Codec, CodecError, SettingsError};
use eigenstream_registry::Subject;
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, live};
use crate::round_trip::sample;
use crate::saved::{image, seal};

fn grown<L: Subject<DIM>>() -> L {
    let mut learner = L::fresh(1);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(5);
    for _ in 0..50 {
        let sample = sample(&mut rng);
        assert!(live(&mut learner, &sample, &mut rng).is_ok());
    }
    learner
}

struct Flips;

impl Question for Flips {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let mut image = image(&grown::<L>());
        for bit in 0..8 * image.len() {
            image[bit / 8] ^= 1 << (bit % 8);
            assert!(L::decode(&image).is_err(), "{name}, bit {bit}");
            image[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(L::decode(&image).is_ok(), "{name}");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    ask_all(&mut Flips);
}

struct Truncations;

impl Question for Truncations {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let whole = image(&grown::<L>());
        for length in 0..whole.len() {
            let refused = L::decode(&whole[..length]).err();
            assert!(
                matches!(refused, Some(CodecError::Torn { found, .. }) if found == length),
                "{name}, {length}"
            );
            // In flash, the bytes that were not written are still 0xff.
            let mut page = whole.clone();
            page[length..].fill(0xff);
            assert!(L::decode(&page).is_err() || page == whole, "{name}, {length} written");
        }
    }
}

#[test]
fn every_incomplete_image_is_refused() {
    ask_all(&mut Truncations);
}

#[derive(Default)]
struct Strangers {
    images: Vec<(String, Vec<u8>)>,
}

impl Question for Strangers {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        for (other, image) in &self.images {
            let refused = L::decode(image).err();
            // The headers of two monitors may differ only in the sizes.
            let told = matches!(
                refused,
                Some(
                    CodecError::Learner { .. }
                        | CodecError::Precision { .. }
                        | CodecError::Kernel { .. }
                        | CodecError::Sizes { .. }
                )
            );
            assert!(told, "{name} on {other}: {refused:?}");
        }
        self.images.push((name.to_owned(), image(&grown::<L>())));
    }
}

#[test]
fn every_learner_refuses_the_images_of_other_learners() {
    ask_all(&mut Strangers::default());
}

/// Changes an image with `tamper`, repairs its checksum and returns the error of `decode`.
fn refusal<L: Subject<DIM>>(tamper: impl FnOnce(&mut [u8])) -> Option<CodecError> {
    let mut image = image(&grown::<L>());
    tamper(&mut image);
    seal(&mut image);
    L::decode(&image).err()
}

type Tracking = TrackingPca<f32, DIM, 2, DIM>;

#[test]
fn an_error_says_what_is_wrong_with_the_header() {
    let sizes = CodecError::Sizes { found: [5, 2, 4, 0] };
    for (place, byte, error) in [
        (0, b'E', CodecError::Magic),
        (4, 2, CodecError::Version { found: 2 }),
        (5, 3, CodecError::Learner { found: 3 }),
        (6, 8, CodecError::Precision { found: 8 }),
        (7, 1, CodecError::Kernel { found: 1 }),
        (8, 5, sizes),
    ] {
        assert_eq!(refusal::<Tracking>(|image| image[place] = byte), Some(error));
    }
    let other = image(&TrackingPca::<f32, 5, 2, 4>::new(TrackingSettings::DEFAULT));
    assert_eq!(Tracking::decode(&other).err(), Some(sizes));
}

/// Overwrites the number that begins `offset` bytes after the header.
fn number(offset: usize, value: f32) -> impl FnOnce(&mut [u8]) {
    move |image| image[20 + offset..24 + offset].copy_from_slice(&value.to_le_bytes())
}

// Offsets of fields in the image of a tracking learner, from the end of the header.
const SETTINGS: usize = 4 * 4 + 5;
const DIRECTIONS: usize = SETTINGS + 5 + 8;
const DROPS: usize = DIRECTIONS + 4 * DIM * DIM + 4 * DIM;
const EXCESS: usize = DROPS + 4 * DIM + 8;
const RANK: usize = EXCESS + 8;
// In the image of a `CenteredPca`, 19 bytes of settings and three vectors come before the scatter.
const SCATTER: usize = 19 + 3 * 4 * DIM;

#[test]
fn an_error_says_what_is_wrong_with_the_content() {
    let settings = CodecError::Settings;
    for (offset, value, error) in [
        (0, -1.0, settings(SettingsError::LearningRate)),
        (0, f32::NAN, CodecError::NotANumber),
        (4, 0.0, settings(SettingsError::Ceiling)),
        (4, f32::MAX, CodecError::Range),
        (8, 0.5, CodecError::Probability),
        (12, 2.0, settings(SettingsError::Share)),
        (SETTINGS + 5, -1.0, CodecError::Range),
        (DIRECTIONS, 2.0, CodecError::Directions),
        (DIRECTIONS, f32::INFINITY, CodecError::NotANumber),
        (DROPS, 1.5, CodecError::Probability),
        (DROPS - 4 * DIM, f32::MAX, CodecError::Range),
        (EXCESS, -1.0, CodecError::Range),
        (EXCESS, f32::MAX, CodecError::Range),
    ] {
        assert_eq!(
            refusal::<Tracking>(number(offset, value)),
            Some(error),
            "{value} at {offset}"
        );
    }
    for (offset, byte, error) in [(16, 9, CodecError::Choice), (RANK, 5, CodecError::Count)] {
        assert_eq!(refusal::<Tracking>(|image| image[20 + offset] = byte), Some(error));
    }
    for (offset, value, error) in [
        (SCATTER + 4 * DIM, 1e30, CodecError::Range),
        (9, 0.0, settings(SettingsError::Forgetting)),
    ] {
        let refused = refusal::<CenteredPca<f32, DIM, 2>>(number(offset, value));
        assert_eq!(refused, Some(error));
    }
    assert_eq!(
        refusal::<DensityPca<f32, DIM, 2>>(number(14, 0.5)),
        Some(CodecError::Directions)
    );
}

#[test]
fn a_probability_just_below_zero_is_refused_because_its_root_is_nan() {
    assert_eq!(
        refusal::<Tracking>(number(DROPS, -f32::MIN_POSITIVE)),
        Some(CodecError::Probability)
    );
}

#[test]
fn a_drop_probability_slightly_above_one_gives_keep_probability_zero() {
    let mut image = image(&grown::<Tracking>());
    number(DROPS, 1.0 + 32.0 * f32::EPSILON)(&mut image);
    seal(&mut image);
    let pca = Tracking::decode(&image);
    assert_eq!(pca.map(|pca| pca.keep_probabilities()[0]), Ok(0.0));
}

#[test]
fn directions_without_a_bulk_are_refused() {
    // The excess takes the eight bytes before RANK. The number before it is the drop probability of the bulk.
    const BULK_DROP: usize = RANK - 12;
    assert_eq!(refusal::<Tracking>(number(BULK_DROP, 0.0)), Some(CodecError::Range));
}

#[test]
fn a_bulk_with_impossible_numbers_is_refused() {
    const BULK: usize = RANK - 16;
    assert_eq!(refusal::<Tracking>(number(BULK, -f32::MAX)), Some(CodecError::Range));
    assert_eq!(
        refusal::<Tracking>(number(BULK + 4, 1.5)),
        Some(CodecError::Probability)
    );
}

#[test]
fn an_image_longer_than_its_learner_is_refused() {
    let mut long = image(&grown::<Tracking>());
    let end = long.len() - 4;
    long.splice(end..end, [0; 4]);
    let length = u32::from_le_bytes([long[16], long[17], long[18], long[19]]) + 4;
    long[16..20].copy_from_slice(&length.to_le_bytes());
    seal(&mut long);
    assert_eq!(Tracking::decode(&long).err(), Some(CodecError::Count));
    assert_eq!(grown::<Tracking>().decode_into(&mut long), Err(CodecError::Count));
}

#[test]
fn bytes_in_the_place_of_an_absent_value_are_refused() {
    type Density = DensityPca<f32, DIM, 2>;
    const PRESENCE: usize = 20 + 14 + 4 * DIM * DIM;
    let mut fresh = image(&Density::new(DensitySettings::DEFAULT));
    assert_eq!(fresh[PRESENCE], 0);
    fresh[PRESENCE + 5] = 1;
    seal(&mut fresh);
    assert_eq!(Density::decode(&fresh).err(), Some(CodecError::Choice));
    assert_eq!(
        Density::new(DensitySettings::DEFAULT).decode_into(&mut fresh),
        Err(CodecError::Choice)
    );
}

#[test]
fn a_total_weight_below_that_of_the_last_sample_is_refused() {
    const WEIGHT: usize = SCATTER + 4 * DIM * DIM;
    let light = refusal::<CenteredPca<f32, DIM, 2>>(number(WEIGHT, f32::from_bits(1)));
    assert_eq!(light, Some(CodecError::Range));
}

#[test]
fn a_negative_variance_of_a_channel_is_refused() {
    let negative = refusal::<CenteredPca<f32, DIM, 2>>(number(SCATTER, -1e-6));
    assert_eq!(negative, Some(CodecError::Range));
}

#[test]
fn an_explained_variance_ratio_never_exceeds_one() {
    // Between scatter and eigenvalues are a weight, a count, the scale and two choices.
    const EIGENVALUES: usize = SCATTER + 4 * DIM * DIM + 4 + 8 + 5 + 8 + 2;
    let mut image = image(&grown::<CenteredPca<f32, DIM, 2>>());
    number(EIGENVALUES, 1e9)(&mut image);
    seal(&mut image);
    let pca = CenteredPca::<f32, DIM, 2>::decode(&image);
    assert_eq!(pca.map(|pca| pca.explained_variance_ratio()[0]), Ok(1.0));
}

#[test]
fn inverse_roots_that_do_not_fit_the_eigenvalues_are_refused() {
    type Online = OnlineKernelPca<f32, Linear, DIM, 2, 6, 5>;
    let mut pca = Online::new(Linear, OnlineKernelSettings::DEFAULT);
    for axis in 0..DIM {
        let mut sample = [0.0; DIM];
        sample[axis] = 1.0 + axis as f32;
        assert_eq!(pca.learn(&sample), Ok(()));
    }
    let mut image = image(&pca);
    assert!(Online::decode(&image).is_ok());
    // The largest eigenvalue is 16, so its inverse square root is 0.25.
    let root = 0.25_f32.to_le_bytes();
    let place = image.windows(4).position(|bytes| bytes == root).unwrap_or(0);
    image[place..place + 4].copy_from_slice(&f32::MAX.to_le_bytes());
    seal(&mut image);
    assert_eq!(Online::decode(&image).err(), Some(CodecError::Range));
}

#[test]
fn a_buffer_that_is_too_short_is_left_unchanged() {
    let learner = grown::<Tracking>();
    let mut buffer = vec![7; Tracking::ENCODED_LEN - 1];
    let refused = CodecError::Buffer {
        needed: Tracking::ENCODED_LEN,
        found: Tracking::ENCODED_LEN - 1,
    };
    assert_eq!(learner.encode(&mut buffer), Err(refused));
    assert!(buffer.iter().all(|&byte| byte == 7));
}
