//! The right to change vector registers.

use limen_fpu::mask::Mask;

/// Shows that whoever has it may change the registers of `M`. Every routine asks for one with its footprint.
///
/// # Safety
/// As long as a value exists, nobody expects anything of these registers, nor that they are as they were, and
/// instructions that use them do not trap.
pub unsafe trait Vectors<M: Mask>: Copy {}

/// On a system whose compiler knows vector registers: a called function may change those that the convention gives it,
/// and routines keep to that.
#[cfg(not(target_os = "none"))]
#[derive(Clone, Copy, Debug)]
pub struct CallingConvention;

#[cfg(not(target_os = "none"))]
// SAFETY: the compiler saves what it needs of them before each call, and the system switches them like any registers.
unsafe impl<M: Mask> Vectors<M> for CallingConvention {}
