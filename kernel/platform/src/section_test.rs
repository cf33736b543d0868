//! Tests at boot that sections preserve registers, and that vector code computes the same as plain code.
//!
//! Boot plays a thread at work here: it has the unit to itself, and a thread that does not run yet is the owner.

use limen_core::arena::ThreadId;
use limen_fpu::mask::{All, Controlled, Low4, Low8, Low16, Mask};
use limen_fpu::{Fpu, FpuUnit, InterruptContext, Open, SectionUnit, WorkerContext, WorkerUnit};
use limen_simd::aes_gcm::{AesGcm, Instructions, Key};
use limen_simd::blake3::plain::Plain;
use limen_simd::blake3::{Hasher, Vector, Way};
use limen_simd::chacha20::{self, State, Way as _};
use limen_simd::chacha20poly1305::ChaCha20Poly1305;
use limen_simd::seal::{Sealer, Tag};
use limen_simd::{arch, memory};

use crate::arch::fpu::{NUMBERED, Registers};
use crate::fpu::area;
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::section::WorkerRegisters;

/// The thread whose registers are interrupted.
const OWNER: ThreadId = ThreadId::ANY;
/// Bytes that are digested: four chunks and a partial one.
const DIGESTED_BYTES: usize = 4 * 1024 + 100;
/// The digested data. Not on boot's stack, which holds the image's tables.
pub static DIGESTED: [u8; DIGESTED_BYTES] = filled();
/// Bytes that are cleared and compared; few, because the kernel's stack is small.
const MOVED_BYTES: usize = 301;

/// Boot as a thread at work, and as a handler that interrupts it.
#[derive(Debug)]
pub struct Rehearsal {
    fpu: Fpu<ThreadId>,
    unit: Hardware,
}

/// The state of the unit in which a nested section starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// The unit is on for its owner.
    Owner,
    /// It is off and holds the owner's registers.
    Kept,
    /// It is off and has no owner.
    Nobody,
}

impl Over {
    /// All states.
    pub const EACH: [Self; 3] = [Self::Owner, Self::Kept, Self::Nobody];
}

impl Rehearsal {
    /// The initial state.
    pub const START: Self = Self { fpu: Fpu::EMPTY, unit: Hardware::UNKNOWN };

    /// Puts the unit into a state.
    pub fn prepare(&mut self, over: Over) {
        self.fpu.switch_to(&mut self.unit, OWNER, Some(OWNER));
        match over {
            Over::Owner => {}
            Over::Kept => self.fpu.switch_to(&mut self.unit, OWNER, None),
            Over::Nobody => self.fpu.leave_domain(&mut self.unit),
        }
    }

    /// The context of a thread at work that owns the unit.
    pub fn worker(&mut self) -> WorkerContext<WorkerRegisters> {
        self.prepare(Over::Owner);
        // SAFETY: only boot runs, and it consumes the value before the unit changes state.
        WorkerContext::new(unsafe { WorkerRegisters::new() })
    }

    /// The context of an interrupt handler.
    #[inline(always)]
    pub fn interrupt(&mut self) -> InterruptContext<'_, ThreadId, Hardware> {
        InterruptContext::new(&mut self.fpu, &mut self.unit)
            .unwrap_or_else(|| fatal(format_args!("the vector registers are not initialised")))
    }

    /// Whether the owner's registers survive an interrupt that clears all registers of its section.
    fn keeps<M: Mask>(&mut self, over: Over) -> bool {
        self.prepare(Over::Owner);
        numbered().iter_mut().zip(pattern()).for_each(|(byte, value)| *byte = value);
        self.unit.restore_after_section::<All>(Some(OWNER));
        self.prepare(over);
        // SAFETY: the section owns the registers.
        let mut registers = unsafe { WorkerRegisters::new() };
        self.interrupt().section::<M, _>(|_| registers.clear::<M>());
        numbered().fill(0);
        self.unit.enable();
        self.unit.save_for_section::<All>(Some(OWNER));
        if !self.fpu.is_on() {
            self.unit.disable();
        }
        numbered().iter().copied().eq(pattern().take(NUMBERED.len()))
    }
}

/// The vector registers in the owner's save area.
fn numbered() -> &'static mut [u8] {
    // SAFETY: any bytes are valid registers; only boot runs, and it ends the borrow before the area is used otherwise.
    let bytes = unsafe { &mut *area(Some(OWNER)).cast::<[u8; size_of::<Registers>()]>() };
    &mut bytes[NUMBERED]
}

/// Bytes that differ in each register.
fn pattern() -> impl Iterator<Item = u8> {
    (0..).map(pattern_byte)
}

const fn pattern_byte(position: usize) -> u8 {
    (position as u8).wrapping_mul(29) ^ ((position + 1) >> 4) as u8
}

/// Runs all tests, and restores the initial state.
#[inline(never)]
pub fn run() {
    let mut rehearsal = Rehearsal::START;
    let is_kept = Over::EACH.into_iter().all(|over| {
        rehearsal.keeps::<Low4>(over)
            && rehearsal.keeps::<Low8>(over)
            && rehearsal.keeps::<Low16>(over)
            && rehearsal.keeps::<Controlled<All>>(over)
    });
    let is_right = rehearsal.worker().section::<All, _>(|open| digests(open) && small_routines(open));
    numbered().fill(0);
    rehearsal.prepare(Over::Nobody);
    if !is_kept || !is_right || !arch::are_clear() {
        fatal(format_args!("vector registers do not work on this machine"));
    }
}

/// The right of a thread at work to use all registers.
pub type Right<'section> = Open<'section, All, WorkerRegisters>;

/// Compares a digest by vector code with one by plain code.
#[inline(never)]
fn digests(open: Right<'_>) -> bool {
    digest(Vector(open), &DIGESTED) == digest(Plain, &DIGESTED)
}

/// Compares the other routines.
#[inline(never)]
fn small_routines(open: Right<'_>) -> bool {
    let bytes = filled::<MOVED_BYTES>();
    let (mut cleared, mut sum) = (bytes, bytes);
    memory::wipe(open, &mut cleared);
    memory::xor(open, &mut sum, &bytes);
    let state = State::new(&[7; 32], 1, &[2; 12]);
    memory::is_equal(open, &cleared, &sum)
        && memory::first_difference(open, &bytes, &cleared) == bytes.iter().position(|byte| *byte != 0)
        && chacha20::block(open, &state) == chacha20::plain(&state)
        && keystreams(open)
        && sealed(chacha20::Vector(open), cleared) == sealed(chacha20::Plain, cleared)
        && Instructions::detect().is_none_or(|instructions| {
            seal_aes(open, instructions, Key::Short(&[0; 16]), &mut { cleared }) == AES_TAGS[0]
                && seal_aes(open, instructions, Key::Long(&[0; 32]), &mut { cleared }) == AES_TAGS[1]
        })
}

/// Compares keystreams, whose sum is zero, for blocks at once, twice, and one more.
#[inline(never)]
fn keystreams(open: Right<'_>) -> bool {
    let mut blocks = [[0; chacha20::BLOCK_BYTES]; 2 * chacha20::LANES + 1];
    let state = State::new(&[7; 32], 1, &[2; 12]);
    chacha20::Vector(open).xor(&mut { state }, &mut blocks);
    chacha20::Plain.xor(&mut { state }, &mut blocks);
    blocks == [[0; chacha20::BLOCK_BYTES]; 2 * chacha20::LANES + 1]
}

/// The tags of [`MOVED_BYTES`] zeros, sealed with a key and a nonce of zeros, by another implementation: there is no plain
/// code to compare with.
const AES_TAGS: [Tag; 2] = [
    [0xf4, 0x52, 0x6b, 0x9e, 0xa9, 0xc8, 0x20, 0x8c, 0x8c, 0xd6, 0x1e, 0xf9, 0xd6, 0x6e, 0x38, 0xd6],
    [0x1b, 0x83, 0x3e, 0x9b, 0x68, 0x2a, 0xa9, 0x32, 0x9f, 0x30, 0x23, 0xd5, 0xd5, 0xe9, 0xaa, 0xce],
];

/// The text and tag of a packet.
#[inline(never)]
fn sealed<const BYTES: usize>(way: impl chacha20::Way, mut text: [u8; BYTES]) -> ([u8; BYTES], Tag) {
    let tag = seal(way, 7, &mut text);
    (text, tag)
}

/// Seals a packet with a key that repeats a byte.
#[inline(never)]
pub fn seal(way: impl chacha20::Way, key: u8, text: &mut [u8]) -> Tag {
    let mut sealer = Sealer::new(ChaCha20Poly1305::new(way, &[key; 32], &[2; 12]), &[]);
    sealer.update(text);
    sealer.finish()
}

/// The same with AES.
#[inline(never)]
pub fn seal_aes(open: Right<'_>, instructions: Instructions, key: Key<'_>, text: &mut [u8]) -> Tag {
    let mut sealer = Sealer::new(AesGcm::new(open, instructions, key, &[0; 12]), &[]);
    sealer.update(text);
    sealer.finish()
}

const fn filled<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let mut position = 0;
    while position < BYTES {
        bytes[position] = pattern_byte(position);
        position += 1;
    }
    bytes
}

/// The digest of these bytes.
#[inline(never)]
pub fn digest(way: impl Way, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new(way);
    hasher.update(bytes);
    hasher.finalize()
}
