//! The entry point and its constants.

use limen_mmu::riscv64::{descriptor::Descriptors, system};

entry_point!(
    PAGE_BITS = const system::PAGE_BITS,
    SATP_SV39 = const system::SATP_SV39,
);
