//! `domains`: scheduling domains and their schedule.

use std::collections::HashMap;

use limen_abi::limits::DOMAINS;

use crate::attribute::{Attributes, Reported, value_error};
use crate::diagnostic::{Diagnostic, Problems};
use crate::grammar;
use crate::model::{Domain, Domains};
use crate::target::Target;
use crate::unexpected;
use crate::xml::Element;
use crate::{code, domain_schedule};

/// The declared domains, for protection domains that name one.
pub(crate) enum Declared<'a> {
    /// None; every protection domain can always run.
    None,
    /// Ids by name.
    Names(HashMap<&'a str, u8>),
    /// The element has problems, which have been reported.
    Faulty,
}

impl<'a> Declared<'a> {
    /// The domains of a system, from the result of [`read`].
    pub(crate) fn new(domains: Option<&'a Result<Domains, Reported>>) -> Self {
        match domains {
            None => Self::None,
            Some(Ok(domains)) => {
                Self::Names(domains.names.iter().map(|domain| (domain.name.as_str(), domain.id)).collect())
            }
            Some(Err(Reported)) => Self::Faulty,
        }
    }
}

/// A domain that may not have an id yet.
struct Draft<'a> {
    element: Element<'a>,
    name: &'a str,
    id: Option<u8>,
}

/// Reads the `domains` element.
pub(crate) fn read(element: Element, target: &Target, problems: &mut Problems) -> Result<Domains, Reported> {
    let before = problems.len();
    Attributes::read(element, grammar::DOMAINS.attributes(), problems);
    let mut drafts: Vec<Draft> = Vec::new();
    let mut schedules = Vec::new();
    for child in element.children() {
        match child.name() {
            "domain" => {
                let draft = read_domain(child, &drafts, problems);
                drafts.extend(draft);
            }
            "domain_schedule" => schedules.push(child),
            _ => problems.push(unexpected::unknown_child(&child, "domains", &grammar::DOMAINS.child_names())),
        }
    }
    let is_faulty = problems.len() > before;
    if !schedules.iter().any(|schedule| schedule.attribute("cpu").is_none()) {
        let help = if schedules.is_empty() {
            "Add <domain_schedule> with a <schedule_entry domain=\"...\" duration=\"1000 us\"/> for each domain."
        } else {
            "Add one without cpu, which is for all processors that have no schedule of their own."
        };
        let text = "The <domain_schedule> element must appear once";
        problems.push(value_error(code::DOMAIN_SCHEDULE_MISSING, &element, text, help));
    }
    let names = number(element, drafts, problems)?;
    // If a domain is invalid, entries that name it would be reported as well.
    if is_faulty {
        return Err(Reported);
    }
    read_schedules(&schedules, names, target, problems)
}

/// Reads the schedules. One is for all processors, and each of the others for another one.
fn read_schedules(
    elements: &[Element],
    names: Vec<Domain>,
    target: &Target,
    problems: &mut Problems,
) -> Result<Domains, Reported> {
    let read: Vec<_> =
        elements.iter().map(|element| domain_schedule::read(*element, &names, target, problems)).collect();
    let read = read.into_iter().collect::<Result<Vec<_>, _>>()?;
    let before = problems.len();
    for (index, (element, (cpu, _))) in elements.iter().zip(&read).enumerate() {
        if let Some(first) = read[..index].iter().position(|(other, _)| other == cpu) {
            problems.push(duplicate_schedule(element, *cpu, &elements[first]));
        }
    }
    if problems.len() > before {
        return Err(Reported);
    }
    let (mut all, mut others) = (None, Vec::new());
    for (cpu, schedule) in read {
        match cpu {
            None => all = Some(schedule),
            Some(cpu) => others.push((cpu, schedule)),
        }
    }
    Ok(Domains { names, schedule: all.ok_or(Reported)?, others })
}

fn duplicate_schedule(element: &Element, cpu: Option<u8>, first: &Element) -> Diagnostic {
    let (text, rest) = match cpu {
        None => (
            "The <domain_schedule> element can only appear once".to_owned(),
            ", or add cpu=\"...\" for a processor with a schedule of its own",
        ),
        Some(cpu) => (format!("cpu {cpu} has another <domain_schedule>"), ""),
    };
    let help = format!("Put all entries into the one at {}{rest}.", first.span());
    value_error(code::DOMAIN_SCHEDULE_DUPLICATE, element, &text, &help)
}

fn read_domain<'a>(
    element: Element<'a>,
    earlier: &[Draft<'a>],
    problems: &mut Problems,
) -> Result<Draft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::SCHEDULING_DOMAIN.attributes(), problems);
    let name = attributes.required("name");
    let id = read_id(&mut attributes);
    unexpected::children(element, problems);
    let draft = Draft { element, name: name?, id: id? };
    // More domains than these are reported anyway.
    let mut earlier = earlier.iter().take(DOMAINS);
    let same_name = earlier.clone().find(|other| other.name == draft.name);
    let same_id = earlier.find(|other| draft.id.is_some() && other.id == draft.id);
    let problem = match (same_name, same_id) {
        (Some(other), _) => duplicate(code::DOMAIN_NAME_DUPLICATE, "name", &draft, other),
        (None, Some(other)) => duplicate(code::DOMAIN_ID_DUPLICATE, "id", &draft, other),
        (None, None) => return Ok(draft),
    };
    problems.push(problem);
    Err(Reported)
}

fn read_id(attributes: &mut Attributes) -> Result<Option<u8>, Reported> {
    let Some(id) = attributes.optional_number("id")? else { return Ok(None) };
    match u8::try_from(id) {
        Ok(small) if usize::from(small) < DOMAINS => Ok(Some(small)),
        _ => {
            let text = format!(
                "domain id {id} should be less than the configured KernelNumDomains value of {DOMAINS}"
            );
            let help =
                format!("Use an id from 0 to {}, or omit the attribute to let the tool choose.", DOMAINS - 1);
            Err(attributes.value_error(code::DOMAIN_ID_RANGE, "id", &text, help))
        }
    }
}

fn duplicate(code: &'static str, attribute: &str, draft: &Draft, other: &Draft) -> Diagnostic {
    let id = other.id.map_or_else(|| "chosen by the tool".to_owned(), |id| id.to_string());
    let text = format!(
        "Each <domain>'s {attribute} element must be unique found existing domain '{}' with id '{id}'",
        other.name
    );
    let help = format!("The other domain is at {}.", other.element.span());
    value_error(code, &draft.element, &text, help)
}

/// Assigns the smallest unused ids to domains without one, in document order.
fn number(element: Element, drafts: Vec<Draft>, problems: &mut Problems) -> Result<Vec<Domain>, Reported> {
    let taken: Vec<u8> = drafts.iter().filter_map(|draft| draft.id).collect();
    let mut free = (0..).take(DOMAINS).filter(|id| !taken.contains(id));
    let mut domains = Vec::new();
    for Draft { element: domain, name, id } in drafts {
        let Some(id) = id.or_else(|| free.next()) else {
            let text = format!("Number of domains exceeds {DOMAINS}");
            let help = "Let several protection domains share a domain.";
            problems.push(value_error(code::DOMAINS_TOO_MANY, &element, &text, help));
            return Err(Reported);
        };
        domains.push(Domain { name: name.to_owned(), id, span: domain.span() });
    }
    Ok(domains)
}
