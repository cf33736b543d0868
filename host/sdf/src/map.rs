//! `map`: a memory region in the address space of a protection domain.

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::MapDraft;
use crate::grammar;
use crate::model::Perms;
use crate::symbols::Symbols;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `map` element; `limit` is the first address above the range for maps.
pub(crate) fn read<'a>(
    element: Element<'a>,
    limit: u64,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<MapDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::MAP.attributes(), problems);
    let region = attributes.required("mr");
    let vaddr = read_vaddr("vaddr", limit, &mut attributes);
    let perms = read_perms(&mut attributes);
    let cached = attributes.boolean_or("cached", true);
    let setvar_vaddr = symbols.claim_optional(&mut attributes, "setvar_vaddr");
    let setvar_size = symbols.claim_optional(&mut attributes, "setvar_size");
    let setvar_prefill_size = symbols.claim_optional(&mut attributes, "setvar_prefill_size");
    unexpected::children(element, problems);
    Ok(MapDraft {
        region: region?,
        vaddr: vaddr?,
        perms: perms?,
        cached: cached?,
        setvar_vaddr,
        setvar_size,
        setvar_prefill_size,
        span: element.span(),
    })
}

/// Reads the first address of pages that a protection domain maps.
pub(crate) fn read_vaddr(name: &str, limit: u64, attributes: &mut Attributes) -> Result<u64, Reported> {
    let vaddr = attributes.required_number(name)?;
    if vaddr < limit {
        return Ok(vaddr);
    }
    let text = format!("{name} ({vaddr:#x}) must be less than {limit:#x}");
    let help = "The stack of the protection domain starts there, and its IPC buffer lies above.";
    Err(attributes.value_error(code::MAP_VADDR_LIMIT, name, &text, help))
}

fn read_perms(attributes: &mut Attributes) -> Result<Perms, Reported> {
    let letters = attributes.optional("perms").unwrap_or("rw");
    let perms =
        Perms { read: letters.contains('r'), write: letters.contains('w'), execute: letters.contains('x') };
    let (code, text, help) = if !letters.chars().all(|letter| "rwx".contains(letter)) {
        let text = "perms must only be a combination of 'r', 'w', and 'x'";
        (code::MAP_PERMS_LETTERS, text, "The default is rw.")
    } else if letters.is_empty() {
        let text = "perms must not be empty, a mapping without access is not allowed";
        (code::MAP_PERMS_EMPTY, text, "Remove the map, or omit perms for the default, rw.")
    } else if perms.write && !perms.read {
        let text = "perms must not be 'w', write-only mappings are not allowed";
        (code::MAP_PERMS_WRITE_ONLY, text, "Add 'r'; a writable mapping is also readable.")
    } else {
        return Ok(perms);
    };
    Err(attributes.value_error(code, "perms", text, help))
}
