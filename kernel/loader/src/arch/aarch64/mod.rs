//! AArch64.

mod boot;
