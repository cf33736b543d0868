//! Calls to the secure monitor, where the description allows them (`smc="true"`) and the board has one.

use limen_abi::Label;
use limen_abi::slot::ARM_SMC;

use crate::buffer::Buffer;
use crate::invoke::{Error, invoke};
use crate::message::{set_word, word};

/// Registers that go to the monitor and come back: x0 to x7.
const REGISTERS: usize = 8;

/// Calls the secure monitor with x0 to x7 and returns what it leaves in them.
///
/// # Errors
/// `InvalidCapability` unless the description allows it, and what the kernel refuses.
pub fn call(arguments: [u64; REGISTERS]) -> Result<[u64; REGISTERS], Error> {
    arguments.into_iter().enumerate().for_each(|(index, value)| set_word(index, value));
    let [x0, x1, x2, x3] = invoke(ARM_SMC, Label::ArmSmcCall, REGISTERS, Buffer::here().load_words())?;
    Ok([x0, x1, x2, x3, word(4), word(5), word(6), word(7)])
}
