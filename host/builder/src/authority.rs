//! The authority relation of a system: which party can affect which, and the element of the description that allows it.
//!
//! Every row follows from one element, and a party that appears in no row on another party cannot affect it through the
//! kernel, except by [`delays`]: a program delays those with lower priorities in its scheduling domain. Rows name
//! sets of parties, so that their number is proportional to the description. A row says what is possible, not what the
//! programs do.

use limen_image::RegionKind;
use limen_sdf::Span;
use limen_sdf::model::{
    ChannelEnd, KeyUse, Map, ProtectionDomain, Seal, Service, ServiceTarget, UserCapTarget, WipeTrigger,
};
use serde::{Serialize, Serializer};

use crate::build::Built;
use crate::interrupts::source;
use crate::objects::{MONITOR_PRIORITY, MONITOR_PROCESSOR};

/// A party of the relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// A protection domain, by index.
    Program(usize),
    /// The monitor.
    Monitor,
    /// The source of an interrupt.
    Hardware(String),
}

/// The parties that a row affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// These.
    Parties(Vec<Party>),
    /// Every other program.
    Everyone,
}

/// A way in which parties can affect others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Its kind.
    pub kind: Kind,
    /// Each of these parties can affect each of the others in `on`.
    pub by: Vec<Party>,
    /// The affected parties.
    pub on: Reach,
    /// Effect of the authority, as a sentence without a subject.
    pub reason: String,
    /// The elements that allow it, in the order of the parties.
    pub at: Vec<Span>,
}

/// Kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Writes memory that others can read.
    Memory,
    /// Shares the registers of a device.
    Device,
    /// Directs a device, which can write all memory.
    Dma,
    /// Calls a server, which spends time on it.
    Call,
    /// Determines the reply to a caller, and when it continues.
    Reply,
    /// Wakes a program.
    Notification,
    /// Sends faults to their handler.
    Fault,
    /// Stops, restarts and changes a thread.
    Control,
    /// Changes or consumes budgets.
    Time,
    /// Switches the branches and the state of a static key.
    Key,
    /// Reads a digest of memory.
    Digest,
    /// Restores the initial contents of memory.
    Reset,
    /// Seals records into memory.
    Seal,
    /// Clears memory.
    Wipe,
    /// Measures what others do.
    Observe,
    /// Changes the processor or the kernel for every program.
    System,
    /// Interrupts.
    Interrupt,
}

impl Kind {
    /// All kinds: first those between programs, then those of the whole system.
    pub const ALL: [Self; 17] = [
        Self::Memory,
        Self::Device,
        Self::Call,
        Self::Reply,
        Self::Notification,
        Self::Fault,
        Self::Control,
        Self::Time,
        Self::Key,
        Self::Digest,
        Self::Reset,
        Self::Seal,
        Self::Wipe,
        Self::Interrupt,
        Self::Observe,
        Self::Dma,
        Self::System,
    ];

    /// Its name in JSON, its letter in a matrix, and its title.
    const fn words(self) -> (&'static str, char, &'static str) {
        match self {
            Self::Memory => ("memory", 'M', "Shared memory"),
            Self::Device => ("device", 'V', "Shared devices"),
            Self::Call => ("call", 'C', "Calls"),
            Self::Reply => ("reply", 'R', "Replies"),
            Self::Notification => ("notification", 'N', "Notifications"),
            Self::Fault => ("fault", 'F', "Faults"),
            Self::Control => ("control", 'P', "Control of threads"),
            Self::Time => ("time", 'T', "Scheduling contexts and caches"),
            Self::Key => ("key", 'K', "Static keys"),
            Self::Digest => ("digest", 'D', "Digests"),
            Self::Reset => ("reset", 'Z', "Resets"),
            Self::Seal => ("seal", 'E', "Seals"),
            Self::Wipe => ("wipe", 'W', "Wipes"),
            Self::Interrupt => ("interrupt", 'I', "Interrupts"),
            Self::Observe => ("observe", 'O', "Observation"),
            Self::Dma => ("dma", 'A', "Devices that may use DMA"),
            Self::System => ("system", 'S', "The whole system"),
        }
    }

    /// Its name in reports for tools.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Its letter in a matrix.
    #[must_use]
    pub const fn letter(self) -> char {
        self.words().1
    }

    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.words().2
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The whole relation: channels first, then memory, then the rights of each program.
#[must_use]
pub fn authority(built: &Built) -> Vec<Authority> {
    let system = &built.parts.system;
    let mut rows = Vec::new();
    for channel in &system.channels {
        let [a, b] = &channel.ends;
        end(&mut rows, built, a, b, &channel.span);
        end(&mut rows, built, b, a, &channel.span);
    }
    regions(&mut rows, built);
    for (index, domain) in system.protection_domains.iter().enumerate() {
        family(&mut rows, built, index, domain);
        capabilities(&mut rows, built, index, domain);
        domain.keys.iter().for_each(|grant| key(&mut rows, built, index, grant));
        domain.services.iter().for_each(|granted| service(&mut rows, built, index, granted));
        wipes(&mut rows, built, index, domain);
        whole_system(&mut rows, built, index, domain);
    }
    monitor(&mut rows, built);
    interrupts(&mut rows, built);
    rows.retain(Authority::affects_another);
    rows
}

impl Authority {
    fn new(kind: Kind, by: usize, on: Reach, reason: String, at: &Span) -> Self {
        Self { kind, by: vec![Party::Program(by)], on, reason, at: vec![at.clone()] }
    }

    fn on_one(kind: Kind, by: usize, on: usize, reason: String, at: &Span) -> Self {
        Self::new(kind, by, Reach::Parties(vec![Party::Program(on)]), reason, at)
    }

    fn affects_another(&self) -> bool {
        match &self.on {
            Reach::Everyone => true,
            Reach::Parties(on) => self.by.iter().any(|by| on.iter().any(|other| other != by)),
        }
    }

    /// Whether this row lets `subject` affect `object`.
    #[must_use]
    pub fn allows(&self, subject: &Party, object: &Party) -> bool {
        let reaches = match &self.on {
            Reach::Everyone => matches!(object, Party::Program(_)),
            Reach::Parties(parties) => parties.contains(object),
        };
        subject != object && self.by.contains(subject) && reaches
    }
}

fn name(built: &Built, index: usize) -> &str {
    &built.parts.system.protection_domains[index].name
}

/// The rights of `from` on `to`, and a server's hold on its callers.
fn end(rows: &mut Vec<Authority>, built: &Built, from: &ChannelEnd, to: &ChannelEnd, channel: &Span) {
    let (by, on) = (from.protection_domain, to.protection_domain);
    if from.may_call {
        let time = if built.parts.system.protection_domains[on].passive {
            "which runs on the time of its caller"
        } else {
            "which spends its own time on the call"
        };
        let reason = format!("calls {}, {time}", name(built, on));
        rows.push(Authority::on_one(Kind::Call, by, on, reason, channel));
        let reason = format!("blocks its caller {} until it replies, and chooses the reply", name(built, by));
        rows.push(Authority::on_one(Kind::Reply, on, by, reason, channel));
    }
    if from.may_notify {
        let reason = format!("notifies {} (channel {} there), and so wakes it", name(built, on), to.id);
        rows.push(Authority::on_one(Kind::Notification, by, on, reason, channel));
    }
}

/// Programs that map the same memory. `w` and `x` include `r`, so every program with a map can read it.
fn regions(rows: &mut Vec<Authority>, built: &Built) {
    let system = &built.parts.system;
    let mut maps: Vec<Vec<(usize, &Map)>> = vec![Vec::new(); system.memory_regions.len()];
    for (index, domain) in system.protection_domains.iter().enumerate() {
        domain.maps.iter().for_each(|map| maps[map.region].push((index, map)));
    }
    for (index, (region, maps)) in system.memory_regions.iter().zip(&maps).enumerate() {
        let Some(extent) = built.spaces.extent_of_region(index) else { continue };
        let kind = built.memory.places[extent].kind;
        let users = parties(maps.iter().map(|(user, _)| *user));
        let at = || maps.iter().map(|(_, map)| map.span.clone()).collect();
        if kind != RegionKind::Device {
            let writers = maps.iter().filter(|(_, map)| map.perms.write).map(|(user, _)| *user);
            rows.push(Authority {
                kind: Kind::Memory,
                by: parties(writers),
                on: Reach::Parties(users.clone()),
                reason: format!("writes memory region {}", region.name),
                at: at(),
            });
        }
        if matches!(kind, RegionKind::Device | RegionKind::Fixed) && !users.is_empty() {
            rows.push(Authority {
                kind: Kind::Device,
                by: users.clone(),
                on: Reach::Parties(users.clone()),
                reason: format!(
                    "accesses registers of device {}, and reading may change a device",
                    region.name
                ),
                at: at(),
            });
            rows.push(Authority {
                kind: Kind::Dma,
                by: users,
                on: Reach::Everyone,
                reason: format!("directs device {}; if it uses DMA, it reaches all memory", region.name),
                at: at(),
            });
        }
    }
}

/// Each program once, in order.
fn parties(indices: impl Iterator<Item = usize>) -> Vec<Party> {
    let mut parties: Vec<_> = indices.map(Party::Program).collect();
    parties.dedup();
    parties
}

fn family(rows: &mut Vec<Authority>, built: &Built, index: usize, domain: &ProtectionDomain) {
    let Some(child) = &domain.parent else { return };
    let reason =
        format!("handles the faults of its child {}, stops and restarts it, sets its registers", domain.name);
    rows.push(Authority::on_one(Kind::Control, child.parent, index, reason, &domain.span));
    let reason =
        format!("sends its faults to its parent {}, which spends time on them", name(built, child.parent));
    rows.push(Authority::on_one(Kind::Fault, index, child.parent, reason, &domain.span));
}

/// Capabilities in root slots.
fn capabilities(rows: &mut Vec<Authority>, built: &Built, by: usize, domain: &ProtectionDomain) {
    for cap in &domain.caps {
        let (kind, on, what) = match cap.target {
            UserCapTarget::Thread(on) => (Kind::Control, on, "the thread"),
            UserCapTarget::SchedContext(on) => (Kind::Time, on, "the scheduling context"),
            UserCapTarget::Vspace(on) => (Kind::Time, on, "the address space"),
            // It has no effect without a capability to a scheduling context, which has a row.
            UserCapTarget::SchedControl => continue,
        };
        let configures = domain.caps.iter().any(|cap| cap.target == UserCapTarget::SchedControl);
        let effect = match cap.target {
            UserCapTarget::Thread(_) => ": stops, resumes and changes it",
            UserCapTarget::SchedContext(_) if configures => {
                ": unbinds and binds it, sets its budget and period"
            }
            UserCapTarget::SchedContext(_) => ": unbinds and binds it, reads the time that it consumed",
            _ => ": cleans its caches",
        };
        let reason = format!("holds {what} of {} in root slot {}{effect}", name(built, on), cap.slot);
        rows.push(Authority::on_one(kind, by, on, reason, &cap.span));
    }
}

fn key(rows: &mut Vec<Authority>, built: &Built, by: usize, grant: &KeyUse) {
    if grant.id.is_none() {
        return;
    }
    let system = &built.parts.system;
    let key = &system.static_keys[grant.key];
    if key.kernel.is_some() {
        let reason = format!("switches {}, which changes the code of the kernel", key.name);
        rows.push(Authority::new(Kind::System, by, Reach::Everyone, reason, &grant.span));
        return;
    }
    // A key also switches the keys of its group.
    let follows =
        |other: &&KeyUse| other.key == grant.key || system.static_keys[other.key].group == Some(grant.key);
    let domains = system.protection_domains.iter().enumerate();
    let uses: Vec<_> = domains
        .flat_map(|(user, domain)| domain.keys.iter().filter(follows).map(move |other| (user, other)))
        .collect();
    rows.push(Authority {
        kind: Kind::Key,
        by: vec![Party::Program(by)],
        on: Reach::Parties(parties(uses.iter().map(|(user, _)| *user))),
        reason: format!(
            "switches static key {}: branches in their code, and the state that they read",
            key.name
        ),
        at: std::iter::once(grant)
            .chain(uses.iter().map(|(_, other)| *other).filter(|other| *other != grant))
            .map(|other| other.span.clone())
            .collect(),
    });
}

fn users_of_region(built: &Built, region: usize) -> Vec<Party> {
    let domains = built.parts.system.protection_domains.iter().enumerate();
    let users = domains.filter(|(_, domain)| domain.maps.iter().any(|map| map.region == region));
    parties(users.map(|(index, _)| index))
}

fn service(rows: &mut Vec<Authority>, built: &Built, by: usize, service: &Service) {
    let kind = if service.is_digest() { Kind::Digest } else { Kind::Reset };
    let (on, what) = match service.target {
        ServiceTarget::Kernel => return,
        ServiceTarget::Seal(target) => return seal(rows, built, by, service, &target),
        ServiceTarget::Program(on) => {
            (vec![Party::Program(on)], format!("the memory of {}", name(built, on)))
        }
        ServiceTarget::Region(region) => {
            let name = &built.parts.system.memory_regions[region].name;
            (users_of_region(built, region), format!("memory region {name}"))
        }
    };
    let reason = match kind {
        Kind::Digest => format!("reads a digest of {what}"),
        _ => format!("restores the initial contents of {what}"),
    };
    rows.push(Authority::new(kind, by, Reach::Parties(on), reason, &service.span));
}

/// A seal carries data from the writers of its inputs to the users of its output, and takes time from its holder.
fn seal(rows: &mut Vec<Authority>, built: &Built, by: usize, service: &Service, target: &Seal) {
    let system = &built.parts.system;
    let [from, to] = [target.from, target.to].map(|region| &system.memory_regions[region].name);
    let readers = users_of_region(built, target.to);
    let reason = format!("seals records of memory region {from} into memory region {to}");
    rows.push(Authority::new(Kind::Seal, by, Reach::Parties(readers.clone()), reason, &service.span));
    let inputs: Vec<usize> = target.inputs().collect();
    let domains = system.protection_domains.iter().enumerate();
    let writes = |domain: &ProtectionDomain| {
        domain.maps.iter().any(|map| map.perms.write && inputs.contains(&map.region))
    };
    let writers = domains.filter(|(_, domain)| writes(domain)).map(|(index, _)| index);
    let holder = Party::Program(by);
    let on = if readers.contains(&holder) { readers } else { [readers, vec![holder]].concat() };
    rows.push(Authority {
        kind: Kind::Seal,
        by: parties(writers),
        on: Reach::Parties(on),
        reason: format!("determines what is sealed into memory region {to}, and how long that takes"),
        at: vec![service.span.clone()],
    });
}

fn wipes(rows: &mut Vec<Authority>, built: &Built, by: usize, domain: &ProtectionDomain) {
    for wipe in &domain.wipes {
        let name = &built.parts.system.memory_regions[wipe.region].name;
        let event = match wipe.trigger {
            WipeTrigger::Irq(id) => format!("its interrupt {id} clears"),
            WipeTrigger::Fault => "its faults clear".to_owned(),
        };
        let on = Reach::Parties(users_of_region(built, wipe.region));
        rows.push(Authority::new(Kind::Wipe, by, on, format!("{event} memory region {name}"), &wipe.span));
    }
}

/// Rights on the processor and the machine.
fn whole_system(rows: &mut Vec<Authority>, built: &Built, by: usize, domain: &ProtectionDomain) {
    let mut push = |kind, reason: String, at: &Span| {
        rows.push(Authority::new(kind, by, Reach::Everyone, reason, at));
    };
    let own = &domain.span;
    for ports in &domain.ioports {
        let reason = format!(
            "directs devices at I/O ports {:#x} to {:#x}; if they use DMA, they reach all memory",
            ports.addr, ports.last
        );
        push(Kind::Dma, reason, &ports.span);
    }
    if domain.smc {
        push(Kind::System, "calls the secure monitor, which can do anything".to_owned(), own);
    }
    if domain.fpu_policy {
        push(Kind::System, "sets the policy by which floating-point registers are exchanged".to_owned(), own);
    }
    if let Some(probe) = &domain.probe {
        push(
            Kind::System,
            "samples its crossings, and meanwhile lengthens every trap".to_owned(),
            &probe.span,
        );
    }
    let counter = domain.counter.as_ref().map(|counter| &counter.span);
    if let Some(at) = counter.or(built.parts.config.is_benchmark().then_some(own)) {
        push(Kind::Observe, "reads the cycle counter, and so measures the time of others".to_owned(), at);
    }
    if domain.fpu_counters {
        push(Kind::Observe, "reads the counters of floating-point exchanges of all programs".to_owned(), own);
    }
}

/// The monitor holds every thread, and handles the faults of programs without a parent.
fn monitor(rows: &mut Vec<Authority>, built: &Built) {
    let domains = &built.parts.system.protection_domains;
    rows.push(Authority {
        kind: Kind::Control,
        by: vec![Party::Monitor],
        on: Reach::Everyone,
        reason: "holds the thread of every program; a part of the SDK, it takes time from passive servers and reports faults"
            .to_owned(),
        at: Vec::new(),
    });
    let own = || domains.iter().enumerate().filter(|(_, domain)| domain.parent.is_none());
    rows.push(Authority {
        kind: Kind::Fault,
        by: parties(own().map(|(index, _)| index)),
        on: Reach::Parties(vec![Party::Monitor]),
        reason: "sends its faults to the monitor, which has the highest priority".to_owned(),
        at: own().map(|(_, domain)| domain.span.clone()).collect(),
    });
}

fn interrupts(rows: &mut Vec<Authority>, built: &Built) {
    for interrupt in &built.objects.interrupts {
        let domain = &built.parts.system.protection_domains[interrupt.owner];
        let described = domain.irqs.iter().find(|irq| irq.id == interrupt.id);
        rows.push(Authority {
            kind: Kind::Interrupt,
            by: vec![Party::Hardware(source(&interrupt.record))],
            on: Reach::Parties(vec![Party::Program(interrupt.owner)]),
            reason: format!("interrupts, and wakes {} (id {})", domain.name, interrupt.id),
            at: described.map(|irq| irq.span.clone()).into_iter().collect(),
        });
    }
}

/// Programs that compete for a processor in the time of a scheduling domain, by priority, highest first: a program can
/// delay those of lower levels until its budget is used up, and shares the time of its level with the others there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// The processor.
    pub cpu: u8,
    /// Id of the scheduling domain; 0 without domains.
    pub domain: u8,
    /// Priorities with their programs, descending.
    pub levels: Vec<(u64, Vec<Party>)>,
}

/// The levels of each processor and scheduling domain, ascending. The monitor is on processor 0, in domain 0.
#[must_use]
pub fn delays(built: &Built) -> Vec<Delays> {
    let monitor = vec![(MONITOR_PRIORITY, vec![Party::Monitor])];
    let mut all: Vec<Delays> = vec![Delays { cpu: MONITOR_PROCESSOR, domain: 0, levels: monitor }];
    let programs = built.parts.system.protection_domains.iter().enumerate();
    let mut sorted: Vec<_> = programs.collect();
    sorted.sort_by_key(|(index, program)| {
        (program.cpu, program.domain, std::cmp::Reverse(program.priority), *index)
    });
    for (index, program) in sorted {
        let (cpu, domain, priority) = (program.cpu, program.domain, u64::from(program.priority));
        if all.last().is_none_or(|last| (last.cpu, last.domain) != (cpu, domain)) {
            all.push(Delays { cpu, domain, levels: Vec::new() });
        }
        let Some(Delays { levels, .. }) = all.last_mut() else { continue };
        match levels.last_mut() {
            Some((level, parties)) if *level == priority => parties.push(Party::Program(index)),
            _ => levels.push((priority, vec![Party::Program(index)])),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImageType;
    use crate::test_system::{built, parts};

    fn rows_of(text: &str) -> Vec<String> {
        let built = built(text);
        authority(&built).iter().map(|row| written(&built, row)).collect()
    }

    /// `kind by -> on @ lines`.
    fn written(built: &Built, row: &Authority) -> String {
        let party = |party: &Party| match party {
            Party::Program(index) => name(built, *index).to_owned(),
            Party::Monitor => "MONITOR".to_owned(),
            Party::Hardware(source) => format!("<{source}>"),
        };
        let names = |parties: &[Party]| parties.iter().map(party).collect::<Vec<_>>().join(" ");
        let on = match &row.on {
            Reach::Everyone => "*".to_owned(),
            Reach::Parties(on) => names(on),
        };
        let lines: Vec<_> = row.at.iter().map(|at| at.line.to_string()).collect();
        format!("{} {} -> {on} @ {}", row.kind.name(), names(&row.by), lines.join(" "))
    }

    /// `contents` of programs `a` and `b`, and of the system; each on lines of its own.
    fn pair(in_a: &str, in_b: &str, others: &str) -> Vec<String> {
        let text = format!(
            "<system>\n<protection_domain name=\"a\"><program_image path=\"p\" />\n{in_a}\n</protection_domain>\n\
             <protection_domain name=\"b\" priority=\"2\"><program_image path=\"p\" />\n{in_b}\n</protection_domain>\n\
             {others}\n</system>"
        );
        let always = ["control MONITOR -> * @ ", "fault a b -> MONITOR @ 2 5"];
        rows_of(&text).into_iter().filter(|row| !always.contains(&row.as_str())).collect()
    }

    #[test]
    fn separate_programs_affect_each_other_only_by_delays() {
        assert_eq!(pair("", "", ""), Vec::<String>::new());
    }

    #[test]
    fn memory_carries_from_writers_to_all_readers() {
        let region = "<memory_region name=\"m\" size=\"0x1000\" />";
        let map = |perms: &str| format!("<map mr=\"m\" vaddr=\"0x400000\" perms=\"{perms}\" />");
        assert_eq!(pair(&map("rw"), &map("r"), region), ["memory a -> a b @ 3 6"]);
        assert_eq!(pair(&map("r"), &map("rw"), region), ["memory b -> a b @ 3 6"]);
        assert_eq!(pair(&map("rw"), &map("rw"), region), ["memory a b -> a b @ 3 6"]);
        assert_eq!(pair(&map("r"), &map("rx"), region), Vec::<String>::new());
        assert_eq!(pair(&map("rw"), "", region), Vec::<String>::new());
    }

    #[test]
    fn devices_reach_everything() {
        let region = "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\" />";
        let map = "<map mr=\"uart\" vaddr=\"0x400000\" perms=\"r\" cached=\"false\" />";
        assert_eq!(pair(map, "", region), ["dma a -> * @ 3"]);
        assert_eq!(pair(map, map, region), ["device a b -> a b @ 3 6", "dma a b -> * @ 3 6"]);
    }

    #[test]
    fn channels_grant_what_their_ends_say() {
        let channel = |a: &str, b: &str| {
            format!("<channel><end pd=\"a\" id=\"1\" {a} /><end pd=\"b\" id=\"2\" {b} /></channel>")
        };
        let quiet = "notify=\"false\"";
        assert_eq!(
            pair("", "", &channel("pp=\"true\" notify=\"false\"", quiet)),
            ["call a -> b @ 8", "reply b -> a @ 8"]
        );
        assert_eq!(pair("", "", &channel("", quiet)), ["notification a -> b @ 8"]);
        assert_eq!(pair("", "", &channel(quiet, "")), ["notification b -> a @ 8"]);
        assert_eq!(pair("", "", &channel(quiet, quiet)), Vec::<String>::new());
    }

    #[test]
    fn parents_control_children_and_children_send_faults() {
        let child = "<protection_domain name=\"c\" id=\"3\"><program_image path=\"p\" /></protection_domain>";
        let reset = "<reset id=\"1\" pd=\"c\" />";
        // The subtree of `a` comes before `b`.
        let expected = ["reset a -> c @ 3", "control a -> c @ 3", "fault c -> a @ 3"];
        assert_eq!(pair(&format!("{reset}{child}"), "", ""), expected);
    }

    #[test]
    fn the_holder_of_a_key_affects_every_user() {
        let keys = "<static_key name=\"k\" />";
        let (holds, follows) = ("<key name=\"k\" id=\"0\" />", "<key name=\"k\" symbol=\"word\" />");
        assert_eq!(pair(holds, follows, keys), ["key a -> a b @ 3 6"]);
        assert_eq!(pair(holds, holds, keys), ["key a -> a b @ 3 6", "key b -> a b @ 6 3"]);
        assert_eq!(pair(follows, follows, keys), Vec::<String>::new());
        let group = "<static_key name=\"k\" /><static_key name=\"member\" group=\"k\" />";
        let follows_member = "<key name=\"member\" symbol=\"word\" />";
        assert_eq!(pair(holds, follows_member, group), ["key a -> a b @ 3 6"]);
        let holds_member = "<key name=\"member\" id=\"0\" />";
        assert_eq!(pair(holds_member, follows, group), Vec::<String>::new());
        assert_eq!(pair("<key name=\"kernel.printing\" id=\"0\" />", "", ""), ["system a -> * @ 3"]);
    }

    #[test]
    fn services_and_wipes_reach_the_users_of_memory() {
        let region = "<memory_region name=\"m\" size=\"0x1000\" />";
        let map = "<map mr=\"m\" vaddr=\"0x400000\" />";
        assert_eq!(pair("<digest id=\"0\" region=\"m\" />", map, region), ["digest a -> b @ 3"]);
        assert_eq!(pair("<digest id=\"0\" pd=\"b\" />", "", ""), ["digest a -> b @ 3"]);
        assert_eq!(pair("<digest id=\"0\" kernel=\"true\" />", "", ""), Vec::<String>::new());
        let irq = "<irq irq=\"40\" id=\"9\" /><wipe irq=\"9\" region=\"m\" />";
        assert_eq!(pair(irq, map, region), ["wipe a -> b @ 3", "interrupt <line 40> -> a @ 3"]);
    }

    #[test]
    fn seals_carry_data_from_their_inputs_to_their_output() {
        let regions =
            ["key", "from", "to"].map(|name| format!("<memory_region name=\"{name}\" size=\"0x2000\" />"));
        let map = |name: &str, vaddr: u64| format!("<map mr=\"{name}\" vaddr=\"{vaddr:#x}\" />");
        let seal = "<seal id=\"0\" key=\"key\" from=\"from\" to=\"to\" />";
        let others = regions.concat();
        // The writer of the records affects the holder, and the holder the reader.
        assert_eq!(pair(seal, &map("from", 0x40_0000), &others), ["seal b -> a @ 3"]);
        assert_eq!(pair(seal, &map("to", 0x40_0000), &others), ["seal a -> b @ 3"]);
    }

    #[test]
    fn rights_on_the_machine_reach_everyone() {
        let rights = "<probe /><counter /><fpu_policy /><fpu_counters />";
        assert_eq!(
            pair(rights, "", ""),
            ["system a -> * @ 2", "system a -> * @ 3", "observe a -> * @ 3", "observe a -> * @ 2"]
        );
        let caps = "<cspace><cap_tcb slot=\"1\" pd=\"b\" /><cap_sc slot=\"2\" pd=\"b\" />\
                    <cap_vspace slot=\"3\" pd=\"b\" /><cap_sched_control slot=\"4\" /></cspace>";
        assert_eq!(pair(caps, "", ""), ["control a -> b @ 3", "time a -> b @ 3", "time a -> b @ 3"]);
    }

    #[test]
    fn in_the_benchmark_configuration_every_program_has_the_counter() {
        let text =
            "<system><protection_domain name=\"a\"><program_image path=\"p\" /></protection_domain></system>";
        let built = parts(text, "benchmark").build(ImageType::Binary).unwrap();
        assert_eq!(authority(&built)[0].kind, Kind::Observe);
    }

    #[test]
    fn a_row_allows_what_it_names_and_never_oneself() {
        let row = |on| Authority {
            kind: Kind::Memory,
            by: vec![Party::Program(0)],
            on,
            reason: String::new(),
            at: Vec::new(),
        };
        let [a, b, c] = [0, 1, 2].map(Party::Program);
        let some = row(Reach::Parties(vec![a.clone(), b.clone()]));
        assert!(some.allows(&a, &b) && !some.allows(&b, &a) && !some.allows(&a, &c) && !some.allows(&a, &a));
        let all = row(Reach::Everyone);
        assert!(all.allows(&a, &c) && !all.allows(&a, &a) && !all.allows(&a, &Party::Monitor));
    }

    #[test]
    fn kinds_have_different_names_and_letters() {
        for (index, kind) in Kind::ALL.iter().enumerate() {
            for other in &Kind::ALL[..index] {
                assert!(kind != other && kind.name() != other.name() && kind.letter() != other.letter());
            }
        }
    }

    #[test]
    fn delays_follow_priorities_within_a_domain() {
        let text = "<system><domains><domain name=\"x\" /><domain name=\"y\" /><domain_schedule>
            <schedule_entry domain=\"x\" duration=\"5 us\" /><schedule_entry domain=\"y\" duration=\"5 us\" />
            </domain_schedule></domains>
            <protection_domain name=\"a\" domain=\"y\" priority=\"5\"><program_image path=\"p\" /></protection_domain>
            <protection_domain name=\"b\" domain=\"x\" priority=\"1\"><program_image path=\"p\" /></protection_domain>
            <protection_domain name=\"c\" domain=\"y\" priority=\"9\"><program_image path=\"p\" /></protection_domain>
            <protection_domain name=\"d\" domain=\"y\" priority=\"5\"><program_image path=\"p\" /></protection_domain></system>";
        let [a, b, c, d] = [0, 1, 2, 3].map(Party::Program);
        let expected = [
            Delays { cpu: 0, domain: 0, levels: vec![(255, vec![Party::Monitor]), (1, vec![b])] },
            Delays { cpu: 0, domain: 1, levels: vec![(9, vec![c]), (5, vec![a, d])] },
        ];
        assert_eq!(delays(&built(text)), expected);
    }

    #[test]
    fn programs_delay_only_those_on_their_processor() {
        let text = "<system>
            <protection_domain name=\"a\" cpu=\"1\" priority=\"5\"><program_image path=\"p\" /></protection_domain>
            <protection_domain name=\"b\" priority=\"9\"><program_image path=\"p\" /></protection_domain>
            <protection_domain name=\"c\" cpu=\"1\" priority=\"7\"><program_image path=\"p\" /></protection_domain></system>";
        let [a, b, c] = [0, 1, 2].map(Party::Program);
        let expected = [
            Delays { cpu: 0, domain: 0, levels: vec![(255, vec![Party::Monitor]), (9, vec![b])] },
            Delays { cpu: 1, domain: 0, levels: vec![(7, vec![c]), (5, vec![a])] },
        ];
        assert_eq!(delays(&parts(text, "smp-debug").build(ImageType::Binary).unwrap()), expected);
    }
}
