//! Static calls, also while other cores make them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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

/// Turns started: a caller that sees the same number before and after its call knows the target.
static TURN: AtomicU64 = AtomicU64::new(0);
static IS_SET: AtomicU64 = AtomicU64::new(0);
static IS_DONE: AtomicBool = AtomicBool::new(false);

fn call() -> u64 {
    let mut known = 0;
    while !IS_DONE.load(Ordering::Acquire) {
        let set = IS_SET.load(Ordering::Acquire);
        let parity = parity();
        if TURN.load(Ordering::Acquire) == set {
            assert_eq!(parity, set % 2, "after turn {set}");
            known += 1;
        }
    }
    known
}

#[test]
fn no_core_calls_the_old_target_after_a_change_returns() {
    nothing();
    if BUILD == Build::None {
        return;
    }
    keys();
    let callers = [(); 3].map(|()| thread::spawn(call));
    for turn in 1..=TURNS {
        TURN.store(turn, Ordering::Release);
        let target = if turn % 2 == 0 { even } else { odd };
        assert_eq!(keys().set_call::<parity, _>(target, &mut cpus()), Ok(()));
        IS_SET.store(turn, Ordering::Release);
        assert_eq!(parity(), turn % 2);
    }
    // Every caller sees a state that lasts.
    thread::sleep(std::time::Duration::from_millis(10));
    IS_DONE.store(true, Ordering::Release);
    let known = callers.map(|caller| caller.join().expect("calls of the new target only"));
    assert!(
        known.iter().sum::<u64>() > 0 && CALLS.iter().all(|calls| calls.load(Ordering::Relaxed) >= TURNS / 2)
    );
}
