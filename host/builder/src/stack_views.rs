//! The monitor's view of the stacks of programs, in the debug configuration: read-only, so that it can print the return
//! addresses behind a fault. In other configurations the monitor has no access to memory of programs.

use limen_image::MappingFlags;
use limen_sdf::model::SystemDescription;

use crate::address_space::{AddressSpaces, Purpose};
use crate::program::Program;

/// The first view in the monitor's address space, far above its own pages. The views of 63 stacks of the largest size end
/// below its stack on every instruction set.
const FIRST_VIEW: u64 = 0x1000_0000;

/// The address of each stack in the monitor.
fn addresses(system: &SystemDescription) -> impl Iterator<Item = u64> {
    system.protection_domains.iter().scan(FIRST_VIEW, |next, domain| {
        let view = *next;
        *next += domain.stack_bytes;
        Some(view)
    })
}

/// Maps the stack of each protection domain for the monitor.
pub(crate) fn map(spaces: &mut AddressSpaces, system: &SystemDescription) {
    let monitor = system.protection_domains.len();
    for (program, view) in addresses(system).enumerate() {
        let stack = spaces.extents.iter().position(|extent| extent.purpose == Purpose::Stack { program });
        stack.into_iter().for_each(|stack| spaces.map(monitor, view, stack, MappingFlags::READ));
    }
}

/// The monitor's table, three words for each protection domain: the view, and the start and end of its code.
pub(crate) fn table(system: &SystemDescription, programs: &[Program]) -> Vec<u64> {
    let row = |(view, program): (u64, &Program)| {
        let code = || program.segments.iter().filter(|segment| segment.flags & MappingFlags::EXECUTE != 0);
        let start = code().map(|segment| segment.start).min().unwrap_or(0);
        let end = code().map(|segment| segment.end).max().unwrap_or(0);
        [view, start, end]
    };
    addresses(system).zip(programs).flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use limen_abi::limits::THREADS;
    use limen_image::MappingFlags;
    use limen_sdf::Target;

    use super::FIRST_VIEW;
    use crate::image_type::ImageType;
    use crate::test_system::{FAMILY, parts};

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
    fn views_of_the_largest_stacks_end_below_the_monitors_stack() {
        let largest = 0x100_0000;
        for target in [Target::aarch64(), Target::riscv64(), Target::x86_64()] {
            assert!(FIRST_VIEW + THREADS as u64 * largest < target.map_limit(largest));
        }
    }
}
