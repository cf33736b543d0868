//! Names in a description never break the format of reports and other outputs: each appears verbatim and in one line.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;
use support::test_elf::TestElf;
use support::{BASE, Workspace};

/// Outputs that contain names.
const OUTPUTS: [&str; 3] = ["report.txt", "report.json", "graph.json"];

/// A description in which everything that has a name has this one.
fn description(name: &str) -> String {
    let mut written = String::new();
    for character in name.chars() {
        write!(written, "&#x{:x};", u32::from(character)).unwrap();
    }
    format!(
        r#"<system>
    <domains><domain name="{written}" /><domain name="other" /><domain_schedule>
        <schedule_entry domain="{written}" duration="1000 us" />
        <schedule_entry domain="other" duration="1000 us" /></domain_schedule></domains>
    <static_key name="{written}" shared="true" />
    <memory_region name="{written}" size="0x1000" />
    <protection_domain name="{written}" domain="{written}">
        <program_image path="{written}" />
        <map mr="{written}" vaddr="0x1000000" setvar_vaddr="word" />
        <key name="{written}" id="0" />
        <digest region="{written}" id="1" />
        <protection_domain name="child" id="1" domain="other">
            <program_image path="one.elf" />
            <map mr="{written}" vaddr="0x1000000" />
            <key name="{written}" id="0" />
        </protection_domain>
    </protection_domain>
</system>
"#
    )
}

/// The outputs and messages of the tool for such a system; `None` if it is refused.
fn outputs(name: &str, folder: &str) -> Option<Vec<String>> {
    let workspace = Workspace::new();
    workspace.write("one.system", description(name));
    workspace.write(&format!("{folder}/{name}"), TestElf::program().bytes());
    let words = format!("one.system {BASE} --capdl-json graph.json --viper-output viper --search-path");
    let words: Vec<_> = words.split(' ').chain([folder]).collect();
    let output = workspace.run(&words);
    if !output.status.success() {
        assert!(String::from_utf8(output.stderr).unwrap().contains("\nhelp: "));
        return None;
    }
    let viper = format!("viper/{}.vpr", name.replace('/', "_"));
    let files =
        OUTPUTS.into_iter().chain([viper.as_str(), "viper/child.vpr"]).map(|file| workspace.read(file));
    Some(files.chain([output.stdout]).map(|bytes| String::from_utf8(bytes).unwrap()).collect())
}

fn check(name: &str, folder: &str) {
    let plain = outputs("plain", "programs").unwrap();
    let named = outputs(name, folder);
    assert!(named.is_some(), "{name:?} is refused");
    let named = named.unwrap();
    for (plain, named) in plain.iter().zip(&named) {
        assert_eq!(plain.lines().count(), named.lines().count(), "{named}");
        let breaks = |c: char| c != '\n' && (c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c));
        assert!(!named.contains(breaks), "{named:?}");
    }
    for line in named[OUTPUTS.len()].lines().chain(named[OUTPUTS.len() + 1].lines()) {
        assert!(line.starts_with("define ") || line.starts_with("// "), "{line}");
    }
    let report: Value = serde_json::from_str(&named[1]).unwrap();
    assert_eq!(report["protection_domains"][0]["name"], name);
    assert_eq!(report["protection_domains"][0]["domain"], name);
    let graph: Value = serde_json::from_str(&named[2]).unwrap();
    assert_eq!(graph["threads"][0]["name"], name);
}

#[test]
fn a_directory_of_the_command_line_does_not_break_a_line() {
    check("name", "fold\ner\u{1b}[2J");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn accepted_names_keep_the_form_of_every_output(
        name in r#"[\PC&&[^/\p{Zl}\p{Zp}]]{1,16}"#
    ) {
        prop_assume!(name != "." && name != ".." && name != "child" && name != "other");
        check(&name, "programs");
    }

    #[test]
    fn other_names_are_refused(
        (before, breaking, after) in (
            "[a-z/]{0,4}",
            "[\u{7f}-\u{9f}\n\r\t\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}]",
            "[a-z]{0,4}",
        )
    ) {
        let workspace = Workspace::new();
        workspace.write("one.system", description(&[before, breaking, after].concat()));
        let words: Vec<_> = ["one.system"].into_iter().chain(BASE.split(' ')).collect();
        let output = workspace.run(&words);
        let said = String::from_utf8(output.stderr).unwrap();
        prop_assert!(said.contains("[attribute-characters]"), "{}", said);
    }
}
