//! `docs/diagnostics.md` has an entry with a real example for every code of the builder and the tool, and `docs/tool.md`
//! describes every member of `report.json`.
//!
//! The crate that defines the codes of descriptions checks them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failure here fails the test")]

#[path = "../src/code.rs"]
#[allow(dead_code, reason = "only the list is used")]
mod code;

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use support::test_elf::TestElf;
use support::{BASE, SMP, Workspace};

/// Bugs in the tool itself, which no input is known to trigger.
const DEFECTS: [&str; 2] = ["image-refused", "elf-output"];

#[test]
fn every_code_is_documented_and_every_documented_code_exists() {
    let documented: Vec<_> = entries().into_iter().map(|(code, _)| code).collect();
    assert_eq!(documented, [limen_builder::code::ALL, code::ALL].concat());
}

#[test]
fn documented_examples_are_real() {
    for (code, entry) in entries() {
        let printed = printed_with(&code);
        let is_real = |line: &str| printed.iter().any(|text| text.lines().any(|printed| printed == line));
        let mut examples = entry.split("\n```\n").skip(1).step_by(2).flat_map(str::lines).peekable();
        assert_eq!(examples.peek().is_none(), DEFECTS.contains(&code.as_str()), "{code}");
        for line in examples {
            assert!(is_real(line), "{code} has an example that the tool never prints: {line}");
        }
    }
}

/// Titles and texts of the entries in the documentation.
fn entries() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    let text = fs::read_to_string(path).unwrap();
    let after = text.split("\n## Building an image\n").nth(1).expect("section 'Building an image'");
    let section = after.split("\n## ").next().unwrap();
    let entries = section.split("\n### ").skip(1).map(|entry| entry.split_once('\n').unwrap());
    entries.map(|(title, text)| (title.to_owned(), text.to_owned())).collect()
}

/// Golden transcripts that contain this code.
fn printed_with(code: &str) -> Vec<String> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    texts.filter(|text| text.trim_end().ends_with(&format!("[{code}]"))).collect()
}

/// A system with every member of a report, except I/O ports, which only x86 has.
const EVERYTHING: &str = r#"<system>
    <domains><domain name="a" /><domain name="b" /><domain_schedule>
        <schedule_entry domain="a" duration="1000 us" /><schedule_entry domain="b" duration="1000 us" />
    </domain_schedule></domains>
    <static_key name="trace" shared="true" />
    <memory_region name="file" size="0x1000" prefill_path="one.system" />
    <protection_domain name="boss" domain="a" priority="9">
        <program_image path="one.elf" />
        <map mr="file" vaddr="0x400000" />
        <irq irq="40" id="9" /><wipe irq="9" region="file" />
        <key name="trace" id="0" />
        <trace vaddr="0x4000000" shared="true" />
        <digest id="0" region="file" /><digest id="1" pd="child" />
        <cspace><cap_tcb slot="1" pd="child" /></cspace>
        <protection_domain name="child" id="1" domain="b" budget="50" period="100" timeout_fault="true">
            <program_image path="one.elf" path_for_symbols="symbols.elf" />
            <map mr="file" vaddr="0x400000" perms="r" />
            <key name="trace" symbol="word" />
        </protection_domain>
    </protection_domain>
    <channel><end pd="boss" id="1" /><end pd="child" id="2" /></channel>
</system>"#;

#[test]
fn every_member_of_the_report_is_documented() {
    let workspace = Workspace::new();
    let branches = TestElf::program().with_branches(1);
    workspace.write("one.elf", branches.bytes());
    workspace.write("symbols.elf", branches.bytes());
    workspace.write("all.system", EVERYTHING);
    let words: Vec<_> = ["all.system"].into_iter().chain(BASE.split(' ')).collect();
    let output = workspace.run(&words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut members = members_of_report(&workspace);
    workspace.add_config("smp-debug");
    workspace.write("p", branches.bytes());
    for text in [include_str!("spread.system"), include_str!("spread_domains.system")] {
        workspace.write("spread.system", text);
        let words: Vec<_> = ["spread.system", "--trace"].into_iter().chain(SMP.split(' ')).collect();
        assert!(workspace.run(&words).status.success());
        members.extend(members_of_report(&workspace));
    }
    let ports = ["id", "first", "last"].map(|member| format!("protection_domains[].ioports[].{member}"));
    members.extend(ports);
    assert_eq!(documented_members(), members);
}

fn members_of_report(workspace: &Workspace) -> BTreeSet<String> {
    let mut members = BTreeSet::new();
    collect("", &serde_json::from_slice(&workspace.read("report.json")).unwrap(), &mut members);
    members
}

/// Paths of all members, such as `channels[].ends[].id`.
fn collect(path: &str, value: &Value, members: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(&path, value, members);
                members.insert(path);
            }
        }
        Value::Array(array) => array.iter().for_each(|value| collect(&format!("{path}[]"), value, members)),
        _ => {}
    }
}

/// The members in the table of `docs/tool.md`: in each row, a prefix, and the members that its second column names.
fn documented_members() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tool.md");
    let text = fs::read_to_string(path).unwrap();
    let section = text.split("\n### Members\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let mut members = BTreeSet::new();
    for (prefix, contents) in rows {
        let prefix = if prefix == "." { String::new() } else { format!("{prefix}.") };
        // A member is in backquotes at the start of its item; items end with a semicolon.
        for item in contents.trim_end_matches(" |").split("; ") {
            let name = item.strip_prefix('`').and_then(|rest| rest.split('`').next());
            assert!(
                members.insert(format!("{prefix}{}", name.unwrap_or_else(|| panic!("{item}")))),
                "{item} twice"
            );
        }
    }
    members
}
