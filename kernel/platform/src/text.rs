//! Writes the kernel's own code, for static keys only.
//!
//! No permanent mapping makes code writable. To patch a word, the kernel maps its page a second time, writable and not
//! executable, at an address reserved for that:
//!
//! ```text
//!   top table -> ... -> [PATCH_WINDOW] -> TABLE: one entry that comes and goes; the others stay empty
//! ```
//!
//! `TABLE` is in the kernel's image, so that it stays writable after boot. No other code can run on this processor while code is
//! patched. Further processors have no window in their tables: only processor 0 patches code.

use core::cell::UnsafeCell;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_keys::engine::{Engine, WINDOW_BYTES, WindowError};
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::layout::PATCH_WINDOW;

use crate::arch::mmu::Descriptors;
use crate::arch::{cpu, text};
use crate::page_table::{Access, ENTRIES, Format, MapError, MemoryType, Owner, Table, Tables, enter_table};

const _: () = assert!(WINDOW_BYTES as u64 == PAGE_BYTES);

/// How the window maps code. It is not global, because processors exist whose `invlpg` keeps global translations
/// (`limen_mmu::x86_64::space`).
const WRITABLE: Access =
    Access { owner: Owner::Work, write: true, execute: false, memory: MemoryType::Cached };

/// The table that resolves the window.
#[repr(C, align(4096))]
struct WindowTable(UnsafeCell<Table>);

// SAFETY: boot enters it into the kernel's tables; afterwards only the one `Writer` writes its first entry.
unsafe impl Sync for WindowTable {}

static TABLE: WindowTable = WindowTable(UnsafeCell::new([0; ENTRIES]));

unsafe extern "C" {
    // From the linker script.
    static __probe_end: u8;
    static __text_start: u8;
    static __text_end: u8;
}

/// The kernel's code that always stays mapped. Words change while they are patched.
pub fn words() -> &'static [AtomicU64] {
    // SAFETY: whole pages that stay mapped, and that are written only by single stores of words.
    unsafe { words_from(&raw const __text_start) }
}

/// The same with the code of digests before it.
///
/// # Safety
/// The image has digests, for which boot leaves their code mapped.
pub unsafe fn words_with_digests() -> &'static [AtomicU64] {
    // SAFETY: as above; the caller promises that the pages before it are mapped, too.
    unsafe { words_from(&raw const __probe_end) }
}

/// # Safety
/// From `start`, which is aligned, to the end, code stays mapped and is written only by single stores of words.
unsafe fn words_from(start: *const u8) -> &'static [AtomicU64] {
    let bytes = addresses().end - start.addr();
    // SAFETY: the caller promises it.
    unsafe { core::slice::from_raw_parts(start.cast(), bytes / size_of::<AtomicU64>()) }
}

fn addresses() -> Range<usize> {
    (&raw const __text_start).addr()..(&raw const __text_end).addr()
}

/// The exclusive right to write the kernel's code. Only one exists.
#[derive(Debug)]
pub struct Writer {
    /// The physical address of the code, which is contiguous.
    code: PhysAddr,
}

impl Writer {
    /// Enters the window's table into the kernel's tables, during boot.
    ///
    /// # Errors
    /// See [`MapError`].
    pub fn new(tables: &mut impl Tables) -> Result<Self, MapError> {
        let table = VirtAddr(TABLE.0.get().addr() as u64);
        let table = cpu::translate(table).ok_or(MapError::Occupied)?;
        enter_table::<Descriptors>(tables, cpu::kernel_root(), PATCH_WINDOW, table)?;
        cpu::publish_tables();
        let code = cpu::translate(VirtAddr(addresses().start as u64)).ok_or(MapError::Occupied)?;
        Ok(Self { code })
    }

    /// Whether no mapping makes code writable at the moment.
    pub fn is_closed(&self) -> bool {
        // SAFETY: an entry of the table, which only this writer writes.
        unsafe { TABLE.0.get().cast::<u64>().read_volatile() == 0 }
    }

    fn set_entry(&mut self, entry: u64) {
        // SAFETY: the window is used for nothing else, and maps only code.
        unsafe { TABLE.0.get().cast::<u64>().write_volatile(entry) }
    }
}

fn window(offset: usize) -> usize {
    PATCH_WINDOW.0 as usize + offset % WINDOW_BYTES / size_of::<u64>() * size_of::<u64>()
}

impl Writer {
    fn show(&mut self, page: PhysAddr) {
        self.set_entry(Descriptors::leaf(page, Descriptors::attributes(0, WRITABLE)));
        cpu::publish_tables();
    }
}

impl Engine for Writer {
    fn park(&mut self) {}

    fn open(&mut self, page: usize) -> Result<(), WindowError> {
        let code = addresses();
        if !code.contains(&page) {
            return Err(WindowError);
        }
        self.show(PhysAddr(self.code.0 + (page - code.start) as u64));
        Ok(())
    }

    fn load(&self, offset: usize) -> u64 {
        // SAFETY: a word of the page in the window: `limen_keys` loads only from an open window.
        unsafe { (*core::ptr::with_exposed_provenance::<AtomicU64>(window(offset))).load(Ordering::Relaxed) }
    }

    fn store(&mut self, offset: usize, word: u64) {
        let window = window(offset);
        // SAFETY: a word of the page in the window: `limen_keys` stores only to an open window, and only instructions
        // that it has checked against the table of sites.
        unsafe { (*core::ptr::with_exposed_provenance::<AtomicU64>(window)).store(word, Ordering::Relaxed) }
        text::clean(VirtAddr(window as u64));
    }

    fn close(&mut self) {
        self.set_entry(0);
        text::forget_translation(PATCH_WINDOW);
    }

    fn publish(&mut self) {
        text::publish();
    }

    fn resume(&mut self) {}
}

/// Writes the code of programs: a page is identified by its physical address, which the image lists.
#[derive(Debug)]
pub struct Frames<'w>(pub &'w mut Writer);

impl Engine for Frames<'_> {
    fn park(&mut self) {}

    fn open(&mut self, page: usize) -> Result<(), WindowError> {
        self.0.show(PhysAddr(page as u64));
        Ok(())
    }

    fn load(&self, offset: usize) -> u64 {
        self.0.load(offset)
    }

    fn store(&mut self, offset: usize, word: u64) {
        self.0.store(offset, word);
    }

    fn close(&mut self) {
        self.0.close();
    }

    fn publish(&mut self) {
        self.0.publish();
    }

    fn resume(&mut self) {}
}
