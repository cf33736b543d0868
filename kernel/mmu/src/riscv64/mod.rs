//! Address translation on RISC-V: Sv39. One top table holds 256 GiB of user addresses in its lower half and as many
//! kernel addresses in its upper half.

pub mod descriptor;
pub mod space;
pub mod system;
