//! Valid descriptions parse to the expected model.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failure here fails the test")]

use limen_abi::boot_info::BootInfo;
use limen_sdf::model::{
    ChildOf, Duration, MemoryRegion, Perms, Prefill, Schedule, ScheduleEntry, Symbol, SystemDescription,
};
use limen_sdf::{FileError, Parsed, Span, Target, no_files, parse};

const FILE: &str = "test.system";

fn parsed(text: &str) -> Parsed {
    parse(FILE, text, &Target::aarch64(), &no_files).unwrap()
}

/// The system in `text`, which must cause no warning.
fn system(text: &str) -> SystemDescription {
    let Parsed { system, warnings } = parsed(text);
    assert_eq!(warnings, []);
    system
}

fn symbol(name: &str, line: u32, column: u32) -> Symbol {
    Symbol { name: name.to_owned(), span: span(line, column) }
}

fn span(line: u32, column: u32) -> Span {
    Span { file: FILE.to_owned(), line, column }
}

const EVERYTHING: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?xml-model href="system.xsd"?><!-- a comment -->
<system>
    <channel>
        <end pd="driver" id="61" pp="true" setvar_id="stack_id" />
        <end pd="stack/rx@0" id="0x1" notify="false" pp="false" />
    </channel>
    <protection_domain name="driver" priority="100" budget="20_000" period="0x10000" passive="true"
                       stack_size="0x4000" cpu="0" smc="false" fpu="false">
        <program_image path="driver.elf" path_for_symbols="driver.debug.elf" />
        <map mr="ring" vaddr="0x200_0000" perms="xr" cached="false" setvar_vaddr="ring" setvar_size="ring_size" />
        <map mr="device" vaddr="0" />
        <setvar symbol="ring_paddr" region_paddr="ring" />
        <counter />
        <protection_domain name="first" id="0" setvar_id="first_id">
            <program_image path="first.elf" />
            <protection_domain name="inner" id="61">
                <program_image path="inner.elf" />
            </protection_domain>
        </protection_domain>
        <protection_domain name="second" id="1">
            <program_image path="second.elf" />
        </protection_domain>
    </protection_domain>
    <protection_domain name="stack/rx@0" priority="254">
        <program_image path="/stack.elf" />
    </protection_domain>
    <memory_region name="device" size="0x1000" phys_addr="0x900_0000" />
    <memory_region name="ring" size="0x3_000" page_size="4096" />
</system>
"#;

#[test]
fn protection_domains_are_in_pre_order() {
    let system = system(EVERYTHING);
    let names: Vec<_> = system.protection_domains.iter().map(|domain| domain.name.as_str()).collect();
    assert_eq!(names, ["driver", "first", "inner", "second", "stack/rx@0"]);
    let parents: Vec<_> = system.protection_domains.iter().map(|domain| domain.parent.clone()).collect();
    let child_of = |parent, id, setvar_id| Some(ChildOf { parent, id, setvar_id });
    let first_id = Some(symbol("first_id", 15, 9));
    assert_eq!(parents, [None, child_of(0, 0, first_id), child_of(1, 61, None), child_of(0, 1, None), None]);
}

#[test]
fn attributes_of_a_protection_domain_are_kept() {
    let system = system(EVERYTHING);
    let driver = &system.protection_domains[0];
    assert_eq!(driver.span, span(8, 5));
    assert_eq!((driver.priority, driver.budget_us, driver.period_us), (100, 20_000, 0x10000));
    assert_eq!((driver.passive, driver.fpu, driver.counter.is_some()), (true, false, true));
    assert_eq!(driver.stack_bytes, 0x4000);
    assert_eq!(driver.program_image.path, "driver.elf");
    assert_eq!(driver.program_image.path_for_symbols.as_deref(), Some("driver.debug.elf"));
    assert_eq!(driver.program_image.span, span(10, 9));
}

#[test]
fn each_protection_domain_has_its_own_processor() {
    let text = r#"<system><protection_domain name="a" cpu="2"><program_image path="a" />
        <protection_domain name="b" id="0"><program_image path="b" /></protection_domain>
        <protection_domain name="c" id="1" cpu="1"><program_image path="c" /></protection_domain>
        </protection_domain></system>"#;
    let target = Target { cpus: 3, ..Target::aarch64() };
    let domains = parse(FILE, text, &target, &no_files).unwrap().system.protection_domains;
    assert_eq!(domains.iter().map(|domain| domain.cpu).collect::<Vec<_>>(), [2, 0, 1]);
}

#[test]
fn absent_attributes_have_their_defaults() {
    let system = system(EVERYTHING);
    let second = &system.protection_domains[3];
    assert_eq!((second.priority, second.budget_us, second.period_us), (0, 1000, 1000));
    assert_eq!((second.passive, second.fpu, second.counter.is_some()), (false, true, false));
    assert_eq!(second.stack_bytes, 0x2000);
    assert_eq!(second.program_image.path_for_symbols, None);
    let map = &system.protection_domains[0].maps[1];
    assert_eq!((map.perms, map.cached), (Perms { read: true, write: true, execute: false }, true));
    assert_eq!((&map.setvar_vaddr, &map.setvar_size), (&None, &None));
}

#[test]
fn maps_and_setvars_name_their_memory_region_by_index() {
    let system = system(EVERYTHING);
    let driver = &system.protection_domains[0];
    let map = &driver.maps[0];
    assert_eq!((map.region, map.vaddr, map.cached), (1, 0x200_0000, false));
    assert_eq!(map.perms, Perms { read: true, write: false, execute: true });
    assert_eq!(map.setvar_vaddr, Some(symbol("ring", 11, 9)));
    assert_eq!(map.setvar_size, Some(symbol("ring_size", 11, 9)));
    assert_eq!((driver.maps[1].region, driver.maps[1].vaddr), (0, 0));
    assert_eq!(driver.setvars[0].symbol, symbol("ring_paddr", 13, 9));
    assert_eq!(driver.setvars[0].region_paddr, 1);
}

#[test]
fn memory_regions_keep_document_order() {
    let regions = system(EVERYTHING).memory_regions;
    let facts: Vec<_> =
        regions.iter().map(|r| (r.name.as_str(), r.bytes, r.page_bytes, r.phys_addr)).collect();
    assert_eq!(facts, [("device", 0x1000, 0x1000, Some(0x900_0000)), ("ring", 0x3000, 0x1000, None)]);
    assert_eq!(regions[1].span, span(29, 5));
}

#[test]
fn channels_name_their_ends_by_index() {
    let channels = system(EVERYTHING).channels;
    assert_eq!(channels.len(), 1);
    let [a, b] = &channels[0].ends;
    assert_eq!((a.protection_domain, a.id, a.may_call, a.may_notify), (0, 61, true, true));
    assert_eq!(a.setvar_id, Some(symbol("stack_id", 5, 9)));
    assert_eq!((b.protection_domain, b.id, b.may_call, b.may_notify), (4, 1, false, false));
    assert_eq!((&b.setvar_id, &b.span, &channels[0].span), (&None, &span(6, 9), &span(4, 5)));
}

/// Page size of a 4 MiB region with these attributes, mapped at these addresses.
fn chosen_page_bytes(attributes: &str, vaddrs: &[&str]) -> u64 {
    let domain = |(index, vaddr)| {
        format!(
            r#"<protection_domain name="p{index}"><program_image path="p.elf" />
               <map mr="m" vaddr="{vaddr}" /></protection_domain>"#
        )
    };
    let domains: String = vaddrs.iter().enumerate().map(domain).collect();
    let text =
        format!(r#"<system>{domains}<memory_region name="m" size="0x40_0000" {attributes} /></system>"#);
    system(&text).memory_regions[0].page_bytes
}

#[test]
fn aligned_regions_get_large_pages() {
    assert_eq!(chosen_page_bytes("", &["0x200_0000", "0x400_0000"]), 0x20_0000);
    assert_eq!(chosen_page_bytes(r#"phys_addr="0x6000_0000""#, &["0x200_0000"]), 0x20_0000);
    assert_eq!(chosen_page_bytes(r#"page_size="0x20_0000""#, &["0x200_0000"]), 0x20_0000);
}

#[test]
fn regions_keep_small_pages_unless_everything_is_aligned() {
    assert_eq!(chosen_page_bytes("", &["0x200_0000", "0x400_1000"]), 0x1000);
    assert_eq!(chosen_page_bytes(r#"phys_addr="0x6000_1000""#, &["0x200_0000"]), 0x1000);
    assert_eq!(chosen_page_bytes(r#"page_size="0x1000""#, &["0x200_0000"]), 0x1000);
}

#[test]
fn one_page_below_the_stack_gives_no_warning() {
    let text = r#"<system>
        <memory_region name="m" size="0x1000" />
        <protection_domain name="p"><program_image path="p.elf" /><map mr="m" vaddr="0xffffffa000" />
        </protection_domain></system>"#;
    assert_eq!(system(text).protection_domains[0].maps[0].vaddr, 0xff_ffff_a000);
}

#[test]
fn a_region_with_only_a_setvar_counts_as_used() {
    let text = r#"<system>
        <memory_region name="m" size="0x1000" phys_addr="0x1000" />
        <protection_domain name="p"><program_image path="p.elf" /><setvar symbol="s" region_paddr="m" />
        </protection_domain></system>"#;
    assert_eq!(system(text).protection_domains[0].setvars.len(), 1);
}

#[test]
fn two_programs_may_have_the_same_symbol_name() {
    let domain = |name| {
        format!(
            r#"<protection_domain name="{name}"><program_image path="p.elf" />
               <map mr="m" vaddr="0x1000" setvar_vaddr="buffer" /></protection_domain>"#
        )
    };
    let text =
        format!(r#"<system>{}{}<memory_region name="m" size="4096" /></system>"#, domain("a"), domain("b"));
    assert_eq!(system(&text).protection_domains.len(), 2);
}

#[test]
fn sixty_three_protection_domains_fit() {
    let domain = |index| {
        format!(r#"<protection_domain name="p{index}"><program_image path="p" /></protection_domain>"#)
    };
    let text = format!("<system>{}</system>", (0..63).map(domain).collect::<String>());
    assert_eq!(system(&text).protection_domains.len(), 63);
}

#[test]
fn protection_domains_nest_to_the_limit() {
    let open = |index| {
        let id = if index == 0 { "" } else { r#" id="0""# };
        format!(r#"<protection_domain name="p{index}"{id}><program_image path="p" />"#)
    };
    let close = "</protection_domain>".repeat(63);
    let text = format!("<system>{}{close}</system>", (0..63).map(open).collect::<String>());
    let domains = system(&text).protection_domains;
    assert_eq!(domains[62].parent, Some(ChildOf { parent: 61, id: 0, setvar_id: None }));
}

#[test]
fn elements_may_have_a_default_name_space() {
    let text = r#"<system xmlns="urn:example"><protection_domain name="p"><program_image path="p" />
        </protection_domain></system>"#;
    assert_eq!(system(text).protection_domains[0].name, "p");
}

/// `pp` is on the protection domain that is called.
const OLDER: &str = r#"<system>
    <protection_domain name="low" priority="1"><program_image path="low" /></protection_domain>
    <protection_domain name="server" priority="2" pp="true"><program_image path="server" /></protection_domain>
    <protection_domain name="high" priority="3" pp="false"><program_image path="high" /></protection_domain>
    <channel><end pd="low" id="1" /><end pd="server" id="1" /></channel>
    <channel><end pd="server" id="2" /><end pd="high" id="2" /></channel>
    </system>"#;

#[test]
fn pp_on_a_protection_domain_lets_lower_peers_call_it_under_an_older_name() {
    let target = Target { older_name: true, ..Target::aarch64() };
    let Parsed { system, warnings } = parse(FILE, OLDER, &target, &no_files).unwrap();
    let may_call: Vec<_> =
        system.channels.iter().map(|channel| channel.ends.each_ref().map(|end| end.may_call)).collect();
    assert_eq!(may_call, [[true, false], [false, false]]);
    let warned: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.span.clone())).collect();
    assert_eq!(warned, [("pd-older-pp", Some(span(3, 51)))]);
}

#[test]
fn pp_on_a_protection_domain_is_refused_under_the_current_name() {
    let problems = parse(FILE, OLDER, &Target::aarch64(), &no_files).unwrap_err();
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["unknown-attribute"; 2]);
}

#[test]
fn the_first_problem_does_not_hide_the_others() {
    let text = r#"<system>
        <protection_domain name="p" priority="300" budget="2" period="1"><map vaddr="0x1" /></protection_domain>
        <memory_region name="m" size="1" />
        <channel><end pd="p" id="70" /><end pd="q" id="0" /></channel>
        </system>"#;
    let problems = parse(FILE, text, &Target::aarch64(), &no_files).unwrap_err();
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    let expected = [
        "pd-budget-period",
        "pd-priority-range",
        "missing-attribute",
        "program-image-missing",
        "mr-size-multiple",
        "channel-id-range",
        "channel-pd-unknown",
    ];
    assert_eq!(codes, expected);
}

const DOMAINS: &str = r#"<system>
    <protection_domain name="p" domain="loud"><program_image path="p.elf" /></protection_domain>
    <domains>
        <domain name="quiet" />
        <domain name="loud" id="0" />
        <domain name="rare" />
        <domain_schedule start_index="1" index_shift="3">
            <schedule_entry domain="rare" duration="0x10 us" />
            <schedule_entry domain="quiet" duration="2_000 ticks" />
            <schedule_entry domain="loud" duration="7 us" />
            <schedule_end_marker />
            <schedule_entry domain="rare" duration="1 us" />
        </domain_schedule>
    </domains>
</system>"#;

#[test]
fn domains_get_the_smallest_free_ids_and_may_follow_their_users() {
    let system = system(DOMAINS);
    let domains = system.domains.unwrap();
    let ids: Vec<_> = domains.names.iter().map(|domain| (domain.name.as_str(), domain.id)).collect();
    assert_eq!(ids, [("quiet", 1), ("loud", 0), ("rare", 2)]);
    assert_eq!(domains.names[2].span, span(6, 9));
    assert_eq!(
        (system.protection_domains[0].domain, domains.name_of(1), domains.name_of(3)),
        (0, "quiet", "")
    );
}

#[test]
fn the_schedule_repeats_from_the_start_index_to_an_end_marker() {
    let Schedule { entries, start_index, index_shift } = &system(DOMAINS).domains.unwrap().schedule;
    assert_eq!((*start_index, *index_shift, entries.len()), (1, 3, 5));
    assert_eq!(entries[3], ScheduleEntry::EndMarker);
    let cycle: Vec<_> = system(DOMAINS).domains.unwrap().schedule.repeating().collect();
    assert_eq!(cycle, [(1, Duration::Ticks(2000)), (0, Duration::Us(7))]);
}

#[test]
fn a_processor_may_have_a_schedule_of_its_own() {
    let text = r#"<system>
        <domains>
            <domain name="a" />
            <domain name="b" />
            <domain_schedule cpu="2"><schedule_entry domain="b" duration="5 us" /></domain_schedule>
            <domain_schedule><schedule_entry domain="a" duration="7 us" /></domain_schedule>
        </domains>
        <protection_domain name="p" domain="b" cpu="2"><program_image path="p" /></protection_domain>
    </system>"#;
    let target = Target { cpus: 4, ..Target::aarch64() };
    let domains = parse(FILE, text, &target, &no_files).unwrap().system.domains.unwrap();
    let first = |cpu| domains.schedule_of(cpu).repeating().next();
    let (a, b) = (Some((0, Duration::Us(7))), Some((1, Duration::Us(5))));
    assert_eq!([0, 1, 2, 3].map(first), [a, a, b, a]);
}

#[test]
fn the_largest_schedule_is_accepted() {
    let schedule = |length: usize, shift: usize| {
        let entries = r#"<schedule_entry domain="d" duration="3600000000 us" />"#.repeat(length);
        format!(
            r#"<system><domains><domain name="d" /><domain_schedule index_shift="{shift}">{entries}
               </domain_schedule></domains><protection_domain name="p" domain="d"><program_image path="p" />
               </protection_domain></system>"#
        )
    };
    assert_eq!(system(&schedule(99, 0)).domains.unwrap().schedule.entries.len(), 99);
    assert_eq!(system(&schedule(1, 98)).domains.unwrap().schedule.index_shift, 98);
}

#[test]
fn prefilled_regions_are_as_large_as_their_files() {
    let read = |path: &str, _| if path == "f" { Ok([7; 0x1001].into()) } else { Err(FileError::NotFound) };
    let text = r#"<system>
        <memory_region name="small" prefill_path="f" />
        <memory_region name="large" prefill_path="f" page_size="0x200000" />
        <memory_region name="given" prefill_path="f" size="0x5000" phys_addr="0x50000000" />
        <memory_region name="tree" prefill_bootinfo="fdt" />
        <memory_region name="memory" prefill_bootinfo="x86_mbmap" size="0x3000" />
        <protection_domain name="p"><program_image path="p.elf" />
            <map mr="small" vaddr="0x1000000" setvar_prefill_size="a" setvar_size="b" /><map mr="large" vaddr="0x2000000" />
            <map mr="given" vaddr="0x3000000" /><map mr="tree" vaddr="0x4000000" /><map mr="memory" vaddr="0x5000000" />
        </protection_domain></system>"#;
    let system = parse(FILE, text, &Target::aarch64(), &read).unwrap().system;
    let bytes: Vec<_> = system.memory_regions.iter().map(|region| region.bytes).collect();
    assert_eq!(bytes, [0x2000, 0x20_0000, 0x5000, 0x1000, 0x3000]);
    let prefills: Vec<_> = system.memory_regions.iter().map(MemoryRegion::prefill_bytes).collect();
    assert_eq!(prefills, [Some(0x1001), Some(0x1001), Some(0x1001), None, None]);
    assert_eq!(system.memory_regions[4].prefill, Some(Prefill::BootInfo(BootInfo::X86MultibootMemory)));
    let map = &system.protection_domains[0].maps[0];
    assert!(map.setvar_prefill_size.is_some());
}

#[test]
fn diagnostics_do_not_control_the_terminal() {
    let text = "<system><protection_domain name=\"p\" priority=\"1&#9;&#x9b;2J&#x202e;\" /></system>";
    let problems = parse(FILE, text, &Target::aarch64(), &no_files).unwrap_err();
    let shown: Vec<_> = problems.iter().map(|problem| limen_sdf::render(problem, None)).collect();
    assert!(shown.iter().any(|text| text.contains("integer '1\u{fffd}\u{fffd}2J\u{fffd}'")), "{shown:?}");
}
