//! The interface to an instruction set: nops, jumps, and how sites are linked.

/// An instruction, first byte in the lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its bytes.
    pub bits: u64,
    /// Its length in bytes, 1 to 8.
    pub length: u32,
}

impl Instruction {
    /// `word` with this instruction from byte `offset` on.
    #[must_use]
    pub const fn insert(self, word: u64, offset: u32) -> u64 {
        let mask = u64::MAX.wrapping_shr(u64::BITS.wrapping_sub(8 * self.length));
        word & !(mask << (8 * offset)) | (self.bits & mask) << (8 * offset)
    }
}

/// An instruction set.
pub trait Encoding {
    /// The alignment of instructions.
    const ALIGNMENT: usize;
    /// Whether every site is linked as a jump, because only then the assembler chooses the shortest form.
    const LINKED_AS_JUMPS: bool;
    /// The lengths of a site's instruction.
    const LENGTHS: &'static [u32];
    /// The number of steps that replace an instruction while other cores execute it.
    const STEPS: u32;
    /// The length of the instruction at the start of these bytes, if it is a jump or a site's nop.
    fn length(bytes: u64) -> Option<u32>;
    /// The nop of this length.
    fn nop(length: u32) -> Instruction;
    /// The jump of this length over a distance from its first byte; `None` if it is out of range.
    fn jump(length: u32, distance: i64) -> Option<Instruction>;
    /// The bytes after a step, from 0, of the change of one instruction of a site into the other. All cores synchronise
    /// between two steps. The last step, and any further one, has the bytes of `to`. Data, which is longer than any instruction of a site, changes at once.
    fn step(from: Instruction, to: Instruction, step: u32) -> Instruction;
}

/// Whether the value fits in a signed integer of `bits` bits.
pub(crate) const fn fits(value: i64, bits: u32) -> bool {
    -(1 << (bits - 1)) <= value && value < 1 << (bits - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_replaces_only_its_own_bytes() {
        let two = Instruction { bits: 0xaabb, length: 2 };
        assert_eq!(two.insert(0x1111_1111_1111_1111, 6), 0xaabb_1111_1111_1111);
        assert_eq!(two.insert(0x1111_1111_1111_1111, 0), 0x1111_1111_1111_aabb);
        let longest = Instruction { bits: 5, length: 8 };
        assert_eq!(longest.insert(u64::MAX, 0), 5);
    }
}
