//! Page-table entries, and the kernel's address space.

use limen_core::address::{PhysAddr, VirtAddr};
use limen_loader::translation::aarch64::{descriptor as bits, system};

use crate::page_table::{Access, Entry, Format, MemoryType, Owner, Permissions, span_bytes};

/// First address after those of programs.
pub const USER_END: u64 = 1 << system::USER_ADDRESS_BITS;
/// First address of the kernel's half.
pub const KERNEL_BASE: u64 = u64::MAX << system::KERNEL_ADDRESS_BITS;
/// Height of the top table of the kernel's half.
pub const KERNEL_HEIGHT: u32 = bits::KERNEL_HEIGHT;

/// Device windows take the last large page of the kernel's first gigabyte, far above its image.
const WINDOWS: u64 = KERNEL_BASE + span_bytes(2) - span_bytes(1);
/// Registers of the debug console.
pub const CONSOLE: VirtAddr = VirtAddr(WINDOWS);
/// Registers of the interrupt controller.
pub const INTERRUPT_CONTROLLER: VirtAddr = VirtAddr(WINDOWS + span_bytes(0));
/// Registers of the interrupt controller's CPU interface.
pub const INTERRUPT_CPU: VirtAddr = VirtAddr(WINDOWS + 2 * span_bytes(0));

/// The VMSAv8-64 format with 4 KiB pages.
#[derive(Debug)]
pub struct Descriptors;

impl Format for Descriptors {
    const USER_HEIGHT: u32 = bits::USER_HEIGHT;

    fn branch(table: PhysAddr) -> u64 {
        table.0 | bits::VALID | bits::TABLE
    }

    fn attributes(height: u32, access: Access) -> u64 {
        let mut entry = bits::leaf(height) | bits::ACCESSED | bits::INNER_SHAREABLE;
        entry |= (memory(access.memory) as u64) << bits::ATTRIBUTE_SHIFT;
        if !access.write {
            entry |= bits::READ_ONLY;
        }
        if access.owner == Owner::User {
            entry |= bits::USER | bits::NOT_GLOBAL;
        }
        if !(access.execute && access.owner == Owner::Kernel) {
            entry |= bits::KERNEL_EXECUTE_NEVER;
        }
        if !(access.execute && access.owner == Owner::User) {
            entry |= bits::USER_EXECUTE_NEVER;
        }
        entry
    }

    fn leaf(start: PhysAddr, attributes: u64) -> u64 {
        start.0 | attributes
    }

    fn decode(entry: u64, height: u32) -> Entry {
        let address = PhysAddr(entry & bits::ADDRESS_MASK);
        if entry & bits::VALID == 0 {
            Entry::Empty
        } else if bits::is_branch(entry, height) {
            Entry::Branch(address)
        } else {
            Entry::Leaf(address, permissions(entry))
        }
    }
}

fn memory(memory: MemoryType) -> system::Memory {
    match memory {
        MemoryType::Cached => system::Memory::Cached,
        MemoryType::Uncached => system::Memory::Uncached,
        MemoryType::Device => system::Memory::Device,
    }
}

/// Takes the entry at its word: that hardware refuses to execute what is writable is not relied upon.
fn permissions(entry: u64) -> Permissions {
    Permissions {
        user: entry & bits::USER != 0,
        writable: entry & bits::READ_ONLY == 0,
        kernel_executable: entry & bits::KERNEL_EXECUTE_NEVER == 0,
    }
}
