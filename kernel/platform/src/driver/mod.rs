//! Drivers that are the same on every architecture.

pub mod cadence;
pub mod mapped_serial;
pub mod ns16550;
pub mod pl011;
pub mod sifive;
