//! Commands whose reader has gone away, as in `./x --help | head -1`, end without a word.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

use std::io::{PipeWriter, pipe};
use std::process::{Command, Output};

/// What shells report for SIGPIPE.
const READER_GONE: i32 = 141;

/// The end of a pipe that nobody reads.
fn closed() -> PipeWriter {
    pipe().unwrap().1
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(words).env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
    command
}

#[test]
fn nobody_reads_the_output() {
    for words in [&[][..], &["--help"], &["run", "--help"], &["bench", "--help"]] {
        let Output { status, stderr, .. } = command(words).stdout(closed()).output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(READER_GONE), ""), "{words:?}");
    }
}

#[test]
fn nobody_reads_errors() {
    for words in [&["no-such-command"][..], &["run", "no-such-system"], &["test", "--no-such-option"]] {
        let Output { status, stdout, .. } = command(words).stderr(closed()).output().unwrap();
        assert_eq!((status.code(), stdout.as_slice()), (Some(READER_GONE), &b""[..]), "{words:?}");
    }
}

#[test]
fn a_full_disk_is_said() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let Output { status, stderr, .. } = command(&["--help"]).stdout(full).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(status.code() == Some(1) && said.starts_with("error: cannot print: "), "{said}");
}
