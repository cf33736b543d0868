//! Entries of translation tables.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, chapter 4.

use crate::address::PhysAddr;

use crate::format::{Access, Entry, Format, Halves, MemoryType, Owner, Permissions};

const PRESENT: u64 = 1 << 0;
const WRITABLE: u64 = 1 << 1;
const USER: u64 = 1 << 2;
const WRITE_THROUGH: u64 = 1 << 3;
const CACHE_DISABLED: u64 = 1 << 4;
const ACCESSED: u64 = 1 << 5;
const DIRTY: u64 = 1 << 6;
const LARGE: u64 = 1 << 7;
const GLOBAL: u64 = 1 << 8;
const EXECUTE_NEVER: u64 = 1 << 63;
const ADDRESS_MASK: u64 = 0x000f_ffff_ffff_f000;

/// Four-level paging.
#[derive(Debug)]
pub struct Descriptors;

impl Format for Descriptors {
    const USER_HEIGHT: u32 = 3;
    const KERNEL_HEIGHT: u32 = 3;
    const MAX_LEAF_HEIGHT: u32 = 2;
    const HALVES: Halves = Halves::Together;

    fn branch(table: PhysAddr) -> u64 {
        table.0 | PRESENT | WRITABLE | USER | ACCESSED
    }

    fn attributes(height: u32, access: Access) -> u64 {
        let has = |condition: bool, bits: u64| if condition { bits } else { 0 };
        PRESENT
            | ACCESSED
            | DIRTY
            | has(height > 0, LARGE)
            | has(access.write, WRITABLE)
            | match access.owner {
                Owner::Kernel => GLOBAL,
                Owner::User => USER,
                Owner::Work => 0,
            }
            | has(access.memory != MemoryType::Cached, WRITE_THROUGH | CACHE_DISABLED)
            | has(!access.execute, EXECUTE_NEVER)
    }

    fn decode(entry: u64, height: u32) -> Entry {
        let address = PhysAddr(entry & ADDRESS_MASK);
        if entry & PRESENT == 0 {
            Entry::Empty
        } else if height > 0 && entry & LARGE == 0 {
            Entry::Branch(address)
        } else {
            Entry::Leaf(address, permissions(entry))
        }
    }
}

/// Decodes permissions. SMEP, if the processor has it, keeps the kernel from executing user pages.
fn permissions(entry: u64) -> Permissions {
    Permissions {
        user: entry & USER != 0,
        writable: entry & WRITABLE != 0,
        kernel_executable: entry & (EXECUTE_NEVER | USER) == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Access =
        Access { owner: Owner::User, write: false, execute: true, memory: MemoryType::Cached };

    fn permissions_of(height: u32, access: Access) -> Permissions {
        match Descriptors::decode(
            Descriptors::leaf(PhysAddr(0x20_0000), Descriptors::attributes(height, access)),
            height,
        ) {
            Entry::Leaf(PhysAddr(0x20_0000), permissions) => permissions,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn written_permissions_are_read_back() {
        for height in [0, 1] {
            let permissions = permissions_of(height, CODE);
            assert_eq!(
                (permissions.user, permissions.writable, permissions.kernel_executable),
                (true, false, false)
            );
            let permissions = permissions_of(height, Access { owner: Owner::Kernel, ..CODE });
            assert_eq!((permissions.user, permissions.kernel_executable), (false, true));
            let permissions = permissions_of(height, Access { write: true, execute: false, ..CODE });
            assert_eq!((permissions.writable, permissions.kernel_executable), (true, false));
        }
    }

    #[test]
    fn uncached_memory_is_uncacheable_for_both_page_sizes() {
        for height in [0, 1] {
            let bits = |memory| {
                Descriptors::attributes(height, Access { memory, ..CODE }) & (WRITE_THROUGH | CACHE_DISABLED)
            };
            assert_eq!(bits(MemoryType::Cached), 0);
            // Entry 3 of the page attribute table is strong uncacheable after reset.
            assert_eq!(bits(MemoryType::Uncached), WRITE_THROUGH | CACHE_DISABLED);
            assert_eq!(bits(MemoryType::Device), WRITE_THROUGH | CACHE_DISABLED);
        }
    }

    #[test]
    fn memory_of_work_is_privileged_and_not_global() {
        for (owner, expected) in [(Owner::Kernel, GLOBAL), (Owner::User, USER), (Owner::Work, 0)] {
            for height in [0, 1] {
                let entry = Descriptors::attributes(height, Access { owner, ..CODE });
                assert_eq!(entry & (GLOBAL | USER), expected, "{owner:?}");
            }
        }
        let data = Access { owner: Owner::Work, write: true, execute: false, ..CODE };
        let expected = Permissions { user: false, writable: true, kernel_executable: false };
        assert_eq!(permissions_of(0, data), expected);
    }

    #[test]
    fn tables_and_empty_entries_are_distinguished_from_memory() {
        let table = PhysAddr(0x1234_5000);
        assert_eq!(Descriptors::decode(Descriptors::branch(table), 3), Entry::Branch(table));
        assert_eq!(Descriptors::decode(Descriptors::branch(table), 1), Entry::Branch(table));
        assert_eq!(Descriptors::decode(0, 0), Entry::Empty);
    }

    #[test]
    fn entries_are_those_of_the_manual() {
        let data = Access { owner: Owner::Kernel, write: true, execute: false, ..CODE };
        let device = Access { owner: Owner::User, memory: MemoryType::Device, ..data };
        assert_eq!(Descriptors::attributes(0, CODE), 0x65);
        assert_eq!(Descriptors::attributes(0, data), 1 << 63 | 0x163);
        assert_eq!(Descriptors::attributes(1, device), 1 << 63 | 0xff);
        assert_eq!(Descriptors::branch(PhysAddr(0x1234_5000)), 0x1234_5027);
    }

    #[test]
    fn only_its_own_bits_decide_about_an_entry() {
        let at = PhysAddr(0x000f_ffff_ffff_f000);
        let all = Permissions { user: true, writable: true, kernel_executable: false };
        assert_eq!(Descriptors::decode(u64::MAX, 0), Entry::Leaf(at, all));
        assert_eq!(Descriptors::decode(u64::MAX, 1), Entry::Leaf(at, all));
        assert_eq!(Descriptors::decode(u64::MAX - 0x80, 1), Entry::Branch(at));
        assert_eq!(Descriptors::decode(u64::MAX - 1, 1), Entry::Empty);
        let none = Permissions { user: false, writable: false, kernel_executable: true };
        assert_eq!(Descriptors::decode(1, 0), Entry::Leaf(PhysAddr(0), none));
    }
}
