//! Tests of `Slots` on a flash that loses its power: 35 seeds for each fault, 400 restarts each.
//! `cargo test --test storage -- --nocapture` prints how many saves were lost.

mod flash;
#[path = "../support/images.rs"]
mod images;
mod refusals;

use flash::{Fault, Flash, Refusal};
use images::{image, seal};

use eigenstream::monitor::{Lagged, Monitor, MonitorSettings, SensorMonitor};
use eigenstream::pca::{ClipSettings, Clipped, TrackingPca, TrackingSettings};
use eigenstream::rand_core::{Rng, SeedableRng};
use eigenstream::storage::{Slots, StorageError};
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};
use eigenstream::{Codec, CodecError, Scalar};
use embedded_storage::nor_flash::NorFlash;
use rand_xoshiro::Xoshiro128PlusPlus;

type Learner = Hedge<f32, 4>;

/// Restarts 400 times on one flash and counts the restarts that find no expected state.
fn lives<const WORD: usize, const PAGE: usize, const READ: usize, const N: usize>(
    pages: usize,
    fault: Fault,
    seed: u64,
) -> usize {
    let mut flash = Flash::<WORD, PAGE, READ>::of_pages(2 * pages + 2, fault, seed);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(seed + 1_000);
    let fresh = || Hedge::<f32, N>::new(HedgeSettings::DEFAULT);
    let changes = (Hedge::<f32, N>::ENCODED_LEN.div_ceil(WORD) + pages) as u32;
    // The states that a restart may find: the last completed save, and the interrupted one.
    let mut expected = vec![image(&fresh())];
    let mut lost = 0;
    for _ in 0..400 {
        flash.off = false;
        flash.until_cut = None;
        let mut learner = fresh();
        let region = PAGE as u32..((2 * pages + 1) * PAGE) as u32;
        let restored = Slots::new(&mut flash, region.clone()).and_then(|mut slots| slots.restore(&mut learner));
        if restored.is_err() || !expected.contains(&image(&learner)) {
            lost += 1;
            expected = vec![image(&learner)];
        } else if fault != Fault::Unstable {
            expected = vec![image(&learner)];
        }
        // The cut can also hit the first change of the flash after a restart.
        flash.until_cut = Some(rng.next_u32() % (3 * changes + 1));
        for _ in 0..3 {
            assert!(learner.step(&core::array::from_fn(|_| f32::uniform(&mut rng))).is_ok());
            let saved = Slots::new(&mut flash, region.clone()).and_then(|mut slots| slots.save(&learner));
            match saved {
                Ok(()) => expected = vec![image(&learner)],
                Err(StorageError::Flash(Refusal::NoPower)) => {
                    expected.push(image(&learner));
                    break;
                }
                // An unstable bit can spoil a word after it was written.
                Err(StorageError::NotWritten) if fault == Fault::Unstable => {
                    expected.push(image(&learner));
                    break;
                }
                Err(other) => unreachable!("{other}"),
            }
        }
    }
    lost
}

/// Returns how many saves were lost, and with how many seeds. The last two cases have slots of several pages.
fn sweep(fault: Fault) -> (usize, usize) {
    const { assert!(Hedge::<f32, 64>::ENCODED_LEN > 4 * 128) }
    let lost: Vec<usize> = (0..35)
        .map(|seed| match seed % 7 {
            0 => lives::<1, 128, 1, 4>(1, fault, seed),
            1 => lives::<4, 1024, 4, 4>(1, fault, seed),
            2 => lives::<8, 2048, 8, 4>(1, fault, seed),
            3 => lives::<32, 256, 32, 4>(1, fault, seed),
            4 => lives::<16, 4096, 16, 4>(1, fault, seed),
            5 => lives::<2, 128, 1, 64>(6, fault, seed),
            _ => lives::<32, 256, 4, 64>(3, fault, seed),
        })
        .collect();
    let figures = (lost.iter().sum(), lost.iter().filter(|&&lost| lost > 0).count());
    println!(
        "{fault:?}: {} saves lost in 14000 restarts, in {} of 35 seeds",
        figures.0, figures.1
    );
    figures
}

#[test]
fn torn_words_and_half_erased_pages_lose_nothing() {
    assert_eq!(sweep(Fault::Torn), (0, 0));
}

#[test]
fn words_that_cannot_be_read_lose_nothing() {
    assert_eq!(sweep(Fault::ReadError), (0, 0));
}

#[test]
fn unstable_bits_rarely_lose_a_save() {
    let (lost, _) = sweep(Fault::Unstable);
    assert!(lost < 35, "{lost}");
}

#[test]
fn a_large_page_needs_no_buffer() {
    for fault in [Fault::Torn, Fault::ReadError] {
        assert_eq!(lives::<32, 131_072, 4, 4>(1, fault, 7), 0);
    }
}

#[test]
fn a_region_that_cannot_hold_two_slots_is_refused() {
    let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
    for region in [0..1024, 0..0, 512..2560, 0..3072, 1024..8192, 2048..6144, 0..2049] {
        assert!(
            matches!(Slots::new(&mut flash, region.clone()), Err(StorageError::Region)),
            "{region:?}"
        );
    }
    let (start, end) = (3072, 1024);
    assert!(matches!(Slots::new(&mut flash, start..end), Err(StorageError::Region)));
    assert!(Slots::new(&mut flash, 2048..4096).is_ok());
    let mut odd = Flash::<3, 1024>::new(Fault::Torn, 1);
    let refused = Slots::new(&mut odd, 0..2048).err();
    assert_eq!(refused, Some(StorageError::Region));
    // The region is right, so the message must name the word sizes.
    assert!(refused.is_some_and(|error| error.to_string().contains("words of 1, 2, 4, 8, 16 or 32 bytes")));
    let mut small = Flash::<4, 64>::new(Fault::Torn, 1);
    let refused =
        Slots::new(&mut small, 0..128).and_then(|mut slots| slots.save(&Learner::new(HedgeSettings::DEFAULT)));
    assert_eq!(refused, Err(StorageError::Room { needed: 128, found: 64 }));
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("a slot has 64 bytes and needs 128".to_owned())
    );
    assert!(small.bytes.iter().all(|&byte| byte == 0xff));
}

#[test]
fn restoring_the_image_of_another_learner_fails_and_changes_nothing() -> Result<(), StorageError<Refusal>> {
    let mut flash = Flash::<4, 2048>::new(Fault::Torn, 1);
    let mut slots = Slots::new(&mut flash, 0..4096)?;
    slots.save(&SensorMonitor::<f32, 3>::standard(MonitorSettings::DEFAULT))?;

    let mut leader = FollowTheLeader::<f32, 3>::new();
    let other = StorageError::Image(CodecError::Learner { found: 11 });
    assert_eq!(slots.restore(&mut leader), Err(other));
    let mut larger = SensorMonitor::<f32, 4>::standard(MonitorSettings::DEFAULT);
    let sizes = StorageError::Image(CodecError::Sizes { found: [3, 1, 0, 0] });
    assert_eq!(slots.restore(&mut larger), Err(sizes));
    type Tracked = Monitor<f32, TrackingPca<f32, 3, 1, 3>, 3>;
    let mut tracked = Tracked::new(MonitorSettings::DEFAULT, TrackingPca::new(TrackingSettings::DEFAULT));
    assert!(tracked.observe(&[1.0, 2.0, 3.0]).is_ok());
    let before = image(&tracked);
    let inside = StorageError::Image(CodecError::Learner { found: 20 });
    assert_eq!(slots.restore(&mut tracked), Err(inside));
    assert_eq!(image(&tracked), before);

    slots.save(&tracked)?;
    assert_eq!(slots.restore(&mut tracked)?, Some(1));
    slots.save(&tracked)?;
    assert_eq!(slots.restore(&mut tracked)?, Some(2));
    Ok(())
}

/// A firmware update changes the learner; after one save the old firmware comes back.
#[test]
fn the_first_save_of_another_learner_keeps_the_newest_save_of_the_old_one() -> Result<(), StorageError<Refusal>> {
    for saves in 1..6 {
        let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
        let mut slots = Slots::new(&mut flash, 0..2048)?;
        let mut learner = Learner::new(HedgeSettings::DEFAULT);
        for _ in 0..saves {
            assert!(learner.step(&[0.1, 0.9, 0.4, 0.6]).is_ok());
            slots.save(&learner)?;
        }
        let mut leader = FollowTheLeader::<f32, 3>::new();
        slots.save(&leader)?;
        assert_eq!(slots.restore(&mut leader)?, Some(saves));
        let mut restored = Learner::new(HedgeSettings::DEFAULT);
        assert_eq!(slots.restore(&mut restored)?, Some(saves - 1));
        assert_eq!(image(&restored), image(&learner));
    }
    Ok(())
}

/// `restore` may return `Ok(None)` only if the learner is unchanged.
#[test]
fn a_failed_read_never_hides_that_a_learner_was_restored() -> Result<(), StorageError<Refusal>> {
    let fresh = Learner::new(HedgeSettings::DEFAULT);
    let mut saved = fresh.clone();
    assert!(saved.step(&[0.1, 0.9, 0.4, 0.6]).is_ok());
    let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
    Slots::new(&mut flash, 0..2048)?.save(&saved)?;
    let mut failures = 0;
    for reads in 0.. {
        flash.until_misread = Some(reads);
        let mut learner = fresh.clone();
        let restored = Slots::new(&mut flash, 0..2048)?.restore(&mut learner);
        match restored {
            Ok(Some(number)) => assert_eq!((number, image(&learner)), (0, image(&saved))),
            Ok(None) => assert_eq!(image(&learner), image(&fresh), "read {reads}"),
            Err(_) => failures += 1,
        }
        if flash.until_misread.is_some() {
            break;
        }
    }
    assert!(failures > 0);
    Ok(())
}

/// The power is cut while `save` erases, after one of its reads has failed.
#[test]
fn a_failed_read_does_not_let_the_only_save_be_erased() -> Result<(), StorageError<Refusal>> {
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    assert!(learner.step(&[0.1, 0.9, 0.4, 0.6]).is_ok());
    for reads in 0.. {
        let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
        Slots::new(&mut flash, 0..2048)?.save(&learner)?;
        (flash.until_misread, flash.until_cut) = (Some(reads), Some(0));
        assert!(Slots::new(&mut flash, 0..2048)?.save(&learner).is_err());
        if flash.until_misread.is_some() {
            break;
        }
        flash.off = false;
        let mut restored = Learner::new(HedgeSettings::DEFAULT);
        assert_eq!(
            Slots::new(&mut flash, 0..2048)?.restore(&mut restored),
            Ok(Some(0)),
            "read {reads}"
        );
        assert_eq!(image(&restored), image(&learner));
    }
    Ok(())
}

#[test]
fn a_save_after_a_failed_read_is_the_newest() -> Result<(), StorageError<Refusal>> {
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    for reads in 0.. {
        let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
        for _ in 0..3 {
            Slots::new(&mut flash, 0..2048)?.save(&Learner::new(HedgeSettings::DEFAULT))?;
        }
        // Only save number 2 remains.
        assert!(flash.erase(1024, 2048).is_ok());
        assert!(learner.step(&[0.1, 0.9, 0.4, 0.6]).is_ok());
        flash.until_misread = Some(reads);
        // The read that fails can be the one that checks the new save.
        let saved = Slots::new(&mut flash, 0..2048)?.save(&learner);
        if flash.until_misread.is_some() {
            break;
        }
        let mut restored = Learner::new(HedgeSettings::DEFAULT);
        assert!(Slots::new(&mut flash, 0..2048)?.restore(&mut restored)?.is_some());
        assert!(saved.is_err() || image(&restored) == image(&learner), "read {reads}");
    }
    Ok(())
}

#[test]
fn a_learner_inside_three_others_is_saved_and_restored() -> Result<(), StorageError<Refusal>> {
    type Clip<const KEEP: usize> = Clipped<f32, TrackingPca<f32, 6, KEEP, 6>>;
    type Nested<const KEEP: usize> = Monitor<f32, Lagged<f32, Clip<KEEP>, 2, 3, 6>, 2>;
    fn nested<const KEEP: usize>() -> Nested<KEEP> {
        let clipped = Clipped::new(ClipSettings::DEFAULT, TrackingPca::new(TrackingSettings::DEFAULT));
        Monitor::new(MonitorSettings::DEFAULT, Lagged::new(clipped))
    }
    let mut flash = Flash::<4, 2048>::new(Fault::Torn, 1);
    let mut slots = Slots::new(&mut flash, 0..4096)?;
    let mut monitor = nested::<1>();
    for time in 0..40_u8 {
        assert!(monitor.observe(&[f32::from(time), f32::from(time % 7)]).is_ok());
    }
    slots.save(&monitor)?;
    let mut restored = nested::<1>();
    assert_eq!(slots.restore(&mut restored)?, Some(0));
    assert_eq!(image(&restored), image(&monitor));
    let other = StorageError::Image(CodecError::Sizes { found: [6, 1, 6, 0] });
    assert_eq!(slots.restore(&mut nested::<2>()), Err(other));
    Ok(())
}

/// The checksum of the image is right, but one of its counts is out of range.
#[test]
fn restore_or_keep_leaves_a_learner_unchanged_if_the_image_is_refused() -> Result<(), StorageError<Refusal>> {
    type Watch = SensorMonitor<f32, 3>;
    let mut flash = Flash::<4, 2048>::new(Fault::Torn, 1);
    let mut slots = Slots::new(&mut flash, 0..4096)?;
    let mut saved = Watch::standard(MonitorSettings::DEFAULT);
    assert!(saved.observe(&[1.0, 2.0, 3.0]).is_ok());
    slots.save(&saved)?;
    let spoil = |flash: &mut Flash<4, 2048>, slot: usize| {
        let image = &mut flash.bytes[slot..slot + Watch::ENCODED_LEN];
        let end = image.len() - 4;
        image[end - 4..end].copy_from_slice(&f32::NAN.to_le_bytes());
        seal(image);
    };
    let flash = slots.release();
    spoil(flash, 0);
    let mut slots = Slots::new(flash, 0..4096)?;

    let mut watch = Watch::standard(MonitorSettings::DEFAULT.with_training(500));
    for time in 0..40_u8 {
        assert!(watch.observe(&[f32::from(time), f32::from(time % 7), 1.0]).is_ok());
    }
    let before = image(&watch);
    let mut room = [0; Watch::ENCODED_LEN];
    let refused = slots.restore_or_keep(&mut watch, &mut room);
    assert!(matches!(refused, Err(StorageError::Image(_))), "{refused:?}");
    assert_eq!(image(&watch), before);
    let short = slots.restore_or_keep(&mut watch, &mut [0; 8]);
    assert!(matches!(
        short,
        Err(StorageError::Image(CodecError::Buffer { found: 8, .. }))
    ));

    slots.save(&saved)?;
    slots.save(&watch)?;
    let flash = slots.release();
    spoil(flash, 0);
    let mut slots = Slots::new(flash, 0..4096)?;
    assert_eq!(slots.restore_or_keep(&mut watch, &mut room)?, Some(1));
    assert_eq!(image(&watch), image(&saved));
    Ok(())
}

#[test]
fn the_number_of_a_save_wraps_around() -> Result<(), StorageError<Refusal>> {
    let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    let mut slots = Slots::new(&mut flash, 0..2048)?;
    slots.save(&learner)?;
    let flash = slots.release();
    flash.bytes[1016..1024].copy_from_slice(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    let mut slots = Slots::new(flash, 0..2048)?;
    assert_eq!(slots.restore(&mut learner)?, Some(u32::MAX));
    assert!(learner.step(&[1.0, 0.0, 0.5, 0.2]).is_ok());
    slots.save(&learner)?;
    let mut restored = Learner::new(HedgeSettings::DEFAULT);
    assert_eq!(slots.restore(&mut restored)?, Some(0));
    assert_eq!(image(&restored), image(&learner));
    Ok(())
}

/// The record of a save: the last eight bytes of the slot, or the first eight bytes of its last word if a word
/// is longer.
fn record<const WORD: usize>() -> Result<[u8; 8], StorageError<Refusal>> {
    let mut flash = Flash::<WORD, 1024>::new(Fault::Torn, 1);
    let mut slots = Slots::new(&mut flash, 0..2048)?;
    let learner = Learner::new(HedgeSettings::DEFAULT);
    slots.save(&learner)?;
    slots.save(&learner)?;
    let place = 2048 - WORD.max(8);
    Ok(std::array::from_fn(|i| flash.bytes[place + i]))
}

#[test]
fn the_number_of_a_save_is_stored_where_the_guide_to_boards_says() -> Result<(), StorageError<Refusal>> {
    for found in [record::<1>()?, record::<8>()?, record::<16>()?, record::<32>()?] {
        assert_eq!(found, [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
    }
    Ok(())
}
