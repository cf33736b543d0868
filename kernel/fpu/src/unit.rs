//! The contract with the hardware, and what a thread is to this crate.

use crate::mask::Mask;

/// Names a thread.
pub trait Name: Copy + PartialEq {
    /// Whether both are nobody, or the same. A type for which this is one comparison says how.
    #[inline]
    fn same(a: Option<Self>, b: Option<Self>) -> bool {
        a == b
    }

    /// Whether it is the kernel that works for a thread under this name. It is not asked to use the unit before it gets
    /// it, whatever the policy: on some processors nothing would stop it.
    fn is_trusted(self) -> bool {
        false
    }
}

/// A floating-point unit whose registers can be moved to and from memory, an area for each thread `T`.
///
/// Registers are moved only while the unit is on: on some processors the kernel itself cannot reach them otherwise.
pub trait FpuUnit<T> {
    /// Saves the registers for one thread, or to where they are never read, and loads those of another.
    fn exchange(&mut self, from: Option<T>, to: T);

    /// Saves the registers for a thread.
    fn save(&mut self, to: T);

    /// Loads the registers of a thread; of nobody, those that a thread starts with.
    fn load(&mut self, from: Option<T>);

    /// Whether the unit is on or off: saves the registers for a thread, or to where they are never read, loads those that a
    /// thread starts with, and leaves it off. The same instructions whoever it is for.
    fn renew(&mut self, owner: Option<T>);

    /// Lets user mode use the unit.
    fn enable(&mut self);

    /// Makes every use by user mode an exception.
    fn disable(&mut self);
}

/// A unit whose registers can be lent to the handler of an interrupt.
pub trait SectionUnit<T>: FpuUnit<T> {
    /// Whether the kernel can use registers while the unit is off for user mode.
    const IS_ALWAYS_REACHED: bool;

    /// Whether boot has prepared the unit.
    fn is_up(&self) -> bool;

    /// Saves the registers of `M` in the area of their owner, or in one that is nobody's. Control words, if they belong to
    /// `M`, become what a thread starts with.
    fn put_aside<M: Mask>(&mut self, owner: Option<T>);

    /// Loads them from there.
    fn put_back<M: Mask>(&mut self, owner: Option<T>);
}

/// The registers of a thread at work, as the kernel's code that works for it reaches them.
pub trait WorkerUnit {
    /// Makes the registers of `M` what a thread starts with.
    fn clear<M: Mask>(&mut self);
}
