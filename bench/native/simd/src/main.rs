//! Measures digests with and without vector registers, also under interrupts that compute: run by `./x bench --native`.
//!
//! Signals of a timer stand for interrupts. Only ratios within a run are meaningful.

mod handled;
mod linux;
mod load;

use std::hint::black_box;
use std::time::{Duration, Instant};

use limen_simd::blake3::plain::Plain;
use limen_simd::blake3::{Hasher, Vector, Way};
use limen_simd::chacha20::{self, State};
use limen_simd::vectors::CallingConvention;

/// Bytes per digest.
const BYTES: usize = 64 << 10;
/// Batches, of which the fastest counts.
const BATCHES: usize = 2000;
/// Keystream blocks per timed batch.
const REPEATED: u32 = 64;

fn main() {
    linux::stay_on_one_processor();
    let input = vec![1; BYTES];
    let digests = [fastest(|| digest(Vector(CallingConvention), &input)), fastest(|| digest(Plain, &input))];
    print_pair("BLAKE3", digests, BYTES);
    let state = State::new(&[7; 32], 1, &[2; 12]);
    let vector = || chacha20::block(CallingConvention, black_box(&state));
    let blocks = [fastest(|| repeat(vector)), fastest(|| repeat(|| chacha20::plain(black_box(&state))))];
    print_pair("ChaCha20", blocks, REPEATED as usize * chacha20::BLOCK_BYTES);
    load::print(fastest(|| digest(Vector(CallingConvention), &input[..handled::PACKET_BYTES])), &input);
}

/// The digest of the input.
fn digest(way: impl Way, input: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new(way);
    hasher.update(black_box(input));
    black_box(hasher.finalize())
}

fn repeat<R>(act: impl Fn() -> R) {
    for _ in 0..REPEATED {
        black_box(act());
    }
}

fn fastest<R>(mut act: impl FnMut() -> R) -> Duration {
    let times = (0..BATCHES).map(|_| {
        let start = Instant::now();
        black_box(act());
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn print_pair(name: &str, times: [Duration; 2], bytes: usize) {
    let [vector, plain] = times.map(|time| bytes as f64 / time.as_secs_f64() / 1e6);
    println!(
        "{name}: {vector:.0} MB/s with vector registers, {plain:.0} in plain code ({:.2})",
        vector / plain
    );
}
