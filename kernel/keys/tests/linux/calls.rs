//! Static calls, also while other cores make them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use limen_keys::branch::{BUILD, Build};
use limen_keys::{KeyError, static_call};

use crate::program::{cpus, keys};

const TURNS: u64 = 2_000;

extern "C" fn sum(first: u64, second: u64) -> u64 {
    first + second
}

extern "C" fn product(first: u64, second: u64) -> u64 {
    first * second
}

static_call!(
    /// One of both.
    fn combine(first: u64, second: u64) -> u64 = sum
);

#[test]
fn a_call_leads_to_its_target() {
    assert_eq!(combine(3, 4), 7);
    let outcome = keys().set_call::<combine, _>(product, &mut cpus());
    if BUILD == Build::None {
        assert_eq!((outcome, combine(3, 4)), (Err(KeyError::Fixed), 7));
        return;
    }
    assert_eq!((outcome, combine(3, 4)), (Ok(()), 12));
    let mut cpus = cpus();
    let locked = cpus.lock();
    assert_eq!(keys().set_call_cpuslocked::<combine, _>(sum, &locked), Ok(()));
    assert_eq!(combine(3, 4), 7);
}

static CALLS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

extern "C" fn even() -> u64 {
    CALLS[0].fetch_add(1, Ordering::Relaxed);
    0
}

extern "C" fn odd() -> u64 {
    CALLS[1].fetch_add(1, Ordering::Relaxed);
    1
}

static_call!(fn parity() -> u64 = even);
static_call!(fn nothing() = does_nothing);

extern "C" fn does_nothing() {}

const CALLERS: usize = 3;

/// Turns started: a caller that sees the same number before and after its call knows the target.
static STARTED: AtomicU64 = AtomicU64::new(0);
/// Turns ended.
static ENDED: AtomicU64 = AtomicU64::new(0);
/// The last turn whose target each caller has called.
static MET: [AtomicU64; CALLERS] = [const { AtomicU64::new(0) }; CALLERS];

/// Calls until the last turn, and checks the target between turns.
fn call(met: &AtomicU64) {
    loop {
        let ended = ENDED.load(Ordering::Acquire);
        let parity = parity();
        if STARTED.load(Ordering::Acquire) == ended {
            assert_eq!(parity, ended % 2, "after turn {ended}");
            met.store(ended, Ordering::Release);
            if ended == TURNS {
                return;
            }
        }
    }
}

#[test]
fn no_core_calls_the_old_target_after_a_change_returns() {
    nothing();
    if BUILD == Build::None {
        return;
    }
    keys();
    let callers: Vec<_> = MET.iter().map(|met| thread::spawn(|| call(met))).collect();
    for turn in 1..=TURNS {
        STARTED.store(turn, Ordering::Release);
        let target = if turn % 2 == 0 { even } else { odd };
        assert_eq!(keys().set_call::<parity, _>(target, &mut cpus()), Ok(()));
        ENDED.store(turn, Ordering::Release);
        assert_eq!(parity(), turn % 2);
        // Every 31st turn, odd or even, lasts until all callers have called its target.
        for (met, caller) in MET.iter().zip(&callers).filter(|_| turn.is_multiple_of(31)) {
            while met.load(Ordering::Acquire) < turn && !caller.is_finished() {
                thread::yield_now();
            }
        }
    }
    callers.into_iter().for_each(|caller| caller.join().expect("calls of the new target only"));
    assert!(CALLS.iter().all(|calls| calls.load(Ordering::Relaxed) >= TURNS / 2));
}
