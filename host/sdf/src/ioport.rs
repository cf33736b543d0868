//! `ioport`: a range of I/O ports that a protection domain may use.

use limen_abi::limits::{IO_PORTS, KERNEL_IO_PORTS, MAX_CHANNEL_ID};

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::diagnostic::Problems;
use crate::grammar;
use crate::model::IoPort;
use crate::symbols::Symbols;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `ioport` element.
pub(crate) fn read<'a>(
    element: Element<'a>,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<IoPort, Reported> {
    let mut attributes = Attributes::read(element, grammar::IO_PORT.attributes(), problems);
    let id = read_id(&mut attributes);
    let range = read_range(&mut attributes);
    let setvar_id = symbols.claim_optional(&mut attributes, "setvar_id");
    let setvar_addr = symbols.claim_optional(&mut attributes, "setvar_addr");
    unexpected::children(element, problems);
    let (addr, last) = range?;
    Ok(IoPort { id: id?, addr, last, setvar_id, setvar_addr, span: element.span() })
}

fn read_id(attributes: &mut Attributes) -> Result<u8, Reported> {
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_CHANNEL_ID => Ok(id),
        _ => {
            let text = format!("id must be < {}", MAX_CHANNEL_ID + 1);
            let help = "Ids of I/O port ranges are 0 to 61.";
            Err(attributes.value_error(code::IOPORT_ID_RANGE, "id", &text, help))
        }
    }
}

/// The first and last port.
fn read_range(attributes: &mut Attributes) -> Result<(u16, u16), Reported> {
    let (addr, size) = (attributes.required_number("addr"), attributes.required_number("size"));
    let (addr, size) = (addr?, size?);
    if size == 0 {
        let help = "size is the number of ports.";
        return Err(attributes.value_error(code::IOPORT_SIZE_ZERO, "size", "size must be > 0", help));
    }
    let last = addr.saturating_add(size - 1);
    let (Ok(first), Ok(last)) = (u16::try_from(addr), u16::try_from(last)) else {
        let text =
            format!("I/O ports end at {IO_PORTS:#x}, but the range ends at {:#x}", last.saturating_add(1));
        let help = "I/O port addresses have 16 bits.";
        return Err(attributes.value_error(code::IOPORT_RANGE, "addr", &text, help));
    };
    let is_used = |&&(start, end): &&(u64, u64)| addr <= end && start <= u64::from(last);
    if let Some((start, end)) = KERNEL_IO_PORTS.iter().find(is_used) {
        let text = format!("the kernel uses the I/O ports [{start:#x}..{:#x})", end + 1);
        let help = "They belong to the machine's interrupt controllers and timer; choose other ports.";
        return Err(attributes.value_error(code::IOPORT_KERNEL, "addr", &text, help));
    }
    Ok((first, last))
}
