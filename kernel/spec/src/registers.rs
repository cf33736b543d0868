//! Registers and messages. The register names are those of AArch64; the other instruction sets differ in names only.

use limen_abi::MessageInfo;
use limen_abi::message::{BufferWord, MAX_EXTRA_CAPS, REGISTER_WORDS};
use limen_abi::register::AARCH64;

use crate::state::{System, ThreadId};

/// The registers of a thread in the order of `seL4_UserContext`, and its message buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The registers.
    pub values: Vec<u64>,
    /// The message buffer.
    pub buffer: Vec<u64>,
}

/// The length of the system-call instruction in bytes.
const SYSCALL_BYTES: u64 = 4;
/// The bits of the status register that a program may change: the condition flags.
const STATUS: u64 = 0xf000_0000;

/// The position of a register.
///
/// # Panics
///
/// If there is no register with this name.
#[must_use]
pub fn position(name: &str) -> usize {
    let found = AARCH64.context.iter().position(|register| *register == name);
    assert!(found.is_some(), "no register has the name {name}");
    found.unwrap_or(0)
}

impl Registers {
    /// The value of a register.
    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        self.values[position(name)]
    }

    /// Sets a register.
    pub fn set(&mut self, name: &str, value: u64) {
        self.values[position(name)] = value;
    }

    /// Sets a register in the name of a program, which may not change all bits of the status.
    pub(crate) fn set_for_program(&mut self, position: usize, value: u64) {
        let is_status = AARCH64.context[position] == "spsr";
        self.values[position] = if is_status { value & STATUS } else { value };
    }

    /// The description of the message.
    #[must_use]
    pub fn info(&self) -> MessageInfo {
        MessageInfo::from_raw(self.get(AARCH64.info))
    }

    /// A word of the message: the first four are in registers, the others in the buffer.
    #[must_use]
    pub fn word(&self, index: usize) -> u64 {
        match AARCH64.words.get(index) {
            Some(name) => self.get(name),
            None => self.buffer[BufferWord::MESSAGE + index],
        }
    }

    /// Sets a word of the message.
    pub fn set_word(&mut self, index: usize, value: u64) {
        match AARCH64.words.get(index) {
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

    /// Sets the result of a receive or a call: badge, label, words.
    pub fn set_message(&mut self, badge: u64, label: u64, words: &[u64]) {
        self.set(AARCH64.cptr, badge);
        self.set(AARCH64.info, MessageInfo::new(label, words.len()).as_raw());
        words.iter().enumerate().for_each(|(index, word)| self.set_word(index, *word));
    }

    /// Moves the program counter back to the system call, so that it restarts.
    pub(crate) fn restart(&mut self) {
        let pc = self.get("pc");
        self.set("pc", pc.wrapping_sub(SYSCALL_BYTES));
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
