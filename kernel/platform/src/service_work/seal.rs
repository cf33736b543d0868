//! Seals: where their memory is mapped, and how they compute. The code of this file is unmapped in systems without seals.

use limen_abi::SealCipher;
use limen_abi::limits::{PAGE_BYTES, SERVICES};
use limen_abi::service::SEAL_KEY_BYTES;
use limen_core::arena::ThreadId;
use limen_fpu::{InterruptContext, WorkerContext};
use limen_image::Service;
use limen_services::seal::{Limit, Memory, Progress, Start};
use limen_simd::aes_gcm::{AesGcm, Instructions, Key};
use limen_simd::chacha20poly1305::ChaCha20Poly1305;
use limen_simd::seal::NONCE_BYTES;
use limen_simd::{Vectors, chacha20, footprint};

use super::Task;
use super::window::{MappedRing, MappedWindow};
use crate::arch::cpu;
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::section::WorkerRegisters;

/// Progress of the seals, by service.
static PROGRESS: [Progress; SERVICES] = [const { Progress::none() }; SERVICES];

/// The parts of a task that only seals have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal {
    /// Number of the service.
    number: usize,
    key: MappedWindow,
    ring: MappedRing,
    entries: u16,
    record_bytes: usize,
    way: Way,
}

/// How a seal computes.
#[derive(Clone, Copy, Debug)]
enum Way {
    Vector,
    Plain,
    Aes(Instructions),
}

impl Way {
    /// How this processor computes the cipher of a record in the image. There is no plain code for AES-GCM: it would keep
    /// interrupts off too long.
    #[inline(never)]
    fn of(record: &Service) -> Self {
        match SealCipher::from_raw(record.cipher) {
            Some(SealCipher::Aes256Gcm) => Instructions::detect().map_or_else(
                || {
                    fatal(format_args!(
                        "a seal uses aes_256_gcm, for which this processor has no instructions"
                    ))
                },
                Self::Aes,
            ),
            Some(SealCipher::PlainChaCha20Poly1305) => Self::Plain,
            Some(SealCipher::ChaCha20Poly1305) | None => Self::Vector,
        }
    }
}

/// ChaCha20-Poly1305.
#[derive(Clone, Copy, Debug)]
struct ChaCha<W>(W);

impl<W: chacha20::Way + Copy> Start for ChaCha<W> {
    type Cipher = ChaCha20Poly1305<W>;

    #[inline]
    fn start(self, key: &[u8; SEAL_KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self::Cipher {
        ChaCha20Poly1305::new(self.0, key, nonce)
    }
}

/// AES-256-GCM.
#[derive(Clone, Copy, Debug)]
struct Aes<V>(V, Instructions);

impl<V: Vectors<footprint::AesGcm>> Start for Aes<V> {
    type Cipher = AesGcm<V>;

    #[inline]
    fn start(self, key: &[u8; SEAL_KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> Self::Cipher {
        AesGcm::new(self.0, self.1, Key::Long(key), nonce)
    }
}

impl Seal {
    /// No seal.
    pub(super) const NONE: Self = Self {
        number: 0,
        key: MappedWindow::EMPTY,
        ring: MappedRing::NONE,
        entries: 0,
        record_bytes: 0,
        way: Way::Vector,
    };

    /// The parts in the record of the service with this number.
    pub(super) fn new(number: usize, record: &Service) -> Self {
        Self {
            number,
            key: MappedWindow::new(record.key, PAGE_BYTES),
            ring: MappedRing::new(record.ring, Service::ring_bytes(record.entries)),
            entries: record.entries as u16,
            record_bytes: record.record_bytes as usize,
            way: Way::of(record),
        }
    }
}

/// Seals during an interrupt, up to a limit. `space` is the address space of the task's work.
#[inline(never)]
pub(super) fn at_once(
    task: &Task,
    space: cpu::SpaceRegister,
    context: Option<InterruptContext<'_, ThreadId, Hardware>>,
) {
    match (task.seal.way, context) {
        (Way::Vector, Some(mut context)) => {
            context.section::<footprint::Chacha20, _>(|registers| {
                cpu::in_space(space, || _ = run(task, Limit::AT_ONCE, ChaCha(chacha20::Vector(registers))));
            });
        }
        (Way::Aes(instructions), Some(mut context)) => {
            context.section::<footprint::AesGcm, _>(|registers| {
                cpu::in_space(space, || _ = run(task, Limit::AT_ONCE, Aes(registers, instructions)));
            });
        }
        (Way::Plain | Way::Vector, _) => {
            cpu::in_space(space, || _ = run(task, Limit::AT_ONCE, ChaCha(chacha20::Plain)));
        }
        // No interrupt is on before the vector registers are initialised.
        (Way::Aes(_), None) => {}
    }
}

/// Seals all there is in the work of a thread, and returns the number of records.
#[inline(never)]
pub(super) fn on_request(task: &Task) -> u64 {
    // SAFETY: only the work of a thread calls this. The core makes the thread's identity at work the owner of the unit
    // whenever it runs, and saves the registers of others.
    let mut context = WorkerContext::new(unsafe { WorkerRegisters::new() });
    match task.seal.way {
        Way::Plain => run(task, Limit::ON_REQUEST, ChaCha(chacha20::Plain)),
        Way::Vector => context.section::<footprint::Chacha20, _>(|registers| {
            run(task, Limit::ON_REQUEST, ChaCha(chacha20::Vector(registers)))
        }),
        Way::Aes(instructions) => context.section::<footprint::AesGcm, _>(|registers| {
            run(task, Limit::ON_REQUEST, Aes(registers, instructions))
        }),
    }
}

/// Seals in the address space of the task's work.
fn run(task: &Task, limit: Limit, cipher: impl Start) -> u64 {
    let Seal { number, key, ring, entries, record_bytes, .. } = task.seal;
    let (from_bytes, to_bytes) = (task.source.bytes(), task.target.bytes());
    let (from, to) = (task.source, task.target);
    let mut memory = Memory { key, from, ring, entries, record_bytes, from_bytes, to, to_bytes };
    memory.run(&PROGRESS[number % SERVICES], limit, cipher)
}
