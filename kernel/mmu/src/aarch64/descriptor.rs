//! A translation table entry.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), VMSAv8-64 descriptor formats.

use crate::address::PhysAddr;

use super::system::Memory;
use crate::format::{Access, Entry, Format, Halves, MemoryType, Owner, Permissions};

const VALID: u64 = 1 << 0;
/// Above height 0: the entry leads to a table. At height 0: set in every valid entry.
const TABLE: u64 = 1 << 1;
/// Position of the attribute index, see [`super::system::MAIR`].
const ATTRIBUTE_SHIFT: u32 = 2;
const USER: u64 = 1 << 6;
const READ_ONLY: u64 = 1 << 7;
/// Coherent between the processors.
const INNER_SHAREABLE: u64 = 0b11 << 8;
/// Set, so that hardware need not record the first access.
const ACCESSED: u64 = 1 << 10;
/// The translation belongs to the current address space identifier.
const NOT_GLOBAL: u64 = 1 << 11;
const KERNEL_EXECUTE_NEVER: u64 = 1 << 53;
const USER_EXECUTE_NEVER: u64 = 1 << 54;
const ADDRESS_MASK: u64 = 0x0000_ffff_ffff_f000;

/// VMSAv8-64 with 4 KiB pages.
#[derive(Debug)]
pub struct Descriptors;

impl Format for Descriptors {
    const USER_HEIGHT: u32 = 3;
    const KERNEL_HEIGHT: u32 = 2;
    const MAX_LEAF_HEIGHT: u32 = 2;
    const HALVES: Halves = Halves::Apart;

    fn branch(table: PhysAddr) -> u64 {
        table.0 | VALID | TABLE
    }

    fn attributes(height: u32, access: Access) -> u64 {
        let mut entry = leaf(height) | ACCESSED | INNER_SHAREABLE;
        entry |= (memory(access.memory) as u64) << ATTRIBUTE_SHIFT;
        if !access.write {
            entry |= READ_ONLY;
        }
        entry |= match access.owner {
            Owner::Kernel => 0,
            Owner::User => USER | NOT_GLOBAL,
            Owner::Work => NOT_GLOBAL,
        };
        if !(access.execute && access.owner == Owner::Kernel) {
            entry |= KERNEL_EXECUTE_NEVER;
        }
        if !(access.execute && access.owner == Owner::User) {
            entry |= USER_EXECUTE_NEVER;
        }
        entry
    }

    fn decode(entry: u64, height: u32) -> Entry {
        let address = PhysAddr(entry & ADDRESS_MASK);
        if entry & VALID == 0 {
            Entry::Empty
        } else if height > 0 && entry & TABLE != 0 {
            Entry::Branch(address)
        } else {
            Entry::Leaf(address, permissions(entry))
        }
    }
}

/// The type bits of an entry of this height that maps memory.
const fn leaf(height: u32) -> u64 {
    if height == 0 { VALID | TABLE } else { VALID }
}

fn memory(memory: MemoryType) -> Memory {
    match memory {
        MemoryType::Cached => Memory::Cached,
        MemoryType::Uncached => Memory::Uncached,
        MemoryType::Device => Memory::Device,
    }
}

/// Reads only the entry's own bits: the result does not rely on WXN, which makes writable pages not executable.
fn permissions(entry: u64) -> Permissions {
    Permissions {
        user: entry & USER != 0,
        writable: entry & READ_ONLY == 0,
        kernel_executable: entry & KERNEL_EXECUTE_NEVER == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::system::MAIR;
    use super::*;

    /// The MAIR_EL1 byte for a page of programs.
    fn memory_attributes(height: u32, memory: MemoryType) -> u64 {
        let access = Access { owner: Owner::User, write: true, execute: false, memory };
        let index = Descriptors::attributes(height, access) >> ATTRIBUTE_SHIFT & 0b111;
        MAIR >> (8 * index) & 0xff
    }

    #[test]
    fn memory_of_work_is_privileged_and_not_global() {
        let data = |owner| Access { owner, write: true, execute: false, memory: MemoryType::Cached };
        for (owner, expected) in
            [(Owner::Kernel, 0), (Owner::User, USER | NOT_GLOBAL), (Owner::Work, NOT_GLOBAL)]
        {
            for height in [0, 1] {
                let entry = Descriptors::attributes(height, data(owner));
                assert_eq!(entry & (USER | NOT_GLOBAL | READ_ONLY), expected, "{owner:?}");
                assert_eq!(entry & KERNEL_EXECUTE_NEVER, KERNEL_EXECUTE_NEVER);
            }
        }
    }

    #[test]
    fn memory_of_work_is_never_executable() {
        let code = Access { owner: Owner::Work, write: false, execute: true, memory: MemoryType::Cached };
        let never = KERNEL_EXECUTE_NEVER | USER_EXECUTE_NEVER;
        assert_eq!(Descriptors::attributes(0, code) & never, never);
    }

    #[test]
    fn uncached_memory_is_normal_non_cacheable_for_both_page_sizes() {
        for height in [0, 1] {
            assert_eq!(memory_attributes(height, MemoryType::Uncached), 0x44);
            assert_eq!(memory_attributes(height, MemoryType::Device), 0x00);
            assert_eq!(memory_attributes(height, MemoryType::Cached), 0xff);
        }
    }

    #[test]
    fn entries_are_those_of_the_manual() {
        let data = Access { owner: Owner::User, write: true, execute: false, memory: MemoryType::Cached };
        let code = Access { write: false, execute: true, ..data };
        let kernel_code = Access { owner: Owner::Kernel, ..code };
        let registers = Access { owner: Owner::Kernel, memory: MemoryType::Device, ..data };
        assert_eq!(Descriptors::attributes(0, data), 0x0060_0000_0000_0f4b);
        assert_eq!(Descriptors::attributes(0, code), 0x0020_0000_0000_0fcb);
        assert_eq!(Descriptors::attributes(1, kernel_code), 0x0040_0000_0000_0789);
        assert_eq!(Descriptors::attributes(0, registers), 0x0060_0000_0000_0703);
        assert_eq!(Descriptors::branch(PhysAddr(0x1234_5000)), 0x1234_5003);
    }

    #[test]
    fn the_height_decides_whether_a_valid_entry_is_a_table() {
        let at = PhysAddr(0x1234_5000);
        let data = Permissions { user: false, writable: true, kernel_executable: true };
        for (entry, height, expected) in [
            (0x1234_5003, 0, Entry::Leaf(at, data)),
            (0x1234_5003, 1, Entry::Branch(at)),
            (0x1234_5003, 3, Entry::Branch(at)),
            (0x1234_5001, 1, Entry::Leaf(at, data)),
            (0x1234_5002, 1, Entry::Empty),
        ] {
            assert_eq!(Descriptors::decode(entry, height), expected, "{entry:#x} at height {height}");
        }
    }

    #[test]
    fn only_its_own_bits_decide_about_permissions() {
        let at = PhysAddr(0x0000_ffff_ffff_f000);
        let locked = Permissions { user: true, writable: false, kernel_executable: false };
        assert_eq!(Descriptors::decode(u64::MAX, 0), Entry::Leaf(at, locked));
        for (bit, expected) in [
            (6, Permissions { user: false, ..locked }),
            (7, Permissions { writable: true, ..locked }),
            (53, Permissions { kernel_executable: true, ..locked }),
        ] {
            assert_eq!(Descriptors::decode(u64::MAX ^ 1 << bit, 0), Entry::Leaf(at, expected), "bit {bit}");
        }
    }
}
