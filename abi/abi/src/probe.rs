//! Probing: what crossings between user mode and the kernel can be sampled, and what a sample says.

use crate::named::named_numbers;

named_numbers! {
    /// Why the kernel is entered.
    pub enum ProbeEvent: u64 {
        /// An access to memory that the mappings do not allow.
        PageFault = 0 => "limen_probe_page_fault",
        /// An instruction that does not exist.
        Undefined = 1 => "limen_probe_undefined",
        /// A breakpoint instruction.
        Breakpoint = 2 => "limen_probe_breakpoint",
        /// A system call.
        Syscall = 3 => "limen_probe_system_call",
        /// An interrupt.
        Interrupt = 4 => "limen_probe_interrupt",
    }
}

impl ProbeEvent {
    /// Whether a program that does not expect it has done something wrong.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::PageFault | Self::Undefined | Self::Breakpoint)
    }
}

/// Options of ProbeArm; at most one.
#[derive(Debug)]
pub struct ProbeOption;
impl ProbeOption {
    /// The registers of the exit stamp may be overwritten: the kernel reads the counter into them when it returns from the
    /// event.
    pub const EXIT: u64 = 1;
    /// The same, and the kernel waits with a barrier until everything before is complete.
    pub const EXIT_SERIALISED: u64 = 2;
}

/// Words of the answer to ProbeRead.
#[derive(Debug)]
pub struct ProbeWord;
impl ProbeWord {
    /// 1 if there was a sample; the next four words mean something only then.
    pub const VALID: usize = 0;
    /// The [`ProbeEvent`].
    pub const EVENT: usize = 1;
    /// What the program had in the register of its stamp.
    pub const USER: usize = 2;
    /// The counter when the kernel was entered.
    pub const ENTRY: usize = 3;
    /// How often else the program had entered the kernel since it armed the event.
    pub const INTERRUPTIONS: usize = 4;
    /// Samples that were dropped because there was no room, since probing began.
    pub const DROPPED: usize = 5;
    /// 1 if every crossing switches page tables.
    pub const PAGE_TABLE_SWITCH: usize = 6;
    /// How often the program had entered the kernel since the last event's return, before it asked.
    pub const INTERRUPTIONS_AFTER: usize = 7;
    /// Words in the answer.
    pub const LENGTH: usize = 8;
}
