//! The entry point, with the constants that it needs.

use limen_mmu::riscv64::{descriptor::Descriptors, system};

entry_point!(
    PAGE_BITS = const system::PAGE_BITS,
    SATP_SV39 = const system::SATP_SV39,
);
