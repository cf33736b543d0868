//! The right to change vector registers.

use limen_fpu::Open;
use limen_fpu::mask::{Covers, Mask};

/// The right to change the registers of `M`. Every routine requires one for its footprint.
///
/// # Safety
/// While a value exists, no other code relies on the contents of these registers, and instructions that use them do not
/// trap.
pub unsafe trait Vectors<M: Mask>: Copy {}

/// A unit whose sections grant the right to change their registers.
///
/// # Safety
/// From the start of a section to its end, its registers are saved elsewhere or belong to the running thread, and using
/// them does not trap.
pub unsafe trait Lends {}

// SAFETY: the section covers the required registers, and the unit keeps its contract.
unsafe impl<M: Mask, N: Covers<M>, U: Lends> Vectors<M> for Open<'_, N, U> {}

/// For systems whose compiler knows vector registers: a called function may change the caller-saved ones, and the
/// routines change no others.
#[cfg(not(target_os = "none"))]
#[derive(Clone, Copy, Debug)]
pub struct CallingConvention;

#[cfg(not(target_os = "none"))]
// SAFETY: the compiler saves the registers that it needs before each call, and the system switches them like any
// others.
unsafe impl<M: Mask> Vectors<M> for CallingConvention {}
