//! Measures at boot, in images that ask for figures, the cost of sections and of the routines that use vector
//! registers.
//!
//! It measures the code that handlers and threads at work use, in every state of the unit.

use core::fmt;
use core::hint::black_box;

use limen_fpu::Open;
use limen_fpu::mask::{All, Controlled, Low4, Low8, Low16, Mask};
use limen_simd::aes_gcm::{Instructions, Key};
use limen_simd::blake3::plain::Plain;
use limen_simd::blake3::{Vector, Way};
use limen_simd::chacha20::{self, State};
use limen_simd::memory;

use crate::arch::cpu;
use crate::console;
use crate::section::WorkerRegisters;
use crate::section_test::{self, DIGESTED, Over, Rehearsal};

/// Bytes of a KiB.
const KIB: usize = 1024;
/// Size of the digested data.
const DIGESTED_KIB: usize = 4;
/// Size of a packet: what the vector code digests at once.
pub const PACKET_BYTES: usize = DIGESTED_KIB * KIB;

/// Prints a row for each set of registers and each state, and one each for a routine's vector and plain code.
#[inline(never)]
pub fn print() {
    console::open();
    let mut rehearsal = Rehearsal::START;
    for over in Over::EACH {
        nested::<Low4>(&mut rehearsal, "4", over);
        nested::<Low8>(&mut rehearsal, "8", over);
        nested::<Low16>(&mut rehearsal, "16", over);
        nested::<All>(&mut rehearsal, "all", over);
        nested::<Controlled<Low4>>(&mut rehearsal, "4+control", over);
    }
    own::<Low4>(&mut rehearsal, "4");
    own::<Low8>(&mut rehearsal, "8");
    own::<All>(&mut rehearsal, "all");
    routines(&mut rehearsal);
    rehearsal.prepare(Over::Nobody);
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owner => "user",
            Self::Kept => "user_off",
            Self::Nobody => "nobody",
        })
    }
}

/// Prints a row with a single sample.
pub fn row(what: fmt::Arguments<'_>, value: u64) {
    console::line(format_args!(
        "ROW name={what} n=1 min={value} median={value} p99={value} max={value} mean={value} stddev=0"
    ));
}

/// The digested data.
pub fn packet() -> &'static [u8] {
    &DIGESTED[..PACKET_BYTES]
}

/// The cycles that `act` takes.
#[inline(always)]
pub fn count<R>(act: impl FnOnce() -> R) -> u64 {
    let start = stamp();
    let empty = stamp() - start;
    let start = stamp();
    act();
    stamp() - start - empty
}

/// The cycle counter. Not inlined, so that the port's code to read it is not mixed with what is measured.
#[inline(never)]
pub fn stamp() -> u64 {
    cpu::cycles()
}

/// Measures entering and leaving a section in an interrupt handler.
#[inline(never)]
fn nested<M: Mask>(rehearsal: &mut Rehearsal, registers: &str, over: Over) {
    rehearsal.prepare(over);
    let spent = count(|| rehearsal.interrupt().section::<M, _>(|_| ()));
    row(format_args!("simd_section context=interrupt registers={registers} over={over}"), spent);
}

/// The same in work.
#[inline(never)]
fn own<M: Mask>(rehearsal: &mut Rehearsal, registers: &str) {
    let mut worker = rehearsal.worker();
    let spent = count(|| worker.section::<M, _>(|_| ()));
    row(format_args!("simd_section context=work registers={registers} over=nothing"), spent);
}

/// Prints the cost of each routine per KiB.
fn routines(rehearsal: &mut Rehearsal) {
    rehearsal.worker().section::<All, _>(|open| {
        pair("chacha20", keystream(chacha20::Vector(open)), keystream(chacha20::Plain));
        let vector = seals("chacha20poly1305", "vector", |byte| seal(chacha20::Vector(open), byte));
        let plain = seals("chacha20poly1305", "plain", |byte| seal(chacha20::Plain, byte));
        pair("chacha20poly1305", vector, plain);
        if let Some(instructions) = Instructions::detect() {
            aes(open, instructions);
        }
        pair("blake3", digest(Vector(open)), digest(Plain));
        moves(open);
    });
}

fn pair(name: &str, vector: u64, plain: u64) {
    row(format_args!("simd_kib routine={name} way=vector"), vector);
    row(format_args!("simd_kib routine={name} way=plain"), plain);
}

fn digest(way: impl Way) -> u64 {
    count(|| section_test::digest(way, packet())) / DIGESTED_KIB as u64
}

#[inline(never)]
fn keystream(mut way: impl chacha20::Way) -> u64 {
    let mut blocks = [[0; chacha20::BLOCK_BYTES]; KIB / chacha20::BLOCK_BYTES];
    let mut state = State::new(&[7; 32], 1, &[2; 12]);
    count(|| way.xor(&mut state, black_box(&mut blocks)))
}

#[inline(never)]
fn aes(open: Open<'_, All, WorkerRegisters>, instructions: Instructions) {
    let seal = |key: Key<'_>, byte| {
        let mut packet = [byte; KIB];
        count(|| section_test::seal_aes(open, instructions, key, black_box(&mut packet)))
    };
    let short = seals("aes128gcm", "vector", |byte| seal(Key::Short(&[byte; 16]), byte));
    row(format_args!("simd_kib routine=aes128gcm way=vector"), short);
    let long = seals("aes256gcm", "vector", |byte| seal(Key::Long(&[byte; 32]), byte));
    row(format_args!("simd_kib routine=aes256gcm way=vector"), long);
}

/// Measures a packet of one KiB, from the key to the tag. The key and the packet repeat a byte.
#[inline(never)]
fn seal(way: impl chacha20::Way, byte: u8) -> u64 {
    let mut packet = [byte; KIB];
    count(|| section_test::seal(way, byte, black_box(&mut packet)))
}

/// Prints by how much the costs of keys and packets differ, and returns the largest.
#[inline(never)]
fn seals(name: &str, way: &str, cost: impl Fn(u8) -> u64) -> u64 {
    let costs = [0, 1, 0x5a, 0xff].map(cost);
    let most = costs.into_iter().fold(0, u64::max);
    let least = costs.into_iter().fold(most, u64::min);
    row(format_args!("simd_secret routine={name} way={way}"), most - least);
    most
}

#[inline(never)]
fn moves(open: Open<'_, All, WorkerRegisters>) {
    let (mut memory, other) = ([1; KIB], [1; KIB]);
    let vector = count(|| memory::first_difference(open, &memory, &other));
    pair("compare", vector, count(|| black_box(memory::plain::first_difference(&memory, black_box(&other)))));
    let vector = count(|| memory::xor(open, &mut memory, &other));
    pair("xor", vector, count(|| memory::plain::xor(black_box(&mut memory), black_box(&other))));
    let vector = count(|| memory::wipe(open, &mut memory));
    pair("wipe", vector, count(|| memory::plain::clear(black_box(&mut memory))));
}
