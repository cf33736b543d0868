//! Selects the port.

#[cfg(target_arch = "aarch64")]
mod aarch64;
