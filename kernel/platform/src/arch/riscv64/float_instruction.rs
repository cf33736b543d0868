//! Recognises floating-point instructions: while the unit is off, they raise the same illegal-instruction exception as
//! instructions that do not exist.
//!
//! Source: RISC-V Unprivileged ISA, chapters "F", "D" and "C", and the table of major opcodes.

/// Bits of a major opcode.
const OPCODE: u64 = 0x7f;
/// LOAD-FP and STORE-FP. Bits 12 to 14 tell scalar widths from those of vectors.
const MEMORY: [u64; 2] = [0x07, 0x27];
/// MADD, MSUB, NMSUB, NMADD, OP-FP.
const ARITHMETIC: [u64; 5] = [0x43, 0x47, 0x4b, 0x4f, 0x53];
/// SYSTEM: among others, accesses to control and status registers.
const SYSTEM: u64 = 0x73;
/// fflags, frm and fcsr.
const FLOAT_REGISTERS: core::ops::RangeInclusive<u64> = 1..=3;
/// Half-word, word, double-word and quad-word; the other widths are those of vectors.
const SCALAR_WIDTHS: core::ops::RangeInclusive<u64> = 1..=4;

/// Whether an instruction, as `stval` holds it after a trap, needs the unit. A processor may report zero instead; then
/// the answer is yes, and an instruction that is really illegal traps again with the unit on.
pub fn is_float_instruction(instruction: u64) -> bool {
    if instruction == 0 {
        return true;
    }
    if instruction & 0b11 != 0b11 {
        return is_compressed_float(instruction);
    }
    let width = instruction >> 12 & 0b111;
    match instruction & OPCODE {
        opcode if MEMORY.contains(&opcode) => SCALAR_WIDTHS.contains(&width),
        SYSTEM => width & 0b11 != 0 && FLOAT_REGISTERS.contains(&(instruction >> 20 & 0xfff)),
        opcode => ARITHMETIC.contains(&opcode),
    }
}

/// C.FLD, C.FSD, C.FLDSP and C.FSDSP.
fn is_compressed_float(instruction: u64) -> bool {
    let (quadrant, function) = (instruction & 0b11, instruction >> 13 & 0b111);
    quadrant != 0b01 && (function == 0b001 || function == 0b101)
}
