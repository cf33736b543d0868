//! RISC-V.

mod boot;
