//! PL011. Source: Arm DDI 0183.

/// Uses the floating-point unit.
#[allow(dead_code, reason = "only the victim does")]
pub fn use_fpu() {
    // SAFETY: fmov d0, xzr. The compiler uses no such register on this target.
    unsafe { core::arch::asm!(".inst 0x9e6703e0") }
}

#[allow(dead_code, reason = "only the tester uses it")]
pub mod device {
    //! The serial port.

    use limen::abi::ErrorCode;
    use limen::{Volatile, smc};

    limen::region!(REGISTERS: Volatile<u32>, address = "uart_base", bytes = "uart_size");

    const MASK: usize = 0x38 / 4;
    const TRANSMIT: u32 = 1 << 5;

    /// Makes it interrupt: something was printed before.
    pub fn raise() {
        REGISTERS[MASK].write(TRANSMIT);
    }

    /// Deasserts its interrupt.
    pub fn quiet() {
        REGISTERS[MASK].write(0);
    }

    /// Asks the secure monitor for its version, where the description allows it: PSCI 1.0 or later, in x0.
    pub fn extras() -> Result<(), u32> {
        const PSCI_VERSION: u64 = 0x8400_0000;
        let answer = smc::call([PSCI_VERSION, 0, 0, 0, 0, 0, 0, 7]);
        let is_right = match option_env!("MICROKIT_BOARD") {
            Some("qemu_virt_aarch64") => answer.is_ok_and(|[version, .., x7]| version >> 16 == 1 && x7 == 7),
            _ => answer.is_err_and(|error| error.is(ErrorCode::InvalidCapability)),
        };
        if is_right && REGISTERS[MASK].read() == 0 { Ok(()) } else { Err(line!()) }
    }
}
