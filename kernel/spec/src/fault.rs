//! Faults, and the replies to them. A fault is sent like a call of its thread.

use limen_abi::FaultLabel;
use limen_abi::slot::{ROOT_BITS, TABLE_BITS};

use crate::capability::Cap;
use crate::registers::{InstructionSet, Registers};
use crate::state::{AfterSend, State, System, ThreadId};

/// A fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A system call named no capability.
    Cap {
        /// The pointer.
        pointer: u64,
        /// Whether the receiving half did.
        receiving: bool,
        /// Whether the pointer leads outside the table; otherwise the slot is of no use.
        nowhere: bool,
    },
    /// There is no such system call.
    UnknownSyscall {
        /// The number.
        number: u64,
    },
    /// The processor trapped.
    UserException {
        /// The number of the exception.
        number: u64,
        /// Its code.
        code: u64,
    },
    /// The mappings do not allow an access.
    Vm {
        /// The address.
        address: u64,
        /// Whether an instruction was fetched.
        fetch: bool,
        /// The status of the processor.
        status: u64,
    },
    /// The budget is used up.
    Timeout {
        /// The word of the scheduling context.
        data: u64,
        /// Microseconds used since the last query.
        consumed_us: u64,
    },
}

/// Word 3 of a CapFault for a missing capability.
const MISSING: u64 = 2;
/// Word 3 of a CapFault for a pointer outside the table.
const MISMATCH: u64 = 4;

impl Fault {
    /// The label of its message.
    #[must_use]
    pub const fn label(&self) -> u64 {
        let label = match self {
            Self::Cap { .. } => FaultLabel::CapFault,
            Self::UnknownSyscall { .. } => FaultLabel::UnknownSyscall,
            Self::UserException { .. } => FaultLabel::UserException,
            Self::Vm { .. } => FaultLabel::VmFault,
            Self::Timeout { .. } => FaultLabel::Timeout,
        };
        label.as_raw()
    }

    /// The registers that its message lists and its reply may set.
    fn registers(&self, of: InstructionSet) -> Vec<usize> {
        let names = |names: &[&str], others: usize| -> Vec<usize> {
            names[..names.len() - others].iter().map(|name| of.listed(name)).collect()
        };
        match self {
            Self::UnknownSyscall { .. } => names(of.map().unknown_syscall, 1),
            Self::UserException { .. } => names(of.map().user_exception, 2),
            // All but the thread pointers.
            Self::Timeout { .. } => (0..of.position(of.thread_pointer())).collect(),
            Self::Cap { .. } | Self::Vm { .. } => Vec::new(),
        }
    }

    /// The words of its message.
    #[must_use]
    pub fn words(&self, registers: &Registers) -> Vec<u64> {
        let pc = registers.get(registers.of.pc());
        let listed = || self.registers(registers.of).into_iter().map(|position| registers.values[position]);
        match *self {
            Self::Cap { pointer, receiving, nowhere: false } => {
                vec![pc, pointer, receiving.into(), MISSING, 0]
            }
            Self::Cap { pointer, receiving, nowhere: true } => {
                let below_root = u64::BITS - ROOT_BITS;
                let guard_bits = below_root - TABLE_BITS;
                vec![pc, pointer, receiving.into(), MISMATCH, below_root.into(), 0, guard_bits.into()]
            }
            Self::UnknownSyscall { number } => listed().chain([number]).collect(),

            Self::UserException { number, code } => listed().chain([number, code]).collect(),
            Self::Vm { address, fetch, status } => vec![pc, address, fetch.into(), status],
            Self::Timeout { data, consumed_us } => vec![data, consumed_us],
        }
    }
}

impl System {
    /// The current thread faults. Its memory that a fault clears is cleared whether it has a handler or not, but not at
    /// the end of its budget.
    pub(crate) fn fault(&mut self, thread: ThreadId, fault: Fault) {
        let is_timeout = matches!(fault, Fault::Timeout { .. });
        if !is_timeout {
            self.wiped.extend(self.threads[thread].wipe);
        }
        let handler = if is_timeout {
            self.threads[thread].timeout_handler
        } else {
            self.threads[thread].fault_handler
        };
        match handler {
            Cap::Endpoint { endpoint, badge, rights } if rights.send => {
                self.threads[thread].fault = Some(fault);
                let then = match fault {
                    _ if !rights.can_be_answered() => AfterSend::Stop,
                    Fault::Timeout { .. } => AfterSend::CallWithoutTime,
                    _ => AfterSend::Call,
                };
                self.send_from(thread, endpoint, badge, then, false);
            }
            _ => self.threads[thread].state = State::Inactive,
        }
    }

    /// The reply to a fault, with the message of `replier`: the thread continues or stops.
    pub(crate) fn reply_to_fault(&mut self, thread: ThreadId, fault: Fault, replier: ThreadId) -> bool {
        let message = self.threads[replier].registers.clone();
        let info = message.info();
        let continues = matches!(fault, Fault::Cap { .. } | Fault::Vm { .. }) || info.label() == 0;
        let written = fault.registers(message.of).into_iter().take(info.length());
        if written.len() > 0 {
            self.abandon_work(thread);
        }
        for (index, position) in written.enumerate() {
            self.threads[thread].registers.set_for_program(position, message.word(index));
        }
        continues
    }
}
