//! Calls to the secure monitor, which runs beside the kernel and above it: power, firmware services.
//!
//! The kernel passes registers on and back, and knows nothing of their meaning. Whoever may call can do whatever the
//! monitor does for the kernel. Source: SMC Calling Convention (Arm DEN 0028).

use limen_abi::Label;

use crate::arena::ThreadId;
use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::message::Answer;

/// Registers of a call.
pub const REGISTERS: usize = 8;

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    caller: ThreadId,
    registers: [u64; REGISTERS],
}

impl Request {
    /// Looks at a message to the secure monitor.
    pub(crate) fn decode<M: Machine>(
        caller: ThreadId,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::ArmSmcCall) => Ok(Self { caller, registers: arguments.words()? }),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    /// Does what was decoded.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        let registers = kernel.machine.call_secure_monitor(self.registers);
        for (position, value) in registers.into_iter().enumerate() {
            kernel.set_message_word(self.caller, position, value);
        }
        (Answer::Written(REGISTERS), Outcome::NOTHING)
    }
}
