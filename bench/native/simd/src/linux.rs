//! Linux system calls that the standard library lacks.

use std::ffi::{c_int, c_long};
use std::time::Duration;

/// The timer, its signal and the clock count this program's processor time, independent of other load on the machine.
const TIMER: c_int = 2;
const SIGNAL: c_int = 27;
const CLOCK: c_int = 2;
const BLOCK: c_int = 0;
const UNBLOCK: c_int = 1;

/// Interval, and time to the first signal: seconds and microseconds each.
#[repr(C)]
struct Timer([c_long; 4]);

unsafe extern "C" {
    fn sched_setaffinity(process: c_int, bytes: usize, processors: *const u64) -> c_int;
    fn setitimer(timer: c_int, new: *const Timer, old: *mut Timer) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut [c_long; 2]) -> c_int;
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    fn pthread_sigmask(how: c_int, signals: *const [u64; 16], old: *mut [u64; 16]) -> c_int;
}

/// Pins all threads to the current processor.
pub fn stay_on_one_processor() {
    // SAFETY: reads one word.
    unsafe { sched_setaffinity(0, 8, &1) };
}

/// Calls a handler at each signal of the timer.
pub fn handle(handler: extern "C" fn(c_int)) {
    // SAFETY: the handlers here are async-signal-safe: they use atomics, pipes and registers only.
    unsafe { signal(SIGNAL, handler) };
}

/// Sets the interval of the signals; zero stops them.
pub fn set_timer(interval: Duration) {
    let us = interval.as_micros() as c_long;
    let timer = Timer([us / 1_000_000, us % 1_000_000, us / 1_000_000, us % 1_000_000]);
    // SAFETY: reads the timer only.
    unsafe { setitimer(TIMER, &timer, std::ptr::null_mut()) };
}

/// Masks or unmasks the timer's signals in this thread and the threads that it creates.
pub fn take_signals(takes: bool) {
    let mut signals = [0; 16];
    signals[0] = 1 << (SIGNAL - 1);
    // SAFETY: reads the set only.
    unsafe { pthread_sigmask(if takes { UNBLOCK } else { BLOCK }, &signals, std::ptr::null_mut()) };
}

/// This program's processor time.
pub fn used() -> Duration {
    let mut time = [0; 2];
    // SAFETY: writes the time only.
    unsafe { clock_gettime(CLOCK, &mut time) };
    Duration::new(time[0] as u64, time[1] as u32)
}
