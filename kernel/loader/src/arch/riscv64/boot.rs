//! The entry point, with the constants that it needs.

use core::mem::offset_of;

use limen_image::loader::LoaderPlan;
use limen_loader::translation::riscv64::{descriptor::Descriptors, system};
use limen_loader::translation::tables;

core::arch::global_asm!(
    include_str!("boot.S"),
    build_tables = sym tables::build::<Descriptors>,
    TABLES_BYTES = const size_of::<tables::Tables>(),
    PLAN_ENTRY = const offset_of!(LoaderPlan, kernel_entry),
    PLAN_IMAGE = const offset_of!(LoaderPlan, image_paddr),
    PLAN_SERIAL_KIND = const offset_of!(LoaderPlan, serial_kind),
    PLAN_ZERO_START = const offset_of!(LoaderPlan, zero_paddr),
    PLAN_ZERO_BYTES = const offset_of!(LoaderPlan, zero_bytes),
    PAGE_BITS = const system::PAGE_BITS,
    SATP_SV39 = const system::SATP_SV39,
);
