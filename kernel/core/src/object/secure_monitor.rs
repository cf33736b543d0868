//! Calls to the secure monitor, the more privileged firmware that offers power management and other services.
//!
//! The kernel passes registers through in both directions and does not interpret them. A program with this capability
//! can use everything that the monitor offers to the kernel. Source: SMC Calling Convention (Arm DEN 0028).

use limen_abi::Label;

use crate::arena::ThreadId;
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::message::Answer;

/// The number of registers in a call.
pub const REGISTERS: usize = 8;

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    caller: ThreadId,
    registers: [u64; REGISTERS],
}

impl Request {
    /// Decodes an invocation of the secure monitor.
    pub(crate) fn decode<M: Machine>(
        caller: ThreadId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::ArmSmcCall) => Ok(Self { caller, registers: arguments.words()? }),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Performs a decoded request.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        let registers = kernel.machine.call_secure_monitor(self.registers);
        for (position, value) in registers.into_iter().enumerate() {
            kernel.set_message_word(self.caller, position, value);
        }
        (Answer::Written(REGISTERS), Outcome::NOTHING)
    }
}
