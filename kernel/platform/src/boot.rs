//! From the loader to the first program: reads the image, initialises the devices, builds and checks the address
//! spaces, and starts the core.
//!
//! Boot code and the loader's identity map stay mapped until [`unmap_boot`](crate::unmap_boot).

use limen_abi::limits::{PAGE_BYTES, PROCESSORS, SAMPLE_RINGS, THREADS};
use limen_abi::message::BufferWord;
use limen_abi::{KernelKey, ServiceKind};
use limen_core::trace::TraceRing;
use limen_image::{
    Board, CapKind, Image, ImageError, Interrupt, MappingFlags, Options, Range, Region, RegionKind,
};
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::address_space::{self, AddressSpaces, KernelPage, KernelPages, KernelRoots, NO_SPACES, home};
use crate::arch::cpu::SpaceRegister;
use crate::arch::mmu::{self, Descriptors};
use crate::arch::{self, cpu, irq, timer};
use crate::boot_check::{UserRules, Violation, check_entry_area, check_kernel, check_private};
use crate::identity_map::{self, TablePool};
use crate::kernel_cell::KERNEL;
use crate::keys::SystemKeys;
use crate::machine::Hardware;
use crate::page_table::{self, Access, MapError, MemoryType, Owner, Root, Run};
use crate::panic::fatal;
use crate::program_sites;
use crate::text::Writer;
use crate::unmap_boot::{Parts, Stays};
use crate::{
    boot_info, command_line, console, digest_rates, fpu, kernel_cell, keys, processors, section_costs,
    section_test, service_work, thread_memory, trace_memory,
};

/// Boots from the image at `image_paddr`. Entered once, with interrupts masked. `first_cycle` is the cycle counter at
/// the loader's first instruction. The port has already applied `command_line`. `firmware` is the address of the boot
/// loader's information.
pub fn start(image_paddr: PhysAddr, first_cycle: u64, command_line: &[u8], firmware: PhysAddr) -> ! {
    let tables_of_image = identity_map::image_tables(image_paddr).ok_or(ImageError::Truncated);
    let image = tables_of_image.and_then(Image::validate);
    let image = image.unwrap_or_else(|error| fatal(format_args!("the boot image is refused: {error}")));
    check_target(&image, image_paddr);
    if image.options() & Options::PRINTING != 0 {
        console::open();
    }
    print_facts(&image, command_line);
    thread_memory::clear(&image);
    let mut tables = TablePool::new(image.pool());
    map_devices(&image.board(), &mut tables)
        .unwrap_or_else(|error| fatal(format_args!("the kernel's devices cannot be mapped: {error:?}")));
    let code = Writer::new(&mut tables)
        .unwrap_or_else(|error| fatal(format_args!("the kernel's code cannot be patched: {error:?}")));
    let keys = keys::start(&image, code, &mut tables);
    start_devices(&image);
    boot_info::fill_regions(&image, firmware);
    fpu::init(image.thread_count());
    if image.options() & Options::PRINTING != 0 {
        section_test::run();
    }
    if image.options() & Options::BOOT_FIGURES != 0 {
        section_costs::print();
        digest_rates::print();
    }
    clear_regions(&image);
    let trace = trace_memory::map(&image, &mut tables)
        .unwrap_or_else(|error| fatal(format_args!("the trace cannot be mapped: {error:?}")));
    let mut buffers = [KernelPage::default(); THREADS];
    let mut rings = [KernelPage::default(); SAMPLE_RINGS];
    let pages =
        KernelPages { buffers: buffer_pages(&image, &mut buffers), rings: ring_pages(&image, &mut rings) };
    let own = KernelRoots { shared: shared_root(), whole: cpu::kernel_root() };
    let kernels = processors::map(&image, own)
        .unwrap_or_else(|error| fatal(format_args!("a processor's kernel cannot be mapped: {error:?}")));
    let mut spaces = NO_SPACES;
    address_space::build::<Descriptors>(&image, pages, &mut tables, &kernels, &mut spaces)
        .unwrap_or_else(|error| fatal(format_args!("the address spaces cannot be built: {error:?}")));
    check_tables(&image, pages, &tables, &spaces, &kernels)
        .unwrap_or_else(|violation| fatal(format_args!("{violation}")));
    allow_writable_code(&image);
    publish_memory(&image);
    tell_first_cycle(&image, first_cycle);
    thread_memory::fill(&image);
    service_work::fill(&image, &spaces);
    processors::copy_private(&image);
    create_kernel(&image, &spaces, 0, Some(keys), trace);
    let parts = Parts {
        checks: checks(&image),
        seals: services(&image, &[ServiceKind::Seal]),
        trace: trace_code(&image),
        processors: if image.processors() > 1 { Stays::Mapped } else { Stays::Unmapped },
        probes: probes(&image),
        digests: services(&image, &[ServiceKind::Digest, ServiceKind::KernelDigest]),
    };
    processors::start_all(image, &spaces, parts, &kernels);
    kernel_cell::start(first_cycle, parts)
}

/// Keeps the invariant checks and the printing of faults mapped if the image prints, checks or traces, or if a program can
/// turn that on.
fn checks(image: &Image<'_>) -> Stays {
    let keys = [KernelKey::Printing, KernelKey::SelfCheck];
    let is_on = keys.iter().any(|key| image.options() & key.option() != 0);
    let is_key =
        |record: limen_image::Key| KernelKey::from_raw(record.kernel).is_some_and(|key| keys.contains(&key));
    if is_on || image.trace().is_some() || image.keys().any(is_key) { Stays::Mapped } else { Stays::Unmapped }
}

/// Keeps the code of services of these kinds mapped if the image has one.
fn services(image: &Image<'_>, kinds: &[ServiceKind]) -> Stays {
    let is_one = |service: limen_image::Service| {
        ServiceKind::from_raw(service.kind).is_some_and(|kind| kinds.contains(&kind))
    };
    if image.services().any(is_one) { Stays::Mapped } else { Stays::Unmapped }
}

/// Keeps the code of the trace mapped if the image has a ring.
fn trace_code(image: &Image<'_>) -> Stays {
    if image.trace().is_some() { Stays::Mapped } else { Stays::Unmapped }
}

/// Keeps the code of probes mapped if a program may probe.
fn probes(image: &Image<'_>) -> Stays {
    let may_probe = |cap: limen_image::Cap| cap.kind == CapKind::Probe as u64;
    if image.caps().any(may_probe) { Stays::Mapped } else { Stays::Unmapped }
}

/// Checks what the validator cannot know: the machine, and the address of the image.
fn check_target(image: &Image<'_>, image_paddr: PhysAddr) {
    if image.architecture() != arch::ARCHITECTURE as u64 {
        fatal(format_args!("the boot image is for another architecture"));
    }
    if image.paddr() != image_paddr.0 {
        fatal(format_args!("the boot image belongs at {:#x}, not at {:#x}", image.paddr(), image_paddr.0));
    }
    if image.board().user_top >= mmu::USER_END {
        fatal(format_args!("the boot image has user addresses beyond {:#x}", mmu::USER_END - 1));
    }
}

/// Creates the kernel of a processor with this number, on which it runs. Processor 0 has the keys.
#[inline(never)]
pub fn create_kernel(
    image: &Image<'_>,
    spaces: &AddressSpaces,
    number: u64,
    keys: Option<&'static mut SystemKeys>,
    trace: Option<TraceRing<'static>>,
) {
    // SAFETY: this processor has not taken a trap yet, so there is no other borrow of its kernel.
    let kernel = unsafe { KERNEL.open() };
    kernel.machine = Hardware::probe(&image.board(), keys, trace);
    kernel.populate(image, number as u8, |index, context| {
        let space = *spaces.get(index as usize)?;
        let space = SpaceRegister::new(space)?;
        context.set_space(space);
        Some(space.in_kernel())
    });
}

fn map_devices(board: &Board, tables: &mut TablePool) -> Result<(), MapError> {
    let access = Access { owner: Owner::Kernel, write: true, execute: false, memory: MemoryType::Device };
    for (vaddr, paddr) in irq::windows(board).into_iter().filter(|(_, paddr)| paddr.0 != 0) {
        let run = Run { vaddr, paddr, bytes: PAGE_BYTES, height: 0, access };
        page_table::map::<Descriptors>(tables, cpu::kernel_root(), &run)?;
    }
    cpu::publish_tables();
    Ok(())
}

fn start_devices(image: &Image<'_>) {
    let board = image.board();
    if board.interrupt_controller_kind != irq::KIND {
        fatal(format_args!(
            "there is no driver for interrupt controller {}",
            board.interrupt_controller_kind
        ));
    }
    irq::init(board.interrupt_lines as u32);
    irq::init_processor(&board, 0);
    connect_interrupts(image, 0);
    timer::init();
    irq::connect_timer(board.timer_interrupt as u32);
}

/// Connects the lines whose drivers run on a processor. It calls this itself: some lines are private to it.
pub fn connect_interrupts(image: &Image<'_>, number: u64) {
    let is_here = |interrupt: &Interrupt| interrupt.processor == number;
    image.interrupts().filter(is_here).for_each(|interrupt| irq::connect(&interrupt));
}

fn print_facts(image: &Image<'_>, command_line: &[u8]) {
    let ram: u64 = image.ram().map(|range| (range.end - range.start) >> 20).sum();
    let board = image.board();
    console::line(format_args!("Limen {} on {:?}", env!("CARGO_PKG_VERSION"), arch::ARCHITECTURE));
    console::line(format_args!("  {ram} MiB RAM, {} interrupt lines", board.interrupt_lines));
    console::line(format_args!(
        "  {} threads in {} address spaces, {} mappings, image of {} KiB at {:#x}",
        image.thread_count(),
        image.counts().vspaces,
        image.mapping_count(),
        image.image_bytes() >> 10,
        image.paddr()
    ));
    if arch::boot::entry_area().is_some() {
        console::line(format_args!("  page tables are switched at kernel entry"));
    }
    for word in command_line::unknown(command_line) {
        console::line(format_args!("  the command line's '{}' means nothing", word.escape_ascii()));
    }
}

/// The page tables with the part of the kernel that is mapped while programs run.
fn shared_root() -> Root {
    arch::boot::entry_area().map_or_else(cpu::kernel_root, |area| area.root)
}

/// Clears the regions without initial contents.
fn clear_regions(image: &Image<'_>) {
    let is_empty = |region: &Region| region.kind == RegionKind::Zero as u64 && !region.is_filled();
    for region in image.regions().filter(is_empty) {
        identity_map::clear(Range { start: region.paddr, end: region.paddr + region.bytes });
    }
}

/// The message buffers of the image's threads.
fn buffer_pages<'a>(image: &Image<'_>, room: &'a mut [KernelPage; THREADS]) -> &'a [KernelPage] {
    let buffers = thread_memory::message_buffers().iter().map(|(_, buffer)| kernel_page(buffer));
    let places = image.threads().map(|thread| (thread.vspace, thread.ipc_buffer));
    fill_pages(room, places.zip(buffers))
}

/// The rings of the image's threads.
fn ring_pages<'a>(image: &Image<'_>, room: &'a mut [KernelPage; SAMPLE_RINGS]) -> &'a [KernelPage] {
    let rings = thread_memory::sample_rings().iter().map(|(_, ring)| kernel_page(ring));
    let vspace = |thread| image.thread(thread).map_or(0, |thread| thread.vspace);
    fill_pages(room, image.rings().map(|ring| (vspace(ring.thread), ring.vaddr)).zip(rings))
}

fn fill_pages(room: &mut [KernelPage], pages: impl Iterator<Item = ((u64, u64), PhysAddr)>) -> &[KernelPage] {
    let mut count = 0;
    for (page, ((vspace, vaddr), paddr)) in room.iter_mut().zip(pages) {
        *page = KernelPage { vspace, vaddr: VirtAddr(vaddr), paddr };
        count += 1;
    }
    room.get(..count).unwrap_or_default()
}

/// The physical address of a page of the kernel's memory.
fn kernel_page<T>(page: &T) -> PhysAddr {
    let vaddr = VirtAddr(core::ptr::from_ref(page).addr() as u64);
    cpu::translate(vaddr)
        .unwrap_or_else(|| fatal(format_args!("the kernel's page {:#x} is not mapped", vaddr.0)))
}

/// Writes the cycle count from which boot is measured to the IPC buffers.
fn tell_first_cycle(image: &Image<'_>, first_cycle: u64) {
    for (_, buffer) in thread_memory::message_buffers().iter().take(image.thread_count() as usize) {
        buffer.set_word(BufferWord::USER_DATA, first_cycle);
    }
}

fn check_tables(
    image: &Image<'_>,
    pages: KernelPages<'_>,
    tables: &TablePool,
    spaces: &AddressSpaces,
    kernels: &[KernelRoots; PROCESSORS],
) -> Result<(), Violation> {
    let code = identity_map::code();
    let taken = Range { start: image.paddr(), end: image.paddr() + image.image_bytes() };
    let sites = program_sites::pages(image);
    for (number, kernel) in kernels.iter().enumerate().take(image.processors() as usize) {
        check_kernel::<Descriptors>(tables, kernel.whole, code, taken, sites)?;
        if number > 0 {
            let memory = processors::private_memory(number);
            check_private::<Descriptors>(tables, kernel.whole, processors::private_start(), memory)?;
        }
    }
    if let Some(area) = arch::boot::entry_area() {
        check_entry_area::<Descriptors>(tables, &area)?;
    }
    let rules = UserRules::new(image, pages, code);
    for (index, space) in spaces.iter().enumerate().take(image.counts().vspaces as usize) {
        let (space, kernel) = (space.tables::<Descriptors>(), &kernels[home(image, index as u64)]);
        if image.services().any(|service| service.vspace == index as u64) {
            rules.check_work::<Descriptors>(tables, index, space, kernel.whole)?;
        } else {
            rules.check::<Descriptors>(tables, index, space, kernel.shared)?;
        }
    }
    Ok(())
}

/// Lets programs of this processor execute pages that they can write, if the image has such a page.
pub fn allow_writable_code(image: &Image<'_>) {
    const WRITABLE_CODE: u64 = MappingFlags::WRITE | MappingFlags::EXECUTE;
    if image.mappings().any(|mapping| mapping.flags & WRITABLE_CODE == WRITABLE_CODE) {
        arch::boot::allow_writable_code();
    }
}

/// Makes memory visible to uncached accesses and instruction fetches as boot has written it.
fn publish_memory(image: &Image<'_>) {
    const PAST_CACHES: u64 = MappingFlags::UNCACHED | MappingFlags::EXECUTE;
    for mapping in image.mappings().filter(|mapping| mapping.flags & PAST_CACHES != 0) {
        let region = image.region(mapping.region);
        // The boot loader has already written the programs' code, which is in the image, to memory.
        let is_written = mapping.flags & MappingFlags::UNCACHED != 0 || region.is_filled();
        if region.kind != RegionKind::Device as u64 && is_written {
            let start = region.paddr + mapping.offset;
            identity_map::write_back(Range { start, end: start + mapping.bytes });
        }
    }
    cpu::publish_tables();
    cpu::publish_code();
}
