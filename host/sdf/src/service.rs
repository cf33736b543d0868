//! `digest` and `reset`: services of the kernel on memory that the program need not map.

use limen_abi::ServiceKind;
use limen_abi::limits::MAX_SERVICE_ID;

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::{ServiceDraft, ServiceTargetDraft};
use crate::grammar;
use crate::symbols::Symbols;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `digest` element.
pub(crate) fn read_digest<'a>(
    element: Element<'a>,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<ServiceDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::DIGEST.attributes(), problems);
    let id = read_id(&mut attributes);
    let is_kernel = attributes.boolean_or("kernel", false)?;
    let target = match (attributes.optional("region"), attributes.optional("pd"), is_kernel) {
        (Some(region), None, false) => Ok(ServiceTargetDraft::Region(region)),
        (None, Some(name), false) => Ok(ServiceTargetDraft::Program(name)),
        (None, None, true) => Ok(ServiceTargetDraft::Kernel),
        _ => {
            let help = "A digest is of one memory region (region=\"...\"), of the code and constants of one \
                        protection domain (pd=\"...\"), or of the kernel's code (kernel=\"true\").";
            attributes.problems().push(value_error(
                code::DIGEST_TARGET,
                &element,
                "exactly one of region, pd and kernel must be specified",
                help,
            ));
            Err(Reported)
        }
    };
    let kind = if is_kernel { ServiceKind::KernelDigest } else { ServiceKind::Digest };
    finish(kind, attributes, id, target, symbols)
}

/// Reads one `reset` element.
pub(crate) fn read_reset<'a>(
    element: Element<'a>,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<ServiceDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::RESET.attributes(), problems);
    let id = read_id(&mut attributes);
    let target = attributes.required("pd").map(ServiceTargetDraft::Program);
    finish(ServiceKind::Reset, attributes, id, target, symbols)
}

/// Reads what all services have, and puts a service together.
pub(crate) fn finish<'a>(
    kind: ServiceKind,
    mut attributes: Attributes<'a, '_>,
    id: Result<u8, Reported>,
    target: Result<ServiceTargetDraft<'a>, Reported>,
    symbols: &mut Symbols<'a>,
) -> Result<ServiceDraft<'a>, Reported> {
    let element = attributes.element();
    let setvar_id = symbols.claim_optional(&mut attributes, "setvar_id");
    unexpected::children(element, attributes.problems());
    Ok(ServiceDraft { kind, id: id?, target: target?, setvar_id, span: element.span() })
}

/// The id of a service.
pub(crate) fn read_id(attributes: &mut Attributes) -> Result<u8, Reported> {
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_SERVICE_ID => Ok(id),
        _ => {
            let text = format!("id must be < {}", MAX_SERVICE_ID + 1);
            let help = "Service ids are 0 to 15.";
            Err(attributes.value_error(code::SERVICE_ID_RANGE, "id", &text, help))
        }
    }
}
