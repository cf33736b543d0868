//! Variables that the tool sets in the program image, by these names.
//!
//! They are atomics because the compiler must not take their first values for constants. Each is in `.data`, so that the
//! image has bytes to set, and all are in one section of one object file, so that the linker keeps all or none.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use limen_abi::limits::NAME_BYTES;

macro_rules! patched {
    ($($static:ident: $type:ty = $first:expr => $symbol:literal;)+) => {
        $(
            #[expect(unsafe_code, reason = "SAFETY: no other symbol has these names; the tool refuses a program with two")]
            #[unsafe(export_name = $symbol)]
            #[unsafe(link_section = ".data.limen_patched")]
            #[used]
            static $static: $type = $first;
        )+
    };
}

patched! {
    NAME: [AtomicU8; NAME_BYTES] = [const { AtomicU8::new(0) }; NAME_BYTES] => "microkit_name";
    PASSIVE: AtomicBool = AtomicBool::new(false) => "microkit_passive";
    IRQS: AtomicU64 = AtomicU64::new(0) => "microkit_irqs";
    NOTIFICATIONS: AtomicU64 = AtomicU64::new(0) => "microkit_notifications";
    PPS: AtomicU64 = AtomicU64::new(0) => "microkit_pps";
    IO_PORTS: AtomicU64 = AtomicU64::new(0) => "microkit_ioports";
}

/// Whether the program gives its scheduling context away after its `init`.
#[inline(always)]
pub(crate) fn is_passive() -> bool {
    PASSIVE.load(Ordering::Relaxed)
}

/// Interrupts, one bit each.
#[inline(always)]
pub(crate) fn irqs() -> u64 {
    IRQS.load(Ordering::Relaxed)
}

/// Channels that may be notified, one bit each.
#[inline(always)]
pub(crate) fn notifications() -> u64 {
    NOTIFICATIONS.load(Ordering::Relaxed)
}

/// Channels that may be called, one bit each.
#[inline(always)]
pub(crate) fn pps() -> u64 {
    PPS.load(Ordering::Relaxed)
}

/// Ranges of I/O ports, one bit each.
#[allow(dead_code, reason = "only x86 has I/O ports")]
#[inline(always)]
pub(crate) fn io_ports() -> u64 {
    IO_PORTS.load(Ordering::Relaxed)
}

/// The name of the protection domain, as far as it is UTF-8; at most 64 bytes.
#[must_use]
pub fn name() -> &'static str {
    #[expect(unsafe_code, reason = "one cast")]
    // SAFETY: an atomic byte has the layout of a byte, and no code writes these; the tool set them in the image.
    let bytes = unsafe { &*(&raw const NAME).cast::<[u8; NAME_BYTES]>() };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
    let (name, _) = bytes.split_at(end);
    match core::str::from_utf8(name) {
        Ok(name) => name,
        Err(error) => {
            let (valid, _) = name.split_at(error.valid_up_to());
            core::str::from_utf8(valid).unwrap_or("")
        }
    }
}
