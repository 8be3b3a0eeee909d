//! A learner survives a power cut. The graph is samples → learner → image → flash → learner.
//!
//! The program saves it four times and cuts the power at every word that is written and every page that is erased. Then
//! it must find the last saved learner or the one that was being saved, and the next save must work. It tests the slots of
//! `eigenstream::storage` and the map of `sequential-storage`. With many cuts in a row, as in `tests/storage`, the map lost
//! everything in 9 of 60 seeds.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[path = "support/nor.rs"]
mod nor;
mod support;

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use eigenstream::pca::TrackingSettings;
use eigenstream::{Codec, storage};
use nor::{EmulatedFlash, PAGE, Pca, SAVES};
use sequential_storage::cache::NoCache;
use sequential_storage::map::{MapConfig, MapStorage};
use support::{Outcome, say};

support::entry!(flash);

/// The two pages of the flash; each is a slot.
const REGION: core::ops::Range<u32> = 0..2 * PAGE as u32;

fn flash() -> Outcome {
    say!("an image of TrackingPca<f32, 6, 2, 6> takes {} bytes", Pca::ENCODED_LEN);
    say!("two slots:");
    sweep::<Slots>()?;
    say!("sequential-storage:");
    sweep::<Sequential>()
}

/// A method to store a learner in flash.
trait Keeper {
    fn save(flash: &mut EmulatedFlash, pca: &Pca) -> Result<(), &'static str>;
    fn restore(flash: &mut EmulatedFlash) -> Option<Pca>;
}

/// Two slots, `eigenstream::storage`.
struct Slots;

impl Keeper for Slots {
    fn save(flash: &mut EmulatedFlash, pca: &Pca) -> Result<(), &'static str> {
        let mut slots = storage::Slots::new(flash, REGION).map_err(|_| "no slots")?;
        slots.save(pca).map_err(|_| "not saved")
    }

    fn restore(flash: &mut EmulatedFlash) -> Option<Pca> {
        let mut pca = Pca::new(TrackingSettings::DEFAULT);
        let found = storage::Slots::new(flash, REGION).and_then(|mut slots| slots.restore(&mut pca));
        found.ok().flatten().map(|_| pca)
    }
}

/// The map of `sequential-storage`; the image is stored under one key.
struct Sequential;

impl Sequential {
    const KEY: u8 = 1;

    fn map(flash: &mut EmulatedFlash) -> MapStorage<u8, &mut EmulatedFlash, NoCache> {
        MapStorage::new(flash, const { MapConfig::new(0..2 * PAGE as u32) }, NoCache::new())
    }
}

impl Keeper for Sequential {
    fn save(flash: &mut EmulatedFlash, pca: &Pca) -> Result<(), &'static str> {
        let (mut image, mut buffer) = ([0; Pca::ENCODED_LEN], [0; PAGE]);
        pca.encode(&mut image).map_err(|_| "not encoded")?;
        let mut map = Self::map(flash);
        let saved = ready(map.store_item(&mut buffer, &Self::KEY, &image.as_slice()));
        saved.and_then(Result::ok).ok_or("not saved")
    }

    fn restore(flash: &mut EmulatedFlash) -> Option<Pca> {
        let mut buffer = [0; PAGE];
        let mut map = Self::map(flash);
        let image: Option<&[u8]> = ready(map.fetch_item(&mut buffer, &Self::KEY))?.ok()?;
        Pca::decode(image?).ok()
    }
}

/// Cuts the power at every change of the flash and counts the states that are found afterwards.
fn sweep<K: Keeper>() -> Outcome {
    let mut flash = EmulatedFlash::new();
    let states = States::new()?;
    states.save_all::<K>(&mut flash)?;
    let changes = flash.changes();
    say!("  {SAVES} saves write or erase {changes} times");

    let (mut old, mut new, mut lost) = (0, 0, 0);
    for cut in 0..changes {
        let mut flash = EmulatedFlash::new();
        flash.cut_after(cut);
        let saved = states.save_all::<K>(&mut flash).err().map_or(SAVES, |broken| broken.0);
        flash.power_up();
        let restored = K::restore(&mut flash);
        if states.is(restored.as_ref(), saved) {
            old += 1;
        } else if states.is(restored.as_ref(), saved + 1) {
            new += 1;
        } else {
            lost += 1;
            continue;
        }
        K::save(&mut flash, states.last())?;
        if !states.is(K::restore(&mut flash).as_ref(), SAVES) {
            lost += 1;
        }
    }
    say!("  power cut at each of them: {old} times the old state, {new} times the new, {lost} lost");
    if lost == 0 { Ok(()) } else { Err("a state was lost")? }
}

/// The learner at each save.
struct States {
    learners: [Pca; SAVES],
}

/// The power cut stopped the saves; the number counts those before it.
struct Broken(usize);

impl core::fmt::Display for Broken {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "only {} saves", self.0)
    }
}

impl States {
    fn new() -> Result<Self, support::Failure> {
        Ok(Self {
            learners: nor::learners()?,
        })
    }

    fn save_all<K: Keeper>(&self, flash: &mut EmulatedFlash) -> Result<(), Broken> {
        for (done, learner) in self.learners.iter().enumerate() {
            K::save(flash, learner).map_err(|_| Broken(done))?;
        }
        Ok(())
    }

    fn last(&self) -> &Pca {
        let [.., last] = &self.learners;
        last
    }

    /// Whether `restored` equals the learner after `saves` saves, or is `None` for `saves` = 0.
    fn is(&self, restored: Option<&Pca>, saves: usize) -> bool {
        let saved = saves.checked_sub(1).and_then(|index| self.learners.get(index));
        match (restored, saved) {
            (None, None) => saves == 0,
            (Some(restored), Some(saved)) => image(restored) == image(saved),
            _ => false,
        }
    }
}

fn image(pca: &Pca) -> [u8; Pca::ENCODED_LEN] {
    let mut image = [0; Pca::ENCODED_LEN];
    // The buffer has the right length.
    let _ = pca.encode(&mut image);
    image
}

/// The result of a future that never waits.
fn ready<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
