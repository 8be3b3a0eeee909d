//! Saves and restores learners in a flash of two slots while random bytes of the flash change.
//! Checked: no panic, a restored learner accepts its own image, a failed `restore_or_keep` does not change the learner,
//! and the last save is restored unless the flash was damaged after it.

use std::convert::Infallible;

use eigenstream::storage::Slots;
use eigenstream_registry::Subject;
use embedded_storage::nor_flash::{ErrorType, NorFlash, ReadNorFlash};

use crate::calls::restored;
use crate::dice::Dice;
use crate::learners::{DIM, live};
use crate::saved::image;
use crate::seal;

const PAGE: usize = 256;
/// Largest number of calls in one execution.
const CALLS: usize = 12;

/// A flash without failures: writing clears bits, erasing sets them.
struct Memory(Vec<u8>);

impl ErrorType for Memory {
    type Error = Infallible;
}

impl ReadNorFlash for Memory {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.0.len()
    }
}

impl NorFlash for Memory {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Infallible> {
        self.0[from as usize..to as usize].fill(0xff);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Infallible> {
        for (place, byte) in self.0[offset as usize..].iter_mut().zip(bytes) {
            *place &= byte;
        }
        Ok(())
    }
}

pub(crate) fn execute<L: Subject<DIM>>(dice: &mut Dice) -> Result<(), String> {
    // A slot holds the image and a piece of 32 bytes with the record, in whole pages.
    let half = (L::ENCODED_LEN.next_multiple_of(32) + 32).next_multiple_of(PAGE);
    let mut memory = Memory(vec![0xff; 2 * half]);
    let mut learner = L::fresh(dice.below(8));
    let mut saved = None;
    for _ in 0..=dice.below(CALLS) {
        let kind = dice.below(4);
        if kind == 0 {
            let sample = [(); DIM].map(|()| dice.common());
            let _ = live(&mut learner, &sample, &mut dice.rng);
        } else if kind == 1 {
            memory = damaged::<L>(memory, half, dice);
            saved = None;
        } else {
            let region = 0..2 * half as u32;
            let mut slots = Slots::new(memory, region).map_err(|error| format!("no slots: {error}"))?;
            if kind == 2 {
                slots
                    .save(&learner)
                    .map_err(|error| format!("saving failed: {error}"))?;
                saved = Some(image(&learner));
            } else {
                let before = image(&learner);
                let mut room = before.clone();
                match slots.restore_or_keep(&mut learner, &mut room) {
                    Ok(Some(_)) if saved.as_ref().is_some_and(|saved| *saved != image(&learner)) => {
                        return Err("the restored learner differs from the saved one".into());
                    }
                    Ok(None) if saved.is_some() => return Err("the saved learner is lost".into()),
                    Err(error) if image(&learner) != before => {
                        return Err(format!("restoring failed ({error}), but the learner changed"));
                    }
                    _ => (),
                }
                learner = restored(&learner)?;
            }
            memory = slots.release();
        }
    }
    Ok(())
}

/// Damages the image in one slot, in half of the cases with a checksum that fits, and sometimes one byte anywhere.
fn damaged<L: Subject<DIM>>(mut memory: Memory, half: usize, dice: &mut Dice) -> Memory {
    let start = half * dice.below(2);
    let mut bytes = memory.0[start..][..L::ENCODED_LEN].to_vec();
    dice.damage(&mut bytes);
    bytes.resize(L::ENCODED_LEN, 0xff);
    if dice.chance(2) {
        seal(&mut bytes);
    }
    memory.0[start..][..L::ENCODED_LEN].copy_from_slice(&bytes);
    if dice.chance(4) {
        let place = dice.below(memory.0.len());
        memory.0[place] = dice.below(256) as u8;
    }
    memory
}
