//! The flow of control after an instruction, from its encoding.

/// The effect of an instruction on the flow of control, as far as call stacks need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction, or a jump within a function or to another one.
    Other,
    /// To a function, which returns to the next instruction.
    Call,
    /// To the caller.
    Return,
    /// To an interrupt, for which the processor waits.
    Wait,
}

/// The flow of the instruction with these bytes, on the instruction set with this name.
pub(crate) fn of(architecture: &str, code: &[u8]) -> Flow {
    match architecture {
        "aarch64" => code.first_chunk().map_or(Flow::Other, |word| aarch64(u32::from_le_bytes(*word))),
        "riscv64" => riscv64(code),
        "x86_64" => x86_64(code),
        _ => Flow::Other,
    }
}

/// Source: Arm ARM (DDI 0487), C6.2: BL, BLR, RET, WFI.
fn aarch64(word: u32) -> Flow {
    if word & 0xfc00_0000 == 0x9400_0000 || word & 0xffff_fc1f == 0xd63f_0000 {
        Flow::Call
    } else if word & 0xffff_fc1f == 0xd65f_0000 {
        Flow::Return
    } else if word == 0xd503_207f {
        Flow::Wait
    } else {
        Flow::Other
    }
}

/// Source: RISC-V Instruction Set Manual, volume I, table of return-address-stack hints: x1 and x5 hold return addresses.
fn riscv64(code: &[u8]) -> Flow {
    let links = |register: u32| register == 1 || register == 5;
    if let Some(word) = code.first_chunk() {
        let word = u32::from_le_bytes(*word);
        let (opcode, to, from) = (word & 0x7f, word >> 7 & 0x1f, word >> 15 & 0x1f);
        return match opcode {
            0x6f | 0x67 if links(to) => Flow::Call,
            0x67 if to == 0 && links(from) => Flow::Return,
            _ if word == 0x1050_0073 => Flow::Wait,
            _ => Flow::Other,
        };
    }
    let Some(half) = code.first_chunk() else { return Flow::Other };
    let half = u16::from_le_bytes(*half);
    let register = u32::from(half >> 7 & 0x1f);
    match half & 0xf07f {
        // C.JR; C.JALR, which is C.EBREAK without a register.
        0x8002 if links(register) => Flow::Return,
        0x9002 if register != 0 => Flow::Call,
        _ => Flow::Other,
    }
}

/// Source: Intel SDM, volume 2: CALL (near), RET (near), HLT, behind any prefixes.
fn x86_64(code: &[u8]) -> Flow {
    let is_prefix =
        |byte: &u8| matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf2 | 0xf3);
    let start = code.iter().position(|byte| !is_prefix(byte)).unwrap_or(code.len());
    match code.get(start..).unwrap_or_default() {
        [0xe8, ..] => Flow::Call,
        [0xff, operand, ..] if operand >> 3 & 7 == 2 => Flow::Call,
        [0xc2 | 0xc3, ..] => Flow::Return,
        [0xf4] => Flow::Wait,
        _ => Flow::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aarch64(word: u32) -> Flow {
        of("aarch64", &word.to_le_bytes())
    }

    #[test]
    fn calls_and_returns_of_aarch64_are_known() {
        assert_eq!([0x9400_0005, 0xd63f_0100].map(aarch64), [Flow::Call; 2]);
        assert_eq!([0xd65f_03c0, 0xd65f_0120].map(aarch64), [Flow::Return; 2]);
        assert_eq!(aarch64(0xd503_207f), Flow::Wait);
        // B, BR and ERET.
        assert_eq!([0x1400_0005, 0xd61f_0100, 0xd69f_03e0].map(aarch64), [Flow::Other; 3]);
    }

    #[test]
    fn calls_and_returns_of_riscv_are_known() {
        let long = |word: u32| of("riscv64", &word.to_le_bytes());
        let short = |half: u16| of("riscv64", &half.to_le_bytes());
        // jal ra; jalr ra, a0; jal t0.
        assert_eq!([0x0080_00ef, 0x0005_00e7, 0x0080_02ef].map(long), [Flow::Call; 3]);
        assert_eq!((long(0x0000_8067), short(0x8082)), (Flow::Return, Flow::Return));
        assert_eq!((long(0x1050_0073), short(0x9502)), (Flow::Wait, Flow::Call));
        // j, jr a0, c.jr a0, c.ebreak, sret, c.nop.
        assert_eq!([0x0080_006f, 0x0005_0067, 0x1020_0073].map(long), [Flow::Other; 3]);
        assert_eq!([0x8502, 0x9002, 0x0001].map(short), [Flow::Other; 3]);
    }

    #[test]
    fn calls_and_returns_of_x86_are_known() {
        let of = |code: &[u8]| of("x86_64", code);
        assert_eq!(of(&[0xe8, 1, 0, 0, 0]), Flow::Call);
        assert_eq!((of(&[0xff, 0xd0]), of(&[0x41, 0xff, 0x54, 0x24, 8])), (Flow::Call, Flow::Call));
        assert_eq!(
            (of(&[0xc3]), of(&[0xf3, 0xc3]), of(&[0xc2, 8, 0])),
            (Flow::Return, Flow::Return, Flow::Return)
        );
        assert_eq!(of(&[0xf4]), Flow::Wait);
        // sub rax, 1 with a byte that looks like a call; jmp rax; push [rax]; nothing.
        assert_eq!(of(&[0x48, 0x81, 0xe8, 1, 0, 0, 0]), Flow::Other);
        assert_eq!((of(&[0xff, 0xe0]), of(&[0xff, 0x30]), of(&[])), (Flow::Other, Flow::Other, Flow::Other));
    }
}
