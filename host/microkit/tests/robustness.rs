//! For any input, the tool exits with 0 or 1, and writes files only if it exits with 0.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use proptest::prelude::*;
use support::test_elf::TestElf;
use support::{ONE, Workspace};

const WORDS: [&str; 16] = [
    "-o",
    "--output=a",
    "-r",
    "--report",
    "--board",
    "qemu_virt_aarch64",
    "--config",
    "debug",
    "one.system",
    "--search-path",
    "--image-type",
    "elf",
    "binary",
    "--capdl-json",
    "--",
    "--override-kernel",
];
const GOOD: [&str; 5] = ["one.system", "--board", "qemu_virt_aarch64", "--config", "debug"];

/// Runs the tool; returns whether it succeeded.
fn run(workspace: &Workspace, words: &[&str]) -> bool {
    let before = workspace.files();
    let output = workspace.run(words);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{words:?} ended with {code:?}");
    assert!(code == Some(0) || workspace.files() == before, "{words:?} failed and changed files");
    assert_eq!(code == Some(0), output.stderr.is_empty(), "{words:?}");
    code == Some(0)
}

/// `text` with some bytes replaced, truncated.
fn damage(text: &[u8], changes: &[(usize, u8)], length: usize) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for &(at, value) in changes {
        let at = at % bytes.len();
        bytes[at] = value;
    }
    bytes.truncate(length);
    bytes
}

fn changes() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>()), 0..4)
}

/// As with `microkit --help | head -1`. The build completes although its output is lost.
#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    let workspace = Workspace::new();
    for (words, succeeds) in [(&["--help"][..], true), (&GOOD, true), (&["--bogus"], false)] {
        let (mut command, closed) = (workspace.command(words), || std::io::pipe().unwrap().1);
        let output = command.stdout(closed()).output().unwrap();
        assert_eq!((output.status.success(), output.stderr.is_empty()), (succeeds, succeeds), "{words:?}");
        let output = command.stderr(closed()).output().unwrap();
        assert_eq!(output.status.code(), Some(i32::from(!succeeds)), "{words:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn command_lines(words in prop::collection::vec(
        prop_oneof![prop::sample::select(&WORDS).prop_map(str::to_owned), "-{0,2}[a-z=]{0,6}"], 0..12,
    )) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run(&Workspace::new(), &words);
    }

    #[test]
    fn descriptions(changes in changes(), length in 100..2 * ONE.len()) {
        let workspace = Workspace::new();
        workspace.write("one.system", damage(ONE.as_bytes(), &changes, length));
        run(&workspace, &GOOD);
    }

    #[test]
    fn programs(changes in changes(), length in 0..4000usize) {
        let workspace = Workspace::new();
        workspace.write("one.elf", damage(&TestElf::program().bytes(), &changes, length));
        run(&workspace, &GOOD);
    }

    #[test]
    fn kernels_and_loaders(changes in changes(), name in prop::sample::select(&["sel4", "loader", "monitor"])) {
        let workspace = Workspace::new();
        let name = format!("sdk/board/qemu_virt_aarch64/debug/elf/{name}.elf");
        workspace.write(&name, damage(&workspace.read(&name), &changes, usize::MAX));
        run(&workspace, &GOOD);
    }

    #[test]
    fn random_files(bytes in prop::collection::vec(any::<u8>(), 0..200), name in "one[.](elf|system)") {
        let workspace = Workspace::new();
        workspace.write(&name, bytes);
        prop_assert!(!run(&workspace, &GOOD));
    }
}
