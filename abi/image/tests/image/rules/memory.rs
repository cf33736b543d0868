//! The board, and the owners of memory ranges.

use limen_image::{Architecture, InterruptController, Region, RegionKind, Table};

use super::{Case, LIMIT, PAGE, record};
use crate::sample::{IMAGE_BYTES, IMAGE_PADDR, range, region};

pub(super) const BOARD: &[Case] = &[
    (
        "user top and buffer at the end of all addresses",
        |w| (w.board.user_top, w.threads[0].ipc_buffer) = (u64::MAX, PAGE.wrapping_neg()),
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "unaligned interrupt controller",
        |w| w.board.interrupt_controller_paddr += 1,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "interrupt controller at an invalid address",
        |w| w.board.interrupt_cpu_paddr = LIMIT,
        record(Table::Board, 0, "not the address of a page"),
    ),
    (
        "a context below those of the controller",
        |w| {
            (w.board.interrupt_controller_kind, w.board.interrupt_cpu_paddr) =
                (InterruptController::Plic as u64, w.board.interrupt_controller_paddr + 0x1f_f000);
        },
        record(Table::Board, 0, "not a context of the interrupt controller"),
    ),
    (
        "a context behind those of the controller",
        |w| {
            (w.board.interrupt_controller_kind, w.board.interrupt_cpu_paddr) =
                (InterruptController::Plic as u64, w.board.interrupt_controller_paddr + (64 << 20));
        },
        record(Table::Board, 0, "not a context of the interrupt controller"),
    ),
    (
        "too many lines",
        |w| w.board.interrupt_lines = 1025,
        record(Table::Board, 0, "more interrupt lines than any controller has"),
    ),
    (
        "a timer without a line",
        |w| w.board.timer_interrupt = 1024,
        record(Table::Board, 0, "the timer has an interrupt line that no controller has"),
    ),
    (
        "a timer without a vector",
        |w| (w.architecture, w.board.timer_interrupt) = (Architecture::X86_64, 256),
        record(Table::Board, 0, "the timer has an interrupt line that no controller has"),
    ),
    (
        "user top in a page",
        |w| w.board.user_top -= 1,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "user top too high",
        |w| w.board.user_top = u64::MAX,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
    (
        "user top at the limit",
        |w| w.board.user_top = LIMIT + PAGE - 1,
        record(Table::Board, 0, "highest user address is not the end of a page"),
    ),
];

pub(super) const RANGES: &[Case] = &[
    ("RAM that starts in a page", |w| w.ram[0].start += 1, record(Table::Ram, 0, "not a range of pages")),
    ("RAM that ends in a page", |w| w.ram[1].end -= 8, record(Table::Ram, 1, "not a range of pages")),
    ("RAM without pages", |w| w.ram[1].end = w.ram[1].start, record(Table::Ram, 1, "not a range of pages")),
    (
        "RAM that ends before it starts",
        |w| w.ram[1].end = w.ram[1].start - PAGE,
        record(Table::Ram, 1, "not a range of pages"),
    ),
    ("RAM beyond all addresses", |w| w.ram[1].end = LIMIT, record(Table::Ram, 1, "not a range of pages")),
    ("RAM out of order", |w| w.ram.swap(0, 1), record(Table::Ram, 1, "not in ascending order")),
    (
        "RAM that overlaps",
        |w| w.ram[1].start = w.ram[0].end - PAGE,
        record(Table::Ram, 1, "not in ascending order"),
    ),
    (
        "reserved without pages",
        |w| w.reserved[0].end = w.reserved[0].start,
        record(Table::Reserved, 0, "not a range of pages"),
    ),
    (
        "reserved out of order",
        |w| w.reserved.swap(0, 1),
        record(Table::Reserved, 1, "not in ascending order"),
    ),
    (
        "reserved outside RAM",
        |w| w.reserved.push(range(0x4800_0000, 0x4800_1000)),
        record(Table::Reserved, 2, "not in RAM"),
    ),
    (
        "reserved across the end of RAM",
        |w| w.reserved.push(range(0x47ff_f000, 0x4800_1000)),
        record(Table::Reserved, 2, "not in RAM"),
    ),
    (
        "image outside reserved memory",
        |w| w.reserved[1].end = IMAGE_PADDR + IMAGE_BYTES - PAGE,
        record(Table::Reserved, 0, "does not hold the image"),
    ),
    ("pool without pages", |w| w.pool.end = w.pool.start, record(Table::Pool, 0, "not a range of pages")),
    ("pool outside RAM", |w| w.pool = range(0x4800_0000, 0x4810_0000), record(Table::Pool, 0, "not in RAM")),
    ("pool in reserved memory", |w| w.pool.start -= PAGE, record(Table::Pool, 0, "overlaps reserved memory")),
];

pub(super) const REGIONS: &[Case] = &[
    ("unaligned region", |w| w.regions[2].paddr += 8, record(Table::Regions, 2, "not a range of pages")),
    (
        "region of half a page",
        |w| w.regions[2].bytes += PAGE / 2,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    ("region without pages", |w| w.regions[2].bytes = 0, record(Table::Regions, 2, "not a range of pages")),
    (
        "region at an invalid address",
        |w| w.regions[2].paddr = LIMIT,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    (
        "region that is too large",
        |w| w.regions[2].bytes = LIMIT,
        record(Table::Regions, 2, "not a range of pages"),
    ),
    (
        "region that ends beyond all addresses",
        |w| (w.regions[2].paddr, w.regions[2].bytes) = (LIMIT - PAGE, 2 * PAGE),
        record(Table::Regions, 2, "not a range of pages"),
    ),
    (
        "regions out of order",
        |w| {
            let at = |paddr| Region { paddr, bytes: PAGE, ..w.regions[2] };
            w.regions.extend([at(0x4301_0000), at(0x4300_0000)]);
        },
        record(Table::Regions, 4, "not in ascending order or overlapping"),
    ),
    (
        "a second run that overlaps the first",
        |w| {
            let at = |paddr, bytes| Region { paddr, bytes, ..w.regions[2] };
            w.regions.extend([at(0x4300_0000, PAGE), at(0x43ff_f000, 2 * PAGE)]);
        },
        record(Table::Regions, 4, "not in ascending order or overlapping"),
    ),
    (
        "a second run that lies in the first",
        |w| {
            let at = |paddr| Region { paddr, bytes: PAGE, ..w.regions[2] };
            w.regions.extend([at(0x4300_0000), at(0x4410_0000)]);
        },
        record(Table::Regions, 4, "not in ascending order or overlapping"),
    ),
    (
        "regions that overlap",
        |w| w.regions.push(Region { paddr: 0x4400_0000 + PAGE, ..w.regions[2] }),
        record(Table::Regions, 3, "not in ascending order or overlapping"),
    ),
    (
        "cleared memory outside RAM",
        |w| w.regions[2].paddr = 0x4800_0000,
        record(Table::Regions, 2, "not in RAM"),
    ),
    (
        "cleared memory across the end of RAM",
        |w| w.regions[2].paddr = 0x47f0_0000,
        record(Table::Regions, 2, "not in RAM"),
    ),
    (
        "cleared memory that is reserved",
        |w| w.regions[2].paddr = 0x41f0_0000,
        record(Table::Regions, 2, "overlaps memory of the kernel"),
    ),
    (
        "cleared memory in the pool",
        |w| w.regions[2].paddr = 0x4230_0000,
        record(Table::Regions, 2, "overlaps memory of the kernel"),
    ),
    (
        "contents before the image",
        |w| w.regions[1].paddr = IMAGE_PADDR - PAGE,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "contents in the tables",
        |w| w.regions[1].paddr = IMAGE_PADDR,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "contents across the end of the image",
        |w| w.regions[1].paddr = IMAGE_PADDR + IMAGE_BYTES - PAGE,
        record(Table::Regions, 1, "not in the contents of the image"),
    ),
    (
        "a device in RAM",
        |w| w.regions[0] = region(0x4000_1000, PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device in RAM"),
    ),
    (
        "a device that reaches into RAM",
        |w| w.regions[0] = region(0x3fff_f000, 2 * PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device in RAM"),
    ),
    (
        "the interrupt controller",
        |w| w.regions[0].paddr = 0x0800_0000,
        record(Table::Regions, 0, "a device of the kernel"),
    ),
    (
        "the interrupt controller from below",
        |w| w.regions[0] = region(0x0800_f000, 2 * PAGE, RegionKind::Device),
        record(Table::Regions, 0, "a device of the kernel"),
    ),
    (
        "a device with first contents",
        |w| w.regions[0].source = 6,
        record(Table::Regions, 0, "invalid initial contents"),
    ),
    (
        "page contents with first contents",
        |w| w.regions[1].source = 6,
        record(Table::Regions, 1, "invalid initial contents"),
    ),
    (
        "undefined boot information",
        |w| w.regions[2].source = 7,
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file in the tables",
        |w| (w.regions[2].source, w.regions[2].source_bytes) = (0, PAGE),
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file beyond the image",
        |w| (w.regions[2].source, w.regions[2].source_bytes) = (IMAGE_BYTES - PAGE, 2 * PAGE),
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file at the largest offset",
        |w| (w.regions[2].source, w.regions[2].source_bytes) = (PAGE.wrapping_neg(), PAGE),
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file that is not on a page",
        |w| (w.regions[2].source, w.regions[2].source_bytes) = (IMAGE_BYTES - 2 * PAGE + 8, PAGE),
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file of half a page",
        |w| (w.regions[2].source, w.regions[2].source_bytes) = (IMAGE_BYTES - PAGE, PAGE / 2),
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file that is larger than its region",
        |w| {
            (w.regions[2].source, w.regions[2].source_bytes, w.regions[2].bytes) =
                (IMAGE_BYTES - 2 * PAGE, 2 * PAGE, PAGE)
        },
        record(Table::Regions, 2, "invalid initial contents"),
    ),
    (
        "a file for a device",
        |w| (w.regions[0].source, w.regions[0].source_bytes) = (IMAGE_BYTES - PAGE, PAGE),
        record(Table::Regions, 0, "invalid initial contents"),
    ),
    ("an undefined kind", |w| w.regions[0].kind = 3, record(Table::Regions, 0, "unknown kind")),
];
