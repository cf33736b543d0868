//! RISC-V: `nop` and `jal zero`, four bytes each.
//!
//! Compressed jumps would not reach far enough. Code with compressed instructions is aligned to two bytes; a site is
//! padded by two only if it would otherwise cross its eight-byte word.
//!
//! Source: The RISC-V Instruction Set Manual, volume I, 2.5 and 2.4 (`nop` is `addi x0, x0, 0`).

use crate::encoding::{Encoding, Instruction, fits};

/// The instruction set.
#[derive(Debug)]
pub struct Riscv64;

const LENGTH: u32 = 4;
const NOP: u64 = 0x0000_0013;
const JUMP: u64 = 0x0000_006f;
/// Opcode and destination.
const JUMP_MASK: u64 = 0xfff;
/// The low parcel of an instruction.
const PARCEL: u64 = 0xffff;
/// Bits of a jump's distance, in bytes.
const DISTANCE_BITS: u32 = 21;

impl Encoding for Riscv64 {
    const ALIGNMENT: usize = 2;
    const LINKED_AS_JUMPS: bool = false;
    const LENGTHS: &'static [u32] = &[LENGTH];
    const STEPS: u32 = 2;

    fn length(bytes: u64) -> Option<u32> {
        let instruction = bytes & 0xffff_ffff;
        (instruction & JUMP_MASK == JUMP || instruction == NOP).then_some(LENGTH)
    }

    fn nop(length: u32) -> Instruction {
        Instruction { bits: NOP, length }
    }

    fn jump(length: u32, distance: i64) -> Option<Instruction> {
        let reaches = distance % 2 == 0 && fits(distance, DISTANCE_BITS);
        let far = distance.cast_unsigned();
        let field = |from: u32, bits: u32, to: u32| (far >> from & ((1 << bits) - 1)) << to;
        let bits = JUMP | field(20, 1, 31) | field(1, 10, 21) | field(11, 1, 20) | field(12, 8, 12);
        reaches.then_some(Instruction { bits, length })
    }

    /// A fetch is only certain to be whole within its two-byte parcels. So the parcels change one after the other; in
    /// between, the instruction has the low parcel of the nop. With that it is `addi x0` whatever follows, also a nop.
    fn step(from: Instruction, to: Instruction, step: u32) -> Instruction {
        if step > 0 || to.length != LENGTH {
            return to;
        }
        let jump = if to.bits == NOP { from.bits } else { to.bits };
        Instruction { bits: NOP & PARCEL | jump & !PARCEL, length: LENGTH }
    }
}

/// The instructions of [`assembly`](mod@crate::assembly): a jump; that of a site, at the label 771; a static call's; jumps to `\label`
/// while the count of `\key` is positive, or not.
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "riscv64")]
macro_rules! native {
    (jump) => {
        "j"
    };
    (site $jumps:literal $target:literal) => {
        concat!(
            ".p2align 3, , 2
            .option push
            .option norvc
            .option norelax
            771: .if ", $jumps, "\nj ", $target, "\n.else\nnop\n.endif
            .option pop
            ")
    };
    (call $target:literal) => {
        concat!(".option push\n.option norvc\n.option norelax\nj ", $target, "\n.option pop\n")
    };
    (jump_if_on) => {
        $crate::native!(test "bgtz")
    };
    (jump_if_off) => {
        $crate::native!(test "blez")
    };
    (test $jump:literal) => {
        concat!(
            "lla \\scratch, \\key
            lw \\scratch, 0(\\scratch)
            ", $jump, " \\scratch, \\label\n")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(distance: i64) -> Option<u64> {
        Riscv64::jump(LENGTH, distance).map(|jump| jump.bits)
    }

    #[test]
    fn jumps_match_the_assembler() {
        assert_eq!([jump(8), jump(-4)], [Some(0x0080_006f), Some(0xffdf_f06f)]);
        assert_eq!(
            [jump(0x800), jump(0x1000), jump(0x7_fffe)],
            [0x0010_006f, 0x0000_106f, 0x7ff7_f06f].map(Some)
        );
    }

    #[test]
    fn each_step_changes_one_parcel_and_no_torn_instruction_jumps_elsewhere() {
        for distance in [8, -4, 0x1000, 0x7_fffe, -(1 << 20)] {
            let states = [Riscv64::nop(LENGTH), Riscv64::jump(LENGTH, distance).unwrap()];
            for [from, to] in [states, [states[1], states[0]]] {
                let between = Riscv64::step(from, to, 0);
                assert_eq!(Riscv64::step(from, to, 1), to);
                for (one, other) in [(from, between), (between, to)] {
                    let parcels = (one.bits ^ other.bits) & PARCEL != 0;
                    assert!(!parcels || (one.bits ^ other.bits) & !PARCEL == 0);
                }
                // addi, to register 0.
                assert_eq!(between.bits & 0x7fff, 0x13);
            }
        }
        let data = [0, 1].map(|bits| Instruction { bits, length: 8 });
        assert_eq!(Riscv64::step(data[0], data[1], 0), data[1]);
    }

    #[test]
    fn jumps_reach_a_mebibyte() {
        let reach = 1 << 20;
        assert!(jump(-reach).is_some() && jump(reach - 2).is_some());
        assert_eq!([jump(reach), jump(-reach - 2), jump(1)], [None; 3]);
    }

    #[test]
    fn both_instructions_are_recognised_and_others_are_not() {
        assert_eq!([0x13, 0x0080_006f].map(Riscv64::length), [Some(LENGTH); 2]);
        // jal ra, addi a0 a0 0, c.nop c.nop
        assert_eq!([0x0080_00ef, 0x0005_0513, 0x0001_0001].map(Riscv64::length), [None; 3]);
    }
}
