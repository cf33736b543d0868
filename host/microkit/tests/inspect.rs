//! `microkit inspect`: what it refuses. The lists of real machines are in `tests/deadlock`, those of a model in the tests of
//! `limen-inspect`.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use support::{BASE, ONE, Workspace};

/// A workspace with a built system.
fn built() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("one.system", ONE);
    let words: Vec<_> = format!("one.system {BASE}").split(' ').map(str::to_owned).collect();
    let output = workspace.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    workspace
}

#[test]
fn what_cannot_be_used_is_refused_with_a_reason() {
    let workspace = built();
    workspace.write("text.dump", "no memory");
    // The header of an AArch64 core file without segments.
    let mut empty = [0; 64];
    empty[..20].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 183, 0]);
    (empty[20], empty[52], empty[54], empty[58]) = (1, 64, 56, 64);
    workspace.write("empty.dump", empty);
    let refused = |words: &[&str], reason: &str| {
        let output = workspace.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(reason), "{said}");
    };
    let with = |words: &[&'static str]| [&["inspect", "threads", "--report", "report.json"], words].concat();
    refused(
        &["inspect"],
        "inspect needs the name of a list; choose from: threads, objects, keys, backtrace, range",
    );
    refused(&["inspect", "thread"], "inspect has no list 'thread'; did you mean `threads`?");
    refused(&["inspect", "threads"], "inspect needs the image's report: --report report.json");
    refused(&with(&[]), "inspect needs a dump of the machine's memory: --memory FILE");
    refused(&with(&["--memory", "none.dump"]), "none.dump: ");
    refused(&with(&["--memory", "text.dump"]), "text.dump: no dump of memory: it is not a 64-bit ELF file");
    refused(&with(&["--memory", "one.system", "keys"]), "unrecognized argument 'keys'");
    refused(&with(&["--memory", "text.dump", "--board", "b"]), "unrecognized argument '--board'");
    refused(&with(&["--memory", "empty.dump", "--override-kernel", "none.elf"]), "none.elf: ");
    refused(&with(&["--memory", "empty.dump", "--override-kernel", "sdk"]), "sdk: it is no kernel");
    refused(
        &with(&["--memory", "empty.dump", "--override-kernel", "one.system"]),
        "one.system: the kernel is not a 64-bit ELF file",
    );
    refused(&["one.system", "--memory", "text.dump"], "unrecognized argument '--memory'");
}

#[test]
fn the_range_of_a_dump_needs_only_the_report() {
    let workspace = built();
    let output = workspace.run(&["inspect", "range", "--report", "report.txt"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<_> = said.split_whitespace().map(|word| u64::from_str_radix(&word[2..], 16)).collect();
    assert!(matches!(numbers[..], [Ok(0x7000_0000), Ok(1..0x1000_0000)]), "{said}");
}
