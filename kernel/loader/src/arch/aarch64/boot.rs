//! The entry point and its constants.

use limen_mmu::aarch64::{descriptor::Descriptors, system};

entry_point!(
    MAIR = const system::MAIR,
    TCR = const system::TCR,
    TCR_IPS_SHIFT = const system::TCR_IPS_SHIFT,
    TCR_IPS_MAX = const system::TCR_IPS_MAX,
    SCTLR = const system::SCTLR,
    SCTLR_MMU_OFF = const system::SCTLR_RESERVED_ONE,
);
