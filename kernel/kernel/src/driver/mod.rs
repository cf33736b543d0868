//! Drivers that are the same on every architecture.

pub mod ns16550;
pub mod pl011;
pub mod sifive;
