//! The entry point: sets up the kernel's page tables, finds the boot image and adapts it to this machine.

use core::arch::global_asm;
use core::cell::UnsafeCell;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_image::{ImageError, MODULE_OFFSET, Machine, Memory, MemoryKind, Range};
use limen_keys::branch::{BUILD, Build};
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::cpu::{self, BOOT_STAMP};
use super::cpu::{Msr, write_msr};
use super::multiboot::{self, Information};
use super::segments::{self, Way};
use super::{entry_area, serial, start};
use crate::arch::mmu::Descriptors;
use crate::boot_check::EntryArea;
use crate::command_line::{Choice, Settings};
use crate::console;
use crate::identity_map::{self, TablePool};
use crate::page_table::{
    Access, ENTRIES, Format, MapError, MemoryType, Owner, Root, Run, Table, Tables, map, map_largest,
    span_bytes,
};
use crate::panic::fatal;
use limen_mmu::layout;

/// Virtual minus physical address in the kernel's image.
pub const LOAD_OFFSET: u64 = layout::IMAGE - LOAD_ADDRESS;
/// The load address of the kernel's image; the linker script has the same number.
const LOAD_ADDRESS: u64 = 2 << 20;
/// Physical addresses that the entry point maps to themselves, from zero.
pub const IDENTITY_BYTES: u64 = 4 << 30;
/// The physical addresses that its tables can map with the largest pages.
const MOST_IDENTITY_BYTES: u64 = 512 << 30;
/// The most memory map entries that boot accepts.
const MEMORY_ENTRIES: usize = 64;
/// The kernel's page tables: three upper levels and one of pages, beside large pages; and for the entry area, whose pages
/// lie in two large pages, one more.
const KERNEL_TABLES: usize = 4 + 5;

/// The RFLAGS that a system call clears: trap, interrupts, direction, nested task, alignment check.
const MASKED_FLAGS: u64 = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 14 | 1 << 18;
/// IA32_STAR: position of the selectors of system calls.
const SYSCALL_SHIFT: u32 = 32;
/// IA32_STAR: position of the selectors of returns.
const SYSRET_SHIFT: u32 = 48;

global_asm!(
    include_str!("boot.S"),
    LOAD_OFFSET = const LOAD_OFFSET,
    LOAD_ADDRESS = const LOAD_ADDRESS,
    CR0 = const cpu::CR0,
    KERNEL_CODE = const segments::KERNEL_CODE,
    KERNEL_DATA = const segments::KERNEL_DATA,
    GDT_BYTES = const segments::GDT_BYTES,
    GDT = const segments::GDT,
    tables = sym segments::TABLES,
    boot_stamp = sym BOOT_STAMP,
    start = sym start,
    further = sym start::further,
    further_root = sym start::ROOT,
    TRAMPOLINE = const start::TRAMPOLINE,
);

/// Page tables in the kernel's image. The first is the kernel's top table.
#[repr(C, align(4096))]
pub struct KernelTables(UnsafeCell<[Table; KERNEL_TABLES]>);

// SAFETY: reached by physical address only, through `TablePool`.
unsafe impl Sync for KernelTables {}

/// The kernel's page tables.
pub static KERNEL_PAGES: KernelTables = KernelTables(UnsafeCell::new([[0; ENTRIES]; KERNEL_TABLES]));

/// Physical address of this processor's top table.
#[unsafe(link_section = ".data.private")]
static KERNEL_TABLE: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    // From the linker script.
    static __boot_start: u8;
    static __text_end: u8;
    static __rodata_start: u8;
    static __rodata_end: u8;
    static __data_start: u8;
    static __data_end: u8;
    static __bss_start: u8;
    static __bss_end: u8;
    /// The entry point's top table.
    static mut boot_root: Table;
}

/// Called by the entry point with the Multiboot loader's registers.
extern "C" fn start(magic: u32, paddr: u32) -> ! {
    let_in(Way::Plain);
    cpu::enable_reports();
    console::attach(serial::KIND);
    if magic != multiboot::MAGIC {
        fatal(format_args!("it must be started by a Multiboot loader"));
    }
    cpu::enable_features()
        .unwrap_or_else(|missing| fatal(format_args!("the processor has no {missing}, which it needs")));
    // SAFETY: the identity map is in place, and the loader put the information there.
    let information = unsafe { Information::at(paddr) }
        .unwrap_or_else(|| fatal(format_args!("the boot loader passes no modules or no memory map")));
    let command_line = information.command_line();
    map_kernel(Settings::of(command_line))
        .unwrap_or_else(|error| fatal(format_args!("the kernel cannot be mapped: {error:?}")));
    let module = information.module().unwrap_or_else(|| {
        fatal(format_args!("the boot loader has loaded no module; the boot image must be the first"))
    });
    let image = place_image(&information, module)
        .unwrap_or_else(|error| fatal(format_args!("the boot image is refused: {error}")));
    crate::boot::start(image, cpu::boot_stamp(), command_line, PhysAddr(u64::from(paddr)))
}

/// Switches from the entry point's page tables, where everything is writable and executable, to the kernel's own.
/// Programs get tables without the kernel if `settings` or the processor ask for it.
fn map_kernel(settings: Settings) -> Result<(), MapError> {
    let start = paddr((&raw const KERNEL_PAGES).addr());
    let end = start + size_of::<KernelTables>() as u64;
    let mut tables = TablePool::new(Range { start, end });
    let table = tables.allocate().ok_or(MapError::OutOfTables)?;
    KERNEL_TABLE.store(table.0, Ordering::Relaxed);
    let root = Root { table, height: Descriptors::KERNEL_HEIGHT };
    let text = Access { owner: Owner::Kernel, write: false, execute: true, memory: MemoryType::Cached };
    let rodata = Access { execute: false, ..text };
    let data = Access { write: true, ..rodata };
    for (start, end, access) in [
        (&raw const __boot_start, &raw const __text_end, text),
        (&raw const __rodata_start, &raw const __rodata_end, rodata),
        (&raw const __data_start, &raw const __data_end, data),
        (&raw const __bss_start, &raw const __bss_end, data),
    ] {
        let (start, bytes) = (start.addr(), (end.addr() - start.addr()) as u64);
        let (vaddr, paddr) = (VirtAddr(start as u64), PhysAddr(paddr(start)));
        map_largest::<Descriptors>(&mut tables, root, &Run { vaddr, paddr, bytes, height: 0, access })?;
    }
    let identity = tables.table(PhysAddr(paddr((&raw const boot_root).addr())))[0];
    tables.table_mut(table)[0] = identity;
    let is_switched = match settings.page_table_switch {
        Choice::On => true,
        Choice::Off => false,
        Choice::Auto => cpu::has_meltdown(),
    };
    if is_switched {
        // Trap entry would test a flag in memory that programs' page tables do not map.
        if BUILD == Build::Fallback {
            fatal(format_args!(
                "a kernel built with LIMEN_KEYS=fallback cannot switch page tables; boot with page_table_switch=off"
            ));
        }
        entry_area::build(&mut tables)?;
        let_in(Way::Switched);
    }
    cpu::leave_boot_tables(table);
    Ok(())
}

/// Completes the boot image in the loader's module for this machine, and returns its address.
fn place_image(information: &Information, module: Range) -> Result<PhysAddr, ImageError> {
    let unlisted = Memory { range: Range::default(), kind: MemoryKind::Kept };
    let mut memory = [unlisted; MEMORY_ENTRIES];
    let mut count = 0;
    for entry in information.memory() {
        *memory.get_mut(count).ok_or(ImageError::MemoryMap)? = entry;
        count += 1;
    }
    let memory = &memory[..count];
    let kernel = Range { start: LOAD_ADDRESS, end: paddr((&raw const __bss_end).addr()) };
    let image_paddr = module.start + MODULE_OFFSET;
    let reach = extend_identity_map(memory);
    let machine = Machine { image_paddr, memory, kernel, reach, end: cpu::physical_end() };
    let tables = identity_map::image_tables_mut(PhysAddr(image_paddr)).ok_or(ImageError::Truncated)?;
    limen_image::place(tables, &machine)?;
    Ok(PhysAddr(image_paddr))
}

/// Extends the identity map to RAM that the entry point has not mapped, if the processor has gigabyte pages, which need
/// no further tables. Returns the end of the RAM that can be mapped.
fn extend_identity_map(memory: &[Memory]) -> u64 {
    const HEIGHT: u32 = 2;
    if !cpu::has_gigabyte_pages() {
        return IDENTITY_BYTES;
    }
    let access = Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };
    let page = span_bytes(HEIGHT);
    for Memory { range, .. } in memory.iter().filter(|entry| entry.kind == MemoryKind::Ram) {
        let start = range.start.max(IDENTITY_BYTES) / page * page;
        let end = range.end.min(MOST_IDENTITY_BYTES).next_multiple_of(page);
        if start < end {
            let (vaddr, paddr) = (VirtAddr(start), PhysAddr(start));
            let run = Run { vaddr, paddr, bytes: end - start, height: HEIGHT, access };
            map::<Descriptors>(&mut TablePool::empty(), cpu::kernel_root(), &run)
                .unwrap_or_else(|error| fatal(format_args!("RAM at {start:#x} cannot be mapped: {error:?}")));
        }
    }
    MOST_IDENTITY_BYTES
}

/// Makes cached RAM visible to uncached accesses. Nothing to do: this architecture keeps caches coherent.
///
/// # Safety
/// None is needed here; other architectures need the identity map.
pub unsafe fn write_back(_: Range) {}

/// Lets programs execute pages that they can write. Nothing forbids that here.
pub fn allow_writable_code() {}

/// Removes the identity map. The lower half is empty until an address space is entered.
pub fn leave_identity_map() {
    let top = with_exposed_provenance_mut::<u64>((kernel_table().0 + LOAD_OFFSET) as usize);
    // SAFETY: the table is in the kernel's image, and its first entry is the identity map's. No other reference to it exists,
    // and this processor uses no physical address from here on.
    unsafe { top.write_volatile(0) }
    cpu::leave_boot_tables(kernel_table());
    cpu::enable_translation_caching();
}

/// The part of the kernel that is mapped while programs run, if that is not the whole kernel half.
pub fn entry_area() -> Option<EntryArea> {
    entry_area::area()
}

/// The top table of this processor's kernel.
pub fn kernel_table() -> PhysAddr {
    PhysAddr(KERNEL_TABLE.load(Ordering::Relaxed))
}

/// Prepares a further processor, which has entered on the kernel's tables under `table`.
pub(super) fn prepare_further(table: PhysAddr) {
    KERNEL_TABLE.store(table.0, Ordering::Relaxed);
    let_in(Way::Plain);
    cpu::enable_reports();
    cpu::enable_features()
        .unwrap_or_else(|missing| fatal(format_args!("a processor has no {missing}, which it needs")));
}

/// The physical address of a virtual address in the kernel's image.
pub fn paddr(vaddr: usize) -> u64 {
    (vaddr as u64).wrapping_sub(LOAD_OFFSET)
}

/// Whether an address lies in the kernel's image.
pub fn is_in_image(vaddr: u64) -> bool {
    (layout::IMAGE..(&raw const __bss_end).addr() as u64).contains(&vaddr)
}

unsafe extern "C" {
    fn trap_syscall_plain();
    fn trap_syscall_switched();
    fn trap_stubs_plain();
    fn trap_stubs_switched();
    fn shared_breakpoint();
}

/// Prepares this processor for code that another one writes while it executes it.
pub fn share_code() {
    segments::share_breakpoints((shared_breakpoint as *const ()).addr());
}

/// Installs the entry points of traps and system calls. The kernel is fully mapped meanwhile.
fn let_in(way: Way) {
    let [stubs, syscall] = match way {
        Way::Plain => [trap_stubs_plain as *const (), trap_syscall_plain as *const ()],
        Way::Switched => [trap_stubs_switched as *const (), trap_syscall_switched as *const ()],
    };
    segments::init(way, stubs.addr());
    let selectors =
        u64::from(segments::KERNEL_CODE) << SYSCALL_SHIFT | u64::from(segments::SYSRET_BASE) << SYSRET_SHIFT;
    // SAFETY: the entry point is that of system calls, and the selectors are those of the tables just loaded. Clearing
    // its selector disables `sysenter`, which firmware may have set up.
    unsafe {
        write_msr(Msr::SYSENTER_CS, 0);
        write_msr(Msr::STAR, selectors);
        write_msr(Msr::LSTAR, syscall.addr() as u64);
        write_msr(Msr::SFMASK, MASKED_FLAGS);
    }
}
