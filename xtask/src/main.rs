//! The commands behind `./x`: one file or folder each, listed in `COMMANDS`.
#![allow(unreachable_pub, reason = "in a program, pub says what a file offers to its neighbours")]

// First, because all other modules use its macros.
#[macro_use]
mod shell;

mod bench;
mod book;
mod check;
mod command;
mod dump;
mod emulator_plugin;
mod failure;
mod figures;
mod fuzz;
mod new;
mod profile;
mod run;
mod sdk;
mod setup;
mod simulated_core;
mod soak;
mod test;
mod trace;
mod workspace;

use std::env;
use std::process::ExitCode;

use command::Command;
use failure::{Context, Outcome};
use workspace::Workspace;

const COMMANDS: [&Command; 14] = [
    &run::COMMAND,
    &dump::COMMAND,
    &trace::COMMAND,
    &test::COMMAND,
    &check::COMMAND,
    &bench::COMMAND,
    &fuzz::COMMAND,
    &soak::COMMAND,
    &book::COMMAND,
    &sdk::COMMAND,
    &sdk::dist::COMMAND,
    &new::COMMAND,
    &setup::COMMAND,
    &sdk::generate::COMMAND,
];

fn main() -> ExitCode {
    match dispatch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_explained() {
                eprintln!("error: {failure}");
            }
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Outcome {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let Some((name, arguments)) = words.split_first() else {
        print!("{}", overview());
        return Ok(());
    };
    // `./x help NAME` does what `./x NAME --help` does.
    let asked = if name == "help" { arguments.first() } else { None };
    if asked.is_none() && (name == "help" || name == "--help" || name == "-h") {
        print!("{}", overview());
        return Ok(());
    }
    if name == "--version" || name == "-V" {
        println!("{}", sdk::version::line(&Workspace::locate()?)?);
        return Ok(());
    }
    let name = asked.unwrap_or(name);
    let Some(command) = COMMANDS.into_iter().find(|command| name == command.name) else {
        let names = COMMANDS.map(|command| command.name);
        return Err(command::unknown("command", &name.to_string_lossy(), &names, "./x lists the commands"));
    };
    if asked.is_some() || arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{}", command.help.trim());
        return Ok(());
    }
    let workspace = Workspace::locate()?;
    // Cargo and rustup look for their files in the current folder.
    env::set_current_dir(workspace.root()).context(|| "cannot enter the repository".to_owned())?;
    (command.run)(&workspace, lexopt::Parser::from_args(arguments))
        .map_err(|failure| command.explain(failure))
}

fn overview() -> String {
    let mut text = String::from("usage: ./x COMMAND [ARGUMENTS]\n\n");
    for command in COMMANDS {
        text += &format!("  {:8} {}\n", command.name, command.summary);
    }
    text + "\n./x COMMAND --help explains a command, ./x --version prints the version.\n"
}
