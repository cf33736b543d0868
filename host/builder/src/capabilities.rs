//! The capability table of every program: which slot holds what.

use limen_abi::slot::{self, Badge, MonitorSlot};
use limen_image::{Cap, CapKind, Rights};
use limen_sdf::model::{ChannelEnd, SystemDescription};

use crate::config::Config;
use crate::objects::Objects;

/// Rights of who sends messages and waits for the reply.
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
    children(&mut caps, system, objects);
    monitor(&mut caps, system, objects);
    caps.sort_by_key(|cap| (cap.table, cap.slot));
    caps
}

fn cap(table: usize, slot: u64, kind: CapKind, object: u64) -> Cap {
    Cap { table: table as u64, slot, kind: kind as u64, object, badge: 0, rights: 0 }
}

/// What every protection domain has: input, fault handler (unless a parent gives it), address space, reply object.
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
    if domain.passive {
        caps.push(Cap { rights: Rights::SEND, ..monitor(slot::MONITOR_ENDPOINT) });
    }
}

/// What `from` may do to `to`.
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

/// Parents hold the threads of their children; children send faults to their parents.
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

/// The monitor holds the thread, scheduling context and notification of every protection domain.
fn monitor(caps: &mut Vec<Cap>, system: &SystemDescription, objects: &Objects) {
    let table = system.protection_domains.len();
    let input = cap(table, slot::INPUT, CapKind::Endpoint, objects.monitor_endpoint());
    caps.push(Cap { rights: Rights::RECEIVE, ..input });
    caps.push(cap(table, slot::REPLY, CapKind::Reply, table as u64));
    for index in 0..table as u64 {
        caps.push(cap(table, MonitorSlot::BASE_TCB + index, CapKind::Thread, index));
        caps.push(cap(table, MonitorSlot::BASE_SCHED_CONTEXT + index, CapKind::SchedContext, index));
        caps.push(cap(table, MonitorSlot::BASE_NOTIFICATION + index, CapKind::Notification, index));
    }
}
