//! Kernel sections that use vector registers: saving and restoring registers, and access to them for code at work.

use limen_core::arena::ThreadId;
use limen_fpu::mask::Mask;
use limen_fpu::{SectionUnit, WorkerUnit};
use limen_simd::vectors::Lends;

use crate::arch::fpu;
use crate::fpu::{area, is_up};
use crate::machine::Hardware;

/// Declares a routine for each set of registers, and one for the control words. Only `fpu::call` calls them.
macro_rules! routines {
    ($(#[$doc:meta])* $control:ident $four:ident $eight:ident $sixteen:ident $all:ident) => {
        unsafe extern "C" {
            $(#[$doc])* fn $control(area: *mut fpu::Registers);
            $(#[$doc])* fn $four(area: *mut fpu::Registers);
            $(#[$doc])* fn $eight(area: *mut fpu::Registers);
            $(#[$doc])* fn $sixteen(area: *mut fpu::Registers);
            $(#[$doc])* fn $all(area: *mut fpu::Registers);
        }
    };
}

routines! {
    /// Saves registers to an area.
    fpu_save_control fpu_save_4 fpu_save_8 fpu_save_16 fpu_save_all
}
routines! {
    /// Restores registers from an area.
    fpu_restore_control fpu_restore_4 fpu_restore_8 fpu_restore_16 fpu_restore_all
}
routines! {
    /// Sets registers to a thread's initial values.
    fpu_clear_control fpu_clear_4 fpu_clear_8 fpu_clear_16 fpu_clear_all
}

/// Calls the routine for a set, which is known at compile time.
macro_rules! call_for {
    ($mask:ty, $area:expr, $control:path, $four:path, $eight:path, $sixteen:path, $all:path) => {{
        let area: *mut fpu::Registers = $area;
        if <$mask>::CONTROL {
            fpu::call!($control, area);
        }
        match <$mask>::REGISTERS {
            0 => {}
            4 => fpu::call!($four, area),
            8 => fpu::call!($eight, area),
            16 => fpu::call!($sixteen, area),
            _ => fpu::call!($all, area),
        }
    }};
}

impl SectionUnit<ThreadId> for Hardware {
    const IS_ALWAYS_REACHED: bool = fpu::IS_ALWAYS_REACHED;

    #[inline]
    fn is_up(&self) -> bool {
        is_up()
    }

    #[inline]
    fn save_for_section<M: Mask>(&mut self, owner: Option<ThreadId>) {
        // SAFETY: the area is an element of the array, and no reference to it exists; the section has turned the unit
        // on if that is needed.
        unsafe {
            call_for!(M, area(owner), fpu_save_control, fpu_save_4, fpu_save_8, fpu_save_16, fpu_save_all);
        }
    }

    #[inline]
    fn restore_after_section<M: Mask>(&mut self, owner: Option<ThreadId>) {
        // SAFETY: as above; the area holds the saved registers.
        unsafe {
            call_for!(
                M,
                area(owner),
                fpu_restore_control,
                fpu_restore_4,
                fpu_restore_8,
                fpu_restore_16,
                fpu_restore_all
            );
        }
    }
}

// SAFETY: the same registers are restored that were saved; no other code runs in between.
unsafe impl Lends for Hardware {}

/// The registers of the running thread at work.
#[derive(Debug)]
pub struct WorkerRegisters(());

impl WorkerRegisters {
    /// Claims the registers for the code that works for a thread.
    ///
    /// # Safety
    /// Only that code holds the value, and consumes it before the work ends. Whenever the thread runs meanwhile, its
    /// identity at work owns the unit, which is on.
    pub const unsafe fn new() -> Self {
        Self(())
    }
}

impl WorkerUnit for WorkerRegisters {
    #[inline]
    fn clear<M: Mask>(&mut self) {
        // SAFETY: the registers belong to this work; no area is accessed.
        unsafe {
            call_for!(
                M,
                core::ptr::null_mut(),
                fpu_clear_control,
                fpu_clear_4,
                fpu_clear_8,
                fpu_clear_16,
                fpu_clear_all
            );
        }
    }
}

// SAFETY: a running thread at work owns its registers, as `new` requires.
unsafe impl Lends for WorkerRegisters {}
