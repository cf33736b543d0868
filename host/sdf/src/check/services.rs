//! Services: ids are unique, and each target exists and is allowed.

use std::collections::{HashMap, HashSet};

use limen_abi::ServiceKind;
use limen_abi::limits::SERVICES;

use super::seals;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{ProtectionDomainDraft, ServiceDraft, ServiceTargetDraft, SystemDraft};
use crate::meant;
use crate::model::{Service, ServiceTarget};

/// The services of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Problems) -> Vec<Vec<Service>> {
    let all = draft.protection_domains.iter().flat_map(|domain| &domain.contents.services);
    if let Some(first_too_many) = all.clone().nth(SERVICES) {
        problems.push(too_many(all.count(), first_too_many));
    }
    let domains = draft.protection_domains.iter().enumerate();
    let resolved: Vec<_> = domains
        .map(|(index, domain)| {
            check_ids(domain, problems);
            let irqs = domain.contents.irqs.iter().map(|irq| irq.id).collect();
            let services = domain.contents.services.iter();
            services.filter_map(|service| resolve_one(draft, index, &irqs, service, problems)).collect()
        })
        .collect();
    seals::check_keys(draft, &resolved, problems);
    resolved
}

fn check_ids(domain: &ProtectionDomainDraft, problems: &mut Problems) {
    let mut seen = HashMap::new();
    for service in &domain.contents.services {
        let (id, span) = (service.id, &service.span);
        if let Some(first) = seen.insert(id, span) {
            let (name, location) = (&domain.header.name, &domain.span);
            let message =
                format!("Error: duplicate service id: {id} in protection domain: '{name}' @ {location}");
            let help = format!("Choose another id; the element at {first} has this one.");
            problems.push(Diagnostic::new(code::SERVICE_ID_DUPLICATE, span, message, help));
        }
    }
}

/// Code, text and help for an invalid target.
pub(super) type Refusal = (&'static str, String, String);

fn resolve_one(
    draft: &SystemDraft,
    holder: usize,
    irqs: &HashSet<u8>,
    service: &ServiceDraft,
    problems: &mut Problems,
) -> Option<Service> {
    let target = match service.target {
        ServiceTargetDraft::Region(name) => region(draft, name, problems),
        ServiceTargetDraft::Program(name) => program(draft, holder, service.kind, name, problems),
        ServiceTargetDraft::Kernel => Ok(ServiceTarget::Kernel),
        ServiceTargetDraft::Seal(seal) => {
            seals::resolve(draft, &draft.protection_domains[holder], irqs, &seal, problems)
        }
    };
    let ServiceDraft { kind, id, setvar_id, span, .. } = service;
    match target {
        Ok(target) => {
            Some(Service { kind: *kind, id: *id, target, setvar_id: setvar_id.clone(), span: span.clone() })
        }
        Err((code, text, help)) => {
            problems.push(Diagnostic::new(code, span, format!("Error: {text}: {span}"), help));
            None
        }
    }
}

fn region(draft: &SystemDraft, name: &str, problems: &Problems) -> Result<ServiceTarget, Refusal> {
    let unknown = || {
        let rule = "region must be the name of a memory_region in this file";
        let help = meant::help(problems, rule, name, draft.region_names());
        (code::SERVICE_REGION_UNKNOWN, format!("unknown memory region name '{name}'"), help)
    };
    draft.region(name).map(|(index, _)| ServiceTarget::Region(index)).ok_or_else(unknown)
}

/// Only a parent can stop a program, so only the parent may reset it.
fn program(
    draft: &SystemDraft,
    holder: usize,
    kind: ServiceKind,
    name: &str,
    problems: &Problems,
) -> Result<ServiceTarget, Refusal> {
    let unknown = || {
        let rule = "pd must be the name of a protection domain in this file";
        let help = meant::help(problems, rule, name, draft.domain_names());
        (code::SERVICE_PD_UNKNOWN, format!("unknown PD name '{name}'"), help)
    };
    let mut domains = draft.protection_domains.iter();
    let index = domains.position(|domain| domain.header.name == name).ok_or_else(unknown)?;
    let parent = draft.protection_domains[index].header.parent.as_ref();
    let is_child = parent.is_some_and(|parent| parent.parent == holder);
    if kind == ServiceKind::Reset && !is_child {
        let help = "Only the parent can reset a program, because it can stop and restart it.";
        return Err((code::RESET_NOT_CHILD, format!("PD '{name}' is not a child"), help.to_owned()));
    }
    Ok(ServiceTarget::Program(index))
}

fn too_many(count: usize, first: &ServiceDraft) -> Diagnostic {
    let span = &first.span;
    let message = format!("Error: too many services ({count}). Maximum is {SERVICES}: {span}");
    let help = "The limit counts digests, resets and seals of all protection domains.";
    Diagnostic::new(code::SERVICES_TOO_MANY, span, message, help)
}
