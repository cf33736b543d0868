//! The registers of a test thread, in the order of AArch64's `seL4_UserContext`.
//!
//! Positions are looked up by name in the tables from which the C headers are generated.

use limen_abi::MessageInfo;
use limen_abi::register::AARCH64;
use limen_core::machine::{Context, Convention, first_registers};

/// The number of registers.
pub(crate) const COUNT: usize = AARCH64.context.len();
/// Position of the program counter.
pub(crate) const PC: usize = position("pc");
/// Position of the stack pointer.
pub(crate) const SP: usize = position("sp");
/// Position of the saved program status.
pub(crate) const SPSR: usize = position("spsr");
/// Position of the register for thread-local storage.
pub(crate) const TLS_BASE: usize = position("tpidr_el0");
/// Position of the register for the stamp of a probe.
pub(crate) const STAMP: usize = position("x9");
/// Position of the link register.
pub(crate) const LR: usize = position("x30");
/// Position of the first general register.
pub(crate) const X0: usize = position("x0");

const CPTR: usize = position(AARCH64.cptr);
const INFO: usize = position(AARCH64.info);
const REPLY: usize = position(AARCH64.reply);
const SEND: usize = position(AARCH64.send);
const WORDS: [usize; 4] = positions(AARCH64.words);
/// The position of the system-call number.
pub(crate) const SYSCALL: usize = position(AARCH64.syscall);

/// The length of the system-call instruction in bytes.
pub(crate) const SYSCALL_BYTES: u64 = 4;
/// The condition flags and SSBS, the only status bits that user mode may set.
const USER_SPSR: u64 = 0xf000_0000 | 1 << 12;

/// A context of plain registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TestContext {
    /// The registers in `seL4_UserContext` order.
    pub(crate) registers: [u64; COUNT],
}

impl TestContext {
    /// Sets the registers of a system call and advances past its instruction, like the processor.
    pub(crate) fn trap(&mut self, number: i64, cptr: u64, info: MessageInfo) {
        self.registers[SYSCALL] = number as u64;
        self.registers[CPTR] = cptr;
        self.registers[INFO] = info.as_raw();
        self.registers[PC] = self.registers[PC].wrapping_add(SYSCALL_BYTES);
    }

    /// Sets the capability pointer of the reply object.
    pub(crate) fn set_reply_cptr(&mut self, cptr: u64) {
        self.registers[REPLY] = cptr;
    }

    /// Sets the capability pointer for the send of `NBSendRecv`.
    pub(crate) fn set_send_cptr(&mut self, cptr: u64) {
        self.registers[SEND] = cptr;
    }
}

impl Context for TestContext {
    const ZERO: Self = Self { registers: [0; COUNT] };
    const REGISTERS: usize = COUNT;
    const PC: usize = PC;
    const SP: usize = SP;
    const LINK: Option<usize> = Some(position("x30"));
    const TLS_BASE: usize = TLS_BASE;
    const STAMP: usize = STAMP;
    const UNKNOWN_SYSCALL: &'static [usize] =
        &message_registers::<{ AARCH64.unknown_syscall.len() - 1 }>(AARCH64.unknown_syscall);
    const TIMEOUT: &'static [usize] = &first_registers::<{ COUNT - 2 }>();
    const USER_EXCEPTION: &'static [usize] =
        &message_registers::<{ AARCH64.user_exception.len() - 2 }>(AARCH64.user_exception);
    const EXCEPTION_CODE_WORDS: usize = 1;
    const CONVENTION: Convention =
        Convention { cptr: CPTR, info: INFO, words: WORDS, reply: REPLY, send: SEND };

    fn word(&self, place: usize) -> u64 {
        self.registers[place]
    }

    fn set_word(&mut self, place: usize, value: u64) {
        self.registers[place] = value;
    }

    fn register(&self, position: usize) -> u64 {
        self.registers.get(position).copied().unwrap_or(0)
    }

    fn set_register(&mut self, position: usize, value: u64) {
        let value = if position == SPSR { value & USER_SPSR } else { value };
        if let Some(register) = self.registers.get_mut(position) {
            *register = value;
        }
    }

    fn rewind_syscall(&mut self) {
        self.registers[PC] = self.registers[PC].wrapping_sub(SYSCALL_BYTES);
    }
}

/// Returns the position of the register with this name.
pub(crate) const fn position(name: &str) -> usize {
    let mut position = 0;
    while position < AARCH64.context.len() {
        if same(AARCH64.context[position], name) {
            return position;
        }
        position += 1;
    }
    panic!("unknown register")
}

const fn positions(names: [&str; 4]) -> [usize; 4] {
    [position(names[0]), position(names[1]), position(names[2]), position(names[3])]
}

/// Returns the positions of the first `N` words of a fault message.
const fn message_registers<const N: usize>(names: &[&str]) -> [usize; N] {
    let mut positions = [0; N];
    let mut word = 0;
    while word < N {
        positions[word] = message_register(names[word]);
        word += 1;
    }
    positions
}

/// Maps the name of a register in fault messages to its position.
const fn message_register(name: &str) -> usize {
    match name.as_bytes() {
        b"FaultIP" => PC,
        b"SP" => SP,
        b"SPSR" => SPSR,
        b"LR" => LR,
        [b'X', digit] => X0 + (*digit - b'0') as usize,
        _ => panic!("unknown register"),
    }
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}
