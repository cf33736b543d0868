//! Facts about instruction sets: registers in the kernel's record of a thread, and page tables.

use limen_abi::Syscall;
use limen_abi::register::x86_64_context;
use limen_symbolise::program::Registers;

use crate::dump::Dump;
use crate::layout::Value;

/// Bits of an address within a page.
const PAGE_BITS: u32 = 12;
/// Bits of an address that each level of page tables translates.
const LEVEL_BITS: u32 = 9;

/// An instruction set.
#[derive(Debug)]
pub(crate) struct Machine {
    name: &'static str,
    /// The registers in the kernel's record.
    pub(crate) registers: fn(context: &Value<'_>) -> Result<Registers, String>,
    /// The arguments of the system call at which a thread is, if it is at one.
    pub(crate) arguments: fn(context: &Value<'_>) -> Result<Arguments, String>,
    /// The instruction of a system call.
    trap: &'static [u8],
    /// The physical address of the top page table of a thread.
    pub(crate) root: fn(thread: &Value<'_>) -> Result<u64, String>,
    /// Levels of page tables of programs.
    levels: u32,
    /// Decodes an entry at a level; level 0 has pages.
    entry: fn(entry: u64, level: u32) -> Entry,
}

/// The registers that say what a system call asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments {
    number: u64,
    /// The capability pointer.
    pub(crate) cptr: u64,
}

impl Arguments {
    /// Whether they are those of a call.
    pub(crate) fn are_of_call(self) -> bool {
        self.number.cast_signed() == Syscall::Call.as_raw()
    }
}

/// The target of an entry of a page table.
enum Entry {
    Nothing,
    Table(u64),
    Memory(u64),
}

/// The instruction set with this name.
pub(crate) fn named(name: &str) -> Option<&'static Machine> {
    [&AARCH64, &RISCV64, &X86_64].into_iter().find(|machine| machine.name == name)
}

impl Machine {
    /// Whether an address of a program has the instruction of a system call.
    pub(crate) fn is_trap(&self, dump: &Dump, root: u64, address: u64) -> bool {
        // Its bytes may be in two pages. None is behind the last address.
        self.trap.iter().zip(0..).all(|(byte, offset)| {
            let place = address.checked_add(offset).and_then(|at| self.translate(dump, root, at));
            place.and_then(|place| dump.read(place, 1)).is_some_and(|read| read == [*byte])
        })
    }

    /// The physical address behind an address of a program.
    pub(crate) fn translate(&self, dump: &Dump, root: u64, address: u64) -> Option<u64> {
        let mut table = root;
        for level in (0..self.levels).rev() {
            let shift = PAGE_BITS + level * LEVEL_BITS;
            let index = address >> shift & ((1 << LEVEL_BITS) - 1);
            match (self.entry)(dump.word(table.checked_add(index * 8)?)?, level) {
                Entry::Nothing => return None,
                Entry::Table(next) => table = next,
                Entry::Memory(start) => {
                    let within = (1 << shift) - 1;
                    return Some(start & !within | address & within);
                }
            }
        }
        None
    }
}

const ADDRESS: u64 = 0x0000_ffff_ffff_f000;

static AARCH64: Machine = Machine {
    name: "aarch64",
    registers: |context| {
        let x = words(context.field("x")?);
        let (sp, pc) = (context.number("sp")?, context.number("pc")?);
        Ok(Registers { pc, sp, fp: x.get(29).copied(), link: x.get(30).copied() })
    },
    arguments: |context| {
        let x = words(context.field("x")?);
        let word = |number: usize| x.get(number).copied().unwrap_or(0);
        Ok(Arguments { number: word(7), cptr: word(0) })
    },
    trap: &[0x01, 0x00, 0x00, 0xd4],
    // Source: Arm ARM (DDI 0487), TTBR0_EL1: the identifier is in the upper bits.
    root: |thread| Ok(thread.number("space")? & ADDRESS),
    levels: 4,
    // Source: the same, VMSAv8-64 descriptors.
    entry: |entry, level| match (entry & 3, level) {
        (3, 0) | (1, 1 | 2) => Entry::Memory(entry & ADDRESS),
        (3, _) => Entry::Table(entry & ADDRESS),
        _ => Entry::Nothing,
    },
};

static RISCV64: Machine = Machine {
    name: "riscv64",
    registers: |context| {
        // Registers by number; the program counter is in the place of the register that is always zero.
        let x = words(context.field("x")?);
        let word = |number: usize| x.get(number).copied();
        let (pc, sp) = (word(0).unwrap_or(0), word(2).unwrap_or(0));
        Ok(Registers { pc, sp, fp: word(8), link: word(1) })
    },
    arguments: |context| {
        let x = words(context.field("x")?);
        let word = |number: usize| x.get(number).copied().unwrap_or(0);
        Ok(Arguments { number: word(17), cptr: word(10) })
    },
    trap: &[0x73, 0x00, 0x00, 0x00],
    // Source: RISC-V Instruction Set Manual, volume II: the page number in satp, and in a page-table entry of Sv39.
    root: |thread| Ok((thread.number("space")? & ((1 << 44) - 1)) << PAGE_BITS),
    levels: 3,
    entry: |entry, _| {
        let address = (entry >> 10 & ((1 << 44) - 1)) << PAGE_BITS;
        match (entry & 1, entry & 0b1110) {
            (0, _) => Entry::Nothing,
            (_, 0) => Entry::Table(address),
            _ => Entry::Memory(address),
        }
    },
};

static X86_64: Machine = Machine {
    name: "x86_64",
    registers: |context| {
        let all = words(context.field("__0")?);
        let word = |index: usize| all.get(index).copied();
        let pc = word(x86_64_context::RIP).unwrap_or(0);
        let sp = word(x86_64_context::RSP).unwrap_or(0);
        Ok(Registers { pc, sp, fp: word(x86_64_context::RBP), link: None })
    },
    arguments: |context| {
        let all = words(context.field("__0")?);
        let word = |index: usize| all.get(index).copied().unwrap_or(0);
        Ok(Arguments { number: word(x86_64_context::RDX), cptr: word(x86_64_context::RDI) })
    },
    trap: &[0x0f, 0x05],
    root: |thread| {
        let all = words(thread.field("context.__0")?);
        Ok(all.get(x86_64_context::SPACE).copied().unwrap_or(0) & ADDRESS)
    },
    levels: 4,
    // Source: Intel SDM, volume 3, section 4.5: bit 0 is set if the entry is present, bit 7 for large pages.
    entry: |entry, level| match (entry & 1, entry & 1 << 7, level) {
        (0, ..) => Entry::Nothing,
        (_, _, 0) => Entry::Memory(entry & ADDRESS),
        (_, 0, _) => Entry::Table(entry & ADDRESS),
        _ => Entry::Memory(entry & ADDRESS),
    },
};

fn words(array: Value<'_>) -> Vec<u64> {
    array.items().iter().map(Value::as_number).collect()
}
