//! Drivers that are the same on every architecture.

pub mod pl011;
