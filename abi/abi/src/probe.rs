//! Probing: samples of the cost of crossings between user mode and the kernel.

use crate::named::named_numbers;

named_numbers! {
    /// Why the kernel was entered.
    pub enum ProbeEvent: u64 {
        /// An access to memory that the mappings do not allow.
        PageFault = 0 => "limen_probe_page_fault",
        /// An undefined instruction.
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
    /// Whether this event is a fault unless the program expects it.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::PageFault | Self::Undefined | Self::Breakpoint)
    }
}

/// Options of ProbeArm; at most one of the exits.
#[derive(Debug)]
pub struct ProbeOption;
impl ProbeOption {
    /// The kernel reads the counter into the registers of the exit stamp when it returns from the event, and
    /// overwrites their contents.
    pub const EXIT: u64 = 1;
    /// Like [`Self::EXIT`], with a barrier before the read, so that all earlier instructions are complete.
    pub const EXIT_SERIALISED: u64 = 2;
    /// The event stays armed. A system call then counts only if it returns into the range of addresses.
    pub const EVERY: u64 = 4;
}

/// Words of the answer to ProbeRead.
#[derive(Debug)]
pub struct ProbeWord;
impl ProbeWord {
    /// 1 if the answer holds a sample; the next four words are valid only then.
    pub const VALID: usize = 0;
    /// The [`ProbeEvent`].
    pub const EVENT: usize = 1;
    /// The value of the program's stamp register.
    pub const USER: usize = 2;
    /// The counter at kernel entry.
    pub const ENTRY: usize = 3;
    /// Other kernel entries of the program since it armed the event.
    pub const INTERRUPTIONS: usize = 4;
    /// Samples dropped for lack of room since probing began.
    pub const DROPPED: usize = 5;
    /// 1 if every crossing switches page tables.
    pub const PAGE_TABLE_SWITCH: usize = 6;
    /// Other kernel entries of the program between the return from the last event and this call.
    pub const INTERRUPTIONS_AFTER: usize = 7;
    /// Words in the answer.
    pub const LENGTH: usize = 8;
}
