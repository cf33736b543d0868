//! The names of boot information.

use limen_abi::boot_info::BootInfo;

/// Boot information by name in descriptions. The reference's manual and tool spell one name differently.
pub(crate) const BOOT_INFO: [(&str, BootInfo); 7] = [
    ("x86_vbe", BootInfo::X86Vbe),
    ("x86_mbmmap", BootInfo::X86MultibootMemory),
    ("x86_mbmap", BootInfo::X86MultibootMemory),
    ("x86_acpi_rsdp", BootInfo::X86AcpiRootPointer),
    ("x86_framebuffer", BootInfo::X86FrameBuffer),
    ("x86_tsc_freq", BootInfo::X86TscFrequency),
    ("fdt", BootInfo::DeviceTree),
];

/// The names alone.
pub(crate) const BOOT_INFO_NAMES: [&str; BOOT_INFO.len()] = {
    let mut names = [""; BOOT_INFO.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = BOOT_INFO[index].0;
        index += 1;
    }
    names
};
