//! The rule of APEX, [K01] (8)–(11): outputs, code, loss, and one trial of the component that learns. x is the sample. w are the
//! weights of a component, a its feedback and ỹ its output, corrected by the feedback. y are the ỹ of the finished components.

use super::Chain;
use crate::hebbian::representation::{Instructions, Outputs, Representation};
use crate::hebbian::stability::{Nudge, limited, shorten};
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar};

impl<T: Scalar, W: Representation<T, DIM, 1>, const DIM: usize, const KEEP: usize> Chain<T, W, DIM, KEEP> {
    /// The energy of the sample, and the outputs w·x of the finished components and of the component that learns, without
    /// feedback. The outputs of later components are zero.
    pub(super) fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError> {
        let mut outputs = Outputs {
            energy: T::ZERO,
            values: [T::ZERO; KEEP],
        };
        for (output, part) in outputs
            .values
            .iter_mut()
            .zip(&self.components)
            .take(self.finished.wrapping_add(1))
        {
            let Outputs { energy, values: [own] } = part.outputs(sample)?;
            outputs.energy = energy;
            *output = own;
        }
        Ok(outputs)
    }

    /// The code: the outputs wₚ·x corrected by the feedback aₚ, ỹₚ = wₚ·x + Σ_{j<p} aₚⱼỹⱼ.
    pub(super) fn code(&self, outputs: &Outputs<T, KEEP>) -> [T; KEEP] {
        let mut code = outputs.values;
        for p in 0..KEEP {
            for j in 0..p {
                code[p] += self.feedback[p][j] * code[j];
            }
        }
        code
    }

    pub(super) fn loss(&self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, code: &[T; KEEP]) -> T {
        W::loss(&self.components, sample, outputs.energy, code, &self.mixture(code))
    }

    /// Learns a sample whose outputs and code are given. If `span` > 0, the component that learns is finished when it has learned
    /// `span` samples, unless it is the last component.
    pub(super) fn update(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, code: &[T; KEEP]) {
        let rate = self.pace.next(outputs.energy, u64::from(self.age));
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.age == 0 {
            self.start(sample, outputs.energy);
        } else if let (Some(part), Some(&output), Some(&drive)) = (
            self.components.get_mut(self.finished),
            outputs.values.get(self.finished),
            // Feedback through many components can overflow. Then nothing is learned: zero times an infinite drive is NaN. A
            // finite drive implies that the code of the finished components is finite.
            code.get(self.finished).filter(|drive| drive.is_finite()),
        ) {
            let finished = code.get(..self.finished).unwrap_or_default();
            // With y the code of the finished components, w and a learn like one vector (w, a) from the input (x, −y). So the
            // energy of (x, −y) limits the rate.
            let energy = outputs.energy + dot(finished, finished);
            let rate = limited(rate, energy.max(drive * drive));
            let Nudge { gain, decay } = Nudge::new(rate, drive, energy);
            let own = Outputs {
                energy: outputs.energy,
                values: [output],
            };
            let instructions = Instructions {
                drives: [drive],
                rates: [rate],
                deflation: T::ZERO,
            };
            part.learn(sample, &own, &instructions);
            if let Some(row) = self.feedback.get_mut(self.finished) {
                for (feedback, &output) in row.iter_mut().zip(finished) {
                    *feedback = decay * *feedback - gain * output;
                }
                shorten(row);
            }
            self.age = self.age.saturating_add(1);
        }
        if self.span > 0 && self.age >= self.span && self.finished.wrapping_add(1) < KEEP {
            self.finish();
        }
    }

    pub(super) fn start(&mut self, sample: &[T; DIM], energy: T) {
        let nothing = Outputs {
            energy,
            values: [T::ZERO],
        };
        if let Some(part) = self.components.get_mut(self.finished)
            && self.age == 0
            && part.start(0, sample, &nothing, &[T::ZERO])
        {
            self.age = 1;
        }
    }
}
