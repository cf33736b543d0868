//! I/O ports.

use limen_abi::Label;
use limen_abi::limits::MAX_CHANNEL_ID;
use limen_abi::slot::BASE_IOPORT;

use crate::invoke::{Error, invoke};
use crate::patched;
use crate::report;

/// A range of I/O ports, by the id that the system description gives it.
///
/// Ports are named by their addresses. A range that the description does not grant is reported on the debug console, and
/// reading it gives 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoPorts(u8);

impl IoPorts {
    /// The range with this id, 0 to 61.
    ///
    /// # Panics
    /// When there is no such id. In a constant, the program then does not compile.
    #[must_use]
    #[inline]
    pub const fn new(id: u8) -> Self {
        assert!(id <= MAX_CHANNEL_ID, "ids of I/O ports are 0 to 61");
        Self(id)
    }

    /// Whether the program may use the range.
    #[must_use]
    #[inline]
    pub fn are_granted(self) -> bool {
        patched::io_ports() >> (self.0 & 63) & 1 != 0
    }

    fn access(self, function: &str, method: Label, port: u16, data: Option<u32>) -> Result<u64, Error> {
        if !self.are_granted() {
            report::io_ports(function, self.0);
            return Ok(0);
        }
        let words = [u64::from(port), data.map_or(0, u64::from), 0, 0];
        let count = if data.is_some() { 2 } else { 1 };
        invoke(BASE_IOPORT + u64::from(self.0), method, count, words).map(|[value, ..]| value)
    }
}

macro_rules! accesses {
    ($($type:ty: $read:ident $In:ident, $write:ident $Out:ident;)+) => {
        impl IoPorts {
            $(
                /// Reads a port.
                ///
                /// # Errors
                /// `IllegalOperation` if the port is outside of the range.
                pub fn $read(self, port: u16) -> Result<$type, Error> {
                    self.access(stringify!($read), Label::$In, port, None).map(|value| value as $type)
                }

                /// Writes a port.
                ///
                /// # Errors
                /// `IllegalOperation` if the port is outside of the range.
                pub fn $write(self, port: u16, value: $type) -> Result<(), Error> {
                    self.access(stringify!($write), Label::$Out, port, Some(value.into())).map(drop)
                }
            )+
        }
    };
}

accesses! {
    u8: read_8 X86IoPortIn8, write_8 X86IoPortOut8;
    u16: read_16 X86IoPortIn16, write_16 X86IoPortOut16;
    u32: read_32 X86IoPortIn32, write_32 X86IoPortOut32;
}
