//! `static_key`: a key of the system, whose branches are patched in code; and `key`: who may switch one.

use limen_abi::KernelKey;
use limen_abi::limits::MAX_KEY_ID;

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::diagnostic::Diagnostic;
use crate::draft::KeyDraft;
use crate::model::StaticKey;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `static_key` element.
pub(crate) fn read(element: Element, problems: &mut Vec<Diagnostic>) -> Result<StaticKey, Reported> {
    let mut attributes = Attributes::read(element, &["name", "default", "shared"], problems);
    let name = read_name(&mut attributes);
    let default = attributes.boolean_or("default", false);
    let shared = attributes.boolean_or("shared", false);
    unexpected::children(element, problems);
    let name = name?.to_owned();
    Ok(StaticKey { name, default: default?, shared: shared?, kernel: None, span: element.span() })
}

fn read_name<'a>(attributes: &mut Attributes<'a, '_>) -> Result<&'a str, Reported> {
    let name = attributes.required("name")?;
    if name.starts_with(KernelKey::PREFIX) {
        let text = format!("static key name '{name}' is reserved");
        let help = format!(
            "Names that begin with '{}' are those of the kernel's keys, which are not declared: grant them with \
             <key name=\"...\" id=\"...\"/>.",
            KernelKey::PREFIX
        );
        return Err(attributes.value_error(code::STATIC_KEY_NAME_RESERVED, "name", &text, help));
    }
    Ok(name)
}

/// Reads one `key` element.
pub(crate) fn read_grant<'a>(
    element: Element<'a>,
    problems: &mut Vec<Diagnostic>,
) -> Result<KeyDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, &["name", "id"], problems);
    let name = attributes.required("name");
    let id = read_id(&mut attributes);
    unexpected::children(element, problems);
    Ok(KeyDraft { name: name?, id: id?, span: element.span() })
}

fn read_id(attributes: &mut Attributes) -> Result<u8, Reported> {
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_KEY_ID => Ok(id),
        _ => {
            let text = format!("id must be < {}", MAX_KEY_ID + 1);
            let help = "Static keys have ids of their own, from 0 to 31.";
            Err(attributes.value_error(code::KEY_ID_RANGE, "id", &text, help))
        }
    }
}
