//! Information from the Multiboot loader and a PC's firmware.
//!
//! Source: Multiboot Specification 0.6.96, section 3.3; ACPI Specification 6.5, section 5.2.5.

use limen_abi::boot_info::BootInfo;
use limen_core::object::secure_monitor::REGISTERS;
use limen_image::Image;
use limen_mmu::address::PhysAddr;

use super::timer;
use crate::boot_info::Piece;
use crate::identity_map::firmware_bytes;

/// Flags in the first word of the Multiboot information, and the offsets of the fields that they stand for.
const HAS_MEMORY: u32 = 1 << 6;
const MEMORY_BYTES: u64 = 44;
const MEMORY: u64 = 48;
const HAS_VBE: u32 = 1 << 11;
const VBE_BLOCKS: [(u64, usize); 2] = [(72, 512), (76, 256)];
const VBE_NUMBERS: u64 = 80;
const HAS_FRAME_BUFFER: u32 = 1 << 12;
const FRAME_BUFFER: u64 = 88;
const FRAME_BUFFER_BYTES: usize = 22;

/// The places to search for the ACPI root pointer: the first KiB of the extended BIOS data area, and the BIOS.
const EXTENDED_DATA_SEGMENT: u64 = 0x40e;
const EXTENDED_DATA_BYTES: u64 = 1 << 10;
const BIOS: (u64, u64) = (0xe_0000, 0x10_0000);
const ROOT_POINTER: &[u8] = b"RSD PTR ";
const ROOT_POINTER_STEP: usize = 16;
/// The size of a root pointer in the first revision and since the second, and the offset of the revision.
const ROOT_POINTER_BYTES: (usize, usize) = (20, 36);
const ROOT_POINTER_REVISION: usize = 15;

/// ACPI: offset of the root table's address in the root pointer, of the length in a table, and the size of a table's head.
const ROOT_TABLE: usize = 16;
const TABLE_LENGTH: u64 = 4;
const TABLE_HEAD_BYTES: usize = 36;
/// The table of interrupt controllers: its name, the size of its head, an entry of a processor, and the flag of one that is on.
const CONTROLLERS: &[u8] = b"APIC";
const CONTROLLERS_HEAD_BYTES: usize = 44;
const LOCAL_CONTROLLER: u8 = 0;
const IS_USABLE: u8 = 1;

const HZ_PER_MEGAHERTZ: u64 = 1_000_000;

/// Adds a piece; `None` if neither provides it.
pub fn tell(kind: BootInfo, image: &Image<'_>, firmware: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    match kind {
        BootInfo::X86MultibootMemory => memory(firmware, piece),
        BootInfo::X86AcpiRootPointer => root_pointer(piece),
        BootInfo::X86TscFrequency => {
            let megahertz = timer::frequency(&image.board()) / HZ_PER_MEGAHERTZ;
            piece.push(&(megahertz as u32).to_le_bytes());
            Some(())
        }
        BootInfo::X86Vbe => vbe(firmware, piece),
        BootInfo::X86FrameBuffer => {
            has(firmware, HAS_FRAME_BUFFER)?;
            piece.push(firmware_bytes(PhysAddr(firmware.0 + FRAME_BUFFER), FRAME_BUFFER_BYTES)?);
            Some(())
        }
        BootInfo::DeviceTree => None,
    }
}

fn has(information: PhysAddr, bit: u32) -> Option<()> {
    (word(information.0)? & bit != 0).then_some(())
}

/// The 32-bit word at a physical address.
fn word(paddr: u64) -> Option<u32> {
    Some(u32::from_le_bytes(firmware_bytes(PhysAddr(paddr), size_of::<u32>())?.try_into().ok()?))
}

/// The 16-bit word at a physical address.
fn short(paddr: u64) -> Option<u16> {
    Some(u16::from_le_bytes(firmware_bytes(PhysAddr(paddr), size_of::<u16>())?.try_into().ok()?))
}

/// The memory map: its size in bytes, then its entries.
fn memory(information: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    has(information, HAS_MEMORY)?;
    let bytes = word(information.0 + MEMORY_BYTES)?;
    let entries = firmware_bytes(PhysAddr(u64::from(word(information.0 + MEMORY)?)), bytes as usize)?;
    piece.push(&bytes.to_le_bytes());
    piece.push(entries);
    Some(())
}

/// The controller and mode blocks, then mode and interface as 32-bit words.
fn vbe(information: PhysAddr, piece: &mut Piece<'_>) -> Option<()> {
    has(information, HAS_VBE)?;
    for (pointer, bytes) in VBE_BLOCKS {
        piece.push(firmware_bytes(PhysAddr(u64::from(word(information.0 + pointer)?)), bytes)?);
    }
    for number in 0..4 {
        let value = short(information.0 + VBE_NUMBERS + number * size_of::<u16>() as u64)?;
        piece.push(&u32::from(value).to_le_bytes());
    }
    Some(())
}

fn root_pointer(piece: &mut Piece<'_>) -> Option<()> {
    let start = u64::from(short(EXTENDED_DATA_SEGMENT)?) << 4;
    let extended = (start, start + EXTENDED_DATA_BYTES);
    let (first, second) = ROOT_POINTER_BYTES;
    let found = [extended, BIOS].into_iter().find_map(root_pointer_in)?;
    let is_first = found.get(ROOT_POINTER_REVISION) == Some(&0);
    piece.push(found.get(..if is_first { first } else { second })?);
    if is_first {
        piece.push([0; ROOT_POINTER_BYTES.1 - ROOT_POINTER_BYTES.0].as_slice());
    }
    Some(())
}

/// Calls `visit` with the number of the local interrupt controller of each processor that ACPI lists as usable.
pub fn each_processor(mut visit: impl FnMut(u32)) {
    let mut rest = controllers().unwrap_or_default();
    while let [kind, length, entry @ ..] = rest {
        let (kind, length) = (*kind, usize::from(*length));
        if kind == LOCAL_CONTROLLER
            && let [_, number, flags, ..] = entry
            && flags & IS_USABLE != 0
        {
            visit(u32::from(*number));
        }
        // A length that cannot be ends the list.
        rest = rest.get(length.max(1)..).filter(|_| length >= 2).unwrap_or_default();
    }
}

/// The entries of ACPI's table of interrupt controllers.
fn controllers() -> Option<&'static [u8]> {
    let start = u64::from(short(EXTENDED_DATA_SEGMENT)?) << 4;
    let extended = (start, start + EXTENDED_DATA_BYTES);
    let pointer = [extended, BIOS].into_iter().find_map(root_pointer_in)?;
    let address = u32::from_le_bytes(*pointer.get(ROOT_TABLE..)?.first_chunk()?);
    let (tables, _) = table(u64::from(address))?.get(TABLE_HEAD_BYTES..)?.as_chunks();
    let tables = tables.iter().filter_map(|address| table(u64::from(u32::from_le_bytes(*address))));
    tables.into_iter().find(|table| table.starts_with(CONTROLLERS))?.get(CONTROLLERS_HEAD_BYTES..)
}

/// An ACPI table with its head.
fn table(paddr: u64) -> Option<&'static [u8]> {
    firmware_bytes(PhysAddr(paddr), word(paddr + TABLE_LENGTH)? as usize)
}

/// The root pointer in a range of memory, with the bytes that follow it.
fn root_pointer_in((start, end): (u64, u64)) -> Option<&'static [u8]> {
    let area = firmware_bytes(PhysAddr(start), (end - start) as usize)?;
    let places = (0..area.len()).step_by(ROOT_POINTER_STEP).filter_map(|offset| area.get(offset..));
    places.into_iter().find(|place| place.starts_with(ROOT_POINTER) && is_whole(place))
}

/// The checksum: the bytes of the first revision add up to zero.
fn is_whole(pointer: &[u8]) -> bool {
    let checked = pointer.get(..ROOT_POINTER_BYTES.0);
    checked.is_some_and(|bytes| bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)) == 0)
}

/// Does nothing: there is no secure monitor, and no image has a capability to one.
pub fn call_secure_monitor(registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
    registers
}
