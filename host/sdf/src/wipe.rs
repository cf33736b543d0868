//! `wipe`: memory that the kernel clears when an interrupt arrives or the program faults.

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::WipeDraft;
use crate::grammar;
use crate::model::WipeTrigger;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `wipe` element.
pub(crate) fn read<'a>(element: Element<'a>, problems: &mut Problems) -> Result<WipeDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::WIPE.attributes(), problems);
    let region = attributes.required("region");
    let irq = attributes.optional_number("irq");
    let fault = attributes.boolean_or("fault", false);
    unexpected::children(element, attributes.problems());
    let trigger = match (irq?, fault?) {
        (Some(id), false) => WipeTrigger::Irq(u8::try_from(id).unwrap_or(u8::MAX)),
        (None, true) => WipeTrigger::Fault,
        _ => {
            let help = "The trigger is an interrupt of this protection domain (irq=\"ID\") or its faults \
                        (fault=\"true\").";
            let text = "exactly one of irq and fault must be specified";
            attributes.problems().push(value_error(code::WIPE_TRIGGER, &element, text, help));
            return Err(Reported);
        }
    };
    Ok(WipeDraft { region: region?, trigger, span: element.span() })
}
