//! Address translation on AArch64: 4 KiB pages, 40-bit user addresses in the lower half, 39-bit kernel
//! addresses in the upper half.
//!
//! Tables are named by their height: a table of height 0 holds pages, one of height 1 large pages of 2 MiB or
//! tables of height 0, and so on.

pub mod descriptor;
pub mod system;
pub mod tables;
