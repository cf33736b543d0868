//! x86_64: two bytes if the target is near, five if it is far.
//!
//! Only the assembler knows which, and it chooses only for jumps. So every site is linked as a jump, and sites that do
//! not jump are patched before any executes. A site that would cross its eight-byte word starts with prefixes that have
//! no effect: it stays one instruction, and the patched bytes follow them.
//!
//! Source: Intel SDM, volume 2, JMP and NOP.

use crate::encoding::{Encoding, Instruction, fits};
use crate::table::Table;

/// The instruction set.
#[derive(Debug)]
pub struct X86_64;

const NEAR: u32 = 2;
const FAR: u32 = 5;
const NEAR_NOP: u64 = 0x9066;
const FAR_NOP: u64 = 0x00_0044_1f0f;
const NEAR_JUMP: u64 = 0xeb;
const FAR_JUMP: u64 = 0xe9;
const BREAKPOINT: u64 = 0xcc;

impl Encoding for X86_64 {
    const ALIGNMENT: usize = 1;
    const LINKED_AS_JUMPS: bool = true;
    const LENGTHS: &'static [u32] = &[NEAR, FAR];
    const STEPS: u32 = 3;

    fn length(bytes: u64) -> Option<u32> {
        let is_far_nop = bytes & 0xff_ffff_ffff == FAR_NOP;
        match bytes & 0xff {
            NEAR_JUMP => Some(NEAR),
            FAR_JUMP => Some(FAR),
            _ if bytes & 0xffff == NEAR_NOP => Some(NEAR),
            _ => is_far_nop.then_some(FAR),
        }
    }

    fn nop(length: u32) -> Instruction {
        Instruction { bits: if length == NEAR { NEAR_NOP } else { FAR_NOP }, length }
    }

    fn jump(length: u32, distance: i64) -> Option<Instruction> {
        let after = distance - i64::from(length);
        let (opcode, bits) = if length == NEAR { (NEAR_JUMP, 8) } else { (FAR_JUMP, 32) };
        fits(after, bits).then_some(Instruction { bits: after.cast_unsigned() << 8 | opcode, length })
    }

    /// A breakpoint; the bytes after it; the first byte. A core that executes the breakpoint continues as the kernel says.
    fn step(from: Instruction, to: Instruction, step: u32) -> Instruction {
        let tail = match step {
            _ if to.length > FAR => return to,
            0 => from,
            1 => to,
            _ => return to,
        };
        Instruction { bits: tail.bits & !0xff | BREAKPOINT, length: to.length }
    }
}

impl Table<'_, X86_64> {
    /// Address at which a core continues that has executed the breakpoint of a [step](Encoding::step) here: as if the site
    /// had the instruction to which the bytes after the breakpoint belong. `None` if there is no site.
    #[must_use]
    pub fn past_breakpoint(&self, address: usize) -> Option<usize> {
        let site = self.all_sites().find(|site| site.address == address)?;
        let (word, offset) = self.word(address)?;
        let bytes = word >> (8 * offset);
        // The longer one first: all of its bytes belong to no shorter one.
        X86_64::LENGTHS.iter().rev().find_map(|length| {
            let has_tail_of = |state| {
                let instruction = site.instruction::<X86_64>(*length, state)?;
                let tail = |bits: u64| Instruction { bits: bits >> 8, length: length - 1 }.insert(0, 0);
                Some(tail(instruction.bits) == tail(bytes))
            };
            match (has_tail_of(site.jumps_if)?, has_tail_of(!site.jumps_if)?) {
                (true, _) => Some(site.target),
                (_, true) => Some(address + *length as usize),
                _ => None,
            }
        })
    }
}

/// The instructions of [`assembly`](mod@crate::assembly): a jump; that of a site, at the label 771; a static call's; jumps to `\label`
/// while the count of `\key` is positive, or not.
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "x86_64")]
macro_rules! native {
    (jump) => {
        "jmp"
    };
    (site $jumps:literal $target:literal) => {
        concat!(".p2align 3, 0x3e, 4\n771: jmp ", $target, "\n")
    };
    (call $target:literal) => {
        concat!(".byte 0xe9\n.long ", $target, " - . - 4\n")
    };
    (jump_if_on) => {
        $crate::native!(test "jg")
    };
    (jump_if_off) => {
        $crate::native!(test "jle")
    };
    (test $jump:literal) => {
        concat!("cmp dword ptr [rip + \\key], 0\n", $jump, " \\label\n")
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::{PLAN, Plan, Program};

    fn jump(length: u32, distance: i64) -> Option<u64> {
        X86_64::jump(length, distance).map(|jump| jump.bits & ((1 << (8 * length)) - 1))
    }

    #[test]
    fn jumps_match_the_assembler() {
        assert_eq!([jump(NEAR, 2), jump(NEAR, 0)], [Some(0x00eb), Some(0xfeeb)]);
        assert_eq!([jump(FAR, 5), jump(FAR, 0)], [Some(0xe9), Some(0xff_ffff_fbe9)]);
    }

    #[test]
    fn a_change_begins_and_ends_with_the_first_byte() {
        for (length, distance, steps) in
            [(NEAR, 7, [0x90cc, 0x05cc, 0x05eb]), (FAR, 6, [0x44_1fcc, 0x01cc, 0x01e9])]
        {
            let (from, to) = (X86_64::nop(length), X86_64::jump(length, distance).unwrap());
            let done = [0, 1, 2].map(|step| X86_64::step(from, to, step));
            assert_eq!(done.map(|instruction| instruction.bits), steps);
            assert_eq!(X86_64::step(to, from, 2), from);
        }
        let data = [0, 1].map(|bits| Instruction { bits, length: 8 });
        assert_eq!(X86_64::step(data[0], data[1], 0), data[1]);
    }

    /// At a distance of 33, the second byte of the far no-op is that of the near jump.
    #[test]
    #[cfg_attr(not(limen_keys = "patched"), ignore = "only this build patches code, and Miri has another")]
    fn a_core_goes_on_past_the_breakpoint_of_each_step() {
        for (length, distance, offset) in
            [(NEAR, 32, 0), (NEAR, 33, 0), (NEAR, 33, 6), (FAR, 32, 0), (FAR, 33, 0), (FAR, 33, 3)]
        {
            let plan = Plan { at: PLAN.at + offset, distance, ..PLAN };
            let mut program = Program::with::<X86_64>(length, &[plan]);
            let (view, mut keys) = program.start::<X86_64>();
            let site = view.site(&plan);
            let next = site.address + length as usize;
            for (state, from, to) in [(true, next, site.target), (false, site.target, next)] {
                for (step, place) in (0..X86_64::STEPS).zip([from, to, to]) {
                    keys.step(&view.keys()[0], state, step).unwrap();
                    assert_eq!(keys.table().past_breakpoint(site.address), Some(place));
                }
            }
            assert_eq!(keys.table().past_breakpoint(site.address + 1), None);
        }
    }

    #[test]
    fn each_length_has_its_reach() {
        assert!(jump(NEAR, 129).is_some() && jump(NEAR, -126).is_some());
        assert_eq!([jump(NEAR, 130), jump(NEAR, -127)], [None; 2]);
        assert!(jump(FAR, 130).is_some() && jump(FAR, i64::from(i32::MAX) + 5).is_some());
        assert_eq!(jump(FAR, i64::from(i32::MAX) + 6), None);
    }

    #[test]
    fn both_instructions_of_both_lengths_are_recognised_and_others_are_not() {
        assert_eq!([0x9066, 0x05eb].map(X86_64::length), [Some(NEAR); 2]);
        assert_eq!([0x00_0044_1f0f, 0xe9].map(X86_64::length), [Some(FAR); 2]);
        // nop, a four-byte nop, call
        assert_eq!([0x90, 0x0040_1f0f, 0xe8].map(X86_64::length), [None; 3]);
    }
}
