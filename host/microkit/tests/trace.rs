//! `microkit trace`, from the report of a build and copies of a ring to files and tables.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../../trace/tests/support/mod.rs"]
mod ring;
mod support;

use std::process::Output;

use support::{BASE, ONE, Workspace};

/// A workspace with a built system of the programs `one` and `monitor`, and a copy of its ring.
fn built() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("one.system", ONE);
    let words: Vec<_> = format!("one.system {BASE}").split(' ').map(str::to_owned).collect();
    let output = workspace.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    workspace.write("ring", ring::scene(128).copy());
    workspace
}

fn said(output: &Output) -> String {
    String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap()
}

#[test]
fn a_ring_becomes_files_and_tables() {
    let workspace = built();
    let table = workspace.run(&["trace", "ring", "--report", "report.json"]);
    assert!(
        table.status.success() && said(&table).starts_with("60 records of processor 0 in 1.81 us\n"),
        "{table:?}"
    );
    assert!(said(&table).contains("\none "), "{table:?}");
    let words = ["trace", "ring", "--report", "report.txt", "-o", "a.perfetto-trace", "--html", "a.html"];
    let files = workspace.run(&words);
    assert_eq!(said(&files), "note: records of kinds that this version does not know: 1\n");
    assert!(String::from_utf8(workspace.read("a.html")).unwrap().contains("<h1>ring</h1>"));
    assert!(workspace.read("a.perfetto-trace").len() > 1000);
    let both = workspace.run(&[&words[..], &["--table"]].concat());
    assert_eq!(said(&both), said(&table));
    // The monitor is thread 1, where the scene has a server.
    let only = said(&workspace.run(&["trace", "ring", "--report", "report.json", "--only", "pd=monitor"]));
    assert!(only.contains("\nmonitor ") && !only.contains("\none "), "{only}");
}

#[test]
fn rings_are_found_in_dumps_and_logs() {
    let workspace = built();
    let table = said(&workspace.run(&["trace", "ring", "--report", "report.json"]));
    let mut at_home = ring::scene(128);
    at_home.damage(limen_abi::trace::HeaderWord::PADDR, 0x4100_0000);
    workspace.write("dump", [vec![1; 4096], b"LIMENTRC".to_vec(), vec![0; 4088], at_home.copy()].concat());
    let digits: String = at_home.copy().iter().map(|byte| format!("{byte:02x}")).collect();
    workspace.write("console.log", format!("hello\r\nLIMEN|TRACE 0 {digits}\r\n"));
    for file in ["dump", "console.log"] {
        assert_eq!(said(&workspace.run(&["trace", file, "--report", "report.json"])), table, "{file}");
    }
    let several = workspace.run(&["trace", "dump", "ring", "console.log", "--report", "report.json"]);
    assert_eq!(said(&several), table);
}

#[test]
fn what_cannot_be_used_is_refused_with_a_reason() {
    let workspace = built();
    let files = workspace.files();
    let refused = |words: &[&str], reason: &str| {
        let output = workspace.run(&[&["trace"], words].concat());
        assert!(output.status.code() == Some(1) && said(&output).contains(reason), "{output:?}");
        assert_eq!(workspace.files(), files);
    };
    refused(&["ring"], "trace needs the image's report: --report report.json");
    refused(&["--report", "report.json"], "trace needs a copy of the ring");
    refused(&["ring", "--report", "none.json"], "none.json: ");
    refused(&["ring", "--report", "ring"], "ring: it is not text in UTF-8");
    refused(&["none", "--report", "report.json"], "none: ");
    refused(&["one.system", "--report", "report.json"], "one.system: no ring: it has neither LIMENTRC");
    refused(
        &["ring", "--report", "report.json", "--only", "one"],
        "argument --only: 'one' selects nothing; write pd=NAME",
    );
    refused(
        &["ring", "--report", "report.json", "--only", "pd=on"],
        "there is no program 'on'; did you mean `one`?",
    );
    refused(&["ring", "--report", "report.json", "--board", "b"], "unrecognized argument '--board'");
    refused(
        &["ring", "--report", "report.json", "-o", "x", "--html", "x"],
        "named as the file of two outputs",
    );
    refused(&["ring", "--report", "report.json", "-o", "no/x"], "cannot write 'no/x'");
}

#[test]
fn options_of_traces_are_only_for_traces() {
    let workspace = built();
    for option in ["--table", "--only"] {
        let output = workspace.run(&["one.system", option, "x"]);
        assert!(said(&output).contains(&format!("unrecognized argument '{option}'")), "{output:?}");
    }
}
