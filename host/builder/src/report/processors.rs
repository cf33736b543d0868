//! Processors: which programs run where, and what crosses between them.

use limen_abi::ServiceKind;
use limen_sdf::model::{ProtectionDomain, ServiceTarget, UserCapTarget};
use serde::Serialize;

use crate::build::Built;
use crate::objects::MONITOR_PROCESSOR;

/// The processors of a system.
#[derive(Clone, Debug, Serialize)]
pub struct Processors {
    /// The programs of each, in ascending order; a processor may have none.
    pub homes: Vec<Home>,
    /// Operations on objects of other processors.
    pub crossings: Vec<ProcessorCrossing>,
}

/// A processor.
#[derive(Clone, Debug, Serialize)]
pub struct Home {
    /// Its number.
    pub cpu: u8,
    /// The programs that run there, the monitor included.
    pub programs: Vec<String>,
}

/// An operation of one program that the kernel of another program's processor carries out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessorCrossing {
    /// `call`, `notification`, `fault`, `control` or `time`.
    pub kind: &'static str,
    /// The program that starts the operation.
    pub from: Place,
    /// The channel's id there, for calls and notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u8>,
    /// The program whose object it uses.
    pub to: Place,
    /// A called program is passive: it runs on its own processor, on the caller's time.
    pub passive: bool,
}

/// A program and its processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Protection domain, or `monitor`.
    pub name: String,
    /// Its processor.
    pub cpu: u8,
}

impl Processors {
    /// `None` for a system on one processor.
    pub(super) fn new(built: &Built) -> Option<Self> {
        let count = built.parts.board.processors(&built.parts.config);
        if count == 1 {
            return None;
        }
        let domains = &built.parts.system.protection_domains;
        let places: Vec<Place> = domains.iter().map(place).chain([monitor()]).collect();
        let home = |cpu| Home {
            cpu,
            programs: places
                .iter()
                .filter(|place| place.cpu == cpu)
                .map(|place| place.name.clone())
                .collect(),
        };
        let all = calls_and_notifications(built).into_iter().chain(domains.iter().flat_map(|domain| {
            let fault_and_control = [faults(domains, domain), control(domains, domain)];
            let granted = [resets(domains, domain), capabilities(domains, domain)];
            fault_and_control.into_iter().chain(granted).flatten()
        }));
        let crossings = all.filter(|crossing| crossing.from.cpu != crossing.to.cpu).collect();
        Some(Self { homes: (0..count).map(home).collect(), crossings })
    }
}

fn place(domain: &ProtectionDomain) -> Place {
    Place { name: domain.name.clone(), cpu: domain.cpu }
}

fn monitor() -> Place {
    Place { name: "monitor".to_owned(), cpu: MONITOR_PROCESSOR }
}

fn crossing(kind: &'static str, from: Place, to: Place) -> ProcessorCrossing {
    ProcessorCrossing { kind, from, id: None, to, passive: false }
}

fn calls_and_notifications(built: &Built) -> Vec<ProcessorCrossing> {
    let system = &built.parts.system;
    let mut all = Vec::new();
    for channel in &system.channels {
        let [a, b] = &channel.ends;
        for (from, to) in [(a, b), (b, a)] {
            let server = &system.protection_domains[to.protection_domain];
            let sender = &system.protection_domains[from.protection_domain];
            let kinds = [(from.may_call, "call"), (from.may_notify, "notification")];
            all.extend(kinds.into_iter().filter(|(may, _)| *may).map(|(_, kind)| ProcessorCrossing {
                id: Some(from.id),
                passive: kind == "call" && server.passive,
                ..crossing(kind, place(sender), place(server))
            }));
        }
    }
    all
}

fn faults(domains: &[ProtectionDomain], domain: &ProtectionDomain) -> Vec<ProcessorCrossing> {
    let handler = domain.parent.as_ref().map_or_else(monitor, |parent| place(&domains[parent.parent]));
    vec![crossing("fault", place(domain), handler)]
}

fn control(domains: &[ProtectionDomain], domain: &ProtectionDomain) -> Vec<ProcessorCrossing> {
    let parent = domain.parent.iter().map(|parent| place(&domains[parent.parent]));
    parent.map(|parent| crossing("control", parent, place(domain))).collect()
}

fn resets(domains: &[ProtectionDomain], domain: &ProtectionDomain) -> Vec<ProcessorCrossing> {
    let resets = domain.services.iter().filter(|service| service.kind == ServiceKind::Reset);
    let children = resets.filter_map(|service| match service.target {
        ServiceTarget::Program(child) => Some(place(&domains[child])),
        _ => None,
    });
    children.map(|child| crossing("reset", place(domain), child)).collect()
}

/// Capabilities that the description gives to a program.
fn capabilities(domains: &[ProtectionDomain], domain: &ProtectionDomain) -> Vec<ProcessorCrossing> {
    let given = domain.caps.iter().filter_map(|cap| match cap.target {
        UserCapTarget::Thread(owner) => Some(("control", owner)),
        UserCapTarget::SchedContext(owner) => Some(("time", owner)),
        UserCapTarget::Vspace(_) | UserCapTarget::SchedControl => None,
    });
    given.map(|(kind, owner)| crossing(kind, place(domain), place(&domains[owner]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImageType;
    use crate::report::Report;
    use crate::test_system::parts;

    const SYSTEM: &str = r#"<system>
        <protection_domain name="parent" cpu="1"><program_image path="p" />
            <reset id="0" pd="far" /><reset id="1" pd="near" />
            <cspace><cap_sc slot="1" pd="far" /><cap_tcb slot="2" pd="near" /><cap_vspace slot="3" pd="far" /></cspace>
            <protection_domain name="far" id="7" cpu="3"><program_image path="p" /></protection_domain>
            <protection_domain name="near" id="8" cpu="1"><program_image path="p" /></protection_domain>
        </protection_domain>
        <protection_domain name="server" priority="2" passive="true"><program_image path="p" />
        </protection_domain>
        <channel><end pd="parent" id="5" pp="true" /><end pd="server" id="6" notify="false" /></channel>
        <channel><end pd="parent" id="9" /><end pd="near" id="10" /></channel>
        </system>"#;

    fn report(config: &str) -> Report {
        Report::new(&parts(SYSTEM, config).build(ImageType::Binary).unwrap())
    }

    #[test]
    fn every_program_has_a_home() {
        let processors = report("smp-release").processors.unwrap();
        let homes: Vec<_> = processors.homes.iter().map(|home| (home.cpu, home.programs.join(" "))).collect();
        let expected = [(0, "server monitor"), (1, "parent near"), (2, ""), (3, "far")];
        assert_eq!(homes, expected.map(|(cpu, names)| (cpu, names.to_owned())));
    }

    #[test]
    fn only_what_leaves_a_processor_crosses() {
        let crossings = report("smp-release").processors.unwrap().crossings;
        let written = crossings.iter().map(|crossing| {
            let ProcessorCrossing { kind, from, id, to, passive } = crossing;
            let id = id.map(|id| format!(" ({id})")).unwrap_or_default();
            let passive = if *passive { ", passive" } else { "" };
            format!("{kind}: {} on {}{id} -> {} on {}{passive}", from.name, from.cpu, to.name, to.cpu)
        });
        assert_eq!(
            written.collect::<Vec<_>>(),
            [
                "call: parent on 1 (5) -> server on 0, passive",
                "notification: parent on 1 (5) -> server on 0",
                "fault: parent on 1 -> monitor on 0",
                "reset: parent on 1 -> far on 3",
                "time: parent on 1 -> far on 3",
                "fault: far on 3 -> parent on 1",
                "control: parent on 1 -> far on 3",
            ]
        );
    }

    #[test]
    fn a_system_on_one_processor_has_no_such_section() {
        let text = SYSTEM.replace(" cpu=\"1\"", "").replace(" cpu=\"3\"", "");
        let report = Report::new(&parts(&text, "release").build(ImageType::Binary).unwrap());
        assert!(report.processors.is_none());
        assert!(!report.to_text().contains("processor") && !report.to_json().contains("\"cpu\""));
    }
}
