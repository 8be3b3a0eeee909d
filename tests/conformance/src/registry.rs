//! Every learner of the registry with each of its settings: its outputs on the stream, and its image.

use eigenstream::CodecError;
use eigenstream_registry::types::*;
use eigenstream_registry::{CHOICES, Listener, Refused, Spoken, Subject, learners};

use crate::digest::Digest;
use crate::note::{Note, Number};
use crate::stream::{DIM, KEEP, generator, samples};

/// Bytes for the largest image here, in `f32` and in `f64`.
const SINGLE: usize = 3_072;
const DOUBLE: usize = 6_144;

/// Least number of bytes noted for an image; a shorter image is followed by zeros.
const NOTED: usize = 2_048;

impl<T: Number> Listener<T> for Digest {
    fn hear(&mut self, said: impl Spoken<T>) {
        said.tell(&mut |number| self.note(&number));
    }
}

impl Note for Refused {
    fn note(&self, digest: &mut Digest) {
        255_u8.note(digest);
    }
}

/// Calls `report` with the name and the digest of each learner in turn, so that a chip with little RAM holds one
/// learner at a time.
pub(crate) fn for_each<T: Number>(mut report: impl FnMut(&str, Digest)) {
    macro_rules! run {
        ($name:literal, $learner:ty) => {
            report(concat!("registry_", $name), digest_of::<T, $learner>());
        };
    }
    learners!(run for T, DIM = DIM, KEEP = KEEP, RANK = DIM, WINDOW = 5, POINTS = 5, ROOM = 4, WIDE = 18);
}

#[inline(never)]
fn digest_of<T: Number, L: Subject<DIM, Number = T>>() -> Digest {
    let mut digest = Digest::new();
    for choice in 0..CHOICES {
        if size_of::<T>() == size_of::<f32>() {
            run_with_restart::<T, L, SINGLE>(choice, &mut digest);
        } else {
            run_with_restart::<T, L, DOUBLE>(choice, &mut digest);
        }
    }
    digest
}

/// Runs the learner on the stream, with a restart in the middle.
#[inline(never)]
fn run_with_restart<T: Number, L: Subject<DIM, Number = T>, const ROOM: usize>(choice: usize, digest: &mut Digest) {
    let mut learner = fresh::<L>(choice);
    let mut rng = generator(14);
    for (step, sample) in samples::<T>().enumerate() {
        let looked = learner.look(&sample, digest);
        let lived = learner.live(&sample, &mut rng, digest);
        digest.note(&(looked, lived));
        if step == 30 {
            digest.note(&restart::<L, ROOM>(&mut learner));
        }
    }
    digest.note_at_least::<ROOM>(NOTED, &learner);
}

/// Makes the learner; not inlined, because the settings that are not chosen also take stack.
#[inline(never)]
fn fresh<L: Subject<DIM>>(choice: usize) -> L {
    L::fresh(choice)
}

#[inline(never)]
fn restart<L: Subject<DIM>, const ROOM: usize>(learner: &mut L) -> Result<(), CodecError> {
    let mut image = [0; ROOM];
    learner.encode(&mut image)?;
    *learner = L::decode(&image)?;
    Ok(())
}
