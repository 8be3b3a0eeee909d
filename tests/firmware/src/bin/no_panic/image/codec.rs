//! Images of learners.

use core::hint::black_box;

use eigenstream::Codec;
use eigenstream::codec::{Header, Image, Kind};
use eigenstream::weights::FollowTheLeader;

/// Encodes a learner, and decodes bytes that the compiler does not know.
pub(super) fn save<L: Codec>(learner: &L) {
    let mut image = black_box([0; 65_536]);
    let Some(image) = image.get_mut(..black_box(L::ENCODED_LEN)) else {
        return;
    };
    let _ = black_box(learner.encode(image));
    if let Ok(mut restored) = black_box(L::decode(black_box(image))) {
        let _ = black_box(restored.decode_into(black_box(image)));
        let _ = black_box(restored.encode_mut(black_box(image)));
    }
    if let Ok(header) = black_box(Header::read(image)) {
        black_box((header.kind(), header.precision(), header.kernel(), header.sizes()));
        let _ = black_box(header.content(image));
    }
    black_box(Kind::of(black_box(3)));
}

/// Puts a learner into a message and restores it.
pub(super) fn send() {
    let image = black_box(Image::<36>::of(&black_box(FollowTheLeader::<f32, 3>::new())));
    black_box(image.bytes());
    let _ = black_box(image.restore::<FollowTheLeader<f32, 3>>());
}
