//! Address space identifiers: which a hart has, and the fence that entering an address space needs.
//!
//! Source: The RISC-V Instruction Set Manual, Volume II: the `satp` register and `SFENCE.VMA`. A hart implements the
//! lowest bits of the identifier, perhaps none, and drops what is written to the others. Software that uses
//! identifier 0 for several address spaces executes, after each write of `satp`, a fence of identifier 0 whose second
//! operand is a register other than `x0`; that fence keeps global translations.
//!
//! - An address space whose identifier the hart has is the only one with it: its translations stay valid, because
//!   nothing changes page tables after boot. It needs no fence.
//! - All others have identifier 0. The fence on entry drops translations of the one before. The kernel's are global,
//!   the same in every address space, and stay.

use super::system::{SATP_ASID_BITS, SATP_ASID_SHIFT, satp};
use crate::address::PhysAddr;

const SATP_ASID: u64 = ((1 << SATP_ASID_BITS) - 1) << SATP_ASID_SHIFT;

/// The highest bit of an identifier, which every address space with its own has. A hart without the bit drops it, so it tells
/// address spaces apart at no cost.
const OWN: u16 = 1 << (SATP_ASID_BITS - 1);

/// The value of `satp` that a hart holds after `identifier` was written to it.
#[must_use]
pub const fn with_identifier(satp: u64, identifier: u16) -> u64 {
    satp & !SATP_ASID | (identifier as u64) << SATP_ASID_SHIFT
}

/// The value of `satp` for these tables. `held` is what the hart holds after `written` was written, with the same
/// identifier.
#[must_use]
pub const fn register(top_table: PhysAddr, identifier: u16, written: u64, held: u64) -> u64 {
    satp(top_table, if written == held { identifier | OWN } else { 0 })
}

/// Whether entering an address space needs a fence of identifier 0: two instructions.
#[inline]
#[must_use]
pub const fn needs_fence(satp: u64) -> bool {
    (satp << (u64::BITS - SATP_ASID_SHIFT - SATP_ASID_BITS)).cast_signed() >= 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlb_model::{KERNEL_PAGE, Numbers, PROGRAM_PAGE, Tlb};

    const SPACES: u64 = 9;
    const KERNEL_FRAME: u64 = 99;

    /// A hart with this many bits for identifiers.
    struct Hart {
        bits: u32,
        satp: u64,
        tlb: Tlb,
        walks_of_kernel: u32,
    }

    impl Hart {
        fn new(bits: u32) -> Self {
            Self { bits, satp: 0, tlb: Tlb::default(), walks_of_kernel: 0 }
        }

        fn write(&mut self, satp: u64) {
            let dropped = SATP_ASID & !(((1 << self.bits) - 1) << SATP_ASID_SHIFT);
            self.satp = satp & !dropped;
        }

        fn identifier(&self) -> u16 {
            ((self.satp & SATP_ASID) >> SATP_ASID_SHIFT) as u16
        }

        fn register(&mut self, space: u64) -> u64 {
            let (identifier, old) = (space as u16, self.satp);
            let written = with_identifier(old, identifier);
            self.write(written);
            let held = self.satp;
            self.write(old);
            register(table(space), identifier, written, held)
        }

        fn enter(&mut self, satp: u64, fence: impl Fn(u64) -> bool) {
            self.write(satp);
            if fence(satp) {
                self.tlb.flush_identifier(0);
            }
        }

        /// The frames behind a page of the program and one of the kernel.
        fn access(&mut self) -> (u64, u64) {
            let (identifier, root) = (self.identifier(), self.satp & !SATP_ASID);
            let program = self.tlb.translate(identifier, PROGRAM_PAGE, || (root, false));
            let walks = &mut self.walks_of_kernel;
            let kernel = self.tlb.translate(identifier, KERNEL_PAGE, || {
                *walks += 1;
                (KERNEL_FRAME, true)
            });
            (program, kernel)
        }
    }

    fn table(space: u64) -> PhysAddr {
        PhysAddr(0x8000_0000 + space * 0x1000)
    }

    /// Switches in a run; in Miri fewer.
    const SWITCHES: u32 = if cfg!(miri) { 30 } else { 2000 };

    /// Switches between address spaces; how many accesses reached the memory of another, and walks of kernel pages.
    fn switches(bits: u32, fence: impl Fn(u64) -> bool + Copy) -> (u32, u32) {
        let mut hart = Hart::new(bits);
        let registers: Vec<u64> = (1..=SPACES).map(|space| hart.register(space)).collect();
        let (mut numbers, mut wrong) = (Numbers::new(u64::from(bits)), 0);
        for _ in 0..SWITCHES {
            let space = numbers.below(SPACES);
            hart.enter(registers[space as usize], fence);
            if hart.access() != (satp(table(space + 1), 0), KERNEL_FRAME) {
                wrong += 1;
            }
        }
        (wrong, hart.walks_of_kernel)
    }

    #[test]
    fn every_access_reaches_the_current_address_space_with_any_number_of_bits() {
        for bits in 0..=SATP_ASID_BITS {
            assert_eq!(switches(bits, needs_fence), (0, 1), "{bits} bits: and kernel pages are walked once");
        }
    }

    #[test]
    fn the_model_finds_missing_fences() {
        for bits in 0..4 {
            assert_ne!(switches(bits, |_| false).0, 0, "{bits} bits");
        }
        assert_eq!(switches(4, |_| false).0, 0, "nine identifiers fit in four bits");
    }

    #[test]
    fn identifiers_that_do_not_fit_are_zero() {
        for (bits, fitting) in [(0, 0), (1, 1), (2, 3), (3, 7), (4, SPACES), (16, SPACES)] {
            let mut hart = Hart::new(bits);
            hart.write(satp(table(0), 0));
            let with = (1..=SPACES).filter(|space| !needs_fence(hart.register(*space))).count() as u64;
            assert_eq!(with, fitting, "{bits} bits");
            assert_eq!(hart.satp, satp(table(0), 0), "probing restores the register");
        }
    }

    #[test]
    fn the_highest_bit_of_the_identifier_decides_about_a_fence() {
        assert!(needs_fence(0) && needs_fence(!(1 << 59)));
        assert!(!needs_fence(1 << 59) && !needs_fence(u64::MAX));
        assert_eq!(with_identifier(u64::MAX, 0x1234), 0xf123_4fff_ffff_ffff);
        assert_eq!(with_identifier(0, 0x1234), 0x0123_4000_0000_0000);
    }
}
