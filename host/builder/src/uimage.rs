//! The image for boot loaders of RISC-V boards, with the headers of U-Boot's legacy format and of a Linux kernel.
//!
//! ```text
//! | legacy header | kernel header | loader ...
//! 0               64              128            in the file
//!                 entry - 64      entry          in memory
//! ```
//!
//! Sources: U-Boot, legacy image format (numbers are big-endian); Linux, boot image header in RISC-V Linux
//! (little-endian).

use limen_sdf::Diagnostic;

use crate::board::Board;
use crate::error::{Context, error};
use crate::payload::Layout;

const HEADER_BYTES: u64 = 64;

const LEGACY_MAGIC: u32 = 0x2705_1956;
const OS_LINUX: u8 = 5;
const ARCHITECTURE_RISCV: u8 = 26;
const TYPE_KERNEL: u8 = 2;
const COMPRESSION_NONE: u8 = 0;
const NAME: &[u8] = b"seL4 Microkit";
/// The legacy header's checksum of itself. It is zero during the computation.
const CHECKSUM: std::ops::Range<usize> = 4..8;

/// `j . + 64`: an entry at the header continues in the loader.
const JUMP_OVER_HEADER: u32 = 0x0400_006f;
/// Version 0.2 of the kernel header.
const KERNEL_HEADER_VERSION: u32 = 2;
const KERNEL_MAGIC: &[u8] = b"RISCV\0\0\0RSC\x05\0\0\0\0";

/// Prepends both headers to the flat image.
///
/// # Errors
/// Addresses or size exceed the 32-bit fields of the legacy header.
pub fn wrap(flat: &[u8], layout: &Layout, board: &Board) -> Result<Vec<u8>, Diagnostic> {
    let load = layout.start - HEADER_BYTES;
    let ram_start = board.ram.first().map_or(0, |ram| ram.start);
    let mut payload = kernel_header(load.saturating_sub(ram_start), layout.end - load);
    payload.extend(flat);
    let mut file = legacy_header(&payload, load, layout.start).ok_or_else(|| {
        let message =
            format!("Error: an image of 0x{:x} bytes at 0x{load:x} cannot be a uImage", payload.len());
        error("uimage-output", message).help("Its header has 32-bit fields; choose another --image-type.")
    })?;
    file.append(&mut payload);
    Ok(file)
}

fn kernel_header(offset_in_ram: u64, memory_bytes: u64) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(u64::from(JUMP_OVER_HEADER).to_le_bytes());
    header.extend(offset_in_ram.to_le_bytes());
    header.extend(memory_bytes.to_le_bytes());
    header.extend([0; 8]);
    header.extend(KERNEL_HEADER_VERSION.to_le_bytes());
    header.extend([0; 12]);
    header.extend(KERNEL_MAGIC);
    header
}

fn legacy_header(payload: &[u8], load: u64, entry: u64) -> Option<Vec<u8>> {
    let numbers = [
        LEGACY_MAGIC,
        0,
        0,
        u32::try_from(payload.len()).ok()?,
        u32::try_from(load).ok()?,
        u32::try_from(entry).ok()?,
        crc32(payload),
    ];
    let mut header: Vec<u8> = numbers.into_iter().flat_map(u32::to_be_bytes).collect();
    header.extend([OS_LINUX, ARCHITECTURE_RISCV, TYPE_KERNEL, COMPRESSION_NONE]);
    header.extend(NAME);
    header.resize(HEADER_BYTES as usize, 0);
    let checksum = crc32(&header).to_be_bytes();
    header[CHECKSUM].copy_from_slice(&checksum);
    Some(header)
}

/// The checksum of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < table.len() {
            let mut value = byte as u32;
            let mut bit = 0;
            while bit < u8::BITS {
                value = value >> 1 ^ if value & 1 == 1 { POLYNOMIAL } else { 0 };
                bit += 1;
            }
            table[byte] = value;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, byte| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_matches_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn header_fields_are_at_the_offsets_of_the_formats() {
        let mut payload = kernel_header(0x0fff_ffc0, 0x3000);
        assert_eq!(payload.len() as u64, HEADER_BYTES);
        assert_eq!(payload[0x30..0x38], *b"RISCV\0\0\0");
        assert_eq!(payload[0x38..0x3c], *b"RSC\x05");
        payload.extend([1, 2, 3]);
        let header = legacy_header(&payload, 0x8fff_ffc0, 0x9000_0000).unwrap();
        assert_eq!(header.len() as u64, HEADER_BYTES);
        assert_eq!(header[12..24], [0, 0, 0, 67, 0x8f, 0xff, 0xff, 0xc0, 0x90, 0, 0, 0]);
        assert_eq!(header[28..45], *b"\x05\x1a\x02\0seL4 Microkit");
        let mut unsummed = header.clone();
        unsummed[CHECKSUM].fill(0);
        assert_eq!(header[CHECKSUM], crc32(&unsummed).to_be_bytes());
    }

    #[test]
    fn an_address_beyond_32_bits_has_no_header() {
        assert_eq!(legacy_header(&[], 0xffff_ffff_ffc0, 1 << 32), None);
    }
}
