//! The rights of each protection domain as macros of the verification language Viper, one file each.
//!
//! A specification includes its program's file and can then use macros such as `mk_is_notify_target(3)`. The names
//! are those of the reference's tool. Empty sets are defined too, so that every specification can use every macro.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use limen_abi::slot;
use limen_builder::report::ObjectGraph;
use limen_sdf::SystemDescription;
use limen_sdf::model::{Map, ProtectionDomain};

use crate::output::OutputFile;

/// Sets of capability slots, by kind of capability in [`ObjectGraph`].
const SLOT_SETS: [(&str, &str); 9] = [
    ("endpoint", "endpoint"),
    ("notification", "notification"),
    ("reply", "reply"),
    ("page_table", "address space"),
    ("irq_handler", "interrupt"),
    ("tcb", "thread"),
    ("vcpu", "virtual processor"),
    ("ioport", "I/O ports"),
    ("arm_smc", "calls"),
];

/// One file for each protection domain, in `folder`.
pub(crate) fn files(
    folder: &Path,
    description: &Path,
    system: &SystemDescription,
    graph: &ObjectGraph,
) -> Vec<OutputFile> {
    let domains = system.protection_domains.iter().enumerate();
    let file = |(index, domain): (usize, &ProtectionDomain)| {
        let name = domain.name.escape_debug();
        let source = description.to_string_lossy();
        let mut text = format!("// Protection domain \"{name}\" of {}\n", source.escape_debug());
        write_channels(&mut text, system, index);
        write_slots(&mut text, graph, &domain.name);
        write_memory(&mut text, system, &domain.maps);
        // A name with slashes becomes a single file name.
        let path = folder.join(format!("{}.vpr", domain.name.replace('/', "_")));
        OutputFile { path, bytes: text.into_bytes() }
    };
    domains.map(file).collect()
}

fn write_channels(text: &mut String, system: &SystemDescription, index: usize) {
    let irqs: Vec<_> = system.protection_domains[index].irqs.iter().map(|irq| irq.id).collect();
    let mut callers = Vec::new();
    let mut callees = Vec::new();
    let mut notified_by = irqs.clone();
    let mut notifies = Vec::new();
    for [a, b] in system.channels.iter().map(|channel| &channel.ends) {
        for (own, other) in [(a, b), (b, a)].into_iter().filter(|(own, _)| own.protection_domain == index) {
            let sets = [
                (&mut callers, other.may_call),
                (&mut callees, own.may_call),
                (&mut notified_by, other.may_notify),
                (&mut notifies, own.may_notify),
            ];
            sets.into_iter().filter(|(_, holds)| *holds).for_each(|(set, _)| set.push(own.id));
        }
    }
    let parents = system.protection_domains.iter().filter_map(|domain| domain.parent.as_ref());
    let children = parents.filter(|child| child.parent == index).map(|child| child.id);
    write_set(text, "mk_is_protected_source", callers);
    write_set(text, "mk_is_ppcall_target", callees);
    write_set(text, "mk_is_notified_source", notified_by);
    write_set(text, "mk_is_notify_target", notifies);
    write_set(text, "mk_is_irq_channel", irqs);
    write_set(text, "mk_is_child", children);
}

/// Slots of the program's own table; specifications do not refer to root slots.
fn write_slots(text: &mut String, graph: &ObjectGraph, owner: &str) {
    let tables = graph.capability_tables.iter().filter(|table| table.owner == owner);
    let slots = || tables.clone().flat_map(|table| &table.slots).filter(|cap| cap.slot < slot::ROOT);
    write_set(text, "pansel4_has_cap", slots().map(|cap| cap.slot));
    for (name, kind) in SLOT_SETS {
        let of_kind = slots().filter(|cap| cap.kind == kind).map(|cap| cap.slot);
        write_set(text, &format!("pansel4_has_{name}_cap"), of_kind);
    }
}

fn write_memory(text: &mut String, system: &SystemDescription, maps: &[Map]) {
    let mut used = Names::default();
    let mut readable = Vec::new();
    let mut writeable = Vec::new();
    for map in maps {
        let region = &system.memory_regions[map.region];
        let name = used.unique(&identifier(&region.name));
        let (start, end) = (map.vaddr, map.vaddr.saturating_add(region.bytes));
        // Writing to a string cannot fail.
        _ = writeln!(text, "define mem_{name}_contains(x) ({start} <= x && x < {end})");
        let holds = format!("mem_{name}_contains(x)");
        if map.perms.write {
            writeable.push(holds.clone());
        }
        if map.perms.read {
            readable.push(holds);
        }
    }
    write_macro(text, "mem_readable", &any(&readable));
    write_macro(text, "mem_writeable", &any(&writeable));
}

/// A macro that is true for these numbers.
fn write_set(text: &mut String, name: &str, numbers: impl IntoIterator<Item = impl Into<u64>>) {
    let numbers: BTreeSet<u64> = numbers.into_iter().map(Into::into).collect();
    let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
    let condition =
        if numbers.is_empty() { "false".to_owned() } else { format!("x in Set({})", numbers.join(",")) };
    write_macro(text, name, &condition);
}

/// A macro, and a variant that takes the heap and the global variables.
fn write_macro(text: &mut String, name: &str, condition: &str) {
    _ = writeln!(text, "define {name}(x) ({condition})");
    _ = writeln!(text, "define f_{name}(heap,gv,x) ({name}(x))");
}

fn any(conditions: &[String]) -> String {
    if conditions.is_empty() { "false".to_owned() } else { conditions.join(" || ") }
}

/// `name` with an underscore for each character that Viper does not allow in names.
fn identifier(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

/// Names in use.
#[derive(Default)]
struct Names {
    used: HashSet<String>,
    /// The next suffix for each name.
    next: HashMap<String, u64>,
}

impl Names {
    /// `name`, with a number appended if it is in use: a region may be mapped twice.
    fn unique(&mut self, name: &str) -> String {
        let next = self.next.entry(name.to_owned()).or_insert(1);
        loop {
            let candidate = if *next == 1 { name.to_owned() } else { format!("{name}_{next}") };
            *next += 1;
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
