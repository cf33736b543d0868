//! `static_key`: a key of the system, whose branches are patched in the code; and `key`: a protection domain's use of
//! a key.

use limen_abi::KernelKey;
use limen_abi::limits::MAX_KEY_ID;

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::{KeyDraft, StaticKeyDraft};
use crate::grammar;
use crate::model::StaticKey;
use crate::symbols::Symbols;
use crate::unexpected;
use crate::xml::Element;

/// Reads one `static_key` element.
pub(crate) fn read<'a>(
    element: Element<'a>,
    problems: &mut Problems,
) -> Result<StaticKeyDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::STATIC_KEY.attributes(), problems);
    let name = read_name(&mut attributes);
    let default = attributes.boolean_or("default", false);
    let group = attributes.optional("group");
    let shared = attributes.boolean_or("shared", false);
    unexpected::children(element, problems);
    let (name, span) = (name?.to_owned(), element.span());
    let key = StaticKey { name, default: default?, shared: shared?, group: None, kernel: None, span };
    Ok(StaticKeyDraft { key, group })
}

fn read_name<'a>(attributes: &mut Attributes<'a, '_>) -> Result<&'a str, Reported> {
    let name = attributes.required("name")?;
    if name.starts_with(KernelKey::PREFIX) {
        let text = format!("static key name '{name}' is reserved");
        let help = format!(
            "Names that begin with '{}' are kernel keys, which need no declaration; grant them with \
             <key name=\"...\" id=\"...\"/>.",
            KernelKey::PREFIX
        );
        return Err(attributes.value_error(code::STATIC_KEY_NAME_RESERVED, "name", &text, help));
    }
    Ok(name)
}

/// Reads one `key` element: the right to switch a key, and the symbol of branches on it.
pub(crate) fn read_use<'a>(
    element: Element<'a>,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<KeyDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::KEY.attributes(), problems);
    let name = attributes.required("name");
    let id = read_id(&mut attributes);
    let symbol = symbols.claim_optional(&mut attributes, "symbol");
    let shared = read_shared(&mut attributes, name);
    unexpected::children(element, problems);
    let draft = KeyDraft { name: name?, id: id?, symbol, shared: shared?, span: element.span() };
    if draft.id.is_none() && draft.symbol.is_none() {
        let help = "Add an id to let the program switch the key, or a symbol to branch on it.";
        problems.push(value_error(code::KEY_EMPTY, &element, "neither id nor symbol", help));
        return Err(Reported);
    }
    Ok(draft)
}

/// A declared key takes `shared` in its declaration only.
fn read_shared(attributes: &mut Attributes, name: Result<&str, Reported>) -> Result<bool, Reported> {
    let shared = attributes.boolean_or("shared", false)?;
    if shared && name.is_ok_and(|name| !name.starts_with(KernelKey::PREFIX)) {
        let help = "Add the attribute to its declaration: <static_key ... shared=\"true\"/>.";
        let text = "only a key of the kernel is shared here";
        return Err(attributes.value_error(code::KEY_SHARED_HERE, "shared", text, help));
    }
    Ok(shared)
}

fn read_id(attributes: &mut Attributes) -> Result<Option<u8>, Reported> {
    let Some(id) = attributes.optional_number("id")? else { return Ok(None) };
    match u8::try_from(id) {
        Ok(id) if id <= MAX_KEY_ID => Ok(Some(id)),
        _ => {
            let text = format!("id must be < {}", MAX_KEY_ID + 1);
            let help = "Static key ids are 0 to 31.";
            Err(attributes.value_error(code::KEY_ID_RANGE, "id", &text, help))
        }
    }
}
