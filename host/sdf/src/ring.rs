//! Rings: pages of the kernel that a protection domain maps read-only, asked for by attributes of another element.

use limen_abi::limits::PAGE_BYTES;

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
    let vaddr = map::read_vaddr("ring_vaddr", limit, attributes)?;
    if !vaddr.is_multiple_of(PAGE_BYTES) {
        let text = format!("ring_vaddr ({vaddr:#x}) must be at the start of a page");
        let help = format!("It must be a multiple of {PAGE_BYTES:#x}, the page size.");
        return Err(attributes.value_error(code::MAP_VADDR_ALIGNMENT, "ring_vaddr", &text, &help));
    }
    Ok(Some(Ring { vaddr, setvar_ring, span }))
}
