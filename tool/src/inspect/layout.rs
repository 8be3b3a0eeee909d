//! The layouts of all learners of the registry. Each type is used at sizes that are different numbers: a length in a layout
//! that equals one of them is a size of the type, whose value is in the header. Other lengths are constants of the format.

use std::sync::LazyLock;

use eigenstream::Codec;
use eigenstream::codec::{Field, ImageLayout, Kind, Layout};
use eigenstream_registry::learners;
use eigenstream_registry::types::*;

/// Inner learner and kernel are placeholders: the image says which one it contains.
static LEARNERS: LazyLock<Vec<ImageLayout>> = LazyLock::new(|| {
    let mut layouts = Vec::new();
    macro_rules! add {
        ($name:literal, $learner:ty) => {
            layouts.push(<$learner>::LAYOUT);
        };
    }
    learners!(add for f32, DIM = 101, KEEP = 103, RANK = 107, WINDOW = 109, POINTS = 113, ROOM = 127, WIDE = 303);
    layouts
});

/// `None` for an unknown learner.
pub(super) fn of(kind: Kind, kernel: u8) -> Option<&'static ImageLayout> {
    let wanted = |learner: &&ImageLayout| learner.kind == kind && (learner.kernel == 0) == (kernel == 0);
    LEARNERS.iter().find(wanted)
}

/// The name of a kernel and its parameters.
pub(super) fn kernel(number: u8) -> Option<(&'static str, &'static [Field])> {
    let of_window = |learner: &ImageLayout| match learner.content {
        Layout::Group([first, ..]) => Some(first.layout),
        _ => None,
    };
    LEARNERS.iter().filter_map(of_window).find_map(|layout| match layout {
        Layout::Kernel {
            number: found,
            name,
            parameters,
        } if found == number => Some((name, parameters)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_layout() {
        for kind in (0..=u8::MAX).filter_map(Kind::of) {
            assert!(
                of(kind, 0).or(of(kind, 1)).is_some(),
                "{kind:?} has no line in learners! of tests/registry/src/lists.rs"
            );
        }
        assert!((1..=5).all(|number| kernel(number).is_some()) && kernel(6).is_none());
    }

    #[test]
    fn a_number_stands_for_one_size() {
        for learner in LEARNERS.iter() {
            let mut sizes: Vec<usize> = learner.sizes.iter().map(|&(_, size)| size).collect();
            sizes.sort_unstable();
            sizes.dedup();
            assert_eq!(sizes.len(), learner.sizes.len(), "{}", learner.name);
        }
    }
}
