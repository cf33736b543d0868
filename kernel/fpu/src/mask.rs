//! Sets of registers: what a routine changes, and what a section puts aside for it.
//!
//! A set is a type, so that a routine which changes more than its section has put aside does not compile:
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

/// A set of registers: the first so many of those that are numbered, and perhaps the control words.
///
/// A register is what the instruction set has by default: 128 bits on AArch64 and x86_64, where instructions of SSE leave
/// the upper parts of wider registers alone, and 64 bits on RISC-V.
pub trait Mask: sealed::Sealed {
    /// How many registers, from register 0; [`ALL`] for as many as there are.
    const REGISTERS: usize;
    /// Whether the words that control rounding and exceptions belong to it (MXCSR, FPCR, fcsr): in a section they are
    /// what a thread starts with.
    const CONTROL: bool;
}

/// As many registers as any instruction set has.
pub const ALL: usize = 32;

/// The set contains `M`.
pub trait Covers<M: Mask>: Mask {}

/// Without the control words.
pub trait Plain: Mask {}

mod sealed {
    /// Sets are defined here only.
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
    /// None: what code without vector registers changes.
    Nothing = 0;
    /// Four: enough to move, clear and compare memory.
    Low4 = 4;
    /// Eight: enough for one block of a cipher.
    Low8 = 8;
    /// Sixteen: all of SSE, half of AArch64 and RISC-V.
    Low16 = 16;
    /// All.
    All = ALL;
}

/// A set with the control words: for routines that compute with floating-point numbers.
#[derive(Clone, Copy, Debug)]
pub struct Controlled<M>(core::marker::PhantomData<M>);

impl<M: Plain> sealed::Sealed for Controlled<M> {}
impl<M: Plain> Mask for Controlled<M> {
    const REGISTERS: usize = M::REGISTERS;
    const CONTROL: bool = true;
}
impl<M: Plain + Covers<N>, N: Plain> Covers<N> for Controlled<M> {}
impl<M: Plain + Covers<N>, N: Plain> Covers<Controlled<N>> for Controlled<M> {}
