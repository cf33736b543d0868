//! `./x new`: a folder with the least that a project needs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;

use crate::board;
use crate::command::Command;
use crate::failure::{Context, Failure, Outcome};
use crate::files;
use crate::typed;
use crate::workspace::{CONFIGS, Workspace};

/// The command.
pub const COMMAND: Command =
    Command { name: "new", summary: "a new project folder that builds", help: HELP, run };

const HELP: &str = "
usage: ./x new NAME

Makes a folder with a project that builds: a Makefile, a system description, a C program and a README.
NAME may be a path; its last part names the project and consists of letters, digits, '_' and '-'. A folder
that exists is left alone. To see the new system run:

  ./x run NAME
";

/// The example that a new project starts from, with its name in place of this one.
const MODEL: &str = "hello";
const MAKEFILE: &str = include_str!("../../examples/hello/Makefile");
const DESCRIPTION: &str = include_str!("../../examples/hello/hello.system");
const PROGRAM: &str = include_str!("../../examples/hello/hello.c");

fn run(workspace: &Workspace, mut arguments: lexopt::Parser) -> Outcome {
    let mut folder = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(value) if folder.is_none() => folder = Some(value),
            other => return Err(other.unexpected().into()),
        }
    }
    let typed = folder.ok_or_else(|| Failure::new("the new project needs a name, as in ./x new greeter"))?;
    create(workspace, &workspace.called_from(Path::new(&typed)))?;
    let (word, command) = (typed::word(Path::new(&typed)), workspace.command());
    println!("the project is in {word}; to build and boot it: {command} run {word}");
    Ok(())
}

/// Where a new project's output goes: a folder for each thing that it is built for.
const BUILD_DIR: &str = "build/$(MICROKIT_BOARD)/$(MICROKIT_CONFIG)";

/// Makes the folder and its files.
///
/// # Errors
/// When the last part of the path is not a name, something is there already, or it cannot be written.
pub fn create(workspace: &Workspace, folder: &Path) -> Outcome {
    let name = project_name(folder.file_name().map(OsString::from))?;
    if folder.symlink_metadata().is_ok() {
        return Err(Failure::new(format!(
            "{} exists already; choose another name",
            workspace.display(folder)
        )));
    }
    fs::create_dir_all(folder).context(|| format!("cannot create {}", folder.display()))?;
    let contents = contents(&name, &workspace.sdk());
    contents.iter().try_for_each(|(file, text)| files::write(&folder.join(file), text))
}

/// A name that Makefiles, file systems and descriptions take as it is.
fn project_name(name: Option<OsString>) -> Outcome<String> {
    let name = name.and_then(|name| name.into_string().ok()).unwrap_or_default();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(Failure::new(format!(
            "'{name}' cannot be the name of a project: it starts with a letter and has letters, digits, '_' and '-'"
        )));
    }
    if name == "monitor" {
        return Err(Failure::new("every system has a protection domain 'monitor'; choose another name"));
    }
    Ok(name)
}

fn contents(name: &str, sdk: &Path) -> [(PathBuf, String); 5] {
    let named = |text: &str| text.replace(MODEL, name);
    [
        ("Makefile".into(), makefile(name, sdk)),
        (format!("{name}.system").into(), named(DESCRIPTION)),
        (format!("{name}.c").into(), PROGRAM.to_owned()),
        ("README.md".into(), readme(name, sdk)),
        (".gitignore".into(), "/build/\n".to_owned()),
    ]
}

/// That of the model, with values for what its caller would have to say.
fn makefile(name: &str, sdk: &Path) -> String {
    let defaults = format!(
        "MICROKIT_SDK ?= {}\nMICROKIT_BOARD ?= {}\nMICROKIT_CONFIG ?= {}\nBUILD_DIR ?= {BUILD_DIR}\n\n",
        sdk.display(),
        board::DEFAULT,
        CONFIGS[0]
    );
    let own = MAKEFILE.replace(&format!(":= {MODEL}\n"), &format!(":= {name}\n"));
    own.replacen("SYSTEM := ", &format!("{defaults}SYSTEM := "), 1)
}

fn readme(name: &str, sdk: &Path) -> String {
    let (sdk, board) = (sdk.display(), board::DEFAULT);
    format!(
        "# {name}

A system for the Limen microkernel.

| file | what it is |
|---|---|
| `{name}.system` | the description: protection domains, memory, channels |
| `{name}.c` | the program of its protection domain |
| `Makefile` | compiles, links, and calls the `microkit` tool |

```sh
make                                             # for {board}, debug
make MICROKIT_BOARD=... MICROKIT_CONFIG=...      # for something else
```

The image is `loader.img` in the folder `build/BOARD/CONFIG`. The SDK is the one in
`{sdk}`,
where `./x sdk` of Limen's sources writes it, unless `MICROKIT_SDK` names another; its folder `doc` has the book.
`./x run` with the path of this folder builds the system and boots it in QEMU until it prints `LIMEN|DONE`.

To add a program, write its C file, add its name to `PROGRAMS` in the Makefile, and describe it in
`{name}.system`.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_as_they_are_or_refused() {
        let name = |name: &str| project_name(Some(name.into()));
        assert_eq!(name("my-system_2").unwrap(), "my-system_2");
        for bad in ["", "2fast", "a b", "a/b", "caf\u{e9}", "-x", "$(rm)", "monitor"] {
            assert!(name(bad).is_err(), "{bad}");
        }
        assert!(project_name(None).is_err());
    }

    #[test]
    fn the_name_is_everywhere_and_the_models_is_not() {
        let files = contents("greeter", Path::new("/opt/sdk"));
        for (file, text) in &files {
            assert!(!text.contains(MODEL), "{}", file.display());
        }
        let makefile = &files[0].1;
        assert!(
            makefile.contains("MICROKIT_SDK ?= /opt/sdk\n") && makefile.contains("\nPROGRAMS := greeter\n")
        );
        assert!(files[1].1.contains("path=\"greeter.elf\""));
    }
}
