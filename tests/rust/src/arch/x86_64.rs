//! The second serial port of a PC, an NS16550.

/// Uses the floating-point unit.
#[allow(dead_code, reason = "only the victim does")]
pub fn use_fpu() {
    // SAFETY: changes a register that the compiler does not use on this target.
    unsafe { core::arch::asm!("fninit") }
}

#[allow(dead_code, reason = "only the tester uses it")]
pub mod device {
    //! The serial port.

    use limen::IoPorts;
    use limen::abi::ErrorCode;

    const PORTS: IoPorts = IoPorts::new(0);
    const FIRST: u16 = 0x2f8;
    const INTERRUPTS: u16 = FIRST + 1;
    const IDENTITY: u16 = FIRST + 2;
    const MODEM_CONTROL: u16 = FIRST + 4;
    const SCRATCH: u16 = FIRST + 7;
    const CAN_SEND: u8 = 1 << 1;

    /// Makes it interrupt, because it can always send.
    pub fn raise() {
        let _ = PORTS.write_8(INTERRUPTS, CAN_SEND);
    }

    /// Deasserts its interrupt.
    pub fn quiet() {
        let _ = PORTS.write_8(INTERRUPTS, 0);
        let _ = PORTS.read_8(IDENTITY);
    }

    /// Ports of each width; the device sees bytes.
    pub fn extras() -> Result<(), u32> {
        let scratch_is = |value| PORTS.read_8(SCRATCH) == Ok(value);
        if !PORTS.are_granted() || PORTS.write_8(SCRATCH, 0x5a).is_err() || !scratch_is(0x5a) {
            return Err(line!());
        }
        if PORTS.write_16(SCRATCH - 1, 0xa500).is_err() || !scratch_is(0xa5) {
            return Err(line!());
        }
        if PORTS.read_16(SCRATCH - 1).map(|word| word >> 8) != Ok(0xa5) {
            return Err(line!());
        }
        let Ok(four) = PORTS.read_32(MODEM_CONTROL) else { return Err(line!()) };
        if four >> 24 != 0xa5 || PORTS.write_32(MODEM_CONTROL, four & 0xff_ffff | 0x3c << 24).is_err() {
            return Err(line!());
        }
        if !scratch_is(0x3c) || !PORTS.read_8(0x80).is_err_and(|error| error.is(ErrorCode::IllegalOperation))
        {
            return Err(line!());
        }
        if IoPorts::new(1).are_granted() || IoPorts::new(1).read_8(FIRST) != Ok(0) {
            return Err(line!());
        }
        Ok(())
    }
}
