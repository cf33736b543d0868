//! `microkit symbolise`, from the report of a build to sentences.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::io::Write;
use std::process::{Output, Stdio};

use support::{BASE, ONE, Workspace};

const FAULT: &str = "LIMEN|FAULT program=0 pc=0x200000 sp=0xffffffdf00 lr=0x0 to=nobody vm address=0x8 fetch=0 \
                     status=0x92000046 end";

/// A workspace with a built system.
fn built() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("one.system", ONE);
    let words: Vec<_> = format!("one.system {BASE}").split(' ').map(str::to_owned).collect();
    let output = workspace.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    workspace
}

fn typed(workspace: &Workspace, words: &[&str], input: &[u8]) -> Output {
    let mut command = workspace.command(words);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // The tool may refuse its arguments before it reads.
    _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_log_with_other_line_ends_and_garbage_is_explained() {
    let workspace = built();
    let log =
        [b"\xff\xfe\0start\r\r\nTEST on".to_vec(), FAULT.as_bytes().to_vec(), b"\r\nLIMEN|FAU".to_vec()]
            .concat();
    let output = typed(&workspace, &["symbolise", "--report", "report.json"], &log);
    let said = text(&output.stdout);
    assert!(output.status.success() && said.lines().count() == 1, "{output:?}");
    assert!(
        said.contains("program 'one' wrote to 0x8, 8 bytes from a null pointer; nobody gets the fault"),
        "{said}"
    );
    workspace.write("console.log", log);
    // The text report stands for the other one.
    let again = workspace.run(&["symbolise", "console.log", "--report", "report.txt", "--search-path", "."]);
    assert_eq!(text(&again.stdout), said);
}

#[test]
fn a_log_without_faults_says_where_they_come_from() {
    let workspace = built();
    let output = typed(&workspace, &["symbolise", "--report", "report.json"], b"hello\n");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    let reason = "microkit: error: standard input: no line about a fault; the debug configuration prints them, and begins \
                  them with LIMEN|FAULT\n";
    assert_eq!(text(&output.stderr), reason);
    let cut = typed(&workspace, &["symbolise", "--report", "report.json"], &FAULT.as_bytes()[..50]);
    assert_eq!(cut.status.code(), Some(1));
    let said = text(&cut.stderr);
    assert!(said.contains("standard input: a line about a fault, which is damaged; "), "{said}");
}

#[test]
fn logs_that_terminals_have_changed_are_explained() {
    let workspace = built();
    let coloured = format!("\u{1b}[31m{FAULT}\u{1b}[0m\n");
    let wrapped = format!("{}\r\n{}\r\n", &FAULT[..80], &FAULT[80..]);
    let wide = |text: String| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let utf_16 = [&b"\xff\xfe"[..], &wide(format!("start\r\n{FAULT}\r\n"))].concat();
    for log in [coloured.as_bytes(), wrapped.as_bytes(), &utf_16] {
        let output = typed(&workspace, &["symbolise", "--report", "report.json"], log);
        let said = text(&output.stdout);
        assert!(output.status.success() && said.lines().count() == 1, "{output:?}");
        assert!(said.contains("program 'one' wrote to 0x8, 8 bytes from a null pointer"), "{said}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_with_a_reason() {
    let workspace = built();
    let refused = |words: &[&str], reason: &str| {
        let output = workspace.run(words);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(reason), "{said}");
    };
    refused(&["symbolise"], "symbolise needs the image's report: --report report.json");
    refused(&["symbolise", "--report", "none.json"], "none.json: ");
    refused(&["symbolise", "--report", "one.system"], "one.system: the report cannot be used: ");
    refused(&["symbolise", "--report", "report.json", "none.log"], "none.log: ");
    refused(&["symbolise", "--report", "report.json", "--board", "b"], "unrecognized argument '--board'");
}

#[test]
fn a_description_may_have_the_name() {
    let workspace = built();
    workspace.write("symbolise", ONE);
    let words: Vec<_> = format!("./symbolise {BASE}").split(' ').map(str::to_owned).collect();
    assert!(workspace.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).status.success());
}
