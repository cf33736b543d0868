//! Channel ids are unique among the channels and interrupts of a protection domain, and calls go to a higher
//! priority.

use super::irqs::{Taken, duplicate_id};
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{ProtectionDomainDraft, SystemDraft};
use crate::model::{Channel, ChannelEnd};

/// `taken` has the ids of interrupts.
pub(super) fn check<'d>(draft: &'d SystemDraft, mut taken: Taken<'d>, problems: &mut Problems) {
    for channel in &draft.channels {
        let [a, b] = &channel.ends;
        let (Some(domain_a), Some(domain_b)) = (domain(draft, a), domain(draft, b)) else { continue };
        for (end, domain) in [(a, domain_a), (b, domain_b)] {
            if let Some(first) = taken.get(&(end.protection_domain, end.id)) {
                problems.push(duplicate_id(end.id, domain, &end.span, first));
            }
        }
        for (end, caller, callee) in [(a, domain_a, domain_b), (b, domain_b, domain_a)] {
            if end.may_call && caller.header.priority >= callee.header.priority {
                problems.push(call_to_lower(channel, caller, callee));
            }
        }
        if a.protection_domain == b.protection_domain {
            problems.push(same_domain(channel, domain_a));
        }
        taken.extend([a, b].map(|end| ((end.protection_domain, end.id), &end.span)));
    }
}

fn domain<'d, 'a>(draft: &'d SystemDraft<'a>, end: &ChannelEnd) -> Option<&'d ProtectionDomainDraft<'a>> {
    draft.protection_domains.get(end.protection_domain)
}

fn call_to_lower(
    channel: &Channel,
    caller: &ProtectionDomainDraft,
    callee: &ProtectionDomainDraft,
) -> Diagnostic {
    let (caller, callee, span) = (&caller.header, &callee.header, &channel.span);
    let message = format!(
        "Error: PPCs must be to protection domains of strictly higher priorities; channel with PPC exists from \
         pd {} (priority: {}) to pd {} (priority: {}): {span}",
        caller.name, caller.priority, callee.name, callee.priority
    );
    let help = format!(
        "Raise the priority of '{}' or lower that of '{}'; calls in one direction only cannot deadlock.",
        callee.name, caller.name
    );
    Diagnostic::new(code::CHANNEL_PPC_PRIORITY, span, message, help)
}

fn same_domain(channel: &Channel, domain: &ProtectionDomainDraft) -> Diagnostic {
    let (name, span) = (&domain.header.name, &channel.span);
    let message = format!("Error: both ends of the channel are in protection domain '{name}' @ {span}");
    let help = "A channel connects two different protection domains.";
    Diagnostic::new(code::CHANNEL_SAME_PD, span, message, help)
}
