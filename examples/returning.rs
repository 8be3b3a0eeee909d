//! A machine with three tools that return. The graph is eight channels → density PCA with a share → loss of each visit.
//!
//! Each tool moves the channels in its own two directions. Five are kept, enough for two tools. The tools follow
//! each other as A B A C B A. Without a share the new tool is learned slowly. A uniform share keeps every direction possible
//! but costs loss at every change. A share of the past average remembers earlier tools, so A returns at little cost.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::pca::{DensityPca, DensitySettings, Share};
use support::{Exact, Outcome, say};

support::entry!(returning);

const VISITS: [Tool; 6] = [Tool::A, Tool::B, Tool::A, Tool::C, Tool::B, Tool::A];
const SAMPLES: u32 = 100;

#[derive(Clone, Copy, Debug)]
enum Tool {
    A,
    B,
    C,
}

fn returning() -> Outcome {
    let none = watch("no share", Share::Nothing)?;
    let uniform = watch("uniform share", Share::Uniform(0.01))?;
    let past = watch("share of the past average", Share::PastAverage(0.01))?;
    let total = |visits: [f32; 6]| visits.iter().sum::<f32>();
    let least = total(past) < total(uniform) && total(past) < total(none);
    say!("the past average loses least in total: {least}");
    let [first, .., last] = past;
    say!(
        "the last visit of tool A costs {} of its first one",
        Exact(last / first)
    );
    Ok(())
}

/// Prints and returns the loss of each visit.
fn watch(name: &str, share: Share<f32>) -> Result<[f32; 6], support::Failure> {
    let mut pca = DensityPca::<f32, 8, 5>::new(DensitySettings::new(1.0)?.with_share(share)?);
    let mut visits = [0.0; 6];
    for (visit, (loss, tool)) in (0..).zip(visits.iter_mut().zip(VISITS)) {
        for time in visit * SAMPLES..(visit + 1) * SAMPLES {
            let sample = shake(tool, time);
            *loss += pca.score(&sample)?;
            pca.learn(&sample)?;
        }
    }
    say!("{name}: total loss {}", Exact(visits.iter().sum()));
    for (tool, loss) in VISITS.iter().zip(visits) {
        say!("  tool {tool:?}  {}", Exact(loss));
    }
    Ok(visits)
}

/// Two directions of the tool and a little noise. The length of a sample is at most one.
fn shake(tool: Tool, time: u32) -> [f32; 8] {
    let noise = |prime: u32| (time * prime % 10_007) as f32 / 10_007.0 - 0.5;
    let (first, second) = match tool {
        Tool::A => (0, 1),
        Tool::B => (2, 3),
        Tool::C => (4, 5),
    };
    let primes = [719, 977, 4_111, 5_477, 8_353, 3_571, 2_203, 1_597];
    let mut sample = primes.map(|prime| 0.02 * noise(prime));
    sample[first] += 1.2 * noise(6_131);
    sample[second] += 1.2 * noise(2_579);
    sample
}
