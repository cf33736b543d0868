//! The meaning of an address to a program.

use crate::program::Registers;
use crate::system::{Domain, Mapping, System};

/// The first page is never mapped by accident, so addresses in it are null pointers with an offset.
const NULL_BYTES: u64 = 0x1000;
/// An address this near to a mapped range was probably meant to be in it.
const NEAR_BYTES: u64 = 0x1_0000;
/// Addresses from here on are the kernel's half.
const KERNEL_HALF: u64 = 0xffff_8000_0000_0000;

/// An attempted access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Try {
    /// To read.
    Read,
    /// To write.
    Write,
    /// To read or to write.
    Access,
    /// To execute.
    Execute,
}

/// Describes an address, in words that follow it and a comma.
#[must_use]
pub fn describe(system: &System, domain: &Domain, address: u64, what: Try, registers: &Registers) -> String {
    let mappings = system.mappings(domain);
    if let Some(mapping) = mappings.iter().find(|mapping| mapping.range().contains(&address)) {
        return inside(system, domain, mapping, what);
    }
    if let Some(text) = stack_overflow(domain, address, registers.sp) {
        return text;
    }
    if address < NULL_BYTES {
        return match address {
            0 => "a null pointer".to_owned(),
            offset => format!("{} from a null pointer", bytes(offset)),
        };
    }
    if address >= KERNEL_HALF {
        return "an address of the kernel".to_owned();
    }
    if let Some(text) = beside(system, domain, mappings, address) {
        return text;
    }
    if let Some(region) = system.region_at(address) {
        let own = mappings.iter().find(|mapping| mapping.region() == Some(region));
        let seen = match own {
            Some(mapping) => format!("this program sees the region at {}", span(mapping)),
            None => "this program does not map the region".to_owned(),
        };
        return format!("which is mapped nowhere; it is a physical address of region '{region}', but {seen}");
    }
    let top = mappings.iter().map(|mapping| mapping.end.0).max().unwrap_or(0);
    if address >= top {
        return "which is above every address of programs".to_owned();
    }
    "where nothing is mapped".to_owned()
}

/// Names a mapping from the program's view.
fn name(system: &System, domain: &Domain, mapping: &Mapping) -> String {
    if let Some(region) = mapping.region() {
        let kind = if system.is_device(mapping) { "device region" } else { "region" };
        return format!("{kind} '{region}'");
    }
    if mapping.purpose == "IPC buffer" {
        return "its IPC buffer".to_owned();
    }
    if mapping.purpose.strip_prefix("stack of ") == Some(&domain.name) {
        return "its stack".to_owned();
    }
    match mapping.perms.as_str() {
        "rx" => "its code and constants",
        "r" => "its constants",
        _ => "its data",
    }
    .to_owned()
}

fn span(mapping: &Mapping) -> String {
    format!("{:#x}..{:#x}", mapping.start.0, mapping.end.0)
}

fn mapped(mapping: &Mapping) -> String {
    let access = match mapping.perms.as_str() {
        "r" => "read-only",
        "rw" => "read-write",
        "rx" => "read-execute",
        "rwx" => "read-write-execute",
        other => other,
    };
    format!("(mapped {access} at {})", span(mapping))
}

fn inside(system: &System, domain: &Domain, mapping: &Mapping, what: Try) -> String {
    let forbids = |letter| !mapping.perms.contains(letter);
    let reason = match what {
        Try::Execute if forbids('x') => ", which is not executable",
        Try::Write if forbids('w') => ", which is not writable",
        Try::Read if forbids('r') => ", which is not readable",
        _ if system.is_device(mapping) => ", where the machine has no device that answers",
        _ => ", which allows this; the address may not be aligned, or the memory did not answer",
    };
    format!("in {} {}{reason}", name(system, domain, mapping), mapped(mapping))
}

fn stack_overflow(domain: &Domain, address: u64, sp: u64) -> Option<String> {
    let (start, size) = (domain.stack_start.0, domain.stack_end.0.saturating_sub(domain.stack_start.0));
    let below = start.checked_sub(address).filter(|below| *below > 0)?;
    let advice = format!("its stack of {} overflowed; set a larger stack_size", bytes(size));
    if sp < start && start - sp <= NEAR_BYTES * 256 && address >= sp.saturating_sub(NULL_BYTES) {
        let missing = start - sp;
        return Some(format!(
            "{} below the stack: {advice} (sp is {} below it)",
            bytes(below),
            bytes(missing)
        ));
    }
    (below <= NULL_BYTES).then(|| format!("{} below the stack, in its guard page: {advice}", bytes(below)))
}

/// An address just outside of a mapped range; of two ranges, the nearer one.
fn beside(system: &System, domain: &Domain, mappings: &[Mapping], address: u64) -> Option<String> {
    let after = |mapping: &Mapping| address.checked_sub(mapping.end.0).map(|gap| gap + 1);
    let before = |mapping: &Mapping| mapping.start.0.checked_sub(address);
    let distance = |mapping: &&Mapping| after(mapping).or(before(mapping)).unwrap_or(u64::MAX);
    let nearest = mappings.iter().filter(|mapping| distance(mapping) <= NEAR_BYTES).min_by_key(distance)?;
    let name = name(system, domain, nearest);
    Some(match after(nearest) {
        Some(gap) => format!("{} beyond the end of {name} {}", bytes(gap), mapped(nearest)),
        None => format!("{} before the start of {name} {}", bytes(distance(&nearest)), mapped(nearest)),
    })
}

fn bytes(count: u64) -> String {
    match count {
        1 => "one byte".to_owned(),
        _ => format!("{count} bytes"),
    }
}
