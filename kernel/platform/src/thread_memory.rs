//! The memory of threads: capability table, root slots and message buffer of each, and the rings of some.
//!
//! The statics have room for the maximum number of threads, and boot clears only what the image's threads need:
//! clearing all of it would take most of boot. The rest is never accessed, because every thread that the kernel knows
//! is the image's.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use limen_abi::limits::{PAGE_BYTES, SAMPLE_RINGS, THREADS};
use limen_core::arena::ThreadId;
use limen_core::boot::{caps, place};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{MessageBuffers, PerThread, SampleRings};
use limen_core::message::MessageBuffer;
use limen_core::processors::mailbox::Mailboxes;
use limen_core::ring::SampleRing;
use limen_image::Image;

use crate::machine::Hardware;

/// Memory on pages of its own, which boot clears. All of it is in a cell, also padding.
#[repr(C, align(4096))]
struct Cleared<T>(UnsafeCell<T>);

// SAFETY: `clear` and `fill` write it, while only boot runs. Afterwards there are only shared references to it.
unsafe impl<T> Sync for Cleared<T> {}

/// One `T` for each thread.
type Tables<T> = Cleared<PerThread<MaybeUninit<T>>>;

impl<T> Tables<T> {
    const fn new() -> Self {
        Self(UnsafeCell::new(PerThread::new([const { MaybeUninit::uninit() }; THREADS])))
    }
}

// Boot does not clear this section as a whole.
#[unsafe(link_section = ".bss.threads")]
static CAP_TABLES: Tables<CapTable> = Tables::new();
#[unsafe(link_section = ".bss.threads")]
static ROOT_TABLES: Tables<RootTable> = Tables::new();
/// The capability table of a thread that is not in the image. All zeros, which take no space in the kernel's file.
#[unsafe(link_section = ".bss.empty")]
pub static NO_CAPS: CapTable = CapTable::EMPTY;
/// Uninitialised memory is fine: any words are a valid message buffer.
#[unsafe(link_section = ".bss.threads")]
static MESSAGE_BUFFERS: Cleared<MessageBuffers> =
    Cleared(UnsafeCell::new(MessageBuffers::new([const { MessageBuffer::new() }; THREADS])));
/// The memory through which kernels of several processors exchange messages.
#[unsafe(link_section = ".bss.threads")]
static MAILBOXES: Cleared<MaybeUninit<Mailboxes>> = Cleared(UnsafeCell::new(MaybeUninit::uninit()));
/// Uninitialised memory is fine here, too.
#[unsafe(link_section = ".bss.threads")]
static SAMPLE_RING_PAGES: Cleared<SampleRings> =
    Cleared(UnsafeCell::new(SampleRings::new([const { SampleRing::new() }; SAMPLE_RINGS])));

unsafe extern "C" {
    /// Clears memory from `start` up to `end`, both page-aligned; in the port's `boot.S`.
    fn clear_pages(start: u64, end: u64);
}

/// Clears the tables, buffers and rings of the image's threads, and their letters if there are several processors. Called once,
/// before any other function of this file.
pub fn clear(image: &Image<'_>) {
    let threads = image.thread_count().min(THREADS as u64);
    let clear = |start: usize, count: u64, bytes: usize| {
        if count == 0 {
            return;
        }
        let end = start as u64 + (count * bytes as u64).next_multiple_of(PAGE_BYTES);
        // SAFETY: each starts on a page, is not empty, and ends on a page or with memory that holds nothing else; no borrow
        // exists yet.
        unsafe { clear_pages(start as u64, end) }
    };
    clear((&raw const CAP_TABLES).expose_provenance(), threads, size_of::<CapTable>());
    clear((&raw const ROOT_TABLES).expose_provenance(), threads, size_of::<RootTable>());
    clear((&raw const MESSAGE_BUFFERS).expose_provenance(), threads, size_of::<MessageBuffer>());
    let rings = image.rings().take(SAMPLE_RINGS).count() as u64;
    clear((&raw const SAMPLE_RING_PAGES).expose_provenance(), rings, size_of::<SampleRing>());
    let mailboxes = u64::from(image.processors() > 1);
    clear((&raw const MAILBOXES).expose_provenance(), mailboxes, Mailboxes::bytes_of(threads as usize));
}

/// Writes the image's capabilities to their slots.
pub fn fill(image: &Image<'_>) {
    for (thread, slot, cap) in caps::<Hardware>(image) {
        // SAFETY: `clear` has made them empty tables, and only boot runs: there is no other borrow.
        let (table, root) = unsafe {
            let (tables, roots) = (&mut *CAP_TABLES.0.get(), &mut *ROOT_TABLES.0.get());
            (tables[thread].assume_init_mut(), roots[thread].assume_init_mut())
        };
        place(table, root, slot, cap);
    }
}

/// The capability table of a thread.
#[inline]
pub fn cap_table(thread: ThreadId) -> &'static CapTable {
    // SAFETY: thread ids are the image's, whose tables `clear` has made empty: an empty slot is all zeros. Nothing
    // writes them after boot.
    unsafe { (&*CAP_TABLES.0.get())[thread].assume_init_ref() }
}

/// The root slots of a thread.
#[inline]
pub fn root_table(thread: ThreadId) -> &'static RootTable {
    // SAFETY: as for the capability table.
    unsafe { (&*ROOT_TABLES.0.get())[thread].assume_init_ref() }
}

/// The message buffers of the threads.
#[inline]
pub fn message_buffers() -> &'static MessageBuffers {
    // SAFETY: nothing borrows it mutably after `clear`.
    unsafe { &*MESSAGE_BUFFERS.0.get() }
}

/// The rings of samples.
#[inline]
pub fn sample_rings() -> &'static SampleRings {
    // SAFETY: as for message buffers.
    unsafe { &*SAMPLE_RING_PAGES.0.get() }
}

/// The mailboxes through which kernels of several processors exchange messages. The kernel of the only processor calls this
/// nowhere.
#[inline]
pub fn mailboxes() -> &'static Mailboxes {
    // SAFETY: with several processors, `clear` has made them empty, with the letters of the image's threads; the other letters
    // are never accessed. They are atomic words.
    unsafe { (&*MAILBOXES.0.get()).assume_init_ref() }
}
