//! `channel`: a connection between two protection domains.

use std::collections::HashSet;

use limen_abi::limits::MAX_CHANNEL_ID;

use crate::attribute::{Attributes, Reported, is_negative, value_error};
use crate::code;
use crate::draft::ProtectionDomainDraft;
use crate::grammar;
use crate::meant;
use crate::model::{Channel, ChannelEnd, Symbol};
use crate::protection_domain::Reader;
use crate::unexpected;
use crate::xml::Element;

/// Names of all protection domains, those with problems included.
pub(crate) struct Names<'a> {
    /// In document order.
    written: Vec<&'a str>,
    known: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(root: Element<'a>) -> Self {
        let elements = root.descendants().filter(|element| element.name() == "protection_domain");
        let written: Vec<_> = elements.filter_map(|element| element.attribute("name")).collect();
        Self { known: written.iter().copied().collect(), written }
    }
}

/// Reads one `channel` element, after all protection domains.
///
/// `names` are those of all protection domains.
pub(crate) fn read<'a>(
    element: Element<'a>,
    names: &Names<'a>,
    reader: &mut Reader<'a, '_>,
) -> Result<Channel, Reported> {
    Attributes::read(element, grammar::CHANNEL.attributes(), reader.problems);
    let ends: Vec<_> = element.children().map(|child| read_end(child, names, reader)).collect();
    let Ok([a, b]) = <[_; 2]>::try_from(ends) else {
        let text = "exactly two end elements must be specified";
        let help = "A channel has two ends, one per protection domain.";
        reader.problems.push(value_error(code::CHANNEL_ENDS, &element, text, help));
        return Err(Reported);
    };
    let ends = [a?, b?];
    if ends.iter().all(|end| end.may_call) {
        let text = "cannot ppc bidirectionally";
        let help = "Keep pp=\"true\" on the end with the lower priority only; calls go from lower to higher priority.";
        reader.problems.push(value_error(code::CHANNEL_PPC_BOTH_WAYS, &element, text, help));
    }
    for (end, child) in ends.iter().zip(element.children()) {
        if let Some(symbol) = child.attribute("setvar_id")
            && let Some(Some(domain)) = reader.domains.get_mut(end.protection_domain)
        {
            domain.contents.symbols.claim(&element, symbol, reader.problems);
        }
    }
    Ok(Channel { ends, span: element.span() })
}

fn read_end<'a>(
    element: Element<'a>,
    names: &Names<'a>,
    reader: &mut Reader<'a, '_>,
) -> Result<ChannelEnd, Reported> {
    if element.name() != "end" {
        reader.problems.push(unexpected::unknown_element(&element, &grammar::CHANNEL.child_names()));
        return Err(Reported);
    }
    let mut attributes = Attributes::read(element, grammar::END.attributes(), reader.problems);
    let name = attributes.required("pd");
    let id = read_id(&mut attributes);
    let may_notify = attributes.boolean_or("notify", true);
    let may_call = attributes.boolean_or("pp", false);
    let setvar_id = attributes.optional("setvar_id");
    let protection_domain = name.and_then(|name| find_domain(name, names, &reader.domains, &mut attributes));
    unexpected::children(element, reader.problems);
    Ok(ChannelEnd {
        protection_domain: protection_domain?,
        id: id?,
        may_call: may_call?,
        may_notify: may_notify?,
        setvar_id: setvar_id.map(|name| Symbol { name: name.to_owned(), span: element.span() }),
        span: element.span(),
    })
}

fn read_id(attributes: &mut Attributes) -> Result<u8, Reported> {
    let help = "Ids of channels and interrupts are 0 to 61, unique within a protection domain.";
    if attributes.optional("id").is_some_and(is_negative) {
        return Err(attributes.value_error(code::CHANNEL_ID_RANGE, "id", "id must be >= 0", help));
    }
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_CHANNEL_ID => Ok(id),
        _ => {
            let text = format!("id must be < {}", MAX_CHANNEL_ID + 1);
            Err(attributes.value_error(code::CHANNEL_ID_RANGE, "id", &text, help))
        }
    }
}

/// Index of the protection domain called `name`. A domain with problems of its own is not reported again.
fn find_domain(
    name: &str,
    names: &Names,
    domains: &[Option<ProtectionDomainDraft>],
    attributes: &mut Attributes,
) -> Result<usize, Reported> {
    let is_called = |domain: &Option<ProtectionDomainDraft>| {
        domain.as_ref().is_some_and(|domain| domain.header.name == name)
    };
    if let Some(index) = domains.iter().position(is_called) {
        return Ok(index);
    }
    if names.known.contains(name) {
        return Err(Reported);
    }
    let text = format!("invalid PD name '{name}'");
    let rule = "pd must be the name of a protection domain in this file";
    let help = meant::help(attributes.problems(), rule, name, names.written.iter().copied());
    Err(attributes.value_error(code::CHANNEL_PD_UNKNOWN, "pd", &text, help))
}
