//! 64-bit x86: four levels of tables, for both halves of the addresses.

pub mod descriptor;
pub mod space;
