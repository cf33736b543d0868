//! `./x new`: creates a minimal project.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;

use crate::command::Command;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board;
use crate::shell::files;
use crate::shell::typed;
use crate::workspace::{CONFIGS, Workspace};

/// The command.
pub const COMMAND: Command =
    Command { name: "new", summary: "a new project folder that builds", help: HELP, run };

const HELP: &str = "
usage: ./x new [--rust] NAME

Creates a folder with a project that builds: a Makefile, a system description, a program and a README.
NAME may be a path; its last part names the project, starts with a letter, and consists of letters, digits, '_'
and '-'. An existing folder is not changed. To run the new system:

  ./x run NAME

  --rust              write the program in Rust instead of C
";

/// The language of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C, with `libmicrokit`.
    C,
    /// Rust, with the crate `limen`.
    Rust,
}

/// The example that a new project is copied from, with its own name in place of this one.
const MODEL: &str = "hello";
const MAKEFILE: &str = include_str!("../../examples/hello/Makefile");
const DESCRIPTION: &str = include_str!("../../examples/hello/hello.system");
const PROGRAM: &str = include_str!("../../examples/hello/hello.c");

/// The example with the Makefile and manifest of a project in Rust.
const RUST_MAKEFILE: &str = include_str!("../../examples/rust/Makefile");
const RUST_MANIFEST: &str = include_str!("../../examples/rust/Cargo.toml");
const RUST_CARGO: &str = include_str!("../../examples/rust/.cargo/config.toml");
const RUST_TOOLCHAIN: &str = include_str!("../../rust-toolchain.toml");
const RUST_PROGRAM: &str =
    "//! The smallest protection domain: it says one thing and waits for events that never come.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use limen::{Channel, Program, println};

struct Greeter;

limen::protection_domain!(init);

fn init() -> Greeter {
    println!(\"Hello from a protection domain.\");
    println!(\"LIMEN|DONE\");
    Greeter
}

impl Program for Greeter {
    fn notified(&mut self, _: Channel) {}
}
";
/// Folders that cargo creates beside its programs, so no program can have these names.
const FOLDERS_OF_CARGO: [&str; 4] = ["build", "deps", "examples", "incremental"];

fn run(workspace: &Workspace, mut arguments: lexopt::Parser) -> Outcome {
    let (mut folder, mut language) = (None, Language::C);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("rust") => language = Language::Rust,
            Value(value) if folder.is_none() => folder = Some(value),
            other => return Err(other.unexpected().into()),
        }
    }
    let typed = folder.ok_or_else(|| Failure::new("the new project needs a name, as in ./x new greeter"))?;
    create(workspace, &workspace.called_from(Path::new(&typed)), language)?;
    let (word, command) = (typed::word(Path::new(&typed)), workspace.command());
    println!("the project is in {word}; to build and boot it: {command} run {word}");
    Ok(())
}

/// The output folder of a new project, one for each board and configuration.
const BUILD_DIR: &str = "build/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)";

/// Creates the folder and its files.
///
/// # Errors
/// When the last part of the path is not a valid name, the folder exists, or it cannot be written.
pub fn create(workspace: &Workspace, folder: &Path, language: Language) -> Outcome {
    let name = project_name(folder.file_name().map(OsString::from))?;
    if language == Language::Rust && FOLDERS_OF_CARGO.contains(&name.as_str()) {
        return Err(Failure::new(format!(
            "cargo creates a folder '{name}' beside its programs; choose another name"
        )));
    }
    if folder.symlink_metadata().is_ok() {
        return Err(Failure::new(format!(
            "{} already exists; choose another name",
            workspace.display(folder)
        )));
    }
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    let contents = contents(&name, &workspace.sdk(), language);
    contents.iter().try_for_each(|(file, text)| files::write(&folder.join(file), text))
}

/// Checks that Makefiles, file systems and descriptions accept the name unquoted.
fn project_name(name: Option<OsString>) -> Outcome<String> {
    let name = name.and_then(|name| name.into_string().ok()).unwrap_or_default();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(Failure::new(format!(
            "'{name}' cannot be the name of a project: it must start with a letter and have only letters, \
             digits, '_' and '-'"
        )));
    }
    if name == "monitor" {
        return Err(Failure::new("every system has a protection domain 'monitor'; choose another name"));
    }
    Ok(name)
}

fn contents(name: &str, sdk: &Path, language: Language) -> Vec<(PathBuf, String)> {
    let program_text = if language == Language::C { PROGRAM } else { RUST_PROGRAM };
    let mut files = vec![
        ("Makefile".into(), makefile(name, sdk, language)),
        (format!("{name}.system").into(), DESCRIPTION.replace(MODEL, name)),
        (program(name, language), program_text.to_owned()),
        ("README.md".into(), readme(name, sdk, language)),
        (".gitignore".into(), "/build/\n".to_owned()),
    ];
    if language == Language::Rust {
        files.push(("Cargo.toml".into(), manifest(name)));
        files.push((".cargo/config.toml".into(), RUST_CARGO.to_owned()));
        files.push(("rust-toolchain.toml".into(), toolchain()));
    }
    files
}

/// The path of the program.
fn program(name: &str, language: Language) -> PathBuf {
    match language {
        Language::C => format!("{name}.c"),
        Language::Rust => format!("src/bin/{name}.rs"),
    }
    .into()
}

/// The example's manifest, under another name and without its licence.
fn manifest(name: &str) -> String {
    let lines = RUST_MANIFEST.lines().filter(|line| !line.starts_with("license = "));
    let named = |line: &str| {
        if line.starts_with("name = ") { format!("name = \"{name}\"\n") } else { format!("{line}\n") }
    };
    lines.map(named).collect()
}

/// This repository's toolchain file, without its reason.
fn toolchain() -> String {
    RUST_TOOLCHAIN.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// The example's Makefile, with defaults for the variables that its caller would have to set.
fn makefile(name: &str, sdk: &Path, language: Language) -> String {
    let defaults = format!(
        "MICROKIT_SDK ?= {}\nMICROKIT_BOARD ?= {}\nMICROKIT_CONFIG ?= {}\nBUILD_DIR ?= {BUILD_DIR}\n\n",
        sdk.display(),
        board::DEFAULT,
        CONFIGS[0]
    );
    let model = if language == Language::C { MAKEFILE } else { RUST_MAKEFILE };
    let own = |line: &str| match line.split_once(" := ") {
        Some(("SYSTEM", _)) => format!("{defaults}SYSTEM := {name}\n"),
        Some(("PROGRAMS", _)) => format!("PROGRAMS := {name}\n"),
        _ => format!("{line}\n"),
    };
    model.lines().map(own).collect()
}

fn readme(name: &str, sdk: &Path, language: Language) -> String {
    let (sdk, board) = (sdk.display(), board::DEFAULT);
    let program = program(name, language);
    let program = program.display();
    let (more_files, make, addition) = match language {
        Language::C => ("", "compiles, links, and calls the `microkit` tool", "C file"),
        Language::Rust => (
            "| `Cargo.toml`, `.cargo/config.toml`, `rust-toolchain.toml` | dependencies, the compiler's options, and which compiler |\n",
            "calls cargo and the `microkit` tool",
            "file in `src/bin`",
        ),
    };
    format!(
        "# {name}

A system for the Limen microkernel.

| file | what it is |
|---|---|
| `{name}.system` | the description: protection domains, memory, channels |
| `{program}` | the program of its protection domain |
{more_files}| `Makefile` | {make} |

```sh
make                                             # for {board}, debug
make MICROKIT_BOARD=... MICROKIT_CONFIG=...      # for something else
```

The image is `loader.img` in the folder `build/BOARD/CONFIG`. The SDK is the one in
`{sdk}`,
where `./x sdk` of Limen's sources writes it, unless `MICROKIT_SDK` names another; its folder `doc` has the book.
`./x run` with the path of this folder builds the system and boots it in QEMU until it prints `LIMEN|DONE`.

To add a program, write its {addition}, add its name to `PROGRAMS` in the Makefile, and describe it in
`{name}.system`.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_names_are_accepted_and_others_refused() {
        let name = |name: &str| project_name(Some(name.into()));
        assert_eq!(name("my-system_2").unwrap(), "my-system_2");
        for bad in ["", "2fast", "a b", "a/b", "caf\u{e9}", "-x", "$(rm)", "monitor"] {
            assert!(name(bad).is_err(), "{bad}");
        }
        assert!(project_name(None).is_err());
    }

    #[test]
    fn the_name_replaces_the_models_everywhere() {
        for language in [Language::C, Language::Rust] {
            let files = contents("greeter", Path::new("/opt/sdk"), language);
            for (file, text) in &files {
                assert!(!text.contains(MODEL) && !text.contains("sorter"), "{}", file.display());
            }
            let makefile = &files[0].1;
            assert!(
                makefile.contains("MICROKIT_SDK ?= /opt/sdk\n")
                    && makefile.contains("\nPROGRAMS := greeter\n")
            );
            assert!(files[1].1.contains("path=\"greeter.elf\""));
        }
    }

    #[test]
    fn a_project_in_rust_has_a_manifest_and_a_compiler() {
        let files = contents("greeter", Path::new("/opt/sdk"), Language::Rust);
        let text = |name: &str| &files.iter().find(|(file, _)| file == Path::new(name)).unwrap().1;
        assert!(text("Cargo.toml").starts_with("[package]\nname = \"greeter\"\n"));
        assert!(!text("Cargo.toml").contains("license"));
        assert!(text("rust-toolchain.toml").starts_with("[toolchain]\nchannel = "));
        assert!(text(".cargo/config.toml").contains("\n[build]\ntarget = "));
        assert!(text("src/bin/greeter.rs").contains("limen::protection_domain!"));
    }
}
