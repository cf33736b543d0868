//! What an instruction set says about sites: how to do nothing, how to jump, and what the linker leaves there.

/// The bytes of an instruction, the first lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its bytes.
    pub bits: u64,
    /// How many there are, at most 8.
    pub length: u32,
}

impl Instruction {
    /// `word` with this instruction from byte `offset` on.
    #[must_use]
    pub const fn insert(self, word: u64, offset: u32) -> u64 {
        let mask = if self.length >= 8 { u64::MAX } else { (1 << (8 * self.length)) - 1 };
        word & !(mask << (8 * offset)) | (self.bits & mask) << (8 * offset)
    }
}

/// An instruction set.
pub trait Encoding {
    /// What the address of an instruction is a multiple of.
    const ALIGNMENT: usize;
    /// Whether the assembler leaves a jump in every site, because only then it chooses the shortest.
    const LINKED_AS_JUMPS: bool;
    /// The length of the instruction at the start of these bytes, if it is a jump or does nothing.
    fn length(bytes: u64) -> Option<u32>;
    /// The instruction of this length that does nothing.
    fn nop(length: u32) -> Instruction;
    /// The instruction of this length that jumps so far, counted from its first byte; `None` if it cannot.
    fn jump(length: u32, distance: i64) -> Option<Instruction>;
}

/// Whether `bits` bits with a sign can say this value.
pub(crate) const fn fits(value: i64, bits: u32) -> bool {
    -(1 << (bits - 1)) <= value && value < 1 << (bits - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_replaces_its_own_bytes_only() {
        let two = Instruction { bits: 0xaabb, length: 2 };
        assert_eq!(two.insert(0x1111_1111_1111_1111, 6), 0xaabb_1111_1111_1111);
        assert_eq!(two.insert(0x1111_1111_1111_1111, 0), 0x1111_1111_1111_aabb);
        let longest = Instruction { bits: 5, length: 8 };
        assert_eq!(longest.insert(u64::MAX, 0), 5);
    }
}
