//! The floating-point unit, and the save areas for registers of threads that do not own it.
//!
//! Every thread has an area, because any holder of its capability can clear its FPU flag. One more area belongs to no
//! thread: saves whose only purpose is to take constant time go there.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

use limen_abi::limits::THREADS;
use limen_core::arena::ThreadId;
use limen_fpu::FpuUnit;

use crate::arch::fpu::{self, Registers};
use crate::machine::Hardware;

/// Unused bytes in front of the areas, which keep those of the first threads off the cache sets of page starts.
const LEAD_BYTES: usize = 640;

/// The areas by thread number. The first belongs to no thread; those of threads at work come last.
#[repr(C)]
struct SaveAreas([u64; LEAD_BYTES / 8], UnsafeCell<[MaybeUninit<Registers>; AREAS]>);

const AREAS: usize = 2 * THREADS + 1;

// SAFETY: `init` accesses it while only boot runs; afterwards the functions of `FpuUnit` do, called from a trap.
unsafe impl Sync for SaveAreas {}

// Boot does not clear this section; `init` writes the areas that are used.
#[unsafe(link_section = ".bss.threads")]
static SAVE_AREAS: SaveAreas =
    SaveAreas([0; LEAD_BYTES / 8], UnsafeCell::new([const { MaybeUninit::uninit() }; AREAS]));
/// The registers that every thread starts with.
pub static INITIAL: Registers = Registers::INITIAL;

unsafe extern "C" {
    /// Saves the registers.
    fn fpu_save(to: *mut Registers);
    /// Loads the registers.
    fn fpu_load(from: *const Registers);
}

/// Whether the unit and the areas are initialised.
static UP: AtomicBool = AtomicBool::new(false);

/// Writes the initial registers to the areas of this many threads and the one without a thread, and turns the unit off.
pub fn init(threads: u64) {
    // SAFETY: only boot runs, and no other reference exists.
    let areas = unsafe { &mut *SAVE_AREAS.1.get() };
    // Thread 0 has the number THREADS, and twice that at work; the number 0 is no thread.
    let used = areas.iter_mut().enumerate().filter(|(number, _)| ((number % THREADS) as u64) < threads);
    used.for_each(|(_, area)| {
        area.write(Registers::INITIAL);
    });
    fpu::init();
    UP.store(true, Ordering::Relaxed);
}

/// Whether [`init`] was called.
#[inline]
pub fn is_up() -> bool {
    UP.load(Ordering::Relaxed)
}

/// The save area of a thread, or of no thread. Branch-free, because the next domain could observe a branch.
#[inline]
pub fn area(owner: Option<ThreadId>) -> *mut Registers {
    SAVE_AREAS.1.get().cast::<Registers>().wrapping_add(ThreadId::number(owner))
}

/// Writes the initial registers to a thread's area.
pub fn reset(thread: ThreadId) {
    // SAFETY: the number of a thread is below twice THREADS plus one, so the area is an element of the array, and no
    // reference to it exists.
    unsafe { area(Some(thread)).copy_from_nonoverlapping(&raw const INITIAL, 1) }
}

impl FpuUnit<ThreadId> for Hardware {
    #[inline(always)]
    fn exchange(&mut self, from: Option<ThreadId>, to: ThreadId) {
        // SAFETY: thread numbers are below twice THREADS plus one, so both areas are elements of the array. No
        // reference to it exists, and the unit is on.
        unsafe { fpu::exchange!(area(from), area(Some(to))) }
    }

    fn save(&mut self, to: ThreadId) {
        // SAFETY: as above.
        unsafe { fpu_save(area(Some(to))) }
    }

    #[inline]
    fn load(&mut self, from: Option<ThreadId>) {
        let area = from.map_or(&raw const INITIAL, |_| area(from).cast_const());
        // SAFETY: as above; the initial registers are never written.
        unsafe { fpu_load(area) }
    }

    fn renew(&mut self, owner: Option<ThreadId>) {
        self.enable();
        // SAFETY: as above.
        unsafe { fpu_save(area(owner)) }
        self.load(None);
        self.disable();
    }

    #[inline]
    fn enable(&mut self) {
        fpu::enable();
    }

    #[inline]
    fn disable(&mut self) {
        fpu::disable();
    }
}
