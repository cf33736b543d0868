//! `memory_region`: a piece of memory.

use limen_abi::limits::PAGE_BYTES;

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::diagnostic::Diagnostic;
use crate::draft::{MemoryRegionDraft, PageSize};
use crate::model::MemoryRegion;
use crate::target::Target;
use crate::unexpected;
use crate::xml::Element;

const KNOWN: &[&str] =
    &["name", "size", "page_size", "phys_addr", "prefill_path", "prefill_bootinfo", "shared"];
const PREFILLS: [&str; 2] = ["prefill_path", "prefill_bootinfo"];

/// Reads one `memory_region` element.
pub(crate) fn read(
    element: Element,
    target: &Target,
    problems: &mut Vec<Diagnostic>,
) -> Result<MemoryRegionDraft, Reported> {
    let mut attributes = Attributes::read(element, KNOWN, problems);
    let name = attributes.required("name");
    let given = attributes.optional_number("page_size");
    let page_bytes = given.and_then(|given| check_page_bytes(given, target, &mut attributes));
    PREFILLS.iter().for_each(|name| unexpected::unsupported_attribute(&mut attributes, name));
    let bytes = read_bytes(page_bytes, &mut attributes);
    let phys_addr = read_phys_addr(page_bytes, &mut attributes);
    let shared = attributes.boolean_or("shared", false);
    unexpected::children(element, problems);
    Ok(MemoryRegionDraft {
        region: MemoryRegion {
            name: name?.to_owned(),
            bytes: bytes?,
            page_bytes: page_bytes?,
            phys_addr: phys_addr?,
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

fn read_bytes(page_bytes: Result<u64, Reported>, attributes: &mut Attributes) -> Result<u64, Reported> {
    let Some(bytes) = attributes.optional_number("size")? else {
        return Err(missing_size(attributes));
    };
    if !bytes.is_multiple_of(page_bytes?) {
        let text = "size is not a multiple of the page size";
        let help = format!("Round size up to a multiple of {:#x}.", page_bytes?);
        return Err(attributes.value_error(code::MR_SIZE_MULTIPLE, "size", text, help));
    }
    if bytes == 0 {
        let help = "A memory region has at least one page.";
        return Err(attributes.value_error(code::MR_SIZE_ZERO, "size", "size must not be zero", help));
    }
    Ok(bytes)
}

/// A prefilled region may leave its size out; that prefilling is not supported has been reported.
fn missing_size(attributes: &mut Attributes) -> Reported {
    if PREFILLS.iter().any(|name| attributes.optional(name).is_some()) {
        return Reported;
    }
    let text = "size must be specified if memory region is not prefilled";
    attributes.value_error(
        code::MR_SIZE_MISSING,
        "size",
        text,
        "Add size=\"0x1000\" or what the region needs.",
    )
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
