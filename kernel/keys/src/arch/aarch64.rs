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
}

/// The assembly of a site.
#[cfg(all(target_arch = "aarch64", limen_keys = "patched"))]
#[doc(hidden)]
#[macro_export]
macro_rules! site_assembly {
    () => {
        "771:
        .if {jumps}
        b {target}
        .else
        nop
        .endif
        .pushsection limen_key_sites, \"awR\"
        .p2align 3
        .long 771b - .
        .long {target} - .
        .quad {key} + {offset} + {sense} - .
        .popsection"
    };
}

/// The jump macros for assembly, see [`assembly!`](crate::assembly).
#[cfg(all(target_arch = "aarch64", limen_keys = "patched"))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jumps {
    () => {
        ".macro static_jump_if_on key, default, label, scratch
        771:
        .if \\default
        b \\label
        .else
        nop
        .endif
        .pushsection limen_key_sites, \"awR\"
        .p2align 3
        .long 771b - .
        .long \\label - .
        .quad \\key + 0 - .
        .popsection
        .endm
        .macro static_jump_if_off key, default, label, scratch
        771:
        .if \\default == 0
        b \\label
        .else
        nop
        .endif
        .pushsection limen_key_sites, \"awR\"
        .p2align 3
        .long 771b - .
        .long \\label - .
        .quad \\key + 1 - .
        .popsection
        .endm
"
    };
}

/// The jump macros for assembly, see [`assembly!`](crate::assembly).
#[cfg(all(target_arch = "aarch64", limen_keys = "fallback"))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jumps {
    () => {
        ".set static_jump_is_long, 1
        .macro static_jump_if_on key, default, label, scratch
        adrp \\scratch, \\key
        ldrsw \\scratch, [\\scratch, :lo12:\\key]
        cmp \\scratch, #0
        b.gt \\label
        .endm
        .macro static_jump_if_off key, default, label, scratch
        adrp \\scratch, \\key
        ldrsw \\scratch, [\\scratch, :lo12:\\key]
        cmp \\scratch, #0
        b.le \\label
        .endm
"
    };
}

/// The jump macros for assembly, see [`assembly!`](crate::assembly).
#[cfg(all(target_arch = "aarch64", limen_keys = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly_jumps {
    () => {
        ".macro static_jump_if_on key, default, label, scratch
        .if \\default
        b \\label
        .endif
        .endm
        .macro static_jump_if_off key, default, label, scratch
        .if \\default == 0
        b \\label
        .endif
        .endm
"
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
