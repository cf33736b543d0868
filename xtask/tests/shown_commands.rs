//! Documents name only commands, options, boards and systems that exist, also in commands that `./x test docs` does not run.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use limen_nearest::options_in;

/// Folders whose systems commands name.
const SHELVES: [&str; 3] = ["examples/", "tests/", "bench/"];

/// A document about earlier versions, whose commands may be gone.
const HISTORY: &str = "CHANGES.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// The parts of a document's text that are code, each on one line.
fn code(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let parts = text.lines().flat_map(|line| {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            return Vec::new();
        }
        if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() }
    });
    parts.collect()
}

/// The words of each command of `./x` in a piece of code, without the name of `./x`.
fn commands(code: &str) -> impl Iterator<Item = Vec<&str>> {
    code.split("./x ").skip(1).map(|words| {
        let own = words.split(['#', '|', '&', '>', ';', '<']).next().unwrap_or_default();
        own.split_whitespace()
            .map(|word| word.trim_matches(['`', '\'', '"', '(', ')', '[', ']', ',', ';', '.', ':']))
            .collect()
    })
}

/// A word that stands for others.
fn is_placeholder(word: &str) -> bool {
    word.contains("..") || word.split('/').any(|part| part.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// The part of a command that does not exist. `help` is that of its name, if there is one.
fn unknown(words: &[&str], help: Option<&str>, exists: impl Fn(&str) -> bool) -> Option<String> {
    let Some(help) = help else { return Some(format!("there is no ./x {}", words[0])) };
    let options = options_in(help);
    let is_known = |option: &str| option == "--help" || options.contains(&option);
    let names = words.iter().map(|word| word.split('=').next().unwrap_or_default());
    let option = names.clone().find(|word| word.len() > 2 && word.starts_with("--") && !is_known(word));
    let system = words.iter().find(|word| {
        SHELVES.iter().any(|shelf| word.starts_with(shelf)) && !is_placeholder(word) && !exists(word)
    });
    let boards = words.windows(2).filter(|pair| pair[0] == "--board").map(|pair| pair[1]);
    let board = boards
        .filter(|board| !is_placeholder(board))
        .find(|board| !exists(&format!("host/builder/boards/{board}.toml")));
    option
        .map(|option| format!("./x {} has no option {option}", words[0]))
        .or_else(|| system.map(|system| format!("there is no {system}")))
        .or_else(|| board.map(|board| format!("there is no board {board}")))
}

#[test]
fn documents_name_what_exists() {
    let root = root();
    let documents = output(Command::new("git").arg("-C").arg(&root).args(["ls-files", "*.md"])).unwrap();
    let mut helps = HashMap::new();
    let (mut found, mut objections) = (0, Vec::new());
    for document in documents.lines().filter(|document| *document != HISTORY) {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for words in code(&text).into_iter().flat_map(commands) {
            let Some(name) = words.first().filter(|name| !name.starts_with('-') && !is_placeholder(name))
            else {
                continue;
            };
            let help = helps.entry((*name).to_owned()).or_insert_with(|| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
                command.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
                output(command.args([name, "--help"]))
            });
            found += 1;
            // `bench/` has measured paths without a folder.
            let exists = |path: &str| {
                [path, &format!("xtask/src/{path}.rs")].iter().any(|path| root.join(path).exists())
            };
            let objection = unknown(&words, help.as_deref(), exists);
            objections.extend(objection.map(|objection| format!("{document}: {objection}")));
        }
    }
    assert!(found > 100, "only {found} commands");
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn what_does_not_exist_is_found() {
    let judged = |line: &str| {
        let words = commands(line).next().unwrap();
        let help = (words[0] == "run").then_some("usage: ./x run [SYSTEM] [--board BOARD]");
        unknown(&words, help, |path| ["tests/calls", "host/builder/boards/pc.toml"].contains(&path))
    };
    for right in [
        "./x run tests/calls --board pc # --fast",
        "./x run tests/NAME --board BOARD",
        "A=1 ./x run; x --fast",
        "a = 4  # `./x run` in a comment of a block",
    ] {
        assert_eq!(judged(right), None);
    }
    assert_eq!(judged("./x rum"), Some("there is no ./x rum".to_owned()));
    assert_eq!(judged("./x run --fast=1"), Some("./x run has no option --fast".to_owned()));
    assert_eq!(judged("./x run 'tests/call on pc'"), Some("there is no tests/call".to_owned()));
    assert_eq!(judged("./x run --board cp"), Some("there is no board cp".to_owned()));
}

#[test]
fn code_is_in_blocks_and_between_marks() {
    let text = "a `./x b` c `d` e\n```sh\n./x f\n```\n`g`";
    assert_eq!(code(text), ["./x b", "d", "./x f", "g"]);
}

#[test]
fn a_command_is_explained_in_two_ways() {
    let explained = |words: [&str; 2]| output(Command::new(env!("CARGO_BIN_EXE_xtask")).args(words));
    assert!(explained(["help", "fuzz"]).unwrap().starts_with("usage: ./x fuzz "));
    assert_eq!(explained(["help", "fuzz"]), explained(["fuzz", "--help"]));
    assert_eq!(explained(["help", "fuz"]), None);
}
