//! I/O ports.
//!
//! The image decides which ports a program may use. A device with DMA can write anywhere, so a program that controls
//! one is trusted with the machine.

use core::arch::asm;

use limen_core::machine::PortWidth;

/// Reads a byte.
#[inline]
pub fn read_byte(port: u16) -> u8 {
    let value: u8;
    // SAFETY: the access itself does not touch memory; see the module documentation.
    unsafe {
        asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack, preserves_flags));
    }
    value
}

/// Writes a byte.
#[inline]
pub fn write_byte(port: u16, value: u8) {
    // SAFETY: as for `read_byte`.
    unsafe {
        asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack, preserves_flags));
    }
}

/// Reads `width` bytes.
pub fn read(port: u16, width: PortWidth) -> u32 {
    match width {
        PortWidth::Byte => u32::from(read_byte(port)),
        PortWidth::TwoBytes => {
            let value: u16;
            // SAFETY: as for `read_byte`.
            unsafe {
                asm!("in ax, dx", in("dx") port, out("ax") value, options(nomem, nostack, preserves_flags));
            }
            u32::from(value)
        }
        PortWidth::FourBytes => {
            let value: u32;
            // SAFETY: as for `read_byte`.
            unsafe {
                asm!("in eax, dx", in("dx") port, out("eax") value, options(nomem, nostack, preserves_flags));
            }
            value
        }
    }
}

/// Writes the lower bytes of `value`.
pub fn write(port: u16, width: PortWidth, value: u32) {
    match width {
        PortWidth::Byte => write_byte(port, value as u8),
        // SAFETY: as for `read_byte`.
        PortWidth::TwoBytes => unsafe {
            asm!("out dx, ax", in("dx") port, in("ax") value as u16, options(nomem, nostack, preserves_flags));
        },
        // SAFETY: as for `read_byte`.
        PortWidth::FourBytes => unsafe {
            asm!("out dx, eax", in("dx") port, in("eax") value, options(nomem, nostack, preserves_flags));
        },
    }
}
