//! The entry area: the part of the kernel that stays mapped while programs run if page tables are switched.
//!
//! On a processor with Meltdown, a program can read memory that is mapped but inaccessible. With page-table switching,
//! programs run on tables that map only the code and data needed to switch to the kernel's own table. All programs
//! share that one table, because the kernel never accesses their memory:
//!
//! ```text
//!  while a program runs                              while the kernel runs
//! +------------------------------------+            +----------------------------------+
//! | the program's memory               |            | (nothing)                        |
//! +------------------------------------+            +----------------------------------+
//! | entry area, kernel only:           |  entry:    | entry area, at the same          |
//! |   stubs, entry and exit code  r-x  | ---------> | addresses: nothing else is used  |
//! |   traps, segments, task state r--  |  cr3       | between the two loads of cr3     |
//! |   stacks, a few words         rw-  | <--------- |                                  |
//! |                                    |  exit      | kernel text, data, devices       |
//! +------------------------------------+            +----------------------------------+
//! ```
//!
//! - **Entry.** The processor pushes a trap frame on the entry stack; a system call saves the program's stack pointer
//!   in the word after it. Both free rsp to load cr3 with a value that boot left here. On the kernel's tables, the entry
//!   code copies what was saved here to the thread's context and continues as without switching.
//! - **Exit.** The exit code leaves the `iretq` frame, or the stack pointer for `sysretq`, here, loads all other
//!   registers, and moves the program's table from the context to cr3 through rsp.
//! - **Traps at any time** (NMI, double fault, machine check) have their own stack here and are fatal. So are debug
//!   exceptions in the kernel; one of a program moves to where other traps are pushed. They, and traps from the
//!   kernel, may find either table active, so they load the kernel's unconditionally. That includes a faulting
//!   return, which faults here on the program's tables. `swapgs` is not needed: the kernel uses neither fs nor gs.
//! - **Exposure.** A program can read the kernel's code and addresses, and other programs' program counter, stack
//!   pointer, flags and kind of the last trap, and the stack pointer of the last system call; no other register. While
//!   crossings are probed, two more registers are here until the trap is served.
//! - No translation is global. A load of cr3 drops all of them, or selects another identifier if the processor has
//!   process-context identifiers (`limen_mmu::x86_64::space`): programs cannot use the kernel's translations.

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PAGE_BYTES;
use limen_image::Range;
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::boot::paddr;
use super::cpu::SpaceRegister;
use super::segments::TABLES;
use crate::arch::mmu::Descriptors;
use crate::boot_check::EntryArea;
use crate::page_table::{Access, Format, MapError, MemoryType, Owner, Root, Run, Tables, map};

/// Words of the stack for traps at any time, which leave it immediately.
const EMERGENCY_WORDS: usize = 256;
/// Words of the stack for traps from programs. The processor and the stub push seven, and seven more if the return
/// faults; an even number keeps them aligned as the processor aligns its stack.
const ENTRY_WORDS: usize = 128;

/// Stacks that the processor uses with any page tables.
#[repr(C, align(4096))]
pub struct Stacks(UnsafeCell<StackWords>);

#[repr(C)]
struct StackWords {
    emergency: [u64; EMERGENCY_WORDS],
    entry: [u64; ENTRY_WORDS],
    /// The program's stack pointer, until a system call saves it to the context.
    parked: u64,
    /// The program's rax and rdx, until a probed system call saves them to the context.
    parked_rax: u64,
    parked_rdx: u64,
    /// The value of cr3 for the kernel's tables, which every entry loads.
    kernel_space: u64,
}

// SAFETY: only the processor and the trap code access it.
unsafe impl Sync for Stacks {}

/// The stacks of this processor.
#[unsafe(link_section = ".data.private")]
pub static STACKS: Stacks = Stacks(UnsafeCell::new(StackWords {
    emergency: [0; EMERGENCY_WORDS],
    entry: [0; ENTRY_WORDS],
    parked: 0,
    parked_rax: 0,
    parked_rdx: 0,
    kernel_space: 0,
}));

impl Stacks {
    /// Offset of the end of the stack for traps at any time.
    pub const EMERGENCY_END: usize = offset_of!(StackWords, entry);
    /// Offset of the end of the stack for traps from programs.
    pub const ENTRY_END: usize = offset_of!(StackWords, parked);
    /// Offset of the word for the program's stack pointer.
    pub const PARKED: usize = offset_of!(StackWords, parked);
    /// Offset of the word for the program's rax.
    pub const PARKED_RAX: usize = offset_of!(StackWords, parked_rax);
    /// Offset of the word for the program's rdx.
    pub const PARKED_RDX: usize = offset_of!(StackWords, parked_rdx);

    /// Offset of the value of cr3 for the kernel's tables.
    pub const KERNEL_SPACE: usize = offset_of!(StackWords, kernel_space);

    /// The end of the stack for traps at any time.
    pub fn emergency_end(&self) -> u64 {
        (self.0.get().addr() + Self::EMERGENCY_END) as u64
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

/// The top table of the entry area; zero if page tables are not switched.
static ROOT: AtomicU64 = AtomicU64::new(0);

/// Builds the page tables of the entry area and starts page-table switching.
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
    let kernel = SpaceRegister::of_kernel().cr3();
    // SAFETY: only boot runs, and no trap reads the word before boot installs the entry points of switched page tables.
    unsafe { STACKS.0.get().byte_add(Stacks::KERNEL_SPACE).cast::<u64>().write(kernel) }
    ROOT.store(table.0, Ordering::Relaxed);
    Ok(())
}

/// Whether page tables are switched at kernel entry.
pub fn is_used() -> bool {
    ROOT.load(Ordering::Relaxed) != 0
}

/// The entry area, if page tables are switched.
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
