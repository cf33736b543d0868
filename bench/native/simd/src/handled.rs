//! The work of an interrupt: it computes digests of packets, itself or through a worker thread.

use std::ffi::c_int;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use limen_simd::blake3::Vector;
use limen_simd::blake3::plain::Plain;
use limen_simd::vectors::CallingConvention;

use crate::{digest, linux};

/// Bytes of a packet: a page.
pub const PACKET_BYTES: usize = 4096;
/// Packets that each interrupt brings.
pub static PACKETS: AtomicU64 = AtomicU64::new(0);

/// The context that computes them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Who {
    /// The handler, with vector registers, nested in code that uses them.
    Nested,
    /// The handler, in scalar code.
    Plain,
    /// Another thread, which the handler wakes.
    Worker,
}

/// The current context.
static WHO: AtomicU8 = AtomicU8::new(Who::Nested as u8);
/// Interrupts so far.
pub static ARRIVED: AtomicU64 = AtomicU64::new(0);
/// Interrupts whose work is done.
pub static DONE: AtomicU64 = AtomicU64::new(0);
/// The pipe to the worker.
static BELL: OnceLock<PipeWriter> = OnceLock::new();

/// The time of the last interrupt, in nanoseconds of processor time. Handlers check it, because they can use up all of the
/// processor's time.
static END: AtomicU64 = AtomicU64::new(0);

/// Resets the counts, and accepts interrupts for the given time.
pub fn choose(who: Who, time: Duration) {
    END.store((linux::used() + time).as_nanos() as u64, Ordering::Relaxed);
    WHO.store(who as u8, Ordering::Relaxed);
    ARRIVED.store(0, Ordering::Relaxed);
    DONE.store(0, Ordering::Relaxed);
}

/// The handler.
pub extern "C" fn interrupt(_: c_int) {
    if linux::used().as_nanos() as u64 >= END.load(Ordering::Relaxed) {
        return linux::set_timer(Duration::ZERO);
    }
    ARRIVED.fetch_add(1, Ordering::Relaxed);
    let who = WHO.load(Ordering::Relaxed);
    if who == Who::Worker as u8 {
        if let Some(mut bell) = BELL.get() {
            let _ = bell.write(&[0]);
        }
    } else {
        work(who == Who::Nested as u8);
    }
}

fn work(has_vectors: bool) {
    static PACKET: [u8; PACKET_BYTES] = [1; PACKET_BYTES];
    for _ in 0..PACKETS.load(Ordering::Relaxed) {
        if has_vectors {
            digest(Vector(CallingConvention), &PACKET);
        } else {
            digest(Plain, &PACKET);
        }
    }
    DONE.fetch_add(1, Ordering::Relaxed);
}

/// The worker: does one interrupt's work for each byte.
pub fn serve(mut bells: PipeReader, bell: PipeWriter) {
    let _ = BELL.set(bell);
    std::thread::spawn(move || {
        while bells.read_exact(&mut [0]).is_ok() {
            work(true);
        }
    });
}
