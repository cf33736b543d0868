//! A board: the facts about a machine that the tool, the kernel and the emulator need.
//!
//! They come from a [board file](crate::board_file).

use std::collections::BTreeMap;

use limen_image as image;
use limen_sdf::{Architecture, Target};
use serde::Deserialize;

use crate::config::Config;
use crate::image_type::ImageType;

/// Bits of a physical address that the boot image can hold.
pub(crate) const MOST_ADDRESS_BITS: u8 = 48;

/// Facts about a machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name of its directory in the SDK.
    pub name: String,
    /// Names of the board in older projects. Under these names, the SDK is compatible with such projects.
    pub aliases: Vec<String>,
    /// Instruction set.
    #[serde(deserialize_with = "architecture")]
    pub architecture: Architecture,
    /// `CONFIG_PLAT_<platform>` is defined for programs.
    pub platform: String,
    /// The boot protocol.
    #[serde(default)]
    pub boot: BootProtocol,
    /// Physical load address of the image. With Limen's own loader, also the entry point; for an image placed at
    /// boot, the first address to try.
    pub loader_address: u64,
    /// Processors that the kernel can use.
    #[serde(default = "one")]
    pub processors: u8,
    /// Highest user address, inclusive.
    pub user_top: u64,
    /// Bits of a physical address, if the processors have fewer than the boot image can hold.
    #[serde(default = "most_address_bits")]
    pub address_bits: u8,
    /// AArch64: the machine has a secure monitor or an emulation of one.
    #[serde(default)]
    pub smc: bool,
    /// Default image type.
    pub image_type: ImageType,
    /// Command line of the emulator, one word per entry; `{image}` stands for the image file.
    pub qemu: Vec<String>,
    /// Words to append for configurations with several processors.
    #[serde(default)]
    pub qemu_smp: Vec<String>,
    /// Named variants of the emulator's command line: words to append, by name.
    #[serde(default)]
    pub variants: BTreeMap<String, Vec<String>>,
    /// Variants that run on a simulated core instead of the emulator: arguments of the simulator, by name.
    #[serde(default)]
    pub simulated: BTreeMap<String, Vec<String>>,
    /// Versions of the emulator on which a run of this machine is reproducible; all versions if empty.
    #[serde(default)]
    pub repeatable_with: Vec<String>,
    /// RAM, ascending and disjoint.
    pub ram: Vec<MemoryRange>,
    /// RAM reserved for memory regions with a fixed address.
    pub pinned: Option<MemoryRange>,
    /// The debug console.
    pub serial: Serial,
    /// The interrupt controller.
    pub interrupt_controller: InterruptController,
    /// The kernel's timer.
    pub timer: Timer,
}

/// How the kernel is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootProtocol {
    /// Limen's loader is the first part of the image and loads the kernel.
    #[default]
    Loader,
    /// A Multiboot loader loads the kernel, and the image as a module at an address known only at boot.
    Multiboot,
}

/// Physical addresses, `start < end`, page-aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRange {
    /// First address.
    pub start: u64,
    /// First address after the range.
    pub end: u64,
}

/// A UART.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serial {
    /// Its driver.
    pub kind: SerialKind,
    /// Physical address of its registers; 0 for a UART behind I/O ports.
    pub paddr: u64,
}

/// UART drivers. The number is the one in the loader's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u64)]
pub enum SerialKind {
    /// Arm PrimeCell PL011.
    Pl011 = 1,
    /// 16550 with byte-wide registers, as in a PC.
    Ns16550 = 2,
    /// SiFive's.
    Sifive = 3,
    /// The first serial port of a PC.
    Com1 = 4,
    /// Cadence's, of the Zynq UltraScale+.
    Cadence = 5,
}

/// An interrupt controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterruptController {
    /// Its driver.
    pub kind: InterruptControllerKind,
    /// Physical address of the controller; GICv2: the distributor; APIC: the I/O APIC.
    pub paddr: u64,
    /// GICv2: physical address of the CPU interface. PLIC: the page in which hart 0 claims interrupts in supervisor
    /// mode; if hart 0 has none, 8 KiB below that of hart 1. APIC: the local APIC.
    pub cpu_paddr: u64,
    /// Interrupt lines, numbered from 0.
    pub lines: u64,
}

/// Interrupt controller drivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterruptControllerKind {
    /// Arm Generic Interrupt Controller, version 2.
    GicV2,
    /// RISC-V Platform-Level Interrupt Controller.
    Plic,
    /// The local and I/O controllers of a PC.
    Apic,
}

impl InterruptControllerKind {
    /// The kind in the boot image's numbering.
    #[must_use]
    pub fn in_image(self) -> image::InterruptController {
        match self {
            Self::GicV2 => image::InterruptController::GicV2,
            Self::Plic => image::InterruptController::Plic,
            Self::Apic => image::InterruptController::Apic,
        }
    }
}

/// The timer that the kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timer {
    /// Its interrupt line. PLIC: 0, because the timer interrupts the hart directly.
    pub interrupt: u64,
    /// Ticks per second, if the processor does not report them.
    #[serde(default)]
    pub frequency: u64,
}

impl Board {
    /// Processors that a system uses in this configuration.
    #[must_use]
    pub fn processors(&self, config: &Config) -> u8 {
        if config.is_smp() { self.processors } else { 1 }
    }

    /// End of the processors' physical addresses. The rules of board files keep the shift in range.
    pub(crate) fn address_end(&self) -> u64 {
        1 << self.address_bits.min(MOST_ADDRESS_BITS)
    }

    /// The facts that the rules of a system description need.
    #[must_use]
    pub fn target(&self, config: &Config) -> Target {
        Target {
            architecture: self.architecture,
            user_top: self.user_top,
            cpus: self.processors(config),
            smc: self.smc,
            older_name: false,
        }
    }

    /// The facts for the boot image.
    #[must_use]
    pub fn image_record(&self) -> image::Board {
        image::Board {
            interrupt_controller_kind: self.interrupt_controller.kind.in_image() as u64,
            interrupt_controller_paddr: self.interrupt_controller.paddr,
            interrupt_cpu_paddr: self.interrupt_controller.cpu_paddr,
            interrupt_lines: self.interrupt_controller.lines,
            timer_interrupt: self.timer.interrupt,
            timer_frequency: self.timer.frequency,
            user_top: self.user_top,
        }
    }

    /// RAM in the boot image's form.
    #[must_use]
    pub fn ram_ranges(&self) -> Vec<image::Range> {
        self.ram.iter().map(|ram| image::Range { start: ram.start, end: ram.end }).collect()
    }
}

const fn one() -> u8 {
    1
}

const fn most_address_bits() -> u8 {
    MOST_ADDRESS_BITS
}

fn architecture<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Architecture, D::Error> {
    let name = String::deserialize(deserializer)?;
    match name.as_str() {
        "aarch64" => Ok(Architecture::Aarch64),
        "riscv64" => Ok(Architecture::Riscv64),
        "x86_64" => Ok(Architecture::X86_64),
        _ => Err(serde::de::Error::custom(format!("unknown architecture '{name}'"))),
    }
}
