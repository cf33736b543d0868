//! The loop, and the thread that turns tracing on and off.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use limen_keys::{static_branch_unlikely, static_key};

use crate::program::{cpus, keys};

static_key!(
    /// Whether rounds of the loop are traced.
    TRACE = false
);

/// Rounds of the loop.
static ROUNDS: AtomicU64 = AtomicU64::new(0);
/// Those of them that were traced.
static TRACED: AtomicU64 = AtomicU64::new(0);
/// Ends the loop.
static STOP: AtomicBool = AtomicBool::new(false);

/// One round. While the key is off, the branch is a nop.
#[inline(never)]
fn round() {
    if static_branch_unlikely!(TRACE) {
        TRACED.fetch_add(1, Ordering::Relaxed);
    }
    ROUNDS.fetch_add(1, Ordering::Relaxed);
}

/// Runs the loop in a thread of its own, and traces it twice from this one.
pub(crate) fn run() {
    let keys = keys();
    let looping = thread::spawn(|| {
        while !STOP.load(Ordering::Relaxed) {
            round();
        }
    });
    for state in [false, true, false, true] {
        let changed =
            if state { keys.enable(&TRACE, &mut cpus()) } else { keys.disable(&TRACE, &mut cpus()) };
        changed.unwrap_or_else(|error| panic!("{error}"));
        println!("tracing is {:3}: {}", if state { "on" } else { "off" }, advance(state));
    }
    STOP.store(true, Ordering::Relaxed);
    looping.join().expect("the loop does not panic");
    println!("code was patched {} times", TRACE.flips());
}

/// Waits for some rounds, and says how many of them were traced.
fn advance(state: bool) -> &'static str {
    // A round that has passed its branch may still count; the next ones see the new code.
    wait();
    let traced = TRACED.load(Ordering::Relaxed);
    wait();
    let is_traced = TRACED.load(Ordering::Relaxed) > traced;
    assert_eq!(is_traced, state);
    if is_traced { "rounds are traced" } else { "no round is traced" }
}

/// Waits until the loop has made some rounds.
fn wait() {
    let start = ROUNDS.load(Ordering::Relaxed);
    while ROUNDS.load(Ordering::Relaxed) < start + 1000 {
        thread::yield_now();
    }
}

#[test]
fn branches_of_a_running_loop_follow_their_key() {
    run();
    assert_eq!(TRACE.flips(), 3);
}
