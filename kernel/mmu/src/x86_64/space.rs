//! The values of cr3: with process-context identifiers if the processor has them, and without.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 4.10.1 and 4.10.4. With CR4.PCIDE set,
//! bits 0 to 11 of cr3 are the current identifier; translations that are not global belong to the identifier under which
//! the processor made them. A load of cr3 drops those of the identifier that it selects, unless bit 63 of the operand
//! is set. Without CR4.PCIDE that bit must be clear, and a load drops everything that is not global.
//!
//! No load of cr3 needs to drop anything:
//!
//! - An identifier belongs to one top table: 0 to the kernel's, the others to one address space each.
//! - Tables do not change after boot, except the entry of the window through which code is patched. It is not global,
//!   and it is opened and closed under one identifier with interrupts off; `invlpg` drops it, also on processors whose
//!   `invlpg` keeps global translations when identifiers are on (Intel's errata of 2023).
//! - Boot ends by dropping everything: a change of CR4.PGE does so for all identifiers. `invpcid` is not needed.
//!
//! If page tables are switched, no translation is global, and one identifier for the kernel is enough: all threads share
//! its table. A system with two tables for each process needs two identifiers for each.

use crate::address::PhysAddr;
use limen_abi::limits::VSPACES;

/// CPUID leaf 1, ECX: process-context identifiers.
const HAS_IDENTIFIERS: u32 = 1 << 17;
/// CR3: the load keeps the translations of the identifier.
const KEEP: u64 = 1 << 63;
/// Bits of an identifier.
const IDENTIFIER_BITS: u32 = 12;
const _: () = assert!(VSPACES < 1 << IDENTIFIER_BITS);

/// Whether address spaces have identifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identifiers {
    /// Each has its own.
    Used,
    /// The processor has none, and every switch drops all translations that are not global.
    Missing,
}

impl Identifiers {
    /// The identifiers of a processor with this register ECX of CPUID leaf 1.
    #[must_use]
    pub const fn of_processor(leaf_1_ecx: u32) -> Self {
        if leaf_1_ecx & HAS_IDENTIFIERS != 0 { Self::Used } else { Self::Missing }
    }

    /// The value of cr3 that selects this top table, whose identifier is `identifier`.
    #[must_use]
    pub const fn register(self, table: PhysAddr, identifier: u16) -> u64 {
        match self {
            Self::Used => table.0 | identifier as u64 | KEEP,
            Self::Missing => table.0,
        }
    }
}

/// The value that selects again what cr3 held when `held` was read from it: bit 63 always reads as zero. `other` is a
/// value that [`Identifiers::register`] made for this processor.
#[inline]
#[must_use]
pub const fn again(held: u64, other: u64) -> u64 {
    held | other & KEEP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlb_model::{KERNEL_PAGE, Numbers, PROGRAM_PAGE, Tlb};

    /// Number of the page of the window.
    const WINDOW_PAGE: u64 = 3;
    const SPACES: u16 = 5;
    const IDENTIFIER: u64 = (1 << IDENTIFIER_BITS) - 1;
    const KERNEL_FRAME: u64 = 99;
    const KERNEL_TABLE: PhysAddr = PhysAddr(0x20_0000);

    /// The part of the kernel that programs see.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Tables {
        /// All of it, and its translations are global.
        Shared,
        /// Nothing, and no translation is global.
        Switched,
    }

    /// How a kernel uses identifiers; each field but those of [`Kernel::correct`] is a mistake.
    #[derive(Clone, Copy, Debug)]
    struct Kernel {
        tables: Tables,
        identifiers: Identifiers,
        /// Every address space has identifier 1.
        shares_identifier: bool,
        has_global_window: bool,
        forgets_to_flush: bool,
        boots_without_flush: bool,
    }

    impl Kernel {
        fn correct(tables: Tables, identifiers: Identifiers) -> Self {
            Self {
                tables,
                identifiers,
                shares_identifier: false,
                has_global_window: false,
                forgets_to_flush: false,
                boots_without_flush: false,
            }
        }
    }

    /// A processor whose `invlpg` keeps global translations.
    struct Processor {
        has_identifiers: bool,
        cr3: u64,
        tlb: Tlb,
        window: u64,
        walks: u32,
        wrong: u32,
    }

    impl Processor {
        fn identifier(&self) -> u16 {
            if self.has_identifiers { (self.cr3 & IDENTIFIER) as u16 } else { 0 }
        }

        fn load(&mut self, cr3: u64) {
            assert!(self.has_identifiers || cr3 & (KEEP | IDENTIFIER) == 0, "a general protection fault");
            self.cr3 = cr3 & !KEEP;
            if cr3 & KEEP == 0 {
                self.tlb.flush_identifier(self.identifier());
            }
        }

        fn expect(&mut self, page: u64, frame: u64, is_global: bool) {
            let (identifier, walks) = (self.identifier(), &mut self.walks);
            let found = self.tlb.translate(identifier, page, || {
                *walks += 1;
                (frame, is_global)
            });
            self.wrong += u32::from(found != frame);
        }

        /// The kernel patches a page of code.
        fn patch(&mut self, page: u64, kernel: Kernel) {
            let is_global = kernel.has_global_window && kernel.tables == Tables::Shared;
            self.window = page;
            self.expect(WINDOW_PAGE, page, is_global);
            self.window = 0;
            if !kernel.forgets_to_flush {
                let identifier = self.identifier();
                self.tlb.flush_page(identifier, WINDOW_PAGE, self.has_identifiers);
            }
            self.wrong += u32::from(self.tlb.holds(WINDOW_PAGE));
        }
    }

    fn table(space: u16) -> PhysAddr {
        PhysAddr(0x100_0000 + u64::from(space) * 0x1000)
    }

    /// Runs threads that trap, patch, have their memory wiped and switch. Returns how many translations were wrong, and
    /// how many walks there were.
    fn run(kernel: Kernel, seed: u64) -> (u32, u32) {
        let has_identifiers = kernel.identifiers == Identifiers::Used;
        let is_global = kernel.tables == Tables::Shared;
        let mut processor = Processor {
            has_identifiers,
            cr3: KERNEL_TABLE.0,
            tlb: Tlb::default(),
            window: 0,
            walks: 0,
            wrong: 0,
        };
        // Firmware and the boot loader have left translations.
        for identifier in 0..=SPACES {
            processor.tlb.translate(identifier, PROGRAM_PAGE, || (1, false));
        }
        if !kernel.boots_without_flush {
            processor.tlb.flush();
        }
        let register = |space: u16| {
            let identifier = if kernel.shares_identifier { 1 } else { space };
            kernel.identifiers.register(table(space), identifier)
        };
        let mut numbers = Numbers::new(seed);
        let mut current = 1;
        processor.load(register(current));
        for _ in 0..3000 {
            processor.expect(PROGRAM_PAGE, table(current).0, false);
            if kernel.tables == Tables::Switched {
                processor.load(kernel.identifiers.register(KERNEL_TABLE, 0));
            }
            processor.expect(KERNEL_PAGE, KERNEL_FRAME, is_global);
            match numbers.below(8) {
                0 => processor.patch(numbers.below(40) + 1, kernel),
                // A wipe in the address space of work.
                1 => {
                    let (held, work) = (processor.cr3, register(SPACES));
                    processor.load(work);
                    processor.expect(PROGRAM_PAGE, table(SPACES).0, false);
                    processor.load(again(held, work));
                    assert_eq!(processor.cr3, held);
                }
                2..=5 => {
                    current = numbers.below(u64::from(SPACES) - 1) as u16 + 1;
                    if kernel.tables == Tables::Shared {
                        processor.load(register(current));
                    }
                }
                _ => {}
            }
            if kernel.tables == Tables::Switched {
                processor.load(register(current));
            }
        }
        (processor.wrong, processor.walks)
    }

    const ALL: [Tables; 2] = [Tables::Shared, Tables::Switched];

    #[test]
    fn every_access_reaches_the_current_tables() {
        for tables in ALL {
            for identifiers in [Identifiers::Used, Identifiers::Missing] {
                for seed in 0..8 {
                    assert_eq!(
                        run(Kernel::correct(tables, identifiers), seed).0,
                        0,
                        "{tables:?}, {identifiers:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn identifiers_keep_the_translations_of_programs() {
        for tables in ALL {
            let [used, missing] = [Identifiers::Used, Identifiers::Missing]
                .map(|identifiers| run(Kernel::correct(tables, identifiers), 1).1);
            assert!(used * 4 < missing, "{tables:?}: {used} and {missing} walks");
        }
    }

    #[test]
    fn the_model_finds_mistakes() {
        for tables in ALL {
            let correct = Kernel::correct(tables, Identifiers::Used);
            assert_ne!(run(Kernel { shares_identifier: true, ..correct }, 1).0, 0, "{tables:?}");
            assert_ne!(run(Kernel { forgets_to_flush: true, ..correct }, 1).0, 0, "{tables:?}");
            assert_ne!(run(Kernel { boots_without_flush: true, ..correct }, 1).0, 0, "{tables:?}");
        }
        let global = Kernel { has_global_window: true, ..Kernel::correct(Tables::Shared, Identifiers::Used) };
        assert_ne!(run(global, 1).0, 0, "the erratum of invlpg");
    }

    #[test]
    fn values_of_cr3_are_those_of_the_processor() {
        let table = PhysAddr(0x12_3000);
        for (ecx, value, kernel) in [
            (0, 0x12_3000, 0x12_3000),
            (!HAS_IDENTIFIERS, 0x12_3000, 0x12_3000),
            (1 << 17, 1 << 63 | 0x12_3007, 1 << 63 | 0x12_3000),
        ] {
            let identifiers = Identifiers::of_processor(ecx);
            assert_eq!(identifiers.register(table, 7), value);
            assert_eq!(identifiers.register(table, 0), kernel);
            assert_eq!(again(value & !KEEP, value), value);
        }
    }
}
