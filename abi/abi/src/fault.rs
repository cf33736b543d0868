//! Fault messages: labels, and what each word of the message holds.
//!
//! Source: seL4 MCS API. Where the layout differs between instruction sets, see [`crate::register`].

use crate::named::named_numbers;

named_numbers! {
    /// The kind of fault, as the label of the message to the handler.
    pub enum FaultLabel: u64 {
        /// No fault. Also the reply label that restarts the thread.
        NullFault = 0 => "seL4_Fault_NullFault",
        /// A capability lookup failed in a call that may block.
        CapFault = 1 => "seL4_Fault_CapFault",
        /// The system-call number is unknown.
        UnknownSyscall = 2 => "seL4_Fault_UnknownSyscall",
        /// The program executed an illegal instruction or raised another exception.
        UserException = 3 => "seL4_Fault_UserException",
        /// A hardware breakpoint, watchpoint or single step.
        DebugException = 4 => "seL4_Fault_DebugException",
        /// The budget of the scheduling context is used up.
        Timeout = 5 => "seL4_Fault_Timeout",
        /// A memory access that the mappings do not allow.
        VmFault = 6 => "seL4_Fault_VMFault",
    }
}

/// Code of a UserException on RISC-V whose number is illegal instruction (2): the instruction needs the
/// floating-point unit, which is off for this thread. Other architectures have an exception number for this case.
pub const RISCV_CODE_FPU_OFF: u64 = 1;

/// Words of a CapFault message; the details of the lookup failure start at [`Self::LOOKUP_DETAILS`].
#[derive(Debug)]
pub struct CapFaultWord;
impl CapFaultWord {
    /// Address of the faulting system call.
    pub const IP: usize = 0;
    /// The capability pointer.
    pub const ADDRESS: usize = 1;
    /// 1 if the receive half of the call failed.
    pub const IN_RECEIVE_PHASE: usize = 2;
    /// A [`crate::error::LookupFailure`].
    pub const LOOKUP_FAILURE: usize = 3;
    /// First word of the failure's details.
    pub const LOOKUP_DETAILS: usize = 4;
}

/// Words of a VMFault message.
#[derive(Debug)]
pub struct VmFaultWord;
impl VmFaultWord {
    /// Address of the faulting instruction.
    pub const IP: usize = 0;
    /// The address that was accessed.
    pub const ADDRESS: usize = 1;
    /// 1 for an instruction fetch.
    pub const PREFETCH: usize = 2;
    /// Fault status as the architecture reports it: ESR, scause or page-fault error code.
    pub const STATUS: usize = 3;
    /// Words in the message.
    pub const LENGTH: usize = 4;
}

/// Words of a Timeout message.
#[derive(Debug)]
pub struct TimeoutWord;
impl TimeoutWord {
    /// Badge of the scheduling context.
    pub const DATA: usize = 0;
    /// Microseconds consumed.
    pub const CONSUMED: usize = 1;
    /// Words in the message.
    pub const LENGTH: usize = 2;
}
