//! Sections of the kernel that use vector registers: how registers are put aside, and what code at work has of them.

use limen_core::arena::ThreadId;
use limen_fpu::mask::Mask;
use limen_fpu::{SectionUnit, WorkerUnit};
use limen_simd::vectors::Lends;

use crate::arch::fpu;
use crate::fpu::{area, is_up};
use crate::machine::Hardware;

/// Declares a routine for each set of registers, and for the control words. All are for `fpu::call` only.
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
    /// Stores registers in an area.
    fpu_put_aside_control fpu_put_aside_4 fpu_put_aside_8 fpu_put_aside_16 fpu_put_aside_all
}
routines! {
    /// Loads registers from an area.
    fpu_put_back_control fpu_put_back_4 fpu_put_back_8 fpu_put_back_16 fpu_put_back_all
}
routines! {
    /// Makes registers what a thread starts with.
    fpu_clear_control fpu_clear_4 fpu_clear_8 fpu_clear_16 fpu_clear_all
}

/// Calls the routine for a set. Which one is known when this is compiled.
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
    fn put_aside<M: Mask>(&mut self, owner: Option<ThreadId>) {
        // SAFETY: the area is an element of the array, and nobody holds a reference to it; the section has turned the unit
        // on where that is needed.
        unsafe {
            call_for!(
                M,
                area(owner),
                fpu_put_aside_control,
                fpu_put_aside_4,
                fpu_put_aside_8,
                fpu_put_aside_16,
                fpu_put_aside_all
            );
        }
    }

    #[inline]
    fn put_back<M: Mask>(&mut self, owner: Option<ThreadId>) {
        // SAFETY: as above; the registers were put there.
        unsafe {
            call_for!(
                M,
                area(owner),
                fpu_put_back_control,
                fpu_put_back_4,
                fpu_put_back_8,
                fpu_put_back_16,
                fpu_put_back_all
            );
        }
    }
}

// SAFETY: what is put aside is put back, into the same registers; in between nobody else runs.
unsafe impl Lends for Hardware {}

/// The registers of the thread at work that runs.
#[derive(Debug)]
pub struct WorkerRegisters(());

impl WorkerRegisters {
    /// Says that the kernel's code runs that works for a thread.
    ///
    /// # Safety
    /// Only that code has it, and uses it up before the work ends. Whenever the thread gets the processor meanwhile, its name
    /// at work owns the unit, which is on.
    pub const unsafe fn new() -> Self {
        Self(())
    }
}

impl WorkerUnit for WorkerRegisters {
    #[inline]
    fn clear<M: Mask>(&mut self) {
        // SAFETY: the registers are this work's own; no area is touched.
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

// SAFETY: the registers of a running thread at work are its own, as `new` asks for.
unsafe impl Lends for WorkerRegisters {}
