use core::convert::Infallible;
use rand_core::TryRng;

/// A generator of random numbers from a function, for the hardware generator of a chip.
///
/// It also takes a generator of an older `rand_core`, as many HALs have.
///
/// ```
/// use eigenstream::RandomWords;
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
///
/// # struct Hal(u32);
/// # impl Hal {
/// #     fn next_u32(&mut self) -> u32 {
/// #         self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
/// #         self.0
/// #     }
/// # }
/// # let mut hal_rng = Hal(1);
/// // `hal_rng` implements `RngCore` of rand_core 0.6 or 0.9, which have `next_u32` too.
/// let mut rng = RandomWords::new(|| hal_rng.next_u32());
/// let mut pca = TrackingPca::<f32, 6, 2, 6>::new(TrackingSettings::DEFAULT);
/// let trial = pca.step(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2], &mut rng)?;
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RandomWords<F> {
    next: F,
}

impl<F: FnMut() -> u32> RandomWords<F> {
    /// Takes the words from `next`, whose 32 bits must be independent, each set with probability one half.
    #[must_use]
    pub const fn new(next: F) -> Self {
        Self { next }
    }
}

/// A `u64` takes two words, the low half first; a slice takes one word for each four bytes and one for a shorter rest,
/// low byte first.
impl<F: FnMut() -> u32> TryRng for RandomWords<F> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next)())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let (low, high) = ((self.next)(), (self.next)());
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(4) {
            for (byte, random) in part.iter_mut().zip((self.next)().to_le_bytes()) {
                *byte = random;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Scalar;
    use rand_core::Rng;

    #[test]
    fn words_come_in_their_order() {
        let mut word = 0;
        let mut rng = RandomWords::new(|| {
            word += 1;
            word
        });
        assert_eq!(rng.next_u32(), 1);
        assert_eq!(rng.next_u64(), 2 | 3 << 32);
        let mut bytes = [0xff; 6];
        rng.fill_bytes(&mut bytes);
        assert_eq!(bytes, [4, 0, 0, 0, 5, 0]);
        assert_eq!(f32::uniform(&mut RandomWords::new(|| 0x8000_0000)), 0.5);
    }
}
