//! The x87 and SSE registers.
//!
//! The unit is on for everybody, and whoever runs owns it: every change of thread saves and loads all registers. AVX
//! and what came after it stay off. Source: Intel SDM, volume 1, section 10.5 (FXSAVE area).

use core::arch::global_asm;
use core::cell::UnsafeCell;

use limen_abi::limits;
use limen_core::arena::ThreadId;
use limen_core::kernel::Threads;

use crate::machine::Hardware;

/// The x87 control word after FNINIT: full precision, no exceptions.
const INITIAL_CONTROL: u16 = 0x37f;
/// MXCSR after reset: round to nearest, no exceptions.
const INITIAL_MXCSR: u32 = 0x1f80;

/// What the unit holds for one thread.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Registers {
    control: u16,
    status: u16,
    tags: u16,
    opcode: u16,
    pointers: [u64; 2],
    mxcsr: u32,
    mxcsr_mask: u32,
    registers: [u128; 30],
}

/// The registers of a thread that has not used the unit.
const INITIAL: Registers = Registers {
    control: INITIAL_CONTROL,
    status: 0,
    tags: 0,
    opcode: 0,
    pointers: [0; 2],
    mxcsr: INITIAL_MXCSR,
    mxcsr_mask: 0,
    registers: [0; 30],
};

/// The registers of the threads that do not run.
struct SaveAreas(UnsafeCell<[Registers; limits::THREADS]>);

// SAFETY: only `switch` touches them, from inside `entry::enter`.
unsafe impl Sync for SaveAreas {}

static SAVE_AREAS: SaveAreas = SaveAreas(UnsafeCell::new([INITIAL; limits::THREADS]));

global_asm!(include_str!("fpu.S"));

unsafe extern "C" {
    fn fpu_exchange(save: *mut Registers, load: *const Registers);
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
