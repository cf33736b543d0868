//! Static keys of the kernel, which a description may hand out by name.

use crate::named::named_numbers;

named_numbers! {
    #[derive(Hash)]
    /// The kernel's keys. The name is that in a description.
    pub enum KernelKey: u64 {
        /// Programs may print through the kernel.
        Printing = 0 => "kernel.printing",
        /// The kernel checks its own state after faults and interrupts.
        SelfCheck = 1 => "kernel.self_check",
    }
}

impl KernelKey {
    /// What the names of the kernel's keys, and of no others, begin with.
    pub const PREFIX: &'static str = "kernel.";

    /// The bit of the key among the options of a boot image, which are the defaults of the kernel's keys.
    #[must_use]
    pub const fn option(self) -> u64 {
        1 << self as u64
    }
}

/// Words of the answer to KeyRead.
#[derive(Debug)]
pub struct KeyWord;
impl KeyWord {
    /// 1 while the key is on, with all of its branches.
    pub const ENABLED: usize = 0;
    /// How many want it on, the description included.
    pub const COUNT: usize = 1;
    /// How often the caller holds it.
    pub const OWN: usize = 2;
    /// Words in the answer.
    pub const LENGTH: usize = 3;
}
