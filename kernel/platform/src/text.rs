//! Writing the kernel's own code, for static keys alone.
//!
//! No lasting mapping shows code writable. While a word is written, one page of it is mapped once more at an address that
//! is used for nothing else, writable and not executable:
//!
//! ```text
//!   top table -> ... -> [PATCH_WINDOW] -> TABLE: one entry that comes and goes; the others stay empty
//! ```
//!
//! `TABLE` lies in the kernel's own image, so that it can be written when boot is over. There is one core, so nobody waits
//! while code is patched, and nobody else sees the window.

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

/// How the window shows code.
const WRITABLE: Access =
    Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };

/// The table that resolves the window.
#[repr(C, align(4096))]
struct WindowTable(UnsafeCell<Table>);

// SAFETY: boot enters it into the kernel's tables; from then on only the one `Writer` writes its first entry.
unsafe impl Sync for WindowTable {}

static TABLE: WindowTable = WindowTable(UnsafeCell::new([0; ENTRIES]));

unsafe extern "C" {
    // From the linker script.
    static __text_start: u8;
    static __text_end: u8;
}

/// All code of the kernel, but that of boot. Its words change while they are patched.
pub fn words() -> &'static [AtomicU64] {
    let Range { start, end } = addresses();
    // SAFETY: whole pages that stay mapped, and are written by single stores of words only.
    unsafe {
        core::slice::from_raw_parts((&raw const __text_start).cast(), (end - start) / size_of::<AtomicU64>())
    }
}

fn addresses() -> Range<usize> {
    (&raw const __text_start).addr()..(&raw const __text_end).addr()
}

/// Whoever has it may write the kernel's code. There is one.
#[derive(Debug)]
pub struct Writer {
    /// Where the code lies, all in a row.
    code: PhysAddr,
}

impl Writer {
    /// Enters the window's table into the kernel's own tables, while boot lasts.
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

    /// Whether nothing shows code writable now.
    pub fn is_closed(&self) -> bool {
        // SAFETY: an entry of the table, which nobody else writes.
        unsafe { TABLE.0.get().cast::<u64>().read_volatile() == 0 }
    }

    fn set_entry(&mut self, entry: u64) {
        // SAFETY: the window is used for nothing else, and what it shows is code, not data of anybody.
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
        // SAFETY: a word of the page that the window shows: `limen_keys` loads from an open window only.
        unsafe { (*core::ptr::with_exposed_provenance::<AtomicU64>(window(offset))).load(Ordering::Relaxed) }
    }

    fn store(&mut self, offset: usize, word: u64) {
        let window = window(offset);
        // SAFETY: a word of the page that the window shows: `limen_keys` stores into an open window only. What it writes are
        // the instructions that the table of sites was checked for.
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

/// The same for the code of programs: a page is named by its physical address, which the image has given.
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
