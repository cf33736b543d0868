//! MMU settings.
//!
//! Source: The RISC-V Instruction Set Manual, Volume II: the `satp` register.

use crate::address::PhysAddr;

/// Bits of a user address: the lower half.
pub const USER_ADDRESS_BITS: u64 = 38;
/// `satp`: Sv39 translation.
pub const SATP_SV39: u64 = 8 << 60;
/// `satp`: position of the address space identifier.
pub const SATP_ASID_SHIFT: u32 = 44;
/// `satp`: bits of the address space identifier.
pub const SATP_ASID_BITS: u32 = 16;
/// `satp`: the page number of the top table.
pub const SATP_PAGE: u64 = (1 << SATP_ASID_SHIFT) - 1;
/// Bits of an address inside a page.
pub const PAGE_BITS: u32 = 12;

/// The value of `satp` for these tables.
#[must_use]
pub const fn satp(top_table: PhysAddr, asid: u16) -> u64 {
    SATP_SV39 | (asid as u64) << SATP_ASID_SHIFT | top_table.0 >> PAGE_BITS
}

/// The top table that a value of `satp` names.
#[must_use]
pub const fn top_table(satp: u64) -> PhysAddr {
    PhysAddr((satp & SATP_PAGE) << PAGE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn satp_has_mode_identifier_and_page_number() {
        let value = satp(PhysAddr(0x8000_1000), 5);
        assert_eq!(value, 0x8000_5000_0008_0001);
        assert_eq!(top_table(value), PhysAddr(0x8000_1000));
        assert_eq!(top_table(u64::MAX), PhysAddr(0x00ff_ffff_ffff_f000));
    }
}
