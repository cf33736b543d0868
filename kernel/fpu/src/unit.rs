//! The contract with the hardware, and this crate's view of a thread.

use crate::mask::Mask;

/// The name of a thread.
pub trait Name: Copy + PartialEq {
    /// Whether both are none or the same thread. Types that can compare both at once override it.
    #[inline]
    fn same(a: Option<Self>, b: Option<Self>) -> bool {
        a == b
    }

    /// Whether this is the name of a thread at work. Such a name gets the unit before its first use under every policy,
    /// because on some processors the kernel's use would not trap.
    fn is_trusted(self) -> bool {
        false
    }
}

/// A floating-point unit whose registers can be saved and loaded, with a save area for each thread `T`.
///
/// Registers are saved and loaded only while the unit is on: on some processors the kernel cannot access them
/// otherwise.
pub trait FpuUnit<T> {
    /// Saves the registers to one thread's area, or to the spare area, and loads those of another thread.
    fn exchange(&mut self, from: Option<T>, to: T);

    /// Saves the registers to a thread's area.
    fn save(&mut self, to: T);

    /// Loads the registers of a thread; for `None`, a thread's initial registers.
    fn load(&mut self, from: Option<T>);

    /// Saves the registers to a thread's area, or to the spare area, loads a thread's initial registers, and turns the
    /// unit off, whether it was on or off. Executes the same instructions for every owner.
    fn renew(&mut self, owner: Option<T>);

    /// Turns the unit on for user mode.
    fn enable(&mut self);

    /// Makes every use in user mode an exception.
    fn disable(&mut self);
}

/// A unit whose registers an interrupt handler can borrow.
pub trait SectionUnit<T>: FpuUnit<T> {
    /// Whether the kernel can use the registers while the unit is off for user mode.
    const IS_ALWAYS_REACHED: bool;

    /// Whether boot has initialised the unit.
    fn is_up(&self) -> bool;

    /// Saves the registers of `M` to their owner's area, or to the spare area. If `M` has control words, sets them to a
    /// thread's initial values.
    fn save_for_section<M: Mask>(&mut self, owner: Option<T>);

    /// Restores them from there.
    fn restore_after_section<M: Mask>(&mut self, owner: Option<T>);
}

/// The registers of a thread at work, for the code that works for it.
pub trait WorkerUnit {
    /// Sets the registers of `M` to a thread's initial values.
    fn clear<M: Mask>(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trusted_only_if_their_type_says_so() {
        #[derive(Clone, Copy, PartialEq)]
        struct Plain;
        impl Name for Plain {}
        assert!(!Plain.is_trusted());
        assert!(Plain::same(Some(Plain), Some(Plain)) && !Plain::same(Some(Plain), None));
    }
}
