//! AArch64: `nop` and `b`, four bytes each.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), B2.2.5: both may be patched while other cores execute them.

use crate::encoding::{Encoding, Instruction, fits};

/// The instruction set.
#[derive(Debug)]
pub struct Aarch64;

const LENGTH: u32 = 4;
const NOP: u64 = 0xd503_201f;
const BRANCH: u64 = 0x1400_0000;
/// Bits of a branch's distance, in instructions.
const DISTANCE_BITS: u32 = 26;

impl Encoding for Aarch64 {
    const ALIGNMENT: usize = 4;
    const LINKED_AS_JUMPS: bool = false;
    const LENGTHS: &'static [u32] = &[LENGTH];
    const STEPS: u32 = 1;

    fn length(bytes: u64) -> Option<u32> {
        let instruction = bytes & 0xffff_ffff;
        let is_branch = instruction >> DISTANCE_BITS == BRANCH >> DISTANCE_BITS;
        (is_branch || instruction == NOP).then_some(LENGTH)
    }

    fn nop(length: u32) -> Instruction {
        Instruction { bits: NOP, length }
    }

    fn jump(length: u32, distance: i64) -> Option<Instruction> {
        let instructions = distance / i64::from(LENGTH);
        let reaches = distance % i64::from(LENGTH) == 0 && fits(instructions, DISTANCE_BITS);
        let field = instructions.cast_unsigned() & ((1 << DISTANCE_BITS) - 1);
        reaches.then_some(Instruction { bits: BRANCH | field, length })
    }

    fn step(_: Instruction, to: Instruction, _: u32) -> Instruction {
        to
    }
}

/// The instructions of [`assembly`](mod@crate::assembly): a jump; that of a site, at the label 771; a static call's; jumps to `\label`
/// while the count of `\key` is positive, or not.
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "aarch64")]
macro_rules! native {
    (jump) => {
        "b"
    };
    (site $jumps:literal $target:literal) => {
        concat!("771: .if ", $jumps, "\nb ", $target, "\n.else\nnop\n.endif\n")
    };
    (call $target:literal) => {
        concat!("b ", $target, "\n")
    };
    (jump_if_on) => {
        $crate::native!(test "b.gt")
    };
    (jump_if_off) => {
        $crate::native!(test "b.le")
    };
    (test $jump:literal) => {
        concat!(
            "adrp \\scratch, \\key
            ldrsw \\scratch, [\\scratch, :lo12:\\key]
            cmp \\scratch, #0
            ", $jump, " \\label\n")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(distance: i64) -> Option<u64> {
        Aarch64::jump(LENGTH, distance).map(|jump| jump.bits)
    }

    #[test]
    fn branches_match_the_assembler() {
        assert_eq!([jump(8), jump(-4), jump(0)], [Some(0x1400_0002), Some(0x17ff_ffff), Some(0x1400_0000)]);
    }

    #[test]
    fn branches_reach_128_mebibytes() {
        let reach = 128 << 20;
        assert!(jump(-reach).is_some() && jump(reach - 4).is_some());
        assert_eq!([jump(reach), jump(-reach - 4), jump(2)], [None; 3]);
    }

    #[test]
    fn both_instructions_are_recognised_and_others_are_not() {
        assert_eq!([0xd503_201f, 0x1400_0002, 0x17ff_ffff].map(Aarch64::length), [Some(LENGTH); 3]);
        // bl, b.eq, ret
        assert_eq!([0x9400_0002, 0x5400_0040, 0xd65f_03c0].map(Aarch64::length), [None; 3]);
    }
}
