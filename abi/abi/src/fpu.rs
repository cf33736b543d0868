//! Floating point: policies that switch its registers, and the kernel's counters.

use crate::named::named_numbers;

/// Thread flags, as TCBSetFlags clears, sets and returns them.
#[derive(Debug)]
pub struct ThreadFlag;
impl ThreadFlag {
    /// The thread may not use the floating-point unit.
    pub const FPU_DISABLED: u64 = 1 << 0;
    /// All defined flags; other bits are ignored.
    pub const ALL: u64 = Self::FPU_DISABLED;
}

named_numbers! {
    #[derive(Hash)]
    /// When the kernel saves and loads floating-point registers. No policy gives the unit to a thread that may not use it.
    pub enum FpuPolicy: u64 {
        /// When the kernel switches to a thread that may use the unit while another thread's registers are in it.
        SemiLazy = 0 => "LIMEN_FPU_SEMI_LAZY",
        /// At every thread switch, also to and from threads that may not use the unit.
        Eager = 1 => "LIMEN_FPU_EAGER",
        /// When a thread uses the unit while another thread's registers are in it. The switch is transparent to the thread.
        FaultLazy = 2 => "LIMEN_FPU_FAULT_LAZY",
        /// Like semi-lazy, but the registers are saved as soon as another thread is switched to.
        EarlySave = 3 => "LIMEN_FPU_EARLY_SAVE",
    }
}

/// Options that combine with every policy.
#[derive(Debug)]
pub struct FpuOption;
impl FpuOption {
    /// No other thread's registers stay in the unit while a thread runs, for processors that leak them.
    pub const ISOLATE: u64 = 1 << 0;
    /// A domain switch saves and loads unconditionally, so that its time is constant.
    pub const CONSTANT_EXIT: u64 = 1 << 1;
    /// All defined options.
    pub const ALL: u64 = Self::ISOLATE | Self::CONSTANT_EXIT;
}

/// Words of the answer to FpuReadCounters: event counts since boot.
#[derive(Debug)]
pub struct FpuCounterWord;
impl FpuCounterWord {
    /// Register saves.
    pub const SAVES: usize = 0;
    /// Register loads.
    pub const LOADS: usize = 1;
    /// Times the unit was turned on.
    pub const ENABLES: usize = 2;
    /// Times the unit was turned off.
    pub const DISABLES: usize = 3;
    /// Instructions that trapped because the unit was off.
    pub const FAULTS: usize = 4;
    /// Words in the answer.
    pub const LENGTH: usize = 5;
}
