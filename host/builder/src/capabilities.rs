//! The capability table of each program.

use limen_abi::slot::{self, Badge, MonitorSlot};
use limen_image::{Cap, CapKind, Rights};
use limen_sdf::model::{ChannelEnd, SystemDescription, UserCapTarget};

use crate::config::Config;
use crate::objects::Objects;
use crate::services;

/// Rights of a caller.
const CALL: u64 = Rights::SEND | Rights::GRANT_REPLY;

/// All capabilities of a system, ascending by table and slot.
#[must_use]
pub fn capabilities(system: &SystemDescription, objects: &Objects, config: &Config) -> Vec<Cap> {
    let mut caps = Vec::new();
    for index in 0..system.protection_domains.len() {
        own_objects(&mut caps, system, objects, index);
        if config.is_benchmark() {
            caps.push(cap(index, slot::TCB, CapKind::Thread, index as u64));
        }
    }
    for channel in &system.channels {
        let [a, b] = &channel.ends;
        channel_end(&mut caps, objects, a, b);
        channel_end(&mut caps, objects, b, a);
    }
    for (interrupt, object) in objects.interrupts.iter().zip(0..) {
        let at = slot::BASE_IRQ + u64::from(interrupt.id);
        caps.push(cap(interrupt.owner, at, CapKind::Interrupt, object));
    }
    children(&mut caps, system, objects);
    shared(&mut caps, system);
    monitor(&mut caps, system, objects);
    if config.is_printing() {
        caps.extend(fault_observers(system));
    }
    caps.extend(services::caps(system));
    caps.sort_by_key(|cap| (cap.table, cap.slot));
    caps
}

fn cap(table: usize, slot: u64, kind: CapKind, object: u64) -> Cap {
    Cap { table: table as u64, slot, kind: kind as u64, object, badge: 0, rights: 0 }
}

/// The capabilities of every protection domain: input, fault handler (unless it has a parent), address space, reply
/// object.
fn own_objects(caps: &mut Vec<Cap>, system: &SystemDescription, objects: &Objects, index: usize) {
    let own = index as u64;
    let domain = &system.protection_domains[index];
    let input = match objects.endpoint_of(index) {
        Some(endpoint) => cap(index, slot::INPUT, CapKind::Endpoint, endpoint),
        None => cap(index, slot::INPUT, CapKind::Notification, own),
    };
    caps.push(Cap { rights: Rights::RECEIVE, ..input });
    let monitor =
        |slot| Cap { badge: own + 1, ..cap(index, slot, CapKind::Endpoint, objects.monitor_endpoint()) };
    if domain.parent.is_none() {
        caps.push(Cap { rights: CALL, ..monitor(slot::FAULT_ENDPOINT) });
    }
    caps.push(cap(index, slot::VSPACE, CapKind::Vspace, own));
    caps.push(cap(index, slot::REPLY, CapKind::Reply, own));
    for ports in &domain.ioports {
        let range =
            cap(index, slot::BASE_IOPORT + u64::from(ports.id), CapKind::IoPort, u64::from(ports.addr));
        caps.push(Cap { badge: u64::from(ports.last), ..range });
    }
    if domain.smc {
        caps.push(cap(index, slot::ARM_SMC, CapKind::SecureMonitor, 0));
    }
    let grants = [
        (domain.fpu_counters, slot::FPU_COUNTERS, CapKind::FpuCounters),
        (domain.fpu_policy, slot::FPU_POLICY, CapKind::FpuPolicy),
        (domain.probe.is_some(), slot::PROBE, CapKind::Probe),
    ];
    caps.extend(grants.into_iter().filter(|(is, ..)| *is).map(|(_, slot, kind)| cap(index, slot, kind, 0)));
    for key in &domain.keys {
        let at = key.id.map(|id| slot::BASE_KEY + u64::from(id));
        caps.extend(at.map(|at| cap(index, at, CapKind::Key, key.key as u64)));
    }
    if domain.passive {
        caps.push(Cap { rights: Rights::SEND, ..monitor(slot::MONITOR_ENDPOINT) });
    }
}

/// The capabilities that `from` has to `to`.
fn channel_end(caps: &mut Vec<Cap>, objects: &Objects, from: &ChannelEnd, to: &ChannelEnd) {
    let (holder, id) = (from.protection_domain, u64::from(from.id));
    if from.may_notify {
        let notification = to.protection_domain as u64;
        let at = slot::BASE_OUTPUT_NOTIFICATION + id;
        let signal = cap(holder, at, CapKind::Notification, notification);
        caps.push(Cap { badge: 1 << to.id, rights: Rights::SEND, ..signal });
    }
    if let (true, Some(endpoint)) = (from.may_call, objects.endpoint_of(to.protection_domain)) {
        let call = cap(holder, slot::BASE_ENDPOINT + id, CapKind::Endpoint, endpoint);
        caps.push(Cap { badge: Badge::PROTECTED_CALL | u64::from(to.id), rights: CALL, ..call });
    }
}

/// Parents hold the threads of their children, and handle their faults.
fn children(caps: &mut Vec<Cap>, system: &SystemDescription, objects: &Objects) {
    for (index, domain) in system.protection_domains.iter().enumerate() {
        let Some(parent) = &domain.parent else {
            continue;
        };
        let id = u64::from(parent.id);
        caps.push(cap(parent.parent, slot::BASE_TCB + id, CapKind::Thread, index as u64));
        if let Some(endpoint) = objects.endpoint_of(parent.parent) {
            let fault = cap(index, slot::FAULT_ENDPOINT, CapKind::Endpoint, endpoint);
            caps.push(Cap { badge: Badge::CHILD_FAULT | id, rights: CALL, ..fault });
        }
    }
}

/// Capabilities in root slots from the description.
fn shared(caps: &mut Vec<Cap>, system: &SystemDescription) {
    for (index, domain) in system.protection_domains.iter().enumerate() {
        for user_cap in &domain.caps {
            let (kind, object) = match user_cap.target {
                UserCapTarget::Thread(owner) => (CapKind::Thread, owner),
                UserCapTarget::SchedContext(owner) => (CapKind::SchedContext, owner),
                UserCapTarget::Vspace(owner) => (CapKind::Vspace, owner),
                UserCapTarget::SchedControl => (CapKind::SchedControl, 0),
            };
            caps.push(cap(index, slot::ROOT + u64::from(user_cap.slot), kind, object as u64));
        }
    }
}

/// The monitor holds the thread, scheduling context and notification of every protection domain.
fn monitor(caps: &mut Vec<Cap>, system: &SystemDescription, objects: &Objects) {
    let table = system.protection_domains.len();
    let input = cap(table, slot::INPUT, CapKind::Endpoint, objects.monitor_endpoint());
    caps.push(Cap { rights: Rights::RECEIVE, ..input });
    caps.push(cap(table, slot::REPLY, CapKind::Reply, table as u64));
    for index in 0..table as u64 {
        caps.push(cap(table, MonitorSlot::BASE_TCB + index, CapKind::Thread, index));
        caps.push(cap(table, MonitorSlot::BASE_SCHED_CONTEXT + index, CapKind::SchedContext, index));
        let notification = cap(table, MonitorSlot::BASE_NOTIFICATION + index, CapKind::Notification, index);
        caps.push(Cap { rights: Rights::RECEIVE, ..notification });
    }
}

/// The notification by which the monitor learns of the faults of each child. The child has no rights to it.
fn fault_observers(system: &SystemDescription) -> impl Iterator<Item = Cap> {
    let notification = system.protection_domains.len() as u64;
    let children = system.protection_domains.iter().enumerate().filter(|(_, domain)| domain.parent.is_some());
    children.map(move |(index, _)| Cap {
        badge: Badge::PRINTED_FAULT | 1 << index,
        ..cap(index, slot::FAULT_OBSERVER, CapKind::Notification, notification)
    })
}

#[cfg(test)]
mod tests {
    use limen_image::ThreadFlags;

    use super::*;
    use crate::test_system::{FAMILY, parts};
    use crate::{Built, ImageType};

    const THREAD: u64 = CapKind::Thread as u64;
    const ENDPOINT: u64 = CapKind::Endpoint as u64;
    const NOTIFICATION: u64 = CapKind::Notification as u64;
    const SCHED_CONTEXT: u64 = CapKind::SchedContext as u64;
    const REPLY: u64 = CapKind::Reply as u64;
    const VSPACE: u64 = CapKind::Vspace as u64;

    /// Slot, kind, object, badge, rights.
    type Row = (u64, u64, u64, u64, u64);

    fn built(config: &str) -> Built {
        parts(FAMILY, config).build(ImageType::Binary).unwrap()
    }

    fn table(built: &Built, table: u64) -> Vec<Row> {
        let caps = built.tables.caps.iter().filter(|cap| cap.table == table);
        caps.map(|cap| (cap.slot, cap.kind, cap.object, cap.badge, cap.rights)).collect()
    }

    #[test]
    fn a_parent_receives_faults_and_holds_its_child() {
        // Endpoints: 0 of parent, 1 of server, 2 of the monitor.
        let expected = [
            (1, ENDPOINT, 0, 0, Rights::RECEIVE),
            (2, ENDPOINT, 2, 1, CALL),
            (3, VSPACE, 0, 0, 0),
            (4, REPLY, 0, 0, 0),
            (11, NOTIFICATION, 2, 1 << 2, Rights::SEND),
            (75, ENDPOINT, 1, Badge::PROTECTED_CALL | 2, CALL),
            (209, THREAD, 1, 0, 0),
        ];
        assert_eq!(table(&built("debug"), 0), expected);
    }

    #[test]
    fn a_child_sends_faults_to_its_parent() {
        let expected = [
            (1, NOTIFICATION, 1, 0, Rights::RECEIVE),
            (2, ENDPOINT, 0, Badge::CHILD_FAULT | 7, CALL),
            (3, VSPACE, 1, 0, 0),
            (4, REPLY, 1, 0, 0),
            (13, NOTIFICATION, 2, 1 << 4, Rights::SEND),
        ];
        assert_eq!(table(&built("release"), 1), expected);
    }

    #[test]
    fn the_kernel_signals_the_monitor_about_children_in_debug_and_the_child_may_not() {
        let built = built("debug");
        let of_children = built.tables.caps.iter().filter(|cap| cap.slot == slot::FAULT_OBSERVER);
        let found: Vec<_> = of_children.map(|cap| (cap.table, cap.object, cap.badge, cap.rights)).collect();
        assert_eq!(found, [(1, 3, Badge::PRINTED_FAULT | 1 << 1, 0)]);
        assert_eq!((built.tables.threads[3].notification, built.tables.counts.notifications), (3, 4));
    }

    #[test]
    fn a_passive_server_can_call_the_monitor_and_notifies_only_if_allowed() {
        let expected = [
            (1, ENDPOINT, 1, 0, Rights::RECEIVE),
            (2, ENDPOINT, 2, 3, CALL),
            (3, VSPACE, 2, 0, 0),
            (4, REPLY, 2, 0, 0),
            (5, ENDPOINT, 2, 3, Rights::SEND),
            (6, THREAD, 2, 0, 0),
            (14, NOTIFICATION, 1, 1 << 3, Rights::SEND),
        ];
        assert_eq!(table(&built("benchmark"), 2), expected);
    }

    #[test]
    fn descriptions_fill_root_slots() {
        let text = FAMILY.replacen(
            "<program_image path=\"p\" />",
            r#"<program_image path="p" /><cspace><cap_sched_control slot="63" /><cap_tcb slot="1" pd="server" />
               <cap_sc slot="2" pd="parent" /><cap_vspace slot="3" pd="child" /></cspace>"#,
            1,
        );
        let built = parts(&text, "debug").build(ImageType::Binary).unwrap();
        let expected = [
            (513, THREAD, 2, 0, 0),
            (514, SCHED_CONTEXT, 0, 0, 0),
            (515, VSPACE, 1, 0, 0),
            (575, CapKind::SchedControl as u64, 0, 0, 0),
        ];
        assert_eq!(table(&built, 0)[7..], expected);
    }

    #[test]
    fn the_monitor_holds_every_protection_domain() {
        let table = table(&built("debug"), 3);
        assert_eq!(table[..2], [(1, ENDPOINT, 2, 0, Rights::RECEIVE), (4, REPLY, 3, 0, 0)]);
        let windows = [(10, THREAD, 0), (74, SCHED_CONTEXT, 0), (138, NOTIFICATION, Rights::RECEIVE)];
        let expected = windows
            .iter()
            .flat_map(|&(slot, kind, rights)| (0..3).map(move |i| (slot + i, kind, i, 0, rights)));
        assert_eq!(table[2..], expected.collect::<Vec<_>>());
    }

    #[test]
    fn benchmark_systems_have_the_cycle_counter() {
        let flags = |config| built(config).tables.threads.iter().map(|t| t.flags).collect::<Vec<_>>();
        // The monitor's program uses no floating point.
        assert_eq!(flags("debug"), [0, 0, 0, ThreadFlags::FPU_DISABLED]);
        // If all protection domains may count, so may the monitor: then no thread switch changes the setting.
        assert_eq!(flags("benchmark"), [1, 1, 1, ThreadFlags::COUNTER | ThreadFlags::FPU_DISABLED]);
    }
}
