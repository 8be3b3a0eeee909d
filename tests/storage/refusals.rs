//! Refused and lost writes, and images that cannot be used.

use crate::Learner;
use crate::flash::{Fault, Flash, Refusal};
use crate::images::seal;

use eigenstream::storage::{Slots, StorageError};
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};
use eigenstream::{Codec, CodecError};

#[test]
fn a_worn_byte_is_found_and_the_previous_save_remains() -> Result<(), StorageError<Refusal>> {
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    // The worn byte is in the image, in the number of the save, or in the complement of this number.
    for worn in [1024 + 30, 2048 - 8, 2048 - 4] {
        let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
        Slots::new(&mut flash, 0..2048)?.save(&learner)?;
        flash.worn = Some(worn);
        let mut slots = Slots::new(&mut flash, 0..2048)?;
        assert_eq!(slots.save(&learner), Err(StorageError::NotWritten), "{worn}");
        assert_eq!(slots.restore(&mut learner)?, Some(0));
    }
    Ok(())
}

#[test]
fn nothing_is_written_after_a_refusal() -> Result<(), StorageError<Refusal>> {
    let mut flash = Flash::<32, 1024>::new(Fault::Torn, 1);
    // The erasure and the first write succeed.
    flash.until_cut = Some(2);
    let large = Hedge::<f32, 64>::new(HedgeSettings::DEFAULT);
    let refused = Slots::new(&mut flash, 0..2048)?.save(&large);
    assert_eq!((refused, flash.writes), (Err(StorageError::Flash(Refusal::NoPower)), 2));
    Ok(())
}

#[test]
fn the_rest_of_the_last_word_stays_erased() -> Result<(), StorageError<Refusal>> {
    let mut flash = Flash::<32, 1024>::new(Fault::Torn, 1);
    Slots::new(&mut flash, 0..2048)?.save(&Learner::new(HedgeSettings::DEFAULT))?;
    assert!(
        flash.bytes[Learner::ENCODED_LEN..1024 - 32]
            .iter()
            .all(|&byte| byte == 0xff)
    );
    Ok(())
}

#[test]
fn an_image_of_an_unknown_format_version_is_an_error() -> Result<(), StorageError<Refusal>> {
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
    Slots::new(&mut flash, 0..2048)?.save(&learner)?;
    flash.bytes[4] = 9;
    let version = StorageError::Image(CodecError::Version { found: 9 });
    assert_eq!(Slots::new(&mut flash, 0..2048)?.restore(&mut learner), Err(version));
    // The error is about the image in the first slot.
    let mut other = FollowTheLeader::<f32, 3>::new();
    Slots::new(&mut flash, 0..2048)?.save(&other)?;
    assert_eq!(Slots::new(&mut flash, 0..2048)?.restore(&mut learner), Err(version));
    assert_eq!(Slots::new(&mut flash, 0..2048)?.restore(&mut other)?, Some(1));
    Ok(())
}

/// An image with NaN may have overwritten the learner, so NaN is reported although the other image has another error.
#[test]
fn nan_is_reported_before_the_image_of_another_learner() -> Result<(), StorageError<Refusal>> {
    let mut learner = Learner::new(HedgeSettings::DEFAULT);
    let mut flash = Flash::<4, 1024>::new(Fault::Torn, 1);
    let mut slots = Slots::new(&mut flash, 0..2048)?;
    slots.save(&FollowTheLeader::<f32, 3>::new())?;
    slots.save(&learner)?;
    let image = &mut flash.bytes[1024..1024 + Learner::ENCODED_LEN];
    image[20..24].copy_from_slice(&f32::NAN.to_le_bytes());
    seal(image);
    let refused = Slots::new(&mut flash, 0..2048)?.restore(&mut learner);
    assert_eq!(refused, Err(StorageError::Image(CodecError::NotANumber)));
    Ok(())
}
