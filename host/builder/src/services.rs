//! The address space for services of a protection domain: a stack, and windows onto the targets.
//!
//! ```text
//!   STACK          the kernel's stack for services of this protection domain
//!   WINDOWS + n    target of service n, in consecutive pieces
//!   + CONTENTS     reset: the initial contents of the target; seal: the records
//!   + KEY, + RING  seal: the key, the used ring
//! ```

use limen_abi::limits::LARGE_PAGE_BYTES;
use limen_abi::{ServiceKind, slot};
use limen_image::{Cap, CapKind, MappingFlags, NONE, Service as Record};
use limen_sdf::Diagnostic;
use limen_sdf::model::{ProtectionDomain, Seal, Service, ServiceTarget, SystemDescription, WipeTrigger};

use crate::address_space::{AddressSpaces, PlannedService, Purpose};
use crate::code;
use crate::error::{Context, error};
use crate::interrupts::OwnedInterrupt;
use crate::memory::MemoryPlan;

/// Address of the stack; its surroundings are unmapped.
const STACK: u64 = 0x10_0000;
/// Address of the first window.
const WINDOWS: u64 = 0x1000_0000;
/// Distance between windows: larger than any window, and all fit into the 39 address bits of every processor.
const WINDOW_BYTES: u64 = 1 << 32;
/// Offset of the initial contents in a window, or of the records to seal.
const CONTENTS: u64 = WINDOW_BYTES / 2;
/// Size of the largest memory region that a seal reads.
const INPUT_BYTES: u64 = CONTENTS / 4;
/// Offset of the key of a seal.
const KEY: u64 = CONTENTS + INPUT_BYTES;
/// Offset of the ring of a seal.
const RING: u64 = KEY + INPUT_BYTES;

/// Plans the address spaces for the services of all protection domains. They follow those of the `programs` programs,
/// whose memory is already planned.
///
/// # Errors
/// The target of a service is too large.
pub(crate) fn plan(
    system: &SystemDescription,
    programs: usize,
    spaces: &mut AddressSpaces,
) -> Result<Vec<PlannedService>, Diagnostic> {
    let (mut records, mut wipes) = (Vec::new(), Vec::new());
    let mut vspace = programs;
    for (holder, domain) in system.protection_domains.iter().enumerate() {
        if !needs_space(domain) {
            continue;
        }
        let stack_bytes = Record::STACK_BYTES;
        let stack = spaces.extend(Purpose::WorkStack { program: holder }, stack_bytes);
        spaces.see(vspace, STACK, stack, MappingFlags::READ | MappingFlags::WRITE);
        for (service, position) in domain.services.iter().zip(0..) {
            let start = WINDOWS + position * WINDOW_BYTES;
            let record = Record {
                kind: service.kind.as_raw(),
                thread: holder as u64,
                vspace: vspace as u64,
                stack_top: STACK + stack_bytes,
                target: start,
                owner: NONE,
                interrupt: NONE,
                ..Record::default()
            };
            let trigger = service.seal().and_then(|seal| seal.irq).map(WipeTrigger::Irq);
            records.push(PlannedService { record: open_window(service, record, spaces)?, trigger });
        }
        let first = domain.services.len() as u64;
        for (wipe, position) in domain.wipes.iter().zip(first..) {
            let mut window = PlannedWindow { vspace, start: WINDOWS + position * WINDOW_BYTES, bytes: 0 };
            let record = Record {
                kind: ServiceKind::Wipe.as_raw(),
                thread: holder as u64,
                vspace: vspace as u64,
                stack_top: STACK + stack_bytes,
                target: window.start,
                owner: NONE,
                interrupt: NONE,
                ..Record::default()
            };
            let extent = spaces.extent_of_region(wipe.region).unwrap_or_default();
            window.show(spaces, extent, MappingFlags::READ | MappingFlags::WRITE);
            let record = Record { bytes: window.bytes, ..record };
            wipes.push(PlannedService { record, trigger: Some(wipe.trigger) });
        }
        vspace += 1;
    }
    // Services with capabilities come first, wipes after them.
    records.extend(wipes);
    Ok(records)
}

/// Whether a protection domain needs an address space for services.
pub(crate) fn needs_space(domain: &ProtectionDomain) -> bool {
    !domain.services.is_empty() || !domain.wipes.is_empty()
}

/// Memory regions that are targets of a protection domain's services and wipes.
pub(crate) fn served_regions(domain: &ProtectionDomain) -> impl Iterator<Item = usize> {
    domain.services.iter().flat_map(Service::regions).chain(domain.wipes.iter().map(|wipe| wipe.region))
}

/// The records, once interrupts have indices.
pub(crate) fn records(planned: &[PlannedService], interrupts: &[OwnedInterrupt]) -> Vec<Record> {
    let index = |thread: u64, id: u8| {
        let is_it = |irq: &OwnedInterrupt| irq.owner as u64 == thread && irq.id == id;
        interrupts.iter().position(is_it).map_or(NONE, |index| index as u64)
    };
    let records = planned.iter().map(|PlannedService { record, trigger }| match trigger {
        Some(WipeTrigger::Irq(id)) => Record { interrupt: index(record.thread, *id), ..*record },
        Some(WipeTrigger::Fault) | None => *record,
    });
    records.collect()
}

fn open_window(service: &Service, record: Record, spaces: &mut AddressSpaces) -> Result<Record, Diagnostic> {
    let mut window = PlannedWindow { vspace: record.vspace as usize, start: record.target, bytes: 0 };
    let record = match (service.kind, service.target) {
        (ServiceKind::Reset, ServiceTarget::Program(program)) => {
            let mut contents = PlannedWindow { start: record.target + CONTENTS, ..window };
            for extent in spaces.writable_contents(program) {
                let first = spaces.first_contents_of(extent);
                contents.show(spaces, first, MappingFlags::READ);
                window.show(spaces, extent, MappingFlags::READ | MappingFlags::WRITE);
            }
            for extent in spaces.zeroed(program) {
                window.show(spaces, extent, MappingFlags::READ | MappingFlags::WRITE);
            }
            Record { source: contents.start, source_bytes: contents.bytes, owner: program as u64, ..record }
        }
        (_, ServiceTarget::Kernel) => Record { target: 0, ..record },
        (_, ServiceTarget::Seal(seal)) => open_seal(&seal, record, &mut window, spaces),
        (_, ServiceTarget::Program(program)) => {
            for extent in spaces.constant_contents(program) {
                window.show(spaces, extent, MappingFlags::READ);
            }
            record
        }
        (_, ServiceTarget::Region(region)) => {
            let extent = spaces.extent_of_region(region);
            window.show(spaces, extent.unwrap_or_default(), MappingFlags::READ);
            record
        }
    };
    let bytes_of = |region| spaces.extent_of_region(region).map_or(0, |extent| spaces.extents[extent].bytes);
    let is_too_large = |seal: &Seal| seal.inputs().any(|region| bytes_of(region) > INPUT_BYTES);
    if window.bytes > CONTENTS || service.seal().is_some_and(is_too_large) {
        let message = format!("ERROR: service {} works on more than 0x{CONTENTS:x} bytes", service.id);
        let help = "Use several memory regions, each with its own service.";
        return Err(error(code::SERVICE_TOO_LARGE, message).at(&service.span).help(help));
    }
    Ok(Record { bytes: window.bytes, ..record })
}

/// Maps the parts of a seal: sealed records in the window, records after it, and then the key and the ring, which have
/// windows of their own.
fn open_seal(seal: &Seal, record: Record, window: &mut PlannedWindow, spaces: &mut AddressSpaces) -> Record {
    let mut show = |at: &mut PlannedWindow, region, access| {
        let extent = spaces.extent_of_region(region).unwrap_or_default();
        at.show(spaces, extent, access);
    };
    let start = |offset| PlannedWindow { start: record.target + offset, bytes: 0, ..*window };
    let [mut from, mut key, mut ring] = [CONTENTS, KEY, RING].map(start);
    show(window, seal.to, MappingFlags::READ | MappingFlags::WRITE);
    show(&mut from, seal.from, MappingFlags::READ);
    show(&mut key, seal.key, MappingFlags::READ);
    if let Some(described) = seal.ring {
        show(&mut ring, described.region, MappingFlags::READ);
    }
    Record {
        source: from.start,
        source_bytes: from.bytes,
        key: key.start,
        ring: seal.ring.map_or(0, |described| ring.start + described.offset),
        entries: seal.ring.map_or(0, |described| described.entries),
        record_bytes: seal.record_bytes,
        cipher: seal.cipher.as_raw(),
        ..record
    }
}

/// A part of an address space, filled from its start.
#[derive(Clone, Copy)]
struct PlannedWindow {
    vspace: usize,
    start: u64,
    bytes: u64,
}

impl PlannedWindow {
    fn show(&mut self, spaces: &mut AddressSpaces, extent: usize, access: u64) {
        let is_large = spaces.extents[extent].alignment == LARGE_PAGE_BYTES;
        let large = if is_large { MappingFlags::LARGE } else { 0 };
        spaces.see(self.vspace, self.start + self.bytes, extent, access | large);
        self.bytes += spaces.extents[extent].bytes;
    }
}

/// Capabilities to services, in the tables of the threads that may use them.
pub(crate) fn caps(system: &SystemDescription) -> impl Iterator<Item = Cap> {
    let domains = system.protection_domains.iter().enumerate();
    let services = domains.flat_map(|(table, domain)| domain.services.iter().map(move |s| (table, s.id)));
    services.zip(0..).map(|((table, id), object)| Cap {
        table: table as u64,
        slot: slot::BASE_SERVICE + u64::from(id),
        kind: CapKind::Service as u64,
        object,
        ..Cap::default()
    })
}

/// Checks that the targets are ordinary memory, after all memory has its place.
///
/// # Errors
/// The first target that is not.
pub(crate) fn check(
    system: &SystemDescription,
    spaces: &AddressSpaces,
    memory: &MemoryPlan,
) -> Result<(), Diagnostic> {
    let domains = || system.protection_domains.iter();
    let services = domains().flat_map(|domain| &domain.services);
    let served =
        services.flat_map(|service| service.regions().into_iter().map(move |region| (region, &service.span)));
    let wipes = domains().flat_map(|domain| &domain.wipes).map(|wipe| (wipe.region, &wipe.span));
    for (region, span) in served.chain(wipes) {
        let Some(extent) = spaces.extent_of_region(region) else { continue };
        let name = &system.memory_regions[region].name;
        if memory.places[extent].kind == limen_image::RegionKind::Device {
            let message = format!("ERROR: MR '{name}' is not in RAM, so the kernel does nothing with it");
            let help = "Services and wipes need RAM, because access to device registers has side effects.";
            return Err(error(code::SERVICE_DEVICE, message).at(span).help(help));
        }
        let mut maps = domains().flat_map(|domain| &domain.maps);
        if let Some(map) = maps.find(|map| map.region == region && !map.cached) {
            let message =
                format!("ERROR: MR '{name}' is mapped without cache, so the kernel does nothing with it");
            let help = format!(
                "The kernel accesses it through the cache; change the map at {} to cached.",
                map.span
            );
            return Err(error(code::SERVICE_UNCACHED, message).at(span).help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::ImageType;
    use crate::test_system::{built, parts};

    use super::*;

    const WATCHED: &str = r#"<system>
        <memory_region name="log" size="0x5000" />
        <memory_region name="big" size="0x400000" page_size="0x200000" />
        <protection_domain name="boss"><program_image path="p" />
            <digest id="3" region="log" /><digest id="1" pd="worker" /><reset id="2" pd="worker" />
            <digest id="4" kernel="true" />
            <protection_domain name="worker" id="7"><program_image path="p" />
                <map mr="log" vaddr="0x1000000" /></protection_domain>
        </protection_domain>
        <protection_domain name="other"><program_image path="p" /><digest id="0" region="big" /></protection_domain>
        </system>"#;

    /// The three protection domains and the monitor come first.
    const BOSS: u64 = 4;
    const OTHER: u64 = 5;

    /// Kind, thread, address space, start and size of the target.
    fn targets(spaces: &AddressSpaces) -> Vec<(Option<ServiceKind>, u64, u64, u64, u64)> {
        let record = |r: &Record| (ServiceKind::from_raw(r.kind), r.thread, r.vspace, r.target, r.bytes);
        spaces.services.iter().map(|planned| record(&planned.record)).collect()
    }

    /// Address, size and flags of the kernel's mappings.
    fn seen(spaces: &AddressSpaces, vspace: u64) -> Vec<(u64, u64, u64)> {
        let mappings = spaces.mappings.iter().filter(|mapping| mapping.program as u64 == vspace);
        mappings.map(|mapping| (mapping.vaddr, mapping.bytes, mapping.flags)).collect()
    }

    #[test]
    fn records_have_the_target_of_each_service() {
        let spaces = built(WATCHED).spaces;
        let window = |position| WINDOWS + position * WINDOW_BYTES;
        let (digest, reset) = (Some(ServiceKind::Digest), Some(ServiceKind::Reset));
        let expected = [
            (digest, 0, BOSS, window(0), 0x5000),
            (digest, 0, BOSS, window(1), 0x1000),
            // A page of data, a page of zeros, and the stack.
            (reset, 0, BOSS, window(2), 0x4000),
            (Some(ServiceKind::KernelDigest), 0, BOSS, 0, 0),
            (digest, 2, OTHER, window(0), 0x40_0000),
        ];
        assert_eq!(targets(&spaces), expected);
        let owners: Vec<_> = spaces.services.iter().map(|planned| planned.record.owner).collect();
        assert_eq!(owners, [NONE, NONE, 1, NONE, NONE]);
        let reset = spaces.services[2].record;
        assert_eq!((reset.source, reset.source_bytes), (window(2) + CONTENTS, 0x1000));
        assert!(
            spaces.services.iter().all(|planned| planned.record.stack_top == STACK + Record::STACK_BYTES)
        );
    }

    #[test]
    fn windows_are_for_the_kernel_only_and_writable_for_resets() {
        let spaces = built(WATCHED).spaces;
        let read = MappingFlags::READ | MappingFlags::PRIVILEGED;
        let write = read | MappingFlags::WRITE;
        let window = |position| WINDOWS + position * WINDOW_BYTES;
        let boss = [
            (STACK, Record::STACK_BYTES, write),
            (window(0), 0x5000, read),
            (window(1), 0x1000, read),
            (window(2), 0x1000, write),
            (window(2) + 0x1000, 0x1000, write),
            (window(2) + 0x2000, 0x2000, write),
            (window(2) + CONTENTS, 0x1000, read),
        ];
        assert_eq!(seen(&spaces, BOSS), boss);
        let other = [(STACK, Record::STACK_BYTES, write), (window(0), 0x40_0000, read | MappingFlags::LARGE)];
        assert_eq!(seen(&spaces, OTHER), other);
        let privileged = spaces.mappings.iter().filter(|m| m.flags & MappingFlags::PRIVILEGED != 0);
        assert!(privileged.into_iter().all(|mapping| mapping.program as u64 >= BOSS));
    }

    #[test]
    fn resets_share_one_copy_of_the_initial_contents() {
        let text = r#"<system><protection_domain name="boss"><program_image path="p" />
            <reset id="0" pd="worker" /><reset id="1" pd="worker" />
            <protection_domain name="worker" id="7"><program_image path="p" /></protection_domain>
            </protection_domain></system>"#;
        let spaces = built(text).spaces;
        let is_first = |extent: &&crate::address_space::Extent| {
            matches!(extent.purpose, Purpose::FirstContents { program: 1, .. })
        };
        assert_eq!(spaces.extents.iter().filter(is_first).count(), 1);
    }

    #[test]
    fn capabilities_to_services_follow_their_ids() {
        let built = built(WATCHED);
        let services = built.tables.caps.iter().filter(|cap| cap.kind == CapKind::Service as u64);
        let found: Vec<_> =
            services.map(|cap| (cap.table, cap.slot - slot::BASE_SERVICE, cap.object)).collect();
        assert_eq!(found, [(0, 1, 1), (0, 2, 2), (0, 3, 0), (0, 4, 3), (2, 0, 4)]);
    }

    #[test]
    fn wipes_follow_the_other_services_and_name_their_interrupts() {
        let text = r#"<system>
            <memory_region name="keys" size="0x1000" /><memory_region name="log" size="0x1000" />
            <protection_domain name="vault"><program_image path="p" />
                <irq irq="40" id="1" /><irq irq="41" id="9" />
                <wipe region="keys" irq="9" /><wipe region="keys" fault="true" />
            </protection_domain>
            <protection_domain name="boss"><program_image path="p" /><digest id="0" region="log" />
            </protection_domain></system>"#;
        let built = built(text);
        let record = |r: &Record| (ServiceKind::from_raw(r.kind), r.vspace, r.target, r.bytes, r.interrupt);
        let (wipe, second) = (Some(ServiceKind::Wipe), WINDOWS + WINDOW_BYTES);
        let expected = [
            (Some(ServiceKind::Digest), 4, WINDOWS, 0x1000, NONE),
            (wipe, 3, WINDOWS, 0x1000, 1),
            (wipe, 3, second, 0x1000, NONE),
        ];
        assert_eq!(built.tables.services.iter().map(record).collect::<Vec<_>>(), expected);
        assert_eq!(built.tables.caps.iter().filter(|cap| cap.kind == CapKind::Service as u64).count(), 1);
    }

    #[test]
    fn a_seal_has_windows_for_its_parts() {
        let text = r#"<system>
            <memory_region name="key" size="0x1000" /><memory_region name="rx" size="0x4000" />
            <memory_region name="rings" size="0x2000" /><memory_region name="sealed" size="0x3000" />
            <protection_domain name="net"><program_image path="p" /><irq irq="40" id="1" />
                <digest id="3" region="sealed" />
                <seal id="0" key="key" from="rx" to="sealed" record="2048" irq="1"
                      used="rings" used_offset="0x1004" entries="8" vector="false" />
                <seal id="1" key="rings" from="rx" to="sealed" />
            </protection_domain></system>"#;
        let built = built(text);
        let window = WINDOWS + WINDOW_BYTES;
        let expected = Record {
            kind: ServiceKind::Seal.as_raw(),
            thread: 0,
            vspace: 2,
            stack_top: STACK + Record::STACK_BYTES,
            target: window,
            bytes: 0x3000,
            source: window + CONTENTS,
            source_bytes: 0x4000,
            owner: NONE,
            interrupt: 0,
            key: window + KEY,
            ring: window + RING + 0x1004,
            entries: 8,
            record_bytes: 2048,
            cipher: 1,
        };
        assert_eq!(built.tables.services[1], expected);
        let second = built.tables.services[2];
        assert_eq!((second.interrupt, second.ring, second.entries, second.record_bytes), (NONE, 0, 0, 4096));
        let read = MappingFlags::READ | MappingFlags::PRIVILEGED;
        let mapped = seen(&built.spaces, 2);
        assert!(mapped.contains(&(window, 0x3000, read | MappingFlags::WRITE)));
        for part in [(CONTENTS, 0x4000), (KEY, 0x1000), (RING, 0x2000)] {
            assert!(mapped.contains(&(window + part.0, part.1, read)), "{part:?}");
        }
    }

    #[test]
    fn a_region_that_only_services_use_has_memory() {
        let built = built(WATCHED);
        let extent = built.spaces.extent_of_region(1).unwrap();
        assert_eq!(built.memory.places[extent].kind, limen_image::RegionKind::Zero);
    }

    #[test]
    fn windows_end_below_the_initial_contents_of_a_reset() {
        let of_size = |bytes: u64| {
            let text = format!(
                r#"<system><memory_region name="log" size="{bytes:#x}" page_size="0x200000" />
                <protection_domain name="p"><program_image path="p" /><digest id="0" region="log" />
                </protection_domain></system>"#
            );
            parts(&text, "debug").build(ImageType::Binary).map(drop).unwrap_err().code
        };
        assert_eq!(of_size(CONTENTS + LARGE_PAGE_BYTES), code::SERVICE_TOO_LARGE);
        // This machine has less memory, which a later check reports.
        assert_eq!(of_size(CONTENTS), code::MEMORY_REGION_FULL);
        let with_key = |bytes: u64| {
            let text = format!(
                r#"<system><memory_region name="key" size="{bytes:#x}" page_size="0x200000" />
                <memory_region name="rx" size="0x2000" /><memory_region name="sealed" size="0x2000" />
                <protection_domain name="p"><program_image path="p" />
                <seal id="0" key="key" from="rx" to="sealed" /></protection_domain></system>"#
            );
            parts(&text, "debug").build(ImageType::Binary).map(drop).unwrap_err().code
        };
        assert_eq!(with_key(INPUT_BYTES + LARGE_PAGE_BYTES), code::SERVICE_TOO_LARGE);
    }
}
