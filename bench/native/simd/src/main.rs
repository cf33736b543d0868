//! Measures digests and seals with and without vector registers, and digests also under interrupts that compute: run by
//! `./x bench --native`.
//!
//! Signals of a timer stand for interrupts. Only ratios within a run are meaningful.

mod handled;
mod linux;
mod load;

use std::hint::black_box;
use std::time::{Duration, Instant};

use limen_simd::aes_gcm::{AesGcm, Instructions, Key};
use limen_simd::blake3::plain::Plain;
use limen_simd::blake3::{Hasher, Vector, Way};
use limen_simd::chacha20::{self, State};
use limen_simd::chacha20poly1305::ChaCha20Poly1305;
use limen_simd::seal::{Cipher, Sealer, Tag};
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
    print_pair("BLAKE3", "of=blake3", digests, BYTES);
    let state = State::new(&[7; 32], 1, &[2; 12]);
    let vector = || chacha20::block(CallingConvention, black_box(&state));
    let blocks = [fastest(|| repeat(vector)), fastest(|| repeat(|| chacha20::plain(black_box(&state))))];
    print_pair(
        "ChaCha20, block by block",
        "of=chacha20 blocks=1",
        blocks,
        REPEATED as usize * chacha20::BLOCK_BYTES,
    );
    let mut text = input.clone();
    let streams = [
        fastest(|| keystream(chacha20::Vector(CallingConvention), &mut text)),
        fastest(|| keystream(chacha20::Plain, &mut text)),
    ];
    print_pair("ChaCha20", "of=chacha20 blocks=4", streams, BYTES);
    for packet in [64, 1500, BYTES] {
        let text = &mut text[..packet];
        let sealed = [
            fastest(|| seal(chacha20poly1305(chacha20::Vector(CallingConvention)), text)),
            fastest(|| seal(chacha20poly1305(chacha20::Plain), text)),
        ];
        let row = format!("of=chacha20_poly1305 packet={packet}");
        print_pair(&format!("ChaCha20-Poly1305, packets of {packet} bytes"), &row, sealed, packet);
        if let Some(instructions) = Instructions::detect() {
            let key = Key::Short(&[7; 16]);
            let cipher = || AesGcm::new(CallingConvention, instructions, key, &[2; 12]);
            let time = fastest(|| seal(cipher(), text)).as_secs_f64();
            let rate = packet as f64 / time / 1e6;
            println!("AES-128-GCM, packets of {packet} bytes: {rate:.0} MB/s");
            print_row(&format!("of=aes_128_gcm packet={packet}"), "vector", rate);
        }
    }
    load::print(fastest(|| digest(Vector(CallingConvention), &input[..handled::PACKET_BYTES])), &input);
}

/// The digest of the input.
fn digest(way: impl Way, input: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new(way);
    hasher.update(black_box(input));
    black_box(hasher.finalize())
}

fn chacha20poly1305<W: chacha20::Way>(way: W) -> ChaCha20Poly1305<W> {
    ChaCha20Poly1305::new(way, black_box(&[7; 32]), &[2; 12])
}

fn keystream(mut way: impl chacha20::Way, text: &mut [u8]) {
    way.xor(&mut State::new(&[7; 32], 1, &[2; 12]), black_box(text).as_chunks_mut().0);
}

/// Seals a text in place.
fn seal(cipher: impl Cipher, text: &mut [u8]) -> Tag {
    let mut sealer = Sealer::new(cipher, &[]);
    sealer.update(black_box(text));
    sealer.finish()
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

/// Prints the rates with vector registers and in plain code, and their rows, which begin with `row`.
fn print_pair(name: &str, row: &str, times: [Duration; 2], bytes: usize) {
    let [vector, plain] = times.map(|time| bytes as f64 / time.as_secs_f64() / 1e6);
    println!(
        "{name}: {vector:.0} MB/s with vector registers, {plain:.0} in plain code ({:.2})",
        vector / plain
    );
    print_row(row, "vector", vector);
    print_row(row, "plain", plain);
}

fn print_row(row: &str, by: &str, rate: f64) {
    println!("ROW name=rate {row} by={by} samples={rate:.0}");
}
