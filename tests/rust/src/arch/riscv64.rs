//! NS16550, with registers in memory.

/// Uses the floating-point unit.
#[allow(dead_code, reason = "only the victim does")]
pub fn use_fpu() {
    // SAFETY: fmv.d.x ft0, zero. The compiler uses no such register on this target.
    unsafe { core::arch::asm!(".4byte 0xf2000053") }
}

#[allow(dead_code, reason = "only the tester uses it")]
pub mod device {
    //! The serial port.

    use limen::Volatile;

    limen::region!(REGISTERS: Volatile<u8>, address = "uart_base", bytes = "uart_size");

    const INTERRUPTS: usize = 1;
    const IDENTITY: usize = 2;
    const SCRATCH: usize = 7;
    const CAN_SEND: u8 = 1 << 1;

    /// Makes it interrupt, because it can always send.
    pub fn raise() {
        REGISTERS[INTERRUPTS].write(CAN_SEND);
    }

    /// Deasserts its interrupt.
    pub fn quiet() {
        REGISTERS[INTERRUPTS].write(0);
        let _ = REGISTERS[IDENTITY].read();
    }

    /// Tests the scratch register, which only this port has.
    pub fn extras() -> Result<(), u32> {
        REGISTERS[SCRATCH].write(0x5a);
        if REGISTERS[SCRATCH].read() == 0x5a { Ok(()) } else { Err(line!()) }
    }
}
