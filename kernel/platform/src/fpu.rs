//! The floating-point unit, and where the registers of threads are while others' are in it.
//!
//! Every thread has an area, because every thread's flag can be cleared by whoever holds its capability. One more is
//! nobody's: saves that are made only for the time that they take go there.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

use limen_abi::limits::THREADS;
use limen_core::arena::ThreadId;
use limen_fpu::FpuUnit;

use crate::arch::fpu::{self, Registers};
use crate::machine::Hardware;

/// The areas by number of the thread; nobody's is the first, and those of threads at work come last.
struct SaveAreas(UnsafeCell<[MaybeUninit<Registers>; AREAS]>);

const AREAS: usize = 2 * THREADS + 1;

// SAFETY: touched by `init` while boot is alone, and by the functions of `FpuUnit` from inside what a trap calls.
unsafe impl Sync for SaveAreas {}

// In a section that nobody clears: what of it is used, `init` writes.
#[unsafe(link_section = ".bss.threads")]
static SAVE_AREAS: SaveAreas = SaveAreas(UnsafeCell::new([const { MaybeUninit::uninit() }; AREAS]));
/// The registers that every thread starts with.
pub static INITIAL: Registers = Registers::INITIAL;

unsafe extern "C" {
    /// Stores what the unit holds.
    fn fpu_save(to: *mut Registers);
    /// Loads what the unit holds.
    fn fpu_load(from: *const Registers);
}

/// Whether the unit and the areas are prepared.
static UP: AtomicBool = AtomicBool::new(false);

/// Makes the areas of so many threads, and nobody's, what threads start with, and turns the unit off.
pub fn init(threads: u64) {
    // SAFETY: boot is alone, and nobody has another reference.
    let areas = unsafe { &mut *SAVE_AREAS.0.get() };
    // The first thread has the number of threads that there may be, and twice that at work; nobody has 0.
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

/// Where registers of a thread or nobody are. Without a branch: the next domain would notice which way it went.
#[inline]
pub fn area(owner: Option<ThreadId>) -> *mut Registers {
    SAVE_AREAS.0.get().cast::<Registers>().wrapping_add(ThreadId::number(owner))
}

impl FpuUnit<ThreadId> for Hardware {
    #[inline(always)]
    fn exchange(&mut self, from: Option<ThreadId>, to: ThreadId) {
        // SAFETY: numbers of threads go up to THREADS, at work to twice as many, so both areas are elements of the array.
        // Nobody holds a reference to it, and the unit is on.
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
