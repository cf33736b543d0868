//! Firmware information that can prefill memory regions: a header of two words (identifier, bytes including the
//! header), then the contents.
//!
//! Source: seL4 API, extra boot information.

use crate::named::named_numbers;

named_numbers! {
    /// A piece of boot information.
    pub enum BootInfo: u64 {
        /// VESA BIOS extensions: information blocks of controller and mode, then mode and interface.
        X86Vbe = 1 => "SEL4_BOOTINFO_HEADER_X86_VBE",
        /// The memory map of the Multiboot loader: its bytes in 32 bits, then the entries.
        X86MultibootMemory = 2 => "SEL4_BOOTINFO_HEADER_X86_MBMMAP",
        /// The root pointer of ACPI.
        X86AcpiRootPointer = 3 => "SEL4_BOOTINFO_HEADER_X86_ACPI_RSDP",
        /// The frame buffer: address, pitch, width, height, bits per pixel, kind.
        X86FrameBuffer = 4 => "SEL4_BOOTINFO_HEADER_X86_FRAMEBUFFER",
        /// Megahertz of the time-stamp counter, in 32 bits.
        X86TscFrequency = 5 => "SEL4_BOOTINFO_HEADER_X86_TSC_FREQ",
        /// The device tree.
        DeviceTree = 6 => "SEL4_BOOTINFO_HEADER_FDT",
    }
}

/// Bytes of the header.
pub const HEADER_BYTES: u64 = 16;
