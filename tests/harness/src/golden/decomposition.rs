//! File 03: a capped weight vector as a mixture of corners.
//! A corner gives equal weights to `set_size` members, and zero to the others. The properties of the mixture are
//! checked, not the particular corners.

use eigenstream::Scalar;
use eigenstream::weights::Corners;

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::{CAPACITY, within_capacity};
use super::weights::scalars;

type PlainCorner<T> = (T, Vec<usize>);

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let want = case.input.vector("w")?;
    let set_size = case.input.count("d")?;
    let uniforms = case.input.vector("u")?;
    within_capacity(want.len())?;
    let most = case.output.count("max_corners")?;
    let weights = scalars::<T>(&want);
    let corners = || Corners::<T, CAPACITY>::new(&weights, set_size).map_err(Refusal::by_crate);

    let mixture: Vec<PlainCorner<T>> = corners()?
        .map(|corner| (corner.probability(), corner.members().iter().collect()))
        .collect();
    check.holds(mixture.len() <= most, || {
        format!("{} corners where {most} are enough", mixture.len())
    });
    check_mixture(&mixture, &want, set_size, check);
    for &uniform in &uniforms {
        let drawn: Vec<usize> = corners()?.draw(T::from_f64(uniform)).iter().collect();
        let slack = check.allowance(1.0, 1.0);
        check.holds(could_be_drawn(&mixture, &drawn, uniform, slack), || {
            format!("draw({uniform}) gave {drawn:?}")
        });
    }
    Ok(())
}

/// Checks that probabilities are positive and sum to one, that corners have `set_size` members, and that the mixture
/// equals the weights.
fn check_mixture<T: Scalar>(mixture: &[PlainCorner<T>], want: &[f64], set_size: usize, check: &mut Check) {
    let mut total = T::ZERO;
    let mut rebuilt = vec![T::ZERO; want.len()];
    for (probability, members) in mixture {
        check.holds(*probability > T::ZERO, || {
            format!("a corner has probability {probability}")
        });
        check.equal("size of a corner", &members.len(), &set_size);
        total += *probability;
        for &member in members {
            match rebuilt.get_mut(member) {
                Some(weight) => *weight += *probability / T::from_usize(set_size),
                None => check.holds(false, || format!("a corner has member {member} of {}", want.len())),
            }
        }
    }
    check.number("sum of p", total, 1.0);
    check.vector("rebuilt w", &rebuilt, want);
}

/// Whether `drawn` is the first corner whose cumulative probability is above `uniform`, up to `slack`.
fn could_be_drawn<T: Scalar>(mixture: &[PlainCorner<T>], drawn: &[usize], uniform: f64, slack: f64) -> bool {
    let mut before = 0.0;
    for (position, (probability, members)) in mixture.iter().enumerate() {
        let after = before + probability.to_f64();
        let is_last = position + 1 == mixture.len();
        if members == drawn && before <= uniform + slack && (uniform < after + slack || is_last) {
            return true;
        }
        before = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_has_to_match_the_cumulative_probabilities() {
        let mixture = [(0.75, vec![1, 2]), (0.25, vec![0, 2])];
        assert!(could_be_drawn(&mixture, &[1, 2], 0.5, 1e-12));
        assert!(!could_be_drawn(&mixture, &[0, 2], 0.5, 1e-12));
        assert!(could_be_drawn(&mixture, &[0, 2], 0.999, 1e-12));
        assert!(!could_be_drawn(&mixture, &[0, 1], 0.999, 1e-12));
    }
}
