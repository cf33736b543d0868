//! A page-table entry.
//!
//! Source: The RISC-V Instruction Set Manual, Volume II: Sv32 and Sv39 page-table entries. An entry does not control
//! caching: that follows from the physical address.

use crate::address::PhysAddr;

use crate::format::{Access, Entry, Format, Halves, Owner, Permissions};

const VALID: u64 = 1 << 0;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;
const GLOBAL: u64 = 1 << 5;
/// Set, so that hardware need not record the first access.
const ACCESSED: u64 = 1 << 6;
/// Set, so that hardware need not record the first write.
const DIRTY: u64 = 1 << 7;
/// An entry holds an address without its lowest two bits, starting at bit 10.
const ADDRESS_SHIFT: u32 = 2;
const ADDRESS_MASK: u64 = ((1 << 54) - 1) & !((1 << 10) - 1);

/// Sv39.
#[derive(Debug)]
pub struct Descriptors;

impl Format for Descriptors {
    const USER_HEIGHT: u32 = 2;
    const KERNEL_HEIGHT: u32 = 2;
    const MAX_LEAF_HEIGHT: u32 = 2;
    const HALVES: Halves = Halves::Together;

    fn branch(table: PhysAddr) -> u64 {
        table.0 >> ADDRESS_SHIFT | VALID
    }

    fn attributes(_: u32, access: Access) -> u64 {
        let mut entry = VALID | READ | ACCESSED;
        if access.write {
            entry |= WRITE | DIRTY;
        }
        if access.execute {
            entry |= EXECUTE;
        }
        entry
            | match access.owner {
                Owner::Kernel => GLOBAL,
                Owner::User => USER,
                Owner::Work => 0,
            }
    }

    fn leaf(start: PhysAddr, attributes: u64) -> u64 {
        start.0 >> ADDRESS_SHIFT | attributes
    }

    fn decode(entry: u64, _: u32) -> Entry {
        let address = PhysAddr((entry & ADDRESS_MASK) << ADDRESS_SHIFT);
        if entry & VALID == 0 {
            Entry::Empty
        } else if entry & (READ | WRITE | EXECUTE) == 0 {
            Entry::Branch(address)
        } else {
            Entry::Leaf(address, permissions(entry))
        }
    }
}

/// Decodes permissions. The kernel cannot execute pages that programs can access.
fn permissions(entry: u64) -> Permissions {
    let user = entry & USER != 0;
    Permissions { user, writable: entry & WRITE != 0, kernel_executable: entry & EXECUTE != 0 && !user }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::MemoryType;

    #[test]
    fn memory_of_work_is_privileged_and_not_global() {
        let data = |owner| Access { owner, write: true, execute: false, memory: MemoryType::Cached };
        for (owner, expected) in [(Owner::Kernel, GLOBAL), (Owner::User, USER), (Owner::Work, 0)] {
            let entry = Descriptors::attributes(0, data(owner));
            assert_eq!(entry & (GLOBAL | USER), expected, "{owner:?}");
            let expected =
                Permissions { user: owner == Owner::User, writable: true, kernel_executable: false };
            assert_eq!(permissions(entry), expected);
        }
    }

    #[test]
    fn entries_are_those_of_the_manual() {
        let data = Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
        let code = Access { owner: Owner::Kernel, write: false, execute: true, ..data };
        assert_eq!([data, code].map(|access| Descriptors::attributes(0, access)), [0xd7, 0x6b]);
        assert_eq!(Descriptors::leaf(PhysAddr(0x8000_1000), 0xd7), 0x2000_04d7);
        assert_eq!(Descriptors::branch(PhysAddr(0x8000_1000)), 0x2000_0401);
    }

    #[test]
    fn an_entry_maps_memory_if_it_allows_any_access() {
        let at = PhysAddr(0x8000_1000);
        let none = Permissions { user: false, writable: false, kernel_executable: false };
        for (entry, expected) in [
            (0x2000_04fe, Entry::Empty),
            (0x2000_04f1, Entry::Branch(at)),
            (0x2000_0403, Entry::Leaf(at, none)),
            (0x2000_0405, Entry::Leaf(at, Permissions { writable: true, ..none })),
            (0x2000_0409, Entry::Leaf(at, Permissions { kernel_executable: true, ..none })),
            (0x2000_0419, Entry::Leaf(at, Permissions { user: true, ..none })),
        ] {
            assert_eq!(Descriptors::decode(entry, 0), expected, "{entry:#x}");
        }
        let all = Permissions { user: true, writable: true, kernel_executable: false };
        assert_eq!(Descriptors::decode(u64::MAX, 0), Entry::Leaf(PhysAddr(0x00ff_ffff_ffff_f000), all));
    }
}
