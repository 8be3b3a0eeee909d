//! Protects a saved learner against forgery and replay. The graph is learner → image → seal → flash → open → learner.
//!
//! The checksum of an image detects accidents, not attackers. Here each image is sealed with HMAC-SHA-256, a secret key and a
//! counter that grows with every save. The smallest accepted counter is stored where an attacker cannot set it back. Forged,
//! unsealed and old images are refused. Then the program cuts the power at every change of the flash, or lets the flash ignore
//! the change.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[allow(dead_code, reason = "the flash example uses all of it")]
#[path = "support/nor.rs"]
mod nor;
mod support;

use eigenstream::Codec;
use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};
use hmac::{Hmac, Mac};
use nor::{EmulatedFlash, PAGE, Pca, SAVES, learners};
use sha2::Sha256;
use support::{Outcome, say};

support::entry!(sealed);

/// A real device has its own key, in memory that the debugger cannot read.
const KEY: [u8; 32] = *b"a key that is not in a real chip";

const COUNTER: usize = size_of::<u64>();
const TAG: usize = 32;
/// Counter, image and tag, filled up to whole words.
const SEALED: usize = (COUNTER + Pca::ENCODED_LEN + TAG).next_multiple_of(nor::WORD);

fn sealed() -> Outcome {
    say!(
        "an image of {} bytes takes {SEALED} bytes with its seal",
        Pca::ENCODED_LEN
    );
    attacks()?;
    let changes = saves()?;
    sweep("power cut at each of them", changes, EmulatedFlash::cut_after)?;
    sweep("each of them not taken", changes, EmulatedFlash::fail_after)
}

/// The state that survives a power cut and that an attacker cannot set back.
#[derive(Clone, Copy)]
struct Trusted {
    /// The smallest counter that is accepted.
    least: u64,
}

fn mac(sealed: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).ok()?;
    mac.update(sealed);
    Some(mac)
}

fn seal(pca: &Pca, counter: u64) -> Option<[u8; SEALED]> {
    let mut sealed = [0; SEALED];
    let (content, tag) = sealed.split_at_mut(SEALED - TAG);
    let (number, image) = content.split_at_mut(COUNTER);
    number.copy_from_slice(&counter.to_le_bytes());
    pca.encode(image.get_mut(..Pca::ENCODED_LEN)?).ok()?;
    tag.copy_from_slice(&mac(content)?.finalize().into_bytes());
    Some(sealed)
}

/// The learner and its counter, if seal and counter are valid.
fn open(sealed: &[u8; SEALED], trusted: Trusted) -> Option<(Pca, u64)> {
    let (content, tag) = sealed.split_at(SEALED - TAG);
    // In constant time, before any byte of the image is used.
    mac(content)?.verify_slice(tag).ok()?;
    let (number, image) = content.split_first_chunk::<COUNTER>()?;
    let counter = u64::from_le_bytes(*number);
    let pca = Pca::decode(image.get(..Pca::ENCODED_LEN)?).ok()?;
    (counter >= trusted.least).then_some((pca, counter))
}

/// The newest learner that `open` accepts, its counter and its page.
fn restore(flash: &mut EmulatedFlash, trusted: Trusted) -> Option<(Pca, u64, u32)> {
    let mut newest: Option<(Pca, u64, u32)> = None;
    for page in [0, 1] {
        let mut sealed = [0; SEALED];
        if flash.read(page * PAGE as u32, &mut sealed).is_ok()
            && let Some((pca, counter)) = open(&sealed, trusted)
            && newest.as_ref().is_none_or(|(_, other, _)| counter > *other)
        {
            newest = Some((pca, counter, page));
        }
    }
    newest
}

/// Writes the learner to the older page. Older counters are refused only after the page was read back; otherwise a worn flash
/// could leave no accepted image.
fn save(flash: &mut EmulatedFlash, trusted: &mut Trusted, pca: &Pca) -> Option<()> {
    let (counter, page) = restore(flash, *trusted).map_or((trusted.least, 1), |(_, counter, page)| (counter, page));
    let (next, start) = (counter + 1, (1 - page) * PAGE as u32);
    let sealed = seal(pca, next)?;
    flash.erase(start, start + PAGE as u32).ok()?;
    flash.write(start, &sealed).ok()?;
    if !contains(flash, start, &sealed) {
        return None;
    }
    trusted.least = next;
    Some(())
}

/// Compares word by word, so that no second image is on the stack.
fn contains(flash: &mut EmulatedFlash, start: u32, bytes: &[u8]) -> bool {
    let mut words = (start..).step_by(nor::WORD).zip(bytes.chunks(nor::WORD));
    words.all(|(offset, word)| {
        let mut written = [0; nor::WORD];
        flash.read(offset, &mut written).is_ok() && written == word
    })
}

fn attacks() -> Outcome {
    let learners = learners()?;
    let [first, .., last] = &learners;
    let trusted = Trusted { least: 7 };
    let good = seal(last, 7).ok_or("not sealed")?;
    say!("a sealed image is opened: {}", open(&good, trusted).is_some());
    let mut refused = 0;
    for bit in 0..8 * SEALED {
        let mut forged = good;
        forged[bit / 8] ^= 1 << (bit % 8);
        refused += usize::from(open(&forged, trusted).is_none());
    }
    say!("one bit is changed: {refused} of {} refused", 8 * SEALED);
    let mut unsealed = good;
    unsealed[SEALED - TAG..].fill(0);
    say!("without a seal it is opened: {}", open(&unsealed, trusted).is_some());
    let old = seal(first, 6).ok_or("not sealed")?;
    say!(
        "an older one of this device is opened: {}",
        open(&old, trusted).is_some()
    );
    let sound = refused == 8 * SEALED && open(&unsealed, trusted).is_none() && open(&old, trusted).is_none();
    if sound {
        Ok(())
    } else {
        Err("an image was opened that should not be")?
    }
}

/// Returns the number of changes of the flash.
// `saves` and `sweep` are not inlined, because their learners and flashes would be on the stack together.
#[inline(never)]
fn saves() -> Result<u32, support::Failure> {
    let (mut flash, mut trusted) = (EmulatedFlash::new(), Trusted { least: 0 });
    let done = save_all(&mut flash, &mut trusted, &learners()?);
    let changes = flash.changes();
    say!("{done} saves write or erase {changes} times");
    if done == SAVES {
        Ok(changes)
    } else {
        Err("a learner was not saved")?
    }
}

/// Spoils each change of the flash in turn and counts the states that are found afterwards.
#[inline(never)]
fn sweep(what: &str, changes: u32, spoil: fn(&mut EmulatedFlash, u32)) -> Outcome {
    let learners = learners()?;
    let (mut old, mut new, mut lost) = (0, 0, 0);
    for change in 0..changes {
        let (mut flash, mut trusted) = (EmulatedFlash::new(), Trusted { least: 0 });
        spoil(&mut flash, change);
        let saved = save_all(&mut flash, &mut trusted, &learners);
        flash.power_up();
        let restored = restore(&mut flash, trusted).map(|(pca, _, _)| pca);
        let is = |count: usize| match (count.checked_sub(1).and_then(|index| learners.get(index)), &restored) {
            (None, None) => count == 0,
            (Some(saved), Some(restored)) => seal(saved, 0) == seal(restored, 0),
            _ => false,
        };
        match (is(saved), is(saved + 1)) {
            (true, _) => old += 1,
            (_, true) => new += 1,
            _ => lost += 1,
        }
    }
    say!("{what}: {old} times the old state, {new} times the new, {lost} lost");
    if lost == 0 { Ok(()) } else { Err("a state was lost")? }
}

/// Returns how many learners were saved.
fn save_all(flash: &mut EmulatedFlash, trusted: &mut Trusted, learners: &[Pca; SAVES]) -> usize {
    learners
        .iter()
        .take_while(|pca| save(flash, trusted, pca).is_some())
        .count()
}
