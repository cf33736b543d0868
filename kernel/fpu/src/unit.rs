//! The contract with the hardware, and what a thread is to this crate.

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
    /// Saves the registers of one thread and loads those of another.
    fn exchange(&mut self, from: T, to: T);

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
