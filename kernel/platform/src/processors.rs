//! Further processors: their memory, their page tables, and how they come up.
//!
//! Every processor runs the same code at the same addresses, and a [`Kernel`](limen_core::Kernel) of its own. The *private part*
//! of the kernel's image, the data segment with the stack, is mapped on memory of its own in the tables of each; all else is
//! shared. So a static in `.data` is state of a processor, and one in `.bss` is state of the machine. Boot of processor 0 fills
//! both, then copies the private part, so that what it has written there before is also in the copies.
//!
//! ```text
//!   processor 0                                   processor n
//!   map: tables with another private part
//!   copy_private
//!   start_all: asks the firmware, waits  ------>  loader or trampoline, boot.S, join: initialises its devices,
//!                                                 creates its objects, unmaps boot code in its own tables,
//!   the next one, or end of boot         <------  arrives
//!   runs its first thread, lets all go   ------>  runs its first thread
//! ```
//!
//! All of this is boot code, which ends with [`start_further`](kernel_cell::start_further).

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::{PAGE_BYTES, PROCESSORS};
use limen_image::{Image, Range};
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::layout::PATCH_WINDOW;

use crate::address_space::{AddressSpaces, KernelRoots};
use crate::arch::mmu::Descriptors;
use crate::arch::{self, cpu, fpu, irq, timer};
use crate::boot;
use crate::identity_map::TablePool;
use crate::kernel_cell::{self, ARRIVED};
use crate::keys;
use crate::page_table::{Access, MapError, MemoryType, Owner, Root, Run, copy_table, map_apart, unmap_large};
use crate::panic::fatal;
use crate::trace_memory;
use crate::unmap_boot::Parts;

/// Page tables of a further processor; the linker script has the same number.
const TABLES: u64 = 4;
/// How long a processor may take to come up, in seconds: long enough for an emulator on a busy machine.
const PATIENCE_SECONDS: u64 = 10;

const PRIVATE: Access =
    Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Cached };

unsafe extern "C" {
    // From the linker script.
    static __data_start: u8;
    static __data_end: u8;
    static __further_start: u8;
    static __further_end: u8;
    /// The end of the stack, with which the private part starts.
    static kernel_stack_top: u8;
}

/// Facts that processor 0 leaves to the others.
struct Legacy {
    image: Image<'static>,
    spaces: AddressSpaces,
    parts: Parts,
}

/// A static that `start_all` writes.
struct Place<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: `start_all` writes it, once, before another processor runs; afterwards it is only read.
unsafe impl<T> Sync for Place<T> {}

#[unsafe(link_section = ".bss.legacy")]
static LEGACY: Place<Legacy> = Place(UnsafeCell::new(MaybeUninit::uninit()));

/// The number of the processor that is coming up.
static STARTING: AtomicU64 = AtomicU64::new(0);

/// The first address of the private part.
pub fn private_start() -> VirtAddr {
    VirtAddr((&raw const __data_start).addr() as u64)
}

/// Physical memory of a further processor.
struct Memory {
    tables: Range,
    private: Range,
}

impl Memory {
    fn of(number: usize) -> Self {
        let start = (&raw const __further_start).addr();
        let bytes = ((&raw const __further_end).addr() - start) / (PROCESSORS - 1);
        let start = VirtAddr((start + (number - 1) * bytes) as u64);
        let paddr = cpu::translate(start)
            .unwrap_or_else(|| fatal(format_args!("the memory of processor {number} is not mapped")));
        let tables = Range { start: paddr.0, end: paddr.0 + TABLES * PAGE_BYTES };
        Self { private: Range { start: tables.end, end: paddr.0 + bytes as u64 }, tables }
    }
}

/// The private memory of a further processor.
pub fn private_memory(number: usize) -> Range {
    Memory::of(number).private
}

/// Maps the kernel for every processor of the image; `own` are the tables of this one, in which the kernel is complete.
///
/// # Errors
/// See [`MapError`].
pub fn map(image: &Image<'_>, own: KernelRoots) -> Result<[KernelRoots; PROCESSORS], MapError> {
    let mut kernels = [own; PROCESSORS];
    if image.processors() > 1 {
        if own.shared != own.whole {
            fatal(format_args!(
                "page tables are switched at kernel entry, which the kernel does on one processor only"
            ));
        }
        arch::start::find_processors(&image.board(), image.processors() as usize);
    }
    for (number, kernel) in kernels.iter_mut().enumerate().take(image.processors() as usize).skip(1) {
        *kernel = map_further(image, own, number)?;
    }
    Ok(kernels)
}

fn map_further(image: &Image<'_>, own: KernelRoots, number: usize) -> Result<KernelRoots, MapError> {
    let Memory { tables: range, private: Range { start, end } } = Memory::of(number);
    let (mut tables, range) = (TablePool::new(range), range.start..range.end);
    let root = Root { table: copy_table(&mut tables, own.whole.table)?, ..own.whole };
    let run = |vaddr, paddr, bytes, access| Run { vaddr, paddr, bytes, height: 0, access };
    let bytes = (&raw const __data_end).addr() as u64 - private_start().0;
    if bytes != end - start {
        fatal(format_args!("the linker script has room for another number of processors"));
    }
    let private = run(private_start(), PhysAddr(start), bytes, PRIVATE);
    map_apart::<Descriptors>(&mut tables, root, &range, &private)?;
    let device = Access { memory: MemoryType::Device, ..PRIVATE };
    for (vaddr, paddr) in irq::private_windows(&image.board(), number as u64) {
        map_apart::<Descriptors>(&mut tables, root, &range, &run(vaddr, paddr, PAGE_BYTES, device))?;
    }
    // Only processor 0 patches code.
    unmap_large::<Descriptors>(&mut tables, root, PATCH_WINDOW);
    Ok(KernelRoots { shared: root, whole: root })
}

/// Copies the private part, as it is now, to the memory of all further processors. Their stacks start empty.
pub fn copy_private(image: &Image<'_>) {
    let from = &raw const kernel_stack_top;
    let offset = from.addr() as u64 - private_start().0;
    for number in 1..image.processors() as usize {
        let Range { start, end } = private_memory(number);
        let bytes = (end - start - offset) as usize;
        // SAFETY: both are whole, disjoint, and mapped; no reference into the private part is in use meanwhile, and the
        // other processor is not up.
        unsafe { from.copy_to_nonoverlapping(with_exposed_provenance_mut((start + offset) as usize), bytes) }
    }
}

/// Brings up all further processors of the image, one after the other, and waits for each. `kernels` are their tables.
pub fn start_all(
    image: Image<'static>,
    spaces: &AddressSpaces,
    parts: Parts,
    kernels: &[KernelRoots; PROCESSORS],
) {
    if image.processors() == 1 {
        return;
    }
    keys::share_groups(&image);
    // SAFETY: only boot calls this, once, and no other processor runs.
    unsafe { (*LEGACY.0.get()).write(Legacy { image, spaces: *spaces, parts }) };
    let patience = PATIENCE_SECONDS * timer::frequency(&image.board());
    for number in 1..image.processors() {
        STARTING.store(number, Ordering::Release);
        let kernel = kernels[number as usize % PROCESSORS].whole;
        let refused = |refusal| fatal(format_args!("processor {number} does not start: {refusal}"));
        arch::start::processor(number, kernel).unwrap_or_else(refused);
        let deadline = timer::now() + patience;
        while ARRIVED.load(Ordering::Acquire) != number {
            if timer::now() > deadline {
                fatal(format_args!("processor {number} does not come up within {PATIENCE_SECONDS} seconds"));
            }
            arch::start::again(number, kernel).unwrap_or_else(refused);
            cpu::relax();
        }
    }
}

/// Boots a further processor. Entered once on each, on its own tables and stack, with interrupts off.
pub fn join() -> ! {
    let number = STARTING.load(Ordering::Acquire);
    // SAFETY: processor 0 has written it before it started this one.
    let Legacy { image, spaces, parts } = unsafe { (*LEGACY.0.get()).assume_init_ref() };
    cpu::publish_code();
    boot::allow_writable_code(image);
    fpu::init();
    irq::init_processor(&image.board(), number);
    irq::check_number(number);
    boot::connect_interrupts(image, number);
    timer::init_processor();
    irq::connect_timer(image.board().timer_interrupt as u32);
    boot::create_kernel(image, spaces, number, None, trace_memory::ring(image, number));
    kernel_cell::start_further(number, *parts)
}
