//! The right to change vector registers.

use limen_fpu::Open;
use limen_fpu::mask::{Covers, Mask};

/// Shows that whoever has it may change the registers of `M`. Every routine asks for one with its footprint.
///
/// # Safety
/// As long as a value exists, nobody expects anything of these registers, nor that they are as they were, and
/// instructions that use them do not trap.
pub unsafe trait Vectors<M: Mask>: Copy {}

/// A unit whose sections are what they say.
///
/// # Safety
/// Where such a unit begins a section, registers are put aside until its end, or are the running thread's; and it is
/// reached without a trap.
pub unsafe trait Lends {}

// SAFETY: the section has more registers than are asked for, and the unit keeps its word.
unsafe impl<M: Mask, N: Covers<M>, U: Lends> Vectors<M> for Open<'_, N, U> {}

/// On a system whose compiler knows vector registers: a called function may change those that the convention gives it,
/// and routines keep to that.
#[cfg(not(target_os = "none"))]
#[derive(Clone, Copy, Debug)]
pub struct CallingConvention;

#[cfg(not(target_os = "none"))]
// SAFETY: the compiler saves what it needs of them before each call, and the system switches them like any registers.
unsafe impl<M: Mask> Vectors<M> for CallingConvention {}
