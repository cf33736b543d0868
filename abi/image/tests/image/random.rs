//! Random images: the validator accepts valid ones, which read back as written. Random words cause no panic.

use limen_abi::limits::{PAGE_BYTES, SAMPLE_RINGS};
use limen_abi::slot;
use limen_image::{
    Board, CapKind, DomainSlot, Home, Image, ImageWriter, Interrupt, Mapping, MappingFlags, NONE, RegionKind,
    Rights, SchedContext, Service,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

use crate::sample::{
    CONTENTS_PADDR, DEVICE_PADDR, cap, digest, fix_checksum, kernel_digest, line, mapping, region, reset,
    ring, sample, spread, thread, words_of,
};
use crate::soundness;

/// A fixed seed, so that a run repeats the last one; `PROPTEST_RNG_SEED` chooses another.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::XorShift,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0x4c49_4d45_4e00_0002);
    }
    println!("{:?}", config.rng_seed);
    config
}

/// Valid images.
fn valid_images() -> impl Strategy<Value = ImageWriter> {
    let regions = vec((0..3u64, 1..5u64), 0..12);
    let threads = vec((0..256u64, any::<bool>(), any::<bool>()), 1..=64);
    let caps = btree_map(
        (0..64u64, 1..512u64),
        (prop_oneof![1..=6u64, Just(CapKind::Service as u64)], any::<u64>(), any::<u64>(), 0..16u64),
        0..80,
    );
    let mappings = vec((any::<u64>(), 1..4u64, 0..8u64), 0..40);
    (regions, threads, caps, mappings).prop_map(|(regions, threads, caps, mappings)| {
        let mut writer = sample();
        writer.counts.vspaces = threads.len() as u64;
        writer.counts.replies = threads.len() as u64;
        writer.counts.notifications = threads.len() as u64;
        place_regions(&mut writer, &regions);
        place_mappings(&mut writer, &mappings);
        place_services(&mut writer, threads.len() as u64);
        writer.sched_contexts =
            vec![SchedContext { budget_us: 5, period_us: 5, processor: 0 }; threads.len()];
        writer.threads = (0..)
            .zip(&threads)
            .map(|(index, (priority, is_passive, is_bound))| {
                let mut record = thread(index, *priority);
                record.sched_context = if *is_passive { NONE } else { index };
                record.notification = if *is_bound { index } else { NONE };
                record
            })
            .collect();
        place_rings(&mut writer);
        place_caps(&mut writer, caps);
        place_domains(&mut writer);
        place_interrupts(&mut writer);
        place_processors(&mut writer);
        writer
    })
}

/// A schedule with at most as many domains as the threads have priorities.
fn place_domains(writer: &mut ImageWriter) {
    let Some(last) = writer.threads.last() else { return };
    let domains = last.priority % 17;
    writer.domain_schedule = (0..domains)
        .map(|domain| DomainSlot {
            processor: 0,
            domain,
            duration_us: domain % 2 * 7,
            duration_ticks: (domain + 1) % 2 * 9,
        })
        .collect();
    for thread in writer.threads.iter_mut().filter(|_| domains > 0) {
        thread.domain = thread.priority % domains;
    }
}

/// An interrupt for each notification, on every second line.
fn place_interrupts(writer: &mut ImageWriter) {
    let lines = (0..writer.counts.notifications).map(|notification| (notification, 32 + 2 * notification));
    writer.interrupts = lines
        .map(|(notification, number)| Interrupt {
            notification,
            badge: number,
            ..line(number, number / 2 % 2)
        })
        .collect();
}

/// Pairs of threads on as many processors as the last thread's priority says, with the objects of their index. A
/// service and its owner are such a pair. Endpoints stay on the first processor.
fn place_processors(writer: &mut ImageWriter) {
    let Some(last) = writer.threads.last() else { return };
    writer.processors = 1 + last.priority / 17 % 4;
    let home = |index: u64| index / 2 % writer.processors;
    if writer.processors == 1 {
        return;
    }
    let schedule = std::mem::take(&mut writer.domain_schedule);
    for processor in 0..writer.processors {
        // In another order on each.
        let mut slots = schedule.clone();
        slots.rotate_left(processor as usize % schedule.len().max(1));
        slots.iter_mut().for_each(|slot| slot.processor = processor);
        writer.domain_schedule.extend(slots);
    }
    for (index, (thread, context)) in (0..).zip(writer.threads.iter_mut().zip(&mut writer.sched_contexts)) {
        (thread.processor, context.processor) = (home(index), home(index));
    }
    for interrupt in &mut writer.interrupts {
        interrupt.processor = home(interrupt.notification);
    }
    for cap in &mut writer.caps {
        let object_home = match CapKind::from_raw(cap.kind) {
            Some(CapKind::Endpoint) => 0,
            Some(CapKind::Notification) if cap.slot == slot::INPUT => home(cap.object),
            _ => continue,
        };
        if object_home != home(cap.table) {
            cap.rights &= !Rights::RECEIVE;
        }
    }
    let threads = writer.threads.len() as u64;
    let homes = (0..writer.counts.endpoints).map(|_| 0).chain((0..threads).chain(0..threads).map(home));
    writer.homes = homes.map(|processor| Home { processor }).collect();
}

/// Disjoint regions of any kind, in ascending order.
fn place_regions(writer: &mut ImageWriter, shapes: &[(u64, u64)]) {
    const BASES: [(u64, RegionKind); 3] = [
        (DEVICE_PADDR, RegionKind::Device),
        (CONTENTS_PADDR, RegionKind::Contents),
        (0x4400_0000, RegionKind::Zero),
    ];
    writer.regions.clear();
    writer.key_sites.clear();
    writer.fixed_regions.clear();
    for (index, (base, kind)) in BASES.into_iter().enumerate() {
        let mut next = base;
        for (_, pages) in shapes.iter().filter(|(kind, _)| *kind == index as u64) {
            writer.regions.push(region(next, pages * PAGE_BYTES, kind));
            next += (pages + pages % 2) * PAGE_BYTES;
        }
    }
}

/// Disjoint mappings in ascending order, as many as the regions allow.
fn place_mappings(writer: &mut ImageWriter, shapes: &[(u64, u64, u64)]) {
    writer.mappings.clear();
    let regions = writer.regions.len() as u64;
    let (mut vspace, mut vaddr) = (0, 0x40_0000);
    for (choice, pages, flags) in shapes.iter().filter(|_| regions != 0) {
        if choice % 5 == 0 && vspace + 1 < writer.counts.vspaces {
            (vspace, vaddr) = (vspace + 1, 0x40_0000);
        }
        let index = choice % regions;
        let bytes = (pages * PAGE_BYTES).min(writer.regions[index as usize].bytes);
        let flags = if *flags == 0 { 0 } else { flags | MappingFlags::READ };
        writer.mappings.push(mapping(vspace, vaddr, bytes, index, flags));
        vaddr += bytes + choice % 3 * PAGE_BYTES;
    }
}

/// For every second thread, up to eight times: a digest of memory, one of the kernel, and a reset of the previous
/// thread, in one address space per thread.
fn place_services(writer: &mut ImageWriter, threads: u64) {
    const FOR_WORK: u64 = MappingFlags::PRIVILEGED | MappingFlags::READ | MappingFlags::WRITE;
    writer.services.clear();
    let stacks = writer.regions.len() as u64;
    let clients: Vec<u64> = (1..threads).step_by(2).take(8).collect();
    let bytes = clients.len() as u64 * Service::STACK_BYTES;
    if bytes == 0 {
        return;
    }
    let regions = [(0x4500_0000, 2 * PAGE_BYTES), (0x4600_0000, PAGE_BYTES), (0x4700_0000, bytes)];
    writer.regions.extend(regions.map(|(paddr, bytes)| region(paddr, bytes, RegionKind::Zero)));
    for (position, client) in (0..).zip(clients) {
        let vspace = writer.counts.vspaces;
        writer.counts.vspaces += 1;
        writer.mappings.extend([
            mapping(vspace, 0x20_0000, 2 * PAGE_BYTES, stacks, FOR_WORK),
            mapping(vspace, 0x30_0000, PAGE_BYTES, stacks + 1, FOR_WORK),
            Mapping {
                offset: position * Service::STACK_BYTES,
                ..mapping(vspace, 0x40_0000, Service::STACK_BYTES, stacks + 2, FOR_WORK)
            },
        ]);
        writer.services.extend([
            digest(client, vspace),
            reset(client, vspace, client - 1),
            kernel_digest(client, vspace),
        ]);
    }
}

/// For every third thread, as many as the kernel has, between its IPC buffer and the lowest mapping.
fn place_rings(writer: &mut ImageWriter) {
    let threads = (0..).zip(&writer.threads).step_by(3).take(SAMPLE_RINGS);
    writer.rings = threads.map(|(index, thread)| ring(index, thread.ipc_buffer + PAGE_BYTES)).collect();
}

type CapShapes = std::collections::BTreeMap<(u64, u64), (u64, u64, u64, u64)>;

/// Capabilities of existing threads; a reply object belongs to the thread with the same index.
fn place_caps(writer: &mut ImageWriter, shapes: CapShapes) {
    writer.caps.clear();
    let threads = writer.threads.len() as u64;
    for ((table, slot), (kind, object, badge, rights)) in shapes {
        if table >= threads {
            continue;
        }
        let kind = CapKind::from_raw(kind).expect("a kind");
        let object = match kind {
            CapKind::Endpoint => object % writer.counts.endpoints,
            CapKind::Reply => table,
            CapKind::Service => {
                let own = |service: &Service| service.thread == table;
                let Some(first) = writer.services.iter().position(own) else { continue };
                first as u64 + object % 3
            }
            _ => object % threads,
        };
        let mut record = cap(table, slot, kind, object);
        (record.badge, record.rights) = (badge, rights);
        writer.caps.push(record);
    }
}

/// A word that is likely to be a boundary value of a rule.
pub(crate) fn border_words() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..70u64,
        Just(u64::MAX),
        (0..64u32).prop_map(|bit| 1 << bit),
        (0..64u32).prop_map(|bit| (1u64 << bit).wrapping_sub(1)),
        (0..0x6_0000u64).prop_map(|page| page * PAGE_BYTES),
        (1..4u64).prop_map(|page| (page * PAGE_BYTES).wrapping_neg()),
        any::<u64>(),
    ]
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_valid_image_is_accepted_and_read_back(writer in valid_images()) {
        let words = words_of(&writer);
        let image = Image::validate(&words).expect("the image keeps the rules");
        soundness::check(&image);
        prop_assert_eq!(image.board(), writer.board);
        prop_assert_eq!(image.counts(), writer.counts);
        prop_assert_eq!(image.options(), writer.options);
        prop_assert_eq!(image.pool(), writer.pool);
        prop_assert_eq!(image.ram().collect::<Vec<_>>(), writer.ram);
        prop_assert_eq!(image.reserved().collect::<Vec<_>>(), writer.reserved);
        prop_assert_eq!(image.regions().collect::<Vec<_>>(), writer.regions);
        prop_assert_eq!(image.mappings().collect::<Vec<_>>(), writer.mappings);
        prop_assert_eq!(image.sched_contexts().collect::<Vec<_>>(), writer.sched_contexts);
        prop_assert_eq!(image.threads().collect::<Vec<_>>(), writer.threads);
        prop_assert_eq!(image.caps().collect::<Vec<_>>(), writer.caps);
        prop_assert_eq!(image.interrupts().collect::<Vec<_>>(), writer.interrupts);
        prop_assert_eq!(image.keys().collect::<Vec<_>>(), writer.keys);
        prop_assert_eq!(image.key_sites().collect::<Vec<_>>(), writer.key_sites);
        prop_assert_eq!(image.services().collect::<Vec<_>>(), writer.services);
        prop_assert_eq!(image.rings().collect::<Vec<_>>(), writer.rings);
        prop_assert_eq!(image.processors(), writer.processors);
        prop_assert_eq!(image.homes().collect::<Vec<_>>(), writer.homes);
        prop_assert_eq!(image.domain_schedule().collect::<Vec<_>>(), writer.domain_schedule);
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn random_words_are_refused_or_harmless(
        is_spread in any::<bool>(),
        changes in vec((any::<prop::sample::Index>(), border_words()), 1..4),
    ) {
        let mut writer = sample();
        if is_spread {
            spread(&mut writer);
        }
        let mut words = words_of(&writer);
        for (index, value) in changes {
            let count = words.len();
            words[index.index(count)] = value;
        }
        fix_checksum(&mut words);
        if let Ok(image) = Image::validate(&words) {
            soundness::check(&image);
        }
    }

    #[test]
    fn random_boards_are_refused_or_harmless(board in [border_words(), border_words(), border_words()]) {
        let mut writer = sample();
        let [interrupt_controller_paddr, interrupt_cpu_paddr, user_top] = board;
        let fixed = writer.board;
        writer.board = Board { interrupt_controller_paddr, interrupt_cpu_paddr, user_top, ..fixed };
        writer.threads[0].ipc_buffer = user_top.wrapping_sub(PAGE_BYTES - 1);
        if let Ok(image) = Image::validate(&words_of(&writer)) {
            soundness::check(&image);
        }
    }

    #[test]
    fn random_contents_do_no_harm(words in vec(any::<u64>(), 0..128)) {
        let _ = Image::validate(&words);
    }

    #[test]
    fn random_words_after_a_valid_header_do_no_harm(tail in vec(any::<u64>(), 0..32)) {
        let mut words = words_of(&sample());
        let keep = words.len() - tail.len();
        words.truncate(keep);
        words.extend(tail);
        fix_checksum(&mut words);
        if let Ok(image) = Image::validate(&words) {
            soundness::check(&image);
        }
    }
}
