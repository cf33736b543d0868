//! `pp` on a protection domain, in descriptions for older board names: every peer of a channel may call it.
//!
//! Calls go to a higher priority, so peers of equal or higher priority may not call.

use crate::code;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::draft::SystemDraft;

/// Grants protected calls to the channel ends whose peer has `pp`.
pub(super) fn grant(draft: &mut SystemDraft, warnings: &mut Problems) {
    let SystemDraft { protection_domains, channels, .. } = draft;
    let header = |index: usize| protection_domains.get(index).map(|domain| &domain.header);
    for channel in channels {
        let [a, b] = &mut channel.ends;
        let (Some(header_a), Some(header_b)) = (header(a.protection_domain), header(b.protection_domain))
        else {
            continue;
        };
        a.may_call |= header_b.older_pp.is_some() && header_a.priority < header_b.priority;
        b.may_call |= header_a.older_pp.is_some() && header_b.priority < header_a.priority;
    }
    let headers = protection_domains.iter().map(|domain| &domain.header);
    warnings.extend(headers.filter_map(|header| Some(older(&header.name, header.older_pp.as_ref()?))));
}

fn older(name: &str, span: &Span) -> Diagnostic {
    let message =
        format!("Warning: 'pp' on protection_domain '{name}' is taken for an older board name only: {span}");
    let help = "Since Microkit 2.0, pp is an attribute of the calling end: <end pd=\"...\" id=\"...\" pp=\"true\" />.";
    Diagnostic::new(code::PD_OLDER_PP, span, message, help)
}
