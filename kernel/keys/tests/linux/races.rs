//! Cores that execute sites while they are patched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use limen_keys::branch::{BUILD, Build};
use limen_keys::count::Operation;
use limen_keys::{static_branch_unlikely, static_key};

use crate::program::{cpus, keys};

/// How often a key is turned on and off.
const TURNS: u64 = 2_000;
const WATCHERS: usize = 3;

static_key!(WATCHED = false);
/// Changes started plus changes ended: odd while one is in progress.
static CHANGES: AtomicU64 = AtomicU64::new(0);
/// The last stable state that each watcher has seen.
static MET: [AtomicU64; WATCHERS] = [const { AtomicU64::new(0) }; WATCHERS];

#[inline(never)]
fn watched() -> bool {
    static_branch_unlikely!(WATCHED)
}

/// Executes the branch until the last change, and checks it between changes.
fn watch(met: &AtomicU64) {
    loop {
        let before = CHANGES.load(Ordering::Acquire);
        let taken = watched();
        let after = CHANGES.load(Ordering::Acquire);
        if before == after && before.is_multiple_of(2) {
            assert_eq!(taken, before % 4 == 2, "after {before} changes");
            met.store(before, Ordering::Release);
        }
        if before == 4 * TURNS {
            return;
        }
    }
}

fn change(operation: Operation) {
    CHANGES.fetch_add(1, Ordering::AcqRel);
    assert_eq!(keys().change(&WATCHED, operation, &mut cpus()), Ok(()));
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

#[test]
fn no_core_executes_the_old_branch_after_a_change_returns() {
    if BUILD == Build::None {
        return;
    }
    keys();
    let watchers: Vec<_> = MET.iter().map(|met| thread::spawn(|| watch(met))).collect();
    for turn in 0..TURNS {
        change(Operation::Enable);
        // Every eighth change waits for all watchers; the others follow each other as fast as possible.
        if turn.is_multiple_of(8) {
            wait_for(&watchers);
        }
        change(Operation::Disable);
    }
    watchers.into_iter().for_each(|watcher| watcher.join().expect("branches of the new state only"));
}

/// Waits until every watcher has seen the last change, or has failed.
fn wait_for(watchers: &[JoinHandle<()>]) {
    let last = CHANGES.load(Ordering::Acquire);
    for (met, watcher) in MET.iter().zip(watchers) {
        while met.load(Ordering::Acquire) < last && !watcher.is_finished() {
            thread::yield_now();
        }
    }
}

static_key!(COUNTED = false);

#[inline(never)]
fn counted() -> bool {
    static_branch_unlikely!(COUNTED)
}

#[test]
fn a_holder_of_a_key_finds_it_on() {
    if BUILD == Build::None {
        return;
    }
    let holder = || {
        let mut cpus = cpus();
        for _ in 0..TURNS {
            assert_eq!(keys().inc(&COUNTED, &mut cpus), Ok(()));
            assert!(counted() && COUNTED.is_enabled());
            assert_eq!(keys().dec(&COUNTED, &mut cpus), Ok(()));
        }
    };
    let holders = [(); 4].map(|()| thread::spawn(holder));
    holders.into_iter().for_each(|holder| holder.join().expect("a key that is on"));
    assert_eq!((counted(), COUNTED.count()), (false, 0));
}
