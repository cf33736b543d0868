//! The kernel's assumptions, restated independently of the validator: every accepted image must satisfy them.

use limen_abi::trace::record_bytes;
use limen_abi::{KernelKey, ServiceKind, limits, slot};
use limen_image::{
    Architecture, CapKind, Image, InterruptSource, Mapping, MappingFlags, NONE, Range, RegionKind, Rights,
    Ring, RingKind, Service,
};

/// Panics unless the kernel can boot an accepted image.
pub(crate) fn check(image: &Image<'_>) {
    check_memory(image);
    image.mappings().for_each(|mapping| check_mapping(image, &mapping));
    check_threads(image);
    check_interrupts(image);
    check_keys(image);
    check_key_sites(image);
    check_caps(image);
    image.services().for_each(|service| check_service(image, &service));
    check_rings(image);
    check_homes(image);
}

/// Programs get RAM that is not in use, contents of the image, or devices that are not the kernel's.
fn check_memory(image: &Image<'_>) {
    let board = image.board();
    assert!(board.user_top < 1 << 48);
    for page in [board.interrupt_controller_paddr, board.interrupt_cpu_paddr] {
        assert_eq!(page % limits::PAGE_BYTES, 0);
    }
    let kernel: Vec<Range> = image.reserved().chain([image.pool()]).collect();
    let contents = image.paddr()..image.paddr() + image.image_bytes();
    let mut all: Vec<Range> =
        image.regions().map(|r| Range { start: r.paddr, end: r.paddr + r.bytes }).collect();
    all.sort_by_key(|range| range.start);
    assert!(all.windows(2).all(|pair| pair[0].end <= pair[1].start), "regions overlap");
    for region in image.regions() {
        let pages = region.paddr..region.paddr + region.bytes;
        assert!(pages.start < pages.end && pages.end <= 1 << 48);
        let meets = |range: &Range| range.start < pages.end && pages.start < range.end;
        match RegionKind::from_raw(region.kind).expect("a kind") {
            RegionKind::Zero => assert!(!kernel.iter().any(meets) && image.ram().any(|ram| meets(&ram))),
            RegionKind::Contents => {
                assert!(contents.start <= pages.start && pages.end <= contents.end);
                assert!(image.reserved().any(|range| meets(&range)) && !meets(&image.pool()));
            }
            RegionKind::Device => assert!(!image.ram().any(|ram| meets(&ram))),
            RegionKind::Floating | RegionKind::Fixed => panic!("a region without a place"),
        }
    }
}

fn check_mapping(image: &Image<'_>, mapping: &Mapping) {
    let region = image.regions().nth(mapping.region as usize).expect("a region");
    assert!(mapping.vspace < image.counts().vspaces);
    assert!(mapping.offset + mapping.bytes <= region.bytes);
    let end = mapping.vaddr + mapping.bytes;
    assert!(mapping.vaddr < end && end - 1 <= image.board().user_top);
    let overlapping = image.mappings().filter(|other| {
        let meets = other.vaddr < end && mapping.vaddr < other.vaddr + other.bytes;
        other.vspace == mapping.vspace && meets
    });
    assert_eq!(overlapping.count(), 1, "only itself");
    let is_for_work = mapping.flags & MappingFlags::PRIVILEGED != 0;
    assert!(!is_for_work || image.threads().all(|thread| thread.vspace != mapping.vspace));
    assert!(!is_for_work || mapping.flags & MappingFlags::EXECUTE == 0);
}

fn check_threads(image: &Image<'_>) {
    let (counts, top) = (image.counts(), image.board().user_top);
    let sched_contexts = image.sched_contexts().count() as u64;
    assert!((1..=limits::THREADS).contains(&image.threads().count()));
    for thread in image.threads() {
        assert!(thread.priority < 256 && thread.vspace < counts.vspaces);
        assert!(thread.sched_context == NONE || thread.sched_context < sched_contexts);
        assert!(thread.notification == NONE || thread.notification < counts.notifications);
        assert!(thread.fault_slot == NONE || thread.fault_slot < limits::CAP_SLOTS as u64);
        assert!(thread.ipc_buffer % limits::PAGE_BYTES == 0);
        let end = thread.ipc_buffer.checked_add(limits::PAGE_BYTES).expect("a user address");
        assert!(end - 1 <= top);
        let meets = |other: &Mapping| other.vaddr < end && thread.ipc_buffer < other.vaddr + other.bytes;
        assert!(!image.mappings().any(|other| other.vspace == thread.vspace && meets(&other)));
    }
}

/// Every line is one that the kernel accepts, and belongs to one interrupt.
fn check_interrupts(image: &Image<'_>) {
    let is_x86 = image.architecture() == Architecture::X86_64 as u64;
    assert!(image.interrupts().count() <= limits::INTERRUPTS);
    for interrupt in image.interrupts() {
        assert!(interrupt.line < limits::INTERRUPT_LINES && interrupt.line != image.board().timer_interrupt);
        assert!(!is_x86 || (0x30..0xef).contains(&interrupt.line));
        let same = image.interrupts().filter(|other| other.line == interrupt.line);
        assert_eq!(same.count(), 1, "only itself");
        let source = InterruptSource::from_raw(interrupt.source).expect("a source");
        assert_eq!(source != InterruptSource::Line, is_x86);
        assert!(source != InterruptSource::Pin || interrupt.input < image.board().interrupt_lines);
        assert!(interrupt.notification < image.counts().notifications && interrupt.badge != 0);
    }
}

/// A kernel key exists, has one record, and starts in the state that the options give.
fn check_keys(image: &Image<'_>) {
    assert!(image.keys().count() <= limits::KEYS);
    for key in image.keys().filter(|key| key.kernel != NONE) {
        let option = KernelKey::from_raw(key.kernel).expect("a key of the kernel").option();
        assert_eq!(u64::from(image.options() & option != 0), key.default);
        assert_eq!(image.keys().filter(|other| other.kernel == key.kernel).count(), 1, "only itself");
    }
}

/// A site lies in page contents, within one word.
fn check_key_sites(image: &Image<'_>) {
    assert!(image.key_sites().count() <= limits::KEY_SITES);
    for site in image.key_sites() {
        assert!(site.key < image.keys().count() as u64);
        let region = image.regions().nth(site.region as usize).expect("a region");
        assert_eq!(region.kind, RegionKind::Contents as u64);
        let last = site.paddr + site.length - 1;
        assert!(region.paddr <= site.paddr && last < region.paddr + region.bytes);
        assert_eq!(site.paddr / 8, last / 8);
    }
}

fn check_caps(image: &Image<'_>) {
    let counts = image.counts();
    let threads = image.threads().count() as u64;
    for cap in image.caps() {
        let (own, root) =
            (1..limits::CAP_SLOTS as u64, slot::ROOT + 1..slot::ROOT + limits::ROOT_SLOTS as u64);
        assert!(cap.table < threads && (own.contains(&cap.slot) || root.contains(&cap.slot)));
        let objects = match CapKind::from_raw(cap.kind).expect("a kind") {
            CapKind::Thread => threads,
            CapKind::Endpoint => counts.endpoints,
            CapKind::Notification => counts.notifications,
            CapKind::Reply => counts.replies,
            CapKind::SchedContext => image.sched_contexts().count() as u64,
            CapKind::Vspace => counts.vspaces,
            CapKind::IoPort => limits::IO_PORTS,
            CapKind::SchedControl
            | CapKind::SecureMonitor
            | CapKind::FpuCounters
            | CapKind::FpuPolicy
            | CapKind::Probe => 1,
            CapKind::Interrupt => image.interrupts().count() as u64,
            CapKind::Key => image.keys().count() as u64,
            CapKind::Service => image.services().count() as u64,
        };
        assert!(cap.object < objects);
        let is_foreign = |service: Service| service.thread != cap.table;
        let service =
            image.services().nth(cap.object as usize).filter(|_| cap.kind == CapKind::Service as u64);
        assert!(!service.is_some_and(is_foreign), "a service for another thread");
    }
}

/// No thread receives, replies or acknowledges on another processor than the object's, and boot binds no objects of
/// different processors.
fn check_homes(image: &Image<'_>) {
    let processors = image.processors();
    assert!((1..=limits::PROCESSORS as u64).contains(&processors));
    let threads: Vec<u64> = image.threads().map(|thread| thread.processor).collect();
    let interrupts: Vec<u64> = image.interrupts().map(|interrupt| interrupt.processor).collect();
    let contexts: Vec<u64> = image.sched_contexts().map(|context| context.processor).collect();
    let homes = image.homes().map(|home| home.processor);
    let all = homes.chain(threads.iter().chain(&interrupts).chain(&contexts).copied());
    all.for_each(|home| assert!(home < processors));
    for slot in image.domain_schedule() {
        assert!(slot.processor < processors && (slot.duration_us == 0) != (slot.duration_ticks == 0));
    }
    let slots = |processor| image.domain_schedule().filter(|slot| slot.processor == processor).count();
    let slots: Vec<_> = (0..processors).map(slots).collect();
    assert!(slots.iter().all(|count| *count <= limits::DOMAIN_SCHEDULE && (*count == 0) == (slots[0] == 0)));
    let rings = image.trace().map(|region| record_bytes(region.bytes / processors));
    assert!(rings.is_none_or(|bytes| bytes.is_some()));
    for (thread, &home) in image.threads().zip(&threads) {
        assert!(thread.sched_context == NONE || contexts[thread.sched_context as usize] == home);
        assert!(thread.notification == NONE || image.notification_home(thread.notification) == home);
    }
    for interrupt in image.interrupts() {
        assert_eq!(image.notification_home(interrupt.notification), interrupt.processor);
    }
    for cap in image.caps() {
        let may_receive = cap.rights & Rights::RECEIVE != 0;
        let home = match CapKind::from_raw(cap.kind).expect("a kind") {
            CapKind::Endpoint if may_receive => image.endpoint_home(cap.object),
            CapKind::Notification if may_receive && cap.slot == slot::INPUT => {
                image.notification_home(cap.object)
            }
            CapKind::Reply => image.reply_home(cap.object),
            CapKind::Interrupt => interrupts[cap.object as usize],
            _ => continue,
        };
        assert_eq!(home, threads[cap.table as usize]);
    }
    for service in image.services() {
        let home = threads[service.thread as usize];
        assert!(service.owner == NONE || threads[service.owner as usize] == home);
        assert!(service.interrupt == NONE || interrupts[service.interrupt as usize] == home);
    }
}

/// A ring has the size that the kernel gives it, and shares its addresses with nothing that its program maps.
fn check_rings(image: &Image<'_>) {
    assert!(image.rings().count() <= limits::SAMPLE_RINGS);
    let place = |ring: &Ring| {
        let thread = image.threads().nth(ring.thread as usize).expect("a thread");
        (thread.vspace, ring.vaddr..ring.vaddr + ring.bytes)
    };
    let mut threads: Vec<u64> = image.rings().map(|ring| ring.thread).collect();
    threads.sort_unstable();
    assert!(threads.windows(2).all(|pair| pair[0] < pair[1]));
    for ring in image.rings() {
        assert_eq!((ring.kind, ring.bytes), (RingKind::Samples as u64, limits::PAGE_BYTES));
        let (vspace, pages) = place(&ring);
        assert!(pages.start % limits::PAGE_BYTES == 0 && pages.end - 1 <= image.board().user_top);
        let buffers = image
            .threads()
            .map(|thread| (thread.vspace, thread.ipc_buffer..thread.ipc_buffer + limits::PAGE_BYTES));
        let mappings = image.mappings().map(|other| (other.vspace, other.vaddr..other.vaddr + other.bytes));
        let rings = image.rings().filter(|other| other.thread != ring.thread).map(|other| place(&other));
        let meets = |(space, other): (u64, std::ops::Range<u64>)| {
            space == vspace && other.start < pages.end && pages.start < other.end
        };
        assert!(!buffers.chain(mappings).chain(rings).any(meets));
    }
}

/// A service runs in an address space without programs and without services of other threads. All pages that it uses
/// are mapped, and its stack is reachable by no other service.
fn check_service(image: &Image<'_>, service: &Service) {
    assert!(image.threads().all(|thread| thread.vspace != service.vspace));
    let mut here = image.services().filter(|other| other.vspace == service.vspace);
    assert!(here.all(|other| other.thread == service.thread));
    let threads = image.threads().count() as u64;
    let kind = ServiceKind::from_raw(service.kind).expect("a kind");
    assert!(service.thread < threads);
    match kind {
        ServiceKind::Reset => assert!(service.owner < threads && service.thread != service.owner),
        ServiceKind::Wipe => {
            assert!(service.owner == NONE || service.owner < image.interrupts().count() as u64);
            assert!(service.bytes <= limits::WIPE_BYTES);
        }
        ServiceKind::Seal => check_seal(image, service),
        ServiceKind::Digest | ServiceKind::KernelDigest => assert_eq!(service.owner, NONE),
    }
    let is_written = matches!(kind, ServiceKind::Reset | ServiceKind::Wipe | ServiceKind::Seal);
    assert!(kind == ServiceKind::Seal || service.source_bytes <= service.bytes);
    assert_eq!(kind == ServiceKind::KernelDigest, service.bytes == 0);
    let stack = service.stack_top - Service::STACK_BYTES..service.stack_top;
    let target = service.target..service.target + service.bytes;
    let source = service.source..service.source + service.source_bytes;
    let write = MappingFlags::READ | MappingFlags::WRITE;
    check_pages(image, service.vspace, stack.clone(), write);
    check_pages(image, service.vspace, target.clone(), if is_written { write } else { MappingFlags::READ });
    check_pages(image, service.vspace, source.clone(), MappingFlags::READ);
    let guard = stack.start - limits::PAGE_BYTES..stack.start;
    let in_guard = image.mappings().filter(|other| {
        other.vspace == service.vspace && other.vaddr < guard.end && guard.start < other.vaddr + other.bytes
    });
    assert_eq!(in_guard.count(), 0);
    for page in stack.step_by(limits::PAGE_BYTES as usize) {
        assert!(!target.contains(&page) && !source.contains(&page));
        let paddr = page.wrapping_add(shift(image, &mapping_at(image, service.vspace, page)));
        let also = image.mappings().filter(|other| {
            let start = other.vaddr.wrapping_add(shift(image, other));
            (start..start + other.bytes).contains(&paddr)
        });
        assert_eq!(also.count(), 1, "only itself");
    }
}

/// The parts of a seal are mapped, hold at least a record each, and no other seal has its key.
fn check_seal(image: &Image<'_>, service: &Service) {
    assert!((16..=limits::SEAL_RECORD_BYTES).contains(&service.record_bytes));
    assert!(service.record_bytes <= service.source_bytes && service.record_bytes + 32 <= service.bytes);
    check_pages(image, service.vspace, service.key..service.key + limits::PAGE_BYTES, MappingFlags::READ);
    let ring = service.ring..service.ring + 4 + 8 * service.entries;
    for page in
        (ring.start / limits::PAGE_BYTES..ring.end.div_ceil(limits::PAGE_BYTES)).filter(|_| service.ring != 0)
    {
        let start = page * limits::PAGE_BYTES;
        check_pages(image, service.vspace, start..start + limits::PAGE_BYTES, MappingFlags::READ);
    }
    let key = |of: &Service| of.key.wrapping_add(shift(image, &mapping_at(image, of.vspace, of.key)));
    let seals = image.services().filter(|other| other.kind == ServiceKind::Seal as u64);
    assert_eq!(seals.filter(|other| key(other) == key(service)).count(), 1);
    let stack = service.stack_top - Service::STACK_BYTES..service.stack_top;
    assert!(!stack.contains(&service.key) && (service.ring == 0 || !stack.contains(&service.ring)));
}

fn check_pages(image: &Image<'_>, vspace: u64, addresses: core::ops::Range<u64>, access: u64) {
    assert!([addresses.start, addresses.end].iter().all(|address| address % limits::PAGE_BYTES == 0));
    for page in addresses.step_by(limits::PAGE_BYTES as usize) {
        let mapping = mapping_at(image, vspace, page);
        assert_eq!(mapping.flags & (access | MappingFlags::PRIVILEGED), access | MappingFlags::PRIVILEGED);
        assert_eq!(mapping.flags & MappingFlags::UNCACHED, 0);
        let region = image.regions().nth(mapping.region as usize).expect("a region");
        assert_ne!(region.kind, RegionKind::Device as u64);
    }
}

fn mapping_at(image: &Image<'_>, vspace: u64, address: u64) -> Mapping {
    let covers = |other: &Mapping| {
        other.vspace == vspace && (other.vaddr..other.vaddr + other.bytes).contains(&address)
    };
    image.mappings().find(covers).expect("a mapping")
}

/// The difference, modulo 2^64, between a physical address and the address in a mapping.
fn shift(image: &Image<'_>, mapping: &Mapping) -> u64 {
    let region = image.regions().nth(mapping.region as usize).expect("a region");
    (region.paddr + mapping.offset).wrapping_sub(mapping.vaddr)
}
