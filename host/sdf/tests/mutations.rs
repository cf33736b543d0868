//! The parser never panics, and accepted descriptions are consistent.
//!
//! A failing case is saved with its seed beside this file, and later runs try it first. `PROPTEST_CASES` in the
//! environment sets the number of cases.

use std::sync::Arc;

use limen_sdf::model::{ServiceTarget, WipeTrigger};
use limen_sdf::{Diagnostic, FileError, Parsed, Target, parse, render};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const DESCRIPTION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<system boot_figures="false">
    <memory_region name="ring" size="0x200_000" page_size="0x1000" />
    <memory_region name="page" prefill_path="page" />
    <memory_region name="uart" size="0x1000" phys_addr="0x9000000" />
    <memory_region name="sealed" size="0x1000" />
    <protection_domain name="parent" priority="3" budget="100" period="200" stack_size="0x2000" passive="false">
        <program_image path="parent.elf" path_for_symbols="symbols.elf" />
        <map mr="ring" vaddr="0x2000000" perms="rw" cached="false" setvar_vaddr="a" setvar_size="b" />
        <map mr="uart" vaddr="0xffffffb000" />
        <map mr="page" vaddr="0x3000000" setvar_prefill_size="f" />
        <cspace><cap_tcb slot="1" pd="child" /><cap_sc slot="2" pd="server" /></cspace>
        <setvar symbol="c" region_paddr="ring" />
        <counter />
        <fpu_counters />
        <fpu_policy />
        <probe />
        <key name="trace" id="3" symbol="h" />
        <digest id="0" region="ring" setvar_id="g" />
        <digest id="1" pd="server" />
        <digest id="2" kernel="true" />
        <reset id="15" pd="child" />
        <seal id="14" key="page" from="ring" to="sealed" used="ring" used_offset="4" entries="64" record="64" />
        <wipe region="page" fault="true" />
        <protection_domain name="child" id="5" setvar_id="d" fpu="false" cpu="0" smc="false">
            <program_image path="child.elf" />
            <map mr="ring" vaddr="0x4000000" perms="r" />
        </protection_domain>
    </protection_domain>
    <protection_domain name="server" priority="200"><program_image path="server.elf" /></protection_domain>
    <static_key name="trace" default="true" shared="false" />
    <channel>
        <end pd="parent" id="0" pp="true" setvar_id="e" />
        <end pd="server" id="61" notify="false" />
    </channel>
</system>
"#;

/// Text that a mutation inserts into a description.
const FRAGMENTS: &[&str] = &[
    "<system>",
    "</system>",
    "<protection_domain ",
    "</protection_domain>",
    "<map mr=\"ring\" ",
    "<channel>",
    "<end ",
    "<irq ",
    "<counter/>",
    "<fpu_counters/>",
    "<fpu_policy/>",
    "<probe/>",
    "<static_key ",
    "<key ",
    "<digest ",
    "<reset ",
    "<wipe ",
    "<seal ",
    "entries=\"12\" ",
    "fault=\"true\" ",
    "<memory_region ",
    "/>",
    ">",
    "<",
    "\"",
    "=",
    "&",
    "&lt;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a>",
    "<?x?>",
    "xmlns=\"a\" ",
    "x:",
    "\0",
    "\u{feff}",
    "\u{1f980}",
    "\t",
    "\r\n",
    "0x",
    "_",
    "-1",
    "18446744073709551615",
    "0xffff_ffff_ffff_f000",
    "0xfffffff000",
    "62",
    "255",
    "name=\"ring\" ",
    "id=\"61\" ",
    "vaddr=\"0\" ",
    "size=\"0\" ",
    "phys_addr=\"0xffff_ffff_ffff_f000\" ",
    "setvar_prefill_size=\"a\" ",
    "prefill_path=\"page\" ",
    "prefill_path=\"empty\" ",
    "prefill_path=\"folder\" ",
    "prefill_bootinfo=\"fdt\" ",
    "<domains><domain name=\"d\"/><domain_schedule>",
    "<schedule_entry domain=\"d\" duration=\"1 us\"/>",
    "</domain_schedule></domains>",
    "domain=\"d\" ",
    "timeout_fault=\"true\" ",
    "<cspace><cap_tcb slot=\"1\" pd=\"parent\"/></cspace>",
    "<cap_sched_control slot=\"2\"/>",
    "start_index=\"1\" ",
    "true",
    "monitor",
];

#[derive(Clone, Debug)]
enum Mutation {
    Insert(prop::sample::Index, &'static str),
    Delete(prop::sample::Index, usize),
    Copy(prop::sample::Index, usize, prop::sample::Index),
    Digits(prop::sample::Index, u64),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), prop::sample::select(FRAGMENTS)).prop_map(|(at, text)| Mutation::Insert(at, text)),
        (place(), 1..40_usize).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (place(), 1..200_usize, place()).prop_map(|(from, length, to)| Mutation::Copy(from, length, to)),
        (place(), any::<u64>()).prop_map(|(at, value)| Mutation::Digits(at, value)),
    ]
}

fn mutated(text: &str, mutations: &[Mutation]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for mutation in mutations {
        let count = characters.len() + 1;
        match mutation {
            Mutation::Insert(at, text) => {
                drop(characters.splice(at.index(count)..at.index(count), text.chars()))
            }
            Mutation::Delete(at, length) => {
                let start = at.index(count);
                characters.drain(start..characters.len().min(start + length));
            }
            Mutation::Copy(from, length, to) => {
                let start = from.index(count);
                let copied = characters[start..characters.len().min(start + length)].to_vec();
                characters.splice(to.index(count)..to.index(count), copied);
            }
            Mutation::Digits(at, value) => replace_number(&mut characters, at.index(count), *value),
        }
    }
    characters.into_iter().collect()
}

/// Replaces the first number after `start`.
fn replace_number(characters: &mut Vec<char>, start: usize, value: u64) {
    let is_digit = |character: &char| character.is_ascii_hexdigit() || *character == 'x' || *character == '_';
    let Some(first) = (start..characters.len()).find(|index| characters[*index].is_ascii_digit()) else {
        return;
    };
    let last =
        (first..characters.len()).find(|index| !is_digit(&characters[*index])).unwrap_or(characters.len());
    characters.splice(first..last, format!("{value:#x}").chars());
}

fn check(text: &str) {
    let several = Target { cpus: 4, ..Target::aarch64() };
    for target in [Target::aarch64(), Target::riscv64(), Target::x86_64(), several] {
        match parse("fuzz.system", text, &target, &read_file) {
            Ok(parsed) => check_consistent(&parsed, &target),
            Err(problems) => {
                assert!(!problems.is_empty());
                for problem in problems {
                    assert!(limen_sdf::code::ALL.contains(&problem.code));
                    // The first rendered line is the message.
                    let message = Diagnostic { help: None, ..problem.clone() };
                    assert!(render(&problem, Some(text)).starts_with(&render(&message, None)));
                }
            }
        }
    }
}

/// Files of every kind.
fn read_file(path: &str, most: u64) -> Result<Arc<[u8]>, FileError> {
    match path {
        "page" if most < 0x1000 => Err(FileError::TooLarge(0x1000)),
        "page" => Ok([1; 0x1000].into()),
        "empty" => Ok([].into()),
        "device" => Err(FileError::NotRegular),
        "huge" => Err(FileError::TooMuch(1 << 30)),
        "folder" => Err(FileError::Unreadable),
        _ => Err(FileError::NotFound),
    }
}

fn check_consistent(parsed: &Parsed, target: &Target) {
    let system = &parsed.system;
    let (domains, regions) = (&system.protection_domains, &system.memory_regions);
    assert!((1..=63).contains(&domains.len()));
    for (index, domain) in domains.iter().enumerate() {
        assert!(domain.priority <= 254 && 0 < domain.budget_us && domain.budget_us <= domain.period_us);
        assert!(domain.cpu < target.cpus && (target.cpus == 1 || system.domains.is_none()));
        assert!(domain.parent.iter().all(|child_of| child_of.parent < index && child_of.id <= 61));
        for map in &domain.maps {
            let region = &regions[map.region];
            assert!(map.vaddr + region.bytes <= target.map_limit(domain.stack_bytes));
            assert!(map.vaddr.is_multiple_of(region.page_bytes));
        }
        for service in &domain.services {
            let is_there = match service.target {
                ServiceTarget::Region(region) => region < regions.len(),
                ServiceTarget::Program(program) => program < domains.len(),
                ServiceTarget::Kernel => service.is_digest(),
                ServiceTarget::Seal(seal) => {
                    let has = |id: &u8| domain.irqs.iter().any(|irq| irq.id == *id);
                    assert!((16..=4096).contains(&seal.record_bytes) && seal.irq.iter().all(has));
                    assert!(seal.record_bytes <= regions[seal.from].bytes);
                    assert!(seal.record_bytes + 32 <= regions[seal.to].bytes);
                    assert!(seal.regions().filter(|region| *region == seal.to).count() == 1);
                    seal.regions().all(|region| region < regions.len())
                }
            };
            assert!(service.id <= 15 && is_there);
        }
        for wipe in &domain.wipes {
            let has = |id: &u8| domain.irqs.iter().any(|irq| irq.id == *id);
            assert!(
                matches!(&wipe.trigger, WipeTrigger::Irq(id) if has(id))
                    || wipe.trigger == WipeTrigger::Fault
            );
            assert!(regions[wipe.region].bytes <= 0x1_0000);
        }
        assert!(domain.setvars.iter().all(|setvar| setvar.region_paddr < regions.len()));
    }
    for region in regions {
        assert!(region.prefill_bytes().is_none_or(|bytes| 0 < bytes && bytes <= region.bytes));
        assert!(region.bytes > 0 && region.bytes.is_multiple_of(region.page_bytes));
        assert!(region.phys_addr.is_none_or(|phys_addr| phys_addr.is_multiple_of(region.page_bytes)));
    }
    for channel in &system.channels {
        let [a, b] = &channel.ends;
        assert!(a.protection_domain != b.protection_domain && a.id <= 61 && b.id <= 61);
        for (caller, callee) in [(a, b), (b, a)] {
            let priority = |index: usize| domains[index].priority;
            assert!(
                !caller.may_call || priority(caller.protection_domain) < priority(callee.protection_domain)
            );
        }
    }
}

fn config() -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: 2000,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

#[test]
fn the_unmutated_description_is_accepted() {
    let parsed = parse("fuzz.system", DESCRIPTION, &Target::aarch64(), &read_file);
    let problems = parsed.err().unwrap_or_default();
    assert!(problems.is_empty(), "{problems:?}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutated_descriptions_are_parsed_or_refused(mutations in prop::collection::vec(mutation(), 0..6)) {
        check(&mutated(DESCRIPTION, &mutations));
    }

    #[test]
    fn fragments_are_parsed_or_refused(fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60)) {
        check(&format!("<system>{}", fragments.concat()));
    }

    #[test]
    fn arbitrary_text_is_parsed_or_refused(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn arbitrary_attribute_values_are_parsed_or_refused(
        size in any::<u64>(), page_size in any::<u64>(), phys_addr in any::<u64>(), vaddr in any::<u64>(), shift in 0..64_u32,
    ) {
        let (size, phys_addr, vaddr) = ((size >> shift) & !0xfff, phys_addr & !0xfff, (vaddr >> shift) & !0xfff);
        let page_size = [0x1000, 0x20_0000, page_size][(page_size % 3) as usize];
        check(&format!(
            r#"<system><memory_region name="m" size="{size}" page_size="{page_size}" phys_addr="{phys_addr:#x}" />
            <protection_domain name="p"><program_image path="p" /><map mr="m" vaddr="{vaddr}" /></protection_domain>
            </system>"#
        ));
    }
}
