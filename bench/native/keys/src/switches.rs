//! The conditions of the branches, and the check that branches follow them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::passes::{TIGHT, WORKING};
use crate::program::{cpus, keys};

limen_keys::static_key!(
    /// A key of this repository.
    pub KEY = false
);
/// The flag that programs without keys test.
pub static FLAG: AtomicBool = AtomicBool::new(false);
/// A key of the crate to compare with.
#[used]
pub static CRATE_KEY: static_keys::StaticFalseKey = static_keys::new_static_false_key();
/// The number of branches taken.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Out of line, as the code behind such branches usually is.
#[cold]
#[inline(never)]
pub fn take() {
    TAKEN.fetch_add(1, Ordering::Relaxed);
}

/// Switches everything on and off again.
///
/// # Panics
/// When a branch does not follow.
pub fn show_that_branches_follow() {
    let keys = keys();
    static_keys::global_init();
    assert_eq!(taken_by_each(), [0; 4]);
    assert_eq!(keys.enable(&KEY, &mut cpus()), Ok(()));
    assert_eq!(taken_by_each(), [0, 8, 0, 0]);
    assert_eq!(keys.disable(&KEY, &mut cpus()), Ok(()));
    FLAG.store(true, Ordering::Relaxed);
    assert_eq!(taken_by_each(), [0, 0, 8, 0]);
    FLAG.store(false, Ordering::Relaxed);
    // SAFETY: no other thread executes a branch on it.
    unsafe { CRATE_KEY.enable() };
    assert_eq!(taken_by_each(), [0, 0, 0, 8]);
    // SAFETY: the same.
    unsafe { CRATE_KEY.disable() };
    assert_eq!(taken_by_each(), [0; 4]);
}

/// Branches taken in one pass of each kind, which must be the same in both tables.
fn taken_by_each() -> [u64; 4] {
    let taken_by = |run: fn(u32)| {
        let before = TAKEN.load(Ordering::Relaxed);
        run(1);
        TAKEN.load(Ordering::Relaxed) - before
    };
    let tight = TIGHT.map(|pass| taken_by(pass.run));
    assert_eq!(tight, WORKING.map(|pass| taken_by(pass.run)));
    tight
}
