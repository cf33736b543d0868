//! Facts about instruction sets: DWARF's register numbers, call instructions, and the processor's reasons for a fault.

/// An instruction set.
#[derive(Debug)]
pub struct Machine {
    name: &'static str,
    /// DWARF number of the stack pointer.
    pub sp: u16,
    /// DWARF number of the frame pointer.
    pub fp: u16,
    /// DWARF number of the return address.
    pub link: u16,
    /// Bytes below the canonical frame address at which the frame pointer points: the saved frame pointer and the return
    /// address are at these offsets from it.
    pub frame_record: FrameRecord,
    /// Whether calls store the return address on the stack.
    pub calls_push: bool,
    /// Whether the code ends with a call instruction.
    pub ends_with_call: fn(&[u8]) -> bool,
    /// The distance from the end of the code to the function that a call at its end names, if the call has it.
    pub call_distance: fn(&[u8]) -> Option<i64>,
    /// The access of a memory fault.
    pub access: fn(status: u64) -> Access,
    /// An exception, in words that follow "the program".
    pub exception: fn(number: u64, code: u64) -> Exception,
}

/// Offsets from the frame pointer.
#[derive(Clone, Copy, Debug)]
pub struct FrameRecord {
    /// Of the caller's frame pointer.
    pub saved_fp: i64,
    /// Of the return address.
    pub return_address: i64,
    /// Of the caller's stack pointer.
    pub caller_sp: i64,
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A load or a store: the processor does not say which.
    Either,
    /// A load or store of data that is not aligned.
    Misaligned,
}

/// An exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// An instruction that does not exist, or that programs may not execute.
    Forbidden,
    /// A floating-point or vector instruction while the unit is off.
    FpuOff,
    /// A breakpoint; with its number, if it has one.
    Breakpoint(Option<u16>),
    /// A misaligned program counter.
    ProgramCounter,
    /// A misaligned stack pointer.
    StackPointer,
    /// Another one.
    Other(&'static str),
}

/// The instruction set with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Machine> {
    [&AARCH64, &RISCV64, &X86_64].into_iter().find(|machine| machine.name == name)
}

/// The word that begins this number of bytes before the end of the code.
fn word(code: &[u8], before_end: usize) -> Option<u32> {
    let rest = code.get(code.len().checked_sub(before_end)?..)?;
    rest.first_chunk().map(|word| u32::from_le_bytes(*word))
}

static AARCH64: Machine = Machine {
    name: "aarch64",
    sp: 31,
    fp: 29,
    link: 30,
    frame_record: FrameRecord { saved_fp: 0, return_address: 8, caller_sp: 16 },
    calls_push: false,
    ends_with_call: |code| {
        let Some(&word) = code.last_chunk() else { return false };
        let instruction = u32::from_le_bytes(word);
        // BL and BLR.
        instruction & 0xfc00_0000 == 0x9400_0000 || instruction & 0xffff_fc1f == 0xd63f_0000
    },
    call_distance: |code| {
        let instruction = word(code, 4)?;
        let words = i64::from((instruction << 6) as i32 >> 6);
        (instruction >> 26 == 0x25).then_some(4 * words - 4)
    },
    // Source: Arm ARM (DDI 0487), ESR_EL1: bit 6 is WnR, and bits 0 to 5 the fault status code.
    access: |status| match status & 0x7f {
        code if code & 0x3f == 0x21 => Access::Misaligned,
        code if code & 0x40 != 0 => Access::Write,
        _ => Access::Read,
    },
    exception: |number, _| match number >> 26 & 0x3f {
        0x00 | 0x0e | 0x18 => Exception::Forbidden,
        0x07 | 0x19 => Exception::FpuOff,
        0x22 => Exception::ProgramCounter,
        0x26 => Exception::StackPointer,
        0x2c => Exception::Other("caused a floating-point exception"),
        0x2f => Exception::Other("caused an error of the memory system (SError)"),
        0x3c => Exception::Breakpoint(Some(number as u16)),
        0x30 | 0x32 | 0x34 => Exception::Breakpoint(None),
        _ => Exception::Other("caused an exception"),
    },
};

static RISCV64: Machine = Machine {
    name: "riscv64",
    sp: 2,
    fp: 8,
    link: 1,
    frame_record: FrameRecord { saved_fp: -16, return_address: -8, caller_sp: 0 },
    calls_push: false,
    ends_with_call: |code| {
        // JAL and JALR to ra, then C.JALR.
        let long = code.last_chunk().is_some_and(|&word| {
            let instruction = u32::from_le_bytes(word) & 0xfff;
            instruction == 0x0ef || instruction == 0x0e7
        });
        long || code.last_chunk().is_some_and(|&half| {
            let instruction = u16::from_le_bytes(half);
            instruction & 0xf07f == 0x9002 && instruction & 0xf80 != 0
        })
    },
    call_distance: |code| {
        let last = word(code, 4)?;
        match (word(code, 8), last & 0xfff) {
            (_, 0x0ef) => {
                let sign_and_rest = i64::from(last as i32 >> 31) << 20 | i64::from(last & 0xf_f000);
                Some((sign_and_rest | i64::from(last >> 9 & 0x800) | i64::from(last >> 20 & 0x7fe)) - 4)
            }
            // AUIPC of ra before a JALR through it.
            (Some(first), 0x0e7) if first & 0xfff == 0x097 && last >> 15 & 0x1f == 1 => {
                Some(i64::from((first & !0xfff) as i32) + i64::from(last as i32 >> 20) - 8)
            }
            _ => None,
        }
    },
    // Source: RISC-V Instruction Set Manual, volume II, scause.
    access: |status| match status {
        4 | 6 => Access::Misaligned,
        7 | 15 => Access::Write,
        5 | 13 => Access::Read,
        _ => Access::Either,
    },
    exception: |number, code| match number {
        0 => Exception::ProgramCounter,
        2 if code == limen_abi::fault::RISCV_CODE_FPU_OFF => Exception::FpuOff,
        2 => Exception::Forbidden,
        3 => Exception::Breakpoint(None),
        4 | 6 => Exception::Other("accessed an address that is not aligned"),
        _ => Exception::Other("caused an exception"),
    },
};

static X86_64: Machine = Machine {
    name: "x86_64",
    sp: 7,
    fp: 6,
    link: 16,
    frame_record: FrameRecord { saved_fp: 0, return_address: 8, caller_sp: 16 },
    calls_push: true,
    ends_with_call: |code| {
        let before =
            |count: usize| code.len().checked_sub(count).and_then(|at| code.get(at..)).unwrap_or(&[]);
        // CALL with a displacement; CALL with an operand of 0 to 5 bytes behind the ModRM byte.
        before(5).first() == Some(&0xe8)
            || [2, 3, 4, 6, 7]
                .into_iter()
                .any(|count| matches!(before(count), [0xff, modrm, ..] if modrm >> 3 & 7 == 2))
    },
    call_distance: |code| {
        let is_near = code.len().checked_sub(5).is_some_and(|at| code.get(at) == Some(&0xe8));
        is_near.then(|| word(code, 4)).flatten().map(|distance| i64::from(distance as i32))
    },
    // Source: Intel SDM, volume 3, figure 4-12: bit 1 is set for writes.
    access: |status| if status & 2 != 0 { Access::Write } else { Access::Read },
    // Source: Intel SDM, volume 3, section 6.3.
    exception: |number, _| match number {
        0 => Exception::Other("divided by zero, or got a quotient that is too large"),
        1 => Exception::Breakpoint(None),
        3 => Exception::Breakpoint(None),
        4 => Exception::Other("caused an overflow exception"),
        5 => Exception::Other("exceeded the range of a bound instruction"),
        6 => Exception::Forbidden,
        7 => Exception::FpuOff,
        12 => Exception::Other("used the stack at an address that is not canonical"),
        13 => Exception::Other(
            "caused a general protection fault: an instruction that programs may not execute, or an address that is not \
             canonical",
        ),
        16 | 19 => Exception::Other("caused a floating-point exception"),
        17 => Exception::Other("accessed an address that is not aligned"),
        _ => Exception::Other("caused an exception"),
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recognised() {
        let calls: [(&str, &[u8]); 8] = [
            ("aarch64", &[0x10, 0, 0, 0x94]),
            ("aarch64", &[0x00, 0x01, 0x3f, 0xd6]),
            ("riscv64", &[0xef, 0x00, 0x40, 0x00]),
            ("riscv64", &[0xe7, 0x80, 0x07, 0x00]),
            ("riscv64", &[0, 0, 0x82, 0x97]),
            ("x86_64", &[0xe8, 1, 2, 3, 4]),
            ("x86_64", &[0xff, 0xd0]),
            ("x86_64", &[0xff, 0x14, 0xc5, 0x00, 0x20, 0x20, 0x00]),
        ];
        for (machine, code) in calls {
            assert!((named(machine).unwrap().ends_with_call)(code), "{machine} {code:x?}");
            assert!(!(named(machine).unwrap().ends_with_call)(&code[..1]), "{machine}");
            assert!(!(named(machine).unwrap().ends_with_call)(&[0x90; 8]), "{machine}");
        }
    }

    #[test]
    fn calls_name_their_functions() {
        let table: [(&str, &[u8], Option<i64>); 9] = [
            ("aarch64", &0x9400_0010_u32.to_le_bytes(), Some(0x3c)),
            ("aarch64", &0x97ff_fff0_u32.to_le_bytes(), Some(-0x44)),
            ("aarch64", &0xd63f_0100_u32.to_le_bytes(), None),
            // jal ra, . + 0x12344; jal ra, . - 0x20
            ("riscv64", &0x3441_20ef_u32.to_le_bytes(), Some(0x1_2340)),
            ("riscv64", &0xfe1f_f0ef_u32.to_le_bytes(), Some(-0x24)),
            // auipc ra, 1; jalr ra, -16(ra)
            ("riscv64", &0xff00_80e7_0000_1097_u64.to_le_bytes(), Some(0xfe8)),
            ("riscv64", &0x0007_80e7_u32.to_le_bytes(), None),
            ("x86_64", &[0xe8, 0xf0, 0xff, 0xff, 0xff], Some(-0x10)),
            ("x86_64", &[0xff, 0xd0], None),
        ];
        for (machine, code, distance) in table {
            assert_eq!((named(machine).unwrap().call_distance)(code), distance, "{machine} {code:x?}");
        }
    }

    #[test]
    fn accesses_are_told_apart() {
        let access = |machine, status| (named(machine).unwrap().access)(status);
        assert_eq!(access("aarch64", 0x9200_0006), Access::Read);
        assert_eq!(access("aarch64", 0x9200_0046), Access::Write);
        assert_eq!(access("aarch64", 0x9200_0021), Access::Misaligned);
        assert_eq!((access("riscv64", 13), access("riscv64", 15)), (Access::Read, Access::Write));
        assert_eq!((access("x86_64", 4), access("x86_64", 6)), (Access::Read, Access::Write));
    }
}
