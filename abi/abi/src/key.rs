//! Static keys of the kernel, which a description may grant by name.

use crate::named::named_numbers;

named_numbers! {
    #[derive(Hash)]
    /// The kernel's keys, under the names that descriptions use.
    pub enum KernelKey: u64 {
        /// Programs may print through the kernel.
        Printing = 0 => "kernel.printing",
        /// The kernel checks its own state after faults and interrupts.
        SelfCheck = 1 => "kernel.self_check",
        /// The kernel traces its entries and exits.
        TraceEntries = 8 => "kernel.trace.entries",
        /// The kernel traces which thread runs, and what threads wait for.
        TraceThreads = 9 => "kernel.trace.threads",
        /// The kernel traces calls, replies, signals and faults.
        TraceMessages = 10 => "kernel.trace.messages",
        /// The kernel traces interrupts.
        TraceInterrupts = 11 => "kernel.trace.interrupts",
        /// The kernel traces budgets and domains.
        TraceTime = 12 => "kernel.trace.time",
        /// The kernel traces key changes, floating-point registers, wipes and the work of services.
        TraceMemory = 13 => "kernel.trace.memory",
        /// Programs may trace.
        TracePrograms = 14 => "kernel.trace.programs",
    }
}

impl KernelKey {
    /// Prefix of the kernel's key names; no other key may use it.
    pub const PREFIX: &'static str = "kernel.";

    /// The key's bit in the options of a boot image, which hold the defaults of the kernel's keys.
    #[must_use]
    pub const fn option(self) -> u64 {
        1 << self as u64
    }

    /// The options of all keys that turn on a part of the trace.
    pub const TRACE: u64 = 0x7f << Self::TraceEntries as u64;

    /// Whether the key turns on a part of the trace.
    #[must_use]
    pub const fn is_trace(self) -> bool {
        self.option() & Self::TRACE != 0
    }
}

/// Words of the answer to KeyRead.
#[derive(Debug)]
pub struct KeyWord;
impl KeyWord {
    /// 1 while the key is on and all of its sites are patched.
    pub const ENABLED: usize = 0;
    /// Holds on the key, the description's default included.
    pub const COUNT: usize = 1;
    /// Holds of the caller.
    pub const OWN: usize = 2;
    /// Words in the answer.
    pub const LENGTH: usize = 3;
}
