//! `system`: the outermost element.

use std::collections::HashMap;

use limen_abi::limits::PROTECTION_DOMAINS;

use crate::attribute::value_error;
use crate::attribute::{Attributes, Reported};
use crate::diagnostic::{Diagnostic, Problems};
use crate::domains::Declared;
use crate::draft::{MemoryRegionDraft, ProtectionDomainDraft, SystemDraft};
use crate::grammar;
use crate::model::Domains;
use crate::prefill::ReadFile;
use crate::protection_domain::Reader;
use crate::target::Target;
use crate::xml::Element;
use crate::{channel, code, domains, memory_region, static_key, unexpected};

/// Reads a whole description.
///
/// Scheduling domains come first because protection domains refer to them, and channels last because they refer to
/// protection domains; the file may have any order.
pub(crate) fn read<'a>(
    root: Element<'a>,
    target: &Target,
    read_file: &ReadFile,
) -> Result<SystemDraft<'a>, Vec<Diagnostic>> {
    check_root(root)?;
    let mut problems = Problems::default();
    let mut attributes = Attributes::read(root, grammar::SYSTEM.attributes(), &mut problems);
    let boot_figures = attributes.boolean_or("boot_figures", false);
    let schedule = read_domains(root, target, &mut problems);
    let scheduling = Declared::new(schedule.as_ref());
    let mut reader = Reader { target, scheduling, problems: &mut problems, domains: Vec::new(), too_many: 0 };
    let mut regions = Vec::new();
    let mut channels = Vec::new();
    let mut static_keys = Vec::new();
    for child in root.children() {
        match child.name() {
            "protection_domain" => reader.read(child),
            "memory_region" => regions.push(memory_region::read(child, target, read_file, reader.problems)),
            "channel" => channels.push(child),
            "static_key" => static_keys.push(static_key::read(child, reader.problems)),
            "domains" => {}
            _ => reader.problems.push(unexpected_child(&child)),
        }
    }
    check_child_ids(&reader.domains, reader.problems);
    let names = channel::Names::new(root);
    let channels: Vec<_> =
        channels.into_iter().map(|element| channel::read(element, &names, &mut reader)).collect();
    check_count(root, reader.domains.len() + reader.too_many, reader.problems);
    let domains: Option<Vec<_>> = reader.domains.into_iter().collect();
    let regions: Result<Vec<_>, Reported> = regions.into_iter().collect();
    let channels: Result<Vec<_>, Reported> = channels.into_iter().collect();
    let static_keys: Result<Vec<_>, Reported> = static_keys.into_iter().collect();
    match (boot_figures, domains, regions, channels, static_keys, schedule.transpose()) {
        (
            Ok(boot_figures),
            Some(protection_domains),
            Ok(memory_regions),
            Ok(channels),
            Ok(static_keys),
            Ok(domains),
        ) if problems.is_empty() => Ok(SystemDraft {
            region_indices: region_indices(&memory_regions),
            boot_figures,
            protection_domains,
            memory_regions,
            channels,
            static_keys,
            domains,
        }),
        _ => Err(problems.into_kept()),
    }
}

fn region_indices(regions: &[MemoryRegionDraft]) -> HashMap<String, usize> {
    let indices = regions.iter().enumerate().map(|(index, draft)| (draft.region.name.clone(), index));
    // Of several, the first wins.
    indices.rev().collect()
}

/// Reads the `domains` element, if present.
fn read_domains(
    root: Element,
    target: &Target,
    problems: &mut Problems,
) -> Option<Result<Domains, Reported>> {
    let mut elements = root.children().filter(|child| child.name() == "domains");
    let first = elements.next()?;
    let read = domains::read(first, target, problems);
    for another in elements {
        let text = "domains must only be specified once";
        let help = "A system has one schedule; put all domains into one domains element.";
        problems.push(value_error(code::DOMAINS_DUPLICATE, &another, text, help));
    }
    Some(read)
}

/// Checks the name of the outermost element, and that the document has no text.
fn check_root(root: Element) -> Result<(), Vec<Diagnostic>> {
    if root.name() != "system" {
        return Err(vec![wrong_root(&root)]);
    }
    let problems: Problems = root.texts().iter().map(unexpected::text).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.into_kept()) }
}

fn wrong_root(root: &Element) -> Diagnostic {
    let (name, span) = (root.name(), root.span());
    let message = format!("Error: the root element must be 'system', not '{name}': {span}");
    Diagnostic::new(code::ROOT_ELEMENT, &span, message, "Put the description into <system> ... </system>.")
}

fn unexpected_child(child: &Element) -> Diagnostic {
    match child.name() {
        "virtual_machine" => {
            let span = child.span();
            let message = format!("Error: virtual machine must be a child of a protection domain: {span}");
            let help = "Put it into the protection domain that monitors it.";
            Diagnostic::new(code::VIRTUAL_MACHINE_OUTSIDE_PD, &span, message, help)
        }
        "io_address_space" => unexpected::io_address_space(child),
        _ => unexpected::unknown_element(child, &grammar::SYSTEM.child_names()),
    }
}

fn check_child_ids(domains: &[Option<ProtectionDomainDraft>], problems: &mut Problems) {
    let mut seen = HashMap::new();
    for domain in domains.iter().flatten() {
        let Some(child_of) = &domain.header.parent else { continue };
        let Some(first) = seen.insert((child_of.parent, child_of.id), &domain.span) else { continue };
        let parent = domains.get(child_of.parent).and_then(Option::as_ref);
        let parent = parent.map_or("", |parent| parent.header.name.as_str());
        let (id, span) = (child_of.id, &domain.span);
        let message = format!("Error: duplicate id: {id} in protection domain: '{parent}' @ {span}");
        let help = format!("The child at {first} has this id; choose another.");
        problems.push(Diagnostic::new(code::PD_CHILD_ID_DUPLICATE, span, message, help));
    }
}

fn check_count(root: Element, count: usize, problems: &mut Problems) {
    let span = root.span();
    if count == 0 {
        let message = format!("Error: at least one protection domain must be defined: {span}");
        let help = "Add a protection_domain element.";
        problems.push(Diagnostic::new(code::PD_NONE, &span, message, help));
    }
    if count > PROTECTION_DOMAINS {
        let message = format!(
            "Error: too many protection domains ({count}) defined. Maximum is {PROTECTION_DOMAINS}.: {span}"
        );
        let help = "Nested protection domains count, too.";
        problems.push(Diagnostic::new(code::PD_TOO_MANY, &span, message, help));
    }
}
