//! The monitor's view of the stacks of programs, in the debug configuration: read-only, so that it can print the return
//! addresses behind a fault. In other configurations the monitor has no access to memory of programs.
//!
//! The stacks of cothreads are anywhere in a program's memory, so programs with the cothread library have views of their
//! data and of the RAM that they may write.

use limen_abi::limits::{LARGE_PAGE_BYTES, MONITOR_VIEWS};
use limen_image::MappingFlags;
use limen_sdf::Target;
use limen_sdf::model::{ProtectionDomain, SystemDescription};

use crate::address_space::AddressSpaces;
use crate::program::Program;

/// The first view in the monitor's address space, far above its own pages. The views end below its stack on every
/// instruction set.
const FIRST_VIEW: u64 = 0x1000_0000;
/// The largest view, as the largest stack.
const MOST_BYTES: u64 = 0x100_0000;
/// A function of the cothread library.
const COTHREADS: &str = "limen_co_begin";

/// Memory of a program that may hold a stack.
struct View {
    program: usize,
    /// Addresses in the program.
    start: u64,
    end: u64,
    /// Address of `start` in the monitor.
    address: u64,
    flags: u64,
}

/// All views, ascending by program and address. Of a system with too many, the stacks are first.
fn views(system: &SystemDescription, programs: &[Program], target: &Target) -> Vec<View> {
    let domains = || system.protection_domains.iter().zip(programs).enumerate();
    let stack = |(program, (domain, _)): (usize, (&ProtectionDomain, _))| {
        let start = target.map_limit(domain.stack_bytes);
        View { program, start, end: target.stack_top(), address: 0, flags: MappingFlags::READ }
    };
    let with_cothreads = domains().filter(|(_, (_, program))| program.symbols.contains(COTHREADS));
    let others =
        with_cothreads.flat_map(|(index, (domain, program))| data_of(system, index, domain, program));
    let mut views: Vec<View> = domains().map(stack).chain(others).take(MONITOR_VIEWS).collect();
    views.sort_by_key(|view| (view.program, view.start));
    let mut next = FIRST_VIEW;
    for view in &mut views {
        let is_large = view.flags & MappingFlags::LARGE != 0;
        view.address = if is_large { next.next_multiple_of(LARGE_PAGE_BYTES) } else { next };
        next = view.address + (view.end - view.start);
    }
    views
}

/// A program's data, and the regions of RAM that it may write.
fn data_of(
    system: &SystemDescription,
    index: usize,
    domain: &ProtectionDomain,
    program: &Program,
) -> Vec<View> {
    let view = |start, end, flags| View { program: index, start, end, address: 0, flags };
    let is_writable = |flags: u64| flags & MappingFlags::WRITE != 0;
    let segments = program.segments.iter().filter(|segment| is_writable(segment.flags));
    let segments = segments.map(|segment| view(segment.start, segment.end, MappingFlags::READ));
    let maps = domain.maps.iter().map(|map| (map, &system.memory_regions[map.region]));
    let stacks = maps.filter(|(map, region)| map.perms.write && map.cached && region.phys_addr.is_none());
    let regions = stacks.map(|(map, region)| {
        let large = if region.page_bytes == LARGE_PAGE_BYTES { MappingFlags::LARGE } else { 0 };
        view(map.vaddr, map.vaddr + region.bytes, MappingFlags::READ | large)
    });
    segments.chain(regions).filter(|view| view.end - view.start <= MOST_BYTES).collect()
}

/// Maps the views for the monitor. All programs' own mappings exist.
pub(crate) fn map(
    spaces: &mut AddressSpaces,
    system: &SystemDescription,
    programs: &[Program],
    target: &Target,
) {
    let monitor = system.protection_domains.len();
    for View { program, start, end, address, flags } in views(system, programs, target) {
        let own = spaces.mappings.iter().filter(|mapping| mapping.program == program);
        let pieces: Vec<_> = own
            .filter(|mapping| (start..end).contains(&mapping.vaddr))
            .map(|mapping| (mapping.vaddr, mapping.extent))
            .collect();
        for (vaddr, extent) in pieces {
            spaces.map(monitor, address + (vaddr - start), extent, flags);
        }
    }
}

/// The monitor's table, six words for each view: the program, start and end in the program, the address in the monitor, and
/// the start and end of the program's code.
pub(crate) fn table(system: &SystemDescription, programs: &[Program], target: &Target) -> Vec<u64> {
    let row = |View { program, start, end, address, .. }| {
        let segments = programs.get(program).into_iter().flat_map(|program| &program.segments);
        let code = segments.filter(|segment| segment.flags & MappingFlags::EXECUTE != 0);
        let code_start = code.clone().map(|segment| segment.start).min().unwrap_or(0);
        let code_end = code.map(|segment| segment.end).max().unwrap_or(0);
        [program as u64, start, end, address, code_start, code_end]
    };
    let mut rows: Vec<u64> = views(system, programs, target).into_iter().flat_map(row).collect();
    rows.resize(MONITOR_VIEWS * 6, 0);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address_space::UserMapping;
    use crate::image_type::ImageType;
    use crate::test_elf::TestElf;
    use crate::test_system::{FAMILY, parts, program};

    #[test]
    fn only_the_monitor_of_debug_sees_the_stacks_and_cannot_write_them() {
        for (config, expected) in [("debug", 3), ("release", 0), ("benchmark", 0)] {
            let built = parts(FAMILY, config).build(ImageType::Binary).unwrap();
            let views =
                built.spaces.mappings.iter().filter(|mapping| {
                    mapping.program == 3 && (FIRST_VIEW..0x7000_0000).contains(&mapping.vaddr)
                });
            let views: Vec<_> = views.map(|view| (view.vaddr, view.flags)).collect();
            let all = [0, 0x2000, 0x4000].map(|offset| (FIRST_VIEW + offset, MappingFlags::READ));
            assert_eq!(views, all[..expected], "{config}");
        }
    }

    #[test]
    fn programs_with_cothreads_have_views_of_their_data_and_writable_ram() {
        let mut parts = parts(FAMILY, "debug");
        parts.programs[0] = program("parent", &TestElf::program().symbol(COTHREADS, 0x20_0000, 4));
        let built = parts.build(ImageType::Binary).unwrap();
        let views = views(&built.parts.system, &built.parts.programs, &Target::aarch64());
        let large = MappingFlags::READ | MappingFlags::LARGE;
        // Its data, the large region and its stack, but not the registers of the UART; then the other stacks.
        let rows: Vec<_> =
            views.iter().map(|view| (view.program, view.start, view.address, view.flags)).collect();
        let expected = [
            (0, 0x20_1000, FIRST_VIEW, MappingFlags::READ),
            (0, 0x40_0000, FIRST_VIEW + 0x20_0000, large),
            (0, 0xff_ffff_c000, FIRST_VIEW + 0x40_0000, MappingFlags::READ),
            (1, 0xff_ffff_c000, FIRST_VIEW + 0x40_2000, MappingFlags::READ),
            (2, 0xff_ffff_c000, FIRST_VIEW + 0x40_4000, MappingFlags::READ),
        ];
        assert_eq!(rows, expected);
        for view in views {
            let own = built.spaces.mappings.iter().filter(|mapping| mapping.program == view.program);
            for piece in own.filter(|mapping| (view.start..view.end).contains(&mapping.vaddr)) {
                let address = view.address + (piece.vaddr - view.start);
                let is_seen = |seen: &&UserMapping| seen.program == 3 && seen.vaddr == address;
                let seen = built.spaces.mappings.iter().find(is_seen).unwrap();
                assert_eq!((seen.extent, seen.flags), (piece.extent, view.flags));
            }
        }
    }

    #[test]
    fn the_views_end_below_the_monitors_stack() {
        for target in [Target::aarch64(), Target::riscv64(), Target::x86_64()] {
            let end = FIRST_VIEW + MONITOR_VIEWS as u64 * (MOST_BYTES + LARGE_PAGE_BYTES);
            assert!(end < target.map_limit(MOST_BYTES));
        }
    }
}
