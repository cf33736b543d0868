//! What of the kernel is mapped while programs run, where page tables are switched at kernel entry.
//!
//! On processors with the defect known as Meltdown, a program can find out what is in memory that it may not access, as
//! long as it is mapped. With the switch, programs run on page tables that have of the kernel only what it takes to get
//! to the kernel's own, which is one for all programs, because the kernel never touches their memory:
//!
//! ```text
//!  while a program runs                              while the kernel runs
//! +------------------------------------+            +----------------------------------+
//! | the program's memory               |            | (nothing)                        |
//! +------------------------------------+            +----------------------------------+
//! | entry area, kernel only:           |  entry:    | the entry area, where it is      |
//! |   stubs, ways in and out      r-x  | ---------> | on the left: between the two     |
//! |   traps, segments, task state r--  |  cr3       | moves to cr3 nothing else is     |
//! |   stacks, one word            rw-  | <--------- | used                             |
//! |                                    |  exit      | kernel text, data, devices       |
//! +------------------------------------+            +----------------------------------+
//! ```
//!
//! - **Entry.** A trap is pushed on the entry stack, a system call parks the program's stack pointer in the word behind
//!   it. Either leaves rsp free to load cr3 with a constant. On the kernel's tables, what was left here is copied to the
//!   context of the thread, and the rest is as without the switch.
//! - **Exit.** The frame for `iretq`, or the stack pointer for `sysretq`, is left here, all other registers are
//!   loaded, and rsp takes the program's tables from the context to cr3.
//! - **Traps that come at any time** (NMI, double fault, machine check) have a stack here and are fatal. They, and traps
//!   from the kernel, may find either table, so they load the kernel's without asking. That includes a return that
//!   faults: it does so here, on the program's tables. There is no `swapgs`: the kernel uses neither fs nor gs.
//! - **What can be read here** is code and addresses of the kernel, and of other programs the program counter, stack
//!   pointer, flags and kind of the last trap, and the stack pointer of the last system call; no other register. While
//!   crossings are probed, two more are put here, and taken away before the trap is served.
//! - Nothing is global in the TLB, so that each move to cr3 forgets the kernel.

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_image::Range;
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::boot::paddr;
use super::segments::TABLES;
use crate::arch::mmu::Descriptors;
use crate::boot_check::EntryArea;
use crate::page_table::{Access, Format, MapError, MemoryType, Owner, Root, Run, Tables, map};

/// Words of the stack for traps that may come at any time. They leave it at once.
const EMERGENCY_WORDS: usize = 256;
/// Words of the stack for traps from programs. The processor and the stub push seven, and seven more when the return
/// faults; an even number keeps them where the processor aligns its stack.
const ENTRY_WORDS: usize = 128;

/// Stacks that the processor uses with any page tables.
#[repr(C, align(4096))]
pub struct Stacks(UnsafeCell<StackWords>);

#[repr(C)]
struct StackWords {
    emergency: [u64; EMERGENCY_WORDS],
    entry: [u64; ENTRY_WORDS],
    /// The program's stack pointer, while a system call has no other place for it.
    parked: u64,
    /// Other registers of the program, until they are in the context of a system call that is probed.
    parked_rax: u64,
    parked_rdx: u64,
}

// SAFETY: only the processor and the trap code use it.
unsafe impl Sync for Stacks {}

/// The stacks.
pub static STACKS: Stacks = Stacks(UnsafeCell::new(StackWords {
    emergency: [0; EMERGENCY_WORDS],
    entry: [0; ENTRY_WORDS],
    parked: 0,
    parked_rax: 0,
    parked_rdx: 0,
}));

impl Stacks {
    /// Offset of the end of the stack for traps from programs.
    pub const ENTRY_END: usize = offset_of!(StackWords, parked);
    /// Offset of the word for the program's stack pointer.
    pub const PARKED: usize = offset_of!(StackWords, parked);
    /// Offset of the word for the program's rax.
    pub const PARKED_RAX: usize = offset_of!(StackWords, parked_rax);
    /// Offset of the word for the program's rdx.
    pub const PARKED_RDX: usize = offset_of!(StackWords, parked_rdx);

    /// The end of the stack for traps that may come at any time.
    pub fn emergency_end(&self) -> u64 {
        (self.0.get().addr() + offset_of!(StackWords, entry)) as u64
    }

    /// The end of the stack for traps from programs.
    pub fn entry_end(&self) -> u64 {
        (self.0.get().addr() + Self::ENTRY_END) as u64
    }
}

unsafe extern "C" {
    // From the trap code: both on page boundaries.
    static entry_area_text: u8;
    static entry_area_text_end: u8;
}

/// The top table with the entry area alone; zero where page tables are not switched.
static ROOT: AtomicU64 = AtomicU64::new(0);

/// Builds the tables of the entry area: from here on, page tables are switched.
///
/// # Errors
/// See [`MapError`].
pub fn build(tables: &mut impl Tables) -> Result<(), MapError> {
    let table = tables.allocate().ok_or(MapError::OutOfTables)?;
    let root = Root { table, height: Descriptors::KERNEL_HEIGHT };
    let data = Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };
    let rodata = Access { write: false, ..data };
    let text = Access { execute: true, ..rodata };
    for (range, access) in [(text_range(), text), (tables_range(), rodata), (stacks_range(), data)] {
        let (vaddr, bytes) = (VirtAddr(range.start), range.end - range.start);
        let run = Run { vaddr, paddr: PhysAddr(paddr(range.start as usize)), bytes, height: 0, access };
        map::<Descriptors>(tables, root, &run)?;
    }
    ROOT.store(table.0, Ordering::Relaxed);
    Ok(())
}

/// Whether page tables are switched at kernel entry.
pub fn is_used() -> bool {
    ROOT.load(Ordering::Relaxed) != 0
}

/// The entry area, where page tables are switched.
pub fn area() -> Option<EntryArea> {
    let table = PhysAddr(ROOT.load(Ordering::Relaxed));
    let physical =
        |range: Range| Range { start: paddr(range.start as usize), end: paddr(range.end as usize) };
    is_used().then(|| EntryArea {
        root: Root { table, height: Descriptors::KERNEL_HEIGHT },
        text: physical(text_range()),
        tables: physical(tables_range()),
        stacks: physical(stacks_range()),
    })
}

fn text_range() -> Range {
    let [start, end] =
        [&raw const entry_area_text, &raw const entry_area_text_end].map(|end| end.addr() as u64);
    Range { start, end }
}

fn tables_range() -> Range {
    pages_of(&raw const TABLES)
}

fn stacks_range() -> Range {
    pages_of(&raw const STACKS)
}

/// The addresses of a static that fills whole pages.
fn pages_of<T>(of: *const T) -> Range {
    const { assert!(align_of::<T>().is_multiple_of(PAGE_BYTES as usize)) };
    let start = of.addr() as u64;
    Range { start, end: start + size_of::<T>() as u64 }
}
