//! Rings: pages of the kernel that a protection domain maps read-only, asked for by attributes of another element.

use limen_abi::limits::PAGE_BYTES;
use limen_abi::trace::{MAX_BYTES, MIN_BYTES};

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::map;
use crate::model::Ring;
use crate::symbols::Symbols;

/// Reads `ring_vaddr` and `setvar_ring`; `limit` is the first address above the range for maps.
pub(crate) fn read<'a>(
    attributes: &mut Attributes<'a, '_>,
    limit: u64,
    symbols: &mut Symbols<'a>,
) -> Result<Option<Ring>, Reported> {
    let setvar_ring = symbols.claim_optional(attributes, "setvar_ring");
    let span = attributes.element().span();
    if attributes.optional("ring_vaddr").is_none() {
        if setvar_ring.is_none() {
            return Ok(None);
        }
        let text = "setvar_ring must have a ring_vaddr beside it";
        let help = "Add ring_vaddr with the address where the program maps the ring.";
        return Err(attributes.value_error(code::PROBE_RING_ADDRESS, "setvar_ring", text, help));
    }
    let vaddr = read_page("ring_vaddr", limit, attributes)?;
    Ok(Some(Ring { vaddr, setvar_ring, span }))
}

/// Reads where an element `trace` maps the ring of the trace.
pub(crate) fn read_trace<'a>(
    attributes: &mut Attributes<'a, '_>,
    limit: u64,
    symbols: &mut Symbols<'a>,
) -> Result<Ring, Reported> {
    let setvar_ring = symbols.claim_optional(attributes, "setvar_vaddr");
    let span = attributes.element().span();
    Ok(Ring { vaddr: read_page("vaddr", limit, attributes)?, setvar_ring, span })
}

/// Reads the bytes of records that an element `trace` asks for.
pub(crate) fn read_trace_bytes(attributes: &mut Attributes) -> Result<Option<u64>, Reported> {
    let Some(bytes) = attributes.optional_number("size")? else { return Ok(None) };
    if bytes.is_power_of_two() && (MIN_BYTES..=MAX_BYTES).contains(&bytes) {
        return Ok(Some(bytes));
    }
    let text = format!("size ({bytes:#x}) is not the size of a trace");
    let help = format!("It must be a power of two from {MIN_BYTES:#x} to {MAX_BYTES:#x}.");
    Err(attributes.value_error(code::TRACE_SIZE, "size", &text, &help))
}

/// Reads the address of a page.
fn read_page(name: &str, limit: u64, attributes: &mut Attributes) -> Result<u64, Reported> {
    let vaddr = map::read_vaddr(name, limit, attributes)?;
    if vaddr.is_multiple_of(PAGE_BYTES) {
        return Ok(vaddr);
    }
    let text = format!("{name} ({vaddr:#x}) must be at the start of a page");
    let help = format!("It must be a multiple of {PAGE_BYTES:#x}, the page size.");
    Err(attributes.value_error(code::MAP_VADDR_ALIGNMENT, name, &text, &help))
}
