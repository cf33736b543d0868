//! Sets of registers: those that a routine changes, and those that a section saves for it.
//!
//! A set is a type, so a routine that changes more registers than its section has saved does not compile:
//!
//! ```
//! use limen_fpu::mask::{Covers, Low4, Low8};
//! fn needs_four<M: Covers<Low4>>() {}
//! needs_four::<Low8>();
//! needs_four::<limen_fpu::mask::Controlled<Low8>>();
//! ```
//!
//! ```compile_fail
//! # use limen_fpu::mask::{Covers, Low4, Low8};
//! fn needs_eight<M: Covers<Low8>>() {}
//! needs_eight::<Low4>();
//! ```

/// A set of registers: the first `REGISTERS` numbered ones, and optionally the control words.
///
/// A register is as wide as in the base instruction set: 128 bits on AArch64 and x86_64, where SSE instructions leave
/// the upper parts of wider registers unchanged, and 64 bits on RISC-V.
pub trait Mask: sealed::Sealed {
    /// The number of registers, starting at register 0; [`ALL`] for all of them.
    const REGISTERS: usize;
    /// Whether the set contains the words that control rounding and exceptions (MXCSR, FPCR, fcsr). A section starts
    /// with a thread's initial values in them.
    const CONTROL: bool;
}

/// At least as many registers as any instruction set has.
pub const ALL: usize = 32;

/// The set contains `M`.
pub trait Covers<M: Mask>: Mask {}

/// A set without the control words.
pub trait Plain: Mask {}

mod sealed {
    /// Prevents sets outside this module.
    pub trait Sealed {}
}

/// Defines sets, the smallest first.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident = $registers:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl Mask for $name {
                const REGISTERS: usize = $registers;
                const CONTROL: bool = false;
            }
            impl Plain for $name {}
        )*
        sets!(@covers $($name)*);
    };
    (@covers) => {};
    (@covers $smallest:ident $($larger:ident)*) => {
        impl Covers<$smallest> for $smallest {}
        $(impl Covers<$smallest> for $larger {})*
        sets!(@covers $($larger)*);
    };
}

sets! {
    /// No registers.
    Nothing = 0;
    /// Four: enough to move, clear and compare memory.
    Low4 = 4;
    /// Eight: enough for one block of ChaCha20, or for AES.
    Low8 = 8;
    /// Sixteen: all of SSE, half of AArch64 and RISC-V.
    Low16 = 16;
    /// All registers.
    All = ALL;
}

/// A set plus the control words, for routines with floating-point arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Controlled<M>(core::marker::PhantomData<M>);

impl<M: Plain> sealed::Sealed for Controlled<M> {}
impl<M: Plain> Mask for Controlled<M> {
    const REGISTERS: usize = M::REGISTERS;
    const CONTROL: bool = true;
}
impl<M: Plain + Covers<N>, N: Plain> Covers<N> for Controlled<M> {}
impl<M: Plain + Covers<N>, N: Plain> Covers<Controlled<N>> for Controlled<M> {}
