//! MMU settings.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487): MAIR_EL1, TCR_EL1, SCTLR_EL1.

/// Memory types, by their index in [`MAIR`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Memory {
    /// Device-nGnRnE: registers of a device.
    Device = 0,
    /// Normal memory, not cacheable.
    Uncached = 1,
    /// Normal memory, write-back, allocated on read and write.
    Cached = 2,
}

const DEVICE_NGNRNE: u64 = 0x00;
const NORMAL_NON_CACHEABLE: u64 = 0x44;
const NORMAL_WRITE_BACK: u64 = 0xff;

/// MAIR_EL1: the attributes of each [`Memory`].
pub const MAIR: u64 = DEVICE_NGNRNE << (8 * Memory::Device as u64)
    | NORMAL_NON_CACHEABLE << (8 * Memory::Uncached as u64)
    | NORMAL_WRITE_BACK << (8 * Memory::Cached as u64);

/// Bits of a user address.
pub const USER_ADDRESS_BITS: u64 = 40;
/// Bits of a kernel address; the higher bits are all set.
pub const KERNEL_ADDRESS_BITS: u64 = 39;

/// Table walks: inner shareable, write-back.
const WALKS: u64 = 0b11_01_01 << 8;
const TTBR1_SHIFT: u64 = 16;
/// 4 KiB pages, which the two halves encode differently.
const TTBR1_PAGES_4K: u64 = 0b10 << 30;

/// TCR_EL1 without the physical address size, which the loader reads from the processor.
pub const TCR: u64 = (64 - USER_ADDRESS_BITS)
    | (64 - KERNEL_ADDRESS_BITS) << TTBR1_SHIFT
    | WALKS
    | WALKS << TTBR1_SHIFT
    | TTBR1_PAGES_4K;
/// Position of the physical address size in TCR_EL1.
pub const TCR_IPS_SHIFT: u32 = 32;
/// The largest physical address size with 48-bit entries.
pub const TCR_IPS_MAX: u64 = 5;

/// Bits of SCTLR_EL1 that are one if the processor lacks their feature.
pub const SCTLR_RESERVED_ONE: u64 = 1 << 29 | 1 << 28 | 1 << 23 | 1 << 22 | 1 << 20 | 1 << 11;
/// WXN: writable memory is not executable, in either mode.
pub const SCTLR_WXN: u64 = 1 << 19;
const SCTLR_MMU: u64 = 1 << 0;
const SCTLR_DATA_CACHE: u64 = 1 << 2;
const SCTLR_STACK_ALIGNMENT: u64 = 1 << 3 | 1 << 4;
const SCTLR_INSTRUCTION_CACHE: u64 = 1 << 12;
/// User mode may use `dc zva`, read the cache type, wait for interrupts and events, and maintain caches.
const SCTLR_USER: u64 = 1 << 14 | 1 << 15 | 1 << 16 | 1 << 18 | 1 << 26;

/// SCTLR_EL1 with the MMU on.
pub const SCTLR: u64 = SCTLR_RESERVED_ONE
    | SCTLR_MMU
    | SCTLR_DATA_CACHE
    | SCTLR_STACK_ALIGNMENT
    | SCTLR_INSTRUCTION_CACHE
    | SCTLR_USER
    | SCTLR_WXN;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_translation_control_register_has_the_fields_of_the_manual() {
        let field = |first: u32, bits: u32| TCR >> first & ((1 << bits) - 1);
        // T0SZ and T1SZ: the bits that addresses lack.
        assert_eq!((field(0, 6), field(16, 6)), (64 - 40, 64 - 39));
        // IRGN, ORGN, SH of either half: write-back, write-back, inner shareable.
        assert_eq!([8, 10, 12].map(|first| field(first, 2)), [0b01, 0b01, 0b11]);
        assert_eq!([24, 26, 28].map(|first| field(first, 2)), [0b01, 0b01, 0b11]);
        // TG0 and TG1: 4 KiB.
        assert_eq!((field(14, 2), field(30, 2)), (0b00, 0b10));
        // EPD0, A1 and EPD1: walks of both halves, identifiers in TTBR0_EL1. Nothing above TG1.
        assert_eq!((field(6, 2), field(22, 2), field(32, 32)), (0, 0, 0));
    }

    #[test]
    fn the_system_control_register_has_only_the_bits_that_are_named() {
        let set: Vec<u32> = (0..64).filter(|bit| SCTLR >> bit & 1 != 0).collect();
        // M, C, SA, SA0, EOS, I, DZE, UCT, nTWI, nTWE, WXN, TSCXT, EIS, SPAN, UCI, nTLSMD, LSMAOE.
        assert_eq!(set, [0, 2, 3, 4, 11, 12, 14, 15, 16, 18, 19, 20, 22, 23, 26, 28, 29]);
    }

    #[test]
    fn memory_attributes_are_in_the_order_of_the_types() {
        assert_eq!(MAIR, 0xff_4400);
    }
}
