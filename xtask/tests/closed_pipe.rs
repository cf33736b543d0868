//! Commands whose reader has closed the pipe, as in `./x --help | head -1`, end silently.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

use std::io::{PipeWriter, pipe};
use std::process::{Command, Output};

/// The exit status that shells report for SIGPIPE.
const READER_GONE: i32 = 141;

/// The write end of a pipe without a reader.
fn closed() -> PipeWriter {
    pipe().unwrap().1
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(words).env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
    command
}

#[test]
fn a_closed_output_ends_the_program_silently() {
    for words in [&[][..], &["--help"], &["run", "--help"], &["bench", "--help"]] {
        let Output { status, stderr, .. } = command(words).stdout(closed()).output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(READER_GONE), ""), "{words:?}");
    }
}

#[test]
fn a_closed_error_output_ends_the_program_silently() {
    for words in [&["no-such-command"][..], &["run", "no-such-system"], &["test", "--no-such-option"]] {
        let Output { status, stdout, .. } = command(words).stderr(closed()).output().unwrap();
        assert_eq!((status.code(), stdout.as_slice()), (Some(READER_GONE), &b""[..]), "{words:?}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let Output { status, stderr, .. } = command(&["--help"]).stdout(full).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(status.code() == Some(1) && said.starts_with("error: cannot print: "), "{said}");
}
