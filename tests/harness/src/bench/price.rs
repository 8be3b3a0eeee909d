//! Cycles of an instruction, by the tables of Arm.
//! Most prices, Cortex-M4F: integer instruction 1; load 2, or 1 after a load or store; store 1; floating-point
//! multiply-add 3, division or root 14, load or store 2, others 1. Add 1 if the next instruction uses the result of a
//! floating-point computation, and 2 for a jump (manual: 1 to 3). Cortex-M0: load or store 2, jump 2 more, call 3
//! more. On both cores a load or store of n registers takes n + 1.
//! The model leaves out the bus and flash wait states. It is too high for most integer divisions (12), for
//! instructions that run during a division, and for skipped instructions.

use anyhow::{Result, bail};

use crate::machine::Board;

pub(crate) const MODEL_ERROR: f64 = eigenstream_tool::budget::MODEL_ERROR;

/// A core with published timings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Core {
    /// ARMv6-M, without a floating-point unit.
    M0,
    /// ARMv7E-M, with a floating-point unit.
    M4F,
}

/// An instruction with its cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Priced {
    /// Cycles without the influence of the instruction before.
    pub(super) cycles: u64,
    /// Extra cycles if the instruction jumps.
    pub(super) jump: u64,
    /// Floating-point registers that the instruction computes, one bit for each of s0 to s31.
    computes: u32,
    uses: u32,
    /// Whether it loads one core register; `transfers`: whether it loads or stores one core register.
    loads: bool,
    transfers: bool,
}

impl Core {
    pub(super) fn of(board: &Board) -> Result<Self> {
        match board.core {
            "Cortex-M0" => Ok(Self::M0),
            "Cortex-M4F" => Ok(Self::M4F),
            other => bail!("there is no public table of the cycles of a {other}"),
        }
    }

    /// The cycles of an instruction, given by its mnemonic and operands.
    pub(super) fn price(self, mnemonic: &str, operands: &str) -> Result<Priced> {
        let word = mnemonic.split('.').next().unwrap_or_default();
        if word.starts_with('v') {
            return floating_point(word, operands);
        }
        let is = |names: &[&str]| names.iter().any(|name| word.starts_with(name));
        let many = 1 + listed(operands);
        let store = if self == Self::M0 { 2 } else { 1 };
        let call = if self == Self::M0 { 3 } else { 2 };
        let (cycles, jump) = match () {
            () if word.is_empty() => bail!("the trace shows no instruction: {mnemonic} {operands}"),
            () if is(&["ldrd", "strd"]) => (3, 2),
            () if is(&["ldm", "stm", "push", "pop"]) => (many, call),
            () if is(&["ldr"]) => (2, 2),
            () if is(&["str"]) => (store, 2),
            () if is(&["udiv", "sdiv"]) => (12, 2),
            () if is(&["tbb", "tbh"]) => (2, 2),
            () if is(&["mrs", "msr"]) => (if self == Self::M0 { 4 } else { 2 }, 2),
            () if word == "bl" => (1, call),
            () => (1, 2),
        };
        let loads = is(&["ldr"]) && !is(&["ldrd"]);
        Ok(Priced {
            cycles,
            jump,
            loads,
            transfers: loads || (is(&["str"]) && !is(&["strd"])),
            ..Priced::default()
        })
    }

    /// Number to add to the cycles of `instruction` if `before` is the instruction directly before it.
    pub(super) fn between(self, before: &Priced, instruction: &Priced) -> i64 {
        match self {
            Self::M0 => 0,
            Self::M4F => {
                let waits = before.computes & instruction.uses != 0;
                let pipelined = before.transfers && instruction.loads;
                i64::from(waits) - i64::from(pipelined)
            }
        }
    }
}

/// The cycles of a floating-point instruction.
fn floating_point(word: &str, operands: &str) -> Result<Priced> {
    // A condition may follow the name: `vmovgt`, `vaddne`.
    let is = |names: &[&str]| {
        names.iter().any(|name| {
            word.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || (rest.len() == 2 && CONDITIONS.contains(&rest)))
        })
    };
    let [first, rest] = match operands.split_once(',') {
        Some((first, rest)) => [first, rest].map(registers),
        None => [registers(operands), 0],
    };
    let all = first | rest;
    let numbers = u64::from(all.count_ones());
    let (cycles, computes, uses) = match () {
        () if is(&["vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms"]) => (3, first, all),
        () if is(&["vdiv", "vsqrt"]) => (14, first, rest),
        () if is(&[
            "vadd", "vsub", "vmul", "vnmul", "vcvt", "vcvtb", "vcvtt", "vabs", "vneg",
        ]) =>
        {
            (1, first, rest)
        }
        () if is(&["vcmp", "vcmpe"]) => (1, 0, all),
        () if is(&["vmrs", "vmsr"]) => (1, 0, 0),
        // A transfer between one double register and two core registers takes 2 cycles.
        () if is(&["vmov"]) => (1 + u64::from(operands.matches(',').count() > 1), 0, rest),
        () if is(&["vldr"]) => (1 + numbers, 0, 0),
        () if is(&["vstr"]) => (1 + numbers, 0, first),
        () if is(&["vldmia", "vldmdb", "vldm", "vpop"]) => (1 + numbers, 0, 0),
        () if is(&["vstmia", "vstmdb", "vstm", "vpush"]) => (1 + numbers, 0, all),
        () => bail!("the table has no price of {word} {operands}"),
    };
    Ok(Priced {
        cycles,
        jump: 2,
        computes,
        uses,
        ..Priced::default()
    })
}

const CONDITIONS: [&str; 14] = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
];

/// Number of registers in a list in braces.
fn listed(operands: &str) -> u64 {
    let list = operands.split_once('{').map_or("", |(_, rest)| rest);
    list.split('}').next().unwrap_or_default().split(',').count() as u64
}

/// The floating-point registers among the operands; d1 is s2 and s3.
fn registers(operands: &str) -> u32 {
    let words = operands.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter_map(register).fold(0, |all, one| all | one)
}

fn register(word: &str) -> Option<u32> {
    let number = |digits: &str| digits.parse::<u32>().ok();
    if let Some(single) = word.strip_prefix('s').and_then(number) {
        return 1_u32.checked_shl(single);
    }
    let double = word.strip_prefix('d').and_then(number)?;
    3_u32.checked_shl(2 * double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(core: Core, text: &str) -> Result<u64> {
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        Ok(core.price(mnemonic, operands)?.cycles)
    }

    #[test]
    fn the_prices_are_those_of_the_manuals() -> Result<()> {
        for (text, price) in [
            ("adds r0, r0, #1", 1),
            ("mla r0, r1, r2, r3", 1),
            ("ldr.w r0, [r1, #4]", 2),
            ("str r0, [r1]", 1),
            ("ldrd r0, r1, [r2]", 3),
            ("push {r4, r5, r6, r7, lr}", 6),
            ("ldm.w r0, {r1, r2, r3}", 4),
            ("vadd.f32 s0, s1, s2", 1),
            ("vmla.f32 s0, s1, s2", 3),
            ("vmlagt.f32 s0, s1, s2", 3),
            ("vdiv.f32 s0, s1, s2", 14),
            ("vsqrt.f32 s0, s1", 14),
            ("vldr s0, [r0, #4]", 2),
            ("vstr d8, [sp, #8]", 3),
            ("vmov s0, r0", 1),
            ("vmov.f32 s0, s1", 1),
            ("vmov r0, r1, d0", 2),
            ("vmrs apsr_nzcv, fpscr", 1),
            // Each double register has two words.
            ("vpush {d8, d9}", 5),
            ("vldmia r0!, {s0, s1, s2}", 4),
        ] {
            assert_eq!(cycles(Core::M4F, text)?, price, "{text}");
        }
        for (text, price) in [("str r0, [r1]", 2), ("muls r0, r1, r0", 1), ("pop {r4, pc}", 3)] {
            assert_eq!(cycles(Core::M0, text)?, price, "{text}");
        }
        Ok(())
    }

    #[test]
    fn an_instruction_without_a_price_is_refused() {
        assert!(Core::M4F.price("vqrshrn.s32", "d0, q0, #1").is_err());
        assert!(Core::M4F.price("", "").is_err());
    }

    #[test]
    fn a_result_that_is_used_at_once_costs_a_cycle_and_a_load_after_a_load_saves_one() -> Result<()> {
        let core = Core::M4F;
        let sum = core.price("vadd.f32", "s0, s1, s2")?;
        let product = core.price("vmul.f32", "s3, s0, s0")?;
        let other = core.price("vmul.f32", "s0, s4, s5")?;
        let store = core.price("vstr", "s0, [r0]")?;
        assert_eq!(core.between(&sum, &product), 1);
        assert_eq!(core.between(&sum, &other), 0);
        assert_eq!(core.between(&sum, &store), 1);
        // A load counts as computing no register, so the next instruction does not wait.
        assert_eq!(core.between(&core.price("vldr", "s0, [r0]")?, &product), 0);
        let load = core.price("ldr", "r0, [r1]")?;
        assert_eq!(core.between(&load, &load), -1);
        assert_eq!(core.between(&core.price("str", "r0, [r1]")?, &load), -1);
        assert_eq!(core.between(&core.price("adds", "r0, r0, #1")?, &load), 0);
        assert_eq!(Core::M0.between(&load, &load), 0);
        Ok(())
    }
}
