//! `memory_region`: a piece of memory.

use limen_abi::limits::PAGE_BYTES;

use crate::attribute::{Attributes, Reported, parse_number};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::{MemoryRegionDraft, PageSize};
use crate::grammar;
use crate::model::{MemoryRegion, Prefill};
use crate::prefill::{self, ReadFile};
use crate::target::Target;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `memory_region` element.
pub(crate) fn read(
    element: Element,
    target: &Target,
    read_file: &ReadFile,
    problems: &mut Problems,
) -> Result<MemoryRegionDraft, Reported> {
    let mut attributes = Attributes::read(element, grammar::MEMORY_REGION.attributes(), problems);
    let name = attributes.required("name");
    let given = attributes.optional_number("page_size");
    let page_bytes = given.and_then(|given| check_page_bytes(given, target, &mut attributes));
    let size = attributes.optional("size").and_then(|size| parse_number(size).ok());
    let possible = size.filter(|size| *size != 0 && page_bytes.is_ok_and(|page| size.is_multiple_of(page)));
    let prefill = prefill::read(&mut attributes, possible, read_file);
    let bytes = read_bytes(page_bytes, &prefill, &mut attributes);
    let phys_addr = read_phys_addr(page_bytes, &mut attributes);
    let shared = attributes.boolean_or("shared", false);
    unexpected::children(element, problems);
    Ok(MemoryRegionDraft {
        region: MemoryRegion {
            name: name?.to_owned(),
            bytes: bytes?,
            page_bytes: page_bytes?,
            phys_addr: phys_addr?,
            prefill: prefill?,
            shared: shared?,
            span: element.span(),
        },
        page_size: if given?.is_some() { PageSize::Given } else { PageSize::Default },
    })
}

fn check_page_bytes(
    given: Option<u64>,
    target: &Target,
    attributes: &mut Attributes,
) -> Result<u64, Reported> {
    let page_bytes = given.unwrap_or(PAGE_BYTES);
    let sizes = target.page_sizes();
    if sizes.contains(&page_bytes) {
        return Ok(page_bytes);
    }
    let text = format!("page size {page_bytes:#x} not supported");
    let help = format!("Page sizes: {}.", sizes.map(|size| format!("{size:#x}")).join(", "));
    Err(attributes.value_error(code::MR_PAGE_SIZE, "page_size", &text, help))
}

fn read_bytes(
    page_bytes: Result<u64, Reported>,
    prefill: &Result<Option<Prefill>, Reported>,
    attributes: &mut Attributes,
) -> Result<u64, Reported> {
    let Some(bytes) = attributes.optional_number("size")? else {
        return default_bytes(page_bytes?, prefill.as_ref().map_err(|reported| *reported)?, attributes);
    };
    if !bytes.is_multiple_of(page_bytes?) {
        let text = "size is not a multiple of the page size";
        let help = format!("Round size up to a multiple of {:#x}.", page_bytes?);
        return Err(attributes.value_error(code::MR_SIZE_MULTIPLE, "size", text, help));
    }
    if bytes == 0 {
        let help = "A memory region needs at least one page.";
        return Err(attributes.value_error(code::MR_SIZE_ZERO, "size", "size must not be zero", help));
    }
    Ok(bytes)
}

/// Without a size, a region is as large as the file that fills it.
fn default_bytes(
    page_bytes: u64,
    prefill: &Option<Prefill>,
    attributes: &mut Attributes,
) -> Result<u64, Reported> {
    match prefill {
        Some(Prefill::File(contents)) => Ok((contents.len() as u64).next_multiple_of(page_bytes)),
        Some(Prefill::BootInfo(_)) => Ok(page_bytes),
        None => {
            let text = "size must be specified if memory region is not prefilled";
            let help = "Add size=\"...\" with the number of bytes, for example 0x1000.";
            Err(attributes.value_error(code::MR_SIZE_MISSING, "size", text, help))
        }
    }
}

fn read_phys_addr(
    page_bytes: Result<u64, Reported>,
    attributes: &mut Attributes,
) -> Result<Option<u64>, Reported> {
    let Some(phys_addr) = attributes.optional_number("phys_addr")? else {
        return Ok(None);
    };
    if phys_addr.is_multiple_of(page_bytes?) {
        return Ok(Some(phys_addr));
    }
    let text = "phys_addr is not aligned to the page size";
    let help = format!("phys_addr must be a multiple of {:#x}.", page_bytes?);
    Err(attributes.value_error(code::MR_PHYS_ADDR_ALIGNMENT, "phys_addr", text, help))
}
