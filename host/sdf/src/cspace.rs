//! `cspace`: capabilities of other protection domains in slots that the description chooses.

use limen_abi::limits::ROOT_SLOTS;

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{CapDraft, CapKind};
use crate::grammar;
use crate::meant;
use crate::xml::Element;

const CHILDREN: [&str; 4] = ["cap_tcb", "cap_sc", "cap_vspace", "cap_sched_control"];

/// Number of slots in the known message; a capability pointer reaches half of them.
const NAMED_SLOTS: u64 = 128;

/// Reads one `cspace` element.
pub(crate) fn read<'a>(element: Element<'a>, problems: &mut Problems) -> Result<Vec<CapDraft<'a>>, Reported> {
    Attributes::read(element, grammar::CSPACE.attributes(), problems);
    let caps: Vec<_> = element.children().map(|child| read_cap(child, problems)).collect();
    caps.into_iter().collect()
}

fn read_cap<'a>(element: Element<'a>, problems: &mut Problems) -> Result<CapDraft<'a>, Reported> {
    let (kind, rule) = match element.name() {
        "cap_tcb" => (CapKind::Tcb, &grammar::CAP_TCB),
        "cap_sc" => (CapKind::Sc, &grammar::CAP_SC),
        "cap_vspace" => (CapKind::VSpace, &grammar::CAP_VSPACE),
        "cap_sched_control" => (CapKind::SchedControl, &grammar::CAP_SCHED_CONTROL),
        _ => {
            let problem = unknown(&element, problems);
            problems.push(problem);
            return Err(Reported);
        }
    };
    let mut attributes = Attributes::read(element, rule.attributes(), problems);
    let domain = match kind {
        CapKind::SchedControl => Ok(None),
        _ => attributes.required("pd").map(Some),
    };
    let slot = read_slot(&mut attributes);
    crate::unexpected::children(element, problems);
    Ok(CapDraft { kind, domain: domain?, slot: slot?, span: element.span() })
}

fn read_slot(attributes: &mut Attributes) -> Result<u8, Reported> {
    let slot = attributes.required_number("slot")?;
    let last = ROOT_SLOTS - 1;
    let text = match u8::try_from(slot) {
        Ok(0) => "The destination slot 0 has been reserved for Microkit CNode".to_owned(),
        Ok(small) if usize::from(small) <= last => return Ok(small),
        _ if slot < NAMED_SLOTS => format!("The destination slot {slot} cannot be reached"),
        _ => format!("There are only {NAMED_SLOTS} destination cspace slots available."),
    };
    let help =
        format!("Use a slot from 1 to {last}; programs address it with microkit_cspace_root_slot_to_cptr.");
    Err(attributes.value_error(code::CSPACE_SLOT, "slot", &text, help))
}

/// Both known wordings lack "Error: " and use another form of location.
fn unknown(element: &Element, problems: &Problems) -> Diagnostic {
    let (name, span) = (element.name(), element.span());
    let message = match name.strip_prefix("cap_") {
        Some(kind) => format!("Cap type: '{kind}' is not supported at '{span}'"),
        None => format!("Element '{name}' is not supported in a <cspace> element at '{span}'"),
    };
    let help = meant::help(problems, "Elements allowed here", name, CHILDREN);
    Diagnostic::new(code::CSPACE_CAP_UNKNOWN, &span, message, help)
}

/// Reports a second `cspace`.
pub(crate) fn duplicate(parent: &Element) -> Diagnostic {
    let help = "Put all capabilities into one cspace element.";
    value_error(code::CSPACE_DUPLICATE, parent, "cspace must only be specified once", help)
}
