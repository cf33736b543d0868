//! What every thread has: a capability table, root slots and a message buffer.
//!
//! There is room for as many threads as there may be, and boot clears what the image's threads need of it: clearing all
//! of it would be most of a boot. The rest is never looked at, because every thread that the kernel knows is the image's.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use limen_abi::limits::{PAGE_BYTES, THREADS};
use limen_core::arena::ThreadId;
use limen_core::boot::{caps, place};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{MessageBuffers, PerThread};
use limen_core::message::MessageBuffer;
use limen_image::Image;

use crate::machine::Hardware;

/// One `T` for each thread, on pages of its own.
#[repr(C, align(4096))]
struct Tables<T>(UnsafeCell<PerThread<MaybeUninit<T>>>);

// SAFETY: written by `clear` and `fill`, while boot has the machine for itself, and only read afterwards.
unsafe impl<T> Sync for Tables<T> {}

impl<T> Tables<T> {
    const fn new() -> Self {
        Self(UnsafeCell::new(PerThread::new([const { MaybeUninit::uninit() }; THREADS])))
    }
}

// The section is one that nobody clears.
#[unsafe(link_section = ".bss.threads")]
static CAP_TABLES: Tables<CapTable> = Tables::new();
#[unsafe(link_section = ".bss.threads")]
static ROOT_TABLES: Tables<RootTable> = Tables::new();
/// What a thread has that the image does not know. Zeros, which take no place in the kernel's file.
#[unsafe(link_section = ".bss.empty")]
pub static NO_CAPS: CapTable = CapTable::EMPTY;
/// Any words are a message buffer.
#[unsafe(link_section = ".bss.threads")]
static MESSAGE_BUFFERS: MessageBuffers = MessageBuffers::new([const { MessageBuffer::new() }; THREADS]);

unsafe extern "C" {
    /// Clears memory from `start` up to `end`, both page-aligned; in the port's `boot.S`.
    fn clear_pages(start: u64, end: u64);
}

/// Empties the tables and buffers of the image's threads. Before everything else here, and once.
pub fn clear(image: &Image<'_>) {
    let threads = image.thread_count().min(THREADS as u64);
    let clear = |start: usize, bytes: usize| {
        let end = start as u64 + (threads * bytes as u64).next_multiple_of(PAGE_BYTES);
        // SAFETY: all of them start on a page and end on one, or with memory that nothing else is in; nobody has
        // borrowed them yet.
        unsafe { clear_pages(start as u64, end) }
    };
    clear((&raw const CAP_TABLES).addr(), size_of::<CapTable>());
    clear((&raw const ROOT_TABLES).addr(), size_of::<RootTable>());
    clear((&raw const MESSAGE_BUFFERS).addr(), size_of::<MessageBuffer>());
}

/// Puts the capabilities of the image into their slots.
pub fn fill(image: &Image<'_>) {
    for (thread, slot, cap) in caps::<Hardware>(image) {
        // SAFETY: `clear` has made them empty tables, and boot has the machine for itself: there is no other borrow.
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
    // SAFETY: threads are the image's, whose tables `clear` has made empty ones: an empty slot is all zeros. They are
    // not written after boot.
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
    &MESSAGE_BUFFERS
}
