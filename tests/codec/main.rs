//! Tests of the saved images of all learners: an image holds the whole learner, a damaged image is refused, an old image is read.

mod exchange;
mod images;
mod in_place;
mod learners;
mod refusals;
mod reset;
mod round_trip;
#[path = "../support/images.rs"]
mod saved;
mod wrong_images;
