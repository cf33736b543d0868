//! Completions that bash offers, tested with bash itself.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::process::Command;

use support::Workspace;

/// Runs the completion as the shell does, with the words up to the cursor and the function registered with
/// `complete`. Prints the sorted completions.
const DRIVER: &str = r#"
source ./script
[ "$(complete -p microkit)" = 'complete -F _microkit microkit' ] || exit 1
COMP_WORDS=(microkit "$@")
COMP_CWORD=$#
_microkit microkit "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}" | sort
"#;

/// Completions after these words, with an SDK of two boards, files, and a directory.
fn offered(workspace: &Workspace, words: &[&str]) -> Vec<String> {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", DRIVER, "bash"]).args(words).current_dir(workspace.path("here"));
    let output = bash.env("MICROKIT_SDK", workspace.path("sdk")).env("LC_ALL", "C").output().unwrap();
    let (text, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && error.is_empty(), "{words:?}: {error}");
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let script = workspace.run(&["--completion", "bash"]);
    workspace.write("here/script", script.stdout);
    workspace.write("here/first.system", "");
    workspace.write("here/first one.elf", "");
    workspace.write("here/build/x", "");
    workspace.write("sdk/board/another/slow/board.toml", "");
    workspace
}

#[test]
fn bash_offers_options_values_and_files() {
    let workspace = workspace();
    for (words, wanted) in [
        (&["--b"][..], &["--board"][..]),
        (&["--c"], &["--capdl-json", "--completion", "--config"]),
        (&["--board", ""], &["another", "qemu_virt_aarch64"]),
        (&["--board", "=", "q"], &["qemu_virt_aarch64"]),
        (&["--board", "="], &["another", "qemu_virt_aarch64"]),
        (&["--config", ""], &["benchmark", "debug", "release", "slow"]),
        (&["--board", "another", "--config", ""], &["slow"]),
        (&["--board", "another", "--config", "d"], &[]),
        (&["--image-type", ""], &["binary", "elf", "uimage"]),
        (&["--completion", "z"], &["zsh"]),
        (&["-o", "f"], &["first one.elf", "first.system"]),
        (&["--search-path", ""], &["build"]),
        (&["--search-path", "build", ""], &["build"]),
        (&["--search-path", "build", "--bo"], &["--board"]),
        (&[""], &["build", "first.system", "inspect", "symbolise", "trace"]),
        (&["inspect", "k"], &["keys"]),
        (&["inspect", "threads", "--mem"], &["--memory"]),
        (&["symbolise", "f"], &["first one.elf", "first.system"]),
        (&["trace", "f"], &["first one.elf", "first.system"]),
        (&["-o", "x", "f"], &["first.system"]),
    ] {
        assert_eq!(offered(&workspace, words), wanted, "{words:?}");
    }
}

#[test]
fn every_option_is_in_every_script() {
    let workspace = Workspace::new();
    let help = String::from_utf8(workspace.run(&["--help"]).stdout).unwrap();
    let words = help.split_whitespace().map(|word| word.trim_end_matches(','));
    let names: Vec<_> = words.filter_map(|word| word.strip_prefix("--")).collect();
    assert!(names.len() > 10 && names.contains(&"search-path"), "{names:?}");
    for shell in ["bash", "fish", "zsh"] {
        let script = String::from_utf8(workspace.run(&["--completion", shell]).stdout).unwrap();
        for name in &names {
            assert!(
                script.contains(&format!("--{name}")) || script.contains(&format!("-l {name} ")),
                "{shell}: {name}"
            );
        }
    }
    let refused = workspace.run(&["--completion", "csh"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(
        error,
        "microkit: error: argument --completion: invalid choice 'csh' (choose from: bash, fish, zsh)\n"
    );
}
