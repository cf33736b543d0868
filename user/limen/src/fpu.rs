//! Floating point: counts, policies, and use on demand. See the book's chapter on floating point.

use limen_abi::fpu::{FpuCounterWord, FpuOption};
use limen_abi::slot::{FPU_COUNTERS, FPU_POLICY};
use limen_abi::{Label, MessageInfo};

use crate::child::Child;
use crate::fault::{Fault, FaultAnswer};
use crate::invoke::{Error, invoke};
use crate::message::word;

pub use limen_abi::FpuPolicy;

/// How often since boot something was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FpuCounters {
    /// Registers stored to memory.
    pub saves: u64,
    /// Registers read from memory.
    pub loads: u64,
    /// The unit turned on.
    pub enables: u64,
    /// The unit turned off.
    pub disables: u64,
    /// Instructions that met a unit that was off.
    pub faults: u64,
}

/// Choices that go with every policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FpuOptions {
    /// No other thread's registers stay in the unit while a thread runs.
    pub isolate: bool,
    /// A change of scheduling domain saves and loads whether there is something to save or not.
    pub constant_exit: bool,
}

/// Reads the counts.
///
/// # Errors
/// `InvalidCapability` unless the description has `<fpu_counters/>`.
pub fn counters() -> Result<FpuCounters, Error> {
    let words = invoke(FPU_COUNTERS, Label::FpuReadCounters, 0, [0; 4])?;
    Ok(FpuCounters {
        saves: words[FpuCounterWord::SAVES],
        loads: words[FpuCounterWord::LOADS],
        enables: words[FpuCounterWord::ENABLES],
        disables: words[FpuCounterWord::DISABLES],
        faults: word(FpuCounterWord::FAULTS),
    })
}

/// Chooses when floating-point registers are switched, for the whole system.
///
/// # Errors
/// `InvalidCapability` unless the description has `<fpu_policy/>`.
pub fn set_policy(policy: FpuPolicy, options: FpuOptions) -> Result<(), Error> {
    let isolate = if options.isolate { FpuOption::ISOLATE } else { 0 };
    let constant_exit = if options.constant_exit { FpuOption::CONSTANT_EXIT } else { 0 };
    invoke(FPU_POLICY, Label::FpuSetPolicy, 2, [policy.as_raw(), isolate | constant_exit, 0, 0]).map(drop)
}

/// Floating point on demand, for [`Program::fault`](crate::Program::fault): a child that has used the unit gets
/// the right to, and repeats the instruction. `None` for any other fault.
#[must_use]
pub fn on_demand(child: Child, message: MessageInfo) -> Option<FaultAnswer> {
    let is_allowed = Fault::read(message).is_fpu_use() && child.thread().allow_fpu().is_ok();
    is_allowed.then_some(FaultAnswer::RETRY)
}
