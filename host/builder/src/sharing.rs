//! Connections across scheduling domains.
//!
//! Channels, shared RAM and parent relations are explicit in the description; they are allowed and reported. A device
//! or the cycle counter in two domains may be an accident, so the description must declare it: `shared="true"`. The
//! same holds for rights whose use every other domain notices: probing, which lengthens every trap, and kernel keys.

use limen_image::RegionKind;
use limen_sdf::model::{
    ChannelEnd, MemoryRegion, ProtectionDomain, Service, ServiceTarget, Shareable, SystemDescription,
    UserCap, UserCapTarget,
};
use limen_sdf::{Diagnostic, Span};
use serde::Serialize;

use crate::address_space::AddressSpaces;
use crate::code;
use crate::config::Config;
use crate::error::{Context, error};
use crate::memory::MemoryPlan;

/// A connection between scheduling domains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crossing {
    /// `channel`, `memory`, `device`, `faults`, `capability`, `service`, `key`, `counter`, `probe` or `trace`.
    pub kind: &'static str,
    /// Its name or effect.
    pub what: String,
    /// The connected protection domains, each with its scheduling domain.
    pub between: Vec<Side>,
}

/// One side of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// Scheduling domain; empty for the monitor if domain 0 has no name.
    pub domain: String,
    #[serde(skip)]
    id: u8,
}

/// Every connection between domains.
///
/// # Errors
/// A connection is not declared but must be.
pub fn check(
    system: &SystemDescription,
    config: &Config,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
) -> Result<Vec<Crossing>, Diagnostic> {
    if system.domains.is_none() {
        return Ok(Vec::new());
    }
    let mut crossings = channels(system);
    crossings.extend(regions(system, spaces, memory)?);
    crossings.extend(fault_paths(system));
    crossings.extend(capabilities(system));
    crossings.extend(services(system));
    crossings.extend(keys(system)?);
    crossings.extend(kernel_keys(system)?);
    crossings.extend(counters(system, config)?);
    crossings.extend(probes(system)?);
    crossings.extend(trace_readers(system)?);
    Ok(crossings)
}

fn channels(system: &SystemDescription) -> Vec<Crossing> {
    let channel = |ends: &[ChannelEnd; 2]| {
        let what = ends.iter().map(|end| end_grants(end)).collect::<Vec<_>>().join(", ");
        crossing("channel", what, ends.iter().map(|end| side(system, end.protection_domain)))
    };
    system.channels.iter().filter_map(|c| channel(&c.ends)).collect()
}

fn end_grants(end: &ChannelEnd) -> &'static str {
    match (end.may_notify, end.may_call) {
        (true, true) => "notify and call",
        (true, false) => "notify",
        (false, true) => "call",
        (false, false) => "nothing",
    }
}

fn regions(
    system: &SystemDescription,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
) -> Result<Vec<Crossing>, Diagnostic> {
    let is_device = |extent: usize| memory.places[extent].kind == RegionKind::Device;
    let kind = |region| {
        spaces.extent_of_region(region).map(|extent| if is_device(extent) { "device" } else { "memory" })
    };
    let mut crossings = Vec::new();
    for (region, crossing) in system.memory_regions.iter().zip(region_crossings(system, kind)) {
        let Some(crossing) = crossing else { continue };
        if crossing.kind == "device" && !region.shared {
            let what = format!("device '{}'", region.name);
            let help =
                "Map it in one domain only, or declare it shared: <memory_region ... shared=\"true\">.";
            return Err(undeclared(code::DEVICE_CROSSES_DOMAINS, &what, &crossing, &region.span, help));
        }
        crossings.push(crossing);
    }
    Ok(crossings)
}

/// For each memory region, its connection between scheduling domains; `kind` names the connection, or excludes the
/// region.
pub(crate) fn region_crossings(
    system: &SystemDescription,
    kind: impl Fn(usize) -> Option<&'static str>,
) -> Vec<Option<Crossing>> {
    let mut users = vec![Vec::new(); system.memory_regions.len()];
    for (index, domain) in system.protection_domains.iter().enumerate().filter(|_| system.domains.is_some()) {
        for map in &domain.maps {
            if users[map.region].last() != Some(&index) {
                users[map.region].push(index);
            }
        }
    }
    let regions = system.memory_regions.iter().zip(users).enumerate();
    let crossing = |(index, (region, users)): (usize, (&MemoryRegion, Vec<usize>))| {
        crossing(kind(index)?, region.name.clone(), users.into_iter().map(|user| side(system, user)))
    };
    regions.map(crossing).collect()
}

/// A child's faults go to its parent, which may also stop it; other faults go to the monitor.
fn fault_paths(system: &SystemDescription) -> Vec<Crossing> {
    let path = |(index, domain): (usize, &ProtectionDomain)| {
        let handler = match &domain.parent {
            Some(parent) => side(system, parent.parent),
            None => monitor(system),
        };
        crossing("faults", format!("of {}", domain.name), [side(system, index), handler].into_iter())
    };
    system.protection_domains.iter().enumerate().filter_map(path).collect()
}

/// Capabilities of one protection domain in root slots of another.
fn capabilities(system: &SystemDescription) -> Vec<Crossing> {
    let holders = system.protection_domains.iter().enumerate();
    let caps = holders.flat_map(|(holder, domain)| domain.caps.iter().map(move |cap| (holder, cap)));
    let shared = |(holder, cap): (usize, &UserCap)| {
        let (what, owner) = match cap.target {
            UserCapTarget::Thread(owner) => ("thread", owner),
            UserCapTarget::SchedContext(owner) => ("scheduling context", owner),
            UserCapTarget::Vspace(owner) => ("address space", owner),
            UserCapTarget::SchedControl => return None,
        };
        let what = format!("{what} of {}", system.protection_domains[owner].name);
        crossing("capability", what, [side(system, holder), side(system, owner)].into_iter())
    };
    caps.filter_map(shared).collect()
}

/// A digest reveals the contents of memory, a reset changes them, and a seal makes records of them.
fn services(system: &SystemDescription) -> Vec<Crossing> {
    let holders = system.protection_domains.iter().enumerate();
    let services = holders.flat_map(|(holder, domain)| domain.services.iter().map(move |s| (holder, s)));
    let shared = |(holder, service): (usize, &Service)| {
        let kind = service.kind.name();
        let (what, owners): (_, Vec<Side>) = match service.target {
            ServiceTarget::Kernel => return None,
            ServiceTarget::Program(program) => {
                let name = &system.protection_domains[program].name;
                (format!("{kind} of {name}"), vec![side(system, program)])
            }
            ServiceTarget::Seal(seal) => {
                let is_part = |region: usize| seal.regions().any(|part| part == region);
                let maps = |domain: &ProtectionDomain| domain.maps.iter().any(|map| is_part(map.region));
                let name = &system.memory_regions[seal.from].name;
                (format!("{kind} of memory region {name}"), users(system, maps).collect())
            }
            ServiceTarget::Region(region) => {
                let maps = |domain: &ProtectionDomain| domain.maps.iter().any(|map| map.region == region);
                let name = &system.memory_regions[region].name;
                (format!("{kind} of memory region {name}"), users(system, maps).collect())
            }
        };
        crossing("service", what, [side(system, holder)].into_iter().chain(owners))
    };
    services.filter_map(shared).chain(wipes(system)).collect()
}

/// Every program that maps the memory notices a wipe by an interrupt or fault.
fn wipes(system: &SystemDescription) -> impl Iterator<Item = Crossing> {
    let holders = system.protection_domains.iter().enumerate();
    let wipes = holders.flat_map(|(holder, domain)| domain.wipes.iter().map(move |wipe| (holder, wipe)));
    wipes.filter_map(|(holder, wipe)| {
        let maps = |domain: &ProtectionDomain| domain.maps.iter().any(|map| map.region == wipe.region);
        let what = format!("wipe of memory region {}", system.memory_regions[wipe.region].name);
        crossing("service", what, [side(system, holder)].into_iter().chain(users(system, maps)))
    })
}

/// A program that switches a key changes the branches of other programs and the state that they read.
fn keys(system: &SystemDescription) -> Result<Vec<Crossing>, Diagnostic> {
    let mut crossings = Vec::new();
    let declared = system.static_keys.iter().enumerate().filter(|(_, key)| key.kernel.is_none());
    for (index, key) in declared {
        // The group of a key switches the key as well.
        let is_used = |used: usize| used == index || Some(used) == key.group;
        let holds = |domain: &ProtectionDomain| domain.keys.iter().any(|grant| is_used(grant.key));
        let Some(crossing) = crossing("key", key.name.clone(), users(system, holds)) else { continue };
        if !key.shared {
            let what = format!("static key '{}'", key.name);
            let help =
                "Grant it in one domain only, or declare it shared: <static_key ... shared=\"true\"/>.";
            return Err(undeclared(code::KEY_CROSSES_DOMAINS, &what, &crossing, &key.span, help));
        }
        crossings.push(crossing);
    }
    Ok(crossings)
}

/// Kernel keys change the kernel for all programs.
fn kernel_keys(system: &SystemDescription) -> Result<Vec<Crossing>, Diagnostic> {
    let mut crossings = Vec::new();
    for (holder, domain) in system.protection_domains.iter().enumerate() {
        for grant in domain.keys.iter().filter(|grant| grant.id.is_some()) {
            let key = &system.static_keys[grant.key];
            if key.kernel.is_none() {
                continue;
            }
            let Some(crossing) = noticed("key", &key.name, system, holder) else { continue };
            if !grant.shared {
                let what = format!("switching '{}'", key.name);
                let help = "If the other domains may notice, declare it shared: <key ... shared=\"true\"/>.";
                return Err(unannounced(
                    code::KERNEL_KEY_CROSSES_DOMAINS,
                    &what,
                    &crossing,
                    &grant.span,
                    help,
                ));
            }
            crossings.push(crossing);
        }
    }
    Ok(crossings)
}

/// While a program probes, every kernel entry takes longer.
fn probes(system: &SystemDescription) -> Result<Vec<Crossing>, Diagnostic> {
    let mut crossings = Vec::new();
    for (holder, domain) in system.protection_domains.iter().enumerate() {
        let Some(probe) = &domain.probe else { continue };
        let Some(crossing) = noticed("probe", "longer traps", system, holder) else { continue };
        if !probe.shared {
            let help = "If the other domains may notice, declare it shared: <probe shared=\"true\"/>.";
            return Err(unannounced(code::PROBE_CROSSES_DOMAINS, "probing", &crossing, &probe.span, help));
        }
        crossings.push(crossing);
    }
    Ok(crossings)
}

/// A reader of the trace sees what all other domains do, and when.
fn trace_readers(system: &SystemDescription) -> Result<Vec<Crossing>, Diagnostic> {
    let mut crossings = Vec::new();
    for (holder, domain) in system.protection_domains.iter().enumerate() {
        let Some(trace) = &domain.trace else { continue };
        let Some(crossing) = noticed("trace", "events of all domains", system, holder) else { continue };
        if !trace.shared {
            let of = |side: &Side| format!("'{}' in domain '{}'", side.name, side.domain);
            let sides: Vec<_> = crossing.between.iter().map(of).collect();
            let (by, others) = (&sides[0], sides[1..].join(", "));
            let message = format!(
                "ERROR: the trace shows {by} the events of protection domains in other scheduling domains: {others}"
            );
            let help = "If it may see them, declare it shared: <trace ... shared=\"true\"/>.";
            return Err(error(code::TRACE_CROSSES_DOMAINS, message).at(&trace.span).help(help));
        }
        crossings.push(crossing);
    }
    Ok(crossings)
}

/// An activity of one protection domain that all other domains notice; it is the first side.
fn noticed(kind: &'static str, what: &str, system: &SystemDescription, holder: usize) -> Option<Crossing> {
    let by = side(system, holder);
    let others = (0..system.protection_domains.len()).map(|index| side(system, index));
    let others: Vec<_> = others.filter(|other| other.id != by.id).collect();
    crossing(kind, what.to_owned(), std::iter::once(by).chain(others))
}

/// In the benchmark configuration all programs have the counter, whatever the description says.
fn counters(system: &SystemDescription, config: &Config) -> Result<Option<Crossing>, Diagnostic> {
    let what = "cycle counter";
    let has = |domain: &ProtectionDomain| domain.counter.is_some() || config.is_benchmark();
    let Some(crossing) = crossing("counter", what.to_owned(), users(system, has)) else { return Ok(None) };
    let grants = || system.protection_domains.iter().filter_map(|domain| domain.counter.as_ref());
    let undeclared_grant = grants().find(|counter| !counter.shared).filter(|_| !config.is_benchmark());
    match undeclared_grant {
        None => Ok(Some(crossing)),
        Some(Shareable { span, .. }) => {
            let help =
                "Grant it in one domain only, or declare it shared in each: <counter shared=\"true\"/>.";
            Err(undeclared(code::COUNTER_CROSSES_DOMAINS, what, &crossing, span, help))
        }
    }
}

fn undeclared(code: &'static str, what: &str, crossing: &Crossing, span: &Span, help: &str) -> Diagnostic {
    let names: Vec<_> =
        crossing.between.iter().map(|side| format!("'{}' in domain '{}'", side.name, side.domain)).collect();
    let message = format!("ERROR: {what} is used by several scheduling domains: {}", names.join(", "));
    error(code, message).at(span).help(help)
}

fn unannounced(code: &'static str, what: &str, crossing: &Crossing, span: &Span, help: &str) -> Diagnostic {
    let of = |side: &Side| format!("'{}' in domain '{}'", side.name, side.domain);
    let (by, others) = crossing.between.split_at(1);
    let [by, others] = [by, others].map(|sides| sides.iter().map(of).collect::<Vec<_>>().join(", "));
    error(code, format!("ERROR: {what} by {by} is noticed in other scheduling domains: {others}"))
        .at(span)
        .help(help)
}

/// A crossing, if the sides are in more than one domain.
fn crossing(kind: &'static str, what: String, sides: impl Iterator<Item = Side>) -> Option<Crossing> {
    let between: Vec<Side> = sides.collect();
    let (first, rest) = between.split_first()?;
    let crosses = rest.iter().any(|side| side.id != first.id);
    crosses.then_some(Crossing { kind, what, between })
}

fn users(system: &SystemDescription, uses: impl Fn(&ProtectionDomain) -> bool) -> impl Iterator<Item = Side> {
    let domains = system.protection_domains.iter().enumerate();
    domains.filter(move |(_, domain)| uses(domain)).map(|(index, _)| side(system, index))
}

fn side(system: &SystemDescription, index: usize) -> Side {
    let domain = &system.protection_domains[index];
    Side { name: domain.name.clone(), domain: domain_name(system, domain.domain), id: domain.domain }
}

fn monitor(system: &SystemDescription) -> Side {
    Side { name: "monitor".to_owned(), domain: domain_name(system, 0), id: 0 }
}

fn domain_name(system: &SystemDescription, id: u8) -> String {
    system.domains.as_ref().map_or("", |domains| domains.name_of(id)).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::ImageType;
    use crate::test_system::parts;

    use super::*;

    /// A system with two domains; `in_a` and `in_b` are contents of protection domains `a` and `b`, `others` of the
    /// system.
    fn crossings(in_a: &str, in_b: &str, others: &str, config: &str) -> Result<Vec<Crossing>, Diagnostic> {
        let text = format!(
            r#"<system>
            <domains>
                <domain name="quiet" /><domain name="loud" />
                <domain_schedule>
                    <schedule_entry domain="quiet" duration="5 us" /><schedule_entry domain="loud" duration="7 ticks" />
                </domain_schedule>
            </domains>
            <protection_domain name="a" domain="quiet"><program_image path="p" />{in_a}</protection_domain>
            <protection_domain name="b" domain="loud" priority="2"><program_image path="p" />{in_b}</protection_domain>
            {others}</system>"#
        );
        parts(&text, config).build(ImageType::Binary).map(|built| built.crossings)
    }

    fn kinds(crossings: &[Crossing]) -> Vec<(&str, &str)> {
        crossings.iter().map(|crossing| (crossing.kind, crossing.what.as_str())).collect()
    }

    #[test]
    fn explicit_connections_are_allowed_and_reported() {
        let map = r#"<map mr="ring" vaddr="0x400000" />"#;
        let others = r#"<memory_region name="ring" size="0x1000" />
            <channel><end pd="a" id="0" pp="true" /><end pd="b" id="0" notify="false" /></channel>"#;
        let found = crossings(map, map, others, "debug").unwrap();
        let expected = [("channel", "notify and call, nothing"), ("memory", "ring"), ("faults", "of b")];
        assert_eq!(kinds(&found), expected);
        let between: Vec<_> = found[0].between.iter().map(|s| (s.name.as_str(), s.domain.as_str())).collect();
        assert_eq!(between, [("a", "quiet"), ("b", "loud")]);
    }

    #[test]
    fn shared_capabilities_are_reported() {
        let caps = r#"<cspace><cap_tcb slot="1" pd="b" /><cap_vspace slot="2" pd="a" /><cap_sched_control slot="3" />
            </cspace>"#;
        let found = crossings(caps, "", "", "debug").unwrap();
        assert_eq!(kinds(&found), [("faults", "of b"), ("capability", "thread of b")]);
    }

    #[test]
    fn a_device_of_two_domains_must_be_shared() {
        let map = r#"<map mr="uart" vaddr="0x400000" cached="false" />"#;
        let region = |more: &str| {
            format!(r#"<memory_region name="uart" size="0x1000" phys_addr="0x9000000" {more} />"#)
        };
        let refused = crossings(map, map, &region(""), "debug").unwrap_err();
        assert_eq!(refused.code, code::DEVICE_CROSSES_DOMAINS);
        let found = crossings(map, map, &region(r#"shared="true""#), "debug").unwrap();
        assert_eq!(kinds(&found)[0], ("device", "uart"));
        assert_eq!(kinds(&crossings("", map, &region(""), "debug").unwrap()), [("faults", "of b")]);
    }

    #[test]
    fn a_static_key_of_two_domains_must_be_shared() {
        let key = r#"<key name="trace" id="0" />"#;
        let declared = |more: &str| format!(r#"<static_key name="trace" {more} />"#);
        let refused = crossings(key, key, &declared(""), "debug").unwrap_err();
        assert_eq!(refused.code, code::KEY_CROSSES_DOMAINS);
        let found = crossings(key, key, &declared(r#"shared="true""#), "debug").unwrap();
        assert_eq!(kinds(&found)[1], ("key", "trace"));
        assert_eq!(kinds(&crossings(key, "", &declared(""), "debug").unwrap()), [("faults", "of b")]);
    }

    #[test]
    fn a_key_whose_group_another_domain_switches_must_be_shared() {
        let use_of = |name: &str| format!(r#"<key name="{name}" id="0" />"#);
        let declared = |more: &str| {
            format!(
                r#"<static_key name="all" /><static_key name="one" group="all" {more} />
                <static_key name="two" group="all" />"#
            )
        };
        let [all, one, two] = ["all", "one", "two"].map(use_of);
        assert_eq!(
            crossings(&all, &one, &declared(""), "debug").unwrap_err().code,
            code::KEY_CROSSES_DOMAINS
        );
        let found = crossings(&all, &one, &declared(r#"shared="true""#), "debug").unwrap();
        assert_eq!(kinds(&found)[1], ("key", "one"));
        // Without a holder of the group, its keys do not affect each other.
        assert_eq!(kinds(&crossings(&one, &two, &declared(""), "debug").unwrap()), [("faults", "of b")]);
    }

    #[test]
    fn a_key_of_the_kernel_in_one_of_two_domains_must_be_shared() {
        let key = |more: &str| format!(r#"<key name="kernel.self_check" id="0" {more} />"#);
        let refused = crossings(&key(""), "", "", "debug").unwrap_err();
        assert_eq!(refused.code, code::KERNEL_KEY_CROSSES_DOMAINS);
        let found = crossings("", &key(r#"shared="true""#), "", "debug").unwrap();
        assert_eq!(kinds(&found)[1], ("key", "kernel.self_check"));
        assert_eq!(found[1].between.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn probing_in_one_of_two_domains_must_be_shared() {
        let refused = crossings("", "<probe />", "", "debug").unwrap_err();
        assert_eq!(refused.code, code::PROBE_CROSSES_DOMAINS);
        let shared = r#"<probe shared="true" />"#;
        let found = crossings(shared, shared, "", "debug").unwrap();
        assert_eq!(kinds(&found)[1..], [("probe", "longer traps"), ("probe", "longer traps")]);
    }

    #[test]
    fn services_on_memory_of_another_domain_are_reported() {
        let log = r#"<memory_region name="log" size="0x1000" />"#;
        let services =
            r#"<digest id="0" region="log" /><digest id="1" pd="b" /><digest id="2" kernel="true" />"#;
        let map = r#"<map mr="log" vaddr="0x400000" />"#;
        let found = crossings(services, map, log, "debug").unwrap();
        let expected =
            [("faults", "of b"), ("service", "digest of memory region log"), ("service", "digest of b")];
        assert_eq!(kinds(&found), expected);
        let wipe = r#"<wipe region="log" fault="true" />"#;
        let wiped = crossings(wipe, map, log, "debug").unwrap();
        assert_eq!(kinds(&wiped)[1], ("service", "wipe of memory region log"));
        let own = r#"<digest id="0" region="log" /><map mr="log" vaddr="0x400000" />"#;
        assert_eq!(kinds(&crossings(own, "", log, "debug").unwrap()), [("faults", "of b")]);
    }

    #[test]
    fn a_counter_of_two_domains_must_be_shared_by_all() {
        let shared = r#"<counter shared="true" />"#;
        let refused = crossings("<counter />", shared, "", "release").unwrap_err();
        assert_eq!(refused.code, code::COUNTER_CROSSES_DOMAINS);
        assert_eq!(kinds(&crossings(shared, shared, "", "release").unwrap())[1].0, "counter");
        assert_eq!(kinds(&crossings("<counter />", "", "", "benchmark").unwrap())[1].0, "counter");
    }
}
