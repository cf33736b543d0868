//! `cpu`: the attribute with the number of a processor.

use crate::attribute::{Attributes, Reported};
use crate::target::Target;

/// The processor, if the element has the attribute.
pub(crate) fn read(
    code: &'static str,
    target: &Target,
    attributes: &mut Attributes,
) -> Result<Option<u8>, Reported> {
    let Some(cpu) = attributes.optional_number("cpu")? else { return Ok(None) };
    match u8::try_from(cpu) {
        Ok(index) if index < target.cpus => Ok(Some(index)),
        _ => {
            let text = format!("cpu core must be less than {}, got {cpu}", target.cpus);
            let help = match target.cpus - 1 {
                0 => "This configuration has one processor, number 0; those whose names start with `smp-` have all of \
                      the board."
                    .to_owned(),
                last => format!("This configuration has processors 0 to {last}."),
            };
            Err(attributes.value_error(code, "cpu", &text, help))
        }
    }
}
