//! Static keys: every name is declared once or is a kernel key, groups are keys without a group, and key ids are unique
//! within a protection domain.

use std::collections::HashMap;

use limen_abi::KernelKey;
use limen_abi::limits::KEYS;

use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{KeyDraft, ProtectionDomainDraft, SystemDraft};
use crate::meant::near;
use crate::model::{KeyUse, StaticKey};

/// The keys of the system, with the kernel keys in use at the end, and the key uses of each protection domain.
/// Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, problems: &mut Problems) -> (Vec<StaticKey>, Vec<Vec<KeyUse>>) {
    let mut keys: Vec<_> = draft.static_keys.iter().map(|draft| draft.key.clone()).collect();
    check_names(&keys, problems);
    let mut known = keys.iter().enumerate().map(|(index, key)| (key.name.clone(), index)).rev().collect();
    resolve_groups(&mut keys, draft, &known, problems);
    let mut uses = Vec::new();
    for domain in &draft.protection_domains {
        check_ids(domain, problems);
        let drafts = domain.contents.keys.iter();
        uses.push(drafts.filter_map(|draft| resolve_one(&mut keys, &mut known, draft, problems)).collect());
    }
    if let Some(first_too_many) = keys.get(KEYS) {
        problems.push(too_many(keys.len(), first_too_many));
    }
    (keys, uses)
}

fn check_names(keys: &[StaticKey], problems: &mut Problems) {
    let mut seen = HashMap::new();
    for key in keys {
        if let Some(first) = seen.insert(&key.name, &key.span) {
            let message = format!("Error: duplicate static key name '{}': {}", key.name, key.span);
            let help = format!("The static key at {first} has this name; choose another.");
            problems.push(Diagnostic::new(code::STATIC_KEY_NAME_DUPLICATE, &key.span, message, help));
        }
    }
}

fn resolve_groups(
    keys: &mut [StaticKey],
    draft: &SystemDraft,
    known: &HashMap<String, usize>,
    problems: &mut Problems,
) {
    for (index, in_group) in draft.static_keys.iter().enumerate() {
        let Some(group) = in_group.group else { continue };
        match known.get(group) {
            None => {
                let problem = unknown_group(keys, &in_group.key, group, problems);
                problems.push(problem);
            }
            Some(leader) if draft.static_keys.get(*leader).is_some_and(|leader| leader.group.is_some()) => {
                let (StaticKey { name, span, .. }, leader) = (&in_group.key, &keys[*leader].span);
                let message =
                    format!("Error: group '{group}' of static key '{name}' is in a group itself: {span}");
                let help = format!("Remove the group of the static key at {leader}: groups have one level.");
                problems.push(Diagnostic::new(code::STATIC_KEY_GROUP, span, message, help));
            }
            Some(leader) => keys[index].group = Some(*leader),
        }
    }
}

fn unknown_group(keys: &[StaticKey], key: &StaticKey, group: &str, problems: &Problems) -> Diagnostic {
    let StaticKey { name, span, .. } = key;
    let message = format!("Error: unknown group '{group}' of static key '{name}': {span}");
    let names: Vec<_> = keys.iter().map(|key| key.name.as_str()).collect();
    let known = if problems.is_full() { &[][..] } else { &names[..] };
    let declare = if group.starts_with(KernelKey::PREFIX) {
        "A key of the kernel is no group; name a key that the description declares.".to_owned()
    } else {
        format!("A group is a static key. Declare it: <static_key name=\"{group}\"/> directly inside system.")
    };
    let help = near(problems, group, known).unwrap_or(declare);
    Diagnostic::new(code::STATIC_KEY_GROUP, span, message, help)
}

fn check_ids(domain: &ProtectionDomainDraft, problems: &mut Problems) {
    let mut seen = HashMap::new();
    for key in &domain.contents.keys {
        let Some(id) = key.id else { continue };
        if let Some(first) = seen.insert(id, &key.span) {
            let (name, location) = (&domain.header.name, &domain.span);
            let message =
                format!("Error: duplicate static key id: {id} in protection domain: '{name}' @ {location}");
            let help = format!("Choose another id; the element at {first} has this one.");
            problems.push(Diagnostic::new(code::KEY_ID_DUPLICATE, &key.span, message, help));
        }
    }
}

fn resolve_one(
    keys: &mut Vec<StaticKey>,
    known: &mut HashMap<String, usize>,
    draft: &KeyDraft,
    problems: &mut Problems,
) -> Option<KeyUse> {
    let index = known.get(draft.name).copied().or_else(|| {
        keys.push(kernel_key(draft)?);
        known.insert(draft.name.to_owned(), keys.len() - 1);
        Some(keys.len() - 1)
    });
    if index.is_none() {
        let problem = unknown(keys, draft, problems);
        problems.push(problem);
    }
    let (symbol, span) = (draft.symbol.clone(), draft.span.clone());
    Some(KeyUse { key: index?, id: draft.id, symbol, shared: draft.shared, span })
}

/// The kernel key with this name. The configuration sets its default.
fn kernel_key(draft: &KeyDraft) -> Option<StaticKey> {
    let (key, name, _) = KernelKey::ALL.iter().find(|(_, name, _)| *name == draft.name)?;
    let span = draft.span.clone();
    Some(StaticKey {
        name: (*name).to_owned(),
        default: false,
        shared: false,
        group: None,
        kernel: Some(*key),
        span,
    })
}

fn unknown(keys: &[StaticKey], draft: &KeyDraft, problems: &Problems) -> Diagnostic {
    let (name, span) = (draft.name, &draft.span);
    let message = format!("Error: unknown static key '{name}' on element 'key': {span}");
    let kernel: Vec<_> = KernelKey::ALL.iter().map(|(_, name, _)| *name).collect();
    let declared = keys.iter().take(if problems.is_full() { 0 } else { keys.len() });
    let known: Vec<_> = declared.map(|key| key.name.as_str()).chain(kernel.iter().copied()).collect();
    let help = near(problems, name, &known).unwrap_or_else(|| {
        format!(
            "Declare it: <static_key name=\"{name}\"/> directly inside system. The kernel's keys: {}.",
            kernel.join(", ")
        )
    });
    Diagnostic::new(code::KEY_UNKNOWN, span, message, help)
}

fn too_many(count: usize, first: &StaticKey) -> Diagnostic {
    let span = &first.span;
    let message = format!("Error: too many static keys ({count}). Maximum is {KEYS}: {span}");
    let help = "Kernel keys in use count, too.";
    Diagnostic::new(code::STATIC_KEYS_TOO_MANY, span, message, help)
}
