//! Selects the port.

use core::mem::offset_of;

use limen_image::loader::LoaderPlan;
use limen_loader::tables::{self, Tables};

/// Assembles the port's `boot.S` with the loader's memory, the constants that every port needs, and those given here.
macro_rules! entry_point {
    ($($operand:tt)*) => {
        core::arch::global_asm!(
            include_str!("boot.S"),
            include_str!("../memory.S"),
            build_tables = sym $crate::arch::tables::build::<Descriptors>,
            TABLES_BYTES = const size_of::<$crate::arch::Tables>(),
            PLAN_ENTRY = const $crate::arch::PLAN_ENTRY,
            PLAN_IMAGE = const $crate::arch::PLAN_IMAGE,
            PLAN_SERIAL_KIND = const $crate::arch::PLAN_SERIAL_KIND,
            $($operand)*
        );
    };
}

const PLAN_ENTRY: usize = offset_of!(LoaderPlan, kernel_entry);
const PLAN_IMAGE: usize = offset_of!(LoaderPlan, image_paddr);
const PLAN_SERIAL_KIND: usize = offset_of!(LoaderPlan, serial_kind);

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "riscv64")]
mod riscv64;
