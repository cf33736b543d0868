//! Floating-point and SIMD registers of the threads that do not run.
//!
//! The unit is on for everybody, and whoever runs owns it: every change of thread saves and loads all registers.

use core::cell::UnsafeCell;

use limen_abi::limits;
use limen_core::arena::ThreadId;
use limen_core::kernel::Threads;

use crate::arch::fpu::Registers;
use crate::machine::Hardware;

/// One save area for each thread.
struct SaveAreas(UnsafeCell<[Registers; limits::THREADS]>);

// SAFETY: only `switch` touches them, from inside `entry::enter`.
unsafe impl Sync for SaveAreas {}

static SAVE_AREAS: SaveAreas = SaveAreas(UnsafeCell::new([const { Registers::INITIAL }; limits::THREADS]));

unsafe extern "C" {
    /// Stores what the unit holds in `save`, and loads it from `load`.
    fn fpu_exchange(save: *mut Registers, load: *const Registers);
    /// Loads what the unit holds.
    fn fpu_load(from: *const Registers);
}

/// Puts away the registers of `from` and brings those of `to`.
#[inline]
pub fn switch(from: Option<ThreadId>, to: ThreadId) {
    // SAFETY: both areas are elements of the array, and nobody holds a reference to it.
    unsafe {
        match from {
            Some(from) => fpu_exchange(area(from), area(to)),
            None => fpu_load(area(to)),
        }
    }
}

#[inline]
fn area(thread: ThreadId) -> *mut Registers {
    SAVE_AREAS.0.get().cast::<Registers>().wrapping_add(Threads::<Hardware>::index_of(thread))
}
