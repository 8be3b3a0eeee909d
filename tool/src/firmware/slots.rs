//! The slots of a chip's program: the flash in which the monitor is saved.
//! In: the program and the memory.x of `examples/chips`, whose slots have one page each. Out: both, with slots for the
//! image of the monitor. The sectors of the STM32F411, 128 kB, have room for every monitor of its inputs.

use super::inputs::WORDS;

/// Of the nRF52840 and of the flash beside the RP2040.
const PAGE: usize = 4096;

/// More than the header and checksum of an image, the tag, the rest of a piece of 32 bytes, and the record of the save.
const BESIDE: usize = 128;

/// An image has no scratch memory, so it is at most as long as the monitor (`bytes`) and `BESIDE`.
pub(super) fn with_room(chip: &str, program: &str, memory: &str, bytes: usize) -> (String, String) {
    let pages = (bytes + BESIDE).div_ceil(PAGE);
    let (flash, region) = match chip {
        "nrf52840" => (1 << 20, "0xf_e000..0x10_0000"),
        "rp2040" => (2 << 20, "0x1f_e000..0x20_0000"),
        _ => return (program.to_owned(), memory.to_owned()),
    };
    if pages == 1 {
        return (program.to_owned(), memory.to_owned());
    }
    let free = |pages: usize| format!("{}K", (flash - 2 * pages * PAGE) / 1024);
    let count = WORDS.get(2 * pages - 1).map_or("some", |word| *word);
    let last = format!("last {count} pages");
    let start = flash - 2 * pages * PAGE;
    let seconds = format!("some 0.{} s", (2 * pages).min(9));
    (
        program
            .replace(region, &format!("{start:#x}..{flash:#x}"))
            .replace("last two pages", &last)
            .replace("some 0.2 s", &seconds),
        memory.replace("last two pages", &last).replace(&free(1), &free(pages)),
    )
}

#[cfg(test)]
mod tests {
    use eigenstream::hebbian::Gha;
    use eigenstream::kernel::{Gaussian, OnlineKernelPca};
    use eigenstream::monitor::{Monitor, SensorMonitor};
    use eigenstream::pca::{CenteredPca, TrackingPca};
    use eigenstream::storage::slot_length;

    use super::*;
    use crate::budget::monitor_bytes;
    use crate::watching::Model;

    const NRF52840: (&str, &str, &str) = (
        "nrf52840",
        include_str!("../../../examples/chips/nrf52840/src/main.rs"),
        include_str!("../../../examples/chips/nrf52840/memory.x"),
    );
    const RP2040: (&str, &str, &str) = (
        "rp2040",
        include_str!("../../../examples/chips/rp2040/src/main.rs"),
        include_str!("../../../examples/chips/rp2040/memory.x"),
    );
    const STM32F411: (&str, &str, &str) = (
        "stm32f411",
        include_str!("../../../examples/chips/stm32f411/src/main.rs"),
        include_str!("../../../examples/chips/stm32f411/memory.x"),
    );

    type Kernel<const DIM: usize, const KEEP: usize, const RANK: usize> =
        Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, 32, RANK>, DIM>;

    #[test]
    fn a_slot_has_room_for_the_image_of_every_learner() {
        for (model, channels, keep, needed) in [
            (Model::Mahalanobis, 8, 2, slot_length::<SensorMonitor<f32, 8>>()),
            (Model::Mahalanobis, 1, 1, slot_length::<SensorMonitor<f32, 1>>()),
            (
                Model::Tracking,
                8,
                7,
                slot_length::<Monitor<f32, TrackingPca<f32, 8, 7, 8>, 8>>(),
            ),
            (
                Model::Centered,
                8,
                2,
                slot_length::<Monitor<f32, CenteredPca<f32, 8, 2>, 8>>(),
            ),
            (Model::Hebbian, 8, 7, slot_length::<Monitor<f32, Gha<f32, 8, 7>, 8>>()),
            (Model::Kernel, 8, 2, slot_length::<Kernel<8, 2, 6>>()),
            (Model::Kernel, 8, 7, slot_length::<Kernel<8, 7, 11>>()),
            (Model::Kernel, 5, 4, slot_length::<Kernel<5, 4, 8>>()),
        ] {
            let bytes = monitor_bytes(model, channels, keep);
            assert!(
                bytes + BESIDE >= needed,
                "{model:?}, {channels} channels: {bytes}, {needed}"
            );
        }
        // One page has no room for the largest of them.
        assert!(slot_length::<Kernel<8, 7, 11>>() > PAGE);
    }

    #[test]
    fn an_image_in_one_page_leaves_the_program_of_the_examples() {
        for (chip, program, memory) in [NRF52840, RP2040, STM32F411] {
            let written = with_room(chip, program, memory, PAGE - BESIDE);
            assert_eq!(written, (program.to_owned(), memory.to_owned()));
        }
    }

    #[test]
    fn a_longer_image_has_longer_slots_that_the_program_leaves_free() {
        for ((chip, program, memory), region, length) in [
            (NRF52840, "0xfc000..0x100000;", "LENGTH = 1008K"),
            (RP2040, "0x1fc000..0x200000;", "LENGTH = 2032K - 0x100"),
        ] {
            let (program, memory) = with_room(chip, program, memory, PAGE);
            assert!(
                program.contains(&format!("const REGION: Range<u32> = {region}")),
                "{program}"
            );
            assert!(
                program.contains("last four pages") && program.contains("some 0.4 s"),
                "{program}"
            );
            assert!(
                memory.contains(length) && memory.contains("last four pages"),
                "{memory}"
            );
        }
        let (_, program, memory) = STM32F411;
        let written = with_room("stm32f411", program, memory, 20 * PAGE);
        assert_eq!(written, (program.to_owned(), memory.to_owned()));
    }
}
