//! Registers and messages.

use limen_abi::MessageInfo;
use limen_abi::message::{BufferWord, MAX_EXTRA_CAPS, REGISTER_WORDS};
use limen_abi::register::{AARCH64, RISCV64, RegisterMap, X86_64};

use crate::state::{System, ThreadId};

/// The registers of a thread in the order of `seL4_UserContext`, and its message buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The instruction set.
    pub of: InstructionSet,
    /// The registers.
    pub values: Vec<u64>,
    /// The message buffer.
    pub buffer: Vec<u64>,
}

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
    /// 64-bit Arm.
    Aarch64,
    /// 64-bit RISC-V.
    Riscv64,
    /// 64-bit x86.
    X86_64,
}

impl InstructionSet {
    /// The names of the registers, and their roles.
    #[must_use]
    pub const fn map(self) -> &'static RegisterMap {
        match self {
            Self::Aarch64 => &AARCH64,
            Self::Riscv64 => &RISCV64,
            Self::X86_64 => &X86_64,
        }
    }

    /// The position of a register.
    ///
    /// # Panics
    ///
    /// If there is no register with this name.
    #[must_use]
    pub fn position(self, name: &str) -> usize {
        let found = self.map().context.iter().position(|register| *register == name);
        assert!(found.is_some(), "no register has the name {name}");
        found.unwrap_or(0)
    }

    /// The position of a register by its name in fault messages.
    pub(crate) fn listed(self, name: &str) -> usize {
        let own = match (self, name) {
            (Self::Aarch64, "LR") => "x30",
            (Self::X86_64, "SP") => "rsp",
            (Self::X86_64, "FLAGS") => "rflags",
            (_, "FaultIP") => self.pc(),
            _ => &name.to_lowercase(),
        };
        self.position(own)
    }

    /// The program counter.
    pub(crate) const fn pc(self) -> &'static str {
        match self {
            Self::Aarch64 | Self::Riscv64 => "pc",
            Self::X86_64 => "rip",
        }
    }

    /// The register of the thread's own memory, the first of those that only its own method sets. They come last.
    pub(crate) const fn thread_pointer(self) -> &'static str {
        match self {
            Self::Aarch64 => "tpidr_el0",
            Self::Riscv64 => "tp",
            Self::X86_64 => "fs_base",
        }
    }

    /// The register in which a program leaves its stamp for its probe.
    pub(crate) const fn stamp(self) -> &'static str {
        match self {
            Self::Aarch64 => "x9",
            Self::Riscv64 => "t1",
            Self::X86_64 => "rbx",
        }
    }

    /// The length of the system-call instruction in bytes.
    const fn syscall_bytes(self) -> u64 {
        match self {
            Self::Aarch64 | Self::Riscv64 => 4,
            Self::X86_64 => 2,
        }
    }

    /// The value that a register of a program gets: some bits of the status cannot be changed, and not every number is an
    /// address.
    fn allowed(self, name: &str, value: u64) -> u64 {
        match (self, name) {
            // The condition flags, and the one for speculation.
            (Self::Aarch64, "spsr") => value & (0xf000_0000 | 1 << 12),
            (Self::Riscv64, "pc") => value & !1,
            // Arithmetic, direction and single step; interrupts are on.
            (Self::X86_64, "rflags") => value & 0xdd5 | 0x202,
            // The upper 16 bits repeat the one below.
            (Self::X86_64, "rip" | "fs_base" | "gs_base") => {
                ((value << 16).cast_signed() >> 16).cast_unsigned()
            }
            _ => value,
        }
    }
}

impl Registers {
    /// The value of a register.
    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        self.values[self.of.position(name)]
    }

    /// Sets a register.
    pub fn set(&mut self, name: &str, value: u64) {
        let position = self.of.position(name);
        self.values[position] = value;
    }

    /// Sets all registers to those of a program that has not run.
    pub(crate) fn start(&mut self, entry: u64, stack_top: u64) {
        for position in 0..self.of.map().context.len() {
            self.set_for_program(position, 0);
        }
        self.set_for_program(self.of.position(self.of.pc()), entry);
        self.set_for_program(self.of.listed("SP"), stack_top);
    }

    /// Sets a register in the name of a program, which may not have every value.
    pub(crate) fn set_for_program(&mut self, position: usize, value: u64) {
        self.values[position] = self.of.allowed(self.of.map().context[position], value);
    }

    /// Sets the register of the thread's own memory in the name of a program.
    pub(crate) fn set_thread_pointer(&mut self, value: u64) {
        self.set_for_program(self.of.position(self.of.thread_pointer()), value);
    }

    /// The description of the message.
    #[must_use]
    pub fn info(&self) -> MessageInfo {
        MessageInfo::from_raw(self.get(self.of.map().info))
    }

    /// A word of the message: the first four are in registers, the others in the buffer.
    #[must_use]
    pub fn word(&self, index: usize) -> u64 {
        match self.of.map().words.get(index) {
            Some(name) => self.get(name),
            None => self.buffer[BufferWord::MESSAGE + index],
        }
    }

    /// Sets a word of the message.
    pub fn set_word(&mut self, index: usize, value: u64) {
        match self.of.map().words.get(index) {
            Some(name) => self.set(name, value),
            None => self.buffer[BufferWord::MESSAGE + index] = value,
        }
    }

    /// The pointer of an extra capability, if the message has so many.
    #[must_use]
    pub(crate) fn extra(&self, index: usize) -> Option<u64> {
        let count = self.info().extra_caps().min(MAX_EXTRA_CAPS);
        (index < count).then(|| self.buffer[BufferWord::CAPS_OR_BADGES + index])
    }

    /// Sets the badge that a receive returns.
    pub(crate) fn set_badge(&mut self, badge: u64) {
        self.set(self.of.map().cptr, badge);
    }

    /// Sets the result of a receive or a call: badge, label, words.
    pub fn set_message(&mut self, badge: u64, label: u64, words: &[u64]) {
        let map = self.of.map();
        self.set(map.cptr, badge);
        self.set(map.info, MessageInfo::new(label, words.len()).as_raw());
        words.iter().enumerate().for_each(|(index, word)| self.set_word(index, *word));
    }

    /// Moves the program counter back to the system call, so that it restarts.
    pub(crate) fn restart(&mut self) {
        let name = self.of.pc();
        let pc = self.get(name);
        self.set(name, pc.wrapping_sub(self.of.syscall_bytes()));
    }
}

impl System {
    /// Copies the message in the registers and buffer of `from` to `to`.
    pub(crate) fn copy_message(&mut self, from: ThreadId, to: ThreadId, badge: u64) {
        let sender = &self.threads[from].registers;
        let info = sender.info();
        let words: Vec<u64> = (0..info.length()).map(|index| sender.word(index)).collect();
        self.threads[to].registers.set_message(badge, info.label(), &words);
    }

    /// Delivers what a thread sends: its fault, or else its message.
    pub(crate) fn deliver(&mut self, from: ThreadId, to: ThreadId, badge: u64) {
        match self.threads[from].fault {
            Some(fault) => {
                let words = fault.words(&self.threads[from].registers);
                self.threads[to].registers.set_message(badge, fault.label(), &words);
            }
            None => self.copy_message(from, to, badge),
        }
    }

    /// The result of a call that is answered at once.
    pub(crate) fn answer(&mut self, caller: ThreadId, label: u64, words: &[u64]) {
        self.threads[caller].registers.set_message(0, label, words);
    }
}

const _: () = assert!(REGISTER_WORDS == AARCH64.words.len());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_pointer_is_an_address_where_the_processor_demands_one() {
        let value = 0x00c0_150f_bf3a_1a4d;
        for (of, expected) in [
            (InstructionSet::Aarch64, value),
            (InstructionSet::Riscv64, value),
            (InstructionSet::X86_64, 0x150f_bf3a_1a4d),
        ] {
            let mut registers = Registers { of, values: vec![0; of.map().context.len()], buffer: Vec::new() };
            registers.set_thread_pointer(value);
            assert_eq!(registers.get(of.thread_pointer()), expected, "{of:?}");
        }
    }
}
