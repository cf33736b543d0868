//! Floating point: who switches its registers when, and what the kernel counts of it.

use crate::named::named_numbers;

/// Flags of a thread, as TCBSetFlags clears, sets and answers them.
#[derive(Debug)]
pub struct ThreadFlag;
impl ThreadFlag {
    /// The thread may not use the floating-point unit.
    pub const FPU_DISABLED: u64 = 1 << 0;
    /// Every flag that there is; other bits are ignored.
    pub const ALL: u64 = Self::FPU_DISABLED;
}

named_numbers! {
    #[derive(Hash)]
    /// When floating-point registers are saved and loaded. Threads that may not use the unit cannot under any policy.
    pub enum FpuPolicy: u64 {
        /// When a thread that may use the unit gets the processor, and another one's registers are in it.
        SemiLazy = 0 => "LIMEN_FPU_SEMI_LAZY",
        /// At every change of thread, also to and from threads that may not use the unit.
        Eager = 1 => "LIMEN_FPU_EAGER",
        /// When a thread uses the unit, and another one's registers are in it. The thread does not notice.
        FaultLazy = 2 => "LIMEN_FPU_FAULT_LAZY",
        /// As semi-lazy, but saved as soon as any other thread gets the processor.
        EarlySave = 3 => "LIMEN_FPU_EARLY_SAVE",
    }
}

/// Choices that go with every policy.
#[derive(Debug)]
pub struct FpuOption;
impl FpuOption {
    /// No other thread's registers stay in the unit while a thread runs, for processors that leak them.
    pub const ISOLATE: u64 = 1 << 0;
    /// A change of scheduling domain saves and loads whether there is something to save or not.
    pub const CONSTANT_EXIT: u64 = 1 << 1;
    /// Every option that there is.
    pub const ALL: u64 = Self::ISOLATE | Self::CONSTANT_EXIT;
}

/// Words of the answer to FpuReadCounters: what was done since boot.
#[derive(Debug)]
pub struct FpuCounterWord;
impl FpuCounterWord {
    /// Registers stored to memory.
    pub const SAVES: usize = 0;
    /// Registers read from memory.
    pub const LOADS: usize = 1;
    /// The unit turned on.
    pub const ENABLES: usize = 2;
    /// The unit turned off.
    pub const DISABLES: usize = 3;
    /// Instructions that met a unit that was off.
    pub const FAULTS: usize = 4;
    /// Words in the answer.
    pub const LENGTH: usize = 5;
}
