//! How each output enters a digest: by the bits of its public fields.
//! An enum variant enters by a number given here, so that a new name changes no digest.

use eigenstream::hebbian::Response;
use eigenstream::kernel::{Ending, Preimage};
use eigenstream::monitor::{Phase, State, Verdict};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::VarianceTrial;
use eigenstream::spectrum::Convergence;
use eigenstream::weights::Subset;
use eigenstream::{CodecError, MatrixError, RidgeError, SampleError, Scalar, SettingsError, Trial, WeightsError};

use crate::digest::Digest;

pub(crate) trait Note {
    /// Adds every bit of the value to the digest.
    fn note(&self, digest: &mut Digest);
}

/// Notes numbers by their bits.
macro_rules! note_numbers {
    ($($number:ty),+) => { $(
        impl Note for $number {
            fn note(&self, digest: &mut Digest) {
                digest.update(&self.to_le_bytes());
            }
        }
    )+ };
}

note_numbers!(u8, u32, u64, f32, f64);

impl Note for usize {
    fn note(&self, digest: &mut Digest) {
        (*self as u64).note(digest);
    }
}

impl Note for bool {
    fn note(&self, digest: &mut Digest) {
        u8::from(*self).note(digest);
    }
}

impl Note for () {
    fn note(&self, _: &mut Digest) {}
}

impl<N: Note + ?Sized> Note for &N {
    fn note(&self, digest: &mut Digest) {
        (**self).note(digest);
    }
}

impl<N: Note> Note for [N] {
    fn note(&self, digest: &mut Digest) {
        self.len().note(digest);
        self.iter().for_each(|part| part.note(digest));
    }
}

impl<N: Note, const LENGTH: usize> Note for [N; LENGTH] {
    fn note(&self, digest: &mut Digest) {
        self.as_slice().note(digest);
    }
}

impl<N: Note, const ROWS: usize, const COLUMNS: usize> Note for SMatrix<N, ROWS, COLUMNS> {
    fn note(&self, digest: &mut Digest) {
        self.data.0.note(digest);
    }
}

macro_rules! note_tuples {
    ($(($($part:ident),+))+) => { $(
        impl<$($part: Note),+> Note for ($($part,)+) {
            #[allow(non_snake_case, reason = "each part is bound to the name of its type")]
            fn note(&self, digest: &mut Digest) {
                let ($($part,)+) = self;
                $($part.note(digest);)+
            }
        }
    )+ };
}

note_tuples! { (A, B) (A, B, C) (A, B, C, D) }

impl<N: Note> Note for Option<N> {
    fn note(&self, digest: &mut Digest) {
        self.is_some().note(digest);
        self.iter().for_each(|value| value.note(digest));
    }
}

impl<N: Note, E: Note> Note for Result<N, E> {
    fn note(&self, digest: &mut Digest) {
        match self {
            Ok(value) => (1_u8, value).note(digest),
            Err(error) => (0_u8, error).note(digest),
        }
    }
}

impl<const N: usize> Note for Subset<N> {
    fn note(&self, digest: &mut Digest) {
        self.len().note(digest);
        self.iter().for_each(|member| member.note(digest));
    }
}

/// Notes structs by their public fields.
macro_rules! note_fields {
    ($($name:ident<T $(, $size:ident)*> { $($field:ident),+ })+) => { $(
        impl<T: Note, $(const $size: usize),*> Note for $name<T, $($size),*> {
            fn note(&self, digest: &mut Digest) {
                $(self.$field.note(digest);)+
            }
        }
    )+ };
}

note_fields! {
    Trial<T, KEEP> { code, loss, expected_loss }
    VarianceTrial<T, DIM> { direction, variance, expected_variance }
    Response<T, KEEP> { code, loss }
    Preimage<T, DIM> { sample, ending, iterations }
    Verdict<T, DIM> { score, threshold, alarm, phase, state, stuck, moved, contribution }
}

/// Notes enums by the number of the variant and its fields.
macro_rules! note_variants {
    ($($name:ident { $($variant:ident $({ $($field:ident),+ })? = $number:literal),+ $(, _ = $other:literal)? })+) => { $(
        impl Note for $name {
            fn note(&self, digest: &mut Digest) {
                match self {
                    $(Self::$variant $({ $($field),+ })? => {
                        let number: u8 = $number;
                        number.note(digest);
                        $($($field.note(digest);)+)?
                    })+
                    $(_ => { let number: u8 = $other; number.note(digest); })?
                }
            }
        }
    )+ };
}

note_variants! {
    Convergence { Reached = 0, BoundHit = 1 }
    Ending { Settled = 0, BoundHit = 1, Vanished = 2 }
    Phase { Warmup { seen, need } = 0, Calibrating = 1, Watching = 2, Frozen = 3, Standstill = 4, Unsettled = 5, _ = 255 }
    State { Learning = 0, Normal = 1, SecondNormal = 2, Unusual = 3, Moving = 4, Steady = 5, Stuck = 6, _ = 255 }
    SampleError { NotANumber { channel } = 0, TooLarge { channel } = 1, _ = 255 }
    WeightsError {
        NotANumber { index } = 0, Negative { index } = 1, AllZero = 2, SetSize { requested, available } = 3,
        Length { given, expected } = 4, LearningRate = 5, _ = 255
    }
    MatrixError {
        NotANumber { row, column } = 0, NotPositiveDefinite = 1, Overflow = 2, Trace = 3, Probability { index } = 4, _ = 255
    }
    RidgeError { Target { slot } = 0, Singular = 1, Overflow = 2, _ = 255 }
}

/// Notes these errors as 255. They do not occur here, because every setting and every image is accepted.
macro_rules! note_refusals {
    ($($error:ty),+) => { $(
        impl Note for $error {
            fn note(&self, digest: &mut Digest) {
                255_u8.note(digest);
            }
        }
    )+ };
}

note_refusals!(SettingsError, CodecError);

/// A number type whose values can be noted.
pub(crate) trait Number: Scalar + Note {}

impl<T: Scalar + Note> Number for T {}
