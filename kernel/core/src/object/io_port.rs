//! Ranges of I/O ports: device registers on x86 that are not memory.
//!
//! A range has no state; the capability holds everything about it.

use limen_abi::Label;

use crate::event::Outcome;
use crate::invoke::{Arguments, InvokeError};
use crate::kernel::Kernel;
use crate::machine::{Machine, PortWidth};
use crate::message::Answer;

/// A contiguous range of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ports {
    /// The first port.
    pub first: u16,
    /// The last port.
    pub last: u16,
}

impl Ports {
    /// Encodes the range as a word.
    pub(crate) const fn as_word(self) -> u64 {
        self.first as u64 | (self.last as u64) << u16::BITS
    }

    /// Decodes a range from [`Self::as_word`].
    pub(crate) const fn from_word(word: u64) -> Self {
        Self { first: word as u16, last: (word >> u16::BITS) as u16 }
    }

    /// Returns the port that a program names if the whole access lies in the range.
    fn check(self, port: u64, width: PortWidth) -> Result<u16, InvokeError> {
        let range = u64::from(self.first)..=u64::from(self.last);
        let end = port.saturating_add(width as u64 - 1);
        match u16::try_from(port) {
            Ok(port) if range.contains(&u64::from(port)) && range.contains(&end) => Ok(port),
            _ => Err(InvokeError::IllegalOperation),
        }
    }
}

/// A checked request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// Read.
    In(u16, PortWidth),
    /// Write.
    Out(u16, PortWidth, u32),
}

impl Request {
    /// Decodes an invocation of a range.
    pub(crate) fn decode<M: Machine>(
        ports: Ports,
        arguments: &Arguments<'_, M>,
    ) -> Result<Self, InvokeError> {
        match arguments.label() {
            Some(Label::X86IoPortIn8) => Self::decode_in(ports, arguments, PortWidth::Byte),
            Some(Label::X86IoPortIn16) => Self::decode_in(ports, arguments, PortWidth::TwoBytes),
            Some(Label::X86IoPortIn32) => Self::decode_in(ports, arguments, PortWidth::FourBytes),
            Some(Label::X86IoPortOut8) => Self::decode_out(ports, arguments, PortWidth::Byte),
            Some(Label::X86IoPortOut16) => Self::decode_out(ports, arguments, PortWidth::TwoBytes),
            Some(Label::X86IoPortOut32) => Self::decode_out(ports, arguments, PortWidth::FourBytes),
            _ => Err(InvokeError::IllegalOperation),
        }
    }

    fn decode_in<M: Machine>(
        ports: Ports,
        arguments: &Arguments<'_, M>,
        width: PortWidth,
    ) -> Result<Self, InvokeError> {
        let [port] = arguments.words()?;
        Ok(Self::In(ports.check(port, width)?, width))
    }

    fn decode_out<M: Machine>(
        ports: Ports,
        arguments: &Arguments<'_, M>,
        width: PortWidth,
    ) -> Result<Self, InvokeError> {
        let [port, value] = arguments.words()?;
        Ok(Self::Out(ports.check(port, width)?, width, value as u32))
    }

    /// Performs a decoded request.
    pub(crate) fn perform<M: Machine>(self, kernel: &mut Kernel<M>) -> (Answer, Outcome) {
        match self {
            Self::In(port, width) => {
                let value = kernel.machine.read_port(port, width);
                (Answer::Word(u64::from(value)), Outcome::NOTHING)
            }
            Self::Out(port, width, value) => {
                kernel.machine.write_port(port, width, value);
                (Answer::Empty, Outcome::NOTHING)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_lies_inside_its_range() {
        let ports = Ports { first: 0x3f8, last: 0x3ff };
        let allowed = |port, width| ports.check(port, width).is_ok();
        assert!(allowed(0x3f8, PortWidth::FourBytes) && allowed(0x3ff, PortWidth::Byte));
        assert!(!allowed(0x3f7, PortWidth::Byte) && !allowed(0x3ff, PortWidth::TwoBytes));
        assert!(!allowed(0x1_03f8, PortWidth::Byte) && !allowed(u64::MAX, PortWidth::FourBytes));
    }
}
