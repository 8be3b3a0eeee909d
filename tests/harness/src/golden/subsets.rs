//! File 05: sets of experts with product weights, by dynamic programming.

use eigenstream::Scalar;
use eigenstream::weights::SubsetExperts;

use super::check::{Check, Refusal};
use super::schema::Case;
use super::sizes::{CAPACITY, within_capacity};
use super::weights::scalars;

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let weights = scalars::<T>(&case.input.vector("v")?);
    within_capacity(weights.len())?;
    let set_size = case.input.count("d")?;
    let experts = SubsetExperts::<T, CAPACITY>::new(&weights, set_size).map_err(Refusal::by_crate)?;
    check.number("e_d", experts.partition(), case.output.number("e_d")?);

    let mut marginals = vec![T::ZERO; weights.len()];
    experts.marginals(&mut marginals);
    check.vector("marginals", &marginals, &case.output.vector("marginals")?);

    let mut samples = Vec::new();
    for uniforms in case.input.rows("us")? {
        let mut uniforms = uniforms.into_iter().map(T::from_f64);
        // The list has at least as many numbers as a sample needs; a further call would get zero.
        let sample = experts.sample(|| uniforms.next().unwrap_or(T::ZERO));
        samples.push(sample.iter().collect());
    }
    check.equal("samples", &samples, &case.output.sets("samples")?);

    if case.output.has("sets") {
        let product = |set: &Vec<usize>| {
            let members = set.iter().filter_map(|&member| weights.get(member));
            members.fold(T::ONE, |product, &weight| product * weight)
        };
        let probabilities: Vec<T> = case
            .output
            .sets("sets")?
            .iter()
            .map(|set| product(set) / experts.partition())
            .collect();
        check.vector("probs", &probabilities, &case.output.vector("probs")?);
    }
    Ok(())
}
