//! Facts about the system, its programs, channels and digests.

use std::collections::HashMap;

use limen_builder::Report;
use limen_builder::report::{ChannelEnd, ProtectionDomain, human_bytes};
use limen_page::{escaped, line};

use super::{line_of, list};

/// The cards at the top.
pub(super) fn facts(report: &Report) -> String {
    let sizes = report.sizes;
    let programs = report.protection_domains.len();
    let channels = report.channels.len();
    let cards = [
        (
            escaped(&report.board),
            format!("{} configuration, Limen {}", escaped(&report.config), report.version),
        ),
        (
            format!("{programs} programs"),
            format!("{channels} channels, {} kernel objects", report.graph.object_count),
        ),
        (human_bytes(sizes.used_bytes), "memory in use, without page tables".to_owned()),
        (human_bytes(sizes.file_bytes), format!("image; {} of contents", human_bytes(sizes.contents_bytes))),
    ];
    let card =
        |(head, text): (String, String)| format!("<p><strong>{head}</strong><small>{text}</small></p>\n");
    format!("<div class=\"cards\">\n{}</div>\n", cards.map(card).concat())
}

pub(super) fn programs(report: &Report) -> String {
    let rows: Vec<String> = report.protection_domains.iter().map(program).collect();
    list(&["Program", "Priority", "Time", "Stack, guard", "Rights"], &rows)
}

fn program(domain: &ProtectionDomain) -> String {
    let parent = match (&domain.parent, domain.child_id) {
        (Some(parent), Some(id)) => format!("<small>child {id} of {}</small>", escaped(parent)),
        _ => String::new(),
    };
    let time = if domain.passive {
        "passive".to_owned()
    } else if domain.budget_us == domain.period_us {
        format!("slices of {} \u{b5}s", domain.period_us)
    } else {
        format!("{} of {} \u{b5}s", domain.budget_us, domain.period_us)
    };
    let scheduling = domain.domain.iter().map(|name| format!(", domain {}", escaped(name)));
    let scheduling = scheduling.chain(domain.cpu.iter().map(|cpu| format!(", processor {cpu}")));
    let guard = match domain.guard_bytes {
        0 => "<b class=\"missed\">no guard</b>".to_owned(),
        bytes => human_bytes(bytes),
    };
    let stack = format!("{}, {guard}", human_bytes(domain.stack_end.0 - domain.stack_start.0));
    let name = format!("{}{parent}", escaped(&domain.name));
    line(&name, [domain.priority.to_string(), time + &scheduling.collect::<String>(), stack, rights(domain)])
}

/// Everything that the program may do beyond channels and memory.
fn rights(domain: &ProtectionDomain) -> String {
    let flags = [(domain.fpu, "floating point"), (domain.counter, "cycle counter")];
    let flags = flags.into_iter().filter(|(has, _)| *has).map(|(_, name)| name.to_owned());
    let named = domain.rights.iter().map(|right| right.replace('_', " "));
    let irqs = domain.irqs.iter().map(|id| format!("interrupt {id}"));
    let ports =
        domain.ioports.iter().map(|ports| format!("I/O ports {:#x} to {:#x}", ports.first, ports.last));
    let keys = domain.keys.iter().map(|key| match key.id {
        Some(_) => format!("switches {}", key.name),
        None => format!("follows {}", key.name),
    });
    let services = domain.services.iter().map(|service| service.what.clone());
    let wipes = domain.wipes.iter().map(|wipe| format!("wipe of {}", wipe.region));
    let all = flags.chain(named).chain(irqs).chain(ports).chain(keys).chain(services).chain(wipes);
    escaped(&all.collect::<Vec<_>>().join(", "))
}

pub(super) fn channels(report: &Report) -> String {
    if report.channels.is_empty() {
        return String::new();
    }
    // The id of the channel in the program.
    let end = |end: &ChannelEnd| format!("{} <em>{}</em>", escaped(&end.pd), end.id);
    let rows = report.channels.iter().map(|channel| {
        let [a, b] = &channel.ends[..] else { return String::new() };
        let can = |from: &ChannelEnd| match (from.pp, from.notify) {
            (true, true) => "calls, notifies",
            (true, false) => "calls",
            (false, true) => "notifies",
            (false, false) => "\u{2013}",
        };
        let line_number = line_of(&channel.at).to_owned();
        line(&end(a), [can(a).to_owned(), end(b), can(b).to_owned(), line_number])
    });
    list(&["One end", "can", "Other end", "can", "Line"], &rows.collect::<Vec<_>>())
}

pub(super) fn digests(report: &Report) -> String {
    if report.digests.is_empty() {
        return String::new();
    }
    let lines: HashMap<_, _> =
        report.protection_domains.iter().map(|domain| (domain.name.as_str(), &domain.at)).collect();
    let rows = report.digests.iter().map(|digest| {
        let value = match &digest.blake3 {
            Some(value) => format!("<code>{}</code>", escaped(value)),
            None => "known on the target only".to_owned(),
        };
        let keys =
            if digest.follows_keys { "<small>while static keys are at their defaults</small>" } else { "" };
        let at = lines.get(digest.owner.as_str()).map_or("", |at| line_of(at));
        line(
            &escaped(&digest.owner),
            [digest.id.to_string(), escaped(&digest.what), value + keys, at.to_owned()],
        )
    });
    "<p>BLAKE3 of the memory at the start of the system.</p>\n".to_owned()
        + &list(&["Program", "Id", "What", "Digest", "Line"], &rows.collect::<Vec<_>>())
}
