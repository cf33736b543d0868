//! The `microkit` tool builds a bootable image from a system description and programs.
//!
//! [`arguments`] parses the command line, [`tool`] runs the build with the libraries, [`output`] writes files.
//! [`symbolise`] explains the faults in a console log instead, [`inspect`] lists the threads and objects of a stopped
//! machine, and [`trace`] shows a trace. Other modules return errors; only this file prints and exits.

#![forbid(unsafe_code)]

mod arguments;
mod code;
mod completion;
mod failure;
mod inspect;
mod options;
mod output;
mod symbolise;
mod tool;
mod trace;
mod usage;
mod viper;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use arguments::Command;
use failure::Failure;
use tool::Success;

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            show(io::stdout(), &text);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            report(&failure);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, Failure> {
    match arguments::parse(env::args_os().skip(1))? {
        Command::Help => Ok(usage::help(&tool::board_names())),
        Command::Version => Ok(tool::version()),
        Command::Schema => Ok(limen_sdf::schema()),
        Command::Completion(shell) => Ok(completion::script(shell)),
        Command::Symbolise(arguments) => {
            symbolise::run(arguments, |sentence| show(io::stdout(), &format!("{sentence}\n")))
                .map(|()| String::new())
        }
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Build(arguments) => tool::build(&arguments).map(|Success { lines }| lines),
    }
}

fn report(failure: &Failure) {
    match failure {
        Failure::Value(message) => show(io::stderr(), &format!("microkit: error: {message}\n")),
        Failure::Usage(message) => {
            show(io::stdout(), &format!("{}\n", usage::LINE));
            show(io::stderr(), &format!("microkit: error: {message}\n"));
        }
        Failure::Diagnostics { source, diagnostics } => {
            show(io::stderr(), &limen_sdf::render_all(diagnostics, source.as_deref()));
        }
    }
}

/// Writes to a terminal or pipe. A closed pipe cannot be reported, and does not change the exit code.
fn show(mut to: impl Write, text: &str) {
    let _ = to.write_all(text.as_bytes());
}
