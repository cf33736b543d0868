//! Faults of children: the message that their parent receives, and the answer.

use limen_abi::fault::{CapFaultWord, TimeoutWord, VmFaultWord};
use limen_abi::{FaultLabel, MessageInfo};

use crate::arch::{MAP, is_fpu_use};
use crate::channel::EMPTY;
use crate::message::word;

/// The answer to a child's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultAnswer {
    /// No answer: the child stays stopped until it is resumed or restarted, which the handler itself may have done.
    Stop,
    /// This message. The book explains its words under "replies to faults".
    Reply(MessageInfo),
}

impl FaultAnswer {
    /// The child repeats the faulting instruction.
    pub const RETRY: Self = Self::Reply(EMPTY);
}

/// A child's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A capability pointer led nowhere in a system call that may wait.
    Capability {
        /// Address of the system call.
        ip: u64,
        /// The capability pointer.
        pointer: u64,
        /// Whether the receiving half of the call failed.
        is_receiving: bool,
    },
    /// The number of a system call has no meaning.
    UnknownSyscall {
        /// Address of the system call.
        ip: u64,
        /// The number.
        number: u64,
    },
    /// An instruction that does not exist or is not allowed.
    Exception {
        /// Address of the instruction.
        ip: u64,
        /// The processor's number: syndrome register, cause, or vector.
        number: u64,
        /// The processor's error code.
        code: u64,
    },
    /// A breakpoint, watchpoint or single step.
    Debug,
    /// The budget is used up.
    Timeout {
        /// Badge of the scheduling context.
        data: u64,
        /// Microseconds that were consumed.
        consumed_us: u64,
    },
    /// An access to memory that the mappings do not allow.
    Memory {
        /// Address of the instruction.
        ip: u64,
        /// The address that was accessed.
        address: u64,
        /// Whether an instruction was fetched.
        is_fetch: bool,
        /// The processor's fault status.
        status: u64,
    },
    /// Another label.
    Other(u64),
}

impl Fault {
    /// Decodes the message that [`Program::fault`](crate::Program::fault) receives. Reads message words, which a call
    /// overwrites: decode first.
    #[must_use]
    pub fn read(message: MessageInfo) -> Self {
        match FaultLabel::from_raw(message.label()) {
            Some(FaultLabel::CapFault) => Self::Capability {
                ip: word(CapFaultWord::IP),
                pointer: word(CapFaultWord::ADDRESS),
                is_receiving: word(CapFaultWord::IN_RECEIVE_PHASE) != 0,
            },
            Some(FaultLabel::UnknownSyscall) => {
                let at = |name| word(position(MAP.unknown_syscall, name));
                Self::UnknownSyscall { ip: at("FaultIP"), number: at("Syscall") }
            }
            Some(FaultLabel::UserException) => {
                let at = |name| word(position(MAP.user_exception, name));
                Self::Exception { ip: at("FaultIP"), number: at("Number"), code: at("Code") }
            }
            Some(FaultLabel::DebugException) => Self::Debug,
            Some(FaultLabel::Timeout) => {
                Self::Timeout { data: word(TimeoutWord::DATA), consumed_us: word(TimeoutWord::CONSUMED) }
            }
            Some(FaultLabel::VmFault) => Self::Memory {
                ip: word(VmFaultWord::IP),
                address: word(VmFaultWord::ADDRESS),
                is_fetch: word(VmFaultWord::PREFETCH) != 0,
                status: word(VmFaultWord::STATUS),
            },
            Some(FaultLabel::NullFault) | None => Self::Other(message.label()),
        }
    }

    /// Whether the child has used the floating-point unit without being allowed to.
    #[must_use]
    pub fn is_fpu_use(self) -> bool {
        matches!(self, Self::Exception { number, code, .. } if is_fpu_use(number, code))
    }
}

/// The word that has this name.
fn position(names: &[&str], wanted: &str) -> usize {
    names.iter().position(|name| *name == wanted).unwrap_or(usize::MAX)
}
