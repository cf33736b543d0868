//! Interrupt controllers that the kernel has drivers for, and the addresses of their registers.

use limen_abi::limits::PAGE_BYTES;

use crate::record::{Board, Range};

/// Kinds of interrupt controllers. The number is a board's `interrupt_controller_kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum InterruptController {
    /// Arm Generic Interrupt Controller, version 2.
    GicV2 = 1,
    /// RISC-V Platform-Level Interrupt Controller.
    Plic = 2,
    /// The local and I/O controllers of a PC.
    Apic = 3,
}

/// Offset of the registers of a PLIC's first context (RISC-V PLIC Specification, "Memory Map").
pub const PLIC_CONTEXTS: u64 = 0x20_0000;

impl InterruptController {
    /// The kind with this number.
    #[must_use]
    pub fn from_raw(raw: u64) -> Option<Self> {
        [Self::GicV2, Self::Plic, Self::Apic].into_iter().find(|kind| *kind as u64 == raw)
    }

    /// Bytes of registers from the address of the controller, and from the address of the per-processor part.
    ///
    /// A GICv2 has one page and two; machines that place these 64 KiB apart repeat each page in between (Arm GIC-400,
    /// DDI 0471; Zynq UltraScale+, UG1085). The second page of the CPU interface ends interrupts. A PLIC has the
    /// registers of every hart and mode in its 64 MiB (RISC-V PLIC Specification, "Memory Map").
    #[must_use]
    pub const fn register_bytes(self) -> [u64; 2] {
        match self {
            Self::GicV2 => [64 << 10, 128 << 10],
            Self::Plic => [64 << 20, PAGE_BYTES],
            Self::Apic => [PAGE_BYTES, PAGE_BYTES],
        }
    }
}

impl Board {
    /// Whether a PLIC's per-processor registers are at a valid context address; always true for other controllers.
    #[must_use]
    pub fn has_context(&self) -> bool {
        let [controller, _] = self.interrupt_registers();
        let contexts = controller.start.saturating_add(PLIC_CONTEXTS)..controller.end;
        self.interrupt_controller_kind != InterruptController::Plic as u64
            || contexts.contains(&self.interrupt_cpu_paddr)
    }

    /// Registers with which a program could block or raise interrupts. The ends may exceed the address space.
    #[must_use]
    pub fn interrupt_registers(&self) -> [Range; 2] {
        let kind = InterruptController::from_raw(self.interrupt_controller_kind);
        let [controller, cpu] = kind.map_or([PAGE_BYTES; 2], InterruptController::register_bytes);
        let from = |start: u64, bytes: u64| Range { start, end: start.saturating_add(bytes) };
        [from(self.interrupt_controller_paddr, controller), from(self.interrupt_cpu_paddr, cpu)]
    }
}
