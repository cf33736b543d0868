//! Address translation on AArch64: VMSAv8-64 with 4 KiB pages, 40-bit user addresses in the lower half, 39-bit kernel
//! addresses in the upper half.

pub mod descriptor;
pub mod system;
